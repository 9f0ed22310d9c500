"""Hashes and copies of reads against a slow twin, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.reads.protocol import Mates, ReadBatch
from tests.helpers import batch_of, n_examples, operation, random_sequence
from tests.naive import segments as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
READS = st.lists(st.text("ACGTN", max_size=20) | st.text("ACGT", min_size=31, max_size=70), max_size=6)


def hashes(backend, batch):
    found = operation(backend, "hash_reads")(batch.moved(backend.to_device))
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.uint64
    return found.tolist()


def taken(backend, batch, rows, lengths):
    arrays = np.array(rows, np.int64), np.array(lengths, np.int64)
    return operation(backend, "take_reads")(batch.moved(backend.to_device), *arrays).moved(backend.to_host)


def check_same(found, expected):
    for name in ("bases", "offsets", "ambiguous_positions"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@few
@given(reads=READS)
def test_hash_is_that_of_the_content(backend, reads):
    assert hashes(backend, batch_of(reads)) == list(map(naive.hash_read, reads))


@few
@given(reads=READS, data=st.data())
def test_taken_reads_are_those_of_the_rows(backend, reads, data):
    rows = sorted(data.draw(st.sets(st.integers(0, len(reads) - 1)))) if reads else []
    lengths = [data.draw(st.integers(0, len(reads[row]))) for row in rows]
    expected = batch_of([reads[row][:n] for row, n in zip(rows, lengths, strict=True)])
    check_same(taken(backend, batch_of(reads), rows, lengths), expected)


def test_ambiguous_bases_and_lengths_tell_reads_apart(backend):
    reads = ["ACGT", "ACGTA", "ACGTN", "ACGNT", "ANGTA", "", "A", "N"]
    assert len(set(hashes(backend, batch_of(reads)))) == len(reads)


def test_taken_reads_keep_mates_and_repeated_bases(backend):
    read = random_sequence(np.random.default_rng(3), 40)
    whole = batch_of([read, "ACG", "TT"])
    mates = Mates(2, 1, 7)
    batch = ReadBatch(whole.bases, whole.offsets, whole.ambiguous_positions, 5, mates)
    found = taken(backend, batch, [0, 2], [40, 2])
    assert (found.n_repeated, found.mates) == (5, mates)
    check_same(found, batch_of([read, "TT"]))
