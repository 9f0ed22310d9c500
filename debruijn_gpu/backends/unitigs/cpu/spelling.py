"""Spell walks over k-mers and over sequences, 2 bits per base; see `unitigs.packed_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Codes, Flags, Longs, Vertices
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function, strided_kernel
from debruijn_gpu.backends.core.cpu.scalars import base_letter, bases_from, reverse_complement_word
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.unitigs import packed_scalars

_compiled = compile_module(
    lean_function, packed_scalars, bases_from=bases_from, reverse_complement_word=reverse_complement_word
)
_is_larger_strand = _compiled.is_larger_strand
_merged_word = _compiled.merged_word
_strand_bases = _compiled.strand_bases


@strided_kernel
def _read_first_bases(codes, k, start, stop, first_bases):
    """Read the first base of k-mers start..stop (bits 0, 1) and of their reverse complements (bits 2, 3).

    Walks gather these bytes (out, uint8 (n_kmers,)) in random order; codes would miss the cache more often.
    """
    top = np.uint64(2 * (k - 1) & 63)
    last = codes.shape[0] - 1
    for i in range(start, stop):
        first = codes[0, i] >> top
        first_of_reverse = ~codes[last, i] & np.uint64(3)
        first_bases[i] = first | first_of_reverse << np.uint64(2)


@lean_function
def _kmer_bases(codes, k, step, i, n):
    """Load n (1 to 32) bases from base i on of a k-mer, or of its reverse complement, into the lowest bits."""
    is_reverse = step & 1 == 1
    bit = 2 * i if is_reverse else 2 * (k - i - n)
    word = codes.shape[0] - 1 - (bit >> 6)
    shift = np.uint64(bit & 63)
    value = codes[word, step >> 1] >> shift
    if shift and word:
        value |= codes[word - 1, step >> 1] << (np.uint64(64) - shift)
    if is_reverse:
        return reverse_complement_word(value) >> np.uint64(64 - 2 * n)
    return value & (np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - 2 * n))


@strided_kernel
def _spell(codes, k, first_bases, steps, base_offsets, start, stop, bases):
    """Write words start..stop of the sequences of walks over k-mers.

    Parameters
    ----------
    codes, k, steps : in; see `UnitigOperations.spell`
    first_bases : in, uint8 (n_kmers,); see `_read_first_bases`
    base_offsets : in, int64 (n_walks + 1,)
    start, stop : int64
    bases : out, uint64 (words,)
    """
    walk = np.searchsorted(base_offsets, 32 * start, side="right") - 1
    for word in range(start, stop):
        value = np.uint64(0)
        place, end = 32 * word, min(32 * word + 32, base_offsets[-1])
        while place < end:
            last = base_offsets[walk + 1] - k  # where the last k-mer begins
            for at in range(place - (k - 1) * walk, min(last, end) - (k - 1) * walk):
                step = np.int64(steps[at])
                first = first_bases[step >> 1] >> np.uint8(2 * (step & 1))
                value = value << np.uint64(2) | np.uint64(first & np.uint8(3))
            place = max(place, min(last, end))
            n = min(last + k, end) - place
            if n > 0:
                step = np.int64(steps[last - (k - 1) * walk])
                value = (value << np.uint64(2 * n - 1)) << np.uint64(1)  # 64 bits in two shifts
                value |= _kmer_bases(codes, k, step, place - last, n)
                place += n
            if place == last + k:
                walk += 1
        n_free = 32 * word + 32 - end
        bases[word] = value << np.uint64(2 * n_free)


def spell(codes: Codes, k: int, offsets: Longs, steps: Vertices) -> tuple[Longs, Codes]:
    """See `UnitigOperations.spell`."""
    base_offsets = offsets + (k - 1) * np.arange(len(offsets))
    bases = np.empty(-(-base_offsets[-1] // 32), np.uint64)
    n_kmers = codes.shape[1]
    first_bases = np.empty(n_kmers, np.uint8)
    over_ranges(n_kmers, lambda start, stop: _read_first_bases(codes, k, start, stop, first_bases))
    over_ranges(
        len(bases),
        lambda start, stop: _spell(codes, k, first_bases, steps, base_offsets, start, stop, bases),
        work=int(base_offsets[-1]),
    )
    return base_offsets, bases


@kernel
def _own_lengths(offsets, overlap, steps, start, stop, lengths):
    """Count the bases (out, int64 (n_steps,)) of steps start..stop beyond the overlap."""
    for i in range(start, stop):
        item = np.int64(steps[i]) >> 1
        lengths[i] = offsets[item + 1] - offsets[item] - overlap


@kernel
def _merge(offsets, bases, overlap, walk_offsets, steps, starts, base_offsets, start, stop, merged):
    """Write words start..stop of the sequences of walks over sequences.

    Parameters
    ----------
    offsets, bases, overlap, walk_offsets, steps : in; see `UnitigOperations.merge_sequences`
    starts : in, int64 (n_steps + 1,); see `packed_scalars.merged_word`
    base_offsets : in, int64 (n_walks + 1,)
    start, stop : int64
    merged : out, uint64 (words,)
    """
    walk = np.searchsorted(base_offsets, 32 * start, side="right") - 1
    first, last = walk_offsets[walk], walk_offsets[walk + 1]
    step = first + np.searchsorted(starts[first:last], 32 * start - overlap * walk, side="right") - 1
    for word in range(start, stop):
        merged[word], walk, step = _merged_word(word, walk, step, bases, offsets, overlap, walk_offsets, steps, starts)


def merge_sequences(
    offsets: Longs, bases: Codes, overlap: int, walk_offsets: Longs, steps: Vertices
) -> tuple[Longs, Codes]:
    """See `UnitigOperations.merge_sequences`."""
    starts = np.zeros(len(steps) + 1, np.int64)
    over_ranges(len(steps), lambda start, stop: _own_lengths(offsets, overlap, steps, start, stop, starts[1:]))
    np.cumsum(starts, out=starts)
    base_offsets = starts[walk_offsets] + overlap * np.arange(len(walk_offsets))
    merged = np.empty(-(-base_offsets[-1] // 32), np.uint64)
    arrays = offsets, bases, overlap, walk_offsets, steps, starts, base_offsets
    over_ranges(
        len(merged),
        lambda start, stop: _merge(*arrays, start, stop, merged),
        work=len(steps) + len(merged),
    )
    return base_offsets, merged


@kernel
def _larger_strands(offsets, bases, start, stop, flips):
    """Mark (out, bool (n,)) those of the sequences start..stop whose reverse complement is smaller."""
    for i in range(start, stop):
        flips[i] = _is_larger_strand(bases, offsets[i], offsets[i + 1])


def larger_strands(offsets: Longs, bases: Codes) -> Flags:
    """See `UnitigOperations.larger_strands`."""
    flips = np.empty(len(offsets) - 1, np.bool_)
    over_ranges(len(flips), lambda start, stop: _larger_strands(offsets, bases, start, stop, flips))
    return flips


@kernel
def _write_text(offsets, bases, flips, start, stop, text):
    """Write bases start..stop of the text (out, uint8) of sequences."""
    i = np.searchsorted(offsets, start, side="right") - 1
    place = start
    while place < stop:
        begin, end = offsets[i], offsets[i + 1]
        while place < min(end, stop):
            word = _strand_bases(bases, begin, end, place - begin, flips[i])
            for at in range(place, min(place + 32, end, stop)):
                text[at] = base_letter(word >> np.uint64(62))
                word <<= np.uint64(2)
            place += 32
        place = end
        i += 1


def sequence_text(offsets: Longs, bases: Codes, flips: Flags) -> Bytes:
    """See `UnitigOperations.sequence_text`."""
    text = np.empty(offsets[-1], np.uint8)
    over_ranges(len(text), lambda start, stop: _write_text(offsets, bases, flips, start, stop, text))
    return text
