"""Write whole graphs as directories of .npy, which `saved_graphs` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.io import whole_directory
from debruijn_gpu.io.graphs.arrays import write_npy
from debruijn_gpu.io.graphs.saved import GRAPH_FILES, META, parts_of
from debruijn_gpu.io.whole_directory import DirectoryKind


def write_directory(path: Path, graph: Graph) -> None:
    """Write a whole graph as a directory of .npy files, which can be mapped into memory instead of read.

    It appears when it is whole. One that was there is replaced if it is empty or holds a graph and nothing else.

    Raises
    ------
    FileAccessError
        If it cannot be written, or is a directory of something else.
    """
    meta, arrays = parts_of(graph)
    with whole_directory.whole_directory(path, _GRAPH) as new:
        _fill(new, meta, arrays)


def check_directory(path: Path) -> None:
    """Raise the errors of `write_directory` for a path that cannot be replaced, before work that may take hours."""
    whole_directory.check_directory(path, _GRAPH)


def _fill(directory: Path, meta: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    directory.mkdir()
    for key, array in arrays.items():
        with open(directory / f"{key}.npy", "xb") as file:
            write_npy(file, array)
    with open(directory / f"{META}.json", "x") as text:
        text.write(json.dumps(meta, indent=2) + "\n")


def _is_graph(path: Path) -> bool:
    """Return whether a directory holds nothing but the files of a graph."""
    found = {file.name for file in path.iterdir()}
    return f"{META}.json" in found and found <= GRAPH_FILES


_GRAPH = DirectoryKind("a graph", _is_graph)
