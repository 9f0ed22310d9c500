"""Choose the directory for compiled kernels, or a fallback if it is not writable.

The place has a directory for each version of the package. Homes that are missing, read-only or full are common in
containers and on clusters; compiled code then goes to the temporary directory, or is not kept at all.
"""

from __future__ import annotations

import functools
import os
import stat
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from debruijn_gpu.run import log
from debruijn_gpu.version import __version__

#: Variables that choose the place; the first that is set counts.
VARIABLES = ("DBG_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")

#: Permissions of directories made for compiled code, whatever the umask: nobody else may write.
DIRECTORY_MODE = 0o700

_CHECKSUM_BYTES = 4
_MAY_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class CachePlace:
    """Where compiled code is kept.

    Attributes
    ----------
    path : Path or None
        A directory that can be written or is filled; None if there is none.
    wanted : Path or None
        The directory that should have been it; None if the user has no home either.
    problem : str
        Why ``path`` is not ``wanted``, one line; empty if it is.
    """

    path: Path | None
    wanted: Path | None
    problem: str = ""


def cache_root() -> Path | None:
    """Directory that holds the caches of all versions; None if there is no home directory."""
    for variable in VARIABLES:
        if os.environ.get(variable):
            return Path(os.environ[variable]) / "debruijn_gpu"
    try:
        return Path.home() / ".cache" / "debruijn_gpu"
    except RuntimeError:  # neither HOME nor an entry for this user
        return None


def version_directory() -> Path | None:
    """Where compiled code of this version should be; None if there is no home directory."""
    root = cache_root()
    return None if root is None else root / f"kernels-{__version__}"


def find_place() -> CachePlace:
    """Find the directory of compiled code, make it if missing, and check that it can be trusted."""
    wanted = version_directory()
    problem = "there is none" if wanted is None else _problem(wanted)
    if not problem:
        return CachePlace(wanted, wanted)
    try:
        fallback = _own_temporary_directory() / f"kernels-{__version__}"
    except OSError:
        return CachePlace(None, wanted, problem)
    return CachePlace(None if _problem(fallback) else fallback, wanted, problem)


@functools.cache
def announce_compiling(place: CachePlace) -> None:
    """Say that compiling takes the time, once for each place."""
    kept = f"once for this version; kept in {place.path}" if place.path else "no place to keep them"
    log.logger.info("compiling kernels (%s)", kept)


def report_problem(place: CachePlace) -> None:
    """Say if a place is not where it should be."""
    if place.problem:
        log.logger.warning(
            "compiled code cannot be kept in %s (%s); %s. Set DBG_CACHE_DIR to a directory that you can write",
            place.wanted or "a home directory",
            place.problem,
            f"it goes to {place.path}" if place.path else "every run compiles anew",
        )


def _is_filled(directory: Path) -> bool:
    """Whether there is compiled code: in an image that brings it along, nothing need be written."""
    try:
        return any(path.is_file() for path in directory.rglob("*"))
    except OSError:
        return False


def _problem(directory: Path) -> str:
    """Return why compiled code cannot be kept in a directory or loaded from it; empty if it can."""
    problem = _write_problem(directory)
    if problem and not _is_filled(directory):
        return problem
    try:
        return trust_problem(directory)
    except OSError as error:
        return error.strerror or str(error)


def _write_problem(directory: Path) -> str:
    """Make a directory and a file in it; return why that failed, empty if it did not.

    An empty file suffices: on a full disk, what was compiled before can still be read.
    """
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def trust_problem(directory: Path) -> str:
    """Return why the content of a directory may be somebody else's; empty if only this user or root can write it.

    Compiled code is run when it is loaded.
    """
    found = directory.stat()
    if not stat.S_ISDIR(found.st_mode):
        return "not a directory"
    if found.st_uid not in (os.geteuid(), 0):
        return f"owned by user {found.st_uid}"
    if found.st_mode & _MAY_OTHERS_WRITE:
        return f"others can write to it, mode {stat.S_IMODE(found.st_mode):o}"
    return ""


def _own_temporary_directory() -> Path:
    """Make a directory below the system's temporary one: the same in every run, and this user's alone."""
    directory = Path(tempfile.gettempdir()) / f"debruijn_gpu-{os.geteuid()}"
    directory.mkdir(mode=DIRECTORY_MODE, exist_ok=True)
    problem = "a link" if directory.is_symlink() else trust_problem(directory)
    if problem:
        raise PermissionError(f"{directory}: {problem}")
    return directory


def sealed(content: bytes) -> bytes:
    """Prepend a checksum to the content of a file of compiled code."""
    return zlib.crc32(content).to_bytes(_CHECKSUM_BYTES, "big") + content


def unsealed(packed: bytes) -> bytes | None:
    """Return the content that `sealed` was given; None if it is damaged."""
    checksum, content = packed[:_CHECKSUM_BYTES], packed[_CHECKSUM_BYTES:]
    return content if content and zlib.crc32(content) == int.from_bytes(checksum, "big") else None
