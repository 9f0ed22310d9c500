"""Graphs as NumPy arrays: edge lists and vectors in .npy, sparse matrices in .npz, and whole graphs."""

from __future__ import annotations

import errno
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from debruijn_gpu.errors import FileAccessError, FormatError, OutOfMemoryError, ParameterError
from debruijn_gpu.graph.build import graph_from_edges, graph_from_vector
from debruijn_gpu.graph.convert import edges_of, graph_from_entries
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
from debruijn_gpu.io.memory import check_size
from debruijn_gpu.io.number_arrays import HEADER_FAULTS, BlockStream
from debruijn_gpu.io.output import access_error
from debruijn_gpu.resources import format_bytes

META = "meta"
_SCHEMA_VERSION = 1
_ROWS_AT_ONCE = 1 << 20  # written to a matrix of edges

#: What tails and heads are called in .npz files of edges
_EDGE_KEYS = (("row", "col"), ("tails", "heads"), ("source", "target"), ("src", "dst"), ("rows", "cols"))
_DAMAGE = (
    *HEADER_FAULTS,
    EOFError,
    IndexError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)

_REMAKE = "copy it again, or make it anew"


# --- .npy


def read_npy_graph(name: str, stream: BlockStream, n_vertices: int | None, n_bytes_allowed: int | None) -> Graph:
    """A vector (one dimension) or an edge list (two: a row or a column for each edge; a third holds weights)."""
    try:
        array: NDArray[Any] = npy.read_array(cast(BinaryIO, stream), allow_pickle=False)
    except _DAMAGE as error:
        raise FormatError(f"{name}: this .npy is damaged ({error})", _REMAKE) from error
    if array.dtype.kind not in "iuf":
        raise FormatError(f"{name}: an array of {array.dtype}, not of numbers of vertices", "save integers")
    if array.ndim == 1 and array.dtype.kind in "iu":
        return _of_file(name, lambda: graph_from_vector(array))
    if array.ndim != 2 or not ({2, 3} & set(array.shape)):
        raise FormatError(
            f"{name}: an array of shape {array.shape}",
            "give a vector of integers, or a row for each edge: tail and head",
        )
    columns = array.T if array.shape[1] in (2, 3) else array
    weights = None if len(columns) == 2 else columns[2]
    tails, heads = (_integers(name, column) for column in columns[:2])
    return _from_edges(name, tails, heads, n_vertices, weights, n_bytes_allowed)


def _integers(name: str, column: NDArray[Any]) -> NDArray[Any]:
    """A column that may be stored as floats beside weights."""
    if column.dtype.kind in "iu":
        return np.ascontiguousarray(column)
    if column.dtype.kind != "f":
        raise FormatError(f"{name}: vertices of dtype {column.dtype}", "save integers")
    column = column.astype(np.float64)
    integers = column.astype(np.int64) if np.all(np.abs(column) < 1 << 53) else column
    if not np.array_equal(integers, column) or integers.dtype.kind == "f":
        raise FormatError(
            f"{name}: a vertex that is no integer", "give integers, or integers that are stored as floats"
        )
    return integers


def _weights(name: str, weights: NDArray[Any]) -> NDArray[Any]:
    """Weights, if they are some."""
    if weights.dtype.kind not in "biuf" or weights.ndim != 1:
        kind = f"dtype {weights.dtype}" if weights.ndim == 1 else f"shape {weights.shape}"
        raise FormatError(f"{name}: weights of {kind}", "give a real number for each edge")
    return weights


def _from_edges(
    name: str,
    tails: NDArray[Any],
    heads: NDArray[Any],
    n_vertices: int | None,
    weights: NDArray[Any] | None,
    n_bytes_allowed: int | None,
) -> Graph:
    """A graph from edges, if that many vertices fit into memory."""
    if n_vertices is None and len(tails) and tails.dtype.kind in "iu" and heads.dtype.kind in "iu":
        n_vertices = max(int(tails.max()), int(heads.max()), -1) + 1
    check_vertices(name, n_vertices or 0, n_bytes_allowed)
    return _of_file(name, lambda: graph_from_edges(tails, heads, n_vertices, weights=weights))


def check_vertices(name: str, n_vertices: int, n_bytes_allowed: int | None) -> None:
    """Raise an error if so many vertices do not fit into memory: a single edge can name a very large one."""
    n_bytes = 8 * (n_vertices + 1)
    if n_bytes_allowed is not None and n_bytes > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: {name}: {n_vertices:,} vertices take {format_bytes(n_bytes)}, "
            f"and {format_bytes(n_bytes_allowed)} are allowed",
            "vertices of arrays are 0, 1, ... up to the largest; number them so, or allow more (-m)",
        )


