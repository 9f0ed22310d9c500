"""Tables of contig quality: what is run, what is kept, and what is shown, with small programs in place of the peers."""

from __future__ import annotations

import json
import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks import contig_programs, contig_sets, contigs
from tests.benchmarks.contig_programs import BEFORE_REPEATS, NO_LOCAL, OURS, count_circular
from tests.benchmarks.contig_store import Store
from tests.benchmarks.contig_table import FRACTION, LONGEST, MISASSEMBLIES, NGA50, verdict

pytestmark = pytest.mark.process

ASSEMBLER = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    print("{name} v1.0")
    sys.exit()
with open("{log}", "a") as log:
    log.write("{name} " + " ".join(sys.argv[1:]) + "\\n")
output = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
output.mkdir()
for name in {files}:
    (output / name).write_text(">c1 {tag}\\n" + "ACGTA" * 200 + "\\n")
"""
QUAST = """#!{python}
import pathlib, sys
if "--version" in sys.argv:
    print("QUAST v0")
    sys.exit()
output = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
output.mkdir()
rows = dict([("Assembly", "contigs"), ("# contigs", 1), ("Largest contig", 1000), ("NGA50", 900)])
rows |= dict([("Genome fraction (%)", 98.5), ("# misassemblies", 0)])
output.joinpath("report.tsv").write_text("".join(f"{{name}}\\t{{value}}\\n" for name, value in rows.items()))
"""


class Bench:
    """A directory of small programs, and the tables that they give."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.log = directory / "log.txt"
        self.bin = directory / "bin"
        self.bin.mkdir()
        monkeypatch.setenv("PATH", str(self.bin))
        monkeypatch.setattr(contigs, "commit", lambda: "abc")
        ours = (str(self.install("dbg", ["contigs.fasta"], "circular=true")),)
        programs = tuple(
            replace(program, start=ours) if program.is_ours else program for program in contig_programs.PROGRAMS
        )
        monkeypatch.setattr(contigs, "PROGRAMS", programs)
        (directory / "reads_1.fq").write_text("@r\nACGTA\n+\nIIIII\n")
        (directory / "reads_2.fq").write_text("@r\nTACGT\n+\nIIIII\n")
        (directory / "genome.fa").write_text(">g\n" + "ACGTA" * 200 + "\n")
        self.sets = directory / "sets.tsv"
        self.sets.write_text(
            "name\treads_1\treads_2\treference\tcircular\nmine\treads_1.fq\treads_2.fq\tgenome.fa\tyes\n"
        )

    def install(self, name: str, files: list[str], tag: str = "") -> Path:
        return self._write(name, ASSEMBLER, name=name, files=files, tag=tag, log=self.log)

    def install_all(self) -> None:
        self.install("megahit", ["final.contigs.fa"], "flag=3")
        self.install("spades.py", ["before_rr.fasta", "contigs.fasta", "scaffolds.fasta"])
        self._write("quast.py", QUAST)

    def _write(self, file_name: str, text: str, **words: object) -> Path:
        path = self.bin / file_name
        path.write_text(text.format(python=sys.executable, **words))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def run(self, *options: str) -> str:
        """Run the tables of the one data set; return the Markdown."""
        output = self.directory / "out"
        peers = ["--peers", str(self.directory / "peers.json")]
        contigs.main(["--sets", str(self.sets), "--only", "mine", "--output", str(output), *peers, *options])
        return (output / "contigs.md").read_text()

    def started(self) -> list[str]:
        """Names of the programs that ran since the last call."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return [line.split()[0] for line in lines]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    for name in ("REFERENCE", "QUAST"):
        monkeypatch.delenv(name, raising=False)
    return Bench(tmp_path, monkeypatch)


def test_results_are_kept_and_only_dbg_runs_again(bench):
    bench.install_all()
    first = bench.run()
    assert bench.started() == ["dbg", "megahit", "megahit", "spades.py"]
    assert bench.run() == first
    assert bench.started() == []
    bench.run("--again")
    assert bench.started() == ["dbg"]


def test_rows_show_each_output_of_a_program(bench):
    bench.install_all()
    text = bench.run()
    rows = [line.split(" | ")[1:] for line in text.splitlines() if line.startswith("| mine | ")]
    names = ["dbg", NO_LOCAL, "MEGAHIT", BEFORE_REPEATS, "SPAdes", "SPAdes, scaffolds"]
    assert [row[0] for row in rows[:6]] == names
    assert [row[5] for row in rows[:6]] == ["1", "1", "1", "-", "-", "-"]
    assert [row[7:10] for row in rows[:6]] == [["900", "98.5", "0"]] * 6
    assert [row[0] for row in rows[6:]][0::2] == ["900; 98.50; 0", "met |"]
    assert text.index("## Scaffolds") < text.index("| mine | SPAdes, scaffolds |")
    assert "scored by QUAST v0" in text


@pytest.mark.parametrize("change", ["reads", "version"])
def test_peers_run_again_if_reads_or_version_change(bench, change):
    bench.install_all()
    bench.run()
    bench.started()
    if change == "reads":
        (bench.directory / "reads_1.fq").write_text("@r\nACGTC\n+\nIIIII\n")
    else:
        path = bench.bin / "megahit"
        path.write_text(path.read_text().replace("v1.0", "v1.1"))
    bench.run()
    assert bench.started() == {"reads": ["dbg", "megahit", "megahit", "spades.py"], "version": ["megahit"] * 2}[change]


def test_content_of_reads_decides_not_their_compression(bench):
    bench.install_all()
    bench.run()
    bench.started()
    with contig_sets.xopen(bench.directory / "reads_1.fq.gz", "wb") as file:
        file.write((bench.directory / "reads_1.fq").read_bytes())
    bench.sets.write_text(bench.sets.read_text().replace("reads_1.fq", "reads_1.fq.gz"))
    bench.run()
    assert bench.started() == []


def test_missing_peers_are_shown(bench):
    text = bench.run()
    assert bench.started() == ["dbg"]
    for name in (NO_LOCAL, "MEGAHIT", BEFORE_REPEATS, "SPAdes"):
        assert f"| mine | {name} | not installed, and no result is kept |" in text
    assert "contigs of this run are not scored" in text
    assert "| mine | not scored |" in text


def test_kept_results_are_shown_where_the_peer_is_not_installed(bench):
    bench.install_all()
    bench.run()
    (bench.bin / "megahit").unlink()
    text = bench.run()
    assert f"| mine | {NO_LOCAL} | not installed" not in text
    assert "| mine | met |" in text


def test_interrupted_run_continues_with_the_next_program(bench, monkeypatch):
    bench.install_all()
    measure, n_calls = contigs.measure, []

    def interrupted(*arguments):
        n_calls.append(1)
        if len(n_calls) == 3:
            raise KeyboardInterrupt
        return measure(*arguments)

    monkeypatch.setattr(contigs, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench.run()
    assert bench.started() == ["dbg", "megahit"]
    bench.run()
    assert bench.started() == ["megahit", "spades.py"]


def test_unscored_results_run_again_where_quast_is_found(bench):
    bench.install_all()
    quast = bench.bin / "quast.py"
    text = quast.read_text()
    quast.unlink()
    bench.run()
    bench.started()
    quast.write_text(text)
    quast.chmod(0o755)
    bench.run()
    assert bench.started() == ["dbg", "megahit", "megahit", "spades.py"]


def test_failed_peer_is_shown_and_kept(bench):
    bench.install_all()
    (bench.bin / "megahit").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('--version' not in sys.argv)\n")
    text = bench.run()
    assert f"| mine | {NO_LOCAL} | failed with exit code 1 |" in text
    assert f"| mine | met; not compared with {NO_LOCAL} |" in text


def test_peer_ended_by_a_signal_is_not_kept(bench):
    bench.install_all()
    whole = (bench.bin / "megahit").read_text()
    (bench.bin / "megahit").write_text(
        whole.replace("output = pathlib", "import os\nos.kill(os.getpid(), 9)\noutput = pathlib")
    )
    assert "failed with exit code -9" in bench.run()
    bench.started()
    (bench.bin / "megahit").write_text(whole)
    bench.run()
    assert bench.started() == ["megahit", "megahit"]


def test_only_chosen_programs_run(bench):
    bench.install_all()
    text = bench.run("--programs", "dbg", "megahit-no-local")
    assert bench.started() == ["dbg", "megahit"]
    assert "| mine | SPAdes | not run |" in text


def test_short_contigs_are_not_scored_by_quast(bench):
    bench.install_all()
    (bench.bin / "dbg").write_text((bench.bin / "dbg").read_text().replace("* 200", "* 20"))
    assert "missed: NGA50 - (of" in bench.run()


def test_mixtures_are_scored_against_each_genome_and_all(bench):
    bench.install_all()
    (bench.directory / "other.fa").write_text(">o\n" + "CCGTA" * 200 + "\n")
    bench.sets.write_text(bench.sets.read_text().replace("genome.fa", "genome.fa,other.fa"))
    text = bench.run()
    assert [name in text for name in ("| mine | dbg |", "| mine: genome alone | dbg |", "| mine: other alone | met |")]
    rows = json.loads((bench.directory / "out" / "contigs.json").read_text())["rows"]
    assert [row["reference"] for row in rows if row["program"] == OURS] == ["all", "genome", "other"]


def test_verdict_names_what_is_missed():
    def row(nga50, fraction, misassemblies):
        score = {NGA50: nga50, FRACTION: fraction, MISASSEMBLIES: misassemblies, LONGEST: "5000"}
        return {"score": score}

    peers = {NO_LOCAL: row("4000", "99.0", "1"), BEFORE_REPEATS: row("5041", "98.0", "0 + 1 part")}
    assert verdict({OURS: row("5000", "99.0", "0"), **peers}) == "met"
    missed = verdict({OURS: row("4999", "98.9", "1"), **peers})
    assert f"NGA50 4999 (of {BEFORE_REPEATS}: 5041)" in missed
    assert f"Genome fraction (%) 98.9 (of {NO_LOCAL}: 99.0)" in missed
    assert f"1 misassemblies (of {BEFORE_REPEATS}: 0 + 1 part)" in missed
    assert verdict({OURS: row("-", "1", "0")}) == "no peers to compare with"


def test_store_keeps_entries_that_others_added(tmp_path):
    first, second = Store(tmp_path / "a.json"), Store(tmp_path / "a.json")
    about = {"set": "s", "program": "p", "reads": "r", "command": "c"}
    first.keep({**about, "version": "1"})
    second.keep({**about, "version": "2"})
    assert [first.find("r", "c", version)["version"] for version in ("1", "2", None)] == ["1", "2", "2"]
    assert first.find("r", "d", None) is None
    assert os.listdir(tmp_path) == ["a.json"]


def test_circular_contigs_are_counted_where_names_say_it(tmp_path):
    path = tmp_path / "c.fa"
    for text, expected in (
        (">a circular=true\nA\n>b circular=false\nC\n", (2, 1)),
        (">a flag=3 multi=2\nA\n>b flag=1 multi=2\nA\n", (2, 1)),
        (">NODE_1\nA\n", (1, None)),
        ("", (0, None)),
    ):
        path.write_text(text)
        assert count_circular(path) == expected


def test_result_with_other_threads_is_found_where_there_is_none_with_those_of_the_command(tmp_path):
    store = Store(tmp_path / "a.json")
    about = {"set": "s", "program": "spades", "reads": "r", "version": "v1"}
    eight, two = ({**about, "command": f"spades.py -t {threads} -o o"} for threads in (8, 2))
    store.keep(eight)
    assert store.find("r", two["command"], "v1") == eight
    store.keep(two)
    assert store.find("r", two["command"], "v1") == two
    assert store.find("r", two["command"], None) == two
    assert store.find("r", two["command"], "v2") is None
    assert store.find("other", two["command"], None) is None
