"""Write a result to a file, all or nothing, or to standard output."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from debruijn_gpu.io.compression.writing import compressed
from debruijn_gpu.io.publishing import access_error, publish
from debruijn_gpu.io.whole_file import whole_file
from debruijn_gpu.run import progress, repeatable

_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_MOST_LINKS = 40


@contextmanager
def open_output(path: Path | str | None) -> Iterator[BinaryIO]:
    """Binary stream for a result; None and ``-`` are standard output.

    A file gets its name when the block ends well, or together with other results of a command when the last one is
    complete (see `publishing`), and is not there otherwise. What was there before stays until then; its group and
    permissions are kept. It is compressed by the ending of its name (see `file_formats`).
    Devices, pipes and open descriptors (``/dev/stdout``, ``/dev/fd/63``) are written directly.

    Raises
    ------
    FileAccessError
        If the file cannot be created or written.
    """
    descriptor = 1 if path is None else _descriptor_of(path)
    if path is None or descriptor == 1:
        with _standard_output() as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    try:
        with _opened(target, descriptor) as file, compressed(file, str(path)) as stream:
            yield stream
    except OSError as error:
        if is_of_writing(error, target):
            raise access_error(path, error) from error
        raise


def _opened(target: Path, descriptor: int | None) -> AbstractContextManager[BinaryIO]:
    """Open a target, or a copy of a descriptor, so that the shell's ``>>`` stays an appending one."""
    is_direct = descriptor is not None or (target.exists() and not stat.S_ISREG(target.stat().st_mode))
    if is_direct:
        repeatable.note_written(str(target))
        return open(target if descriptor is None else os.dup(descriptor), "wb")
    return whole_file(target, publish)


def is_standard_output(path: Path | str | None) -> bool:
    """Return whether a result goes to standard output: None, ``-``, or a name of it."""
    return path is None or _descriptor_of(path) == 1


def _descriptor_of(path: Path | str) -> int | None:
    """Return the descriptor of this process that a path stands for, or None."""
    name = os.fspath(path)
    if name == "-":
        return 1
    for _ in range(_MOST_LINKS):
        found = _DESCRIPTOR.fullmatch(name)
        if found or name in _STREAMS:
            return int(found[1]) if found else _STREAMS[name]
        if not os.path.islink(name):
            return None
        name = os.path.join(os.path.dirname(name), os.readlink(name))
    return None


def write_lines(lines: Iterable[str], path: str | None = None) -> None:
    """Write lines of text to a file or standard output (see `open_output`): UTF-8, whatever the locale.

    Raises
    ------
    FileAccessError
        If it is closed or cannot be written.
    """
    with open_output(path) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)


def check_writable(path: Path | str | None) -> None:
    """Raise the errors of `open_output` for a file that cannot be created, before work that may take hours.

    Raises
    ------
    FileAccessError
        If the directory is not there or cannot be written, or the path is a directory.
    """
    if path is None or str(path) == "-":
        return
    target = Path(os.path.realpath(path))
    try:
        descriptor = _descriptor_of(path)
        if descriptor is not None:
            os.fstat(descriptor)
            return
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not target.exists() or target.is_file():
            with tempfile.TemporaryFile(dir=target.parent):
                pass
    except OSError as error:
        raise access_error(path, error) from error


def is_of_writing(error: OSError, target: Path) -> bool:
    """Whether an error in the block is the output's own: it names no other file, and is not a closed pipe."""
    return error.errno not in (None, errno.EPIPE) and error.filename in (None, str(target), target)


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    try:
        with progress.hidden():
            repeatable.note_written("standard output")
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno in (None, errno.EPIPE) or error.filename is not None:
            raise
        raise access_error("standard output", error) from error
