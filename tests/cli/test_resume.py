"""`dbg assemble --continue` resumes killed and failed runs, and ends with the bytes of an undisturbed run."""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.run.tuning import tuned
from tests.cli.killed_runs import digests
from tests.helpers import n_examples
from tests.naive.kmers import reverse_complement
from tests.test_same_bytes import pair_of

pytestmark = pytest.mark.slow  # `tests/assembly_dir/test_saved_stages.py` is quick

ROOT = Path(__file__).parents[2]
NAMES = ("reads_1.fq", "reads_2.fq")
OPTIONS = ("-k", "21,31,51", "--keep-variants", "--backend", "cpu", "-t", "1")
SAVED = ["000_kmers", "001_round", "002_round", "003_round", "999_pairs"]
RESUMED = ["k-mers counted", "rounds k = 21, 31, 51 done", "reads placed"]
KMERS, *_ROUNDS, PAIRS = SAVED
#: Options of an assembly, the number of runs that are killed in a full run, and partitions of the first run
STORIES = {
    "pairs and several k": ("-k 21,31,51 --keep-variants", 26, 0),
    "chosen k, subsampled, Euler": ("--max-depth 20 --walk euler --min-contig 50", 8, 0),
    "one k, no cleaning": ("-k 21 --trim off --no-clean --min-count 1 --min-contig 50", 8, 0),
    "no pairs": ("-k 21,31 --no-pairs --preset meta", 8, 0),
    "k-mers in partitions": ("-k 21,31 --keep-variants", 16, 5),
}
N_MOMENTS = 50


def text_of_mates() -> list[str]:
    """Pairs of two alleles of a genome with a repeat, and of a rare circle, with errors."""
    rng = random.Random(7)
    letters = lambda n: "".join(rng.choices("ACGT", k=n))  # noqa: E731
    genome = letters(300).join(letters(1500) for _ in range(4))
    allele = "".join(rng.choice("ACGT") if rng.random() < 0.004 else base for base in genome)
    circle = letters(800)
    sources = (genome, 600), (allele, 300), (circle + circle[:500], 60)
    pairs = [pair_of(source, rng) for source, n in sources for _ in range(n)]
    return ["".join(pair[mate] for pair in pairs) for mate in range(2)]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return text_of_mates()


@pytest.fixture
def mates(tmp_path, texts) -> list[Path]:
    """Files of reads, which a test may change."""
    paths = [tmp_path / name for name in NAMES]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


@pytest.fixture
def run(dbg, mates, tmp_path):
    """A function that assembles into a directory: exit code and standard error."""

    def assemble(*options, out="out", inputs=("-1", mates[0], "-2", mates[1]), saving=True):
        saves, usual = ["--checkpoint"] * saving, OPTIONS[2:] if "-k" in options else OPTIONS
        code, _out, err = dbg("assemble", *inputs, *usual, *saves, "-o", tmp_path / out, *options)
        return code, err

    return assemble


@pytest.fixture
def fail(monkeypatch):
    """A function that lets a function of the pipeline fail at its n-th call."""

    def let(name, n=1, error=KeyboardInterrupt):
        from debruijn_gpu import pipeline
        from debruijn_gpu.assembly import round_graphs

        callers = [module for module in (pipeline, round_graphs) if hasattr(module, name)]
        function, calls = getattr(callers[0], name), []

        def call(*args, **options):
            calls.append(name)
            if len(calls) == n:
                raise error
            return function(*args, **options)

        for module in callers:
            monkeypatch.setattr(module, name, call)

    return let


@pytest.fixture
def failed(run, fail, monkeypatch):
    """A function that fails a run after all stages were saved, or a given point, and then heals the pipeline."""

    def end(*options, name="evaluate", n=1, **changes):
        with monkeypatch.context():
            fail(name, n)
            code, err = run(*options, **changes)
            monkeypatch.undo()
        return code, err

    return end


def checkpoints(tmp_path: Path) -> list[str]:
    return sorted(path.stem for path in (tmp_path / "out" / ".dbg").iterdir())


