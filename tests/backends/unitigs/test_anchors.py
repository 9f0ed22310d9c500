"""Placing reads by k-mers that occur once against a slow twin, on every backend at hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.unitigs.sizes import least_index_slots
from tests.backends.unitigs.test_unitigs import packed
from tests.helpers import batch_of, n_examples, operation, random_sequence
from tests.naive import anchors as naive
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
N_UNITIGS = 1 if is_simulated() else 6


def placed(backend, unitigs, batch, k, slots=None):
    """Vertices and starts of the reads of a batch, as rows of four."""
    offsets, bases = map(backend.to_device, packed(unitigs))
    if slots is None:
        n_slots = least_index_slots(int(offsets[-1])) * (len(unitigs) & 1)  # the smallest table, or one that is fast
        slots = operation(backend, "index_anchors")(offsets, bases, k, n_slots)
        assert slots.dtype == np.uint32
    found = backend.to_host(
        operation(backend, "place_anchors")(batch.moved(backend.to_device), k, offsets, bases, slots)
    )
    assert (found.dtype, found.shape) == (np.int64, (4, len(batch.offsets) - 1))
    return list(map(tuple, found.T.tolist()))


def check(backend, unitigs, reads, k):
    assert placed(backend, unitigs, batch_of(reads), k) == [naive.place(unitigs, read, k) for read in reads]


texts = st.text("AC", max_size=20) | st.text("ACGT", max_size=20)


@few
@given(unitigs=st.lists(texts, max_size=4), data=st.data(), k=st.sampled_from([1, 3, 5, 7]))
def test_reads_are_placed_by_their_outermost_anchors(backend, unitigs, data, k):
    genome = "".join(unitigs)
    cuts = data.draw(st.lists(st.tuples(st.integers(0, len(genome)), st.integers(0, 16), st.booleans()), max_size=3))
    reads = [genome[start : start + n] for start, n, _strand in cuts]
    reads = [reverse_complement(r) if c[2] else r for r, c in zip(reads, cuts, strict=True)]
    reads += data.draw(st.lists(st.text("ACGTN", max_size=20) | st.text("ACN", max_size=20), max_size=3))
    check(backend, unitigs, reads, k)


@few
@given(unitig=st.text("ACGT", min_size=12, max_size=30), data=st.data(), k=st.sampled_from([3, 5, 7]))
def test_reads_with_ambiguous_bases_are_placed(backend, unitig, data, k):
    at = data.draw(st.sets(st.integers(0, len(unitig) - 1), max_size=4))
    read = "".join("N" if i in at else base for i, base in enumerate(unitig))
    check(backend, [unitig], [read, "N", read[::-1], read], k)


@pytest.mark.parametrize("k", [3, 15, 29, 31])
def test_every_k(backend, k):
    rng = np.random.default_rng(k)
    length = 20 if is_simulated() else 90
    unitigs = [random_sequence(rng, length + k) for _ in range(N_UNITIGS)]
    strands = [strand for unitig in unitigs for strand in (unitig, reverse_complement(unitig))]
    reads = ["G" + strand[:k] + "N" + strand[k + 1 :] + "ACG" for strand in strands]
    if is_simulated():
        reads = reads[1:]
    check(backend, unitigs, [*reads, "", strands[0][: k - 1], strands[-1][-k:]], k)


@pytest.mark.skipif(is_simulated(), reason="too many items")
def test_reads_start_outside_unitigs_and_end_on_others(backend):
    rng = np.random.default_rng(5)
    one, two, before = (random_sequence(rng, n) for n in (70, 50, 25))
    reads = [before + one[:40] + two[:33], reverse_complement(one + before)]
    assert placed(backend, [one, two], batch_of(reads), 31) == [(0, -25, 2, -65), (1, -25, 1, -25)]
    check(backend, [one, two], reads, 31)


@pytest.mark.parametrize("other", ["same", "reverse complement", "other sequence"])
def test_repeated_kmers_are_no_anchors(backend, other):
    k = 5
    repeat = "ACGGTCA"
    copy = reverse_complement(repeat) if other == "reverse complement" else repeat
    unitigs = ["TT" + repeat, "GG" + copy] if other == "other sequence" else ["TT" + repeat + "GG" + copy]
    assert placed(backend, unitigs, batch_of([repeat, reverse_complement(repeat)]), k) == 2 * [(-1, 0, -1, 0)]
    check(backend, unitigs, [repeat, "TT" + repeat, "GG" + copy], k)


def test_no_unitigs_and_no_reads(backend):
    assert placed(backend, ["ACGTTGCA"], batch_of([]), 5) == []
    assert placed(backend, [], batch_of(["GGGGGGGGG", ""]), 5) == 2 * [(-1, 0, -1, 0)]
    assert placed(backend, ["", "ACG", "", "ACGGT", ""], batch_of(["ACGGT", "ACG", "AACCGT"]), 5) == [
        (6, 0, 6, 0),
        (-1, 0, -1, 0),
        (7, -1, 7, -1),
    ]


def test_repeated_bases_of_a_batch_are_of_its_first_read(backend):
    unitig = random_sequence(np.random.default_rng(2), 40)
    batch = batch_of([unitig[8:30], unitig[3:20]])
    for n_repeated in (0, 12):
        found = placed(backend, [unitig], replace(batch, n_repeated=n_repeated), 7)
        assert found == [(0, 8, 0, 8), (0, 3, 0, 3)]


@pytest.mark.slow  # compiles kernels for tables that only large inputs need
def test_slots_of_64_bits(backend):
    """As for more than 2^31 bases."""
    unitig = random_sequence(np.random.default_rng(3), 34)
    offsets, bases = map(backend.to_device, packed([unitig]))
    slots = operation(backend, "index_anchors")(offsets, bases, 31).astype(np.uint64)
    assert placed(backend, [unitig], batch_of([unitig[1:]]), 31, slots) == [(0, 1, 0, 1)]


@pytest.mark.skipif(is_simulated(), reason="too many items")
def test_index_of_many_threads_marks_all_repeats(backend):
    """Ranges of many threads insert equal k-mers at once."""
    rng = np.random.default_rng(4)
    repeats = [random_sequence(rng, 60) for _ in range(20)]
    alone = [random_sequence(rng, 60) for _ in range(20)]
    order = rng.permutation(200)
    copies = [repeats[i % 20] if i >= 20 else alone[i] for i in order.tolist()]
    unitigs = [reverse_complement(c) if rng.integers(2) else c for c in copies]
    found = placed(backend, unitigs, batch_of([*repeats, *alone]), 31)
    assert found[:20] == 20 * [(-1, 0, -1, 0)]
    for read, (vertex, start, last_vertex, last_start) in zip(alone, found[20:], strict=True):
        strand = reverse_complement(unitigs[vertex >> 1]) if vertex & 1 else unitigs[vertex >> 1]
        assert (strand, start, last_vertex, last_start) == (read, 0, vertex, 0)
