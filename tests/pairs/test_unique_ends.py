"""Ends of unitigs whose k-mers occur elsewhere."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.pairs import unique_ends
from debruijn_gpu.pairs.unique_ends import repeated_ends
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import random_bases
from tests.pairs.test_closing import K, unitigs_of

ANCHOR_BP = 15
GENOME = random_bases(4000, 8)
A, B, C = GENOME[:40], GENOME[40:90], GENOME[90:150]


def naive(sequences, edges):
    """Bases of each vertex behind its last unique k-mer, those shared with neighbours left out."""
    words = Counter()
    for text in sequences:
        for start in range(len(text) - ANCHOR_BP + 1):
            word = text[start : start + ANCHOR_BP]
            words[min(word, reverse_complement(word))] += 1
    leads_on = {tail for edge in edges for tail in (edge[0], edge[1] ^ 1)}
    found = []
    for vertex in range(2 * len(sequences)):
        text = sequences[vertex >> 1] if not vertex & 1 else reverse_complement(sequences[vertex >> 1])
        stop = len(text) - (K - ANCHOR_BP if vertex in leads_on else 0)
        ends = range(stop, ANCHOR_BP - 1, -1)
        kmers = [text[end - ANCHOR_BP : end] for end in ends]
        unique = [words[min(word, reverse_complement(word))] == 1 for word in kmers]
        found.append(unique.index(True) if True in unique else len(unique))
    return found


def measured(sequences, edges, backend, k=K):
    graph = replace(unitigs_of(*sequences, edges=edges), k=k).moved(backend.to_device)
    slots = backend.unitigs.index_anchors(graph.sequences.offsets, graph.sequences.bases, ANCHOR_BP)
    return repeated_ends(graph, ANCHOR_BP, slots, backend).tolist()


@pytest.mark.cuda
@pytest.mark.parametrize("edges", [(), ((0, 2),), ((2, 5),)])
def test_ends_are_those_of_the_naive_twin(backend, edges):
    sequences = (A + B[:33], B + A[:4], reverse_complement(B[20:] + C[:20]))
    found = measured(sequences, edges, backend)
    assert found == naive(sequences, edges)
    assert any(found)


@pytest.mark.cuda
def test_unitig_that_occurs_within_another_is_repeated_as_a_whole(backend):
    found = measured((A + B, B), (), backend)
    assert found == [36, 0, 36, 36]


@pytest.mark.cuda
def test_anchors_longer_than_k_end_where_the_unitig_does(backend):
    k = ANCHOR_BP - 6
    sequences = (A, A[1 - k :] + B, B[1 - k :] + C, C[: ANCHOR_BP - 1])
    assert measured(sequences, ((0, 2), (2, 4)), backend, k) == [0] * 8


def test_steps_and_blocks_do_not_matter(monkeypatch):
    backend = backends.host()
    texts = [random_bases(300, 5) + GENOME[:n] for n in (30, 100, 700, 2000)] + [GENOME]
    whole = measured(texts, (), backend)
    assert whole == [min(n, unique_ends._STEPS[-1]) for n in naive(texts, ())]
    monkeypatch.setattr(unique_ends, "_BLOCK", 7)
    assert measured(texts, (), backend) == whole
    monkeypatch.setattr(unique_ends, "_STEPS", (0, 3, 50, 4096))
    assert measured(texts, (), backend) == whole
    monkeypatch.setattr(unique_ends, "_STEPS", (0, 1, 20))
    assert measured(texts, (), backend) == np.minimum(whole, 20).tolist()
