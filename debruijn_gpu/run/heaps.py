"""Limit how many heaps the C library keeps.

glibc makes one for each thread, up to eight for each CPU. Each keeps freed memory, in pieces that other threads cannot
have, and some of it even when asked to give it back: with 16 threads and `-m 540M`, 300 of 540 MiB were held that way.
"""

from __future__ import annotations

MOST_HEAPS = 4
_ARENA_MAX = -8  # of glibc's malloc.h


def limit_heaps() -> None:
    """Let threads that start later share a few heaps, where the C library is glibc."""
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, MOST_HEAPS)
