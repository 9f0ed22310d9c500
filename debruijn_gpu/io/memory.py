"""A limit for what is read into memory."""

from __future__ import annotations

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.resources import format_bytes

#: Copies of the numbers that sorting them takes: they themselves, what becomes of them, and room to work
COPIES = 3
_LINE_COPIES = 8  # parts of a line, the line, and what is parsed of it


def check_size(n_bytes: int, n_bytes_allowed: int | None) -> None:
    """Raise an error if numbers of that size, with what work on them takes, are more than is allowed."""
    if n_bytes_allowed is not None and COPIES * n_bytes > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: the input takes more than {format_bytes(COPIES * n_bytes)}, "
            f"and {format_bytes(n_bytes_allowed)} are allowed",
            "allow more (-m), or give the job more memory",
        )


def longest_line(n_bytes_allowed: int | None) -> int | None:
    """Bytes of one line of text where lines may be long; None: no limit."""
    return None if n_bytes_allowed is None else n_bytes_allowed // _LINE_COPIES
