"""Shared parsing of FASTA and FASTQ: find lines, hash names, pack letters.

A kernel that finds unexpected input sets ``notes[ODD]`` and continues; its caller then leaves the text to the CPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import CHUNK, Selection, chunk_ends, selected_positions
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, kernel, launch, upload, xp
from debruijn_gpu.backends.core.cuda.scalars import hash_more, without_mate
from debruijn_gpu.backends.reads.letters import AMBIGUOUS, CLASSES, RETURN

#: Items of the array of notes, int64: whether something is odd, ambiguous bases, bases of all sequence lines, bases
#: of whole records, and the byte or line where the last record ends or begins.
ODD, N_AMBIGUOUS, N_BASES, N_KEPT, LAST = range(5)
N_NOTES = 5

#: A longer name is for the CPU: a thread of the device reads names byte by byte.
_LONGEST_NAME = 1 << 16

_U0, _U1, _U2, _U3, _U6, _U8, _U63 = (np.uint64(n) for n in (0, 1, 2, 3, 6, 8, 63))
_ALL = ~np.uint64(0)
_ONE, _NONE = np.uint32(1), np.uint32(0)


def _bits_of_class(is_wanted: NDArray[np.bool_]) -> tuple[np.uint64, np.uint64]:
    """Bits of the bytes 0..63 and 64..127 for which something holds; it holds for no others."""
    low, high = (sum(1 << int(i) for i in np.flatnonzero(is_wanted[start : start + 64])) for start in (0, 64))
    return np.uint64(low), np.uint64(high)


_, _BASE_LETTERS = _bits_of_class(CLASSES < AMBIGUOUS)
_AMBIGUOUS_SIGNS, _AMBIGUOUS_LETTERS = _bits_of_class(CLASSES == AMBIGUOUS)


@device_function
def line_length(text, start, end):
    """Length of the line whose newline, or the end of the text, is at `end`, without a carriage return there."""
    return end - start - 1 if end > start and text[end - 1] == RETURN else end - start


@device_function
def find_blank(text, at):
    """Position of the first byte below 33 from `at` on, or the end of the text; `at` - 1 if that is too far."""
    last = min(np.int64(text.size), at + _LONGEST_NAME)
    end = at
    while end < last and text[end] >= 33:
        end += 1
    return at - 1 if end == last and last < text.size else end


@device_function
def hash_name(text, start, end):
    """The hash (uint64) that `cpu.records.hash_name` gives."""
    end = without_mate(text, start, end)
    if end == start:
        return _U0
    value = np.uint64(end - start)
    chunk, n_bits = _U0, _U0
    for at in range(start, end):
        chunk |= np.uint64(text[at]) << n_bits
        n_bits = (n_bits + _U8) & _U63
        if n_bits == _U0 or at + 1 == end:
            value = hash_more(value, chunk)
            chunk = _U0
    return max(hash_more(value, _U0), _U1)


@device_function
def _segment_of(offsets, n_segments, base):
    """The segment that a base is in."""
    low, high = np.int64(0), np.int64(n_segments)
    while high - low > 1:
        middle = (low + high) >> 1
        if offsets[middle] <= base:
            low = middle
        else:
            high = middle
    return low


@kernel
def _pack(text, segment_starts, offsets, n_kept, bases, ambiguous, notes):
    """Pack letters, and look at those that are not kept. One thread per word of 32 bases, which finds its first letter
    by binary search; neighbours read neighbouring segments of text, byte by byte, from the same lines of the cache.

    Parameters
    ----------
    text : in, uint8 (n_bytes,)
    segment_starts : in, int64 (n_segments,); where each segment of sequence is in the text
    offsets : in, int64 (n_segments + 1,); its first base, among all
    n_kept : int64; so many bases are wanted
    bases : out, uint64 (ceil(n_kept / 32),); two-bit codes
    ambiguous : out, uint32 (at least ceil(n_kept / 32),); a bit for each base, the first in the lowest
    notes : in and out, int64 (N_NOTES,); ambiguous bases are counted, what is no letter is odd
    """
    n_segments = segment_starts.size
    n_bases = offsets[n_segments]
    for word in range(cuda.grid(1), (n_bases + 31) >> 5, cuda.gridsize(1)):
        first = np.int64(word) * 32
        stop = min(first + 32, n_bases)
        segment = _segment_of(offsets, n_segments, first)
        segment_end = offsets[segment + 1]
        at = segment_starts[segment] + first - offsets[segment]
        packed, unknown = _U0, _NONE
        for base in range(first, stop):
            while base == segment_end:
                segment += 1
                segment_end = offsets[segment + 1]
                at = segment_starts[segment]
            byte = np.uint64(text[at])
            at += 1
            packed <<= _U2
            quarter = byte >> _U6
            if quarter == _U1 and (_BASE_LETTERS >> (byte & _U63)) & _U1 != _U0:
                packed |= ((byte >> _U1) ^ (byte >> _U2)) & _U3
            else:
                letters = _AMBIGUOUS_LETTERS if quarter == _U1 else _AMBIGUOUS_SIGNS
                if quarter > _U1 or (letters >> (byte & _U63)) & _U1 == _U0:
                    notes[ODD] = 1
                unknown = np.uint32(unknown | (_ONE << np.uint32(base - first)))
        packed <<= _U2 * np.uint64(first + 32 - stop)
        if first < n_kept:
            if first + 32 > n_kept:
                n_here = n_kept - first
                packed &= ~(_ALL >> (_U2 * np.uint64(n_here)))
                unknown = np.uint32(unknown & ((_ONE << np.uint32(n_here)) - _ONE))
            bases[word] = packed
            ambiguous[word] = unknown
            if unknown:
                cuda.atomic.add(notes, N_AMBIGUOUS, np.int64(cuda.popc(unknown)))


@dataclass(frozen=True)
class DeviceText:
    """A text on the device.

    Attributes
    ----------
    text : uint8 (n_bytes,)
    eights : uint64 (32 * chunks,); the same memory and what is behind it, which may hold anything
    n_words : words of bits for its bytes, 8 * chunks
    """

    text: Array
    eights: Array

    @property
    def n_words(self) -> int:
        return int(self.eights.size) // 4


def on_device(text: NDArray[np.uint8]) -> DeviceText:
    """Copy a text, of at least one byte."""
    room = upload(text, -(-text.size // CHUNK) * CHUNK)
    return DeviceText(room[: text.size], room.view(np.uint64))


def pack_letters(
    text: Array, segment_starts: Array, offsets: Array, n_bases: int, n_kept: int, notes: Array
) -> tuple[Array, Array]:
    """Packed bases of segments of a text, and the bits of those that are ambiguous; see `_pack`."""
    bases = xp.empty(-(-n_kept // 32), np.uint64)
    ambiguous = xp.zeros(-(-n_kept // CHUNK) * (CHUNK // 32), np.uint32)
    n_words = -(-n_bases // 32)
    launch(_pack, n_words, text, segment_starts, offsets, np.int64(n_kept), bases, ambiguous, notes)
    return bases, ambiguous


def ambiguous_positions_of(ambiguous: Array, n_ambiguous: int) -> Array:
    """Positions (int64) of ambiguous bases, whose number is known."""
    if not n_ambiguous:
        return xp.empty(0, np.int64)
    return selected_positions(Selection(ambiguous, chunk_ends(ambiguous), n_ambiguous))
