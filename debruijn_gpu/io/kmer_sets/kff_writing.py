"""Write sorted sets of k-mers as KFF 1.0; see `kff`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.kmer_sets.kff import MAGIC, VERSION
from debruijn_gpu.io.kmer_sets.packed_bytes import bytes_of_codes

_ENCODING = 0b00011011  # A, C, G, T: 0, 1, 2, 3
_COUNT_BYTES = 4
_SECTION_KMERS = 1 << 20


def write_kff(
    stream: BinaryIO,
    k: int,
    canonical: bool,
    parts: Iterable[tuple[NDArray[np.uint64], NDArray[np.uint32]]],
) -> None:
    """Write sorted k-mers as KFF 1.0: raw sections of one k-mer per block with counts of four bytes, and an index.

    Parameters
    ----------
    stream : BinaryIO
    k : int
    canonical : bool
    parts : iterable of (codes, counts)
        uint64 (words, n) and uint32 (n,).
    """
    header = MAGIC + bytes((*VERSION, _ENCODING, 1, canonical)) + bytes(4)
    first = _values({"k": k, "max": 1, "data_size": _COUNT_BYTES, "ordered": 1})
    stream.write(header + first)
    sections, at = [(b"v", len(header))], len(header) + len(first)
    least, largest = (1 << 32) - 1, 0
    for codes, counts in parts:
        for start in range(0, len(counts), _SECTION_KMERS):
            some = counts[start : start + _SECTION_KMERS]
            data = some.astype(">u4").view(np.uint8).reshape(-1, _COUNT_BYTES)
            block = np.concatenate([bytes_of_codes(codes[:, start : start + len(some)], k), data], axis=1)
            stream.write(b"r" + len(some).to_bytes(8, "big"))
            stream.write(np.ascontiguousarray(block).data)
            sections.append((b"r", at))
            at += 9 + block.nbytes
            least, largest = min(least, int(some.min())), max(largest, int(some.max()))
    limits = {"min_count": min(least, largest), "max_count": largest, "counter_size": _COUNT_BYTES}
    stream.write(_end(sections, at, limits))


def _end(sections: list[tuple[bytes, int]], at: int, limits: dict[str, int]) -> bytes:
    """The index of all sections, at a place in the file, and the footer; KMC reads a file by them."""
    n_bytes = 1 + 8 + 9 * (len(sections) + 1) + 8
    places = [*sections, (b"v", at + n_bytes)]
    entries = (kind + (place - at - n_bytes).to_bytes(8, "big", signed=True) for kind, place in places)
    index = b"i" + len(places).to_bytes(8, "big") + b"".join(entries) + bytes(8)
    footer = _values({"first_index": at, **limits, "footer_size": 0})
    return index + footer[:-8] + len(footer).to_bytes(8, "big") + MAGIC


def _values(values: dict[str, int]) -> bytes:
    """A section of values."""
    pairs = (name.encode() + b"\0" + value.to_bytes(8, "big") for name, value in values.items())
    return b"v" + len(values).to_bytes(8, "big") + b"".join(pairs)
