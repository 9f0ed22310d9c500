"""Memory that is asked for before it is taken."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.kmers.table import HeldTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.room import SharedRoom, make_room
from tests.helpers import batch_of, table_of

RUN = RunOptions(backend="cpu", threads=1)


class Store:
    """A store that holds some bytes until it spills."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        log.current_run().stores.add(self)

    def spill(self) -> None:
        self.n_bytes = 0


@pytest.fixture
def store():
    with log.new_run():
        yield Store(60)


def test_stores_keep_their_memory_while_there_is_room(store):
    assert make_room(40, "x", lambda: 100 - store.n_bytes) == 40
    assert store.n_bytes == 60


def test_stores_make_room(store):
    assert make_room(41, "x", lambda: 100 - store.n_bytes) == 100
    assert store.n_bytes == 0


def test_what_does_not_fit_even_so_names_need_and_budget(store):
    with pytest.raises(OutOfMemoryError, match="the graph takes about 101 B, and 100 B are left for it") as raised:
        make_room(101, "the graph", lambda: 100 - store.n_bytes, "use a larger machine")
    assert (raised.value.fix, raised.value.exit_code) == ("use a larger machine", 137)


def test_reads_that_make_room_are_the_same_reads(tmp_path):
    batches = [batch_of(["ACGTACGTNA", "GG"]), batch_of(["TTTTT"]), batch_of([])]
    with log.new_run():
        store = CPU.reads.read_store(iter(batches), RunOptions(backend="cpu", memory="1G", tmp_dir=tmp_path))
        half_read = iter(store)
        first = next(half_read)
        for _ in range(2):
            log.current_run().spill()
            found = [first, *half_read] if first is not None else list(store)
            first = None
            for one, batch in zip(found, batches, strict=True):
                for a, b in (
                    (one.bases, batch.bases),
                    (one.offsets, batch.offsets),
                    (one.ambiguous_positions, batch.ambiguous_positions),
                ):
                    assert np.array_equal(a, b)
                assert (one.n_repeated, one.mates) == (batch.n_repeated, batch.mates)
        store.close()
        log.current_run().spill()  # of a store that is closed


def test_a_table_that_makes_room_is_the_same_table(tmp_path, tune):
    tune(held_kmers_at_once=2)
    table = table_of({"AAC": 1, "ACC": 5, "CCC": 2, "CCT": 9, "GAA": 1}, 3)
    with log.new_run():
        held = HeldTable(table, RunOptions(backend="cpu", memory="1G", tmp_dir=tmp_path), CPU)
        log.current_run().spill()
        log.current_run().spill()
        parts = list(held.parts(0, CPU))
        assert [len(part) for part in parts] == [2, 2, 1]
        assert np.array_equal(np.concatenate([part.codes for part in parts], axis=1), table.codes)
        assert np.array_equal(np.concatenate([part.counts for part in parts]), table.counts)
        log.current_run().spill()  # of a table that was used


def start(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_threads_wait_for_room_until_others_have_finished():
    room, left, order = SharedRoom(), [60], []
    has_begun, may_end = threading.Event(), threading.Event()

    def first() -> None:
        with room.room(60, "a graph", lambda: left[0]):
            left[0] = 0
            has_begun.set()
            assert may_end.wait(60)
            order.append("first")
            left[0] = 60

    def second() -> None:
        with room.room(60, "a graph", lambda: left[0]):
            order.append("second")

    threads = [start(first)]
    assert has_begun.wait(60)
    threads.append(start(second))
    threads[1].join(0.2)
    assert threads[1].is_alive()
    may_end.set()
    for thread in threads:
        thread.join(60)
    assert order == ["first", "second"]


def test_a_thread_alone_does_not_wait_for_room():
    room = SharedRoom()
    for _ in range(2):  # the first error leaves nothing behind
        with pytest.raises(OutOfMemoryError, match="a graph takes about 61 B"), room.room(61, "a graph", lambda: 60):
            pass
    with room.room(60, "a graph", lambda: 60):
        pass


def test_errors_of_others_end_waiting_for_room():
    room, has_begun, may_end, found = SharedRoom(), threading.Event(), threading.Event(), []

    def first() -> None:
        with suppress(ValueError), room.room(60, "a graph", lambda: 60):
            has_begun.set()
            assert may_end.wait(60)
            raise ValueError

    def second() -> None:
        try:
            with room.room(60, "a graph", lambda: 50):
                pass
        except OutOfMemoryError as error:
            found.append(error.exit_code)

    threads = [start(first)]
    assert has_begun.wait(60)
    threads.append(start(second))
    may_end.set()
    for thread in threads:
        thread.join(60)
    assert found == [137]
