"""Checkpoint files: a header in JSON, arrays as they are in memory, and checksums.

::

    16 bytes   dbg checkpoint 2
    8 bytes    length of the header, little-endian
    n bytes    header: {"content": ..., "arrays": [{"dtype": "<u8", "shape": [2, 1000]}, ...]}
    16 bytes   BLAKE2b of all bytes before
    arrays     C order, each padded with zeros to a multiple of 64 bytes
    16 bytes   BLAKE2b of the header's checksum, the arrays and their padding
    parts      any number of them, and one without arrays behind the last; each is
      8 bytes    length of its header
      n bytes    header: {"arrays": [...]}
      16 bytes   BLAKE2b of the checksum before and of length and header
      arrays     as above
      16 bytes   BLAKE2b of the checksum before and the arrays

Each header has a checksum of its own, so that it can be trusted before its arrays are read. Arrays that would not fit
into memory together are written and read as parts, one at a time. Each checksum depends on the one before, so that no
part can be missing or exchanged.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.syncing import sync_file, sync_names
from debruijn_gpu.io.whole_file import whole_file

_MAGIC = b"dbg checkpoint 2"
_LENGTH_BYTES = 8
_DIGEST_BYTES = 16
_ALIGNMENT = 64
_BLOCK_BYTES = 1 << 22  # hashed while they are in the cache
_KINDS = "biuf"  # of dtypes: no objects


class DamagedCheckpointError(Exception):
    """A checkpoint is truncated, or its bytes are not those that were written."""


def write_checkpoint(
    path: Path, content: Any, arrays: Sequence[NDArray[Any]], parts: Iterable[Sequence[NDArray[Any]]] = ()
) -> int:
    """Write a checkpoint under a temporary name, store it on the disk, and rename it; return its size in bytes.

    Parameters
    ----------
    path : Path
    content : anything JSON knows
        Part of the header.
    arrays : sequence of ndarray
        Of booleans, integers or floats.
    parts : iterable of sequences of ndarray
        More arrays, at least one in each part; one part at a time is in memory.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left of it then.
    """
    with whole_file(path) as file:
        digest = _write_group(file, _MAGIC, {"content": content}, arrays, b"")
        for part in parts:
            digest = _write_group(file, b"", {}, part, digest)
        _write_group(file, b"", {}, [], digest)
        file.flush()
        sync_file(file.fileno())
        n_bytes = file.tell()
    sync_names(path.parent)
    return n_bytes


def _write_group(
    file: BinaryIO, magic: bytes, members: dict[str, Any], arrays: Sequence[NDArray[Any]], before: bytes
) -> bytes:
    """Write a header, arrays, and the checksums of both; return the last one."""
    shapes = [{"dtype": array.dtype.str, "shape": array.shape} for array in arrays]
    header = json.dumps({**members, "arrays": shapes}).encode()
    head = magic + len(header).to_bytes(_LENGTH_BYTES, "little") + header
    digest = _digest_of(before + head)
    file.write(head)
    file.write(digest)
    sums = hashlib.blake2b(digest, digest_size=_DIGEST_BYTES)
    for array in arrays:
        for block in _blocks(array):
            sums.update(block)
            file.write(block)
    file.write(sums.digest())
    return sums.digest()


def read_content(path: Path) -> Any:
    """Return the content of a checkpoint's header.

    Raises
    ------
    DamagedCheckpointError, OSError
    """
    with open(path, "rb") as file:
        return _read_header(file, _MAGIC, b"")[0]["content"]


def array_bytes(path: Path) -> int:
    """Return the bytes of a checkpoint's header and arrays, without those of its parts.

    Raises
    ------
    DamagedCheckpointError, OSError
    """
    with open(path, "rb") as file:
        header, _digest = _read_header(file, _MAGIC, b"")
        return file.tell() + _bytes_of(map(_layout, header["arrays"]))


def read_checkpoint(path: Path) -> tuple[Any, list[NDArray[Any]]]:
    """Return content and arrays of a checkpoint without parts, after all checksums were compared.

    Raises
    ------
    DamagedCheckpointError, OSError
    """
    with checkpoint_parts(path) as (content, arrays, parts):
        for _part in parts:
            raise DamagedCheckpointError("it has parts")
        return content, arrays


@contextmanager
def checkpoint_parts(path: Path) -> Iterator[tuple[Any, list[NDArray[Any]], Iterator[list[NDArray[Any]]]]]:
    """Open a checkpoint: its content, its arrays, and an iterator over the arrays of each part.

    Checksums of content and arrays are compared at once, those of a part before it is yielded, and the end of the file
    after the last part.

    Raises
    ------
    DamagedCheckpointError, OSError
        Also while parts are read.
    """
    with open(path, "rb") as file:
        header, arrays, digest = _read_group(file, _MAGIC, b"")
        yield header["content"], arrays, _read_parts(file, digest)


def _read_parts(file: BinaryIO, digest: bytes) -> Iterator[list[NDArray[Any]]]:
    while True:
        _header, arrays, digest = _read_group(file, b"", digest)
        if not arrays:
            break
        yield arrays
    if file.read(1):
        raise DamagedCheckpointError("its size is not that of its arrays")


def _read_group(file: BinaryIO, magic: bytes, before: bytes) -> tuple[dict[str, Any], list[NDArray[Any]], bytes]:
    """Read a header, its arrays, and the checksum behind them."""
    header, digest = _read_header(file, magic, before)
    layouts = [_layout(one) for one in header["arrays"]]
    if os.fstat(file.fileno()).st_size - file.tell() < _bytes_of(layouts) + _DIGEST_BYTES:
        raise DamagedCheckpointError("its size is not that of its arrays")
    sums = hashlib.blake2b(digest, digest_size=_DIGEST_BYTES)
    arrays = [_read_array(file, *layout, sums) for layout in layouts]
    if file.read(_DIGEST_BYTES) != sums.digest():
        raise DamagedCheckpointError("the checksum of its arrays differs")
    return header, arrays, sums.digest()


def _bytes_of(layouts: Iterable[tuple[np.dtype[Any], tuple[int, ...]]]) -> int:
    return sum(_padded(dtype.itemsize * math.prod(shape)) for dtype, shape in layouts)


def _digest_of(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _padded(n_bytes: int) -> int:
    return -(-n_bytes // _ALIGNMENT) * _ALIGNMENT


def _blocks(array: NDArray[Any]) -> Iterator[memoryview | bytes]:
    """Bytes of an array in C order, and their padding; an array of another order is copied row by row."""
    rows = [array] if array.flags.c_contiguous or array.ndim < 2 else array
    for row in rows:
        view = np.ascontiguousarray(row).reshape(-1).view(np.uint8).data
        yield from (view[start : start + _BLOCK_BYTES] for start in range(0, len(view), _BLOCK_BYTES))
    yield bytes(_padded(array.nbytes) - array.nbytes)


def _read_header(file: BinaryIO, magic: bytes, before: bytes) -> tuple[dict[str, Any], bytes]:
    """Read the header of a group and its checksum; ``before`` is the checksum before."""
    start = file.read(len(magic) + _LENGTH_BYTES)
    if start[: len(magic)] != magic or len(start) != len(magic) + _LENGTH_BYTES:
        raise DamagedCheckpointError("it is not a checkpoint of this version" if magic else "it is truncated")
    n_bytes = int.from_bytes(start[len(magic) :], "little")
    if n_bytes > os.fstat(file.fileno()).st_size:
        raise DamagedCheckpointError("it is truncated")
    text, digest = file.read(n_bytes), file.read(_DIGEST_BYTES)
    if digest != _digest_of(before + start + text):
        raise DamagedCheckpointError("the checksum of its header differs")
    header: dict[str, Any] = json.loads(text)
    return header, digest


def _layout(described: dict[str, Any]) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """Return dtype and shape of an array."""
    dtype, shape = np.dtype(described["dtype"]), tuple(described["shape"])
    if dtype.kind not in _KINDS or any(n < 0 for n in shape):
        raise DamagedCheckpointError("an array is not of numbers")
    return dtype, shape


def _read_array(file: BinaryIO, dtype: np.dtype[Any], shape: tuple[int, ...], sums: hashlib.blake2b) -> NDArray[Any]:
    array = np.empty(shape, dtype)
    view = array.reshape(-1).view(np.uint8).data
    for start in range(0, len(view), _BLOCK_BYTES):
        block = view[start : start + _BLOCK_BYTES]
        _read_block(file, block)
        sums.update(block)
    sums.update(file.read(_padded(array.nbytes) - array.nbytes))
    return array


def _read_block(file: BinaryIO, block: memoryview) -> None:
    if file.readinto(block) != len(block):  # type: ignore[attr-defined] # a buffered reader
        raise DamagedCheckpointError("it is truncated")
