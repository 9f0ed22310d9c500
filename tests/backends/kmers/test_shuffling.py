"""Super-k-mers that are packed for another process are counted there, on each backend, like the reads themselves."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, kmers_of, random_sequence
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda

RUN = RunOptions(backend="cpu", threads=1)
BITS = 11


def some_reads(n, length):
    return [random_sequence(np.random.default_rng(seed), length) for seed in range(n)]


def packed(batches, k, bounds):
    """Pieces of each range of buckets."""
    pieces = zip(*(backends.host().kmers.pack_super_kmers(batch, k, BITS, bounds) for batch in batches), strict=True)
    return [list(some) for some in pieces]


def counted(backend, pieces, k, canonical=True, min_count=1):
    parts = [
        part for some in pieces for part in backend.kmers.count_super_kmers(list(some), k, canonical, min_count, RUN)
    ]
    histogram = np.zeros(max((len(part.histogram) for part in parts), default=1), np.int64)
    for part in parts:
        histogram[: len(part.histogram)] += part.histogram
    if not parts:
        return {}, histogram
    codes, counts = map(backend.to_host, backend.kmers.concatenate_counted(parts, k, 1))
    return dict(zip(kmers_of(codes, k), map(int, counts), strict=True)), histogram


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("k", [3, 21, 32, 33])
def test_packed_super_kmers_count_like_reads(backend, k, canonical):
    reads = some_reads(3, 50) * 2 + [
        "A" * 40,
        "ACGT" * 9,
        "ACN",
        "",
    ]
    pieces = packed([batch_of(reads[:4]), batch_of(reads[4:])], k, np.array([0, 300, 301, 2048]))
    expected = naive.count(reads, k, canonical)
    assert sum(piece.n_kmers for some in pieces for piece in some) == sum(expected.values())
    found, histogram = counted(backend, pieces, k, canonical)
    assert found == expected
    assert np.array_equal(np.trim_zeros(histogram, "b"), np.bincount(list(expected.values())))
    frequent, _histogram = counted(backend, pieces, k, canonical, 2)
    assert frequent == {kmer: n for kmer, n in expected.items() if n >= 2}


def test_ranges_do_not_share_kmers(backend):
    reads = some_reads(2, 200)
    pieces = packed([batch_of(reads)], 21, np.array([0, 700, 1400, 2048]))
    found = [set(counted(backend, [some], 21)[0]) for some in pieces]
    assert all(found)
    assert sum(map(len, found)) == len(set().union(*found))


def test_no_kmers_have_no_parts(backend):
    pieces = packed([batch_of(["ACGT"])], 21, np.array([0, 2048]))
    assert counted(backend, pieces, 21)[0] == {}
    assert list(backend.kmers.count_super_kmers([], 21, True, 1, RUN)) == []
