"""Whole graphs with their names: in one .npz, or in a directory of .npy that is mapped into memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.errors import FormatError
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.graph.names import (
    NUMBERS,
    KmerNames,
    Labels,
    Numbers,
    OrientedNames,
    TextNames,
    VertexNames,
    WordNames,
)
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.numbers.npy_reading import DAMAGE, REMAKE, in_one_line, read_header
from debruijn_gpu.run.mapped_files import note_mapped_file
from debruijn_gpu.run.plain_text import shorten

META = "meta"

_SCHEMA_VERSION = 1
_ARRAYS = ("row_ptr", "col", "weights", "labels", "name_offsets", "name_letters", "kmer_codes", "gfa")
#: All that the directory of a graph may hold
GRAPH_FILES = frozenset({f"{META}.json", *(f"{key}.npy" for key in _ARRAYS)})


def parts_of(graph: Graph) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Metadata of a graph, and its arrays by name."""
    arrays: dict[str, NDArray[Any]] = {"row_ptr": graph.row_ptr, "col": graph.col}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    called, of_names = _name_parts(graph.names)
    meta = {
        "format": "debruijn_gpu graph",
        "schema_version": _SCHEMA_VERSION,
        "n_vertices": graph.n_vertices,
        "n_edges": graph.n_edges,
        "names": called,
    }
    return meta, arrays | of_names


def _name_parts(names: VertexNames) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    match names:
        case Numbers():
            return {"kind": "numbers"}, {}
        case Labels():
            return {"kind": "labels"}, {"labels": names.labels}
        case TextNames():
            return {"kind": "text"}, {"name_offsets": names.offsets, "name_letters": names.letters}
        case OrientedNames():
            lines = {} if names.gfa is None else {"gfa": names.gfa}
            return {"kind": "oriented"}, _name_parts(names.segments)[1] | lines
        case KmerNames():
            return {"kind": "kmers", "k": names.k}, {"kmer_codes": names.codes}
        case WordNames():
            return {"kind": "words", "symbols": list(names.symbols), "length": names.length}, {}
    raise TypeError(f"names of kind {type(names).__name__} cannot be saved")


def graph_from_parts(name: str, meta: Any, arrays: Mapping[str, NDArray[Any]]) -> Graph:
    """The graph of `parts_of`.

    Raises
    ------
    FormatError
        If the parts do not make a graph.
    """
    try:
        if meta["schema_version"] != _SCHEMA_VERSION:
            raise FormatError(
                f"{name}: a graph of schema {shorten(str(meta['schema_version']))}", "read it with a newer dbg"
            )
        weights = arrays["weights"] if "weights" in arrays else None  # noqa: SIM401 - a file is no dict
        graph = checked_graph(name, Graph(arrays["row_ptr"], arrays["col"], weights=weights), int(meta["n_vertices"]))
        names = _names_from(meta["names"], arrays, graph.n_vertices)
    except DAMAGE as error:
        raise FormatError(f"{name}: not all of a graph is there ({in_one_line(error)})", REMAKE) from error
    return Graph(graph.row_ptr, graph.col, names, graph.weights)


def _names_from(called: Any, arrays: Mapping[str, NDArray[Any]], n_vertices: int) -> VertexNames:
    match called["kind"]:
        case "numbers":
            return NUMBERS
        case "labels":
            labels = arrays["labels"].astype(np.int64, copy=False)
            _require(labels.shape == (n_vertices,) and bool(np.all(labels[:-1] < labels[1:])), "labels")
            _require(n_vertices == 0 or int(labels[0]) >= 0, "labels")
            return Labels(labels)
        case "text" | "oriented":
            offsets, letters = arrays["name_offsets"], arrays["name_letters"]
            oriented = called["kind"] == "oriented"
            n_names = n_vertices // 2 if oriented else n_vertices
            _require(not oriented or n_vertices % 2 == 0, "names")
            _require(
                offsets.shape == (n_names + 1,) and offsets.dtype == np.int64 and letters.dtype == np.uint8, "names"
            )
            _require(int(offsets[0]) == 0 and int(offsets[-1]) == letters.size, "names")
            _require(bool(np.all(offsets[:-1] <= offsets[1:])) and letters.ndim == 1, "names")
            _require(_is_utf8(offsets, letters), "names")
            names = TextNames(offsets, letters)
            return OrientedNames(names, _gfa_lines(arrays)) if oriented else names
        case "kmers":
            codes, k = arrays["kmer_codes"], int(called["k"])
            fits = k >= 0 and codes.dtype == np.uint64 and codes.shape == (words_per_kmer(k), n_vertices)
            _require(fits and (k > 0 or n_vertices < 2), "k-mers")
            return KmerNames(codes, k)
        case "words":
            symbols, length = tuple(map(str, called["symbols"])), int(called["length"])
            _require(0 <= length < 64 and len(symbols) ** length == n_vertices, "words")
            _require(all(len(symbol.encode().decode()) == 1 for symbol in symbols), "words")
            return WordNames(symbols, length)
    raise ValueError(f"names of kind {called['kind']!r}")


