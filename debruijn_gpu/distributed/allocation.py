"""Let the C library of a worker keep freed memory for the next arrays.

Dask limits what its workers keep to 64 KiB (``MALLOC_TRIM_THRESHOLD_``). So the system maps, clears and unmaps the
memory of every array: that was a fifth of the CPU time of a worker.
"""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # of glibc's malloc.h
_MOST_KEPT = 256 << 20
_SHARE = 8  # of the memory limit of a worker
_LARGEST_ON_HEAP = 32 << 20  # glibc's own maximum
_STEP = 16 << 20  # by which a heap grows


def keep_freed_memory(memory_bytes: int) -> None:
    """Keep at most 256 MiB and an eighth of a worker's memory; see `mallopt(3)`."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # glibc has it
    if mallopt is not None:
        most = min(_MOST_KEPT, memory_bytes // _SHARE)
        mallopt(_MMAP_THRESHOLD, min(most, _LARGEST_ON_HEAP))
        mallopt(_TRIM_THRESHOLD, most)
        mallopt(_TOP_PAD, min(most, _STEP))
