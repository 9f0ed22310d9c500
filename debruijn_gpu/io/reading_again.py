"""Inputs that are read several times, also pipes and devices, which can be opened once; a memory limit for input."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from debruijn_gpu.errors import DbgError, FileAccessError, OutOfMemoryError
from debruijn_gpu.io.opening import STANDARD_INPUT, Block, check_readable, display_name
from debruijn_gpu.run import repeatable
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import available_memory, current_memory, format_bytes, memory_left

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


_UNWATCHED_BYTES = 4 << 20  # of text, whose records fit into any budget
_budget = RunOptions.memory


def set_budget(memory: str) -> None:
    """Set the memory budget of the command (``-m``) for `within_budget`."""
    global _budget
    _budget = memory


def within_budget(blocks: Iterable[Block], source: str) -> Iterator[Block]:
    """Pass blocks through as long as what their reader makes of them fits into the memory budget of the command.

    For readers that hold records as Python objects, which take many times as much as the text: a small compressed file
    can hold more of them than fit. Where a reader counts what it takes, `check_size` is more exact.

    Parameters
    ----------
    blocks : iterable of Block
    source : str
        Name of the file in messages.

    Raises
    ------
    OutOfMemoryError
        If this process has grown by more than was left of the budget.
    """
    before, n_bytes, allowed = current_memory(), 0, None
    for block in blocks:
        yield block
        n_bytes += block.end - block.start
        if n_bytes < _UNWATCHED_BYTES:
            continue
        taken = current_memory() - before
        if allowed is None:
            allowed = memory_left(_budget) + taken
        if taken > allowed:
            raise OutOfMemoryError(
                f"Out of memory: {source}: {format_bytes(n_bytes)} of text take {format_bytes(taken)}, "
                f"and {format_bytes(allowed)} are allowed",
                "check that this is the right file, or give the job more memory",
            )


_BLOCK_BYTES = 1 << 20


def is_repeatable(source: str) -> bool:
    """Whether an input can be opened and read again: a regular file or a directory, and no pipe."""
    return source != STANDARD_INPUT and (os.path.isfile(source) or os.path.isdir(source))


@contextmanager
def readable_again(source: str, needed: bool) -> Iterator[str]:
    """Path by which an input can be read several times, if that is needed: of a pipe a temporary copy.

    The copy has no name, so that nothing is left of a run that is killed. Errors of reading the copy name the input.
    """
    if not needed or is_repeatable(source):
        yield source
        return
    check_readable(source, may_be_empty=True)
    repeatable.note_used_up(display_name(source))
    with _temporary_file() as copy:
        path = f"/proc/self/fd/{copy.fileno()}"
        with open(0 if source == STANDARD_INPUT else source, "rb", closefd=source != STANDARD_INPUT) as stream:
            _copy(stream, copy)
        try:
            yield path
        except DbgError as error:
            error.what = error.what.replace(path, display_name(source))
            raise


def _temporary_file() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile(buffering=0)
    except OSError as error:
        raise _no_copy(error) from error


def _copy(stream: IO[bytes], copy: IO[bytes]) -> None:
    """Copy a stream into a temporary file without a buffer, whose rest would be written once more after an error."""
    while block := stream.read(_BLOCK_BYTES):
        _write(copy, memoryview(block))


def _write(copy: IO[bytes], rest: memoryview) -> None:
    """Write all of some bytes; an error names the directory of the temporary file."""
    try:
        while len(rest):
            rest = rest[copy.write(rest) :]
    except OSError as error:
        raise _no_copy(error) from error


def _no_copy(error: OSError) -> FileAccessError:
    what = f"{tempfile.tempdir or 'TMPDIR'}: temporary copy: {error.strerror or error}"
    return FileAccessError(what, "free some space, set TMPDIR, or give a file instead of a pipe")
