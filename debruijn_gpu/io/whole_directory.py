"""Directories that get their name when they are whole."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.io.publishing import access_error, blamed_on, keep_mode, publish
from debruijn_gpu.io.staging import MadeDirectories, Staging

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux
_MOST_TRIES = 100


@dataclass(frozen=True)
class DirectoryKind:
    """Directories of one kind, which a result may replace.

    Attributes
    ----------
    what : str
        For messages: ``a graph``.
    is_one : callable
        Whether a directory that is not empty holds one, and nothing else.
    """

    what: str
    is_one: Callable[[Path], bool]

    def may_replace(self, path: Path) -> bool:
        """Return whether a path is an empty directory, or one of this kind."""
        return path.is_dir() and (not any(path.iterdir()) or self.is_one(path))

    def check_replaceable(self, path: Path) -> None:
        """Raise OSError if something else has this name."""
        if path.exists() and not self.may_replace(path):
            raise FileExistsError(errno.EEXIST, f"is there already, and holds something other than {self.what}")


@contextmanager
def whole_directory(path: Path, kind: DirectoryKind) -> Iterator[Path]:
    """Yield the path of a directory to make, which replaces ``path`` if the block ends well, and vanishes otherwise.

    One that was there is replaced if it is empty or of that kind; its permissions stay. Within a command, this happens
    when all of its results are complete (see `publishing`).

    Raises
    ------
    FileAccessError
        If it cannot be written, or is a directory of something else.
    """
    check_directory(path, kind)
    path = path.resolve()
    try:
        result = _StagedDirectory(path, kind)
        try:
            yield result.path
            publish(result)
        except BaseException:
            result.discard()
            raise
    except OSError as error:
        raise access_error(path, error) from error


class _StagedDirectory:
    """A directory within a private one, which is renamed in the end."""

    def __init__(self, target: Path, kind: DirectoryKind) -> None:
        self._target, self._kind = target, kind
        self._directories = MadeDirectories(target.parent)
        try:
            self._directories.make()
            self._staging = Staging(target)
        except BaseException:
            self._directories.remove()
            raise
        self.path = self._staging.path / "new"

    def prepare(self) -> None:
        """See `Result`."""
        with blamed_on(self._target):
            self._kind.check_replaceable(self._target)
        keep_mode(self.path, self._target)

    def publish(self) -> None:
        """See `Result`."""
        with blamed_on(self._target):
            _replace(self._target, self.path, self._staging.path / "old", self._kind)

    def discard(self) -> None:
        """See `Result`."""
        self._staging.remove()
        self._directories.remove()  # if they are empty


def make_directory(path: Path) -> None:
    """Make a directory and its parents for results that are files; new ones are removed if the command fails.

    Raises
    ------
    FileAccessError
        If it cannot be made.
    """
    try:
        publish(_NewDirectory(path))
    except OSError as error:
        raise access_error(path, error) from error


class _NewDirectory:
    """A directory that is there at once, and stays if the command ends well."""

    def __init__(self, path: Path) -> None:
        self._directories = MadeDirectories(path)
        self._stays = False
        try:
            self._directories.make()
        except BaseException:
            self._directories.remove()
            raise

    def prepare(self) -> None:
        """See `Result`."""

    def publish(self) -> None:
        """See `Result`."""
        self._stays = True

    def discard(self) -> None:
        """See `Result`."""
        if not self._stays:
            self._directories.remove()


def check_directory(path: Path, kind: DirectoryKind) -> None:
    """Raise the errors of `whole_directory` for a path that cannot be replaced, before work that may take hours.

    Raises
    ------
    FileAccessError
        If it is the current directory, or holds something of another kind.
    """
    path = path.resolve()
    if path == Path.cwd().resolve():
        raise FileAccessError(f"{path}: is the current directory, which cannot be replaced", "name one within it")
    try:
        kind.check_replaceable(path)
    except OSError as error:
        raise access_error(path, error) from error


def _replace(path: Path, new: Path, old: Path, kind: DirectoryKind) -> None:
    """Give a directory its name. What had that name is left as `new` or `old`; it comes back if this fails.

    Other runs may give theirs the same name between two steps, so that it takes several tries.
    """
    for n in range(_MOST_TRIES):
        if _exchange(new, path):
            try:
                kind.check_replaceable(new)  # it may have changed since the first look
            except OSError:
                _exchange(new, path)
                raise
            return
        if _moved(path, new, old.with_name(f"{old.name}{n}"), kind):
            return
    raise OSError(errno.EBUSY, "other runs write to it all the time")


def _moved(path: Path, new: Path, old: Path, kind: DirectoryKind) -> bool:
    """Give a directory its name in two steps; False if another run was quicker."""
    with suppress(FileNotFoundError):
        os.rename(path, old)
    try:
        kind.check_replaceable(old)
        os.rename(new, path)
    except OSError as error:
        if error.errno == errno.ENOTEMPTY:
            return False
        if old.exists():
            os.rename(old, path)
        raise
    return True


def _exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two directories in one step; False where one is missing or the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    paths = os.fsencode(one), os.fsencode(other)
    return rename is not None and rename(_HERE, paths[0], _HERE, paths[1], _EXCHANGE) == 0
