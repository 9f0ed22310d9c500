"""Results of a command that get their names together, when all of them are complete."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from debruijn_gpu.errors import FileAccessError, remedy
from debruijn_gpu.run import signals

_MODE_BITS, _DIRECTORY_BITS = 0o777, 0o7777


class Result(Protocol):
    """A file or directory under a temporary name, or without a name. Errors are OSErrors that name the target."""

    def prepare(self) -> None:
        """Do what may fail, without a change of what has the name of the target."""

    def publish(self) -> None:
        """Give the result its name, in place of what has it."""

    def discard(self) -> None:
        """Close the result, and remove it if it was not published. May be called more than once."""


_waiting: list[Result] | None = None


@contextmanager
def published_together() -> Iterator[None]:
    """Put off the publication of results until the block ends well; discard them if it does not.

    A run with several outputs that fails or is interrupted leaves all of them as they were.

    Raises
    ------
    FileAccessError
        If a result cannot get its name.
    """
    global _waiting
    if _waiting is not None:
        yield
        return
    waiting: list[Result] = []
    _waiting = waiting
    try:
        yield
        publish_completed()
    finally:
        _waiting = None
        with signals.deferred():
            _discard(waiting)


def publish_completed() -> None:
    """Publish the results that wait, before an error that is the answer of the command and not its failure.

    Raises
    ------
    FileAccessError
        If a result cannot get its name.
    """
    if not _waiting:
        return
    try:
        with signals.deferred():
            _publish(_waiting)
            _discard(_waiting)
            _waiting.clear()
    except OSError as error:
        raise access_error(error.filename, error) from error


def publish_at_once(result: Result) -> None:
    """Publish a complete result.

    Raises
    ------
    OSError
        If it cannot get its name.
    """
    with signals.deferred():
        _publish([result])
        result.discard()


def publish(result: Result) -> None:
    """Publish a complete result with the others of the command (see `published_together`); at once, if there is none.

    Raises
    ------
    OSError
        If it is published at once, and cannot get its name.
    """
    if _waiting is None:
        publish_at_once(result)
    else:
        _waiting.append(result)


def _publish(results: Sequence[Result]) -> None:
    for result in results:
        result.prepare()
    for result in results:
        result.publish()


def _discard(results: Sequence[Result]) -> None:
    for result in reversed(results):  # files before the directory that was made for them
        result.discard()


def keep_mode(new: Path | int, target: Path) -> None:
    """Give a file (path or descriptor) or directory the group and permissions of what it is about to replace.

    If that exists; a group that cannot be given keeps no more permissions than others have.
    """
    with suppress(OSError):
        found = os.stat(target)
        is_directory = stat.S_ISDIR(found.st_mode)
        mode = stat.S_IMODE(found.st_mode) & (_DIRECTORY_BITS if is_directory else _MODE_BITS)
        try:
            os.chown(new, -1, found.st_gid)
        except OSError:
            mode &= ~stat.S_IRWXG & ~stat.S_ISGID | (mode & stat.S_IRWXO) << 3
        os.chmod(new, mode)


def access_error(where: Path | str, error: OSError) -> FileAccessError:
    """The error to report when writing fails."""
    return FileAccessError(f"{where}: {error.strerror or error}", remedy(error, "choose another place to write"))


@contextmanager
def blamed_on(target: Path) -> Iterator[None]:
    """Name the target in errors about temporary names."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error
