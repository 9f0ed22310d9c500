"""Write k-mer by sample matrices as .npz that SciPy and NumPy read: compressed sparse rows, k-mers and samples."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import IO, Any, BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.io.matrices.head import MatrixHead
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning


class _Column:
    """A one-dimensional array of unknown length, in parts that wait in a store."""

    def __init__(self, dtype: np.dtype[Any], store: SpillingArrays) -> None:
        self._dtype, self._store = dtype, store
        self._parts: list[int] = []
        self.size = 0

    def append(self, values: NDArray[Any]) -> None:
        """Append values, converted to the dtype of the column."""
        self._parts.append(self._store.add(np.ascontiguousarray(values, self._dtype)))
        self.size += len(values)

    def copy_to(self, member: IO[bytes]) -> None:
        """Write the array as .npy."""
        description = np.lib.format.dtype_to_descr(self._dtype)
        header = {"descr": description, "fortran_order": False, "shape": (self.size,)}
        np.lib.format.write_array_header_1_0(member, header)
        for number in self._parts:
            member.write(self._store.read(number).view(np.uint8).data)


def write_npz_matrix(stream: BinaryIO, head: MatrixHead, parts: Iterable[JointCounts], run: RunOptions) -> None:
    """Write a matrix as `scipy.sparse.save_npz` writes it (format csr), with arrays for its rows and columns.

    The lengths of the arrays, which their headers hold, are known in the end: till then arrays wait in memory, or in a
    temporary file where that is short.

    Parameters
    ----------
    stream : BinaryIO
        Need not be seekable.
    head : MatrixHead
    parts : iterable of JointCounts
    run : RunOptions
        Memory, and the directory of the temporary file.
    """
    room = int(tuning().held_columns_share * memory_left(run.memory))
    with closing(SpillingArrays(room, run.tmp_dir)) as store:
        columns = {
            name: _Column(np.dtype(dtype), store)
            for name, dtype in (
                ("indices", "<i4"),
                ("indptr", "<i8"),
                ("data", head.dtype.str),
                ("kmers", f"S{head.k}"),
            )
        }
        _spool(columns, head, parts)
        _write_members(stream, head, columns)


def _spool(columns: dict[str, _Column], head: MatrixHead, parts: Iterable[JointCounts]) -> None:
    """Append the rows of all parts to the columns."""
    columns["indptr"].append(np.zeros(1, np.int64))
    for part in parts:
        columns["indptr"].append(part.row_ptr[1:] + columns["indices"].size)
        columns["indices"].append(part.samples)
        columns["data"].append(head.values(part))
        columns["kmers"].append(backends.host().kmers.kmer_letters(part.kmers, head.k).view(f"S{head.k}")[:, 0])


def _write_members(stream: BinaryIO, head: MatrixHead, columns: dict[str, _Column]) -> None:
    """Write the members of the archive: those of SciPy first."""
    further = {
        "format": np.array(b"csr"),
        "shape": np.array([columns["kmers"].size, len(head.names)], np.int64),
        "samples": np.array(head.names),
        "k": np.int64(head.k),
        "canonical": np.bool_(head.canonical),
    }
    with ZipFile(stream, "w") as archive:
        for name in ("indices", "indptr", "format", "shape", "data", "kmers", "samples", "k", "canonical"):
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                if name in columns:
                    columns[name].copy_to(member)
                else:
                    np.lib.format.write_array(member, np.asarray(further[name]), allow_pickle=False)
