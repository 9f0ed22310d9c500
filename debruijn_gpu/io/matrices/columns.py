"""One-dimensional arrays of unknown length that become members of an archive: held, or written to their place."""

from __future__ import annotations

import fcntl
import io
import os
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.compression.gzip_process import combined_crc
from debruijn_gpu.io.matrices.stored_zip import header_bytes
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning

_HEADER_BYTES = 128  # of an array of one dimension, whatever its length
_MAGIC = b"\x93NUMPY\x01\x00"


def npy_header(dtype: np.dtype[Any], n: int) -> bytes:
    """Return the header of an array of one dimension in the format .npy, version 1.0."""
    fields = f"{{'descr': '{dtype.str}', 'fortran_order': False, 'shape': ({n},), }}".encode()
    n_bytes = _HEADER_BYTES - len(_MAGIC) - 2
    return _MAGIC + n_bytes.to_bytes(2, "little") + fields.ljust(n_bytes - 1) + b"\n"


class Column:
    """The length and checksum of an array that grows.

    Parameters
    ----------
    name : str
    dtype : dtype

    Attributes
    ----------
    n_bytes, crc : int
        Size and CRC-32 of the items.
    """

    def __init__(self, name: str, dtype: np.dtype[Any]) -> None:
        self.name, self.dtype = name, dtype
        self.n_bytes = self.crc = 0

    @property
    def size(self) -> int:
        """Number of items."""
        return self.n_bytes // self.dtype.itemsize

    def add(self, crc: int, n_bytes: int) -> None:
        """Append items, given by their checksum."""
        self.crc = combined_crc(self.crc, crc, n_bytes)
        self.n_bytes += n_bytes


class Columns(ABC):
    """Columns of one archive, in the order of its members.

    Parameters
    ----------
    columns : sequence of Column
    run : RunOptions
        Memory, and the directory of the temporary file.
    """

    def __init__(self, columns: Sequence[Column], run: RunOptions) -> None:
        self.columns = {column.name: column for column in columns}
        room = int(tuning().held_columns_share * memory_left(run.memory))
        self._store = SpillingArrays(room, run.tmp_dir)
        self._numbers: dict[str, dict[int, int]] = {column.name: {} for column in columns}

    def put(self, name: str, start: int, items: NDArray[Any]) -> None:
        """Store consecutive items of a column, from number ``start`` on; threads may do so at once."""
        self._numbers[name][start] = self._store.add(items)

    @abstractmethod
    def content(self, name: str, header: bytes) -> Iterator[bytes | memoryview]:
        """Yield what is to be written of a column."""

    def close(self) -> None:
        """Free memory and scratch space."""
        self._store.close()

    def _held(self, name: str, header: bytes) -> Iterator[bytes | memoryview]:
        yield header
        for _, number in sorted(self._numbers[name].items()):
            yield self._store.read(number).view(np.uint8).data


class HeldColumns(Columns):
    """Columns that wait in memory, or in a scratch file."""

    def content(self, name: str, header: bytes) -> Iterator[bytes | memoryview]:
        """See `Columns.content`."""
        return self._held(name, header)


class FileColumns(Columns):
    """Columns in a file: the first ones are written to their places.

    Parameters
    ----------
    columns, run
        See `Columns`.
    sizes : mapping of str to int
        Items of each column that is written to its place, the first ones in their order; of the last one any number.
    stream : BufferedWriter
        A file that `fits`.
    """

    def __init__(
        self, columns: Sequence[Column], sizes: Mapping[str, int], stream: io.BufferedWriter, run: RunOptions
    ) -> None:
        super().__init__(columns, run)
        self._descriptor = stream.fileno()
        self._places: dict[str, int] = {}
        at = stream.tell()
        for name, size in sizes.items():
            at += header_bytes(f"{name}.npy") + _HEADER_BYTES
            self._places[name] = at
            at += size * self.columns[name].dtype.itemsize

    @staticmethod
    def fits(stream: BinaryIO) -> bool:
        """Return whether any place of a stream can be written: a file that is open for more than appending."""
        if not isinstance(stream, io.BufferedWriter) or not isinstance(stream.raw, io.FileIO):
            return False
        descriptor = stream.fileno()
        is_appending = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_APPEND
        return stat.S_ISREG(os.fstat(descriptor).st_mode) and not is_appending

    def put(self, name: str, start: int, items: NDArray[Any]) -> None:
        """See `Columns.put`."""
        if name not in self._places:
            super().put(name, start, items)
            return
        at, view = self._places[name] + start * items.itemsize, items.view(np.uint8).data
        while view.nbytes:
            n_written = os.pwrite(self._descriptor, view, at)
            view, at = view[n_written:], at + n_written

    def content(self, name: str, header: bytes) -> Iterator[bytes | memoryview]:
        """See `Columns.content`."""
        return iter([header]) if name in self._places else self._held(name, header)
