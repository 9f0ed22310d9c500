"""Limit how many heaps the C library keeps, and what goes there.

glibc makes one for each thread, up to eight for each CPU. Each keeps freed memory, in pieces that other threads cannot
have, and some of it even when asked to give it back: an assembly with 16 threads and `-m 560M` then held 178 to 197 MiB
between two rounds, and 64 MiB with four heaps.

Arrays of some MiB are mapped one by one at first, and unmapped when they are freed. Each that is freed raises the size
below which glibc takes arrays from a heap, up to 32 MiB, where gaps between small objects cannot be given back. With a
fixed size, that assembly at `-m 540M` took 502 instead of 561 MiB, and as much time. A fixed size also ends that glibc
keeps twice as much at the end of a heap, instead of 128 KiB; so that is set, too: without it, a union of sets of k-mers
spends a tenth of its time on memory that goes to and fro.
"""

from __future__ import annotations

from collections.abc import Mapping

MOST_HEAPS = 4
#: Bytes of the largest array on a heap
LARGEST_ON_HEAP = 8 << 20
# Options of glibc's malloc.h
ARENA_MAX, MMAP_THRESHOLD, TOP_PAD, TRIM_THRESHOLD = -8, -3, -2, -1


def set_heap_options(options: Mapping[int, int]) -> None:
    """Set options of `mallopt(3)`, where the C library is glibc."""
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in options.items():
            mallopt(option, value)


def limit_heaps() -> None:
    """Let threads that start later share a few heaps, without large arrays."""
    set_heap_options({ARENA_MAX: MOST_HEAPS, MMAP_THRESHOLD: LARGEST_ON_HEAP, TRIM_THRESHOLD: 2 * LARGEST_ON_HEAP})
