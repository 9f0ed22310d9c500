"""Write k-mer by sample matrices as .npz that SciPy and NumPy read: compressed sparse rows, k-mers and samples."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.io.compression.gzip_process import combined_crc, fast_crc32
from debruijn_gpu.io.matrices.columns import Column, Columns, FileColumns, HeldColumns, npy_header
from debruijn_gpu.io.matrices.head import MatrixHead
from debruijn_gpu.io.matrices.stored_zip import StoredZip
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import ordered_map

_BLOCK_ROWS = 1 << 19  # that a thread encodes
_MOST_THREADS = 8  # that encode and write: more wait for the file

#: For each column: CRC-32 of the new items, and their bytes
_Added: TypeAlias = "dict[str, tuple[int, int]]"


@dataclass(frozen=True)
class _Part:
    """Rows ``first:last`` of joint counts, and the number of rows and entries before all of these."""

    joint: JointCounts
    first: int
    last: int
    n_rows: int
    n_entries: int


def write_npz_matrix(
    stream: BinaryIO, head: MatrixHead, parts: Iterable[JointCounts], run: RunOptions, n_entries: int | None = None
) -> None:
    """Write a matrix as `scipy.sparse.save_npz` writes it (format csr), with arrays for its rows and columns.

    The headers of arrays hold their lengths. A file whose number of entries is known is written while parts come, but
    for the row pointers. Other arrays wait in memory, or in a temporary file where that is short. The bytes are the
    same.

    Parameters
    ----------
    stream : BinaryIO
        Need not be seekable.
    head : MatrixHead
    parts : iterable of JointCounts
    run : RunOptions
        Threads, memory, and the directory of the temporary file.
    n_entries : int, optional
        Of all parts, where it is known.
    """
    dtypes = {"indices": "<i4", "data": head.dtype.str, "kmers": f"|S{head.k}", "indptr": "<i8"}
    columns = [Column(name, np.dtype(dtype)) for name, dtype in dtypes.items()]
    sink: Columns = HeldColumns(columns, run)
    if n_entries is not None and FileColumns.fits(stream):
        assert isinstance(stream, io.BufferedWriter)
        sizes = {"indices": n_entries, "data": n_entries, "kmers": 0}
        sink = FileColumns(columns, sizes, stream, run)
    with closing(sink):
        _put_all(sink, head, parts, run)
        _write_members(stream, head, sink)


def _put_all(sink: Columns, head: MatrixHead, parts: Iterable[JointCounts], run: RunOptions) -> None:
    """Put the rows of all parts into the columns."""
    crc32 = fast_crc32()
    sink.columns["indptr"].add(crc32(memoryview(bytes(8)), 0), 8)
    sink.put("indptr", 0, np.zeros(1, np.int64))

    def put(part: _Part) -> _Added:
        added = {}
        for name, start, values in _arrays_of(part, head):
            array = np.ascontiguousarray(values, sink.columns[name].dtype)
            data = array.view(np.uint8).data
            added[name] = crc32(data, 0), data.nbytes
            sink.put(name, start, array)
        return added

    threads = min(_MOST_THREADS, run.n_threads)
    with closing(ordered_map(put, _numbered(parts), threads)) as results:
        for added in results:
            for name, (crc, n_bytes) in added.items():
                sink.columns[name].add(crc, n_bytes)


def _numbered(parts: Iterable[JointCounts]) -> Iterator[_Part]:
    """Cut parts into blocks of rows that threads encode at once."""
    n_rows = n_entries = 0
    for joint in parts:
        for first in range(0, len(joint), _BLOCK_ROWS):
            yield _Part(joint, first, min(first + _BLOCK_ROWS, len(joint)), n_rows, n_entries)
        n_rows += len(joint)
        n_entries += len(joint.samples)


def _arrays_of(part: _Part, head: MatrixHead) -> Iterator[tuple[str, int, NDArray[Any]]]:
    """Yield the items of each column that a part makes, with the place of the first one."""
    joint, rows = part.joint, slice(part.first, part.last)
    entries = slice(int(joint.row_ptr[part.first]), int(joint.row_ptr[part.last]))
    row, entry = part.n_rows + part.first, part.n_entries + entries.start
    yield "indices", entry, joint.samples[entries]
    yield "data", entry, head.values(joint, entries)
    yield "indptr", row + 1, joint.row_ptr[part.first + 1 : part.last + 1] + part.n_entries
    letters = backends.host().kmers.kmer_letters(joint.kmers[:, rows], head.k)
    yield "kmers", row, letters.view(f"S{head.k}")[:, 0]


def _write_members(stream: BinaryIO, head: MatrixHead, sink: Columns) -> None:
    """Write the members of the archive."""
    archive = StoredZip(stream)
    for column in sink.columns.values():
        header = npy_header(column.dtype, column.size)
        crc = combined_crc(zlib.crc32(header), column.crc, column.n_bytes)
        archive.add(f"{column.name}.npy", crc, len(header) + column.n_bytes, sink.content(column.name, header))
    further = {
        "format": np.array(b"csr"),
        "shape": np.array([sink.columns["kmers"].size, len(head.names)], np.int64),
        "samples": np.array(head.names),
        "k": np.int64(head.k),
        "canonical": np.bool_(head.canonical),
    }
    for name, value in further.items():
        member = io.BytesIO()
        np.lib.format.write_array(member, np.asarray(value), version=(1, 0), allow_pickle=False)
        content = member.getvalue()
        archive.add(f"{name}.npy", zlib.crc32(content), len(content), [content])
    archive.finish()
