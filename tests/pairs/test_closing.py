"""Fillings of gaps as unitigs of the graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.assembly.gap_filling import Filling
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.pairs import closing
from debruijn_gpu.pairs.closing import close_gaps
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link
from debruijn_gpu.pairs.placed_reads import LoosePairs
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, unpack
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases
from tests.pairs.layouts import graph_of

K = 31
RUN = RunOptions(threads=1)


def unitigs_of(*sequences, edges=()):
    packed = batch_of(list(sequences))
    n_kmers = np.array([len(one) - K + 1 for one in sequences], np.int64)
    return UnitigGraph(
        K,
        graph_of(set(edges), len(sequences)),
        PackedSequences(packed.offsets, packed.bases),
        np.zeros(len(sequences), np.bool_),
        n_kmers,
        10 * n_kmers,
    )


def closed(graph, tail, head, filling, monkeypatch, others=()):
    """Close gaps by a given filling: that of a join, and those of others."""
    monkeypatch.setattr(closing, "fill_gaps", lambda gaps, threads: [filling] * len(gaps))
    link = Link(tail, head, 9, 20.0, 5.0, 1.0, 9.0, ())
    back = Link(head ^ 1, tail ^ 1, 9, 20.0, 5.0, 1.0, 9.0, ())
    found = {tail: Join(link, None), head ^ 1: Join(back, None)} | dict(others)
    lengths = np.repeat(np.diff(graph.sequences.offsets), 2)
    ends = LinkGraph(K, lengths, np.diff(graph.graph.row_ptr) > 0)
    backend = backends.load(RUN)
    return close_gaps(graph, found, EndReads(np.array(sorted(found)), [], ends, [], backend), ends, RUN, backend)


def spelled(graph, vertices):
    """Sequence of a walk; neighbours are linked and share k - 1 bases."""
    texts = unpack(graph.sequences)
    texts = [reverse_complement(texts[v >> 1]) if v & 1 else texts[v >> 1] for v in vertices]
    row_ptr, col = graph.graph.row_ptr, graph.graph.col
    for (one, other), (before, behind) in zip(pairwise(vertices), pairwise(texts), strict=True):
        assert other in col[row_ptr[one] : row_ptr[one + 1]]
        assert before[-(K - 1) :] == behind[: K - 1]
    return texts[0] + "".join(text[K - 1 :] for text in texts[1:])


def filling_of(text="", overlap=0, left=0, right=0, kind="reads"):
    codes = np.array(["ACGT".index(base) for base in text], np.uint8)
    return Filling(codes, overlap, left, right, kind, 3, 21)


@pytest.fixture(params=[(0, 0), (0, 1), (1, 0), (1, 1)], ids=str)
def strands(request):
    return request.param


def stored(text, strand):
    return reverse_complement(text) if strand else text


@pytest.mark.parametrize("n_bases", [0, 1, 20, 100])
def test_filled_gap_is_a_unitig(n_bases, strands, monkeypatch):
    left, middle, right = random_bases(90, 1), random_bases(n_bases, 2), random_bases(77, 3)
    graph = unitigs_of(stored(left, strands[0]), stored(right, strands[1]))
    tail, head = strands[0], 2 + strands[1]
    graph, found, (closure,) = closed(graph, tail, head, filling_of(middle), monkeypatch)
    assert closure.vertex >> 1 == 2
    assert {join.path for join in found.values()} == {(closure.vertex,), (closure.vertex ^ 1,)}
    first = closure.join.link.tail
    whole = left + middle + right
    if first != tail:  # the smaller of a join and its reverse complement is closed, here by the same filling
        left, right = reverse_complement(right), reverse_complement(left)
        whole = left + middle + right
    assert spelled(graph, [first, closure.vertex, closure.join.link.head]) == whole
    assert (graph.n_kmers == np.diff(graph.sequences.offsets) - K + 1).all()


@pytest.mark.parametrize("overlap", [10, 29])
def test_overlap_is_a_unitig(overlap, strands, monkeypatch):
    genome = random_bases(200, 4)
    left, right = genome[:100], genome[100 - overlap :]
    graph = unitigs_of(stored(left, strands[0]), stored(right, strands[1]))
    graph, _found, (closure,) = closed(
        graph, strands[0], 2 + strands[1], filling_of(overlap=overlap, kind="overlap"), monkeypatch
    )
    link = closure.join.link
    assert spelled(graph, [link.tail, closure.vertex, link.head]) in (genome, reverse_complement(genome))


def test_overlap_of_k_bases_is_no_filling(monkeypatch):
    graph = unitigs_of(random_bases(90, 1), random_bases(90, 2))
    again, found, closures = closed(graph, 0, 2, filling_of(overlap=K - 1), monkeypatch)
    assert closures == []
    assert again is graph
    assert {join.path for join in found.values()} == {None}


def test_dead_ends_are_trimmed(monkeypatch):
    genome = random_bases(300, 5)
    left, right = genome[:100] + "ACGTA", "TTT" + genome[120:]
    graph = unitigs_of(left, right)
    graph, _found, (closure,) = closed(graph, 0, 2, filling_of(genome[100:120], left=5, right=3), monkeypatch)
    assert spelled(graph, [0, closure.vertex, 2]) == genome
    assert (graph.n_kmers == np.diff(graph.sequences.offsets) - K + 1).all()
    assert (graph.kmer_counts >= graph.n_kmers).all()


def test_counts_of_other_unitigs_stay_where_ends_are_trimmed(monkeypatch):
    """Fewer occurrences than k-mers show that reads do not hold a unitig."""
    genome = random_bases(300, 5)
    graph = unitigs_of(genome[:100] + "ACGTA", genome[120:], random_bases(90, 7))
    graph = replace(graph, kmer_counts=np.array([700, 1500, 8]))
    graph, _found, _closures = closed(graph, 0, 2, filling_of(genome[100:120], left=5), monkeypatch)
    assert graph.kmer_counts[:3].tolist() == [700 * 70 // 75, 1500, 8]


def test_ends_of_reverse_strands_are_trimmed(monkeypatch):
    genome = random_bases(300, 5)
    left, right = genome[:100] + "ACGTA", "TTT" + genome[120:]
    graph = unitigs_of(reverse_complement(left), right)
    graph, _found, (closure,) = closed(graph, 1, 2, filling_of(genome[100:120], left=5, right=3), monkeypatch)
    assert spelled(graph, [1, closure.vertex, 2]) == genome


def test_ends_with_successors_lose_them_where_they_are_trimmed(monkeypatch):
    """Reads of another copy with an error may lead on from an end."""
    genome = random_bases(300, 5)
    left, right = genome[:100] + "ACGTA", genome[120:]
    further = left[-(K - 1) :] + random_bases(20, 3)
    before = random_bases(20, 4) + right[: K - 1]
    graph = unitigs_of(left, right, further, before, edges={(0, 4), (6, 2), (4, 6)})
    graph, _found, (closure,) = closed(graph, 0, 2, filling_of(genome[100:120], left=5), monkeypatch)
    assert spelled(graph, [0, closure.vertex, 2]) == genome
    edges = {(int(tail), int(head)) for tail, head in zip(*graph_edges(graph), strict=True)}
    vertex = closure.vertex
    kept = {(6, 2), (3, 7), (4, 6), (7, 5)}  # all but those of the end that was trimmed
    assert edges == kept | {(0, vertex), (vertex, 2), (vertex ^ 1, 1), (3, vertex ^ 1)}


def test_ends_keep_their_successors_in_paths_of_other_joins(monkeypatch):
    left, right, before = (random_bases(90, seed) for seed in (1, 2, 3))
    left = before[-(K - 1) :] + left
    further = left[-(K - 1) :] + random_bases(20, 4)
    graph = unitigs_of(left, right, further, before, edges={(0, 4), (6, 0)})
    through = {6: Join(Link(6, 4, 9, 90.0, 5.0, 1.0, 9.0, ()), (0,))}
    _graph, _found, closures = closed(graph, 0, 2, filling_of("ACGT", left=5), monkeypatch, through)
    assert closures == []
    _graph, _found, closures = closed(graph, 0, 2, filling_of("ACGT", left=5), monkeypatch)
    assert len(closures) == 1


def test_ends_are_not_trimmed_to_less_than_k(monkeypatch):
    graph = unitigs_of(random_bases(K + 3, 1), random_bases(90, 2))
    _graph, _found, closures = closed(graph, 0, 2, filling_of("ACGT", left=5), monkeypatch)
    assert closures == []


@pytest.mark.parametrize(("n_bases", "n_closed"), [(100, 2), (K + 59, 1), (K + 29, 0)])
def test_two_gaps_leave_k_bases_of_the_unitig_between_them(n_bases, n_closed, monkeypatch):
    graph = unitigs_of(random_bases(200, 1), random_bases(n_bases, 2), random_bases(200, 3))
    links = Link(2, 4, 9, 20.0, 5.0, 1.0, 9.0, ()), Link(5, 3, 9, 20.0, 5.0, 1.0, 9.0, ())
    others = {link.tail: Join(link, None) for link in links}
    filling = filling_of("ACGT", left=30, right=30)
    graph, _found, closures = closed(graph, 0, 2, filling, monkeypatch, others)
    assert len(closures) == n_closed
    assert (graph.n_kmers == np.diff(graph.sequences.offsets) - K + 1).all()
    assert (graph.n_kmers > 0).all()


def test_trims_within_an_overlap_are_part_of_it(monkeypatch):
    genome = random_bases(200, 4)
    left, right = genome[:100], genome[80:]
    graph = unitigs_of(left, right)
    graph, _found, (closure,) = closed(graph, 0, 2, filling_of(overlap=15, left=2, right=3), monkeypatch)
    assert (closure.filling.overlap_bp, closure.filling.left_trim_bp) == (20, 0)
    assert spelled(graph, [0, closure.vertex, 2]) == genome


def test_other_unitigs_and_edges_stay(monkeypatch):
    others = [random_bases(n, n) for n in (64, 33, 31)]
    graph = unitigs_of(random_bases(90, 1), random_bases(77, 2), *others, edges={(4, 6), (6, 6), (8, 9)})
    old = {(int(tail), int(head)) for tail, head in zip(*graph_edges(graph), strict=True)}
    graph, _found, (closure,) = closed(graph, 0, 2, filling_of("ACGT"), monkeypatch)
    assert unpack(graph.sequences)[2:5] == others
    new = {(int(tail), int(head)) for tail, head in zip(*graph_edges(graph), strict=True)}
    vertex = closure.vertex
    assert new - old == {(0, vertex), (vertex, 2), (vertex ^ 1, 1), (3, vertex ^ 1)}
    assert old < new


def graph_edges(graph):
    row_ptr = graph.graph.row_ptr
    return np.repeat(np.arange(len(row_ptr) - 1), np.diff(row_ptr)), graph.graph.col


def test_reads_of_a_gap_fill_it():
    """Mates that point into a gap, or reach into it, spell what is between."""
    genome = random_bases(600, 9)
    left, right = genome[:280], genome[320:]
    graph = unitigs_of(left, right)
    reads, anchors, places = [], [], []
    for number, start in enumerate(range(200, 300, 4)):
        read, mate = genome[start : start + 80], reverse_complement(genome[start + 120 : start + 200])
        reads += [read, mate]
        first = (0, start) if start + K <= 280 else (-1, 0)
        second = (3, 600 - start - 200) if start + 200 - K >= 320 else (-1, 0)
        anchors.append((*first, *first, *second, *second))
        places.append((0, 2 * number, 0, 2 * number + 1))
    loose = LoosePairs(np.array(anchors).T, np.full((2, len(places)), 80), np.array(places).T)
    library = Library(0, "FR", np.array([200]), np.ones(1, np.int64), 200.0, 1.0)
    link = Link(0, 2, 9, 40.0, 2.0, 1.0, 9.0, ())
    back = Link(3, 1, 9, 40.0, 2.0, 1.0, 9.0, ())
    ends = LinkGraph(K, np.repeat(np.diff(graph.sequences.offsets), 2), np.zeros(4, np.bool_))
    backend = backends.load(RUN)
    end_reads = EndReads(np.array([0, 3]), [(library, loose)], ends, [batch_of(reads)], backend)
    found = {0: Join(link, None), 3: Join(back, None)}
    filled, _found, (closure,) = close_gaps(graph, found, end_reads, ends, RUN, backend)
    assert closure.filling.kind == "reads"
    assert spelled(filled, [0, closure.vertex, 2]) == genome


@pytest.mark.parametrize(
    ("n_pairs", "overlap", "n_reads", "is_closed"),
    [(2, 12, 0, True), (1, 12, 0, True), (2, 11, 0, False), (1, 11, 1, True), (2, 0, 0, False), (1, 0, 1, True)],
)
def test_thin_joins_need_reads_or_an_overlap_of_twelve_bases(n_pairs, overlap, n_reads, is_closed, monkeypatch):
    left, right = random_bases(100, 1), random_bases(100, 2)
    sequence = np.empty(0, np.uint8)
    filling = Filling(sequence, overlap, 0, 0, "overlap" if overlap else "reads", n_reads, 0)
    graph = unitigs_of(left, left[-overlap:] * (overlap > 0) + right)
    monkeypatch.setattr(closing, "fill_gaps", lambda gaps, threads: [filling] * len(gaps))
    thin = [Link(tail, head, n_pairs, 0.0, 9.0, 0.2, 9.0, ()) for tail, head in ((0, 2), (3, 1))]
    found = {link.tail: Join(link, None, True) for link in thin}
    ends = LinkGraph(K, np.repeat(np.diff(graph.sequences.offsets), 2), np.zeros(4, np.bool_))
    backend = backends.load(RUN)
    _graph, found, closures = close_gaps(
        graph, found, EndReads(np.array([0, 3]), [], ends, [], backend), ends, RUN, backend
    )
    assert (len(closures) == 1) == (found[0].path is not None) == is_closed


@pytest.mark.parametrize(
    ("overlap", "trims", "is_enough"), [(6, (9, 0), True), (6, (0, 8), False), (0, (20, 0), False)]
)
def test_overlaps_of_thin_joins_with_one_different_base_are_longer(overlap, trims, is_enough):
    join = Join(Link(0, 2, 2, 0.0, 9.0, 0.2, 9.0, ()), None, True)
    filling = Filling(np.empty(0, np.uint8), overlap, *trims, "overlap", 0, 0)
    assert closing._is_enough(filling, join) == is_enough
