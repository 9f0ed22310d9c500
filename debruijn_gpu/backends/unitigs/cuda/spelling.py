"""Spell walks over k-mers and over sequences, 2 bits per base; see `unitigs.packed_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import base_at, base_letter, bases_from, reverse_complement_word, row_of
from debruijn_gpu.backends.unitigs import packed_scalars

_compiled = compile_module(
    device_function, packed_scalars, bases_from=bases_from, reverse_complement_word=reverse_complement_word
)
_is_larger_strand = _compiled.is_larger_strand
_merged_word = _compiled.merged_word
_spelled_word = _compiled.spelled_word


@kernel
def _offset_sequences(starts, walk_offsets, overlap, base_offsets):
    """Compute where the sequences of walks begin. One thread per walk.

    Parameters
    ----------
    starts : in, int64 (n_steps + 1,); see `packed_scalars.merged_word`
    walk_offsets : in, int64 (n_walks + 1,)
    overlap : int64
    base_offsets : out, int64 (n_walks + 1,)
    """
    for walk in range(cuda.grid(1), base_offsets.size, cuda.gridsize(1)):
        base_offsets[walk] = starts[walk_offsets[walk]] + overlap * walk


@kernel
def _offset_spelled(offsets, overlap, base_offsets):
    """Compute where the sequences of walks over k-mers begin. One thread per walk.

    Parameters
    ----------
    offsets : in, int64 (n_walks + 1,)
    overlap : int64
    base_offsets : out, int64 (n_walks + 1,)
    """
    for walk in range(cuda.grid(1), base_offsets.size, cuda.gridsize(1)):
        base_offsets[walk] = offsets[walk] + overlap * walk


@kernel
def _spell(codes, k, offsets, steps, base_offsets, bases):
    """Spell walks over k-mers. One thread per word.

    Parameters
    ----------
    codes, k, offsets, steps : in; see `UnitigOperations.spell`
    base_offsets : in, int64 (n_walks + 1,)
    bases : out, uint64 (words,)
    """
    last = offsets.size - 1
    for word in range(cuda.grid(1), bases.size, cuda.gridsize(1)):
        walk = row_of(32 * word, base_offsets, 0, last - 1)
        bases[word] = _spelled_word(word, walk, base_offsets[last], codes, k, offsets, steps)[0]


@guarded
def spell(codes: Array, k: int, offsets: Array, steps: Array) -> tuple[Array, Array]:
    """See `UnitigOperations.spell`."""
    codes, offsets, steps = map(contiguous, (codes, offsets, steps))
    base_offsets = xp.empty(offsets.size, np.int64)
    launch(_offset_spelled, offsets.size, offsets, np.int64(k - 1), base_offsets)
    bases = xp.empty(-(-int(base_offsets[-1]) // 32), np.uint64)
    launch(_spell, bases.size, codes, np.int64(k), offsets, steps, base_offsets, bases)
    return base_offsets, bases


@kernel
def _own_lengths(offsets, overlap, steps, lengths):
    """Count the bases of each step beyond the overlap. One thread per step.

    Parameters
    ----------
    offsets : in, int64 (n + 1,)
    overlap : int64
    steps : in, uint32 or uint64 (n_steps,)
    lengths : out, int64 (n_steps,)
    """
    for i in range(cuda.grid(1), lengths.size, cuda.gridsize(1)):
        item = np.int64(steps[i]) >> 1
        lengths[i] = offsets[item + 1] - offsets[item] - overlap


@kernel
def _merge(offsets, bases, overlap, walk_offsets, steps, starts, base_offsets, merged):
    """Concatenate sequences along walks. One thread per word.

    Parameters
    ----------
    offsets, bases, overlap, walk_offsets, steps : in; see `UnitigOperations.merge_sequences`
    starts : in, int64 (n_steps + 1,); see `packed_scalars.merged_word`
    base_offsets : in, int64 (n_walks + 1,)
    merged : out, uint64 (words,)
    """
    for word in range(cuda.grid(1), merged.size, cuda.gridsize(1)):
        walk = row_of(32 * word, base_offsets, 0, base_offsets.size - 2)
        step = row_of(32 * word - overlap * walk, starts, walk_offsets[walk], walk_offsets[walk + 1] - 1)
        merged[word] = _merged_word(word, walk, step, bases, offsets, overlap, walk_offsets, steps, starts)[0]


@guarded
def merge_sequences(
    offsets: Array, bases: Array, overlap: int, walk_offsets: Array, steps: Array
) -> tuple[Array, Array]:
    """See `UnitigOperations.merge_sequences`."""
    offsets, bases, walk_offsets, steps = map(contiguous, (offsets, bases, walk_offsets, steps))
    lengths = xp.empty(steps.size, np.int64)
    launch(_own_lengths, steps.size, offsets, np.int64(overlap), steps, lengths)
    starts = exclusive_scan(lengths)
    base_offsets = xp.empty(walk_offsets.size, np.int64)
    launch(_offset_sequences, base_offsets.size, starts, walk_offsets, np.int64(overlap), base_offsets)
    merged = xp.empty(-(-int(base_offsets[-1]) // 32), np.uint64)
    arrays = offsets, bases, np.int64(overlap), walk_offsets, steps, starts, base_offsets
    launch(_merge, merged.size, *arrays, merged)
    return base_offsets, merged


@kernel
def _compare_strands(offsets, bases, flips):
    """Compute which sequences have a smaller reverse complement. One thread per sequence, up to the first difference:
    among the first k bases of a unitig, which has each k-mer in one strand only.

    Parameters
    ----------
    offsets, bases : in, int64 (n + 1,), uint64
    flips : out, bool (n,)
    """
    for i in range(cuda.grid(1), flips.size, cuda.gridsize(1)):
        flips[i] = _is_larger_strand(bases, offsets[i], offsets[i + 1])


@guarded
def larger_strands(offsets: Array, bases: Array) -> Array:
    """See `UnitigOperations.larger_strands`."""
    flips = xp.empty(offsets.size - 1, np.bool_)
    launch(_compare_strands, flips.size, contiguous(offsets), contiguous(bases), flips)
    return flips


@kernel
def _write_text(offsets, bases, flips, text):
    """Write sequences, or their reverse complements where ``flips`` says so, as text. One thread per base.

    Parameters
    ----------
    offsets, bases, flips : in; see `UnitigOperations.sequence_text`
    text : out, uint8 (offsets[n],)
    """
    for place in range(cuda.grid(1), text.size, cuda.gridsize(1)):
        i = row_of(place, offsets, 0, flips.size - 1)
        if flips[i]:
            text[place] = base_letter(base_at(bases, offsets[i] + offsets[i + 1] - 1 - place) ^ np.uint64(3))
        else:
            text[place] = base_letter(base_at(bases, place))


@guarded
def sequence_text(offsets: Array, bases: Array, flips: Array) -> Array:
    """See `UnitigOperations.sequence_text`."""
    offsets = contiguous(offsets)
    text = xp.empty(int(offsets[-1]), np.uint8)
    launch(_write_text, text.size, offsets, contiguous(bases), contiguous(flips), text)
    return text
