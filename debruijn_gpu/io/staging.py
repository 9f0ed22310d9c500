"""Directories in which a run writes until all results are whole, and locks that show other runs that it lives."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from debruijn_gpu.run import signals

_PART = ".part"
_MOST_NAME_BYTES = 200  # of the final name in a hidden one, which may have 255
_RANDOM_BYTES = 6
_LOCK = ".lock"
_DIRECTORY_LOCK = ".dbg.lock"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MOST_TRIES = 100
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | os.O_NONBLOCK


def hidden_name(path: Path) -> Path:
    """Return a random hidden name in the directory of a path."""
    return path.with_name(f"{_hidden_prefix(path.name)}{os.urandom(_RANDOM_BYTES).hex()}{_PART}")


def _hidden_prefix(name: str) -> str:
    return f".{os.fsdecode(os.fsencode(name)[:_MOST_NAME_BYTES])}."


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file for this process, without waiting.

    Returns
    -------
    bool or None
        False if another process holds the lock, None where the file system has no locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


class MadeDirectories:
    """A directory and its parents; new ones are removed if the run fails.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made: list[Path] = []

    def make(self) -> None:
        """Create the missing directories.

        Raises
        ------
        OSError
            If that cannot be done, or a file is in the way.
        """
        missing = [directory for directory in (self._path, *self._path.parents) if not directory.is_dir()]
        for directory in reversed(missing):
            self._make(directory)

    def _make(self, directory: Path) -> None:
        try:
            directory.mkdir()
        except FileExistsError as error:  # another run was quicker
            if not directory.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory)) from error
        else:
            self._made.append(directory)

    def remove(self) -> None:
        """Remove the directories that were made and are empty."""
        for directory in reversed(self._made):
            with suppress(OSError):
                directory.rmdir()


class DirectoryLock:
    """A file in a directory that one run at a time can hold. It is removed with the lock.

    Parameters
    ----------
    directory : Path

    Attributes
    ----------
    is_effective : bool
        Whether the lock is held, on a file system that has locks.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / _DIRECTORY_LOCK
        self._descriptor: int | None = None
        self.is_effective = False

    def acquire(self) -> bool:
        """Whether no other run holds the lock; also True where the file system has no locks.

        Raises
        ------
        OSError
            If the file cannot be created.
        """
        while True:
            descriptor = self._open()
            locked = try_lock(descriptor)
            # Who held the lock may have removed the file since it was opened: then a third run may lock another one.
            if locked is None or (locked and _is_at(descriptor, self._path)):
                self._descriptor, self.is_effective = descriptor, bool(locked)
                self._sign()
                return True
            os.close(descriptor)
            if not locked:
                return False

    def _sign(self) -> None:
        """Write into the file which process holds the lock."""
        assert self._descriptor is not None
        with suppress(OSError):  # a full disk, or a file that may only be read
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, b"process %d on %s" % (os.getpid(), _host()), 0)

    def holder(self) -> str:
        """Return which process wrote its name into the file; empty if none did."""
        try:
            descriptor = os.open(self._path, _FLAGS & ~os.O_RDWR & ~os.O_CREAT)
        except OSError:
            return ""
        try:
            return os.read(descriptor, _MOST_NAME_BYTES).decode(errors="backslashreplace")
        except OSError:
            return ""
        finally:
            os.close(descriptor)

    def _open(self) -> int:
        try:
            return os.open(self._path, _FLAGS, 0o666)
        except PermissionError:  # left by a run of another user
            if not os.path.lexists(self._path):
                raise
            return os.open(self._path, _FLAGS & ~os.O_RDWR & ~os.O_CREAT)

    def release(self) -> None:
        """Remove the file and the lock, if this run holds them."""
        if self._descriptor is None:
            return
        with suppress(OSError):
            if _is_at(self._descriptor, self._path):
                self._path.unlink()
        os.close(self._descriptor)
        self._descriptor, self.is_effective = None, False


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file still has a name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


class Staging:
    """A private directory beside a target. What killed runs left for the same target is removed when it is made.

    A lock shows that the run of a directory lives. Some network file systems do not show locks to other hosts, so that
    only directories of this host are removed; containers have names of their own, but share the boot of their host.

    Parameters
    ----------
    target : Path
        File or directory whose name the hidden name contains.
    is_alone : bool
        Whether a lock keeps other runs from making one for the same target at the same time.

    Attributes
    ----------
    path : Path

    Raises
    ------
    OSError
        If it cannot be made.
    """

    def __init__(self, target: Path, is_alone: bool = False) -> None:
        self._descriptor = -1
        remove_leftovers(target, is_alone)
        with signals.deferred():
            self.path = self._make(target)

    def _make(self, target: Path) -> Path:
        for _ in range(_MOST_TRIES):
            path = hidden_name(target)
            with suppress(FileExistsError):
                path.mkdir(0o700)
                with suppress(FileNotFoundError):  # taken for a leftover before it could be locked
                    self._descriptor = os.open(path / _LOCK, _FLAGS | os.O_EXCL, 0o600)
                    if try_lock(self._descriptor):
                        os.write(self._descriptor, b"\n".join(_marks()))
                    return path
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))

    def remove(self) -> None:
        """Remove the directory and its remaining files."""
        with signals.deferred():
            shutil.rmtree(self.path, ignore_errors=True)
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1


def _host() -> bytes:
    return os.uname().nodename.encode()


def _marks() -> list[bytes]:
    """Names of this host: its own, and that of its boot where the system gives one."""
    try:
        return [_host(), _BOOT.read_bytes().strip()]
    except OSError:
        return [_host()]


def remove_leftovers(target: Path, is_alone: bool = False) -> None:
    """Remove the private directories of a target whose runs were killed; see `Staging`."""
    pattern = re.compile(
        re.escape(_hidden_prefix(target.name)) + rf"[0-9a-f]{{{2 * _RANDOM_BYTES}}}" + re.escape(_PART)
    )
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                _remove_if_left(Path(entry.path), is_alone)


def _remove_if_left(path: Path, is_alone: bool) -> None:
    try:
        descriptor = os.open(path / _LOCK, _FLAGS & ~os.O_CREAT)
    except FileNotFoundError:
        with suppress(OSError):  # a run that lives makes another one
            path.rmdir()
        return
    except OSError:  # of another user
        return
    try:
        if try_lock(descriptor) and _is_dead(os.read(descriptor, 1 << 10), is_alone):
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)


def _is_dead(marks: bytes, is_alone: bool) -> bool:
    """Whether a free lock file has marks of this host; without any, another run may be about to lock it."""
    return bool(set(marks.split(b"\n")) & set(_marks())) if marks else is_alone