def _of_file(name: str, make: Any) -> Graph:
    """What a function makes; an error with the values is one of the file."""
    try:
        graph: Graph = make()
    except ParameterError as error:
        raise FormatError(f"{name}: {error.what}", error.fix) from error
    return graph


def write_npy_edges(stream: BinaryIO, graph: Graph) -> None:
    """Write tails and heads as a matrix with a row for each edge."""
    tails, heads = edges_of(graph)
    header = {"descr": npy.dtype_to_descr(heads.dtype), "fortran_order": False, "shape": (len(heads), 2)}
    npy.write_array_header_1_0(stream, header)
    for start in range(0, len(heads), _ROWS_AT_ONCE):
        stop = start + _ROWS_AT_ONCE
        stream.write(np.stack((tails[start:stop], heads[start:stop]), axis=1).data)


def write_npy(stream: BinaryIO, array: NDArray[Any]) -> None:
    """Write one array."""
    npy.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)


# --- .npz


def read_npz_graph(
    name: str, path: str | None, stream: BlockStream, n_vertices: int | None, n_bytes_allowed: int | None
) -> Graph:
    """A graph of `save_graph`, a sparse matrix as SciPy saves it, or tails and heads.

    Parameters
    ----------
    name : str
        For messages.
    path : str or None
        Where the file can be opened; None if there is only the stream.
    stream : BlockStream
    n_vertices : int, optional
    n_bytes_allowed : int, optional
    """
    source = path or io.BytesIO(stream.rest(n_bytes_allowed).tobytes())
    try:
        with zipfile.ZipFile(source) as packed:
            check_size(sum(entry.file_size for entry in packed.infolist()), n_bytes_allowed)
        with np.load(source, allow_pickle=False) as arrays:
            return _from_npz(name, arrays, n_vertices, n_bytes_allowed)
    except OSError as error:
        if error.errno != errno.EINVAL:  # what comes of places before the beginning of the file
            raise
        raise FormatError(f"{name}: this .npz is damaged ({error})", _REMAKE) from error
    except _DAMAGE as error:
        raise FormatError(f"{name}: this .npz is damaged ({error})", _REMAKE) from error


def _from_npz(
    name: str, arrays: Mapping[str, NDArray[Any]], n_vertices: int | None, n_bytes_allowed: int | None
) -> Graph:
    if META in arrays:
        return graph_from_parts(name, json.loads(arrays[META].tobytes()), arrays)
    if "format" in arrays and "shape" in arrays:
        return _from_matrix(name, arrays, n_bytes_allowed)
    if "row_ptr" in arrays and "col" in arrays:
        return _checked(name, Graph(arrays["row_ptr"], arrays["col"]))
    for tails, heads in _EDGE_KEYS:
        if tails in arrays and heads in arrays:
            weights = next((_weights(name, arrays[key]) for key in ("weights", "data") if key in arrays), None)
            tail_ids, head_ids = (_integers(name, arrays[key].reshape(-1)) for key in (tails, heads))
            return _from_edges(name, tail_ids, head_ids, n_vertices, weights, n_bytes_allowed)
    raise FormatError(
        f"{name}: this .npz holds {', '.join(list(arrays)[:8]) or 'nothing'}, which is no graph",
        "save row_ptr and col, tails and heads, or a matrix with scipy.sparse.save_npz",
    )


def _from_matrix(name: str, arrays: Mapping[str, NDArray[Any]], n_bytes_allowed: int | None) -> Graph:
    """A graph from what `scipy.sparse.save_npz` writes."""
    layout = arrays["format"].item()
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    shape = tuple(arrays["shape"].tolist())
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 0:
        raise FormatError(f"{name}: a matrix of shape {shape}", "give one with a row and a column for each vertex")
    check_vertices(name, shape[0], n_bytes_allowed)
    data = _weights(name, arrays["data"])
    if layout == "coo":
        tails, heads = (_integers(name, arrays[key].reshape(-1)) for key in ("row", "col"))
        return _of_file(name, lambda: graph_from_entries(tails, heads, data, shape[0]))
    if layout not in ("csr", "csc"):
        raise FormatError(f"{name}: a sparse matrix in the layout {layout!r}", "convert it with .tocsr() or .tocoo()")
    weights = None if np.all(data == 1) else data.astype(np.float64)
    graph = _checked(name, Graph(arrays["indptr"], arrays["indices"], weights=weights), shape[0])
    return graph if layout == "csr" else graph.reverse


