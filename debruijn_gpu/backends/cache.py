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

#: Variables that choose the place; the first that is set counts.
VARIABLES = ("DBG_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")

_PROBE_BYTES = 1 << 16


@dataclass(frozen=True)
class CachePlace:
    """Where compiled code is kept.

    Attributes
    ----------
    path : Path or None
        A directory that can be written; None if there is none.
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
    """Digest of all sources of `backends`."""
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    content = b"".join(source.read_bytes() for source in sources)
    return hashlib.sha256(content).hexdigest()[:12]


def find_place(kind: str) -> CachePlace:
    """The cache of a backend, by the backend's name: made, and known to be writable."""
    root, version = cache_root(), f"{kind}-{source_digest()}"
    wanted = None if root is None else root / version
    problem = "there is none" if wanted is None else _write_problem(wanted)
    if not problem:
        return CachePlace(wanted, wanted)
    try:
        fallback = _own_temporary_directory() / version
    except OSError:
        return CachePlace(None, wanted, problem)
    return CachePlace(None if _write_problem(fallback) else fallback, wanted, problem)


def _write_problem(directory: Path) -> str:
    """Make a directory and write to it; why that failed, or nothing."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory) as probe:
            probe.write(bytes(_PROBE_BYTES))
    except OSError as error:
        return error.strerror or str(error)
    return ""


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
