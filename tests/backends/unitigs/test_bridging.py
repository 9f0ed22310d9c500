"""Gaps of unitig graphs that reads bridge, against a slow twin, on every backend at hand."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

import numpy as np
import pytest

from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.core.detection import is_simulated
from tests.backends.unitigs.test_placement import unitigs_of, with_errors
from tests.backends.unitigs.test_unitigs import packed
from tests.helpers import batch_of, operation, random_sequence, unpack
from tests.naive import kmers as naive_kmers, placement as naive

pytestmark = pytest.mark.cuda


def bridged(backend, unitigs, reads, k, circular=None):
    """Count the k-mers of the segments that an operation cuts out of reads."""
    to_device = backend.to_device
    offsets, bases = map(to_device, packed(unitigs))
    row_ptr = np.array([0, *accumulate(len(after) for after in naive.successors(unitigs, k))], np.int64)
    slots = operation(backend, "index_kmers")(offsets, bases, k)
    is_circular = to_device(np.array(circular or [False] * len(unitigs), np.bool_))
    find = operation(backend, "bridging_segments")
    links = to_device(row_ptr), is_circular
    ends = operation(backend, "index_dead_ends")(offsets, bases, k, *links)
    found = find(batch_of(reads).moved(to_device), k, offsets, bases, slots, ends, *links)
    found = found.moved(backend.to_host)
    assert (found.offsets.dtype, found.bases.dtype) == (np.int64, np.uint64)
    return naive_kmers.count(unpack(PackedSequences(found.offsets, found.bases)), k)


def expected(unitigs, reads, k):
    return sum((naive.bridging_kmers(unitigs, read, k) for read in reads), Counter())


@pytest.mark.parametrize("k", [11, 15, 31, 33, 63, *(pytest.param(k, marks=pytest.mark.slow) for k in (65, 127, 255))])
def test_every_k(backend, k):
    """Reads in both strands across gaps of one base to more than k, and a read across two gaps."""
    rng = np.random.default_rng(k)
    piece = k + (9 if is_simulated() else 40)
    for gap in (0, 1, k - 1, k + 3):
        parts = [random_sequence(rng, piece) for _ in range(3)]
        between = [random_sequence(rng, gap) for _ in range(2)]
        genome = parts[0] + between[0] + parts[1] + between[1] + parts[2]
        unitigs = unitigs_of(parts, k)
        reads = [genome, naive_kmers.reverse_complement(genome[:-3]), genome[: piece + gap], genome[piece:], ""]
        found = bridged(backend, unitigs, reads, k)
        assert found == expected(unitigs, reads, k)
        assert found


def test_a_fork_is_no_dead_end(backend):
    """Reads that leave the graph where it continues, or come back where something leads to, bridge nothing."""
    rng = np.random.default_rng(2)
    k = 15
    a, b, c, d, gap = (random_sequence(rng, 40) for _ in range(5))
    for held, read in (((a + b, c), a + gap + c), ((a, b + c), a + gap + c), ((a + b, d + c), a + gap + c)):
        unitigs = unitigs_of(held, k)
        assert bridged(backend, unitigs, [read], k) == expected(unitigs, [read], k) == Counter()
    unitigs = unitigs_of([a, c], k)
    assert bridged(backend, unitigs, [a + gap + c], k).total() == len(gap) + k - 1
    assert bridged(backend, unitigs, [a + "N" + gap + c, a + gap[:9] + "N" + c, a + gap, gap + c], k) == Counter()


def test_circles_have_no_dead_ends(backend):
    circle, other, gap = (random_sequence(np.random.default_rng(seed), 40) for seed in range(3))
    k = 11
    unitigs = [circle + circle[: k - 1], other]
    read = circle + circle[: k - 1] + gap + other
    assert bridged(backend, unitigs, [read], k, [True, False]) == Counter()


def test_no_unitigs_and_no_reads(backend):
    assert bridged(backend, ["ACGTTGCA"], [], 5) == Counter()
    assert bridged(backend, ["ACGTTGCA"], ["GGGGGGGGG", "ACG"], 5) == Counter()


@pytest.mark.parametrize("n", [3] if is_simulated() else [3, 300])
def test_reads_with_errors_bridge_what_the_slow_twin_says(backend, n):
    """Nearly all k-mers in gaps are found, and none is invented."""
    rng = np.random.default_rng(n)
    k, read_bp = 15, 60
    parts = [random_sequence(rng, 60) for _ in range(4)]
    genome = parts[0] + parts[1] + random_sequence(rng, 5) + parts[2] + random_sequence(rng, 16) + parts[3]
    unitigs = unitigs_of([parts[0], *parts[1:]], k)
    starts = rng.integers(0, len(genome) - read_bp, n)
    reads = [with_errors(rng, genome[s : s + read_bp], int(rng.integers(0, 3))) for s in starts]
    wanted, found = expected(unitigs, reads, k), bridged(backend, unitigs, reads, k)
    assert found <= wanted
    assert found.total() >= 0.95 * wanted.total()
