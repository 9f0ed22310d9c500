"""Sequences of walks over k-mers, and their strands. A thread takes a base, and looks up whose it is."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.rows import offsets_of
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.scalars import base_letter, complement_letter
from debruijn_gpu.backends.core.cuda.search import row_of


@kernel
def _write_text_offsets(offsets, k, text_offsets):
    """Where sequences begin. One thread a sequence.

    Parameters
    ----------
    offsets : in, int64 (n + 1,); of the walks
    k : int64
    text_offsets : out, int64 (n + 1,)
    """
    for walk in range(cuda.grid(1), offsets.size, cuda.gridsize(1)):
        text_offsets[walk] = offsets[walk] + (k - 1) * walk


@kernel
def _spell(codes, k, offsets, steps, text_offsets, text):
    """Spell walks over k-mers: the first k - 1 bases of the first k-mer, then the last base of each. One thread a base.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    k : int64
    offsets, steps : in, int64 (n_walks + 1,), uint32 or uint64; steps are 2 * k-mer + strand
    text_offsets : in, int64 (n_walks + 1,)
    text : out, uint8 (text_offsets[n_walks],)
    """
    for place in range(cuda.grid(1), text.size, cuda.gridsize(1)):
        walk = row_of(place, text_offsets, 0, offsets.size - 2)
        within = place - text_offsets[walk]
        step = np.int64(steps[offsets[walk] + max(np.int64(0), within - (k - 1))])
        base = min(within, k - 1)  # of the k-mer in the strand that is walked
        if not step & 1:
            base = k - 1 - base  # from its end, of the k-mer as it stands
        bit = 2 * base
        word = codes[codes.shape[0] - 1 - (bit >> 6), step >> 1]
        code = (word >> np.uint64(bit & 63)) & np.uint64(3)
        text[place] = base_letter(code ^ np.uint64(3) if step & 1 else code)


@guarded
def spell(codes: Array, k: int, offsets: Array, steps: Array) -> tuple[Array, Array]:
    """See `UnitigBackend.spell`."""
    codes, offsets, steps = map(contiguous, (codes, offsets, steps))
    text_offsets = xp.empty(offsets.size, np.int64)
    launch(_write_text_offsets, offsets.size, offsets, np.int64(k), text_offsets)
    text = xp.empty(int(text_offsets[-1]), np.uint8)
    launch(_spell, text.size, codes, np.int64(k), offsets, steps, text_offsets, text)
    return text_offsets, text


@kernel
def _compare_strands(text, offsets, flips):
    """Which sequences have a smaller reverse complement. One thread a sequence, up to the first difference: among the
    first k bases of a unitig, which has each k-mer in one strand only.

    Parameters
    ----------
    text : in, uint8
    offsets : in, int64 (n + 1,)
    flips : out, bool (n,)
    """
    for i in range(cuda.grid(1), flips.size, cuda.gridsize(1)):
        left = offsets[i]
        right = offsets[i + 1] - 1
        is_larger = False
        while left <= right:
            ahead = text[left]
            behind = complement_letter(text[right])
            if ahead != behind:
                is_larger = behind < ahead
                break
            left += 1
            right -= 1
        flips[i] = is_larger


@guarded
def larger_strands(text: Array, offsets: Array) -> Array:
    """See `UnitigBackend.larger_strands`."""
    flips = xp.empty(offsets.size - 1, np.bool_)
    launch(_compare_strands, flips.size, contiguous(text), contiguous(offsets), flips)
    return flips


@kernel
def _take_bases(text, offsets, order, flips, new_offsets, taken):
    """Copy sequences in a new order, reverse-complemented where ``flips`` says so. One thread a base.

    Parameters
    ----------
    text, offsets : in, uint8, int64 (n + 1,)
    order : in, int64 (m,)
    flips : in, bool (n,)
    new_offsets : in, int64 (m + 1,)
    taken : out, uint8 (new_offsets[m],)
    """
    for place in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        i = row_of(place, new_offsets, 0, order.size - 1)
        sequence = order[i]
        within = place - new_offsets[i]
        if flips[sequence]:
            taken[place] = complement_letter(text[offsets[sequence + 1] - 1 - within])
        else:
            taken[place] = text[offsets[sequence] + within]


@guarded
def take_sequences(text: Array, offsets: Array, order: Array, flips: Array) -> tuple[Array, Array]:
    """See `UnitigBackend.take_sequences`."""
    text, offsets, order, flips = map(contiguous, (text, offsets, order, flips))
    new_offsets = offsets_of(offsets, order)
    taken = xp.empty(int(new_offsets[-1]), np.uint8)
    launch(_take_bases, taken.size, text, offsets, order, flips, new_offsets, taken)
    return new_offsets, taken
