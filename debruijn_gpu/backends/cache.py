"""Where compiled kernels are kept between runs, and what to do where that place cannot be written.

The place has a directory for each version of the sources of `backends`, because numba does not notice a change in
a function that another one inlines. Homes that are missing, read-only or full are common in containers and on
clusters; numba would refuse to compile there, so compiled code goes to the temporary directory instead, or is
not kept at all.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from debruijn_gpu import alphabet, log

#: Variables that choose the place; the first that is set counts.
VARIABLES = ("DBG_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


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


@functools.cache
def source_digest() -> str:
    """Digest of all sources of `backends`, and of the alphabet, whose constants kernels are compiled with."""
    sources = [*sorted(Path(__file__).parent.rglob("*.py")), Path(alphabet.__file__)]
    content = b"".join(source.read_bytes() for source in sources)
    return hashlib.sha256(content).hexdigest()[:12]


def version_directory(kind: str) -> Path | None:
    """Where the cache of a backend should be, by the backend's name; None if there is no home directory."""
    root = cache_root()
    return None if root is None else root / f"{kind}-{source_digest()}"


def find_place(kind: str) -> CachePlace:
    """The cache of a backend: made and known to be writable, or filled already."""
    wanted, version = version_directory(kind), f"{kind}-{source_digest()}"
    problem = "there is none" if wanted is None else _write_problem(wanted)
    if not problem or (wanted is not None and _is_filled(wanted)):
        return CachePlace(wanted, wanted)
    try:
        fallback = _own_temporary_directory() / version
    except OSError:
        return CachePlace(None, wanted, problem)
    return CachePlace(None if _write_problem(fallback) else fallback, wanted, problem)


@functools.cache
def announce_compiling(place: CachePlace) -> None:
    """Say that compiling takes the time, once for each place."""
    kept = f"first run of this version only; kept in {place.path}" if place.path else "no place to keep it"
    log.logger.info("compiling (%s)", kept)


def report_problem(place: CachePlace) -> None:
    """Say if a place is not where it should be."""
    if place.problem:
        log.logger.warning(
            "compiled code cannot be kept in %s (%s); %s. Set DBG_CACHE_DIR to a directory that can be written",
            place.wanted or "a home directory",
            place.problem,
            f"it goes to {place.path}" if place.path else "every run compiles anew",
        )


def _is_filled(directory: Path) -> bool:
    """Whether there is compiled code: in an image that brings it along, nothing need be written."""
    try:
        return any(path.suffix in (".nbi", ".cubin") for path in directory.rglob("*"))
    except OSError:
        return False


def _write_problem(directory: Path) -> str:
    """Make a directory and a file in it; why that failed, or nothing.

    An empty file does: on a full disk, what was compiled before can still be read.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _own_temporary_directory() -> Path:
    """A directory below the system's temporary one, the same in every run and this user's alone.

    Compiled code is run when it is loaded, so a directory that anybody else may write is refused.
    """
    directory = Path(tempfile.gettempdir()) / f"debruijn_gpu-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(f"{directory} is not this user's alone")
    return directory
