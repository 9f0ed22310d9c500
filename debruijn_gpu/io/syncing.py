"""Store files and names on the disk, as far as the file system can."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)  # of file systems that cannot


def sync_file(descriptor: int) -> None:
    """Store an open file on the disk.

    Raises
    ------
    OSError
        If that fails on a file system that can.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def sync_path(path: Path) -> None:
    """Store a file, or the names in a directory, on the disk; errors as `sync_file`."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        sync_file(descriptor)
    finally:
        os.close(descriptor)


def sync_names(directory: Path) -> None:
    """Store the names in a directory on the disk; errors are ignored."""
    with suppress(OSError):
        sync_path(directory)
