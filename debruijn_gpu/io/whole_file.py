"""Whole files: read within a memory limit, read several times, written under their name when complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from debruijn_gpu.errors import DbgError, FileAccessError, OutOfMemoryError
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name
from debruijn_gpu.io.staging import Staging, hidden_name
from debruijn_gpu.run import signals
from debruijn_gpu.run.resources import available_memory, format_bytes

_MODE = 0o666  # less the umask
_NAMELESS = getattr(os, "O_TMPFILE", None)


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces ``target`` if the block ends well, and vanishes otherwise.

    Raises
    ------
    OSError
        Errors of creating, writing and renaming, with the target as file name.
    """
    descriptor = _open_nameless(target.parent)
    if descriptor is None:
        with _staged_file(target) as file:
            yield file
        return
    with open(descriptor, "wb") as file:
        yield file
        file.flush()
        with signals.deferred(), _blamed_on(target):
            _publish(descriptor, target)


def _open_nameless(directory: Path) -> int | None:
    """Open a file without a name; None where that cannot be done, or it could not get a name later."""
    if _NAMELESS is None:
        return None
    try:
        descriptor = os.open(directory, os.O_RDWR | _NAMELESS | os.O_CLOEXEC, _MODE)
    except OSError:  # not on this file system; other errors come again with a name
        return None
    if os.path.exists(_link_of(descriptor)):
        return descriptor
    os.close(descriptor)
    return None


def _link_of(descriptor: int) -> str:
    return f"/proc/self/fd/{descriptor}"


def _publish(descriptor: int, target: Path) -> None:
    """Give a nameless file a random name, which cannot replace anything, and then its own."""
    temporary = hidden_name(target)
    try:
        # With a directory's descriptor, Python calls linkat, which can follow the link to the open file.
        os.link(_link_of(descriptor), temporary, src_dir_fd=descriptor, follow_symlinks=True)
    except OSError:  # a file system without links
        with open(os.dup(descriptor), "rb") as file, _staged_file(target) as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy)
        return
    try:
        os.replace(temporary, target)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def _staged_file(target: Path) -> Iterator[BinaryIO]:
    """Write in a private directory, and rename in the end."""
    with _blamed_on(target):
        staging = Staging(target)
    try:
        with _blamed_on(target):
            opened = open(staging.path / "file", "xb")  # noqa: SIM115
        with opened as file:
            yield file
        with signals.deferred(), _blamed_on(target):
            os.replace(staging.path / "file", target)
    finally:
        staging.remove()


@contextmanager
def _blamed_on(target: Path) -> Iterator[None]:
    """Name the target in errors about temporary names."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error


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


_BLOCK_BYTES = 1 << 20


def is_repeatable(source: str) -> bool:
    """Whether an input can be opened and read again: a regular file or a directory, and no pipe."""
    return source != STANDARD_INPUT and (os.path.isfile(source) or os.path.isdir(source))


@contextmanager
def readable_again(source: str, needed: bool) -> Iterator[str]:
    """Path by which an input can be read several times, if that is needed: of a pipe a temporary copy.

    Errors of reading the copy name the input.
    """
    if not needed or is_repeatable(source):
        yield source
        return
    check_readable(source, may_be_empty=True)
    with tempfile.NamedTemporaryFile(prefix="dbg-", buffering=0) as copy:
        with open(0 if source == STANDARD_INPUT else source, "rb", closefd=source != STANDARD_INPUT) as stream:
            _copy(stream, copy)
        try:
            yield copy.name
        except DbgError as error:
            error.what = error.what.replace(copy.name, display_name(source))
            raise


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
        what = f"{tempfile.gettempdir()}: temporary copy: {error.strerror or error}"
        raise FileAccessError(what, "free some space, set TMPDIR, or give a file instead of a pipe") from error
