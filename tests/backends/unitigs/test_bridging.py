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


def bridged(backend, unitigs, reads, k, circular=None, extended=None):
    """Count the k-mers of the segments that an operation cuts out of reads."""
    to_device = backend.to_device
    offsets, bases = map(to_device, packed(unitigs))
    row_ptr = np.array([0, *accumulate(len(after) for after in naive.successors(unitigs, k))], np.int64)
    slots = operation(backend, "index_kmers")(offsets, bases, k)
    is_circular = to_device(np.array(circular or [False] * len(unitigs), np.bool_))
    is_extended = to_device(np.array(extended or [False] * len(unitigs), np.bool_))
    find = operation(backend, "bridging_segments")
    links = to_device(row_ptr), is_circular
    ends = operation(backend, "index_dead_ends")(offsets, bases, k, *links)
    found = find(batch_of(reads).moved(to_device), k, offsets, bases, slots, ends, *links, is_extended)
    found = found.moved(backend.to_host)
    assert (found.offsets.dtype, found.bases.dtype) == (np.int64, np.uint64)
    return naive_kmers.count(unpack(PackedSequences(found.offsets, found.bases)), k)


def expected(unitigs, reads, k, extended=()):
    return sum((naive.bridging_kmers(unitigs, read, k, extended) for read in reads), Counter())


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


@pytest.mark.parametrize("k", [11, 33, pytest.param(127, marks=pytest.mark.slow)])
def test_reads_extend_some_unitigs(backend, k):
    """In both strands, from one base on, up to a base that is ambiguous; others stay as they are."""
    rng = np.random.default_rng(k)
    unitigs = [random_sequence(rng, k + 9) for _ in range(2)]
    before, behind = (random_sequence(rng, k + 5) for _ in range(2))
    whole = before + unitigs[0] + behind
    reads = [whole, naive_kmers.reverse_complement(whole[2:-1]), unitigs[0] + "A", "C" + unitigs[0][: k + 3]]
    reads += [unitigs[0][5:] + behind[:4] + "N" + behind[5:], before + unitigs[1] + behind, behind, ""]
    for extended in ([True, False], [False, True], [True, True], [False, False]):
        found = bridged(backend, unitigs, reads, k, extended=extended)
        assert found == expected(unitigs, reads, k, extended)
        assert (found.total() > 0) == any(extended)
    n = bridged(backend, unitigs, [whole], k, extended=[True, False]).total()
    assert n == len(before) + len(behind)


def test_reads_that_leave_a_unitig_do_not_extend_it(backend):
    rng = np.random.default_rng(7)
    k = 15
    a, b, c, gap = (random_sequence(rng, 40) for _ in range(4))
    unitigs = unitigs_of([a + b, c], k)
    extended = [True] * len(unitigs)
    reads = [a + gap, gap + b[5:]]
    assert bridged(backend, unitigs, reads, k, extended=extended) == expected(unitigs, reads, k, extended) == Counter()
    reads = [b + gap[:3] + c, b + gap + a]  # a gap, and a gap before the start of the unitig
    assert bridged(backend, unitigs, reads, k, extended=extended) == expected(unitigs, reads, k, extended)


def test_circles_have_no_dead_ends(backend):
    circle, other, gap = (random_sequence(np.random.default_rng(seed), 40) for seed in range(3))
    k = 11
    unitigs = [circle + circle[: k - 1], other]
    read = circle + circle[: k - 1] + gap + other
    assert bridged(backend, unitigs, [read], k, [True, False]) == Counter()
    assert bridged(backend, unitigs, [read], k, [True, False], [True, False]) == Counter()


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
    for extended in ([False] * len(unitigs), [number % 2 == 0 for number in range(len(unitigs))]):
        wanted = expected(unitigs, reads, k, extended)
        found = bridged(backend, unitigs, reads, k, extended=extended)
        assert found <= wanted
        assert found.total() >= 0.95 * wanted.total()