def thin_reads(n_bases: int = 4000, depth: int = 6, seed: int = 3) -> str:
    """Single reads of 100 bases with errors; two reads outvote some bases of contigs."""
    rng = random.Random(seed)
    genome = "".join(rng.choices("ACGT", k=n_bases))
    reads = []
    for _ in range(n_bases * depth // 100):
        start = rng.randrange(n_bases - 99)
        read = "".join(rng.choice("ACGT") if rng.random() < 0.015 else base for base in genome[start : start + 100])
        reads.append(read if rng.random() < 0.5 else reverse_complement(read))
    return "".join(f">{i}\n{read}\n" for i, read in enumerate(reads))


def record(tmp_path: Path) -> dict:
    return json.loads((tmp_path / "out" / "run.json").read_text())


def flip(path: Path, place: int) -> None:
    """Change a byte of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.parametrize("name", STORIES)
def test_run_that_was_killed_at_random_moments_ends_with_the_same_bytes(tmp_path, mates, name):
    options, full, n_partitions = STORIES[name]
    n_stories = n_examples(full)
    command = ["assemble", "-1", str(mates[0]), "-2", str(mates[1]), *options.split()]
    command += ["--backend", "cpu", "-t", "1", "--checkpoint", "-qq"]
    (tmp_path / "runs").mkdir()
    program = [sys.executable, "-m", "tests.cli.killed_runs", json.dumps(command), tmp_path / "runs"]
    seed, most_kills = 19, 2
    done = subprocess.run(
        [*map(str, program), str(n_stories), str(seed), str(most_kills), str(n_partitions)],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=600,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    undisturbed = digests(tmp_path / "runs" / "parent")
    assert len(found) == n_stories
    n_killed = sum(story["codes"][0] == -9 for story in found)
    assert n_killed > n_stories // 2  # a run that waits less often than the one that was counted may end before
    for story in found:
        assert set(story["codes"][:-1]) <= {-9, 0}
        assert story["codes"][-1] == 0, story
        assert story["digests"] == undisturbed, story
    assert any(story["resumed"] for story in found)
    assert {story["kind"] for story in found} == {"calls", "files"}


def test_a_full_run_tries_fifty_moments():
    assert sum(n_stories for _options, n_stories, _n_partitions in STORIES.values()) >= N_MOMENTS


def test_bases_are_corrected_by_reads_that_no_other_stage_needs(run, failed, tmp_path):
    (tmp_path / "thin.fa").write_text(thin_reads())
    options = {"inputs": (tmp_path / "thin.fa",)}
    held = "-k", "21,31,51", "--held-length", "0", "-v"
    code, err = run(*held, out="undisturbed", **options)
    assert (code, "2 bases corrected by reads" in err) == (0, True), err
    assert failed(*held, name="walked_contigs", **options)[0] == 130
    code, err = run(*held, "--continue", **options)
    assert (code, "2 bases corrected by reads" in err) == (0, True), err
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")


def test_finished_run_leaves_no_checkpoints(run, tmp_path):
    assert run()[0] == 0
    assert not [path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(".")]


def test_checkpoints_are_saved_after_twenty_seconds_only(run, failed, tmp_path):
    assert failed(saving=False)[0] == 130
    assert not (tmp_path / "out" / ".dbg").exists()
    with tuned(checkpoint_s=0.0):
        assert failed(saving=False)[0] == 130
    assert checkpoints(tmp_path) == SAVED


@pytest.mark.parametrize(
    ("name", "n", "saved", "resumed"),
    [
        ("compact", 1, SAVED[:1], ["k-mers counted"]),
        ("compact", 2, SAVED[:2], ["k-mers counted", "round k = 21 done"]),
        ("compact", 3, SAVED[:3], ["k-mers counted", "rounds k = 21, 31 done"]),
        ("evaluate", 1, SAVED, RESUMED),
    ],
)
def test_run_resumes_after_the_last_saved_stage(run, failed, tmp_path, name, n, saved, resumed):
    assert run(out="undisturbed")[0] == 0
    code, err = failed(name=name, n=n)
    assert code == 130
    assert checkpoints(tmp_path) == saved
    assert f"checkpoints are kept in {tmp_path / 'out' / '.dbg'}: add --continue to resume" in err
    code, err = run("--continue")
    assert code == 0
    assert f"continuing: {', '.join(resumed)}" in err
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")
    found = record(tmp_path)
    assert found["resumed"] == resumed
    earlier, later = ([stage["name"] for stage in found[key]] for key in ("earlier_stages", "stages"))
    assert "count" in earlier
    assert "count" not in later
    assert ("resolve repeats" in earlier) == (saved == SAVED)
    assert ("read" in later) == (saved != SAVED)  # reads are needed only by stages that were not saved


@pytest.mark.parametrize(("walk", "is_read_again"), [("unitigs", False), ("euler", True)])
def test_ends_of_contigs_without_pairs_are_trimmed_again_unless_repeats_are_resolved(
    run, failed, tmp_path, walk, is_read_again
):
    options = "--no-pairs", "--walk", walk
    assert run(*options, out="undisturbed")[0] == 0
    assert failed(*options)[0] == 130
    assert run(*options, "--continue")[0] == 0
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")
    names = [stage["name"] for stage in record(tmp_path)["stages"]]
    assert ("read" in names) == is_read_again  # their words, though all rounds were saved
    assert "clean" not in names


@pytest.mark.parametrize("before", [0, 4])
@pytest.mark.parametrize("after", [0, 4, 7])
@pytest.mark.parametrize(("name", "n"), [("compact", 1), ("compact", 2), ("evaluate", 1)])
def test_kmers_in_partitions_are_not_counted_again(run, failed, tmp_path, before, after, name, n):
    assert run(out="undisturbed")[0] == 0
    with tuned(partitions=before):
        assert failed(name="compact_partitions" if before and name == "compact" else name, n=n)[0] == 130
    with tuned(partitions=after):
        code, err = run("--continue")
    assert (code, "continuing: k-mers counted" in err) == (0, True)
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")
    names = [stage["name"] for stage in record(tmp_path)["stages"]]
    assert "load k-mers" in names
    assert "count" not in names


def test_damaged_kmers_in_partitions_are_counted_again(run, failed, tmp_path):
    assert run(out="undisturbed")[0] == 0
    path = tmp_path / "out" / ".dbg" / "000_kmers.checkpoint"
    with tuned(partitions=4):
        for place in (0.5, 0.9, 0.999):
            assert failed("--force", name="compact_partitions")[0] == 130
            flip(path, int(place * path.stat().st_size))
            code, err = run("--continue", "--force")
            assert (code, f"warning: {path}: damaged checkpoint: the checksum" in err) == (0, True)
            assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")


def test_several_failures_add_up(run, failed, tmp_path):
    assert run(out="undisturbed")[0] == 0
    assert failed(name="compact", n=1)[0] == 130
    assert failed("--continue", name="compact", n=2)[0] == 130
    assert checkpoints(tmp_path) == SAVED[:2]
    assert failed("--continue", name="evaluate")[0] == 130
    assert run("--continue")[0] == 0
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")
    names = [stage["name"] for stage in record(tmp_path)["earlier_stages"]]
    assert names.count("resolve repeats") == 1
    assert names.count("clean") >= 3


@pytest.mark.parametrize(
    "changes", [("-t", "3"), ("-m", "300M"), ("--tmp-dir", "."), ("--backend", "auto"), ("--gpu-memory", "0.5")]
)
def test_runtime_settings_may_change(run, failed, tmp_path, changes):
    assert run(out="undisturbed")[0] == 0
    assert failed(name="compact", n=3)[0] == 130
    assert run("--continue", *changes)[0] == 0
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")
    assert record(tmp_path)["resumed"] == ["k-mers counted", "rounds k = 21, 31 done"]


def test_inputs_may_move(run, failed, mates, tmp_path):
    assert failed()[0] == 130
    (tmp_path / "elsewhere").mkdir()
    moved = [path.rename(tmp_path / "elsewhere" / f"other_{path.name}") for path in mates]
    code, err = run("--continue", inputs=("-1", moved[0], "-2", moved[1]))
    assert (code, "continuing: k-mers counted" in err) == (0, True)


def changed_content(path: Path) -> None:
    info = path.stat()
    flip(path, info.st_size // 2)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))


def changed_size(path: Path) -> None:
    with open(path, "a") as file:
        file.write("\n")


CHANGES = {
    "its content differs": changed_content,
    "expected [0-9,]+ bytes, got [0-9,]+": changed_size,
    "it was modified or copied since": lambda path: os.utime(path, ns=(1, 1)),
}


@pytest.mark.parametrize("words", CHANGES)
def test_changed_input_is_refused(run, failed, mates, tmp_path, words):
    assert failed()[0] == 130
    CHANGES[words](mates[1])
    code, err = run("--continue")
    assert code == 67
    error, remedy = err.splitlines()[-2:]
    assert re.fullmatch(rf"dbg: .*reads_2\.fq: not the file that the checkpoints in .*\.dbg are of: {words}", error)
    assert remedy.strip() == "restore the file, or leave --continue out to start from the beginning"
    assert checkpoints(tmp_path) == SAVED  # nothing is lost
    assert run()[0] == 0


def test_other_inputs_are_refused(run, failed, mates):
    assert failed()[0] == 130
    code, err = run("--continue", inputs=("-s", mates[0], "-s", mates[1]))
    assert code == 67
    assert "expected the inputs of its checkpoints (first mates, second mates), got others (reads, reads)" in err
    assert run("--continue", inputs=("-1", mates[1], "-2", mates[0]))[0] == 67


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-k", "21,31"), "-k 21,31,51 there, 21,31 here"),
        (("--min-count", "2"), "--min-count auto there, 2 here"),
        (("--min-contig", "500", "--trim", "off"), "--min-contig 200 there, 500 here, --trim auto there, off here"),
        (("--no-pairs",), "--no-pairs"),
        (("--tip-ratio", "0.25"), "--tip-ratio 0.5 there, 0.25 here"),
        (("--walk", "euler"), "--walk unitigs there, euler here"),
        (("--name", "x"), "--name contigs there, x here"),
    ],
)
def test_changed_options_are_refused(run, failed, tmp_path, options, words):
    assert failed()[0] == 130
    code, err = run("--continue", *options)
    assert code == 67
    assert f"its checkpoints are of other options: {words}\n" in err
    assert "give the same options, or leave --continue out" in err
    assert checkpoints(tmp_path) == SAVED


def test_other_version_is_refused(run, failed, monkeypatch):
    assert failed()[0] == 130
    monkeypatch.setattr("debruijn_gpu.assembly_dir.identity.__version__", "9.9")
    code, err = run("--continue")
    assert code == 67
    assert "expected checkpoints of dbg 9.9, got those of dbg " in err


def test_changed_genes_are_refused(run, failed, tmp_path):
    genes = tmp_path / "genes.fa"
    genes.write_text(">dnaA\n" + "ACGTTGCA" * 20 + "\n")
    assert failed("--rotate", genes)[0] == 130
    genes.write_text(">dnaA\n" + "ACGTTGCT" * 20 + "\n")
    code, err = run("--continue", "--rotate", genes)
    assert (code, "genes.fa: not the file that the checkpoints" in err) == (67, True)


@pytest.mark.parametrize("place", [30, -100])
@pytest.mark.parametrize("name", SAVED)
def test_damaged_checkpoint_runs_its_stage_again(run, failed, tmp_path, name, place):
    assert run(out="undisturbed")[0] == 0
    assert failed()[0] == 130
    path = tmp_path / "out" / ".dbg" / f"{name}.checkpoint"
    flip(path, place)
    code, err = run("--continue")
    assert code == 0
    is_noticed = name in (KMERS, PAIRS) or place == 30  # others are not read
    assert (f"warning: {path}: damaged checkpoint: the checksum of its" in err) == is_noticed
    expected = RESUMED[1:] if name == KMERS else RESUMED[:2] if name == PAIRS else RESUMED
    again = "; k-mers are counted again" * (name == KMERS)
    assert f"continuing: {', '.join(expected)}{again}\n" in err
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")


def test_round_before_a_damaged_one_is_resumed(run, failed, tmp_path):
    assert failed(name="compact", n=3)[0] == 130
    path = tmp_path / "out" / ".dbg" / "002_round.checkpoint"
    path.write_bytes(path.read_bytes()[:-5])
    code, err = run("--continue")
    assert (code, "continuing: k-mers counted, round k = 21 done" in err) == (0, True)


def test_all_checkpoints_damaged(run, failed, tmp_path):
    assert run(out="undisturbed")[0] == 0
    assert failed()[0] == 130
    for name in SAVED:
        (tmp_path / "out" / ".dbg" / f"{name}.checkpoint").write_bytes(b"")
    code, err = run("--continue")
    assert (code, err.count("damaged checkpoint"), "starting from the beginning" in err) == (0, len(SAVED), True)
    assert digests(tmp_path / "out") == digests(tmp_path / "undisturbed")


def test_nothing_to_resume(run, tmp_path):
    code, err = run("--continue")
    assert (code, f"no checkpoint in {tmp_path / 'out' / '.dbg'}: starting from the beginning" in err) == (0, True)


def test_finished_run_is_not_repeated(run, tmp_path):
    assert run()[0] == 0
    before = digests(tmp_path / "out"), os.stat(tmp_path / "out" / "run.json").st_mtime_ns
    code, err = run("--continue")
    assert (code, "holds the results of this run already: nothing to continue" in err) == (0, True)
    assert before == (digests(tmp_path / "out"), os.stat(tmp_path / "out" / "run.json").st_mtime_ns)


def test_results_of_another_run_are_not_replaced(run, failed, tmp_path):
    assert run("--min-contig", "300")[0] == 0
    code, err = run("--continue")
    assert (code, "its results are of other options: --min-contig 300 there, 200 here\n" in err) == (67, True)
    assert failed("--force")[0] == 130
    assert run("--continue")[0] == 67
    code, err = run("--continue", "--force")
    assert (code, "continuing: k-mers counted" in err) == (0, True)


def test_run_without_continue_replaces_checkpoints_when_it_saves_its_own(run, failed, tmp_path):
    assert failed()[0] == 130
    code, err = failed("--min-contig", "300", name="counted_reads")
    assert code == 130
    assert "checkpoints of an earlier run, which --continue resumes; this run replaces them" in err
    assert checkpoints(tmp_path) == SAVED
    assert failed("--min-contig", "300", name="compact", n=2)[0] == 130
    assert checkpoints(tmp_path) == SAVED[:2]
    assert run("--continue")[0] == 67
    assert run("--continue", "--min-contig", "300")[0] == 0


def test_result_that_cannot_be_reached_is_no_reason_to_continue(run, tmp_path):
    code, err = run("--min-contig", "1M")
    assert (code, "add --continue" in err) == (69, False)


@pytest.mark.parametrize("option", ["--continue", "--checkpoint"])
def test_directory_is_needed(dbg, mates, option):
    code, _out, err = dbg("assemble", mates[0], option)
    assert (code, f"{option} has no effect without --outdir" in err) == (2, True)


@pytest.mark.process
def test_pipe_cannot_be_resumed(mates, tmp_path):
    command = [sys.executable, "-m", "debruijn_gpu", "assemble", "-", *OPTIONS, "--checkpoint", "-o", tmp_path / "out"]
    for _ in range(2):
        with subprocess.Popen(["cat", *mates], stdout=subprocess.PIPE) as cat:
            done = subprocess.run(
                [*map(str, command), "--continue", "--force"],
                stdin=cat.stdout,
                capture_output=True,
                check=False,
                cwd=ROOT,
            )
        assert done.returncode == 0
        assert b"an input is a pipe, which cannot be read again: there are no checkpoints" in done.stderr
    assert record(tmp_path)["identity"] == ""


def test_second_run_is_refused_while_the_first_lives(run, tmp_path):
    (tmp_path / "out").mkdir()
    with open(tmp_path / "out" / ".dbg.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("process 123 on host")
        file.flush()
        for options in ((), ("--continue",), ("--force",)):
            code, err = run(*options)
            assert code == 66
            assert f"{tmp_path / 'out'}: another run is writing there (process 123 on host)" in err
    assert run()[0] == 0


def test_checkpoints_that_cannot_be_written_do_not_end_the_run(run, failed, tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("debruijn_gpu.assembly_dir.checkpoints.write_checkpoint", full)
    code, err = run()
    assert code == 0
    assert "000_kmers.checkpoint: no checkpoint: No space left on device" in err


def test_unfinished_checkpoints_are_cleared(run, failed, tmp_path):
    assert failed()[0] == 130
    state = tmp_path / "out" / ".dbg"
    (state / ".000_kmers.checkpoint.0123456789ab.part").write_bytes(b"x")
    (state / ".001_round.checkpoint.0123456789ab.part").mkdir()
    shutil.copy(state / "000_kmers.checkpoint", state / "notes.txt")
    assert failed("--continue")[0] == 130
    assert checkpoints(tmp_path) == [*SAVED, "notes"]
    assert run("--continue")[0] == 0
    assert os.listdir(state) == ["notes.txt"]  # files of others are kept
