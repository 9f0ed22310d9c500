"""Degrees of k-mers, against strings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.graph.branching import kmer_degrees
from debruijn_gpu.kmers.table import KmerTable
from tests.naive import counting as naive
from tests.naive.sequences import encode, reverse_complement

GENOME = "ACGTTGCAACGTACCATTGACGTTTTTTGGATATATCCAACGTGCA"


def table_of(counts: Counter[str], k: int, canonical: bool) -> KmerTable:
    kmers = sorted(counts)
    codes = np.array(encode(kmers, k), np.uint64).reshape(len(kmers), words_per_kmer(k)).T
    return KmerTable(k, np.ascontiguousarray(codes), np.array([counts[x] for x in kmers], np.uint32), canonical)


def degrees(counts: Counter[str], canonical: bool) -> dict[str, tuple[int, int]]:
    nodes = set(counts) | ({reverse_complement(x) for x in counts} if canonical else set())
    return {x: (sum(b + x[:-1] in nodes for b in "ACGT"), sum(x[1:] + b in nodes for b in "ACGT")) for x in counts}


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 8, 32, 33])
def test_degrees_are_numbers_of_extensions_in_the_table(k, canonical):
    counts = naive.count([GENOME, "ATATATTTTT"], k, canonical)
    found = kmer_degrees(table_of(counts, k, canonical), backends.host())
    expected = [degrees(counts, canonical)[x] for x in sorted(counts)]
    assert list(zip(found.predecessors.tolist(), found.successors.tolist(), strict=True)) == expected
    assert found.branching.tolist() == [i for i, pair in enumerate(expected) if max(pair) > 1]


@pytest.mark.parametrize("k", [1, 3, 33])
def test_an_empty_table_has_no_branching_kmers(k):
    assert len(kmer_degrees(table_of(Counter(), k, True), backends.host()).branching) == 0
