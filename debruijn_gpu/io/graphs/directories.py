"""Write whole graphs as directories of .npy, which `saved_graphs` reads."""

from __future__ import annotations

import ctypes
import errno
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.io.graphs.arrays import write_npy
from debruijn_gpu.io.graphs.saved import GRAPH_FILES, META, parts_of
from debruijn_gpu.io.output import access_error
from debruijn_gpu.io.staging import MadeDirectories, Staging
from debruijn_gpu.run import signals

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux


def write_directory(path: Path, graph: Graph) -> None:
    """Write a whole graph as a directory of .npy files, which can be mapped into memory instead of read.

    It appears when it is whole. One that was there is replaced if it is empty or holds a graph and nothing else.

    Raises
    ------
    FileAccessError
        If it cannot be written, or is a directory of something else.
    """
    meta, arrays = parts_of(graph)
    check_directory(path)
    path = path.resolve()
    directories = MadeDirectories(path.parent)
    try:
        directories.make()
        staging = Staging(path)
        try:
            new = staging.path / "new"
            _fill(new, meta, arrays)
            with signals.deferred():
                _replace(path, new, staging.path / "old")
        finally:
            staging.remove()
    except BaseException as error:
        directories.remove()
        if isinstance(error, OSError):
            raise access_error(path, error) from error
        raise


def check_directory(path: Path) -> None:
    """Raise the errors of `write_directory` for a path that cannot be replaced, before work that may take hours.

    Raises
    ------
    FileAccessError
        If it is the current directory, or holds something other than a graph.
    """
    path = path.resolve()
    if path == Path.cwd().resolve():
        raise FileAccessError(f"{path}: is the current directory, which cannot be replaced", "name one within it")
    try:
        _check_replaceable(path)
    except OSError as error:
        raise access_error(path, error) from error


def _fill(directory: Path, meta: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    directory.mkdir()
    for key, array in arrays.items():
        with open(directory / f"{key}.npy", "xb") as file:
            write_npy(file, array)
    with open(directory / f"{META}.json", "x") as text:
        text.write(json.dumps(meta, indent=2) + "\n")


def _replace(path: Path, new: Path, old: Path) -> None:
    """Give a directory its name. What had that name is left as `new` or `old`; it comes back if this fails."""
    if _exchange(new, path):
        try:
            _check_replaceable(new)  # it may have changed since the first look
        except OSError:
            _exchange(new, path)
            raise
        return
    with suppress(FileNotFoundError):
        os.rename(path, old)
    try:
        _check_replaceable(old)
        os.rename(new, path)
    except OSError:
        if old.exists():
            os.rename(old, path)
        raise


def _exchange(one: Path, other: Path) -> bool:
    """Exchange the names of two directories in one step; False where one is missing or the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    paths = os.fsencode(one), os.fsencode(other)
    return rename is not None and rename(_HERE, paths[0], _HERE, paths[1], _EXCHANGE) == 0


def _check_replaceable(path: Path) -> None:
    if path.exists() and not _may_be_replaced(path):
        raise FileExistsError(errno.EEXIST, "is there already, and holds something other than a graph")


def _may_be_replaced(path: Path) -> bool:
    """Whether a path is a directory that is empty, or of nothing but the files of a graph."""
    if not path.is_dir():
        return False
    found = {file.name for file in path.iterdir()}
    return not found or (f"{META}.json" in found and found <= GRAPH_FILES)
