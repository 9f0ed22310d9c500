"""Operations on gaps against slow, obvious twins."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu import backends
from tests.assembly.gap_examples import reverse_complement

OPERATIONS = backends.host().unitigs
bases = st.lists(st.integers(0, 3), max_size=60).map(lambda codes: np.array(codes, np.uint8))
few_bases = st.lists(st.integers(0, 1), max_size=40).map(lambda codes: np.array(codes, np.uint8))
reads_of_bases = st.lists(
    st.lists(st.sampled_from([0, 1, 2, 3, 3, 4]), max_size=90).map(lambda codes: np.array(codes, np.uint8)), max_size=6
)


def arrays(reads):
    offsets = np.concatenate(([0], np.cumsum([len(read) for read in reads], dtype=np.int64))).astype(np.int64)
    return np.concatenate([np.zeros(0, np.uint8), *reads]), offsets


def windows(sequence, k):
    """Canonical k-mers without ambiguous bases, as tuples."""
    found = (sequence[i : i + k] for i in range(len(sequence) - k + 1))
    return [min(tuple(kmer), tuple(reverse_complement(kmer))) for kmer in found if kmer.max() < 4]


def words_of(kmer):
    value = int("".join(map(str, kmer)), 4)
    return value >> 64, value & ((1 << 64) - 1)


@given(bases, bases, reads_of_bases, st.sampled_from([3, 21, 31, 33, 61]))
def test_index_counts_canonical_kmers(left, right, reads, k):
    kmers = OPERATIONS.index_gap(left, right, *arrays(reads), k)
    of_reads = Counter(kmer for read in reads for kmer in windows(read, k))
    of_ends = {kmer for end in (left, right) for kmer in windows(end, k)}
    expected = {words_of(kmer): (of_reads[kmer], kmer in of_ends) for kmer in {*of_reads, *of_ends}}
    words = [tuple(map(int, row)) for row in kmers.words[: 2 * len(kmers.counts) : 2]]
    assert dict(zip(words, zip(kmers.counts.tolist(), kmers.is_end.tolist(), strict=True), strict=True)) == expected
    for end, vertices in ((left, kmers.left), (right, kmers.right)):
        spelled = [tuple(map(int, kmers.words[vertex])) for vertex in vertices]
        assert spelled == [words_of(end[i : i + k].tolist()) for i in range(len(end) - k + 1)]


@given(few_bases, few_bases, st.integers(0, 12), st.integers(0, 50))
def test_end_overlaps(left, right, shortest, longest):
    expected = [
        n
        for n in range(max(1, shortest), min(longest, len(left), len(right)) + 1)
        if np.array_equal(left[len(left) - n :], right[:n])
    ]
    assert OPERATIONS.end_overlaps(left, right, shortest, longest).tolist() == expected


@given(st.lists(few_bases, max_size=5), few_bases, st.integers(1, 4))
def test_compare_reads(reads, sequence, n_anchor):
    n_anchor = min(n_anchor, len(sequence))
    n_spanning, n_contradicting = 0, 0
    for read in reads:
        spans, contradicts = False, False
        for strand in (read, reverse_complement(read)):
            for at in range(len(strand) - n_anchor + 1):
                part = strand[at : at + len(sequence)]
                if np.array_equal(part[:n_anchor], sequence[:n_anchor]):
                    n_different = np.count_nonzero(part != sequence[: len(part)])
                    spans |= n_different == 0 and len(part) == len(sequence)
                    contradicts |= n_different > 1
        n_spanning += spans
        n_contradicting += contradicts
    assert OPERATIONS.compare_reads(*arrays(reads), sequence, n_anchor) == (n_spanning, n_contradicting)


def walks(left, right, reads, k, least, fewest, most):
    """All sequences from the last k-mer of one end to the first of the other, of a number of steps."""
    counts = Counter(kmer for read in reads for kmer in windows(read, k))
    present = {kmer for kmer, count in counts.items() if count >= least}
    present.update(kmer for end in (left, right) for kmer in windows(end, k))
    found, live = [], [tuple(left[-k:].tolist())]
    for step in range(1, most + 1):
        live = [(*walk, base) for walk in live for base in range(4)]
        live = [walk for walk in live if windows(np.array(walk[-k:], np.uint8), k)[0] in present]
        found += [walk for walk in live if step >= fewest and walk[-k:] == tuple(right[:k].tolist())]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_walk_is_the_only_one(seed):
    rng = np.random.default_rng(seed)
    k, distance, n = 5, int(rng.integers(0, 12)), 12
    sequence = rng.integers(0, 4, 2 * n + distance).astype(np.uint8)
    left, right = sequence[:n], sequence[n + distance :]
    reads = [sequence, sequence[: n + distance], rng.integers(0, 4, 20).astype(np.uint8)]
    expected = walks(left, right, reads, k, 1, k + distance - 3, k + distance + 3)
    kmers = OPERATIONS.index_gap(left, right, *arrays(reads), k)
    walk = OPERATIONS.walk_gap(kmers, arrays(reads)[1], 1, 0, distance - 3, distance + 3)
    if len(expected) == 1:
        assert walk.is_ambiguous or tuple(walk.sequence.tolist()) == expected[0]
    elif len({len(found) for found in expected}) > 1:
        assert walk.is_ambiguous
    none = OPERATIONS.walk_gap(kmers, arrays(reads)[1], 3, 0, distance - 3, distance + 3)
    assert not none.is_ambiguous or len(walks(left, right, reads, k, 3, k + distance - 3, k + distance + 3)) > 0