def _gfa_lines(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8] | None:
    """Lines of the GFA file that a graph was read from; what they hold is checked when they are written."""
    if "gfa" not in arrays:
        return None
    lines = arrays["gfa"]
    _require(lines.dtype == np.uint8 and lines.ndim == 1, "GFA lines")
    return lines


def _is_utf8(offsets: NDArray[np.int64], letters: NDArray[np.uint8]) -> bool:
    """Whether each name is UTF-8, not only all of them one after another."""
    if int(letters.max(initial=0)) < 128:
        return True
    firsts = letters[offsets[offsets < letters.size]]
    try:
        letters.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return bool(np.all(firsts & 0xC0 != 0x80))  # no name begins within a letter


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"its {what} do not fit")


def checked_graph(name: str, graph: Graph, n_vertices: int | None = None) -> Graph:
    """A graph in its dtypes, if its arrays make one: kernels look nowhere else."""
    row_ptr, col, weights = graph.row_ptr, graph.col, graph.weights
    n_edges = len(col) if col.ndim == 1 else -1
    n_vertices = row_ptr.size - 1 if n_vertices is None else n_vertices
    good = n_edges >= 0 and row_ptr.shape == (n_vertices + 1,) and n_vertices >= 0
    good = good and row_ptr.dtype.kind in "iu" and col.dtype.kind in "iu"
    good = good and int(row_ptr[0]) == 0 and int(row_ptr[-1]) == n_edges and bool(np.all(row_ptr[:-1] <= row_ptr[1:]))
    good = good and (n_edges == 0 or (int(col.min()) >= 0 and int(col.max()) < n_vertices))
    good = good and (weights is None or (weights.shape == (n_edges,) and weights.dtype.kind in "iuf"))
    if not good:
        raise FormatError(f"{name}: its arrays make no graph: rows, heads and weights do not fit together", REMAKE)
    dtype = id_type(n_vertices)
    weights = None if weights is None else weights.astype(np.float64, copy=False)
    return Graph(row_ptr.astype(np.int64, copy=False), col.astype(dtype, copy=False), graph.names, weights)


def write_npz_graph(stream: BinaryIO, graph: Graph) -> None:
    """Write a whole graph with its names as .npz."""
    meta, arrays = parts_of(graph)
    np.savez(stream, **{META: np.frombuffer(json.dumps(meta).encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]


def read_directory(path: Path) -> Graph:
    """The graph of `write_directory`; its arrays are mapped, and changes to them stay in memory.

    Raises
    ------
    FormatError
        If the directory holds none.
    """
    try:
        meta = parse_json((path / f"{META}.json").read_bytes())
    except FileNotFoundError as error:
        raise FormatError(f"{path}: is a directory without a graph", "name a file, or a directory of dbg's") from error
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: {META}.json cannot be read ({in_one_line(error)})", REMAKE) from error
    return graph_from_parts(str(path), meta, _Mapped(path))


class _Mapped(Mapping[str, NDArray[Any]]):
    """The arrays of a directory, mapped when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __getitem__(self, key: str) -> NDArray[Any]:
        place = self._path / f"{key}.npy"
        try:
            with open(place, "rb", buffering=0) as stream:
                read_header(str(place), stream)
            note_mapped_file(place)
            return np.asarray(np.load(place, mmap_mode="c", allow_pickle=False))
        except FileNotFoundError:
            raise KeyError(key) from None
        except OSError as error:
            raise ValueError(str(error)) from error

    def __contains__(self, key: object) -> bool:
        return (self._path / f"{key}.npy").is_file()

    def __iter__(self) -> Any:
        return (file.stem for file in self._path.glob("*.npy"))

    def __len__(self) -> int:
        return len(list(self.__iter__()))
