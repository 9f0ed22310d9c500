"""Wait for tasks of workers: interrupts are heard, lost workers are logged, and errors are those of this package."""

from __future__ import annotations

import queue
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from distributed import Client, Future, KilledWorker

from debruijn_gpu.distributed.cluster import workers_of
from debruijn_gpu.distributed.errors import ClusterError
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes

_WAITING_S = 0.1
#: Between looks at the workers, and before one when tasks are done; describing some hundred takes the scheduler a while
_LOOKING_S, _LAST_LOOK_S, _SEEN_AT_ONCE = 2.0, 0.2, 100
#: How long no task may run while Dask has paused workers; memory that they can free is free after some seconds
_PAUSED_S = 60.0


class Waiter:
    """Waits for the tasks of one client.

    Parameters
    ----------
    client : Client
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._workers: dict[str, str] = {}
        self._watched: list[weakref.ref[Future]] = []
        self._looked_at = -_LOOKING_S
        self._paused_since: float | None = None  # while no task runs
        self._look()

    def finished(self, futures: Sequence[Future]) -> Iterator[int]:
        """Yield the number of each future when it is done, in any order.

        Raises
        ------
        DbgError
            Of the first task that fails.
        """
        done: queue.SimpleQueue[int] = queue.SimpleQueue()
        for i, future in enumerate(futures):
            future.add_done_callback(lambda _future, i=i: done.put(i))
        for _ in futures:
            i = self._next(done)
            self._check(futures[i])
            yield i
        self._look(_LAST_LOOK_S)  # a worker that is lost is named, however soon others have done its work

    def result(self, future: Future) -> Any:
        """Return the result of a task, when it is done."""
        for _number in self.finished([future]):
            pass
        return future.result()

    def watch(self, futures: Sequence[Future]) -> None:
        """Raise the error of these, too, as long as they are kept: Dask makes them again where they are lost."""
        self._watched = [one for one in self._watched if one() is not None] + [weakref.ref(one) for one in futures]

    def _next(self, done: queue.SimpleQueue[int]) -> int:
        while True:
            with suppress(queue.Empty):
                number = done.get(timeout=_WAITING_S)
                self._paused_since = None  # a task has run, and the command works before it waits again
                return number
            self._look()

    def _look(self, interval_s: float = _LOOKING_S) -> None:
        """Log workers that are lost, if the last look is some time ago; raise an error if the scheduler is lost."""
        now = time.monotonic()
        if now < self._looked_at + interval_s * max(1.0, len(self._workers) / _SEEN_AT_ONCE):
            return
        if self._client.status not in ("running", "connecting"):
            raise _no_scheduler()
        workers = workers_of(self._client)
        for address, name in self._workers.items():
            if address not in workers:
                log.logger.warning("worker %s is lost: others do its work again", name)
        self._workers = {address: f"{worker['name']} ({address})" for address, worker in workers.items()}
        self._looked_at = now
        self._check_paused(workers, now)
        for future in filter(None, (one() for one in self._watched)):
            if future.status == "error":
                self._check(future)

    def _check_paused(self, workers: dict[str, Any], now: float) -> None:
        """Raise an error if no task has run for a minute, and workers are paused as they hold too much memory."""
        paused = [address for address, worker in workers.items() if worker["status"] == "paused"]
        if not paused or any(worker["metrics"]["task_counts"].get("executing") for worker in workers.values()):
            self._paused_since = None
        elif self._paused_since is None:
            self._paused_since = now
        elif now > self._paused_since + _PAUSED_S:
            worker = workers[paused[0]]
            held, limit = (format_bytes(n) for n in (worker["metrics"]["memory"], worker["memory_limit"]))
            raise OutOfMemoryError(
                f"worker {self._workers[paused[0]]} is paused by Dask, as it holds {held} of {limit}, and no task runs",
                "give workers more memory, or fewer threads each",
            )

    def _check(self, future: Future) -> None:
        """Raise the error of a task that failed."""
        if future.status == "finished":
            return
        if future.status != "error":
            raise _no_scheduler()
        error = future.exception()
        if isinstance(error, KilledWorker):
            name = getattr(error.last_worker, "name", error.last_worker)
            raise OutOfMemoryError(
                f"worker {name} ended during a task that had ended others before it: it takes too much memory",
                "give workers more memory, or fewer threads each",
            ) from error
        raise error


def _no_scheduler() -> ClusterError:
    return ClusterError("the scheduler was lost during the run", "look at its log, and run again")
