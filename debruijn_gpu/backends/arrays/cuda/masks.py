"""Select by a mask in two passes: count per chunk of 256 items, then gather.

A chunk is eight words of 32 bits. Whoever writes what is selected gives a chunk to 32 threads: thread ``lane`` takes
the items 32 j + lane, and finds its place by counting the bits before its own. (Harris, Sengupta and Owens 2007, with
counted bits in the place of a scan.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits
from debruijn_gpu.backends.arrays.cuda.scans import add_up
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import copied
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, uint64, xp

CHUNK = 256
_GATHER_BITS = np.uint64(0x0102040810204080)  # the lowest bits of eight bytes to the highest byte


@dataclass(frozen=True)
class Selection:
    """Which of n items are selected.

    Attributes
    ----------
    words : uint32 (8 * chunks,); bit b of word w is item 32 w + b
    ends : int64 (chunks,); how many are selected up to the end of each chunk
    total : how many are selected
    """

    words: Array
    ends: Array
    total: int


@kernel
def _pack_mask(eights, mask, packed):
    """Mask bytes to bits. One thread per byte of bits.

    Parameters
    ----------
    eights : in, uint64 (n // 8,), the mask by eight bytes
    mask : in, uint8 (n,), 0 or 1
    packed : out, uint8 (32 * chunks,), at least n / 8; beyond the mask 0
    """
    for b in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        if b < eights.size:
            packed[b] = (eights[b] * _GATHER_BITS) >> np.uint64(56)
        else:
            byte = np.uint32(0)
            for i in range(b * 8, min(b * 8 + 8, mask.size)):
                byte |= np.uint32(mask[i]) << np.uint32(i - b * 8)
            packed[b] = byte


@kernel
def _count_bits(words, counts):
    """Bits that are set in each chunk. One thread per chunk.

    Parameters
    ----------
    words : in, uint64 (4 * chunks,)
    counts : out, int64 (chunks,)
    """
    for chunk in range(cuda.grid(1), counts.size, cuda.gridsize(1)):
        count = 0
        for j in range(4):
            count += cuda.popc(words[chunk * 4 + j])
        counts[chunk] = count


@kernel
def _write_positions(words, ends, positions):
    """Positions of the selected items. 32 threads per chunk.

    Parameters
    ----------
    words : in, uint32 (8 * chunks,)
    ends : in, int64 (chunks,)
    positions : out, int64 (total,)
    """
    for slot in range(cuda.grid(1), ends.size * 32, cuda.gridsize(1)):
        chunk = slot >> 5
        lane = np.uint32(slot & 31)
        at = ends[chunk - 1] if chunk else 0
        for j in range(8):
            word = words[chunk * 8 + j]
            if (word >> lane) & np.uint32(1):
                rank = cuda.popc(word & ((np.uint32(1) << lane) - np.uint32(1)))
                positions[at + rank] = chunk * 256 + j * 32 + (slot & 31)
            at += cuda.popc(word)


@kernel
def _write_values(words, ends, values, selected):
    """The selected values. 32 threads per chunk, which load eight values each before they store any.

    Parameters
    ----------
    words : in, uint32 (8 * chunks,)
    ends : in, int64 (chunks,)
    values : in, unsigned (n,)
    selected : out, as values (total,)
    """
    loaded = cuda.local.array(8, uint64)
    for slot in range(cuda.grid(1), ends.size * 32, cuda.gridsize(1)):
        chunk = slot >> 5
        lane = np.uint32(slot & 31)
        for j in range(8):
            if (words[chunk * 8 + j] >> lane) & np.uint32(1):
                loaded[j] = values[chunk * 256 + j * 32 + (slot & 31)]
        at = ends[chunk - 1] if chunk else 0
        for j in range(8):
            word = words[chunk * 8 + j]
            if (word >> lane) & np.uint32(1):
                rank = cuda.popc(word & ((np.uint32(1) << lane) - np.uint32(1)))
                selected[at + rank] = loaded[j]
            at += cuda.popc(word)


def select(mask: Array) -> Selection:
    """The items that a mask (bool) selects."""
    mask = as_bits(contiguous(mask))
    n_chunks = -(-mask.size // CHUNK)
    if not n_chunks:
        return Selection(xp.empty(0, np.uint32), xp.empty(0, np.int64), 0)
    if _address(mask) % 8:
        mask = copied(mask)
    packed = xp.empty(n_chunks * (CHUNK // 8), np.uint8)
    launch(_pack_mask, packed.size, mask[: mask.size // 8 * 8].view(np.uint64), mask, packed)
    return selection_of(packed.view(np.uint32))


def chunk_ends(words: Array) -> Array:
    """Count the bits set up to the end (int64) of each chunk of words (uint32)."""
    counts = xp.empty(words.size // (CHUNK // 32), np.int64)
    launch(_count_bits, counts.size, words.view(np.uint64), counts)
    return add_up(counts)


def selection_of(words: Array) -> Selection:
    """The items whose bits are set in whole chunks of words (uint32 or uint64)."""
    words = words.view(np.uint32)
    if not words.size:
        return Selection(words, xp.empty(0, np.int64), 0)
    ends = chunk_ends(words)
    return Selection(words, ends, int(ends[-1]))


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0] if isinstance(array, np.ndarray) else array.data.ptr)


def selected_positions(selection: Selection) -> Array:
    """Positions (int64) of what is selected, ascending."""
    positions = xp.empty(selection.total, np.int64)
    launch(_write_positions, selection.ends.size * 32, selection.words, selection.ends, positions)
    return positions


def selected_values(selection: Selection, values: Array) -> Array:
    """The values that are selected, in order."""
    selected = xp.empty(selection.total, values.dtype)
    bits = as_bits(values)
    launch(_write_values, selection.ends.size * 32, selection.words, selection.ends, bits, as_bits(selected))
    return selected
