"""`dbg map` through its entry point: alignments are checked by spelling their paths."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from tests.helpers import random_sequence
from tests.naive import alignments as naive
from tests.naive.kmers import reverse_complement

LENGTH = 100


def fastq(reads):
    return "".join(f"@{name} comment\n{bases}\n+\n{'I' * len(bases)}\n" for name, bases in reads.items())


def with_errors(rng, read, n):
    letters = list(read)
    for at in rng.choice(len(read), n, replace=False):
        letters[at] = "ACGT"["ACGT".index(letters[at]) - 1]
    return "".join(letters)


@pytest.fixture(scope="module")
def genome():
    """Two genomes of one species: a repeat of 200 bases, and single-base variants that make bubbles."""
    rng = np.random.default_rng(2)
    repeat = random_sequence(rng, 200)
    first = random_sequence(rng, 1500) + repeat + random_sequence(rng, 900) + repeat + random_sequence(rng, 1200)
    return first, with_errors(rng, first, 12)


@pytest.fixture(scope="module")
def truth(genome):
    """Reads of both strands with the genome, position and strand of each; every fifth one has errors."""
    rng = np.random.default_rng(3)
    found = {}
    for i in range(900):
        which, start = int(rng.integers(2)), int(rng.integers(len(genome[0]) - LENGTH + 1))
        read = genome[which][start : start + LENGTH]
        read = with_errors(rng, read, int(rng.integers(1, 4))) if i % 5 == 0 else read
        is_reverse = bool(rng.integers(2))
        found[f"read{i}"] = (reverse_complement(read) if is_reverse else read, which, start, is_reverse)
    return found


@pytest.fixture
def place(tmp_path, monkeypatch, genome, truth):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reads.fq").write_text(fastq({name: row[0] for name, row in truth.items()}))
    (tmp_path / "genome.fa").write_text(f">g1 first\n{genome[0]}\n")
    (tmp_path / "both.fa").write_text(f">g1\n{genome[0]}\n>g2\n{genome[1]}\n")
    return tmp_path


def mapped(dbg, *args):
    code, out, err = dbg("map", *args)
    assert code == 0, err
    return naive.parse(out), err


def reads_of(truth):
    return {name: row[0] for name, row in truth.items()}


@pytest.mark.parametrize("k", [21, 31, 55])
def test_paths_spell_what_is_aligned(dbg, place, truth, k):
    assert dbg("unitigs", "-k", k, "--no-clean", "--min-count", 1, "both.fa", "-o", "graph.gfa")[0] == 0
    found, _err = mapped(dbg, "reads.fq", "graph.gfa")
    segments, overlaps = naive.parse_gfa((place / "graph.gfa").read_text())
    reads = reads_of(truth)
    for alignment in found:
        assert alignment.strand == "+"
        naive.check(alignment, reads[alignment.name], naive.spell(alignment.path, segments, overlaps))
    assert any(len(naive.steps_of(alignment.path)) > 2 for alignment in found)
    whole = {alignment.name for alignment in found if alignment.n_matches == LENGTH}
    placed = {alignment.name for alignment in found}
    exact = {name for i, name in enumerate(reads) if i % 5}
    assert exact & placed <= whole
    assert len(placed) > 0.93 * len(reads)


def test_positions_on_contigs_are_true(dbg, place, truth, genome):
    found, err = mapped(dbg, "reads.fq", "genome.fa")
    for alignment in found:
        read, _which, start, is_reverse = truth[alignment.name]
        naive.check(alignment, read, genome[0])
        assert alignment.path == "g1"
        assert alignment.strand == "+-"[is_reverse]
        offset = LENGTH - alignment.end if is_reverse else alignment.start
        assert alignment.path_start == start + offset
    unique = {
        name
        for i, (name, (_read, which, start, _is_reverse)) in enumerate(truth.items())
        if i % 5 and which == 0 and not any(at <= start <= at + 200 - LENGTH for at in (1500, 2600))
    }
    assert {alignment.name for alignment in found} >= unique
    assert f"{len(found)} of 900 reads placed" in err


def test_order_and_names_are_those_of_the_reads(dbg, place, truth):
    found, _err = mapped(dbg, "reads.fq", "genome.fa")
    names = [alignment.name for alignment in found]
    assert names == sorted(names, key=list(truth).index)


@pytest.mark.slow
def test_output_is_independent_of_blocks_and_threads(dbg, place, truth, monkeypatch):
    reads = list(reads_of(truth).items())
    (place / "r1.fq").write_text(fastq({f"{name}/1": read for name, read in reads[0::2]}))
    (place / "r2.fq.gz").write_bytes(gzip.compress(fastq({f"{name}/2": read for name, read in reads[1::2]}).encode()))
    pairs = [f"p{i // 2}/{i % 2 + 1}" for i in range(len(reads))]
    for mate in (0, 1):
        chosen = {pairs[i]: reads[i][1] for i in range(mate, len(reads), 2)}
        (place / f"m{mate + 1}.fq").write_text(fastq(chosen))
    (place / "both.fq").write_text(fastq({pairs[i]: reads[i][1] for i in range(len(reads))}))
    (place / "reads.fa").write_text("".join(f">{name}\n{read}\n" for name, read in reads))
    (place / "long.fa").write_text(f">long\n{'A' * 3000}{reads[3][1]}\n>short\nACGT\n>next\n{reads[5][1]}\n")
    (place / "reads.txt").write_text("".join(f"{read}\n" for _name, read in reads))
    assert dbg("unitigs", "--no-clean", "--min-count", 1, "both.fa", "-o", "graph.gfa")[0] == 0
    inputs = {
        "single": ["reads.fq"],
        "fasta": ["reads.fa", "long.fa", "--min-share", 0],
        "lines": ["reads.txt"],
        "pairs": ["-1", "m1.fq", "-2", "m2.fq"],
        "turns": ["--12", "both.fq"],
    }
    outputs = {}
    for name, files in inputs.items():
        code, outputs[name], _err = dbg("map", *files, "graph.gfa")
        assert code == 0
    for block_bytes in (500, 4000):
        for threads in (1, 2):
            monkeypatch.setattr("debruijn_gpu.backends.reads.cpu.block_bytes", block_bytes)
            for name, files in inputs.items():
                assert dbg("map", *files, "graph.gfa", "-t", threads)[1] == outputs[name], name
    assert outputs["pairs"] == outputs["turns"]
    assert "\nlong\t3100\t3000\t3100\t" in outputs["fasta"]
    assert outputs["lines"].startswith("sequence_1\t")


def test_gaf_of_contigs_has_paths_of_one_contig(dbg, place):
    gaf, _err = mapped(dbg, "reads.fq", "genome.fa", "--format", "gaf")
    paf, _err = mapped(dbg, "reads.fq", "genome.fa")
    assert {alignment.path for alignment in gaf} == {">g1", "<g1"}
    assert [(a.name, a.start, a.end, a.n_matches) for a in gaf] == [(a.name, a.start, a.end, a.n_matches) for a in paf]


def test_paf_of_a_graph_has_single_segments(dbg, place, truth):
    assert dbg("unitigs", "--no-clean", "--min-count", 1, "both.fa", "-o", "graph.gfa")[0] == 0
    segments, _overlaps = naive.parse_gfa((place / "graph.gfa").read_text())
    found, err = mapped(dbg, "reads.fq", "graph.gfa", "--format", "paf")
    for alignment in found:
        naive.check(alignment, truth[alignment.name][0], segments[alignment.path])
    assert "with less than 0.5 of their bases aligned" in err


def test_outputs_by_extension(dbg, place):
    expected = dbg("map", "reads.fq", "genome.fa")[1]
    assert dbg("map", "reads.fq", "genome.fa", "-o", "out.paf.gz")[0] == 0
    assert gzip.decompress((place / "out.paf.gz").read_bytes()).decode() == expected
    assert dbg("map", "reads.fq", "genome.fa", "-o", "out.gaf")[0] == 0
    assert (place / "out.gaf").read_text() == dbg("map", "reads.fq", "genome.fa", "--format", "gaf")[1]
    code, _out, err = dbg("map", "reads.fq", "genome.fa", "-o", "out.sam")
    assert code == 2
    assert "gaf or paf" in err


def gfa(*lines):
    return "".join("\t".join(line.split(" ")) + "\n" for line in ("H VN:Z:1.0", *lines))


@pytest.mark.parametrize("overlap", ["0M", "*", "20M", "20="])
def test_reads_around_the_origin_of_a_circular_segment(dbg, place, overlap):
    circle = random_sequence(np.random.default_rng(4), 400)
    n_shared = int(overlap[:-1] or 0)
    segment = circle + circle[:n_shared]
    (place / "c.gfa").write_text(gfa(f"S c {segment}", f"L c + c + {overlap}"))
    read = (circle * 2)[360:440]
    (place / "r.fa").write_text(f">a\n{read}\n>b\n{reverse_complement(read)}\n")
    found, _err = mapped(dbg, "r.fa", "c.gfa")
    length = 2 * len(segment) - n_shared
    assert [(a.path, a.path_length, a.path_start, a.n_matches) for a in found] == [
        (">c>c", length, 360, 80),
        ("<c<c", length, length - 440, 80),
    ]
    found, _err = mapped(dbg, "r.fa", "c.gfa", "--format", "paf", "--min-share", 0.1)
    assert all(40 <= a.n_matches <= 60 for a in found)
    assert len(found) == 2


def test_overlaps_with_gaps_are_refused(dbg, place):
    (place / "g.gfa").write_text(gfa(f"S a {'ACGT' * 20}", f"S b {'ACCT' * 20}", "L a + b - 10M1I5M"))
    code, out, err = dbg("map", "reads.fq", "g.gfa")
    assert (code, out) == (64, "")
    assert "g.gfa: link from a+ to b-: expected an overlap without gaps such as 30M, 0M or *, got 10M1I5M" in err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.fa", "", "empty"),
        ("none.gfa", "H\tVN:Z:1.0\n", "without a segment"),
        ("star.gfa", "S\ta\t*\tLN:i:50\n", "no sequence"),
        ("twice.fa", ">a\nACGT\n>a\nACGT\n", "expected a new name, got a again"),
        ("unnamed.fa", ">\nACGT\n", "expected a new name, got an empty one"),
    ],
)
def test_faulty_targets(dbg, place, name, content, message):
    (place / name).write_text(content)
    code, out, err = dbg("map", "reads.fq", name)
    assert (code, out) == (64, "")
    assert message in err


def test_names_that_paths_cannot_hold_are_refused_in_gaf_alone(dbg, place, genome):
    (place / "odd.fa").write_text(f">a>b\n{genome[0]}\n")
    assert mapped(dbg, "reads.fq", "odd.fa")[0][0].path == "a>b"
    code, _out, err = dbg("map", "reads.fq", "odd.fa", "--format", "gaf")
    assert code == 64
    assert "a>b" in err


def test_hostile_reads(dbg, place, genome):
    contig = genome[0][100:400]
    (place / "c.fa").write_text(f">c\n{contig[:150].lower()}{contig[150:]}\n>n\n{'N' * 200}\n>tiny\nACG\n")
    read = contig[20:120]
    reads = {
        "longer": genome[0][50:450],
        "ambiguous": f"{read[:50]}NN{read[52:]}",
        "all_ambiguous": "N" * 80,
        "poly_a": "A" * 80,
        "short": contig[:30],
        "shortest": contig[:31],
        "empty": "",
        "ends": "N" * 10 + read[10:] + "RYN",
    }
    (place / "odd.fq").write_text(fastq(reads))
    found, err = mapped(dbg, "odd.fq", "c.fa")
    assert [a.name for a in found] == ["longer", "ambiguous", "shortest", "ends"]
    for alignment in found:
        naive.check(alignment, reads[alignment.name], contig)
    assert (found[0].start, found[0].end, found[0].path_start, found[0].path_end) == (50, 350, 0, 300)
    assert found[1].tags["NM"] == "2"
    assert "4 of 8 reads placed (50.00 %)" in err
    assert "2 not placed: shorter than 31 bases" in err
    assert "2 not placed: without a 31-mer that occurs once in the segments" in err


def test_reads_that_nothing_places(dbg, place):
    (place / "other.fa").write_text(f">o\n{random_sequence(np.random.default_rng(9), 500)}\n")
    code, out, err = dbg("map", "reads.fq", "other.fa")
    assert (code, out) == (0, "")
    assert "0 of 900 reads placed (0.00 %)" in err


def test_insertions_end_an_alignment(dbg, place, genome):
    read = genome[0][300:360] + "ACACA" + genome[0][360:400]
    (place / "i.fa").write_text(f">i\n{read}\n")
    ((alignment),) = mapped(dbg, "i.fa", "genome.fa")[0]
    assert (alignment.start, alignment.path_start) == (0, 300)
    assert 60 <= alignment.end <= 65
    assert mapped(dbg, "i.fa", "genome.fa", "--min-share", 0.9)[0] == []


def test_the_graph_of_an_assembly_directory_is_read(dbg, place, genome):
    assert dbg("assemble", "-k", 31, "--min-count", 1, "genome.fa", "-o", "asm")[0] == 0
    graph = dbg("map", "reads.fq", "asm")[1]
    assert graph == dbg("map", "reads.fq", "asm/assembly_graph.gfa")[1]
    assert dbg("map", "reads.fq", "asm", "--format", "paf")[1] == dbg("map", "reads.fq", "asm/contigs.fasta")[1]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["genome.fa"], 64),
        (["-", "-"], 2),
        (["reads.fq", "missing.gfa"], 65),
        (["reads.fq", "genome.fa", "--min-share", "1.5"], 2),
        (["reads.fq", "genome.fa", "--format", "sam"], 2),
        (["reads.fq", "genome.fa", "-o", "reads.fq"], 2),
        (["reads.fq", "reads.fq"], 64),
        (["genome.gfa", "genome.fa"], 65),
    ],
)
def test_faulty_arguments(dbg, place, args, code):
    found, out, err = dbg("map", *args)
    assert (found, out) == (code, ""), err
