"""FASTA of unitigs with links in their headers, as BCALM 2 and Logan write them, read as a graph."""

from __future__ import annotations

import re

import numpy as np
import pytest

from debruijn_gpu.assembly_dir.reading import read_file
from debruijn_gpu.io.output import open_output
from tests.helpers import first_quick, random_sequence

LOGAN = [
    (">SRR1_0 ka:f:1.7 L:+:1:+ L:-:0:+", "AACCG"),
    (">SRR1_1 ka:f:12.5   L:-:0:-", "CCGTA"),
]


def fasta(records):
    return "".join(f"{header}\n{sequence}\n" for header, sequence in records)


@pytest.fixture
def reads(tmp_path):
    """Reads of a genome with a repeat, whose graph branches."""
    rng = np.random.default_rng(8)
    repeat = random_sequence(rng, 60)
    genome = random_sequence(rng, 200) + repeat + random_sequence(rng, 150) + repeat + random_sequence(rng, 90)
    (tmp_path / "r.fa").write_text(f">a\n{genome}\n>b\n{genome[:150]}\n")
    return tmp_path / "r.fa"


def lines_of(text, kind):
    return [line.split("\t") for line in text.splitlines() if line.startswith(kind)]


@pytest.mark.parametrize("k", first_quick([21, 11, 41]))
@pytest.mark.parametrize("ending", ["fa", "fa.zst"])
@pytest.mark.parametrize("of_logan", [True, False])
def test_links_of_headers_are_those_of_gfa(dbg, tmp_path, reads, k, ending, of_logan):
    unitigs, graph = tmp_path / f"u.{ending}", tmp_path / "u.gfa"
    options = "-k", k, reads, "--min-count", 1, "--no-clean", "-q"
    assert dbg("unitigs", *options, "-o", tmp_path / "u.fa")[0] == 0
    assert dbg("unitigs", *options, "-o", graph)[0] == 0
    text = (tmp_path / "u.fa").read_text()
    if of_logan:
        text = re.sub(r"^>(\d+) .* km", r">SRR9_\1 ka", text, flags=re.MULTILINE)
    (tmp_path / "u.fa").write_text(text)
    if ending != "fa":
        with open_output(unitigs) as stream:
            stream.write(text.encode())
    code, out, err = dbg("graph", unitigs, "--convert", "gfa", "-q")
    assert (code, err) == (0, "")
    expected = graph.read_text()
    assert [fields[2] for fields in lines_of(out, "S")] == [fields[2] for fields in lines_of(expected, "S")]
    assert {fields[5] for fields in lines_of(out, "L")} == {f"{k - 1}M"}
    prefix = "SRR9_" if of_logan else ""
    wanted = {
        (f"{prefix}{int(tail) - 1}", sign, f"{prefix}{int(head) - 1}", other)
        for _l, tail, sign, head, other, _overlap in lines_of(expected, "L")
    }
    flipped = {"+": "-", "-": "+"}
    both = wanted | {(head, flipped[other], tail, flipped[sign]) for tail, sign, head, other in wanted}
    found = {tuple(fields[1:5]) for fields in lines_of(out, "L")}
    assert found <= both
    assert found | {(head, flipped[other], tail, flipped[sign]) for tail, sign, head, other in found} == both


def test_tags_are_kept_and_wrapped_sequences_read(dbg, tmp_path):
    (tmp_path / "u.fa").write_text(
        ">7 LN:i:5 KC:i:6 km:f:2.0 L:+:8:+ other\nAAC\ncg\n>8 LN:i:5 KC:i:3 km:f:1.0\nCCGTA\n"
    )
    code, out, _err = dbg("graph", tmp_path / "u.fa", "--convert", "gfa", "-q")
    assert code == 0
    assert out.splitlines()[1:] == [
        "S\t7\tAACCG\tLN:i:5\tKC:i:6\tkm:f:2.0",
        "S\t8\tCCGTA\tLN:i:5\tKC:i:3\tkm:f:1.0",
        "L\t7\t+\t8\t+\t3M",
    ]


def test_abundances_of_logan_are_depths(dbg, tmp_path):
    (tmp_path / "u.fa").write_text(fasta([(">SRR1_0 ka:f:1.7 L:+:1:+", "AACCG"), (">SRR1_1 ka:f:12.5", "CCGTA")]))
    assert read_file(str(tmp_path / "u.fa")).contigs.kmer_depth.tolist() == [1.7, 12.5]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (LOGAN, "line 1: link L:-:0:+: the sequences do not overlap by 3 bases"),
        ([(">0 ka:f:1 L:+:5:+", "AACCG")], "line 1: link L:+:5:+: there is no such unitig"),
        ([(">0 ka:f:1 L:+:1:+", "AACCG"), (">1 ka:f:1", "TTTTT")], "do not overlap"),
        ([(">0 ka:f:1 L:+:1:x", "AACCG")], "expected a link"),
        ([(">0 LN:i:6 km:f:1", "AACCG")], "LN:i:6, but 5 bases"),
        ([(">a_0 ka:f:1", "AACCG"), (">b_0 ka:f:1", "AACCG")], "unitig 0 is in line 1, too"),
        ([(">0 ka:f:1", "AACCG"), (">", "AACCG")], "expected the name of a unitig"),
    ],
)
def test_faults_are_one_line(dbg, tmp_path, records, message):
    (tmp_path / "u.fa").write_text(fasta(records))
    code, out, err = dbg("graph", tmp_path / "u.fa", "-q")
    assert (code, out) == (64, "")
    assert message in err
    assert err.count("\n") == 2


def test_other_fasta_still_needs_k(dbg, tmp_path):
    (tmp_path / "c.fa").write_text(">contig_1 length=5 kmer_depth=2\nAACCG\n")
    code, _out, err = dbg("graph", tmp_path / "c.fa", "-q")
    assert code == 2
    assert "these are sequences" in err
