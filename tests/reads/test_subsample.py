"""Subsampling: the kept pairs are those of the twin, whatever the order, the files, blocks and stores."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.reads.protocol import TURNS, Mates
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.reads.subsample import copies, subsample
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, n_examples, random_sequence, unpack
from tests.naive import segments as naive

RUN = RunOptions(threads=2)
LONGEST = 999
few = settings(deadline=None, max_examples=n_examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
PAIRS = st.lists(st.tuples(*[st.text("ACGT", min_size=1, max_size=40)] * 2), min_size=1, max_size=30)


def written(path, reads, fastq=True):
    """Write reads to a file and return its name."""
    records = (f"@\n{read}\n+\n{'I' * len(read)}\n" if fastq else f">\n{read}\n" for read in reads)
    path.write_text("".join(records))
    return str(path)


def two_files(directory, pairs, fastq=True, name="pairs"):
    mates = zip(*pairs, strict=True)
    first, second = (written(directory / f"{name}_{i}", reads, fastq) for i, reads in enumerate(mates))
    return {"first": (first,), "second": (second,)}


def interleaved(directory, pairs, fastq=True):
    return {"interleaved": (written(directory / "turns", [read for pair in pairs for read in pair], fastq),)}


def kept(kept, of, block_bytes=0, backend=CPU, **inputs):
    """Kept single reads, and kept pairs of all inputs."""
    store = backend.reads.read_store(read_batches(ReadInputs(**inputs), backend, block_bytes), RUN)
    meter = LengthMeter(backend.to_host)
    store = subsample(store, kept, of, LONGEST, meter, RUN, backend)
    single, mates = [], {}
    for batch in (batch.moved(backend.to_host) for batch in store):
        reads = unpack(PackedSequences(batch.offsets, batch.bases))
        if batch.n_repeated:
            single[-1] += reads.pop(0)[batch.n_repeated :]
        if batch.mates is None:
            single += reads
            continue
        for read, pair, mate in zip(reads, *map(np.ndarray.tolist, batch.mates.pairs(len(reads))), strict=True):
            assert (batch.mates.number, pair, mate) not in mates
            mates[batch.mates.number, pair, mate] = read
    store.close()
    assert meter.lengths.n_reads == len(single) + len(mates)
    assert meter.lengths.n_bases == sum(map(len, [*single, *mates.values()]))
    places = sorted({place[:2] for place in mates})
    assert len(mates) == 2 * len(places)
    return single, [(mates[number, pair, 0], mates[number, pair, 1]) for number, pair in places]


@few
@given(pairs=PAIRS, copied=st.integers(0, 3), share=st.integers(0, 8), fastq=st.booleans())
def test_kept_pairs_are_those_of_the_twin(tmp_path, pairs, copied, share, fastq):
    pairs = pairs + copied * pairs[:3]
    _single, found = kept(share, 9, **two_files(tmp_path, pairs, fastq))
    assert found == naive.kept_pairs(pairs, (share << 64) // 9)


@few
@given(pairs=PAIRS, copied=st.integers(0, 3), data=st.data())
def test_kept_pairs_do_not_depend_on_their_order(tmp_path, pairs, copied, data):
    pairs = pairs + copied * pairs[:3]
    shuffled = data.draw(st.permutations(pairs))
    _single, one = kept(1, 2, **two_files(tmp_path, pairs))
    _single, other = kept(1, 2, **interleaved(tmp_path, shuffled, fastq=False))
    assert Counter(one) == Counter(other)


@pytest.mark.parametrize("block_bytes", [300, 1000, 5000])
def test_kept_pairs_do_not_depend_on_blocks_and_files(tmp_path, block_bytes):
    rng = np.random.default_rng(1)
    pairs = [tuple(random_sequence(rng, n) for n in rng.integers(20, 90, 2)) for _ in range(200)]
    pairs += pairs[:60]
    _single, expected = kept(2, 5, **two_files(tmp_path, pairs))
    assert 0.3 * len(pairs) < len(expected) < 0.5 * len(pairs)
    assert kept(2, 5, block_bytes, **two_files(tmp_path, pairs))[1] == expected
    assert kept(2, 5, block_bytes, **interleaved(tmp_path, pairs))[1] == expected
    one, other = two_files(tmp_path, pairs[:90], name="one"), two_files(tmp_path, pairs[90:], name="other")
    both = {key: one[key] + other[key] for key in one}
    assert Counter(kept(2, 5, block_bytes, **both)[1]) == Counter(expected)


def test_single_reads_and_their_copies_do_not_depend_on_blocks(tmp_path):
    rng = np.random.default_rng(2)
    reads = [random_sequence(rng, 50) for _ in range(100)] * 3
    expected, _pairs = kept(1, 3, single=(written(tmp_path / "reads", reads),))
    assert 60 < len(expected) < 140
    assert not set(expected) < set(reads[:10])
    files = tuple(
        written(tmp_path / f"part{i}", reads[start : start + 75]) for i, start in enumerate((0, 75, 150, 225))
    )
    found, _pairs = kept(1, 3, 700, single=files[::-1])
    assert Counter(found) == Counter(expected)


def test_copies_are_kept_in_proportion(tmp_path):
    pair = ("ACGTTGCAACGGTCA", "TTGCACCAGT")
    _single, found = kept(1, 4, **two_files(tmp_path, [pair] * 2000))
    assert 400 < len(found) < 600


@pytest.mark.parametrize("block_bytes", [0, 2000])
def test_long_sequences_are_kept_with_their_mates(tmp_path, block_bytes):
    rng = np.random.default_rng(4)
    long = [random_sequence(rng, n) for n in (1000, 5000, 2100)]
    short = [random_sequence(rng, 60) for _ in range(20)]
    reads = [*short[:10], *long, *short[10:]]
    found, _pairs = kept(0, 1, block_bytes, single=(written(tmp_path / "reads", reads, fastq=False),))
    assert found == long
    _single, pairs = kept(0, 1, **two_files(tmp_path, [(short[0], long[0]), (short[1], short[2])]))
    assert pairs == [(short[0], long[0])]


def test_copies_are_numbered_in_their_order():
    assert copies(np.array([5, 7, 5, 5, 2, 7], np.uint64)).tolist() == [0, 0, 1, 2, 0, 1]
    assert copies(np.empty(0, np.uint64)).tolist() == []


@pytest.mark.cuda
def test_backends_keep_the_same_pairs(backend):
    """First and second mates in batches of their own, and in turns."""
    rng = np.random.default_rng(5)
    pairs = [(random_sequence(rng, 12), random_sequence(rng, 9)) for _ in range(12)] * 2
    first, second = ([pair[mate] for pair in pairs] for mate in (0, 1))
    parts = [(first[:5], 0, 0), (second[:9], 1, 0), (first[5:], 0, 5), (second[9:], 1, 9)]
    batches = [replace(batch_of(reads), mates=Mates(0, mate, start)) for reads, mate, start in parts]
    turns = [read for pair in pairs for read in pair]
    batches += [replace(batch_of(turns[a:b]), mates=Mates(1, TURNS, a)) for a, b in ((0, 7), (7, 48))]
    store = backend.reads.read_store((batch.moved(backend.to_device) for batch in batches), RUN)
    store = subsample(store, 1, 2, LONGEST, LengthMeter(backend.to_host), RUN, backend)
    found = {0: ([], []), 1: ([], [])}
    for batch in (batch.moved(backend.to_host) for batch in store):
        reads = unpack(PackedSequences(batch.offsets, batch.bases))
        for read, pair, mate in zip(reads, *map(np.ndarray.tolist, batch.mates.pairs(len(reads))), strict=True):
            assert pair == len(found[batch.mates.number][mate])
            found[batch.mates.number][mate].append(read)
    kept = [list(zip(*mates, strict=True)) for mates in found.values()]
    assert kept[0] + kept[1] == naive.kept_pairs(pairs + pairs, 1 << 63)
