"""Threads over independent items."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from debruijn_gpu.run.parallel import end_idle_threads, ordered_map


@pytest.fixture(autouse=True)
def no_idle_threads():
    end_idle_threads()
    yield
    end_idle_threads()


def threads_now():
    return {thread.ident for thread in threading.enumerate() if thread.name.startswith("dbg")}


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_results_are_in_order(threads, n):
    assert list(ordered_map(lambda i: i * i, range(n), threads)) == [i * i for i in range(n)]


def test_threads_are_used_again():
    list(ordered_map(str, range(20), 3))
    first = threads_now()
    list(ordered_map(str, range(20), 3))
    assert threads_now() == first
    end_idle_threads()
    assert threads_now() == set()


def test_work_that_shares_out_work():
    inner = lambda i: sum(ordered_map(lambda j: i * j, range(9), 2))  # noqa: E731
    assert list(ordered_map(inner, range(9), 2)) == [36 * i for i in range(9)]


def test_a_failure_ends_the_threads():
    with pytest.raises(ZeroDivisionError):
        list(ordered_map(lambda i: 1 // (i - 5), range(50), 3))
    assert threads_now() == set()


def test_who_has_seen_enough_ends_the_threads():
    results = ordered_map(str, range(50), 3)
    assert next(results) == "0"
    results.close()
    assert threads_now() == set()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_before_the_failure_to_draw_more(threads):
    def items():
        yield from range(4)
        raise ValueError("no more")

    results = ordered_map(lambda i: i * i, items(), threads)
    assert [next(results) for _ in range(4)] == [0, 1, 4, 9]
    with pytest.raises(ValueError, match="no more"):
        next(results)
    assert threads_now() == set()


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")  # where the tests themselves have threads
def test_a_child_has_threads_of_its_own():
    list(ordered_map(str, range(9), 3))
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(list(ordered_map(str, range(9), 3)) != list("012345678"))
    assert os.waitpid(child, 0)[1] == 0
