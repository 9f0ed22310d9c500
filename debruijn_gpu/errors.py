"""Every way in which `dbg` can fail, one class and one exit code each.

An error says what happened and where in one line, and what to do about it in another.
`cli.main` turns them into these two lines on stderr and the exit code.
"""

from __future__ import annotations

import errno

#: Numbers of errors of a full disk
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_TOO_MANY_FILES = (errno.EMFILE, errno.ENFILE)


def remedy(error: OSError, otherwise: str) -> str:
    """Return what to do about a full disk or too few file descriptors, or else what is given."""
    if error.errno in DISK_FULL:
        return "free some space, or write elsewhere"
    return "allow more open files: ulimit -n 64" if error.errno in _TOO_MANY_FILES else otherwise


class DbgError(Exception):
    """Base of all expected errors.

    Parameters
    ----------
    what : str
        What happened and where, one line (``reads.fq.gz: record 7, line 27: ...``).
    fix : str
        What the user can do about it, one line; may be empty.
    """

    exit_code = 1

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


class UsageError(DbgError):
    """The command line does not make sense."""

    exit_code = 2


class FormatError(DbgError):
    """The content of an input is not what it should be."""

    exit_code = 64


class InputNotFoundError(DbgError):
    """An input file is not there."""

    exit_code = 65


class FileAccessError(DbgError):
    """Reading or writing failed: permissions, disk full, a broken device."""

    exit_code = 66


class ParameterError(DbgError):
    """A parameter has a value that cannot work with this input."""

    exit_code = 67


class OptionValueError(ParameterError):
    """An option has a value that no input makes valid."""

    exit_code = 2


class SearchLimitError(ParameterError):
    """An exhaustive search has not ended within its limit of steps."""


class NothingToAssembleError(DbgError):
    """The input is valid, but has no result."""

    exit_code = 69


class NotEulerianError(NothingToAssembleError):
    """The graph has no Euler walk."""


class NoPeptideError(NothingToAssembleError):
    """No peptide explains the spectrum."""


class NoPostmanTourError(NotEulerianError):
    """No walk uses every edge, however often.

    Parameters
    ----------
    what, fix : str
        See `DbgError`.
    edges : tuple of int
        What such a walk cannot use; of two edges, one of them.
    """

    def __init__(self, what: str, fix: str, edges: tuple[int, ...]) -> None:
        super().__init__(what, fix)
        self.edges = edges


class CudaUnavailableError(DbgError):
    """CUDA was asked for and cannot be used."""

    exit_code = 70


class DeviceLostError(CudaUnavailableError):
    """The GPU or its driver failed while it was in use."""


class OutOfMemoryError(DbgError):
    """The memory budget or the memory of a device does not suffice."""

    exit_code = 137


class DeviceMemoryError(OutOfMemoryError):
    """The memory of the GPU, or what is allowed of it, does not suffice."""
