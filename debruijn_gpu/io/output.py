"""Write a result to a file, all or nothing, or to standard output."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from debruijn_gpu import progress
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.compression import compressed

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def access_error(where: Path | str, error: OSError) -> FileAccessError:
    """The error to report when writing fails."""
    fix = "free some space, or write elsewhere" if error.errno in _FULL else "choose another place to write"
    return FileAccessError(f"{where}: {error.strerror or error}", fix)


def temporary_name(path: Path) -> Path:
    """Where a file is written until it is whole.

    The same for every run, so that what a killed run leaves is replaced by the next one.
    """
    return path.with_name(f".{path.name}.part")


@contextmanager
def open_output(path: Path | str | None) -> Iterator[BinaryIO]:
    """Binary stream for a result; None and ``-`` are standard output.

    A file gets its name when the block ends well, and is not there otherwise; what was there before stays
    until then. It is compressed by the ending of its name (see `file_formats`). Devices and pipes are written directly.

    Raises
    ------
    FileAccessError
        If the file cannot be created or written.
    """
    if path is None or str(path) == "-":
        with _standard_output() as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            opened: AbstractContextManager[BinaryIO] = open(target, "wb")  # noqa: SIM115
        else:
            opened = _whole_file(target)
        with opened as file, compressed(file, str(path)) as stream:
            yield stream
    except OSError as error:
        if is_of_writing(error, target):
            raise access_error(path, error) from error
        raise


def write_lines(lines: Iterable[str]) -> None:
    """Write lines of text to standard output: UTF-8, whatever the locale.

    Raises
    ------
    FileAccessError
        If it is closed or cannot be written.
    """
    with open_output(None) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)


def check_writable(path: Path | str | None) -> None:
    """Raise what `open_output` would for a file that cannot be created; the work before it may take hours.

    Raises
    ------
    FileAccessError
        If the directory is not there or cannot be written, or the path is a directory.
    """
    if path is None or str(path) == "-":
        return
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not target.exists() or target.is_file():
            with tempfile.TemporaryFile(dir=target.parent):
                pass
    except OSError as error:
        raise access_error(path, error) from error


def is_of_writing(error: OSError, target: Path) -> bool:
    """Whether an error in the block is the output's own: it names no other file, and is not a closed pipe."""
    ours = (None, str(target), str(temporary_name(target)), target, temporary_name(target))
    return error.errno not in (None, errno.EPIPE) and error.filename in ours


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    if sys.stdout is None:
        raise FileAccessError("standard output: is closed", "write to a file with -o")
    try:
        with progress.hidden():
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno in (None, errno.EPIPE) or error.filename is not None:
            raise
        raise access_error("standard output", error) from error


@contextmanager
def _whole_file(target: Path) -> Iterator[BinaryIO]:
    """Write under another name, and rename in the end."""
    temporary = temporary_name(target)
    try:
        with open(temporary, "wb") as file:
            yield file
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
