"""A memory limit for input."""

from __future__ import annotations

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.resources import available_memory, format_bytes

#: Copies of the numbers that sorting them takes: they themselves, what becomes of them, and room to work
COPIES = 3
_SEGMENT_SHARE = 0.125  # of the available memory, for one line of GFA, which is in memory as a whole and in parts
_LINE_COPIES = 8  # parts of a line, the line, and what is parsed of it


def check_size(n_bytes: int, n_bytes_allowed: int | None, n_bytes_of_text: int = 0) -> None:
    """Raise an error if numbers of that size, with `COPIES` of them for work, and text exceed what is allowed."""
    n_needed = COPIES * n_bytes + n_bytes_of_text + n_bytes_of_text // 8  # as a bytearray that grows
    if n_bytes_allowed is not None and n_needed > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: the input takes more than {format_bytes(n_needed)}, "
            f"and {format_bytes(n_bytes_allowed)} are allowed",
            "allow more (-m), or give the job more memory",
        )


def longest_line(n_bytes_allowed: int | None) -> int | None:
    """Return the maximum length of a line in bytes; None: no limit."""
    return None if n_bytes_allowed is None else n_bytes_allowed // _LINE_COPIES


def longest_segment() -> int:
    """Bytes of one line of GFA where no budget is given."""
    return int(available_memory() * _SEGMENT_SHARE)
