"""Read arrays of untrusted .npy and .npz files: sizes are checked before memory is allocated."""

from __future__ import annotations

import io
import math
import re
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.run.buffers import aligned_array

NPY_MAGIC = npy.MAGIC_PREFIX

#: What NumPy raises on headers of .npy that are damaged; it reads them as Python
HEADER_FAULTS = (ValueError, SyntaxError, tokenize.TokenError, TypeError, KeyError, RecursionError, UserWarning)

_NUL = b"\0"  # NumPy gives it to the tokenizer of Python, which raises SystemError in 3.12.0 and 3.12.1

#: What reading arrays raises on files that are damaged
DAMAGE = (
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

REMAKE = "copy it again, or make it anew"

_READERS = {(1, 0): ("<H", npy.read_array_header_1_0), (2, 0): ("<I", npy.read_array_header_2_0)}
_MOST_HEADER_BYTES = 1 << 16
_MOST_BYTES = 1 << 62
_READ_BYTES = 1 << 20  # at once
_SHOWN_LETTERS = 100  # of what NumPy says is wrong
_ADDRESS = re.compile(" at 0x[0-9a-f]+")


def in_one_line(error: Exception) -> str:
    """Shorten a message; NumPy's are of several lines now and then, and Python's hold addresses of objects."""
    return _ADDRESS.sub("", " ".join(str(error).split()))[:_SHOWN_LETTERS]


class Readable(Protocol):
    """A stream of bytes."""

    def readinto(self, buffer: Any, /) -> int | None:
        """Read some bytes; 0 at the end."""


@dataclass(frozen=True)
class NpyHeader:
    """The declared type and shape of an array; sizes are not negative, and the array has fewer than 2^62 bytes.

    Attributes
    ----------
    shape : tuple of int
    in_columns : bool
        Whether the first index varies fastest.
    dtype : dtype
        Without Python objects.
    """

    shape: tuple[int, ...]
    in_columns: bool
    dtype: np.dtype[Any]

    @property
    def n_bytes(self) -> int:
        """Bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(name: str, stream: Readable) -> NpyHeader:
    """Read the header of a .npy.

    Parameters
    ----------
    name : str
        For messages.
    stream : Readable
        At its beginning.

    Raises
    ------
    FormatError
        If it is none, or of an array that cannot be.
    """
    try:
        start = _exactly(stream, npy.MAGIC_LEN)
        version = npy.read_magic(io.BytesIO(start))
        if version not in _READERS:
            raise FormatError(f"{name}: .npy of version {version[0]}.{version[1]}", "save it again with NumPy")
        length_format, read = _READERS[version]
        length = _exactly(stream, struct.calcsize(length_format))
        n_bytes = struct.unpack(length_format, length)[0]
        if n_bytes > _MOST_HEADER_BYTES:
            raise ValueError(f"it is said to have {n_bytes:,} bytes")
        described = _exactly(stream, n_bytes)
        if _NUL in described:
            raise ValueError("it has a NUL byte")
        text = io.BytesIO(length + described)
        with warnings.catch_warnings():  # of headers that Python 2 wrote, or that are no sound Python
            warnings.simplefilter("ignore")
            shape, in_columns, dtype = read(text)
    except (*DAMAGE, MemoryError) as error:  # Python's parser runs out of memory where signs are nested
        what = f"{name}: the header of this .npy is damaged ({in_one_line(error)})"
        raise FormatError(what, REMAKE) from error
    header = NpyHeader(tuple(map(int, shape)), bool(in_columns), dtype)
    # NumPy takes no dimension as 0 when it looks whether a size can be
    most = math.prod(max(1, n) for n in header.shape) * max(1, dtype.itemsize)
    if min(header.shape, default=0) < 0 or most >= _MOST_BYTES or len(header.shape) > 32:
        raise FormatError(f"{name}: an array of shape {_shown(header.shape)}, which no array can have", REMAKE)
    if dtype.hasobject:
        raise FormatError(f"{name}: an array of Python objects", "save numbers")
    if not dtype.itemsize:  # NumPy makes items of one byte of them, and there may be any number
        raise FormatError(f"{name}: an array of items without bytes", "save numbers")
    return header


def _shown(shape: tuple[int, ...]) -> str:
    return str(shape) if len(str(shape)) <= _SHOWN_LETTERS else f"of {len(shape)} dimensions"


def _exactly(stream: Readable, n_bytes: int) -> bytes:
    content = bytearray(n_bytes)
    n_read = _fill(stream, memoryview(content))
    if n_read < n_bytes:
        raise EOFError(f"it ends after {n_read} of {n_bytes} bytes")
    return bytes(content)


def _fill(stream: Readable, view: memoryview) -> int:
    """Fill a view; return the number of bytes read."""
    n_filled = 0
    while n_filled < len(view):
        n_new = stream.readinto(view[n_filled : n_filled + _READ_BYTES])
        if not n_new:
            break
        n_filled += n_new
    return n_filled


def read_content(name: str, stream: Readable, header: NpyHeader) -> NDArray[Any]:
    """Read the array behind a header. The caller has checked that there is memory for it.

    Raises
    ------
    FormatError
        If the stream ends before.
    """
    order: Literal["F", "C"] = "F" if header.in_columns else "C"
    array: NDArray[Any] = np.ndarray(header.shape, header.dtype, aligned_array(header.n_bytes), order=order)
    flat = (array.T if header.in_columns else array).reshape(-1)
    n_read = _fill(stream, flat.view(np.uint8).data if flat.size and header.dtype.itemsize else memoryview(b""))
    if n_read < header.n_bytes:
        raise FormatError(f"{name}: ends after {n_read:,} of {header.n_bytes:,} bytes of data", "copy it again")
    return array


class NpzArrays(Mapping[str, NDArray[Any]]):
    """The arrays of an .npz, each read when it is asked for.

    Parameters
    ----------
    name : str
        For messages.
    packed : ZipFile
    n_bytes_allowed : int, optional
        Most bytes that all arrays may take.
    n_bytes_taken : int
        What the file itself takes of them.

    Raises
    ------
    OutOfMemoryError
        If the members, by their declared sizes, are more than is allowed.
    """

    def __init__(self, name: str, packed: zipfile.ZipFile, n_bytes_allowed: int | None, n_bytes_taken: int = 0) -> None:
        self._name = name
        self._packed = packed
        self._members = {entry.filename.removesuffix(".npy"): entry for entry in packed.infolist()}
        check_size(sum(entry.file_size for entry in packed.infolist()), n_bytes_allowed, n_bytes_taken)

    def __getitem__(self, key: str) -> NDArray[Any]:
        entry = self._members[key]
        where = f"{self._name}: {key}"
        with self._packed.open(entry) as member:  # gives no more than the declared bytes
            stream = cast(Readable, member)
            header = read_header(where, stream)
            if header.n_bytes > entry.file_size:
                raise FormatError(
                    f"{where}: an array of {header.n_bytes:,} bytes in a member of {entry.file_size:,}", REMAKE
                )
            array = read_content(where, stream, header)
            if member.read(1):  # and at the end, compares the checksum
                raise FormatError(f"{where}: has bytes after the array", REMAKE)
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
