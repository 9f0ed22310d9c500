"""Sequences of walks over k-mers, and their strands."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Codes, Flags, Longs, Vertices
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import base_letter, complement_letter
from debruijn_gpu.backends.core.cpu.threads import over_ranges


@kernel
def _base_of(codes, k, kmer, i):
    """ASCII of base i (0 is the first) of a k-mer."""
    bit = 2 * (k - 1 - i)
    word = codes.shape[0] - 1 - bit // 64
    return np.uint8(base_letter((codes[word, kmer] >> np.uint64(bit % 64)) & np.uint64(3)))


@kernel
def _spell(codes, k, offsets, steps, text_offsets, start, stop, text):
    """Spell the walks start..stop over k-mers: the first k-mer, then one base a step.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    offsets, steps : in; steps are 2 * k-mer + strand
    text_offsets : in, int64 (n_walks + 1,)
    text : out, uint8
    """
    for walk in range(start, stop):
        at = text_offsets[walk]
        for i in range(offsets[walk], offsets[walk + 1]):
            kmer = np.int64(steps[i]) >> 1
            reverse = np.int64(steps[i]) & 1
            for j in range(0 if i == offsets[walk] else k - 1, k):
                if reverse:
                    text[at] = complement_letter(_base_of(codes, k, kmer, k - 1 - j))
                else:
                    text[at] = _base_of(codes, k, kmer, j)
                at += 1


def spell(codes: Codes, k: int, offsets: Longs, steps: Vertices) -> tuple[Longs, Bytes]:
    """See `UnitigBackend.spell`."""
    text_offsets = offsets + (k - 1) * np.arange(len(offsets))
    text = np.empty(text_offsets[-1], np.uint8)
    over_ranges(
        len(offsets) - 1,
        lambda start, stop: _spell(codes, k, offsets, steps, text_offsets, start, stop, text),
        work=len(text),
    )
    return text_offsets, text


@kernel
def _larger_strands(text, offsets, start, stop, flips):
    """Mark (out, uint8) the sequences whose reverse complement is smaller."""
    for i in range(start, stop):
        left = offsets[i]
        right = offsets[i + 1] - 1
        flips[i] = 0
        while left < offsets[i + 1]:
            ahead = text[left]
            behind = complement_letter(text[right])
            if ahead != behind:
                flips[i] = behind < ahead
                break
            left += 1
            right -= 1


def larger_strands(text: Bytes, offsets: Longs) -> Flags:
    """See `UnitigBackend.larger_strands`."""
    n = len(offsets) - 1
    flips = np.empty(n, np.uint8)
    over_ranges(n, lambda start, stop: _larger_strands(text, offsets, start, stop, flips), work=len(text))
    return flips.astype(bool)


@kernel
def _take_sequences(text, offsets, order, flips, new_offsets, start, stop, taken):
    """Copy the sequences ``order[start:stop]``, reverse-complemented where ``flips`` says so."""
    for i in range(start, stop):
        source = offsets[order[i]]
        target = new_offsets[i]
        length = new_offsets[i + 1] - target
        if flips[order[i]]:
            for j in range(length):
                taken[target + j] = complement_letter(text[source + length - 1 - j])
        else:
            for j in range(length):
                taken[target + j] = text[source + j]


def take_sequences(text: Bytes, offsets: Longs, order: Longs, flips: Flags) -> tuple[Longs, Bytes]:
    """See `UnitigBackend.take_sequences`."""
    new_offsets = np.concatenate(([0], np.cumsum(np.diff(offsets)[order])))
    taken = np.empty(new_offsets[-1], np.uint8)
    over_ranges(
        len(order),
        lambda start, stop: _take_sequences(text, offsets, order, flips, new_offsets, start, stop, taken),
        work=len(taken),
    )
    return new_offsets, taken
