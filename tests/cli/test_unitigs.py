"""`dbg unitigs` through its entry point."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from debruijn_gpu.run.plain_text import counted
from tests.naive import kmers as naive
from tests.naive.kmers import reverse_complement
from tests.naive.trails import fewest_strings

READS = Path(__file__).parents[2] / "data" / "phix174_R1.fastq.gz"
HEADER = re.compile(r">(\d+) LN:i:(\d+) KC:i:(\d+) km:f:(\d+\.\d)  ((?: L:[+-]:\d+:[+-])*)")


@pytest.fixture(scope="module")
def counts():
    """31-mers of the reads."""
    return naive.count(gzip.decompress(READS.read_bytes()).decode().split("\n")[1::4], 31)


@pytest.fixture
def raw(dbg) -> list[tuple[tuple[str, ...], str]]:
    """Fields of the header and sequence of the unitigs of all 31-mers."""
    code, out, _err = dbg("unitigs", READS, "--min-count", 1, "--no-clean")
    lines = out.splitlines()
    assert code == 0
    return [
        (HEADER.fullmatch(header).groups(), sequence) for header, sequence in zip(lines[::2], lines[1::2], strict=True)
    ]


def test_raw_graph(raw, counts):
    assert {sequence for _fields, sequence in raw} == naive.unitigs(sorted(counts))
    for i, ((number, length, kmer_count, mean, _links), sequence) in enumerate(raw):
        kmers = naive.count([sequence], 31)
        total = sum(counts[kmer] for kmer in kmers)
        assert (int(number), int(length), int(kmer_count)) == (i, len(sequence), total)
        assert mean == f"{total / len(kmers):.1f}"


def test_links_of_headers_are_all_overlaps(raw):
    oriented = {(i, strand): s for i, (_fields, sequence) in enumerate(raw)
                for strand, s in (("+", sequence), ("-", reverse_complement(sequence)))}  # fmt: skip
    starts: dict[str, set[tuple[int, str]]] = {}
    for end, sequence in oriented.items():
        starts.setdefault(sequence[:30], set()).add(end)
    expected = {(a, b) for a, sequence in oriented.items() for b in starts.get(sequence[-30:], ())}
    listed = [
        ((i, own), (int(number), strand))
        for i, (fields, _sequence) in enumerate(raw)
        for own, number, strand in (link.split(":")[1:] for link in fields[4].split())
    ]
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


def test_gfa_is_the_same_graph(dbg, raw):
    code, out, _err = dbg("unitigs", READS, "--min-count", 1, "--no-clean", "--format", "gfa")
    lines = [line.split("\t") for line in out.splitlines()]
    assert code == 0
    assert [line[2] for line in lines if line[0] == "S"] == [sequence for _fields, sequence in raw]
    assert {line[5] for line in lines if line[0] == "L"} == {"30M"}
    links = {(int(a) - 1, x, int(b) - 1, y) for _l, a, x, b, y, _m in (line for line in lines if line[0] == "L")}
    flip = {"+": "-", "-": "+"}
    both = links | {(b, flip[y], a, flip[x]) for a, x, b, y in links}
    assert len(both) == sum(fields[4].count("L:") for fields, _sequence in raw)


@pytest.fixture(scope="module")
def edges():
    """32-mers of the reads."""
    return naive.count(gzip.decompress(READS.read_bytes()).decode().split("\n")[1::4], 32)


def test_edge_centric_graph(dbg, counts, edges, raw):
    """Both formats hold the unitigs and links of brute force, fewer or longer than those of all overlaps."""
    code, out, _err = dbg("unitigs", READS, "--min-count", 1, "--no-clean", "--edge-centric")
    lines = out.splitlines()
    sequences = lines[1::2]
    assert code == 0
    assert set(sequences) == naive.unitigs(sorted(counts), edges) != {sequence for _fields, sequence in raw}
    for header, sequence in zip(lines[::2], sequences, strict=True):
        fields = HEADER.fullmatch(header).groups()
        assert int(fields[2]) == sum(counts[kmer] for kmer in naive.count([sequence], 31))
        for link in fields[4].split():
            _l, own, number, strand = link.split(":")
            other = sequences[int(number)] if strand == "+" else reverse_complement(sequences[int(number)])
            here = sequence if own == "+" else reverse_complement(sequence)
            assert here[-30:] == other[:30]
            assert naive.canonical(here[-31:] + other[30]) in edges
    gfa = dbg("unitigs", READS, "--min-count", 1, "--no-clean", "--edge-centric", "--format", "gfa")[1].splitlines()
    assert [line.split("\t")[2] for line in gfa if line[0] == "S"] == sequences


def test_edge_centric_graph_of_frequent_kmers(dbg, counts, edges):
    """A (k+1)-mer need occur once."""
    _code, out, _err = dbg("unitigs", READS, "--min-count", 4, "--no-clean", "--edge-centric")
    kept = sorted(kmer for kmer, n in counts.items() if n >= 4)
    assert set(out.splitlines()[1::2]) == naive.unitigs(kept, edges)


def test_edge_centric_graph_is_cleaned_to_the_genome(dbg):
    code, out, err = dbg("unitigs", READS, "--edge-centric", "-v")
    assert code == 0
    assert out.splitlines()[0].startswith(">0 LN:i:5416 ")
    assert out == dbg("unitigs", READS)[1]
    assert "occurring edges" in err


def test_edge_centric_eulertigs(dbg, counts, edges):
    options = ("--min-count", 1, "--no-clean", "--edge-centric", "--tigs", "eulertigs")
    code, out, err = dbg("unitigs", READS, *options)
    strings = out.splitlines()[1::2]
    assert code == 0
    assert "can be no fewer" not in err
    assert naive.count(strings, 31) == dict.fromkeys(counts, 1)
    assert set(naive.count(strings, 32)) <= set(edges)
    assert len(strings) < len(naive.unitigs(sorted(counts), edges))


def test_edge_centric_graph_of_reads_without_longer_kmers(dbg, tmp_path):
    (tmp_path / "kmers").write_text("ACGTT\nCGTTG\nGTTGC\n")
    code, out, _err = dbg("unitigs", tmp_path / "kmers", "-k", 5, "--min-count", 1, "--no-clean", "--edge-centric")
    assert code == 0
    assert sorted(out.splitlines()[1::2]) == ["AACGT", "CAACG", "GCAAC"]
    (tmp_path / "kmers").write_text("ACGTT\nCGTTGNA\nGTTGCA\n")
    out = dbg("unitigs", tmp_path / "kmers", "-k", 5, "--min-count", 1, "--no-clean", "--edge-centric")[1]
    assert sorted(out.splitlines()[1::2]) == ["AACGT", "CAACG", "GTTGCA"]


def test_edge_centric_graph_of_too_long_kmers(dbg):
    code, out, err = dbg("unitigs", READS, "-k", 255, "--edge-centric")
    assert (code, out) == (2, "")
    assert "k is 255 with --edge-centric" in err


def test_min_count(dbg, counts):
    _code, out, _err = dbg("unitigs", READS, "--min-count", 4, "--no-clean")
    kept = {kmer for kmer, n in counts.items() if n >= 4}
    assert set(out.splitlines()[1::2]) == naive.unitigs(sorted(kept))


def test_clean_graph_of_a_circular_contig_repeats_its_start(dbg):
    code, out, err = dbg("unitigs", READS)
    header, sequence = out.splitlines()
    assert code == 0
    assert header.startswith(">0 LN:i:5416 ")
    assert header.endswith("   L:+:0:+ L:-:0:-")
    assert sequence[:30] == sequence[-30:]
    assert "1 unitig, 5,416 bp, 1 link" in err


@pytest.mark.parametrize("name", ["graph.fa", "graph.fa.gz"])
def test_output_file(dbg, tmp_path, name):
    expected = dbg("unitigs", READS, "-q")[1]
    assert dbg("unitigs", READS, "-q", "-o", tmp_path / name) == (0, "", "")
    data = (tmp_path / name).read_bytes()
    assert (gzip.decompress(data) if name.endswith("gz") else data).decode() == expected
    assert len(list(tmp_path.iterdir())) == 1


def test_unknown_format(dbg):
    code, out, err = dbg("unitigs", READS, "--format", "dot")
    assert (code, out) == (2, "")
    assert "choose one of fasta, gfa" in err


@pytest.mark.parametrize("min_count", [1, 4])
def test_eulertigs_hold_each_kmer_once_in_the_fewest_strings(dbg, counts, min_count):
    code, out, err = dbg("unitigs", READS, "--min-count", min_count, "--no-clean", "--tigs", "eulertigs")
    lines = out.splitlines()
    strings = lines[1::2]
    kept = {kmer: n for kmer, n in counts.items() if n >= min_count}
    assert code == 0
    assert naive.count(strings, 31) == dict.fromkeys(kept, 1)
    assert len(strings) == fewest_strings(list(kept))
    assert strings == sorted(strings, key=lambda s: (-len(s), s))
    assert strings == [naive.canonical(s) for s in strings]
    for i, (header, sequence) in enumerate(zip(lines[::2], strings, strict=True)):
        total = sum(kept[kmer] for kmer in naive.count([sequence], 31))
        assert header.rstrip() == f">{i} LN:i:{len(sequence)} KC:i:{total} km:f:{total / (len(sequence) - 30):.1f}"
    assert err.endswith(f"] {counted(len(strings), 'eulertig')}, {len(kept) + 30 * len(strings):,} bp\n")


def test_eulertig_of_a_circular_genome_is_cut_open(dbg):
    unitig, eulertig = (dbg("unitigs", READS, "--tigs", tigs)[1].splitlines() for tigs in ("unitigs", "eulertigs"))
    assert eulertig[1] == unitig[1]
    assert eulertig[0] == unitig[0].split("  ")[0] + "  "


def test_eulertigs_do_not_depend_on_threads(dbg):
    once, twice = (
        dbg("unitigs", READS, "--min-count", 1, "--no-clean", "--tigs", "eulertigs", "-t", n)[1] for n in (1, 2)
    )
    assert once == twice


@pytest.mark.parametrize("k", [3, 15, 63, 127, 255])
def test_eulertigs_of_any_k(dbg, tmp_path, k):
    reads = gzip.decompress(READS.read_bytes()).decode().split("\n")[1::4][:200]
    (tmp_path / "reads.fa").write_text("".join(f">r\n{read}\n" for read in reads))
    _code, out, _err = dbg(
        "unitigs", tmp_path / "reads.fa", "-k", k, "--min-count", 1, "--no-clean", "--tigs", "eulertigs"
    )
    kmers = naive.count(reads, k)
    assert naive.count(out.splitlines()[1::2], k) == dict.fromkeys(kmers, 1)
    assert len(out.splitlines()) == 2 * fewest_strings(list(kmers))


@pytest.mark.parametrize(
    ("options", "what", "fix"),
    [
        (["--tigs", "eulertigs", "--format", "gfa"], "have no links", "write them as fasta"),
        (["--tigs", "matchtigs"], "no such strings", "choose one of unitigs, eulertigs"),
    ],
)
def test_tigs_that_cannot_be(dbg, options, what, fix):
    code, out, err = dbg("unitigs", READS, *options)
    assert (code, out) == (2, "")
    assert what in err.splitlines()[0]
    assert fix in err.splitlines()[1]
