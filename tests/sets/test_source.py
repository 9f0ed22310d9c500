"""Sorted sets of k-mers in memory, of the host and of a device."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.sets import source
from debruijn_gpu.sets.source import DeviceKmers, HeldKmers
from tests.helpers import table_of

pytestmark = pytest.mark.cuda


def random_table(n: int, k: int) -> KmerTable:
    rng = random.Random(n)
    kmers = {"".join(rng.choices("ACGT", k=k)) for _ in range(n)}
    return table_of({kmer: i + 1 for i, kmer in enumerate(sorted(kmers))}, k)


@pytest.mark.parametrize("k", [4, 31, 40])
@pytest.mark.parametrize("n", [0, 1, 5, 100])
@pytest.mark.parametrize(("marked", "most", "read"), [(1 << 14, 64, 1 << 13), (3, 64, 2), (3, 4, 1), (1, 1000, 1)])
def test_sets_on_a_device_are_read_as_those_of_the_host(monkeypatch, backend, n, k, marked, most, read):
    for name, value in (("_MARKED_KMERS", marked), ("_MOST_MARKS", most), ("_READ_KMERS", read)):
        monkeypatch.setattr(source, name, value)
    table = random_table(n, k)
    held = HeldKmers("x", table)
    found = DeviceKmers("x", table.moved(backend.to_device), backend.to_host)
    assert (found.name, found.k, found.canonical, len(found)) == ("x", k, True, len(held))
    marks = found.marks()
    assert sum(size for _, size in marks) == len(held)
    codes = [0, *(code for code, _ in marks), *(code + 1 for code, _ in marks), 1 << (2 * k)]
    for low, high in [*pairwise(sorted(set(codes))), (0, 1 << (2 * k)), (5, 5)]:
        expected, got = held.read(low, high), found.read(low, high)
        assert [array.tolist() for array in got] == [array.tolist() for array in expected]
    found.check()
    found.close()
