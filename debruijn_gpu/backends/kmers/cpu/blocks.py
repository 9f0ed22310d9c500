"""Decode and encode blocks of sorted k-mers; see `HostKmerOperations.decode_blocks`.

Places are unsigned: with signed ones, numba counts negative ones from the end, and LLVM finds no vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Bytes, Codes, Counts, Longs
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import load_unaligned, store_unaligned
from debruijn_gpu.backends.kmers.containers import EncodedBlock

_WORD_BYTES = 8
_PARTS = tuple(np.uint64(n) for n in (4, 2, 1))  # bytes of what a first word of fewer than eight is split into
_ALL = np.uint64((1 << 64) - 1)
_U0, _U1, _U8, _U64 = (np.uint64(n) for n in (0, 1, 8, 64))


@inlined_kernel
def _load_codes(data, at, first_bytes, codes, start, n):
    """Decode n codes of a block; returns the place behind them."""
    first_whole = _U0
    if first_bytes < _U8:
        first_whole = _U1
        shift = _U0
        for n_bytes in _PARTS:
            if first_bytes & n_bytes:
                mask = _ALL >> (_U64 - _U8 * n_bytes)
                kept = (_U1 << shift) - _U1  # of the parts before
                for i in range(n):
                    part = load_unaligned(data, np.int64(at + n_bytes * i)) & mask
                    codes[_U0, start + i] = (codes[_U0, start + i] & kept) | part << shift
                at += n_bytes * n
                shift += _U8 * n_bytes
    for word in range(first_whole, np.uint64(codes.shape[0])):
        for i in range(n):
            codes[word, start + i] = load_unaligned(data, np.int64(at + _U8 * i))
        at += _U8 * n
    return at


@inlined_kernel
def _load_counts(data, at, n_bytes, counts, start, n):
    """Decode n counts of a block; returns whether all are above 0."""
    least = np.uint32(1)
    if n_bytes == _U1:  # by far the most frequent
        for i in range(n):
            counts[start + i] = np.uint32(data[at + i])
            least = min(least, counts[start + i])
    elif n_bytes:
        mask = _ALL >> (_U64 - _U8 * n_bytes)
        for i in range(n):
            counts[start + i] = np.uint32(load_unaligned(data, np.int64(at + n_bytes * i)) & mask)
            least = min(least, counts[start + i])
    else:
        for i in range(n):
            counts[start + i] = np.uint32(1)
    return least > 0


@inlined_kernel
def _ascend(codes, start, end):
    """Return whether codes start..end ascend, without repeats."""
    n_wrong = _U0
    if codes.shape[0] == 1:  # by far the most frequent
        for i in range(start + _U1, end):
            n_wrong += np.uint64(codes[_U0, i] <= codes[_U0, i - _U1])
        return n_wrong == 0
    for i in range(start + _U1, end):
        is_less = _U0
        for later in range(np.uint64(codes.shape[0])):
            word = np.uint64(codes.shape[0]) - _U1 - later
            one, other = codes[word, i - _U1], codes[word, i]
            is_less = np.uint64(one < other) | (np.uint64(one == other) & is_less)
        n_wrong += _U1 - is_less
    return n_wrong == 0


@lean_kernel
def _decode(data, offsets, starts, count_bytes, first_bytes, codes, counts):
    """Decode blocks; returns the number of the first one that is not in order, or -1.

    Parameters
    ----------
    data : in, uint8; eight bytes more than the blocks
    offsets, count_bytes : in, int64 (blocks,)
    starts : in, int64 (blocks + 1,); place of each block in the results, and their end
    first_bytes : uint64; bytes of a first word
    codes, counts : out, uint64 (words, n) and uint32 (n,)
    """
    for block in range(offsets.size):
        start, end = np.uint64(starts[block]), np.uint64(starts[block + 1])
        at = _load_codes(data, np.uint64(offsets[block]), first_bytes, codes, start, end - start)
        are_counts = _load_counts(data, at, np.uint64(count_bytes[block]), counts, start, end - start)
        if not (are_counts and _ascend(codes, start - np.uint64(block > 0), end)):
            return block
    return -1


@lean_kernel
def _limits(counts):
    """Compute the least and the largest of some counts, and their sum."""
    least, largest, total = counts[0], counts[0], _U0
    for i in range(counts.size):
        least, largest = min(least, counts[i]), max(largest, counts[i])
        total += np.uint64(counts[i])
    return np.int64(least), np.int64(largest), np.int64(total)


@lean_kernel
def _encode(codes, counts, first_bytes, count_bytes, block):
    """Write a block; returns its bytes. Each store is of eight bytes, and the next one overwrites what it need not.

    Parameters
    ----------
    codes, counts : in, uint64 (words, n) and uint32 (n,)
    first_bytes, count_bytes : uint64
    block : out, uint8; eight bytes more than the block
    """
    n = np.uint64(counts.size)
    at = first_whole = _U0
    if first_bytes < _U8:
        first_whole = _U1
        shift = _U0
        for n_bytes in _PARTS:
            if first_bytes & n_bytes:
                for i in range(n):
                    store_unaligned(block, np.int64(at + n_bytes * i), codes[_U0, i] >> shift)
                at += n_bytes * n
                shift += _U8 * n_bytes
    for word in range(first_whole, np.uint64(codes.shape[0])):
        for i in range(n):
            store_unaligned(block, np.int64(at + _U8 * i), codes[word, i])
        at += _U8 * n
    if count_bytes == _U1:
        for i in range(n):
            block[at + i] = np.uint8(counts[i])
    elif count_bytes:
        for i in range(n):
            store_unaligned(block, np.int64(at + count_bytes * i), np.uint64(counts[i]))
    at += count_bytes * n
    store_unaligned(block, np.int64(at), _U0)
    return np.int64((at + _U8 - _U1) // _U8 * _U8)


def decode_blocks(
    data: Bytes, offsets: Longs, starts: Longs, count_bytes: Longs, first_bytes: int, codes: Codes, counts: Counts
) -> int:
    """See `HostKmerOperations.decode_blocks`."""
    return int(_decode(data, offsets, starts, count_bytes, np.uint64(first_bytes), codes, counts))


def encode_block(codes: Codes, counts: Counts, first_bytes: int) -> EncodedBlock:
    """See `HostKmerOperations.encode_block`."""
    counts = np.ascontiguousarray(counts)
    least, largest, total = _limits(counts)
    all_one = least == largest == 1
    count_bytes = 0 if all_one else 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
    n_words, n = codes.shape
    most_bytes = n * (first_bytes + _WORD_BYTES * (n_words - 1) + count_bytes) + 2 * _WORD_BYTES
    block: NDArray[np.uint8] = np.empty(most_bytes, np.uint8)
    n_bytes = _encode(np.ascontiguousarray(codes), counts, np.uint64(first_bytes), np.uint64(count_bytes), block)
    return EncodedBlock(block[:n_bytes], count_bytes, least, largest, total)
