"""Comparing placed reads with unitigs against a slow twin, on every backend at hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from tests.backends.unitigs.test_unitigs import packed
from tests.helpers import batch_of, n_examples, operation, random_sequence
from tests.naive import agreement as naive, anchors
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

K = 31
MARGIN = 9
few = settings(
    deadline=None,
    max_examples=3 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def compared(backend, unitigs, reads, placed, margin=MARGIN, cover=None):
    """Cover of bins, and sites in ascending order."""
    offsets, bases = map(backend.to_device, packed(unitigs))
    n_bins = sum(map(len, unitigs)) // COVER_BIN_BP
    cover = backend.to_device(np.zeros(n_bins + 1, np.int32) if cover is None else cover)
    rows = backend.to_device(np.array(placed, np.int64).reshape(-1, 4).T.copy())
    batch = batch_of(reads).moved(backend.to_device)
    sites = backend.to_host(operation(backend, "compare_placed")(batch, rows, margin, offsets, bases, cover))
    change = backend.to_host(cover)
    assert (sites.dtype, sites.shape[0], change.dtype) == (np.int64, 2, np.int32)
    assert change.sum() == 0
    return np.cumsum(change)[:-1].tolist(), sorted(map(tuple, sites.T.tolist()))


def expected(unitigs, reads, placed, margin=MARGIN):
    counts, sites = Counter(), []
    for read, place in zip(reads, placed, strict=True):
        bins, more = naive.compare(unitigs, read, place, margin)
        counts.update(bins)
        sites += more
    return [counts[i] for i in range(sum(map(len, unitigs)) // COVER_BIN_BP)], sorted(sites)


def check(backend, unitigs, reads, margin=MARGIN):
    placed = [anchors.place(unitigs, read, K) for read in reads]
    found = compared(backend, unitigs, reads, placed, margin)
    assert found == expected(unitigs, reads, placed, margin)
    return found


def changed(rng, sequence, share):
    """A sequence of whose bases a share is exchanged."""
    bases = [rng.choice([c for c in "ACGT" if c != base]) if rng.random() < share else base for base in sequence]
    return "".join(bases)


@few
@given(seed=st.integers(0, 1 << 30), margin=st.integers(0, 40))
def test_reads_of_two_copies(backend, seed, margin):
    """One copy is in the unitigs, and reads begin in either and end in the other, on both strands."""
    rng = np.random.default_rng(seed)
    n_reads = 4 if is_simulated() else 12
    unitigs = [random_sequence(rng, int(n)) for n in rng.integers(100, 300, 3)]
    other = [changed(rng, unitig, rng.choice([0.02, 0.1, 0.5])) for unitig in unitigs]
    reads = []
    for _ in range(n_reads):
        i, j = rng.integers(3, size=2)
        at, length = int(rng.integers(0, len(unitigs[i]) - 60)), int(rng.integers(40, 160))
        cut, where = int(rng.integers(20, 90)), (unitigs, other)[int(rng.integers(2))]
        read = unitigs[i][at : at + cut] + (where[i][at + cut :] if rng.integers(3) else other[j])
        read = changed(rng, read[:length], 0.01)
        reads.append(reverse_complement(read) if rng.integers(2) else read)
    check(backend, unitigs, reads, margin)


@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("is_right", [False, True])
def test_sites_are_where_reads_begin_to_differ(backend, is_reverse, is_right):
    rng = np.random.default_rng(1)
    unitig, rest = random_sequence(rng, 200), random_sequence(rng, 40)
    rest = rest if rest[0] != unitig[120] else "ACGT"["ACGT".index(rest[0]) ^ 1] + rest[1:]
    read = unitig[60:120] + rest
    text = unitig if is_right else reverse_complement(unitig)
    _cover, sites = check(backend, [text], [reverse_complement(read) if is_reverse else read])
    place = 120 if is_right else 80
    assert [site for site, _evidence in sites] == [2 * place + is_right]
    assert [evidence & 0xFFFFFFFF for _site, evidence in sites] == [40]


@pytest.mark.parametrize("shift", [1, 50, 51])
def test_insertions_of_reads_contradict_nothing_if_short(backend, shift):
    rng = np.random.default_rng(2)
    unitig = random_sequence(rng, 160)
    read = unitig[10:70] + random_sequence(rng, shift) + unitig[70:150]
    cover, sites = check(backend, [unitig], [read])
    assert (not sites, all(cover[3:17])) == (shift <= 50, shift <= 50)


def test_reads_beyond_unitigs_contradict_nothing(backend):
    rng = np.random.default_rng(3)
    one, two, more = (random_sequence(rng, n) for n in (90, 64, 50))
    reads = [more + one, one + more, one[40:] + two[:40], reverse_complement(more + two)]
    assert not check(backend, [one, two], reads)[1]


def test_cover_is_added(backend):
    rng = np.random.default_rng(4)
    unitig = random_sequence(rng, 96)
    placed = [(0, 0, 0, 0), (1, 0, 1, 0), (-1, 0, -1, 0)]
    reads = [unitig, reverse_complement(unitig), "ACGT"]
    change = np.zeros(13, np.int32)
    change[0], change[12] = 5, -5
    cover, _sites = compared(backend, [unitig], reads, placed, 8, change)
    assert cover == [5, *[7] * 10, 5]


def test_no_unitigs_and_no_reads(backend):
    assert compared(backend, [], ["ACGT"], [(-1, 0, -1, 0)]) == ([], [])
    assert compared(backend, ["ACGT" * 10], [], []) == ([0] * 5, [])


@pytest.mark.skipif(is_simulated(), reason="too many items")
def test_many_reads(backend):
    rng = np.random.default_rng(5)
    genome = random_sequence(rng, 3000)
    bounds = [0, 700, 1500, 3000]
    unitigs = [genome[start:stop] for start, stop in pairwise(bounds)]
    starts = rng.integers(0, 2900, 100)
    reads = [changed(rng, genome[at : at + 100], 0.02) + random_sequence(rng, 30) for at in starts]
    check(backend, unitigs, reads)
