from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.reads import read_statistics
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import NO_START, START_BP, LengthMeter, PairSample, ReadLengths
from tests.helpers import batch_of, codes_of, random_sequence


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


RNG = np.random.default_rng(11)
READS = [random_sequence(RNG, n) for n in (31, 40, 100, 32, 64, 33, 31, 150)]


def starts(reads: list[str]) -> list[int]:
    return codes_of([read[:START_BP] for read in reads])[0].tolist()


def split(reads: list[str], sizes: list[int]) -> list[list[str]]:
    ends = np.cumsum([0, *sizes]).tolist()
    return [reads[a:b] for a, b in pairwise(ends)]


@pytest.mark.parametrize("sizes", [[8], [1, 7], [3, 0, 3, 2]])
def test_mates_in_batches_of_any_size(sizes):
    sample = PairSample(CPU.to_host, 1)
    for reads in split(READS, sizes):
        sample.add_mates(0, 0, batch_of(reads))
        sample.add_mates(0, 1, batch_of(reads[::-1]))
    sample.add_mates(0, 1, batch_of(READS))  # the file of second mates is further on
    ((first, second),) = sample.pairs()
    assert first.tolist() == starts(READS)
    assert len(second) == len(READS)


@pytest.mark.parametrize("sizes", [[8], [1, 7], [3, 0, 3, 2]])
def test_interleaved(sizes):
    sample = PairSample(CPU.to_host, 2)
    for reads in split(READS, sizes):
        sample.add_interleaved(1, batch_of(reads))
    (none, (first, second)) = sample.pairs()
    assert [len(mates) for mates in none] == [0, 0]
    assert first.tolist() == starts(READS[0::2])
    assert second.tolist() == starts(READS[1::2])


def test_short_and_ambiguous_starts():
    good = random_sequence(RNG, 60)
    reads = [good[:30], good[:30] + "N" + good[:20], good[:31] + "N", good, "", "N" + good]
    sample = PairSample(CPU.to_host, 1)
    sample.add_mates(0, 0, batch_of(reads))
    sample.add_mates(0, 1, batch_of(reads))
    first = sample.pairs()[0][0].tolist()
    assert first == [NO_START, NO_START, *starts([good, good]), NO_START, NO_START]


def test_no_more_than_enough(monkeypatch):
    monkeypatch.setattr(read_statistics, "PAIRS_KEPT", 6)
    monkeypatch.setattr(read_statistics, "LEAST_PAIRS_KEPT", 2)
    for n_inputs, n_kept in ((1, 6), (2, 3), (5, 2)):
        sample = PairSample(CPU.to_host, n_inputs)
        for reads in split(READS, [5, 3]):
            sample.add_mates(0, 0, batch_of(reads))
            sample.add_mates(0, 1, batch_of(reads))
        assert sample.pairs()[0][1].tolist() == starts(READS[:n_kept])


@pytest.mark.parametrize("block_bytes", [200, 1000, 1 << 20])
def test_files_give_the_same_sample_whatever_the_blocks(tmp_path, block_bytes):
    reads = [random_sequence(RNG, 40) for _ in range(60)]
    for name, part in (("1.fa", reads[0::2]), ("2.fa", reads[1::2]), ("12.fa", reads), ("s.fa", reads[:7])):
        (tmp_path / name).write_text("".join(f">r\n{read}\n" for read in part))
    one, two, both, single = (str(tmp_path / name) for name in ("1.fa", "2.fa", "12.fa", "s.fa"))
    inputs = ReadInputs(single=(single,), first=(one,), second=(two,), interleaved=(both,))
    sample = PairSample(CPU.to_host, 2)
    for _batch in read_batches(inputs, CPU, block_bytes, pairs=sample):
        pass
    for first, second in sample.pairs():
        assert first.tolist() == starts(reads[0::2])
        assert second.tolist() == starts(reads[1::2])
