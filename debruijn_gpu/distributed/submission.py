"""Submit tasks of a run, and move what they make to the tasks of each partition."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from debruijn_gpu.distributed import tasks
from debruijn_gpu.distributed.cluster import least_memory, n_threads
from debruijn_gpu.distributed.context import TaskContext
from debruijn_gpu.distributed.waiting import Waiter

if TYPE_CHECKING:
    from distributed import Client, Future

_MOST_PARTITIONS = 1024  # below 2^16: `tasks.scatter` sorts by them
_PARTITIONS_PER_THREAD = 3  # so that threads end at about the same time
_RANGES_PER_THREAD, _FEWER_RANGES_PER_THREAD, _ENOUGH_RANGES = 8, 2, 64
_SHARE = 0.25  # of a thread's memory, for what one partition takes


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
        key = f"{function.__name__}-{self.context.run_id}-{next(self._numbers)}"
        return self.client.submit(function, *arguments, key=key, pure=False)

    def shuffled(self, made: Sequence[Future], n_partitions: int) -> list[list[Future]]:
        """For each partition, what each task made for it."""
        by_task = [[self.submit(tasks.piece_of, one, i) for i in range(n_partitions)] for one in made]
        return [list(pieces) for pieces in zip(*by_task, strict=True)]

    def n_partitions(self, n_bytes: float) -> int:
        """Choose a number of partitions, by the memory that all of them take, and the threads there are now."""
        by_memory = int(n_bytes / (_SHARE * least_memory(self.client))) + 1
        return min(_MOST_PARTITIONS, max(by_memory, _PARTITIONS_PER_THREAD * n_threads(self.client)))

    def n_ranges(self) -> int:
        """Choose a number of parts of the reads: each is sent to each partition, which is a task for the scheduler."""
        n = n_threads(self.client)
        return max(_FEWER_RANGES_PER_THREAD * n, min(_RANGES_PER_THREAD * n, _ENOUGH_RANGES))
