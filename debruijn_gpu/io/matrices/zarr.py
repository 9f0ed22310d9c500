"""Write k-mer by sample matrices as zarr directories, version 2 of the format.

A directory with JSON files and compressed chunks (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html), which
needs no library to write; versions 2 and 3 of the zarr package read it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.io.matrices.head import MatrixHead
from debruijn_gpu.io.whole_directory import DirectoryKind
from debruijn_gpu.run.parallel import ordered_map

_ATTRIBUTES = ".zattrs"
_MEMBERS = frozenset({".zgroup", _ATTRIBUTES, "matrix", "kmers", "samples"})
_FORMAT = "dbg matrix"
_CHUNK_VALUES = 1 << 22
_CHUNK_ROWS = 1 << 16
_LEVEL = 1  # of zlib: rows are mostly zeros

_Chunk: TypeAlias = "tuple[NDArray[Any], NDArray[np.uint8]]"


def write_zarr_matrix(directory: Path, head: MatrixHead, parts: Iterable[JointCounts], threads: int) -> None:
    """Fill a new directory with the arrays ``matrix`` (k-mers, samples), ``kmers`` and ``samples``.

    Parameters
    ----------
    directory : Path
        Is made.
    head : MatrixHead
    parts : iterable of JointCounts
    threads : int
        That compress.
    """
    n_rows = min(_CHUNK_ROWS, max(1, _CHUNK_VALUES // len(head.names)))
    for name in ("matrix", "kmers", "samples"):
        (directory / name).mkdir(parents=True)
    n = number = 0

    def packed(chunk: _Chunk) -> tuple[int, bytes, bytes]:
        values, letters = chunk
        return len(values), _packed(values, n_rows), _packed(letters, n_rows)

    for number, (n_more, values, letters) in enumerate(ordered_map(packed, _chunks(head, parts, n_rows), threads)):
        (directory / "matrix" / f"{number}.0").write_bytes(values)
        (directory / "kmers" / f"{number}").write_bytes(letters)
        n += n_more
    samples = np.array(head.names)
    (directory / "samples" / "0").write_bytes(_packed(samples, len(samples)))
    n_samples = len(head.names)
    _write_array(directory / "matrix", (n, n_samples), (n_rows, n_samples), head.dtype)
    _write_array(directory / "kmers", (n,), (n_rows,), np.dtype(f"S{head.k}"))
    _write_array(directory / "samples", (n_samples,), (n_samples,), samples.dtype)
    _write_json(directory / ".zgroup", {"zarr_format": 2})
    values_are = "presence" if head.is_presence else "counts"
    _write_json(
        directory / _ATTRIBUTES, {"format": _FORMAT, "k": head.k, "canonical": head.canonical, "values": values_are}
    )


def _is_matrix(path: Path) -> bool:
    """Return whether a directory is a matrix of `write_zarr_matrix`, and holds nothing else."""
    try:
        attributes = json.loads((path / _ATTRIBUTES).read_bytes())
    except (OSError, ValueError):
        return False
    is_ours = isinstance(attributes, dict) and attributes.get("format") == _FORMAT
    return is_ours and {file.name for file in path.iterdir()} <= _MEMBERS


ZARR_MATRIX = DirectoryKind("a matrix of k-mers by samples", _is_matrix)


def _chunks(head: MatrixHead, parts: Iterable[JointCounts], n_rows: int) -> Iterator[_Chunk]:
    """Yield dense rows and the letters of their k-mers, as many at once as a chunk holds."""
    values, letters = _room(head, n_rows)
    at = 0
    for part in parts:
        start = 0
        while start < len(part):
            stop = min(len(part), start + n_rows - at)
            _fill(values[at:], head, part, start, stop)
            letters[at : at + stop - start] = backends.host().kmers.kmer_letters(part.kmers[:, start:stop], head.k)
            at, start = at + stop - start, stop
            if at == n_rows:
                yield values, letters
                (values, letters), at = _room(head, n_rows), 0
    if at:
        yield values[:at], letters[:at]


def _room(head: MatrixHead, n_rows: int) -> _Chunk:
    return np.zeros((n_rows, len(head.names)), head.dtype), np.empty((n_rows, head.k), np.uint8)


def _fill(target: NDArray[Any], head: MatrixHead, part: JointCounts, start: int, stop: int) -> None:
    """Write rows ``start:stop`` of a part to a dense array of zeros."""
    first, last = int(part.row_ptr[start]), int(part.row_ptr[stop])
    rows = np.repeat(np.arange(stop - start), np.diff(part.row_ptr[start : stop + 1]))
    target[rows, part.samples[first:last]] = 1 if head.is_presence else part.counts[first:last]


def _packed(values: NDArray[Any], n_rows: int) -> bytes:
    """Compress a chunk, filled up with zeros."""
    compressor = zlib.compressobj(_LEVEL)
    packed = compressor.compress(np.ascontiguousarray(values).view(np.uint8).data)
    missing = bytes((n_rows - len(values)) * values[:1].nbytes)
    return packed + compressor.compress(missing) + compressor.flush()


def _write_array(directory: Path, shape: tuple[int, ...], chunks: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Write the description of an array."""
    description = {
        "zarr_format": 2,
        "shape": list(shape),
        "chunks": list(chunks),
        "dtype": dtype.str,
        "compressor": {"id": "zlib", "level": _LEVEL},
        "fill_value": 0 if dtype.kind == "u" else "",
        "order": "C",
        "filters": None,
    }
    _write_json(directory / ".zarray", description)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")
