"""Store packed reads on the device; see `ReadOperations`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain

from debruijn_gpu.backends.core import pinned
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.memory import to_device
from debruijn_gpu.backends.core.cuda.runtime import to_host
from debruijn_gpu.backends.reads.protocol import ReadBatch, ReadStore as HostReadStore
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning

block_bytes = pinned.TEXT_BYTES

_LARGE_BLOCK_BYTES = 32 << 20  # whose launches take less time than the kernels
_BLOCKS_OF_BUDGET = 128  # that the memory budget holds at least: parsing takes some bytes for each byte of text

leaves_cpus_free = True


def large_block_bytes() -> int:
    """See `ReadOperations.large_block_bytes`."""
    return min(_LARGE_BLOCK_BYTES, memory.budget() // _BLOCKS_OF_BUDGET)


class ReadStore:
    """Batches of reads in input order, to be iterated over as often as needed.

    Parameters
    ----------
    batches : iterable of ReadBatch
        With arrays of the device; read to the end at once.
    device_bytes : int
        What may stay on the device. The batches from the first one that does not fit on go to the host.
    run : RunOptions
        How much may stay in the host's memory, and where the rest goes.
    """

    def __init__(self, batches: Iterable[ReadBatch], device_bytes: int, run: RunOptions) -> None:
        self._on_device: deque[ReadBatch] = deque()
        self._on_host: HostReadStore | None = None
        held = 0
        rest = iter(batches)
        for batch in rest:
            if held + batch.nbytes > device_bytes:
                log.logger.info(
                    "reads take more than %s of GPU memory: the rest stays outside", format_bytes(device_bytes)
                )
                from debruijn_gpu.backends.reads.cpu import stores  # seldom needed

                self._on_host = stores.read_store((batch.moved(to_host) for batch in chain([batch], rest)), run)
                return
            held += batch.nbytes
            self._on_device.append(batch)

    def __iter__(self) -> Iterator[ReadBatch]:
        yield from progress.through(list(self._on_device), len(self._on_device))
        for batch in self._on_host or ():
            yield batch.moved(to_device)

    def drained(self) -> Iterator[ReadBatch]:
        """See `ReadStore.drained`."""
        n = len(self._on_device)
        yield from progress.through((self._on_device.popleft() for _ in range(n)), n)
        for batch in self._on_host.drained() if self._on_host is not None else ():
            yield batch.moved(to_device)

    def close(self) -> None:
        """Give memory and scratch space back."""
        self._on_device.clear()
        if self._on_host is not None:
            self._on_host.close()


def read_store(batches: Iterable[ReadBatch], run: RunOptions) -> ReadStore:
    """See `ReadOperations.read_store`."""
    return ReadStore(batches, int(memory.budget() * tuning().device_reads_share), run)
