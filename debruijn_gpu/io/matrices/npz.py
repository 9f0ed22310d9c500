"""Write k-mer by sample matrices as .npz that SciPy and NumPy read: compressed sparse rows, k-mers and samples."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.errors import FileAccessError, remedy
from debruijn_gpu.io.matrices.head import MatrixHead

_COPY_BYTES = 1 << 22


class _Column:
    """A one-dimensional array of unknown length, in a temporary file."""

    def __init__(self, dtype: np.dtype[Any], file: IO[bytes]) -> None:
        self._dtype, self._file = dtype, file
        self.size = 0

    def append(self, values: NDArray[Any]) -> None:
        """Append values, converted to the dtype of the column."""
        self._file.write(np.ascontiguousarray(values, self._dtype).view(np.uint8).data)
        self.size += len(values)

    def copy_to(self, member: IO[bytes]) -> None:
        """Write the array as .npy."""
        description = np.lib.format.dtype_to_descr(self._dtype)
        header = {"descr": description, "fortran_order": False, "shape": (self.size,)}
        np.lib.format.write_array_header_1_0(member, header)
        self._file.seek(0)
        shutil.copyfileobj(self._file, member, _COPY_BYTES)


def write_npz_matrix(stream: BinaryIO, head: MatrixHead, parts: Iterable[JointCounts], directory: Path | None) -> None:
    """Write a matrix as `scipy.sparse.save_npz` writes it (format csr), with arrays for its rows and columns.

    Parameters
    ----------
    stream : BinaryIO
        Need not be seekable.
    head : MatrixHead
    parts : iterable of JointCounts
    directory : Path or None
        Of temporary files: the lengths of the arrays, which their headers hold, are known in the end.
    """
    with ExitStack() as stack:
        try:
            columns = {
                name: _Column(np.dtype(dtype), stack.enter_context(tempfile.TemporaryFile(dir=directory)))
                for name, dtype in (
                    ("indices", "<i4"),
                    ("indptr", "<i8"),
                    ("data", head.dtype.str),
                    ("kmers", f"S{head.k}"),
                )
            }
            _spool(columns, head, parts)
        except OSError as error:
            raise _no_room(directory, error) from error
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


def _no_room(directory: Path | None, error: OSError) -> FileAccessError:
    where = directory or tempfile.gettempdir()
    fix = remedy(error, "choose a place with more space (--tmp-dir)")
    return FileAccessError(f"{where}: temporary file: {error.strerror or error}", fix)
