"""Files that get their name when they are whole.

Where the system can, a file has no name until then (``O_TMPFILE``), so that nothing is left of a run that is killed.
Elsewhere it is in a private directory, which the next run removes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from debruijn_gpu.io.publishing import Result, blamed_on, keep_mode, publish_at_once
from debruijn_gpu.io.staging import Staging, hidden_name

_MODE = 0o666  # less the umask
_NAMELESS = getattr(os, "O_TMPFILE", None)


@contextmanager
def whole_file(target: Path, publish: Callable[[Result], None] = publish_at_once) -> Iterator[BinaryIO]:
    """Open a file that replaces ``target``, with its permissions, if the block ends well, and vanishes otherwise.

    Parameters
    ----------
    target : Path
    publish : callable
        Takes the complete file; `publishing.publish` lets it wait for other results of the command.

    Raises
    ------
    OSError
        Errors of creating, writing and renaming, with the target as file name.
    """
    descriptor = _open_nameless(target.parent)
    result = _StagedFile(target) if descriptor is None else _NamelessFile(descriptor, target)
    try:
        yield result.file
        result.file.flush()
        publish(result)
    except BaseException:
        result.discard()
        raise


class _NamelessFile:
    """A file without a name, which gets a random one, which cannot replace anything, and then its own."""

    def __init__(self, descriptor: int, target: Path) -> None:
        self.file: BinaryIO = open(descriptor, "wb")  # noqa: SIM115
        self._target = target
        self._temporary: Path | None = None
        self._copy: _StagedFile | None = None

    def prepare(self) -> None:
        """See `Result`."""
        temporary = hidden_name(self._target)
        descriptor = self.file.fileno()
        keep_mode(descriptor, self._target)
        try:
            # With a directory's descriptor, Python calls linkat, which can follow the link to the open file.
            os.link(_link_of(descriptor), temporary, src_dir_fd=descriptor, follow_symlinks=True)
        except OSError:  # a file system without links
            self._copy = _StagedFile(self._target)
            with blamed_on(self._target), open(os.dup(descriptor), "rb") as file:
                file.seek(0)
                shutil.copyfileobj(file, self._copy.file)
                self._copy.file.flush()
            self._copy.prepare()
        else:
            self._temporary = temporary

    def publish(self) -> None:
        """See `Result`."""
        if self._temporary is None:
            assert self._copy is not None
            self._copy.publish()
            return
        with blamed_on(self._target):
            os.replace(self._temporary, self._target)
        self._temporary = None

    def discard(self) -> None:
        """See `Result`."""
        if self._temporary is not None:
            with suppress(OSError):
                self._temporary.unlink()
        if self._copy is not None:
            self._copy.discard()
        _close(self.file)


class _StagedFile:
    """A file in a private directory, which is renamed in the end."""

    def __init__(self, target: Path) -> None:
        self._target = target
        with blamed_on(target):
            self._staging = Staging(target)
            try:
                self.file: BinaryIO = open(self._path, "xb")  # noqa: SIM115
            except BaseException:
                self._staging.remove()
                raise

    @property
    def _path(self) -> Path:
        return self._staging.path / "file"

    def prepare(self) -> None:
        """See `Result`."""
        keep_mode(self.file.fileno(), self._target)
        with blamed_on(self._target):
            self.file.close()  # network file systems report errors of writing here
            os.stat(self._path)  # its directory may have been removed

    def publish(self) -> None:
        """See `Result`."""
        with blamed_on(self._target):
            os.replace(self._path, self._target)

    def discard(self) -> None:
        """See `Result`."""
        _close(self.file)
        self._staging.remove()


def _close(file: BinaryIO) -> None:
    """Close a file; its rest is lost after an error of writing."""
    with suppress(OSError):
        file.close()


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
