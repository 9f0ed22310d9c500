"""Translate, pack and unpack arrays of symbols; see `SequenceOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, launch, to_device, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import draw
from debruijn_gpu.backends.sequences.containers import unpacked_bytes


@kernel
def _translate(codes, letters, out):
    """The letter of each code. One thread per code.

    Parameters
    ----------
    codes : in, uint8, uint16 or uint32 (n,)
    letters : in, uint8 (n_letters,)
    out : out, uint8 (n,)
    """
    for i in range(cuda.grid(1), codes.size, cuda.gridsize(1)):
        out[i] = letters[codes[i]]


@guarded
def translate_symbols(codes: Array, letters: NDArray[np.uint8]) -> Array:
    """See `SequenceOperations.translate_symbols`."""
    out = xp.empty(codes.size, np.uint8)
    launch(_translate, codes.size, codes, to_device(letters), out)
    return out


@kernel
def _pack(codes, n_bits, packed):
    """Codes of ``n_bits`` (int64) bits each, the first in the highest place. One thread per byte.

    Parameters
    ----------
    codes : in, uint8 (n,)
    packed : out, uint8 (ceil(n * n_bits / 8),)
    """
    per_byte = 8 // n_bits
    for i in range(cuda.grid(1), packed.size, cuda.gridsize(1)):
        byte = np.uint32(0)
        for j in range(i * per_byte, i * per_byte + per_byte):
            code = np.uint32(codes[j]) if j < codes.size else np.uint32(0)
            byte = (byte << np.uint32(n_bits)) | code
        packed[i] = byte


@guarded
def pack_symbols(codes: Array, n_bits: int) -> Array:
    """See `SequenceOperations.pack_symbols`."""
    packed = xp.empty(-(-codes.size * n_bits // 8), np.uint8)
    launch(_pack, packed.size, codes, np.int64(n_bits), packed)
    return packed


@kernel
def _unpack(packed, table, words):
    """Look up each byte in a table. One thread per byte.

    Parameters
    ----------
    packed : in, uint8 (n,) or more
    table : in, uint32 or uint64 (256,)
    words : out, like table (n,)
    """
    for i in range(cuda.grid(1), words.size, cuda.gridsize(1)):
        words[i] = table[packed[i]]


@guarded
def unpack_symbols(packed: Array, n_bits: int, n_symbols: int, letters: NDArray[np.uint8]) -> Array:
    """See `SequenceOperations.unpack_symbols`."""
    table = to_device(unpacked_bytes(n_bits, letters))
    words = xp.empty(-(-n_symbols * n_bits // 8), table.dtype)
    launch(_unpack, words.size, packed, table, words)
    return words.view(np.uint8)[:n_symbols]


@kernel
def _sum_of_words(data, n_words, first, total):
    """Add words, each mixed with its number, to a sum. One thread per word, and one atomic addition a thread.

    Parameters
    ----------
    data : in, uint8 (n,)
        Anywhere in memory, so that words are put together from bytes.
    n_words : int64
    first : uint64
        Number of the first word.
    total : in and out, uint64 (1,)
    """
    of_thread = np.uint64(0)
    for i in range(cuda.grid(1), n_words, cuda.gridsize(1)):
        word = np.uint64(0)
        for j in range(8):
            word |= np.uint64(data[8 * i + j]) << np.uint64(8 * j)
        of_thread += draw(word, first + np.uint64(i))
    if of_thread != np.uint64(0):
        cuda.atomic.add(total, 0, of_thread)


@guarded
def checksum_bytes(data: Array, position: int) -> int:
    """See `SequenceOperations.checksum_bytes`."""
    from debruijn_gpu.backends.sequences.cpu.symbols import checksum_bytes as host_checksum  # takes long to import

    n_words = data.size // 8
    total = xp.zeros(1, np.uint64)
    launch(_sum_of_words, n_words, data, np.int64(n_words), np.uint64(position // 8), total)
    left = host_checksum(to_host(data[8 * n_words :]), position + 8 * n_words)
    return (int(to_host(total)[0]) + left) % (1 << 64)
