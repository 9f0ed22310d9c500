"""DNA in which each word or its reverse complement is."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.sequences.both_strands import BothStrandsSequence, repeated_words, reverse_complements
from tests.naive.kmers import reverse_complement

CPU = backends.host()


def made(order):
    sequence = BothStrandsSequence(order, CPU, 1 << 30)
    return "".join("ACGT"[code] for code in sequence.codes), sequence


@pytest.mark.parametrize("order", range(1, 9))
def test_each_word_or_its_complement_is_there(order):
    text, sequence = made(order)
    around = (text * order)[: len(text) + order - 1]
    windows = [around[i : i + order] for i in range(len(text))]
    classes = [min(window, reverse_complement(window)) for window in windows]
    assert len(set(classes)) == sequence.n_words == (4**order + (0 if order % 2 else 4 ** (order // 2))) // 2
    assert text.startswith("A" * order) or order == 1
    if order % 2:
        assert len(classes) == sequence.n_words


@pytest.mark.parametrize("order", [2, 4, 6])
def test_no_closed_walk_is_shorter(order):
    """Where walks end, ways to where others begin must be added; a perfect matching of least weight is the least."""
    words = np.arange(4**order)
    words = words[words <= reverse_complements(words, order)]
    own = words[words == reverse_complements(words, order)]
    spelled = ["".join("ACGT"[word >> 2 * i & 3] for i in range(order - 1, -1, -1)) for word in own.tolist()]
    graph = nx.Graph()
    for (i, one), (j, other) in itertools.combinations(enumerate(spelled), 2):
        end, start = one[1:], other[:-1]
        shared = next(m for m in range(order - 1, -1, -1) if end[len(end) - m :] == start[:m])
        graph.add_edge(i, j, weight=order - 1 - shared)
    matched = nx.min_weight_matching(graph)
    assert len(repeated_words(words, order)) == sum(graph[i][j]["weight"] for i, j in matched)


def test_complements():
    words = np.array([0b00_01_10_11, 0b11_11_11_00, 0])
    assert reverse_complements(words, 4).tolist() == [0b00_01_10_11, 0b11_00_00_00, 255]


def test_lack_of_memory_is_told_before():
    for order in (12, 100):
        with pytest.raises(OutOfMemoryError, match=f"a graph of 4\\^{order} words"):
            BothStrandsSequence(order, CPU, 1 << 20)
