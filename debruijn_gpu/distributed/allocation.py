"""What the C library of a worker does with freed memory.

Dask limits what its workers keep to 64 KiB (``MALLOC_TRIM_THRESHOLD_``). So the system maps, clears and unmaps the
memory of every array: that was a fifth of the CPU time of a worker. But what is kept counts to the size of the worker,
and Dask gives no tasks to one that nears its limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from distributed.utils import offload
from tornado.ioloop import PeriodicCallback

from debruijn_gpu.run.heaps import (
    ARENA_MAX,
    MMAP_THRESHOLD,
    MOST_HEAPS,
    TOP_PAD,
    TRIM_THRESHOLD,
    set_heap_options,
)
from debruijn_gpu.run.resources import LEAST_BUDGET, current_memory, return_free_memory

if TYPE_CHECKING:
    from distributed import Worker

_MOST_KEPT = 256 << 20
_SHARE = 8  # of the memory limit of a worker
_LARGEST_ON_HEAP = 32 << 20  # glibc's own maximum
_STEP = 16 << 20  # by which a heap grows
_NEAR = 0.9  # of the size at which Dask pauses a worker
_LARGE = 0.6  # of that, from which on a task begins without what is kept
_PAUSE_FRACTION = 0.8  # of the limit, where Dask does not pause it: it ends it at 0.95
_LOOKING_MS = 250
_CALLBACK = "debruijn_gpu_memory"


def keep_freed_memory(memory_bytes: int) -> None:
    """Keep at most 256 MiB and an eighth of a worker's memory; see `mallopt(3)`."""
    most = min(_MOST_KEPT, memory_bytes // _SHARE)
    set_heap_options(
        {
            ARENA_MAX: MOST_HEAPS,
            MMAP_THRESHOLD: min(most, _LARGEST_ON_HEAP),
            TRIM_THRESHOLD: most,
            TOP_PAD: min(most, _STEP),
        }
    )


def usable_memory(worker: Worker) -> int | None:
    """Bytes that tasks may take: where it can be, Dask does not pause their worker then. None: it has no limit."""
    most = _most(worker)
    return None if most is None else min(int(worker.memory_manager.memory_limit), max(LEAST_BUDGET, most))


def _most(worker: Worker) -> int | None:
    """Size of a worker, in bytes, that is near that at which Dask pauses it; None: it has no limit."""
    manager = worker.memory_manager
    if not manager.memory_limit:
        return None
    return int(_NEAR * (manager.memory_pause_fraction or _PAUSE_FRACTION) * manager.memory_limit)


def return_freed_memory(worker: Worker) -> None:
    """Give what is kept back to the system each time that a worker is near the size at which Dask pauses it.

    A paused worker begins no task: nothing else would make it smaller, and the run would wait for ever. What a task
    finds left is without what is kept, too.
    """
    most = _most(worker)
    if most is None:
        return
    if _CALLBACK not in worker.periodic_callbacks:
        worker.loop.add_callback(_begin_looking, worker, most)
    if current_memory() > _LARGE * most:
        return_free_memory()


def _begin_looking(worker: Worker, most: int) -> None:
    async def look() -> None:
        if current_memory() > most:
            await offload(return_free_memory)

    if _CALLBACK not in worker.periodic_callbacks:
        worker.periodic_callbacks[_CALLBACK] = PeriodicCallback(look, _LOOKING_MS)
        worker.periodic_callbacks[_CALLBACK].start()
