"""Pack integers without loss: differences from the least value, in planes of bytes.

Ascending integers are replaced by the differences of neighbours. The least value is then subtracted from all, and byte
i of each remainder goes to plane i. Planes of zeros are left out, and of those of few other bytes only these are
stored, with their positions. Sorted k-mers take the bytes of their distances, counts mostly one byte, and offsets of
reads of one length none.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Integers that are packed at once, at most: positions take 16 bits
MOST_AT_ONCE = 1 << 16
_HEADER = np.dtype([("is_ascending", "u1"), ("least", "<u8"), ("first", "<u8"), ("kinds", "u1", 8)])
_WHOLE, _SPARSE = 1, 2
_PART_BYTES = 3  # of a byte of a sparse plane, with its position


def is_packable(dtype: np.dtype[Any]) -> bool:
    """Return whether arrays of a type can be packed: integers of 4 or 8 bytes."""
    return dtype.kind in "iu" and dtype.itemsize in (4, 8) and dtype.isnative and sys.byteorder == "little"


def pack(values: NDArray[Any]) -> bytes:
    """Pack 1 to `MOST_AT_ONCE` contiguous integers; those of 32 bits as if they were not negative."""
    bits = values.view(f"u{values.itemsize}")
    header = np.zeros((), _HEADER)
    rest = bits
    if len(bits) > 1 and bool((bits[1:] >= bits[:-1]).all()):
        header["is_ascending"], header["first"] = 1, bits[0]
        rest = bits[1:] - bits[:-1]
    least = rest.min()
    header["least"] = least
    rest = rest - least
    n_planes = -(-int(rest.max()).bit_length() // 8)
    columns = rest.view(np.uint8).reshape(len(rest), -1)
    content = []
    for i in range(n_planes):
        plane = np.ascontiguousarray(columns[:, i])
        n_others = int(np.count_nonzero(plane))
        is_sparse = n_others and _PART_BYTES * n_others < len(plane) // 2
        header["kinds"][i] = _SPARSE if is_sparse else _WHOLE if n_others else 0
        if is_sparse:
            places = np.flatnonzero(plane)
            content += [np.uint32(n_others).tobytes(), places.astype("<u2").tobytes(), plane[places].tobytes()]
        elif n_others:
            content.append(plane.tobytes())
    return b"".join([header.tobytes(), *content])


def unpack_into(packed: NDArray[np.uint8], target: NDArray[Any]) -> None:
    """Fill a contiguous array of the type and size that were packed."""
    header = packed[: _HEADER.itemsize].view(_HEADER)[0]
    bits = target.view(f"u{target.itemsize}")
    is_ascending = bool(header["is_ascending"])
    rest = bits[1:] if is_ascending else bits
    rest[:] = 0
    columns = rest.view(np.uint8).reshape(len(rest), target.itemsize)
    at = _HEADER.itemsize
    for i, kind in enumerate(header["kinds"].tolist()):
        if kind == _WHOLE:
            columns[:, i] = packed[at : at + len(rest)]
            at += len(rest)
        elif kind == _SPARSE:
            n = int.from_bytes(packed[at : at + 4].tobytes(), "little")
            places = packed[at + 4 : at + 4 + 2 * n].copy().view("<u2")
            columns[places, i] = packed[at + 4 + 2 * n : at + 4 + _PART_BYTES * n]
            at += 4 + _PART_BYTES * n
    rest += bits.dtype.type(header["least"])
    if is_ascending:
        bits[0] = header["first"]
        np.cumsum(bits, out=bits)
