"""Find keys in a set or in a sorted table."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import as_bits, min_max, ordered, sign_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import lower_bound
from debruijn_gpu.run.hash_seed import hash_seed
from debruijn_gpu.run.tuning import tuning

_CACHED_BITS = 1 << 28  # a bitmap of so many bits stays in the cache of the device
_MOST_BITS = 1 << 32
_MANY = 1 << 20


@kernel
def _set_bits(wanted, sign, low, bitmap):
    """Set the bits of the wanted keys. One thread per key.

    Parameters
    ----------
    wanted : in, uint32 or uint64 (m,), bits
    sign, low : uint64; key = bits ^ sign, and the least key
    bitmap : in and out, uint32 (range / 32,)
    """
    for i in range(cuda.grid(1), wanted.size, cuda.gridsize(1)):
        at = (np.uint64(wanted[i]) ^ sign) - low
        bit = np.uint32(1) << np.uint32(at & np.uint64(31))
        word = at >> np.uint64(5)
        if not bitmap[word] & bit:
            cuda.atomic.or_(bitmap, word, np.uint32(bit))


@kernel
def _test_bits(keys, sign, low, n, bitmap, found):
    """Which keys have their bits set. One thread per key.

    Parameters
    ----------
    keys : in, uint32 or uint64 (n_keys,), bits
    sign, low : uint64; key = bits ^ sign, and the key of bit 0
    n : uint64; bits
    bitmap : in, uint32 (n / 32,)
    found : out, bool (n_keys,)
    """
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        at = (np.uint64(keys[i]) ^ sign) - low
        if at < n:
            found[i] = (bitmap[at >> np.uint64(5)] >> np.uint32(at & np.uint64(31))) & np.uint32(1)
        else:
            found[i] = False


@kernel
def _insert(wanted, shift, seed, table):
    """Put keys into a hash table with linear probing. One thread per key.

    Parameters
    ----------
    wanted : in, unsigned (m,)
    shift : uint64; 64 minus the bits of a slot
    seed : uint64, odd; of the hash, which is multiply-shift (Dietzfelbinger et al. 1997)
    table : in and out, uint64 (slots + 1,); 0 is an empty slot. The last is 1 if key 0 is in.
    """
    slots = table.size - 1
    for i in range(cuda.grid(1), wanted.size, cuda.gridsize(1)):
        key = np.uint64(wanted[i])
        if key == np.uint64(0):
            table[slots] = np.uint64(1)
            continue
        slot = np.int64((key * seed) >> shift)
        while True:
            there = table[slot]
            if there == np.uint64(0):
                there = cuda.atomic.cas(table, slot, np.uint64(0), key)
            if there == np.uint64(0) or there == key:
                break
            slot = (slot + 1) & (slots - 1)


@kernel
def _probe(keys, shift, seed, table, found):
    """Which keys are in a hash table; see `_insert`. One thread per key.

    Parameters
    ----------
    keys : in, unsigned (n,)
    shift : uint64; 64 minus the bits of a slot
    seed : uint64, odd; of the hash, which is multiply-shift (Dietzfelbinger et al. 1997)
    table : in, uint64 (slots + 1,)
    found : out, bool (n,)
    """
    slots = table.size - 1
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        key = np.uint64(keys[i])
        slot = slots if key == np.uint64(0) else np.int64((key * seed) >> shift)
        there = table[slot]
        while there != np.uint64(0) and there != key and slot != slots:
            slot = (slot + 1) & (slots - 1)
            there = table[slot]
        found[i] = there != np.uint64(0)


@kernel
def _find(table, keys, positions):
    """Position of the first of each key in a sorted table, -1 if it is not there. One thread per key.

    Parameters
    ----------
    table : in, integer (m,), ascending
    keys : in, as table (n,)
    positions : out, int64 (n,)
    """
    for i in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        key = keys[i]
        at = lower_bound(table, key, 0, table.size)
        positions[i] = at if at < table.size and table[at] == key else -1


def _by_bitmap(keys: Array, wanted: Array, low: int, n: int, found: Array) -> None:
    bitmap = xp.zeros(-(-n // 32), np.uint32)
    scalars = (sign_of(keys.dtype), np.uint64(low))
    launch(_set_bits, wanted.size, as_bits(wanted), *scalars, bitmap)
    launch(_test_bits, keys.size, as_bits(keys), *scalars, np.uint64(n), bitmap, found)


def _by_hashing(keys: Array, wanted: Array, found: Array) -> None:
    bits = max(4, (2 * wanted.size - 1).bit_length())
    if wanted.size <= tuning().few_wanted_keys:
        bits += 1
    table = xp.zeros((1 << bits) + 1, np.uint64)
    hashing = np.uint64(64 - bits), np.uint64(hash_seed())
    launch(_insert, wanted.size, as_bits(wanted), *hashing, table)
    launch(_probe, keys.size, as_bits(keys), *hashing, table, found)


@guarded
def semi_join(keys: Array, wanted: Array) -> Array:
    """See `ArrayOperations.semi_join`: a bitmap where the wanted keys are in a small range, else a hash table."""
    if keys.dtype != wanted.dtype:
        raise TypeError(f"{keys.dtype} keys cannot be among {wanted.dtype}")
    keys, wanted = ordered(keys), ordered(wanted)
    found = xp.empty(keys.size, np.bool_)
    if not wanted.size:
        found.fill(False)
        return found
    if wanted.size > tuning().few_wanted_keys:
        low, high = min_max(wanted)
        if high - low < (_MOST_BITS if wanted.size >= _MANY else _CACHED_BITS):
            _by_bitmap(keys, wanted, low, high - low + 1, found)
            return found
    _by_hashing(keys, wanted, found)
    return found


@guarded
def lookup(table: Array, keys: Array) -> Array:
    """See `ArrayOperations.lookup`: binary search."""
    if keys.dtype != table.dtype:
        raise TypeError(f"{keys.dtype} keys cannot be in a table of {table.dtype}")
    positions = xp.empty(keys.size, np.int64)
    launch(_find, keys.size, ordered(table), ordered(keys), positions)
    return positions
