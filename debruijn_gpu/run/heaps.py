"""Limit how many heaps the C library keeps.

glibc makes one for each thread, up to eight for each CPU. Each keeps freed memory, in pieces that other threads cannot
have, and some of it even when asked to give it back: an assembly with 16 threads and `-m 560M` then held 178 to 197 MiB
between two rounds, and 64 MiB with four heaps.
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
