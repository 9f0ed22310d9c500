"""Columns of numbers as NumPy's .npy, and as nothing but their bytes, record after record."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.numbers.npy_reading import read_content, read_header
from debruijn_gpu.io.opening import Block, display_name
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.primitives.columns import Columns, NumberFormat, inexact_integers
from debruijn_gpu.primitives.options import MOST_COLUMNS
from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import shorten

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_COLUMN_BYTES = 256  # of a column beside its numbers
_ROWS_AT_ONCE = 1 << 16  # interleaved before they are written
_WRITE_BYTES = 1 << 22

#: What becomes of a dtype that backends do not know, by kind and size; the others become themselves
_WIDER = {"b1": "u4", "u1": "u4", "u2": "u4", "i1": "i4", "i2": "i4", "f2": "f4"}
_KNOWN = ("u4", "i4", "u8", "i8", "f4", "f8")


class BlockStream(io.RawIOBase):
    """The bytes of blocks as a file."""

    def __init__(self, blocks: Iterable[Block]) -> None:
        super().__init__()
        self._blocks = iter(blocks)
        self._bytes = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        while not self._bytes:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._bytes = block.buffer.data[block.start : block.end]
        n = min(len(view), len(self._bytes))
        view[:n] = self._bytes[:n]
        self._bytes = self._bytes[n:]
        return n

    def skip_rest(self) -> None:
        """Read to the end, where damage of compressed data is found."""
        for _block in self._blocks:
            self._bytes = memoryview(b"")

    def rest(self, n_bytes_allowed: int | None) -> bytearray:
        """Read all that is left."""
        content = bytearray(self._bytes)
        for block in self._blocks:
            check_size(0, n_bytes_allowed, len(content) + block.end - block.start)
            content += block.buffer.data[block.start : block.end]
        return content


def read_npy(path: str, stream: BlockStream, n_bytes_allowed: int | None) -> Columns:
    """Read an array: one dimension is a column, two are records and columns."""
    name = display_name(path)
    header = read_header(name, stream)
    shape, dtype = header.shape, header.dtype
    short = f"{dtype.kind}{dtype.itemsize}"
    if short not in _WIDER and short not in _KNOWN:
        raise FormatError(
            f"{name}: an array of {shorten(str(dtype))}, not of numbers up to 64 bits", "convert it with NumPy"
        )
    if len(shape) not in (1, 2) or (len(shape) == 2 and shape[1] == 0):
        raise FormatError(
            f"{name}: an array of shape {shape}, not of records", "give one dimension, or two: records and columns"
        )
    check_columns(name, shape[1] if len(shape) == 2 else 1, n_bytes_allowed)
    check_size(header.n_bytes, n_bytes_allowed)
    array = read_content(name, stream, header)
    stream.skip_rest()
    rows = array.reshape(1, -1) if len(shape) == 1 else array.T
    known = np.dtype(_WIDER.get(short, short))
    return Columns(tuple(np.ascontiguousarray(row, dtype=known) for row in rows), NumberFormat("npy"))


def check_columns(name: str, n_columns: int, n_bytes_allowed: int | None) -> None:
    """Raise an error for more columns than a table may have, or than there is memory for."""
    if n_columns > MOST_COLUMNS:
        what = f"{name}: expected at most {MOST_COLUMNS:,} columns, got {n_columns:,}"
        raise FormatError(what, "give a row for each record")
    check_size(0, n_bytes_allowed, _COLUMN_BYTES * n_columns)


def read_raw(path: str, stream: BlockStream, dtype: str, n_columns: int, n_bytes_allowed: int | None) -> Columns:
    """Read little-endian numbers, record after record."""
    known = np.dtype(f"<{dtype[0]}{int(dtype[1:]) // 8}")
    check_columns(display_name(path), n_columns, n_bytes_allowed)
    content = stream.rest(n_bytes_allowed)
    check_size(len(content), n_bytes_allowed)
    record_bytes = known.itemsize * n_columns
    if len(content) % record_bytes:
        raise FormatError(
            f"{display_name(path)}: {len(content):,} bytes are no whole number of records of {record_bytes}",
            "check --dtype and --columns",
        )
    rows = np.frombuffer(content, known).reshape(-1, n_columns).T
    return Columns(tuple(np.ascontiguousarray(row, dtype=known.newbyteorder("=")) for row in rows), NumberFormat("raw"))


def concatenate(tables: Sequence[Columns]) -> Columns:
    """Concatenate the records of files; a column gets a type that holds its numbers of all files.

    Raises
    ------
    FormatError
        If the files have different numbers of columns.
    ParameterError
        If no type holds the numbers of a column.
    """
    first = tables[0]
    if len(tables) == 1:
        return first
    for table in tables:
        if table.n_columns != first.n_columns:
            raise FormatError(
                f"files of {first.n_columns} and of {table.n_columns} columns", "give files with the same columns"
            )
    arrays = []
    for number in range(first.n_columns):
        parts = [table.arrays[number] for table in tables]
        try:
            dtype = _common_dtype(parts).newbyteorder("=")
        except ParameterError:
            what = f"column {number + 1}: no type holds the numbers of all files without rounding"
            raise ParameterError(what, "give files of one type, or text") from None
        arrays.append(np.concatenate([part.astype(dtype, copy=False) for part in parts]))
    return Columns(tuple(arrays), first.file_format)


def write_npy(stream: BinaryIO, arrays: Sequence[NDArray[Any]]) -> None:
    """Write one column as an array of one dimension, several as one of two: records and columns."""
    n = len(arrays[0])
    header = {
        "descr": npy.dtype_to_descr(_common_dtype(arrays)),
        "fortran_order": False,
        "shape": (n,) if len(arrays) == 1 else (n, len(arrays)),
    }
    npy.write_array_header_1_0(stream, header)
    write_raw(stream, arrays)


def write_raw(stream: BinaryIO, arrays: Sequence[NDArray[Any]]) -> None:
    """Write little-endian numbers, record after record; all columns get a type that holds them."""
    dtype = _common_dtype(arrays)
    n_at_once = _WRITE_BYTES // dtype.itemsize if len(arrays) == 1 else _ROWS_AT_ONCE
    n = len(arrays[0])
    for start in range(0, n, n_at_once):
        progress.update(start, n, "records")
        parts = [array[start : start + n_at_once].astype(dtype, copy=False) for array in arrays]
        rows = parts[0] if len(parts) == 1 else np.stack(parts, axis=1)
        stream.write(np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data)


def _common_dtype(arrays: Sequence[NDArray[Any]]) -> np.dtype[Any]:
    """Dtype, little-endian, that holds all columns without loss; integers beside floats become floats.

    Raises
    ------
    ParameterError
        If no dtype does.
    """
    dtypes = {array.dtype for array in arrays}
    common = np.result_type(*dtypes)
    if any(dtype.kind == "f" for dtype in dtypes):
        for number, array in enumerate(arrays, start=1):
            if array.dtype.kind != "f" and len(inexact_integers(array)):
                raise ParameterError(
                    f"column {number} has integers above 2^53 and another one has floats: one type would round them",
                    "write text (--format text), or choose columns (--fields)",
                )
    elif common.kind == "f":  # uint64 beside signed integers
        if any(array.dtype.kind == "i" and len(array) and array.min() < 0 for array in arrays):
            raise ParameterError(
                "columns with negative integers and with integers above 2^63 - 1 have no type in common",
                "write text (--format text), or choose columns (--fields)",
            )
        common = np.dtype(np.uint64)
    return common.newbyteorder("<")
