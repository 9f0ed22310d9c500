"""Count the k-mers of a record by sample, 64 samples at a time, where colour sets are bits.

Counters are vertical: bit j of the counts of 64 samples is a word, plane j. Eight k-mers are added without branches,
but for the last carry (Harley-Seal; Mula, Kurz and Lemire 2018).
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import prefetch, trailing_zeros
from debruijn_gpu.backends.screens.containers import ABSENT

_EIGHT = 8  # k-mers that are counted at once
_LEAST_PLANES = 3
_AHEAD = 2 * _EIGHT  # k-mers from the one whose bits are loaded to the one that is counted
_ABSENT = np.uint32(ABSENT)
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@lean_function
def _bits_of(bits, value, word):
    """Samples of a word that a colour set has; none of absent k-mers."""
    return bits[np.int64(value), word] if value != _ABSENT else _ZERO


@lean_function
def _add_carry(planes, word, plane, carry):
    """Add bits to the counts of 64 samples, from a plane on; return the plane behind the last one that changed."""
    while carry:
        held = planes[plane, word]
        planes[plane, word] = held ^ carry
        carry &= held
        plane += 1
    return plane


@lean_function
def _add_three(a, b, c):
    """Add three bits in each place; return the carries and the sums."""
    half = a ^ b
    return (a & b) | (half & c), half ^ c


@lean_function
def _add_four(values, at, bits, word, ones, twos):
    """Add the samples of four k-mers to two planes; return the carries and the planes."""
    first, second = _bits_of(bits, values[at], word), _bits_of(bits, values[at + 1], word)
    third, fourth = _bits_of(bits, values[at + 2], word), _bits_of(bits, values[at + 3], word)
    carry, ones = _add_three(ones, first, second)
    other, ones = _add_three(ones, third, fourth)
    fours, twos = _add_three(twos, carry, other)
    return fours, ones, twos


@lean_function
def _are_alike(values, at):
    """Whether eight k-mers have one colour set."""
    n_others = 0
    for i in range(at + 1, at + _EIGHT):
        n_others += values[i] != values[at]
    return n_others == 0


@lean_function
def add_bits(values, start, stop, bits, word, planes):
    """Add k-mers to the counts of the 64 samples of a word, whose planes are 0; return the planes in use.

    Parameters
    ----------
    values : in, uint32; colour sets of k-mers
    start, stop : int64
    bits : in; see `SampleSets`
    word : int64
    planes : out, uint64 (64, words)
    """
    ones, twos, fours = _ZERO, _ZERO, _ZERO
    n_planes = _LEAST_PLANES
    at = start
    while at + _EIGHT <= stop:
        if at + _AHEAD + _EIGHT <= stop:
            for i in range(at + _AHEAD, at + _AHEAD + _EIGHT):
                prefetch(bits, np.uint64(values[i]) * np.uint64(bits.shape[1]) + np.uint64(word))
        if _are_alike(values, at):
            eights = _bits_of(bits, values[at], word)
        else:
            carry, ones, twos = _add_four(values, at, bits, word, ones, twos)
            other, ones, twos = _add_four(values, at + _EIGHT // 2, bits, word, ones, twos)
            eights, fours = _add_three(fours, carry, other)
        n_planes = max(n_planes, _add_carry(planes, word, 3, eights))
        at += _EIGHT
    planes[0, word], planes[1, word], planes[2, word] = ones, twos, fours
    while at < stop:
        n_planes = max(n_planes, _add_carry(planes, word, 0, _bits_of(bits, values[at], word)))
        at += 1
    return n_planes


@lean_function
def unfold(planes, n_planes, word, needed, counts, words):
    """Write the counts of samples of a word with enough k-mers, and set their bits; clear the planes."""
    above, equal = _ZERO, ~_ZERO
    if needed >> n_planes:
        equal = _ZERO
    for i in range(n_planes):
        plane = n_planes - 1 - i
        held = planes[plane, word]
        if (needed >> plane) & 1:
            equal &= held
        else:
            above |= equal & held
            equal &= ~held
    words[word] = above | equal
    enough = words[word]
    while enough:
        bit = trailing_zeros(enough)
        enough &= enough - _ONE
        count = np.int64(0)
        for i in range(n_planes):
            count |= np.int64((planes[i, word] >> bit) & _ONE) << i
        counts[64 * word + np.int64(bit)] = count
    for i in range(n_planes):
        planes[i, word] = _ZERO
