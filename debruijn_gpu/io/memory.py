"""A limit for what is read into memory."""

from __future__ import annotations

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.resources import format_bytes

#: Copies of the numbers that sorting them takes: they themselves, what becomes of them, and room to work
COPIES = 3


def check_size(n_bytes: int, n_bytes_allowed: int | None) -> None:
    """Raise an error if numbers of that size, with what work on them takes, are more than is allowed."""
    if n_bytes_allowed is not None and COPIES * n_bytes > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: the input takes more than {format_bytes(COPIES * n_bytes)}, "
            f"and {format_bytes(n_bytes_allowed)} are allowed",
            "allow more (-m), or give the job more memory",
        )
