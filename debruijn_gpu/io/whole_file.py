"""Files that get their name when they are whole.

Where the system can, a file has no name until then (``O_TMPFILE``), so that nothing is left of a run that is killed.
Elsewhere it is in a private directory, which the next run removes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from debruijn_gpu.io.staging import Staging, hidden_name
from debruijn_gpu.run import signals

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
