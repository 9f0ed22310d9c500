"""Decode and encode blocks of sorted k-mers; see `HostKmerOperations.decode_blocks`.

Places are unsigned: with signed ones, numba counts negative ones from the end, and LLVM finds no vectors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Bytes, Codes, Counts, Longs
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import load_unaligned, store_unaligned
from debruijn_gpu.backends.kmers.containers import EncodedBlocks

# Rows of the table of a kernel: attributes of `EncodedBlocks`, in their order
BYTES, COUNT_BYTES, LEAST, LARGEST, OCCURRENCES = range(5)
_WORD_BYTES, _MOST_COUNT_BYTES = 8, 4
_PARTS = tuple(np.uint64(n) for n in (4, 2, 1))  # bytes of what a first word of fewer than eight is split into
_ALL = np.uint64((1 << 64) - 1)
_U0, _U1, _U2, _U4, _U8, _U64 = (np.uint64(n) for n in (0, 1, 2, 4, 8, 64))


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


@inlined_kernel
def _bytes_of_counts(counts, start, end, block, table):
    """Note the limits and the sum of some counts in a row of the table; returns the bytes of a count."""
    least, largest, total = counts[start], counts[start], _U0
    for i in range(start, end):
        least, largest = min(least, counts[i]), max(largest, counts[i])
        total += np.uint64(counts[i])
    table[LEAST, block], table[LARGEST, block] = np.int64(least), np.int64(largest)
    table[OCCURRENCES, block] = np.int64(total)
    if least == 1 and largest == 1:
        return _U0
    return _U1 if largest < 1 << 8 else _U2 if largest < 1 << 16 else _U4


@inlined_kernel
def _store_codes(codes, start, n, first_bytes, content, at):
    """Encode n codes of a block; returns the place behind them."""
    first_whole = _U0
    if first_bytes < _U8:
        first_whole = _U1
        shift = _U0
        for n_bytes in _PARTS:
            if first_bytes & n_bytes:
                for i in range(n):
                    store_unaligned(content, np.int64(at + n_bytes * i), codes[_U0, start + i] >> shift)
                at += n_bytes * n
                shift += _U8 * n_bytes
    for word in range(first_whole, np.uint64(codes.shape[0])):
        for i in range(n):
            store_unaligned(content, np.int64(at + _U8 * i), codes[word, start + i])
        at += _U8 * n
    return at


@lean_kernel
def _encode(codes, counts, first_bytes, block_kmers, content, table):
    """Write blocks one behind the other; returns their bytes.

    Each store is of eight bytes, and the next one overwrites what it need not.

    Parameters
    ----------
    codes, counts : in, uint64 (words, n) and uint32 (n,)
    first_bytes, block_kmers : uint64; bytes of a first word, and k-mers of each block but the last
    content : out, uint8; eight bytes more than the blocks
    table : out, int64 (5, blocks); the other attributes of `EncodedBlocks`
    """
    n_kmers = np.uint64(counts.size)
    at = start = block = _U0
    while start < n_kmers:
        end = min(start + block_kmers, n_kmers)
        n = end - start
        count_bytes = _bytes_of_counts(counts, start, end, block, table)
        behind = _store_codes(codes, start, n, first_bytes, content, at)
        if count_bytes == _U1:
            for i in range(n):
                content[behind + i] = np.uint8(counts[start + i])
        elif count_bytes:
            for i in range(n):
                store_unaligned(content, np.int64(behind + count_bytes * i), np.uint64(counts[start + i]))
        behind += count_bytes * n
        store_unaligned(content, np.int64(behind), _U0)
        n_bytes = (behind - at + _U8 - _U1) // _U8 * _U8
        table[BYTES, block], table[COUNT_BYTES, block] = np.int64(n_bytes), np.int64(count_bytes)
        at += n_bytes
        start = end
        block += _U1
    return np.int64(at)


def decode_blocks(
    data: Bytes, offsets: Longs, starts: Longs, count_bytes: Longs, first_bytes: int, codes: Codes, counts: Counts
) -> int:
    """See `HostKmerOperations.decode_blocks`."""
    return int(_decode(data, offsets, starts, count_bytes, np.uint64(first_bytes), codes, counts))


def encode_blocks(codes: Codes, counts: Counts, first_bytes: int, block_kmers: int) -> EncodedBlocks:
    """See `HostKmerOperations.encode_blocks`."""
    n_words, n = codes.shape
    n_blocks = -(-n // block_kmers)
    most_bytes = n * (first_bytes + _WORD_BYTES * (n_words - 1) + _MOST_COUNT_BYTES) + (n_blocks + 1) * _WORD_BYTES
    content: NDArray[np.uint8] = np.empty(most_bytes, np.uint8)
    table: Longs = np.empty((OCCURRENCES + 1, n_blocks), np.int64)
    some = np.ascontiguousarray(codes), np.ascontiguousarray(counts)
    n_bytes = _encode(*some, np.uint64(first_bytes), np.uint64(block_kmers), content, table)
    return EncodedBlocks(content[:n_bytes], *table)
