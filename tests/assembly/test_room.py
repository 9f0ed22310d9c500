"""Memory that is asked for before it is taken."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.room import make_room
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.kmers.table import HeldTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
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
