"""Bring distinct numbers into ascending order: few by comparing each with all, others by marks, or by a sort.

Marks are bits; the place of a number is how many are set before its own. That takes less time than a sort where
numbers are below some ten millions, and does not wait for the device.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.masks import CHUNK
from debruijn_gpu.backends.arrays.cuda.scans import scan_longs_by_grid, tiles_of
from debruijn_gpu.backends.arrays.cuda.sorting import sort_pairs
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import counted, scattered
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, kernel_of, launch, launch_waiting, xp
from debruijn_gpu.backends.core.cuda.waiting import wait_for_grid
from debruijn_gpu.run.tuning import tuning

_CHUNK_BITS = CHUNK.bit_length() - 1
_CHUNK_WORDS = CHUNK // 32


@kernel
def _compare(numbers, bound, ascending, order, place_of):
    """Count for each number how many are smaller. One thread per number.

    Parameters
    ----------
    numbers : in, int64 (n,); distinct below ``bound``; others are left out
    bound : int64
    ascending, order, place_of : out, as `ordered` returns them
    """
    for i in range(cuda.grid(1), numbers.size, cuda.gridsize(1)):
        number = numbers[i]
        if number < bound:
            n_smaller = 0
            for j in range(numbers.size):
                n_smaller += 1 if numbers[j] < number else 0
            ascending[n_smaller] = number
            order[n_smaller] = i
            place_of[i] = n_smaller


@device_function
def _mark(numbers, bound, words, counts):
    """Set the bit of each number, and count those of each chunk. One thread per number.

    Parameters
    ----------
    numbers, bound : as in `_compare`
    words : in and out, uint32; bit b of word w for number 32 w + b
    counts : in and out, int64 (chunks,); chunks are of eight words
    """
    for i in range(cuda.grid(1), numbers.size, cuda.gridsize(1)):
        number = numbers[i]
        if number < bound:
            cuda.atomic.or_(words, number >> 5, np.uint32(1) << np.uint32(number & 31))
            cuda.atomic.add(counts, number >> _CHUNK_BITS, np.int64(1))


@device_function
def _place(numbers, bound, words, ends, ascending, order, place_of):
    """Count the marks before each number. One thread per number.

    Parameters
    ----------
    numbers, bound : as in `_compare`
    words : uint32; see `_mark`
    ends : int64; marks up to the end of each chunk of words
    ascending, order, place_of : out, as `ordered` returns them
    """
    for i in range(cuda.grid(1), numbers.size, cuda.gridsize(1)):
        number = numbers[i]
        if number < bound:
            chunk = number >> _CHUNK_BITS
            own = number >> 5
            place = ends[chunk - 1] if chunk else np.int64(0)
            for word in range(chunk * _CHUNK_WORDS, own):
                place += cuda.popc(words[word])
            place += cuda.popc(words[own] & ((np.uint32(1) << np.uint32(number & 31)) - np.uint32(1)))
            ascending[place] = number
            order[place] = i
            place_of[i] = place


@kernel_of(max_registers=48)
def _order(numbers, bound, words, ends, tile_sums, ascending, order, place_of, arrived):
    """Order numbers by marks. Blocks wait for each other.

    Parameters
    ----------
    numbers, bound : in, as in `_compare`
    words : work, uint32 (8 * chunks,); 0 on entry
    ends : work, int64 (chunks,); 0 on entry
    tile_sums : work, int64; see `scan_by_grid`
    ascending, order, place_of : out, as `ordered` returns them
    arrived : in and out, int64 (1,); see `wait_for_grid`
    """
    _mark(numbers, bound, words, ends)
    wait_for_grid(arrived, np.int64(1))
    scan_longs_by_grid(ends, tile_sums, ends, arrived, np.int64(2))
    wait_for_grid(arrived, np.int64(3))
    _place(numbers, bound, words, ends, ascending, order, place_of)


@kernel
def _pack(numbers, shift, bound, packed):
    """Number over its index. One thread per number.

    Parameters
    ----------
    numbers : in, int64 (n,)
    shift : uint64; bits of an index
    bound : int64; more than all that count, in place of others
    packed : out, uint64 (n,)
    """
    for i in range(cuda.grid(1), numbers.size, cuda.gridsize(1)):
        packed[i] = (np.uint64(min(numbers[i], bound)) << shift) | np.uint64(i)


@kernel
def _unpack(packed, shift, ascending, order, place_of):
    """Numbers and their indices, in order. One thread per number that counts.

    Parameters
    ----------
    packed : in, uint64 (n,), sorted
    shift : uint64
    ascending, order, place_of : out, as `ordered` returns them
    """
    mask = (np.uint64(1) << shift) - np.uint64(1)
    for place in range(cuda.grid(1), ascending.size, cuda.gridsize(1)):
        index = packed[place] & mask
        ascending[place] = np.int64(packed[place] >> shift)
        order[place] = index
        place_of[index] = place


def ordered(numbers: Array, bound: int, n: int) -> tuple[Array, Array, Array]:
    """Bring the numbers below a bound into ascending order.

    Parameters
    ----------
    numbers : array, dtype=int64, shape=(m,)
        Those below ``bound`` are distinct and not negative.
    bound : int
    n : int
        As many as are below ``bound``, or more: what is returned of these is undefined.

    Returns
    -------
    ascending : array, dtype=int64, shape=(n,)
    order : array, dtype=uint32, shape=(n,)
        Index of each in ``numbers``.
    place_of : array, dtype=uint32, shape=(m,)
        Place of each number in order; undefined for others.
    """
    m = numbers.size
    if m > tuning().compared_numbers and bound > tuning().marked_numbers:
        return _sorted(numbers, bound, n)
    found = xp.empty(n, np.int64), xp.empty(n, np.uint32), xp.empty(m, np.uint32)
    if m <= tuning().compared_numbers:
        launch(_compare, m, numbers, np.int64(bound), *found)
        return found
    n_chunks = -(-bound // CHUNK)
    n_longs = n_chunks * _CHUNK_WORDS // 2
    cleared, sums = xp.zeros(n_longs + n_chunks + 1, np.int64), xp.empty(tiles_of(n_chunks), np.int64)
    words, ends, arrived = cleared[:n_longs].view(np.uint32), cleared[n_longs:-1], cleared[-1:]
    launch_waiting(_order, max(m, n_chunks), numbers, np.int64(bound), words, ends, sums, *found, arrived)
    return found


def _sorted(numbers: Array, bound: int, n: int) -> tuple[Array, Array, Array]:
    """`ordered` by a sort, of numbers with their indices in one word if both fit."""
    m = numbers.size
    bits = max(1, (m - 1).bit_length())
    if bound.bit_length() + bits > tuning().packed_key_bits:
        ascending, order = sort_pairs(numbers, counted(m, np.uint32))
        return ascending[:n], order[:n], scattered(order, counted(m, np.uint32))
    packed = xp.empty(m, np.uint64)
    found = xp.empty(n, np.int64), xp.empty(n, np.uint32), xp.empty(m, np.uint32)
    launch(_pack, m, numbers, np.uint64(bits), np.int64(bound), packed)
    packed.sort()
    launch(_unpack, n, packed, np.uint64(bits), *found)
    return found
