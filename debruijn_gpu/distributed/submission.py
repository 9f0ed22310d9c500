"""Submit tasks of a run, and choose how many there are."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from debruijn_gpu.assembly.cluster_tasks import n_partitions, n_ranges
from debruijn_gpu.distributed import exchange
from debruijn_gpu.distributed.cluster import least_memory, n_threads
from debruijn_gpu.distributed.context import TaskContext
from debruijn_gpu.distributed.waiting import Waiter

if TYPE_CHECKING:
    from distributed import Client, Future

_SHARE = 0.25  # of a thread's memory, for what one partition takes


class Exchange:
    """Results of tasks, for other tasks in pieces; see `exchange`. They are kept as long as this object is.

    Parameters
    ----------
    submission : Submission
    made : sequence of Future
        All of them done.
    """

    def __init__(self, submission: Submission, made: Sequence[Future]) -> None:
        self._made = list(made)
        where = submission.client.who_has(self._made)
        places = (next(iter(where.get(future.key, ())), "") for future in self._made)
        directory = exchange.Directory(tuple(future.key for future in self._made), tuple(places))
        self.directory = submission.submit(exchange.given, directory)
        submission.waiter.watch(self._made)


class Submission:
    """Submits tasks of one run.

    Parameters
    ----------
    client : Client
    context : TaskContext
    """

    def __init__(self, client: Client, context: TaskContext) -> None:
        self.context = context
        self.waiter = Waiter(client)
        self.client = client
        self._numbers = itertools.count()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Submit a function of `tasks`; Dask runs it again wherever its result is lost."""
        return self.client.submit(function, *arguments, key=self._key(function), pure=False)

    def _key(self, function: Callable[..., Any]) -> str:
        return f"{function.__name__}-{self.context.run_id}-{next(self._numbers)}"

    def submit_all(self, function: Callable[..., Any], each: Sequence[tuple[Any, ...]], *same: Any) -> list[Future]:
        """Submit a function for each arguments, and the same ones behind, at once: Dask sees tasks that are alike."""
        keys = [self._key(function) for _one in each]
        columns = [list(column) for column in zip(*each, strict=True)]
        columns += [[one] * len(each) for one in same]
        return self.client.map(function, *columns, key=keys, pure=False) if each else []

    def exchange(self, made: Sequence[Future]) -> Exchange:
        """Let tasks have pieces of the results of others, which are done."""
        return Exchange(self, made)

    def n_partitions(self, n_bytes: float, n_bases: float) -> int:
        """Choose a number of partitions, by the memory that all of them take, the work, and the threads there are."""
        by_memory = math.ceil(n_bytes / (_SHARE * least_memory(self.client)))
        return n_partitions(n_threads(self.client), by_memory, n_bases)

    def n_ranges(self, n_bases: float) -> tuple[int, int]:
        """Choose a number of parts of the reads, by the work, and the threads there are; returns both."""
        n = n_threads(self.client)
        return n_ranges(n, n_bases), n
