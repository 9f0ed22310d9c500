"""Read and write graphs and walks as NumPy arrays: edge lists and vectors in .npy, sparse matrices in .npz."""

from __future__ import annotations

import errno
import io
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, OutOfMemoryError, ParameterError
from debruijn_gpu.graph.build import graph_from_edges, graph_from_vector
from debruijn_gpu.graph.convert import edges_of, graph_from_entries
from debruijn_gpu.graph.graph import Graph, Walks
from debruijn_gpu.io.graphs.saved import META, checked_graph, graph_from_parts
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.numbers.arrays import BlockStream
from debruijn_gpu.io.numbers.npy_reading import DAMAGE, REMAKE, NpzArrays, in_one_line, read_content, read_header
from debruijn_gpu.io.reading_again import COPIES, check_size
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import format_bytes


def write_walk_arrays(stream: BinaryIO, walks: Walks, file_format: str) -> None:
    """Write the edge ids of all walks, one after another (``npy``), or with them where each begins (``npz``).

    Parameters
    ----------
    stream : BinaryIO
    walks : Walks
    file_format : str
        ``npy``, or ``npz`` with the arrays of `Walks`.
    """
    if file_format == "npy":
        write_npy(stream, walks.steps)
    else:
        np.savez(stream, offsets=walks.offsets, steps=walks.steps, circular=walks.circular)


_ROWS_AT_ONCE = 1 << 20  # written to a matrix of edges

#: What tails and heads are called in .npz files of edges
_EDGE_KEYS = (("row", "col"), ("tails", "heads"), ("source", "target"), ("src", "dst"), ("rows", "cols"))


# .npy


def read_npy_graph(name: str, stream: BlockStream, n_vertices: int | None, n_bytes_allowed: int | None) -> Graph:
    """A vector (one dimension) or an edge list (two: a row or a column for each edge; a third holds weights)."""
    header = read_header(name, stream)
    check_size(header.n_bytes, n_bytes_allowed)
    array = read_content(name, stream, header)
    stream.skip_rest()
    if array.dtype.kind not in "iuf":
        raise FormatError(
            f"{name}: an array of {shorten(str(array.dtype))}, not of numbers of vertices", "save integers"
        )
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
        kind = f"dtype {shorten(str(weights.dtype))}" if weights.ndim == 1 else f"shape {weights.shape}"
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
    """Raise an error if the vertices do not fit into memory: a single edge can name a very large one."""
    n_bytes = 8 * COPIES * (n_vertices + 1)
    if n_bytes_allowed is not None and n_bytes > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: {name}: {n_vertices:,} vertices take {format_bytes(n_bytes)}, "
            f"and {format_bytes(n_bytes_allowed)} are allowed",
            "vertices of arrays are 0, 1, ... up to the largest; number them so, or allow more (-m)",
        )


def _of_file(name: str, make: Any) -> Graph:
    """Call a function, and report an error of the values as one of the file."""
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
    """Write one array. NumPy's own function does not say why if a disk is full."""
    array = np.ascontiguousarray(array)
    npy.write_array_header_1_0(stream, npy.header_data_from_array_1_0(array))
    stream.write(array.reshape(-1).view(np.uint8).data)


# .npz


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
    content = b"" if path else bytes(stream.rest(n_bytes_allowed))
    try:
        with zipfile.ZipFile(path or io.BytesIO(content)) as packed:
            arrays = NpzArrays(name, packed, n_bytes_allowed, len(content))
            return _from_npz(name, arrays, n_vertices, n_bytes_allowed)
    except OSError as error:
        if error.errno != errno.EINVAL:  # what comes of places before the beginning of the file
            raise
        raise FormatError(f"{name}: this .npz is damaged ({in_one_line(error)})", REMAKE) from error
    except DAMAGE as error:
        raise FormatError(f"{name}: this .npz is damaged ({in_one_line(error)})", REMAKE) from error


def _from_npz(
    name: str, arrays: Mapping[str, NDArray[Any]], n_vertices: int | None, n_bytes_allowed: int | None
) -> Graph:
    if META in arrays:
        return graph_from_parts(name, parse_json(arrays[META].tobytes()), arrays)
    if "format" in arrays and "shape" in arrays:
        return _from_matrix(name, arrays, n_bytes_allowed)
    if "row_ptr" in arrays and "col" in arrays:
        return checked_graph(name, Graph(arrays["row_ptr"], arrays["col"]))
    for tails, heads in _EDGE_KEYS:
        if tails in arrays and heads in arrays:
            weights = next((_weights(name, arrays[key]) for key in ("weights", "data") if key in arrays), None)
            tail_ids, head_ids = (_integers(name, arrays[key].reshape(-1)) for key in (tails, heads))
            return _from_edges(name, tail_ids, head_ids, n_vertices, weights, n_bytes_allowed)
    raise FormatError(
        f"{name}: this .npz holds {', '.join(map(shorten, list(arrays)[:8])) or 'nothing'}, which is no graph",
        "save row_ptr and col, tails and heads, or a matrix with scipy.sparse.save_npz",
    )


def _from_matrix(name: str, arrays: Mapping[str, NDArray[Any]], n_bytes_allowed: int | None) -> Graph:
    """Build a graph from a file of `scipy.sparse.save_npz`."""
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
        raise FormatError(
            f"{name}: a sparse matrix in the layout '{shorten(layout)}'", "convert it with .tocsr() or .tocoo()"
        )
    weights = None if np.all(data == 1) else data.astype(np.float64)
    graph = checked_graph(name, Graph(arrays["indptr"], arrays["indices"], weights=weights), shape[0])
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
