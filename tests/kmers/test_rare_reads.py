"""Reads of rare parts are those of a plain implementation, and subsampling keeps them whatever their hash."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.reads.protocol import Mates
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.kmers import rare_reads as module
from debruijn_gpu.kmers.rare_reads import rare_reads
from debruijn_gpu.kmers.reads_in_use import reads_again, reads_in_use
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.reads.subsample import subsample
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, n_examples, random_sequence, unpack
from tests.naive.sequences import reverse_complement
from tests.reads.test_subsample import two_files

RUN = RunOptions(threads=1)
K = 5


def kmers_of(read: str, k: int) -> list[str]:
    """Canonical k-mers of a read without ambiguous bases."""
    whole = (read[i : i + k] for i in range(len(read) - k + 1))
    return [min(kmer, reverse_complement(kmer)) for kmer in whole if "N" not in kmer]


def naive_rows(reads: list[str], k: int, counts: range) -> list[bool]:
    """Whether the rare k-mers of each read are more than half of its k-mers, and do not share a base."""
    times = Counter(kmer for read in reads for kmer in kmers_of(read, k))
    rows = []
    for read in reads:
        words = [read[i : i + k] for i in range(len(read) - k + 1)]
        at = [i for i, word in enumerate(words) if "N" not in word and times[kmers_of(word, k)[0]] in counts]
        rows.append(2 * len(at) > len(words) and at[-1] - at[0] >= k)
    return rows


@settings(deadline=None, max_examples=n_examples(60))
@given(
    reads=st.lists(st.text("ACGTN", min_size=K, max_size=40), min_size=1, max_size=12),
    copied=st.integers(0, 4),
    least=st.integers(1, 3),
    n_counts=st.integers(1, 4),
)
def test_rows_are_those_of_the_twin(reads: list[str], copied: int, least: int, n_counts: int) -> None:
    reads = reads + copied * reads[:3]
    counts = range(least, least + n_counts)
    found = rare_reads([batch_of(reads)], sum(map(len, reads)), K, counts, RUN, CPU)
    rows = [False] * len(reads) if found is None else found.find(batch_of(reads)).tolist()
    assert rows == naive_rows(reads, K, counts)
    assert sum(rows) == (0 if found is None else found.n_found)


@pytest.mark.cuda
def test_backends_find_the_same_rows(backend) -> None:
    rng = np.random.default_rng(1)
    reads = [random_sequence(rng, 20) for _ in range(3)]
    reads = [*reads, reads[0], reads[0]]
    batch = batch_of(reads).moved(backend.to_device)
    found = rare_reads([batch], 100, K, range(1, 3), RUN, backend)
    assert found is not None
    assert found.find(batch).tolist() == naive_rows(reads, K, range(1, 3))


def test_too_many_rare_kmers_are_errors(monkeypatch) -> None:
    reads = [random_sequence(np.random.default_rng(2), 200)]
    monkeypatch.setattr(module, "_MOST_KMERS", 100)
    assert rare_reads([batch_of(reads)], 200, 21, range(1, 2), RUN, CPU) is None


def test_the_index_of_rare_kmers_asks_for_room(monkeypatch) -> None:
    reads = [random_sequence(np.random.default_rng(2), 200)]
    monkeypatch.setattr(module, "least_left", lambda _run, _backend: 100)
    with pytest.raises(OutOfMemoryError, match="the index of 180 rare k-mers"):
        rare_reads([batch_of(reads)], 200, 21, range(1, 2), RUN, CPU)


def deep_and_rare(rng: np.random.Generator, n_errors: int) -> tuple[list[str], list[str]]:
    """Reads of a genome at 400x with errors, and of a rare one at 20x."""
    genomes = [random_sequence(rng, n) for n in (5000, 1000)]
    parts = []
    for genome, depth in zip(genomes, (400, 20), strict=True):
        starts = rng.integers(0, len(genome) - 100, depth * len(genome) // 100)
        parts.append([genome[start : start + 100] for start in starts.tolist()])
    deep, rare = parts
    for i in rng.integers(0, len(deep), n_errors).tolist():
        at = int(rng.integers(0, 100))
        deep[i] = deep[i][:at] + "ACGT"[rng.integers(4)] + deep[i][at + 1 :]
    return deep, rare


@pytest.mark.parametrize(("most_bases", "found_share"), [(10**9, 0.95), (0, 0.6)])
def test_reads_of_rare_parts_are_found_among_errors(monkeypatch, most_bases: int, found_share: float) -> None:
    """Also if half of the k-mers are counted."""
    deep, rare = deep_and_rare(np.random.default_rng(3), 10_000)
    monkeypatch.setattr(module, "FEW_BASES", most_bases)
    batch = batch_of([*deep, *rare])
    found = rare_reads([batch], batch.n_bases, 31, range(3, 75), RUN, CPU)
    assert found is not None
    rows = found.find(batch)
    assert not rows[: len(deep)].any()
    assert rows[len(deep) :].mean() > found_share


def test_rows_do_not_depend_on_the_order_of_reads() -> None:
    deep, rare = deep_and_rare(np.random.default_rng(4), 1000)
    reads = np.array([*deep[:5000], *rare])
    order = np.random.default_rng(5).permutation(len(reads))
    found = []
    for some in (reads, reads[order]):
        batches = [batch_of(some[at : at + 997].tolist()) for at in range(0, len(some), 997)]
        finder = rare_reads(batches, 100 * len(some), 31, range(3, 30), RUN, CPU)
        assert finder is not None
        found.append(np.concatenate([finder.find(batch) for batch in batches]))
    assert np.array_equal(found[0][order], found[1])


def test_found_reads_are_kept_with_their_mates() -> None:
    rng = np.random.default_rng(6)
    pairs = [(random_sequence(rng, 30), random_sequence(rng, 30)) for _ in range(40)]
    mates = zip(*pairs, strict=True)
    batches = [replace(batch_of(list(reads)), mates=Mates(0, mate, 0)) for mate, reads in enumerate(mates)]
    store = CPU.reads.read_store(iter(batches), RUN)
    chosen = np.arange(40) % 7 == 0

    def find(batch):
        return chosen & (batch.mates.mate == 1)

    meter = LengthMeter(CPU.to_host)
    kept = list(subsample(store, 0, 1, 999, meter, RUN, CPU, find))
    assert meter.lengths.n_reads == 2 * int(chosen.sum())
    assert [batch.n_reads for batch in kept] == 2 * [int(chosen.sum())]


def test_reads_in_use_keep_rare_parts(tmp_path) -> None:
    """Also where they are read again after a restart."""
    rng = np.random.default_rng(7)
    genomes = [random_sequence(rng, n) for n in (20_000, 600)]
    pairs = []
    for genome, depth in zip(genomes, (400, 20), strict=True):
        starts = rng.integers(0, len(genome) - 250, depth * len(genome) // 200).tolist()
        pairs += [(genome[at : at + 100], reverse_complement(genome[at + 150 : at + 250])) for at in starts]
    inputs = ReadInputs(**two_files(tmp_path, pairs))

    def batches(meter: LengthMeter):
        return meter.through(read_batches(inputs, CPU))

    meter = LengthMeter(CPU.to_host)
    with reads_in_use(batches(meter), meter, (31, 41), 50, RUN, CPU) as used:
        limit, lengths = used.limit, used.meter.lengths
        kept = [read for batch in used.batches for read in unpack(PackedSequences(batch.offsets, batch.bases))]
    rare = {read for pair in pairs[-60:] for read in pair}
    assert np.mean([read in kept for read in rare]) > 0.9
    assert sum(read not in rare for read in kept) == pytest.approx(0.125 * 2 * (len(pairs) - 60), rel=0.05)
    again = LengthMeter(CPU.to_host)
    with reads_again(batches(again), again, "off", limit, RUN, CPU) as (_reads, found):
        assert np.array_equal(found.lengths.numbers, lengths.numbers)
