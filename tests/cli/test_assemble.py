"""`dbg assemble` through its entry point."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.cli import main
from debruijn_gpu.io.fastx.fasta import read_fasta
from tests.helpers import first_quick
from tests.naive import kmers as naive
from tests.naive.kmers import reverse_complement
from tests.reads.test_subsample import two_files
from tests.reads.test_trimming import ADAPTERS, library, pairs_of

ROOT = Path(__file__).parents[2]
PHIX = ROOT / "data" / "phix174_J02482.fa"
MATES = ROOT / "data" / "phix174_R1.fastq.gz", ROOT / "data" / "phix174_R2.fastq.gz"
UNPAIRED = "-s", MATES[0], "-s", MATES[1]
RESULTS = {
    "assembly_graph.gfa",
    "contigs.fasta",
    "contigs.tsv",
    "dbg.log",
    "general_mqc.json",
    "lengths_mqc.json",
    "params.json",
    "report.html",
    "report.json",
    "report.tsv",
    "run.json",
    "spectrum.hist",
    "spectrum_mqc.json",
}


@pytest.fixture(scope="module")
def genome() -> str:
    ((_name, sequence),) = read_fasta(str(PHIX))
    return sequence.decode()


def is_rotation(sequence: str, genome: str) -> bool:
    strands = genome, reverse_complement(genome)
    return len(sequence) == len(genome) and any(sequence in strand * 2 for strand in strands)


def test_contigs_to_standard_output(dbg, genome):
    code, out, err = dbg("assemble", "-1", MATES[0], "-2", MATES[1], "-v")
    header, sequence, end = out.split("\n")
    assert (code, end) == (0, "")
    name, length, kmer_depth, read_depth, circular = header.split()
    assert (name, length, circular) == (">contig_1", "length=5386", "circular=true")
    assert 2 < float(kmer_depth.removeprefix("kmer_depth=")) < 4  # at the last of several k
    assert float(read_depth.removeprefix("read_depth=")) == pytest.approx(40, rel=0.05)
    assert is_rotation(sequence, genome)
    assert "choose k from a spectrum:" in err
    assert "[dbg] 1 contig, 5,386 bp" in err
    assert "error" not in err


def test_quiet(dbg):
    code, out, err = dbg("assemble", *UNPAIRED, "-q")
    assert (code, err) == (0, "")
    assert out.startswith(">contig_1 ")


def test_directory(dbg, tmp_path, genome):
    place = tmp_path / "a" / "b"
    code, out, err = dbg("assemble", *UNPAIRED, "-o", place, "-k", 31, "-v")
    assert (code, out) == (0, "")
    assert {path.name for path in place.iterdir()} == RESULTS
    assert f"results are in {place}" in err
    assert "k = 31, as asked for" in err
    standard = dbg("assemble", *UNPAIRED, "-k", 31)[1]
    assert (place / "contigs.fasta").read_text() == standard
    assert json.loads((place / "params.json").read_text())["assemble"]["ks"] == [31]
    assert json.loads((place / "params.json").read_text())["used"]["k"] == 31
    log = (place / "dbg.log").read_text()
    assert all(path.name in log for path in MATES)
    assert "peak memory" in log
    gfa = (place / "assembly_graph.gfa").read_text().splitlines()
    (segment,) = (line.split("\t") for line in gfa if line.startswith("S"))
    assert is_rotation(segment[2], genome)
    assert gfa[-2:] == ["L\t1\t+\t1\t+\t0M", "P\tcontig_1\t1+\t*"]


def test_names_are_short_and_lengths_are_right(dbg):
    _code, out, _err = dbg("assemble", *UNPAIRED, "-k", 21, "--min-count", 1, "--no-clean", "--min-contig", 0)
    records = [record.split("\n") for record in out.split(">")[1:]]
    lengths = [len(sequence) for _header, sequence, _end in records]
    assert len(records) > 100
    assert lengths == sorted(lengths, reverse=True)
    assert [int(header.split()[1].removeprefix("length=")) for header, _sequence, _end in records] == lengths
    assert all(len(header.split()[0]) < 37 for header, _sequence, _end in records)


def test_min_contig(dbg, tmp_path):
    options = ("assemble", *UNPAIRED, "-k", 21, "--min-count", 1, "--no-clean")
    long = dbg(*options, "-o", tmp_path / "long", "--min-contig", 50)
    whole = dbg(*options, "-o", tmp_path / "whole", "--min-contig", 0)
    assert (long[0], whole[0]) == (0, 0)
    few, many = ((tmp_path / name / "contigs.fasta").read_text() for name in ("long", "whole"))
    assert many.startswith(few)
    assert many[len(few)] == ">"
    assert int(many[len(few) :].split()[1].removeprefix("length=")) < 50
    long_graph, whole_graph = (
        (tmp_path / name / "assembly_graph.gfa").read_text().splitlines() for name in ("long", "whole")
    )
    n_paths = sum(line.startswith("P") for line in long_graph)
    assert long_graph == whole_graph[: len(long_graph)]  # paths come last
    assert n_paths == few.count(">") < many.count(">")


def test_clean_or_not(dbg):
    raw = dbg("assemble", *UNPAIRED, "-k", 31, "--min-count", 1, "--no-clean", "--min-contig", 0)[1]
    clean = dbg("assemble", *UNPAIRED, "-k", 31, "--min-count", 1, "--min-contig", 0)[1]
    assert raw.count(">") > 100
    assert clean.count(">") == 1


def test_euler_walk_of_reads_with_errors(dbg, genome):
    """Cleaned, the graph is a cycle; with its errors it falls into the fewest trails, in which every k-mer is."""
    code, out, err = dbg("assemble", *UNPAIRED, "-k", 31, "--walk", "euler", "-v")
    assert (code, out.count(">")) == (0, 1)
    assert is_rotation(out.split("\n")[1], genome)
    assert "Euler trails: 1 trails" in err
    raw = ("-k", 31, "--min-count", 1, "--no-clean", "--min-contig", 0)
    code, out, err = dbg("assemble", *UNPAIRED, *raw, "--walk", "euler", "-v")
    trails = out.splitlines()[1::2]
    kmers = set(naive.count(dbg("assemble", *UNPAIRED, *raw)[1].splitlines()[1::2], 31))
    assert code == 0
    assert f"Euler trails: {len(trails):,} trails" in err
    assert set(naive.count(trails, 31)) == kmers


def test_euler_walk_of_a_genome(dbg, tmp_path, genome):
    reads = tmp_path / "circle.fa"
    reads.write_text(f">phix\n{genome}{genome[:30]}\n")
    code, out, _err = dbg("assemble", reads, "-k", 31, "--walk", "euler")
    assert code == 0
    header, sequence, _end = out.split("\n")
    assert header.endswith("circular=true")
    assert is_rotation(sequence, genome)


@pytest.mark.process
def test_standard_input_and_threads():
    """As ``cat reads | dbg assemble - | seqkit stats``."""
    results = set()
    for threads in ("1", "2"):
        with open(MATES[0], "rb") as reads:
            done = subprocess.run(
                [sys.executable, "-m", "debruijn_gpu", "assemble", "-", "-t", threads],
                cwd=ROOT, stdin=reads, capture_output=True, check=True,
            )  # fmt: skip
        results.add(done.stdout)
    assert len(results) == 1
    assert results.pop().startswith(b">contig_1 length=5386 ")


def test_comma_separated_files(dbg):
    whole = dbg("assemble", *UNPAIRED, "-k", 31)[1]
    assert dbg("assemble", "-s", ",".join(map(str, MATES)), "-k", 31)[1] == whole


@pytest.fixture(scope="module")
def deep_reads(tmp_path_factory) -> tuple[Path, Path]:
    """Pairs of phage phiX at a read depth of 500x."""
    directory = tmp_path_factory.mktemp("deep")
    with pytest.raises(SystemExit):
        main(["simulate", str(PHIX), "--circular", "--paired", "--depth", "500", "-q", "-o", f"{directory}/x.fastq"])
    return directory / "x_R1.fastq", directory / "x_R2.fastq"


@pytest.mark.parametrize("ks", first_quick(["21,55,97", "auto"]))
def test_deep_reads_are_subsampled(dbg, genome, deep_reads, tmp_path, ks):
    out = tmp_path / "out"
    limit = "--max-depth", 150  # by default, all reads of so small a sample are kept
    code, _out, err = dbg("assemble", "-1", deep_reads[0], "-2", deep_reads[1], "-k", ks, *limit, "-o", out)
    assert code == 0
    assert "read depth 500x: 30.0 % of the reads are kept, for 150x" in err
    ((_name, contig),) = read_fasta(str(out / "contigs.fasta"))
    assert is_rotation(contig.decode(), genome)
    report, used = (json.loads((out / name).read_text()) for name in ("report.json", "params.json"))
    assert report["reads"]["n_reads_given"] == 17_954
    assert report["reads"]["n_reads"] == pytest.approx(0.3 * 17_954, rel=0.05)
    assert report["reads"]["n_reads"] % 2 == 0
    assert report["depth"]["read_depth"] == pytest.approx(150, rel=0.05)
    expected = {"max_depth": 150, "read_depth": 500, "share_kept": 0.3}
    for section in (report["depth_limit"], used["used"]):
        assert {key: section[key] for key in expected} == expected


@pytest.mark.parametrize(("arguments", "depth"), first_quick([
    (("-k", "97"), 500), (("-k", "97", "--max-depth", "80"), 80), (("-k", "auto", "--max-depth", "0"), 500),
    (("--max-depth", "1000"), 500), ((), 500)], 2))  # fmt: skip
def test_max_depth_is_a_choice(dbg, genome, deep_reads, arguments, depth):
    code, out, _err = dbg("assemble", "-1", deep_reads[0], "-2", deep_reads[1], *arguments)
    header, sequence, _end = out.split("\n")
    assert (code, is_rotation(sequence, genome)) == (0, True)
    assert float(header.split()[3].removeprefix("read_depth=")) == pytest.approx(depth, rel=0.05)


@pytest.mark.parametrize(("depth", "exit_code"), [("-1", 2), ("much", 2), ("1.5", 2)])
def test_a_maximum_depth_is_a_whole_number(dbg, depth, exit_code):
    code, out, err = dbg("assemble", MATES[0], "--max-depth", depth)
    assert (code, out) == (exit_code, "")
    assert "--max-depth" in err


@pytest.mark.slow
def test_adapters_are_trimmed(dbg, genome, tmp_path):
    """Pairs of phage phiX, many with inserts shorter than the reads."""
    inserts = library(11, 2500, genome=genome, least=60, most=200)
    files = two_files(tmp_path, pairs_of(inserts))
    for trim, k in (("auto", "auto"), ("auto", "31"), ("off", "31")):
        mates = "-1", files["first"][0], "-2", files["second"][0]
        code, _out, err = dbg("assemble", *mates, "--trim", trim, "-k", k, "-v", "-f", "-o", tmp_path / "out")
        assert code == 0
        report = json.loads((tmp_path / "out" / "report.json").read_text())
        assert (report["trimming"] is None) == (trim == "off")
        if trim == "auto":
            n_short = sum(len(insert) < 100 for insert in inserts)
            assert report["trimming"]["adapters"] == [adapter[:19] for adapter in ADAPTERS]
            assert report["trimming"]["n_reads_adapter"] == 2 * n_short
            n_left = report["reads"]["n_bases_given"] - report["trimming"]["n_bases_adapter"]
            assert report["reads"]["n_bases"] == n_left
            assert ADAPTERS[0][:19] in err
            ((_name, contig),) = read_fasta(str(tmp_path / "out" / "contigs.fasta"))
            assert is_rotation(contig.decode(), genome)


def test_trim_is_auto_or_off(dbg):
    code, out, err = dbg("assemble", MATES[0], "--trim", "all")
    assert (code, out) == (2, "")
    assert "--trim" in err


@pytest.mark.parametrize("k", ["31", "31,55"])
def test_variants_of_a_mixture(dbg, tmp_path, genome, k):
    """Two strains that differ in three bases; the order of reads does not matter."""
    other = list(genome)
    places = (1000, 2500, 4000)
    for at in places:
        other[at] = "A" if genome[at] != "A" else "C"
    reads = [strain[i : i + 100] for strain in (genome, "".join(other), genome) for i in range(0, len(genome) - 99, 5)]
    found = []
    for name, ordered in (("one", reads), ("other", reads[::-1])):
        (tmp_path / name).write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(ordered)))
        options = ("-k", k, "--min-count", 2, "--keep-variants", "-v", "-o", tmp_path / f"{name}.dir")
        code, _out, err = dbg("assemble", tmp_path / name, *options)
        assert code == 0
        assert "3 variants (see variants.tsv)" in err
        assert "the sample is heterozygous or a mixture" in err
        files = ("contigs.fasta", "variants.tsv", "variants.gfa")
        found.append({file: (tmp_path / f"{name}.dir" / file).read_bytes() for file in files})
    assert found[0] == found[1]
    ((_header, contig),) = read_fasta(str(tmp_path / "one.dir" / "contigs.fasta"))
    rows = [line.split("\t") for line in found[0]["variants.tsv"].decode().splitlines()[1:]]
    expected = {(genome[at], other[at]) for at in places} | {
        (reverse_complement(genome[at]), reverse_complement(other[at])) for at in places
    }
    for name, position, reference, alternative, *_depths in rows:
        assert name == "contig_1"
        assert contig.decode()[int(position) - 1] == reference
        assert (reference, alternative) in expected
    assert "\nS\tv3\t" in found[0]["variants.gfa"].decode()
    section = json.loads((tmp_path / "one.dir" / "report.json").read_text())["variants"]
    assert section == {
        "n_bubbles": section["n_bubbles"],
        "n_variants": 3,
        "n_substitutions": 3,
        "n_insertions": 0,
        "n_deletions": 0,
        "n_balanced": 3,
        "is_heterozygous": True,
        "files": ["variants.tsv", "variants.gfa"],
    }
    assert section["n_bubbles"] >= 3
    assert (
        "3 variants of contigs (3 substitutions, 0 insertions, 0 deletions)"
        in (tmp_path / "one.dir" / "report.html").read_text()
    )


def test_variants_need_a_directory_and_cleaning(dbg, tmp_path):
    code, _out, err = dbg("assemble", *UNPAIRED, "--keep-variants")
    assert code == 2
    assert "--keep-variants" in err
    assert "--outdir" in err
    code, _out, err = dbg("assemble", *UNPAIRED, "--keep-variants", "--no-clean", "-o", tmp_path / "x")
    assert code == 2
    assert "--keep-variants with --no-clean: no bubbles are popped" in err
