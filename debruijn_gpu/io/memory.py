"""A limit for what is read into memory."""

from __future__ import annotations

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.resources import format_bytes

#: Copies of the numbers that sorting them takes: they themselves, what becomes of them, and room to work
COPIES = 3


def check_size(n_bytes: int, n_bytes_allowed: int | None, n_bytes_of_text: int = 0) -> None:
    """Raise an error if numbers of that size, with `COPIES` of them for work, and text exceed what is allowed."""
    n_needed = COPIES * n_bytes + n_bytes_of_text + n_bytes_of_text // 8  # as a bytearray that grows
    if n_bytes_allowed is not None and n_needed > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: the input takes more than {format_bytes(n_needed)}, "
            f"and {format_bytes(n_bytes_allowed)} are allowed",
            "allow more (-m), or give the job more memory",
        )
