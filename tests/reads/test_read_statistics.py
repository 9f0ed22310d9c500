from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.reads.read_statistics import LengthMeter, ReadLengths


@given(st.lists(st.integers(0, 60)), st.lists(st.integers(0, 60)))
def test_lengths(first: list[int], second: list[int]) -> None:
    both = first + second
    summary = ReadLengths.of(first) + ReadLengths.of(second)
    assert dict(zip(summary.lengths.tolist(), summary.numbers.tolist(), strict=True)) == {
        length: both.count(length) for length in both
    }
    assert summary.lengths.tolist() == sorted(set(both))
    assert summary.n_reads == len(both)
    assert summary.n_bases == sum(both)
    assert summary.n_kmers(21) == sum(max(0, length - 20) for length in both)


@given(st.lists(st.integers(1, 60), min_size=1))
def test_half_of_the_bases_are_in_typical_reads_or_longer(lengths: list[int]) -> None:
    typical = ReadLengths.of(lengths).typical
    assert typical in lengths
    assert 2 * sum(length for length in lengths if length >= typical) >= sum(lengths)
    assert 2 * sum(length for length in lengths if length > typical) < sum(lengths)


def test_no_reads() -> None:
    assert ReadLengths.of([]).typical == 0
    assert ReadLengths.of([0, 0]).typical == 0


def test_meter_passes_batches_on() -> None:
    none = np.zeros(0, np.int64)
    batches = [ReadBatch(np.zeros(2, np.uint64), np.array(offsets), none) for offsets in ([0, 5, 9], [0], [0, 5])]
    meter = LengthMeter(np.asarray)
    assert list(meter.through(batches)) == batches
    assert (meter.lengths.lengths.tolist(), meter.lengths.numbers.tolist()) == ([4, 5], [1, 2])


def test_meter_adds_up_the_parts_of_split_reads() -> None:
    none = np.zeros(0, np.int64)
    parts = [([0, 5, 9], 0), ([0, 7], 3), ([0], 0), ([0, 3], 3), ([0, 6, 8], 2), ([0, 1], 0)]
    batches = [ReadBatch(np.zeros(2, np.uint64), np.array(offsets), none, repeated) for offsets, repeated in parts]
    meter = LengthMeter(np.asarray)
    assert list(meter.through(batches)) == batches
    assert (meter.lengths.lengths.tolist(), meter.lengths.numbers.tolist()) == ([1, 2, 5, 12], [1, 1, 1, 1])
