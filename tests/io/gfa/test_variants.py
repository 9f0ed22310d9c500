"""Variants as a table and as a graph."""

from __future__ import annotations

import io
import itertools

import pytest

from debruijn_gpu.assembly.variants import Variant
from debruijn_gpu.io.gfa.contigs import read_gfa_contigs
from debruijn_gpu.io.gfa.variants import variants_tsv, write_variants_gfa
from tests.assembly.examples import contigs_of
from tests.naive.kmers import reverse_complement

CONTIG = b"ACGTTGCATTCAGGATACCA"
SUBSTITUTION = Variant(0, 9, b"T", b"G", 12.25, 8.0, 5)
INSERTION = Variant(0, 11, b"A", b"ATT", 12.0, 9.0, 5)
DELETION = Variant(0, 12, b"GGA", b"G", 11.0, 7.0, 5)


def written(variants, contigs=None):
    stream = io.BytesIO()
    write_variants_gfa(stream, contigs_of([CONTIG], 5) if contigs is None else contigs, variants)
    return stream.getvalue().decode()


def records(text):
    """Segments by name, and links and the paths as lists of fields."""
    lines = [line.split("\t") for line in text.splitlines()]
    segments = {line[1]: line[2] for line in lines if line[0] == "S"}
    return segments, [line[1:] for line in lines if line[0] == "L"], [line[1:] for line in lines if line[0] == "P"]


def test_table():
    assert variants_tsv([SUBSTITUTION, INSERTION]).decode() == (
        "contig\tposition\treference\talternative\treference_depth\talternative_depth\tk\n"
        "contig_1\t10\tT\tG\t12.2\t8.0\t5\n"
        "contig_1\t12\tA\tATT\t12.0\t9.0\t5\n"
    )


def test_contigs_without_variants_are_whole():
    text = written([], contigs_of([CONTIG, b"CACCATT"], 5, links=[(0, 2)]))
    segments, links, paths = records(text)
    assert segments == {"1": CONTIG.decode(), "2": "CACCATT"}
    assert links == [["1", "+", "2", "+", "4M"]]
    assert paths == [["contig_1", "1+", "*"], ["contig_2", "2+", "*"]]


@pytest.mark.parametrize(
    ("variant", "other"),
    [(SUBSTITUTION, "ACGTTGCATGCAGGATACCA"), (INSERTION, "ACGTTGCATTCATTGGATACCA"), (DELETION, "ACGTTGCATTCAGTACCA")],
)
def test_both_alleles_are_paths(variant, other):
    segments, links, ((_name, path, _overlap),) = records(written([variant]))
    steps = [step[:-1] for step in path.split(",")]
    assert "".join(segments[step] for step in steps) == CONTIG.decode()
    assert all([tail, "+", head, "+", "0M"] in links for tail, head in itertools.pairwise(steps))
    follow = {step: [link[2] for link in links if link[0] == step] for step in segments}

    def spelled(step):
        return [segments[step] + rest for head in follow[step] for rest in spelled(head)] or [segments[step]]

    assert sorted(spelled(steps[0])) == sorted([CONTIG.decode(), other])


def test_alleles_have_their_depths():
    lines = written([SUBSTITUTION]).splitlines()
    assert "S\t1.2\tT\tLN:i:1\tDP:f:12.25" in lines
    assert "S\tv1\tG\tLN:i:1\tDP:f:8.00" in lines


def test_overlapping_variants():
    segments, links, _paths = records(written([SUBSTITUTION, Variant(0, 9, b"TCA", b"GG", 5, 5, 5)]))
    assert segments["v2"] == "GG"
    assert ["v2", "+", "1.4", "+", "0M"] in links


def test_links_of_contigs_overlap_as_before():
    """Contigs are cut outside of the bases by which they overlap."""
    other = b"CCATTGACATGCA"
    for at in range(len(CONTIG)):
        variant = Variant(0, at, CONTIG[at : at + 1], b"A" if CONTIG[at : at + 1] != b"A" else b"C", 5, 5, 5)
        segments, links, _paths = records(written([variant], contigs_of([CONTIG, other], 5, links=[(0, 2), (1, 3)])))
        between = [link for link in links if link[4] == "4M"]
        assert len(between) == 2
        for tail, tail_strand, head, head_strand, _overlap in between:
            ends = [
                segments[name] if strand == "+" else reverse_complement(segments[name])
                for name, strand in ((tail, tail_strand), (head, head_strand))
            ]
            assert min(map(len, ends)) >= 4
        assert ("v1" in segments) == (4 <= at < len(CONTIG) - 4)


def test_circular_contigs_are_closed():
    text = written([SUBSTITUTION], contigs_of([CONTIG], 5, circular=[0]))
    assert ["1.3", "+", "1.1", "+", "0M"] in records(text)[1]


def test_the_graph_can_be_read(tmp_path):
    path = tmp_path / "x.gfa"
    path.write_text(written([SUBSTITUTION, INSERTION]))
    assert len(read_gfa_contigs(str(path)).names) == 6
