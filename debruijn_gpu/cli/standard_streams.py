"""Standard input, output and error that the caller closed (``>&-``)."""

from __future__ import annotations

import errno
import io
import os
import sys


def replace_closed() -> None:
    """Occupy descriptors 0 to 2 where they are closed, and let their use fail.

    Otherwise a file of the run would get their number, and what is printed would be lost without an error.
    """
    for descriptor, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):  # reading, or writing, fails
        if not _is_open(descriptor):
            os.set_inheritable(os.open(os.devnull, mode), True)  # the lowest that is free: this one
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_Closed(), "utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - print would take stdout instead


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


class _Closed(io.RawIOBase):
    """A stream that cannot be written."""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        raise OSError(errno.EBADF, "is closed", "standard output")