def write_matrix(stream: BinaryIO, graph: Graph, layout: str) -> None:
    """Write a matrix as `scipy.sparse.save_npz` does, with ``csr`` or ``coo`` as its layout."""
    dtype = np.int32 if max(graph.n_vertices, graph.n_edges) < 1 << 31 else np.int64
    if layout == "csr":
        arrays = {"indices": graph.col.astype(dtype), "indptr": graph.row_ptr.astype(dtype)}
    else:
        tails, heads = edges_of(graph)
        arrays = {"row": tails.astype(dtype), "col": heads.astype(dtype)}
    data = np.ones(graph.n_edges, np.int64) if graph.weights is None else graph.weights
    shape = np.array([graph.n_vertices] * 2, np.int64)
    np.savez(stream, **arrays, format=np.array(layout.encode()), shape=shape, data=data)


# --- whole graphs


def parts_of(graph: Graph) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What describes a graph, and its arrays by name."""
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
            return {"kind": "oriented"}, _name_parts(names.segments)[1]
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
            raise FormatError(f"{name}: a graph of schema {meta['schema_version']}", "read it with a newer dbg")
        weights = arrays["weights"] if "weights" in arrays else None  # noqa: SIM401 - a file is no dict
        graph = _checked(name, Graph(arrays["row_ptr"], arrays["col"], weights=weights), int(meta["n_vertices"]))
        names = _names_from(meta["names"], arrays, graph.n_vertices)
    except _DAMAGE as error:
        raise FormatError(f"{name}: not all of a graph is there ({error})", _REMAKE) from error
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
            return OrientedNames(names) if oriented else names
        case "kmers":
            codes, k = arrays["kmer_codes"], int(called["k"])
            _require(codes.dtype == np.uint64 and codes.shape == (-(-k // 32), n_vertices) and k > 0, "k-mers")
            return KmerNames(codes, k)
        case "words":
            symbols, length = tuple(map(str, called["symbols"])), int(called["length"])
            _require(0 <= length < 64 and len(symbols) ** length == n_vertices, "words")
            _require(all(len(symbol.encode().decode()) == 1 for symbol in symbols), "words")
            return WordNames(symbols, length)
    raise ValueError(f"names of kind {called['kind']!r}")


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


def _checked(name: str, graph: Graph, n_vertices: int | None = None) -> Graph:
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
        raise FormatError(f"{name}: its arrays make no graph: rows, heads and weights do not fit together", _REMAKE)
    dtype = id_type(n_vertices)
    weights = None if weights is None else weights.astype(np.float64, copy=False)
    return Graph(row_ptr.astype(np.int64, copy=False), col.astype(dtype, copy=False), graph.names, weights)


def write_npz_graph(stream: BinaryIO, graph: Graph) -> None:
    """Write a whole graph with its names as .npz."""
    meta, arrays = parts_of(graph)
    np.savez(stream, **{META: np.frombuffer(json.dumps(meta).encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]


def write_directory(path: Path, graph: Graph) -> None:
    """Write a whole graph as a directory of .npy files, which can be mapped into memory instead of read.

    It appears when it is whole. One that was there is replaced if it holds a graph.

    Raises
    ------
    FileAccessError
        If it cannot be written, or is a directory of something else.
    """
    meta, arrays = parts_of(graph)
    if path.resolve() == Path.cwd():
        raise FileAccessError(f"{path}: is the current directory, which cannot be replaced", "name one within it")
    path = path.resolve()
    partial = path.with_name(f".{path.name}.part")
    try:
        if path.exists() and not (path / f"{META}.json").is_file() and not (path.is_dir() and not any(path.iterdir())):
            raise FileExistsError(17, "is there already, and holds no graph")
        _remove(partial)
        partial.mkdir(parents=True)
        for key, array in arrays.items():
            np.save(partial / f"{key}.npy", array, allow_pickle=False)
        (partial / f"{META}.json").write_text(json.dumps(meta, indent=2) + "\n")
        _remove(path)
        os.replace(partial, path)
    except OSError as error:
        _remove(partial)
        raise access_error(path, error) from error
    except BaseException:
        _remove(partial)
        raise


def _remove(directory: Path) -> None:
    """Remove a directory of files, if it is there."""
    if directory.is_dir():
        for file in directory.iterdir():
            file.unlink()
        directory.rmdir()


def read_directory(path: Path) -> Graph:
    """The graph of `write_directory`; its arrays are mapped, and changes to them stay in memory.

    Raises
    ------
    FormatError
        If the directory holds none.
    """
    try:
        meta = json.loads((path / f"{META}.json").read_text())
    except FileNotFoundError as error:
        raise FormatError(f"{path}: is a directory without a graph", "name a file, or a directory of dbg's") from error
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: {META}.json cannot be read ({error})", _REMAKE) from error
    return graph_from_parts(str(path), meta, _Mapped(path))


class _Mapped(Mapping[str, NDArray[Any]]):
    """The arrays of a directory, mapped when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __getitem__(self, key: str) -> NDArray[Any]:
        try:
            return np.asarray(np.load(self._path / f"{key}.npy", mmap_mode="c", allow_pickle=False))
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
