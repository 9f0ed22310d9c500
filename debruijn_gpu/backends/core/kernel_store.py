"""Store machine code of kernels: what is installed with the package, and what was compiled here.

A piece of machine code has a name, a digest of what it is made of (`digests`), and a target: a level of processors or
an architecture of GPUs. What is installed comes in one file for each target; what is compiled is kept in one file for
each kernel, below `cache_place`. Machine code is run, so both are trusted only where nobody else can write.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from debruijn_gpu.backends.core import cache_place
from debruijn_gpu.backends.core.cache_place import sealed, unsealed
from debruijn_gpu.backends.core.deferred import Function
from debruijn_gpu.backends.core.digests import digest_of
from debruijn_gpu.run import log

#: Changes when machine code is made or called in another way.
_FORMAT = 2
_MAGIC = b"dbg kernels\n"
_LENGTH_BYTES = 8
#: What is kept beside machine code: compiled templates of pages, and lists of the kernels that commands used
TEMPLATES, LISTS = "templates", "lists"

#: Where machine code is installed with the package
INSTALLED = Path(__file__).parent / "installed"


#: Called with each kernel that is asked for and the types of its arguments, if set; see `manifest`
on_use: Callable[[Function, str], None] | None = None

#: Called with each kernel whose machine code cannot be kept, so that every process compiles it, and with why, if set:
#: tests refuse such kernels
on_not_kept: Callable[[Function, Exception], None] | None = None


@functools.cache
def place() -> cache_place.CachePlace:
    """Where compiled kernels are kept; says so if that is not where it should be."""
    found = cache_place.find_place()
    cache_place.report_problem(found)
    return found


def name_of(function: Function, signature: str) -> str | None:
    """Name of a kernel for arguments of some types; None if it cannot be kept, because it has no source."""
    digest = digest_of(function)
    if digest is None:
        return None
    whole = hashlib.sha256(f"{_FORMAT} {digest} {signature}".encode()).hexdigest()[:32]
    return f"{function.py_func.__name__.strip('_')}-{whole}"


def note_use(function: Function, signature: str) -> None:
    """Tell `on_use` of a kernel that is asked for."""
    if on_use is not None:
        on_use(function, signature)


def note_not_kept(function: Function, error: Exception) -> None:
    """Log that a kernel cannot be kept, and tell `on_not_kept`."""
    log.logger.debug("%s is compiled in each process: %s", function.py_func.__name__, error)
    if on_not_kept is not None:
        on_not_kept(function, error)


def find(target: str, name: str) -> bytes | None:
    """Machine code for a target by name; None if it is missing or damaged.

    What was compiled here comes first: it may have been because what is installed does not load.
    """
    for source in (_read, _read_installed):
        content = source(target, name)
        if content is None:
            continue
        code = unsealed(content)
        if code is not None:
            return code
        log.logger.debug("%s for %s is damaged: compiling again", name, target)
    return None


def is_there(target: str, name: str) -> bool:
    """Whether machine code is in the store, whole or not."""
    directory = place().path
    return name in installed(target) or (directory is not None and (directory / target / name).exists())


def _read_installed(target: str, name: str) -> bytes | None:
    try:
        return installed(target).get(name)
    except OSError:  # removed since it was opened
        return None


def _read(target: str, name: str) -> bytes | None:
    directory = place().path
    if directory is None:
        return None
    try:
        content = _read_file(f"{directory}/{target}/{name}")
    except OSError:
        return None
    return content if _is_trusted(directory / target) else None


def _read_file(path: str) -> bytes:
    """Read a small file in the fewest system calls: a command loads a hundred."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


@functools.cache
def _is_trusted(directory: Path) -> bool:
    """Whether a directory is there and nobody else can write to it."""
    try:
        problem = cache_place.trust_problem(directory)
    except OSError:
        return False
    if problem:
        log.logger.warning("compiled code in %s is not used: %s", directory, problem)
    return not problem


def keep(target: str, name: str, code: bytes) -> None:
    """Keep machine code, if there is a place: under a temporary name and renamed, so that what is there is whole."""
    directory = place().path
    if directory is None:
        return
    try:
        (directory / target).mkdir(mode=cache_place.DIRECTORY_MODE, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory / target, prefix=".")
    except OSError as error:
        log.logger.debug("compiled code cannot be kept: %s", error)
        return
    try:
        with open(handle, "wb") as stream:
            stream.write(sealed(code))
        os.replace(temporary, directory / target / name)
    except OSError as error:
        log.logger.debug("compiled code cannot be kept: %s", error)
        with suppress(OSError):
            os.unlink(temporary)


class _Installed(Mapping[str, bytes]):
    """The content of a file that `pack` made; pieces are read when asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        with suppress(OSError), open(path, "rb") as stream:
            if stream.read(len(_MAGIC)) == _MAGIC:
                length = int.from_bytes(stream.read(_LENGTH_BYTES), "big")
                index = unsealed(stream.read(min(length, os.fstat(stream.fileno()).st_size)))
                self._places = json.loads(index or b"{}")
                self._first = stream.tell()

    def __getitem__(self, name: str) -> bytes:
        offset, size = self._places[name]
        with open(self._path, "rb") as stream:
            stream.seek(self._first + offset)
            return stream.read(size)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@functools.cache
def installed(target: str) -> Mapping[str, bytes]:
    """What is installed for a target: sealed machine code by name."""
    return _Installed(INSTALLED / target)


def kept() -> dict[str, int]:
    """Number of kernels that were compiled here, by target."""
    directory = place().path
    if directory is None:
        return {}
    targets = sorted(path for path in directory.iterdir() if path.is_dir() and path.name not in (TEMPLATES, LISTS))
    return {path.name: sum(not name.startswith(".") for name in os.listdir(path)) for path in targets}


def all_installed() -> dict[str, int]:
    """Number of kernels that are installed with the package, by target."""
    if not INSTALLED.is_dir():
        return {}
    return {path.name: len(installed(path.name)) for path in sorted(INSTALLED.iterdir())}


def pack(pieces: Mapping[str, bytes]) -> bytes:
    """Content of a file of machine code for one target, by name; see `installed`."""
    places, content = {}, b""
    for name in sorted(pieces):
        whole = sealed(pieces[name])
        places[name] = (len(content), len(whole))
        content += whole
    index = sealed(json.dumps(places).encode())
    return _MAGIC + len(index).to_bytes(_LENGTH_BYTES, "big") + index + content
