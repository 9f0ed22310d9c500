"""The command does not wait for workers that cannot go on, nor for errors that cannot be moved."""

from __future__ import annotations

import queue
from types import SimpleNamespace
from typing import Any

import pytest

from debruijn_gpu.distributed import allocation, context, waiting
from debruijn_gpu.errors import OutOfMemoryError

GIB = 1 << 30


class _Client:
    """A client of one worker."""

    status = "running"

    def __init__(self, status: str, n_executing: int) -> None:
        metrics = {"task_counts": {"executing": n_executing, "long-running": 3}, "memory": 900 << 20}
        self.worker: dict[str, Any] = {"name": "one", "status": status, "metrics": metrics, "memory_limit": GIB}

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": {"tcp://1": self.worker}}


@pytest.fixture
def clock(monkeypatch):
    """A clock that advances by half of what is waited for at each look."""
    now = [0.0]

    def monotonic() -> float:
        now[0] += waiting._PAUSED_S / 2 + 1
        return now[0]

    monkeypatch.setattr(waiting.time, "monotonic", monotonic)


def test_a_run_without_tasks_ends_where_workers_are_paused(clock):
    waiter = waiting.Waiter(_Client("paused", 0))  # type: ignore[arg-type]
    waiter._look()
    with pytest.raises(OutOfMemoryError, match=r"worker one \(tcp://1\) is paused by Dask, as it holds 900.0 MiB of"):
        waiter._look()


@pytest.mark.parametrize(("status", "n_executing"), [("paused", 1), ("running", 0)])
def test_a_run_waits_while_tasks_may_run(clock, status, n_executing):
    waiter = waiting.Waiter(_Client(status, n_executing))  # type: ignore[arg-type]
    for _ in range(9):
        waiter._look()


def test_the_minute_begins_anew_when_a_task_runs(clock):
    client = _Client("paused", 0)
    waiter = waiting.Waiter(client)  # type: ignore[arg-type]
    for n_executing in (0, 1, 0, 0, 1, 0, 0):
        client.worker["metrics"]["task_counts"]["executing"] = n_executing
        waiter._look()


def test_work_of_the_command_between_tasks_is_not_waiting(clock):
    waiter = waiting.Waiter(_Client("paused", 0))  # type: ignore[arg-type]
    for number in range(5):
        done: queue.SimpleQueue[int] = queue.SimpleQueue()
        done.put(number)
        assert waiter._next(done) == number
        waiter._look()


def worker(limit: int | None, pause: float | bool = 0.8) -> Any:
    manager = SimpleNamespace(memory_limit=limit, memory_pause_fraction=pause)
    asked: list[Any] = []
    loop = SimpleNamespace(add_callback=lambda *call: asked.append(call))
    return SimpleNamespace(memory_manager=manager, periodic_callbacks={}, loop=loop, asked=asked)


@pytest.mark.parametrize(
    ("limit", "pause", "expected"),
    [
        (10 * GIB, 0.8, int(7.2 * GIB)),
        (10 * GIB, 0.5, int(4.5 * GIB)),
        (10 * GIB, False, int(7.2 * GIB)),
        (300 << 20, 0.8, 256 << 20),
        (200 << 20, 0.8, 200 << 20),
        (None, 0.8, None),
    ],
)
def test_tasks_leave_room_below_the_size_of_a_paused_worker(limit, pause, expected):
    found = allocation.usable_memory(worker(limit, pause))
    assert found == expected or abs(found - expected) <= 1


@pytest.mark.parametrize(("limit", "is_watched"), [(100 * GIB, True), (None, False)])
def test_a_worker_with_a_limit_is_watched(limit, is_watched):
    one = worker(limit)
    allocation.return_freed_memory(one)
    assert bool(one.asked) == is_watched


class _UnmovableError(Exception):
    """An error that pickle cannot make again."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


def test_errors_that_pickle_cannot_move_are_found():
    assert context._is_movable(ValueError("a"))
    assert not context._is_movable(_UnmovableError("a", "b"))
