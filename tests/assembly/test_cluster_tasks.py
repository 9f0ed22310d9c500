"""Numbers of tasks follow from threads, memory and work."""

from __future__ import annotations

import pytest

from debruijn_gpu.assembly.cluster_tasks import MOST_PARTITIONS, most_tasks, n_partitions, n_ranges


@pytest.mark.parametrize("n_bases", [0, 1e6, 1e9, 150e9, 10e12])
def test_more_threads_do_not_make_more_tasks_than_pay(n_bases):
    for number in (n_ranges, lambda threads, bases: n_partitions(threads, 1, bases)):
        found = [number(threads, n_bases) for threads in (1, 2, 10, 100, 10_000, 1_000_000)]
        assert found == sorted(found)
        assert found[-1] == most_tasks(n_bases)


def test_a_thread_has_several_tasks():
    for threads in (1, 2, 20):
        assert n_partitions(threads, 1, 1e9) == 3 * threads
        assert n_ranges(threads, 1e9) >= 3 * threads


def test_memory_asks_for_more_partitions_than_pay():
    assert n_partitions(10, 5000, 1e9) == 5000
    assert n_partitions(10, 10**6, 1e9) == MOST_PARTITIONS
