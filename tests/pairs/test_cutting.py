"""Cut unitigs in pieces."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.pairs.cutting import cut_unitigs
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases, with_repeat
from tests.pairs.planted import graph_of, texts_of

K = 31


def edges_of(graph):
    """Edges by the last and first k - 1 bases of their ends."""
    texts = [one for text in texts_of(graph) for one in (text, reverse_complement(text))]
    tails = np.repeat(np.arange(graph.graph.n_vertices), np.diff(graph.graph.row_ptr))
    return [(texts[tail], texts[head]) for tail, head in zip(tails.tolist(), graph.graph.col.tolist(), strict=True)]


def assert_consistent(graph):
    assert all(tail[-(K - 1) :] == head[: K - 1] for tail, head in edges_of(graph))
    assert (graph.n_kmers == np.diff(graph.sequences.offsets) - K + 1).all()
    assert (graph.kmer_counts >= graph.n_kmers).all()


def test_pieces_have_the_bases_around_cuts(tmp_path):
    graph = graph_of([random_bases(5000, 1)], tmp_path, K)
    (text,) = texts_of(graph)
    cut = cut_unitigs(graph, {0: [(3000, 3100), (1000, 1000), (4000, 4010)]})
    assert texts_of(cut.graph) == [text[:1000], text[1000:3000], text[3000:3100], text[3100:4000], text[4010:]]
    assert cut.graph.graph.n_edges == 0
    assert cut.starts.tolist() == [0, 1000, 3000, 3100, 4010]
    assert (cut.firsts.tolist(), cut.lasts.tolist()) == ([0], [4])
    assert (cut.piece_before(0, 1000), cut.piece_behind(0, 1000)) == (0, 1)
    assert (cut.piece_before(0, 4000), cut.piece_behind(0, 4010)) == (3, 4)
    assert cut.piece_before(0, 4010) == -1
    assert_consistent(cut.graph)


def test_ends_keep_their_links(tmp_path):
    graph = graph_of([with_repeat(6000, 300, (2000, 4000))], tmp_path, K)
    texts = texts_of(graph)
    longest = max(range(len(texts)), key=lambda i: len(texts[i]))
    cut = cut_unitigs(graph, {longest: [(500, 510)]})
    assert len(cut.graph) == len(graph) + 1
    assert cut.graph.graph.n_edges == graph.graph.n_edges
    assert_consistent(cut.graph)
    others = [text for number, text in enumerate(texts) if number != longest]
    assert [text for text in texts_of(cut.graph) if text in texts] == others


def test_links_of_ends_shorter_than_k_are_removed(tmp_path):
    graph = graph_of([with_repeat(6000, 300, (2000, 4000))], tmp_path, K)
    texts = texts_of(graph)
    repeat = min(range(len(texts)), key=lambda i: len(texts[i]))
    cut = cut_unitigs(graph, {repeat: [(K - 1, K + 5)]})
    assert len(cut.graph) == len(graph)
    assert cut.firsts[repeat] == -1
    assert 0 < cut.graph.graph.n_edges < graph.graph.n_edges
    assert_consistent(cut.graph)


def test_pieces_of_a_circle_are_linked_at_its_start(tmp_path):
    genome = random_bases(3000, 5)
    graph = graph_of([genome + genome[: K - 1]], tmp_path, K)
    assert graph.circular.tolist() == [True]
    cut = cut_unitigs(graph, {0: [(1000, 1020)]})
    assert cut.graph.circular.tolist() == [False, False]
    assert cut.graph.graph.n_edges == 2
    assert_consistent(cut.graph)


def test_nothing_is_cut_without_cuts(tmp_path):
    graph = graph_of([with_repeat(6000, 300, (2000, 4000))], tmp_path, K)
    cut = cut_unitigs(graph, {}).graph
    assert texts_of(cut) == texts_of(graph)
    assert np.array_equal(cut.sequences.bases, graph.sequences.bases)
    assert cut.graph.col.tolist() == graph.graph.col.tolist()
    assert cut.kmer_counts.tolist() == graph.kmer_counts.tolist()
