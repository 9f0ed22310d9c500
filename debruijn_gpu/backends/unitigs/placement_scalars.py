"""Place reads on unitigs and cut out what spans several or bridges gaps: scalar functions of both backends.

Sequences are packed as in `packed_scalars`. A k-mer of the unitigs is found by a hash table of positions: slot i of
``slots`` (uint32 or uint64, see `first_slot`) is 0 where free, else 1 more than the position of the first base of a
k-mer. The k-mers of a graph are distinct, and in one strand only. ``seed`` (uint64) is that of their hash. Positions
and numbers of bases are int64.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import equal, first_slot, kmer_at, next_slot, reverse_complement, smaller
from debruijn_gpu.backends.reads.segment_scalars import row_of
from debruijn_gpu.backends.unitigs.packed_scalars import strand_bases

ABSENT = -(1 << 62)
SEED_STEP = 8  # k-mers from one look-up to the next where none is found


def claim(slots, slot, value):
    """Store a value in a slot if that is free; return whether it was. Of the backend."""
    raise NotImplementedError


def add_windows(windows, n_windows, unitig, n):
    """Add a number of longer k-mers to that of their unitig. Of the backend."""
    raise NotImplementedError


def add_segment(segments, n_segments, start, n_bases):
    """Note a segment of a read. Of the backend."""
    raise NotImplementedError


def top_bits_of(k, zero):
    """Bits in use in word 0 of a k-mer of as many words as ``zero``."""
    return np.uint64(2 * k - 64 * (len(zero) - 1))


def insert_kmer(slots, seed, forward, reverse, position):
    """Store the position of a k-mer in the first free slot from that of its hash on."""
    slot = first_slot(smaller(forward, reverse), seed, slots.size)
    while not claim(slots, slot, position + 1):
        slot = next_slot(slot, slots.size)


def find_kmer(unitigs, kmer, top_bits):
    """Find the position of a k-mer in the unitigs; of its reverse complement as -1 - position; else `ABSENT`."""
    _offsets, bases, slots, seed = unitigs
    reverse = reverse_complement(kmer, top_bits)
    slot = first_slot(smaller(kmer, reverse), seed, slots.size)
    while slots[slot]:
        position = np.int64(slots[slot]) - 1
        found = kmer_at(bases, np.uint64(position), top_bits, kmer)
        if equal(found, kmer):
            return position
        if equal(found, reverse):
            return -1 - position
        slot = next_slot(slot, slots.size)
    return ABSENT


def n_leading_equal(difference):
    """Number of bases before the first that differs, of the exclusive or of two words of 32 bases."""
    if difference == np.uint64(0):
        return 32
    n = 0
    for bits in (32, 16, 8, 4, 2):
        if difference >> np.uint64(64 - bits) == np.uint64(0):
            n += bits >> 1
            difference <<= np.uint64(bits)
    return n


def n_equal(one, begin, end, is_reverse, other, other_begin, other_end, other_is_reverse, most):
    """Count the leading bases, at most ``most``, that two sequences or their reverse complements share."""
    n = 0
    while n < most:
        difference = strand_bases(one, begin, end, n, is_reverse) ^ strand_bases(
            other, other_begin, other_end, n, other_is_reverse
        )
        same = n_leading_equal(difference)
        n += same
        if same < 32:
            break
    return min(n, most)


def seek(bases, first, last, step, k, zero, unitigs):
    """Find the first of every ``step``-th k-mer first..last of a read that is in the unitigs.

    Returns
    -------
    int64, int64
        Its first base and its position, see `find_kmer`; `ABSENT` if there is none.
    """
    top_bits = top_bits_of(k, zero)
    while first <= last:
        at = find_kmer(unitigs, kmer_at(bases, np.uint64(first), top_bits, zero), top_bits)
        if at != ABSENT:
            return first, at
        first += step
    return first, ABSENT


def extent(bases, start, stop, first, at, k, unitigs):
    """Extend a k-mer of a read along the unitig that holds it.

    Parameters
    ----------
    bases : in, packed bases of reads
    start, stop : int64; bases of the read that may be looked at
    first : int64; first base of the k-mer
    at : int64; see `find_kmer`
    k : int64
    unitigs : tuple of offsets, bases, slots and seed

    Returns
    -------
    int64, int64, int64, bool, bool
        Unitig; numbers of further k-mers to the left and to the right; whether the unitig ends to the left; whether
        the read deviates from it to the right.
    """
    offsets, unitig_bases, _slots, _seed = unitigs
    is_reverse = at < 0
    position = -1 - at if is_reverse else at
    unitig = row_of(position, offsets)
    begin, end = offsets[unitig], offsets[unitig + 1]
    before, behind = position - begin, end - position - k
    if is_reverse:
        before, behind = behind, before
    most_left, most_right = min(first - start, before), min(stop - first - k, behind)
    if is_reverse:
        left = n_equal(bases, 0, first, True, unitig_bases, position + k, end, False, most_left)
        right = n_equal(bases, first + k, stop, False, unitig_bases, 0, position, True, most_right)
    else:
        left = n_equal(bases, 0, first, True, unitig_bases, 0, position, True, most_left)
        right = n_equal(bases, first + k, stop, False, unitig_bases, position + k, end, False, most_right)
    return unitig, left, right, left == before, right < most_right


def place_segment(bases, start, stop, k, longer, zero, unitigs, found):
    """Find the k-mers of length ``longer`` of a read whose shorter k-mers are all in the unitigs.

    Longer k-mers within one unitig are added to its number. Longer k-mers that span several unitigs are noted as
    segments of the read, each k-mer in one segment. Where a read deviates from a unitig, k-mers that contain the
    deviating base are not looked up: none that continues the unitig is in the graph.

    Parameters
    ----------
    bases : in, packed bases of reads
    start, stop : int64; bases of a read, none of them ambiguous
    k, longer : int64
    zero : tuple of uint64; as many words as a k-mer has
    unitigs : tuple of offsets, bases, slots and seed
    found : tuple of what ``add_windows`` and ``add_segment`` take
    """
    windows, n_windows, segments, n_segments = found
    more = longer - k  # k-mers that a longer one has beyond its first
    last = stop - k
    chain = -1  # first of the present k-mers that end before ``first``; -1: there are none
    low, high = 0, -1  # longer k-mers of the chain that span unitigs, not noted yet
    first = start
    while first <= last:
        bound = first
        seed, at = seek(bases, first, first, 1, k, zero, unitigs)
        if at == ABSENT:
            note(segments, n_segments, low, min(high, first - 1 - more), longer)
            chain, low, high = -1, 0, -1
            bound = first + 1
            seed, at = seek(bases, first + SEED_STEP, last, SEED_STEP, k, zero, unitigs)
            if at == ABSENT:
                break
        unitig, left, right, is_start, deviates = extent(bases, bound, stop, seed, at, k, unitigs)
        if is_start and seed - left > bound:
            earlier, at = seek(bases, bound, seed - left - 1, 1, k, zero, unitigs)
            if at != ABSENT:
                first = earlier
                continue
        if left + right >= more:
            add_windows(windows, n_windows, unitig, left + right + 1 - more)
        if chain < 0:
            chain = seed - left
        else:
            lower = max(chain, first - more)
            if high < low or lower > high + 1:
                note(segments, n_segments, low, high, longer)
                low = lower
            high = first - 1
        first = seed + right + 1
        if deviates:
            note(segments, n_segments, low, min(high, first - 1 - more), longer)
            chain, low, high = -1, 0, -1
            first += k
    note(segments, n_segments, low, min(high, min(first, last + 1) - 1 - more), longer)


def is_dead_end(vertex, links):
    """Whether an oriented unitig has no successor; ``links`` are those of `bridge_segment`."""
    row_ptr, circular, _is_extended = links
    return row_ptr[vertex] == row_ptr[vertex + 1] and not circular[vertex >> 1]


def bridge_segment(bases, start, stop, k, zero, unitigs, links, segments, n_segments):
    """Find the k-mers of a read that bridge a gap between two dead ends, or extend a unitig.

    They follow the end of a unitig that leads nowhere, or precede the start of one that nothing leads to, and no k-mer
    of the unitigs is between them.

    Parameters
    ----------
    bases, start, stop, k, zero, unitigs
        See `place_segment`.
    links : tuple of row_ptr, circular and is_extended
    segments, n_segments
        What ``add_segment`` takes.
    """
    _row_ptr, _circular, is_extended = links
    last = stop - k
    low = start  # first k-mer of the present gap if that begins with the read or at a dead end, else -1
    is_behind = extends = False  # whether it begins at a dead end, and at one of a unitig that reads extend
    first = start
    while first <= last:
        seed, at = seek(bases, first, last, 1 if low >= 0 else SEED_STEP, k, zero, unitigs)
        if at == ABSENT:
            break
        unitig, left, right, is_start, deviates = extent(bases, first, stop, seed, at, k, unitigs)
        vertex = 2 * unitig + (1 if at < 0 else 0)
        if low >= 0 and seed > low and is_start and left == 0 and is_dead_end(vertex ^ 1, links):
            if is_behind or is_extended[unitig]:
                add_segment(segments, n_segments, low, seed - low - 1 + k)
        first = seed + right + 1
        low = -1
        if deviates:
            first += k
        elif first <= last and is_dead_end(vertex, links):
            low, is_behind, extends = first, True, is_extended[unitig]
    if low >= 0 and extends:
        add_segment(segments, n_segments, low, last - low + k)


def note(segments, n_segments, low, high, longer):
    """Note the bases of the longer k-mers low..high, if there are any."""
    if high >= low:
        add_segment(segments, n_segments, low, high - low + longer)


def share_of(total, n, i):
    """Share i of a total in n parts that differ by at most 1, each at least 1."""
    rest = total % n
    return max(1, total // n + (i + 1) * rest // n - i * rest // n)
