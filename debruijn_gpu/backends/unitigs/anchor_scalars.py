"""Find the k-mers of reads that occur once in packed sequences, of any unitig graph: scalar functions of both backends.

Sequences are packed as in `packed_scalars`. A k-mer has one word, and k is odd. Slot i of ``slots`` (uint32 or uint64,
see `first_slot`) is 0 where free, else twice 1 more than the position of the first base of a k-mer, and 1 more if that
is repeated: it, or its reverse complement, occurs elsewhere. ``seed`` (uint64) is that of their hash. Positions and
numbers of bases are int64.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import (
    append_base,
    base_at,
    equal,
    first_slot,
    kmer_at,
    next_slot,
    prepend_base,
    reverse_complement,
    smaller,
)
from debruijn_gpu.backends.core.scalars import ONE, THREE
from debruijn_gpu.backends.reads.segment_scalars import row_of
from debruijn_gpu.backends.unitigs.placement_scalars import ABSENT

ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
TWO, SIXTY_FOUR = np.uint64(2), np.uint64(64)


def swap(slots, slot, expected, value):
    """Store a value in a slot that has an expected one, atomically; return what it had. Of the backend."""
    raise NotImplementedError


def anchor_at(bases, position, top_bits):
    """Extract the k-mer that begins at a position, and its reverse complement. ``top_bits`` (uint64) is 2 k."""
    forward = kmer_at(bases, np.uint64(position), top_bits, (np.uint64(0),))
    return forward, reverse_complement(forward, top_bits)


def next_anchor(forward, reverse, base, top_bits):
    """Move a k-mer and its reverse complement by one base, to the one that ends with a base (uint64)."""
    forward = append_base(forward, base, ALL_BITS >> (SIXTY_FOUR - top_bits))
    return forward, prepend_base(reverse, THREE - base, top_bits - TWO)


def slot_of(forward, reverse, n_slots, seed):
    """First slot (uint64) to look for a k-mer and its reverse complement."""
    return first_slot(smaller(forward, reverse), seed, n_slots)


def insert_anchor(slots, seed, bases, forward, reverse, position, top_bits):
    """Store the position of a k-mer in the first free slot from that of its hash on, or mark it as repeated.

    A slot keeps the position that was stored first, so threads that insert equal k-mers at once meet in one slot. Its
    only later change is the mark: where a swap for that fails, another thread has set it.
    """
    slot = slot_of(forward, reverse, slots.size, seed)
    while True:
        held = np.uint64(slots[slot])
        if held == np.uint64(0):
            held = np.uint64(swap(slots, slot, 0, 2 * (position + 1)))
            if held == np.uint64(0):
                return
        found = kmer_at(bases, (held >> ONE) - ONE, top_bits, forward)
        if equal(found, forward) or equal(found, reverse):
            if held & ONE == np.uint64(0):
                swap(slots, slot, held, held | ONE)
            return
        slot = next_slot(slot, slots.size)


def find_anchor(unitigs, forward, reverse, top_bits):
    """Find the position of a k-mer that occurs once; of its reverse complement as -1 - position; else `ABSENT`."""
    _offsets, bases, slots, seed = unitigs
    slot = slot_of(forward, reverse, slots.size, seed)
    held = np.uint64(slots[slot])
    while held != np.uint64(0):
        found = kmer_at(bases, (held >> ONE) - ONE, top_bits, forward)
        is_forward = equal(found, forward)
        if is_forward or equal(found, reverse):
            position = np.int64(held >> ONE) - 1
            if held & ONE != np.uint64(0):
                return ABSENT
            return position if is_forward else -1 - position
        slot = next_slot(slot, slots.size)
        held = np.uint64(slots[slot])
    return ABSENT


def seek_first(bases, first, last, k, unitigs):
    """Find the first of the k-mers first..last of a read that is an anchor.

    Returns
    -------
    int64, int64
        Its first base and its position, see `find_anchor`; `ABSENT` if there is none.
    """
    if first > last:
        return first, ABSENT
    top_bits = np.uint64(2 * k)
    forward, reverse = anchor_at(bases, first, top_bits)
    while True:
        at = find_anchor(unitigs, forward, reverse, top_bits)
        if at != ABSENT or first == last:
            return first, at
        forward, reverse = next_anchor(forward, reverse, base_at(bases, first + k), top_bits)
        first += 1


def seek_last(bases, first, last, k, unitigs):
    """Find the last of the k-mers first..last of a read that is an anchor; see `seek_first`."""
    if first > last:
        return last, ABSENT
    top_bits = np.uint64(2 * k)
    forward, reverse = anchor_at(bases, last, top_bits)
    while True:
        at = find_anchor(unitigs, forward, reverse, top_bits)
        if at != ABSENT or first == last:
            return last, at
        last -= 1
        reverse, forward = next_anchor(reverse, forward, THREE - base_at(bases, last), top_bits)


def first_anchor(bases, start, stop, breaks, low, high, k, unitigs):
    """Find the first anchor of the bases start..stop; ``breaks[low:high]`` are the ambiguous ones. See `seek_first`."""
    at = ABSENT
    first = start
    while at == ABSENT and stop - start >= k:
        end = breaks[low] if low < high else stop
        first, at = seek_first(bases, start, end - k, k, unitigs)
        start = end + 1
        low += 1
    return first, at


def last_anchor(bases, start, stop, breaks, low, high, k, unitigs):
    """Find the last anchor of the bases start..stop; see `first_anchor`. Ambiguous ones may be before ``start``."""
    at = ABSENT
    last = start
    while at == ABSENT and stop - start >= k:
        begin = max(start, breaks[high - 1] + 1) if low < high else start
        last, at = seek_last(bases, begin, stop - k, k, unitigs)
        stop = begin - 1
        high -= 1
    return last, at


def vertex_and_start(at, unitig, n_before, k, offsets):
    """Compute the vertex of an anchor, and where on it the read starts that has ``n_before`` bases before the
    anchor."""
    if at < 0:
        return 2 * unitig + 1, offsets[unitig + 1] - (-1 - at) - k - n_before
    return 2 * unitig, at - offsets[unitig] - n_before


def place_anchors_of(bases, start, stop, breaks, low, high, k, unitigs):
    """Place a read by its first and by its last anchor.

    Parameters
    ----------
    bases : in, packed bases of reads
    start, stop : int64; bases of the read
    breaks, low, high : in, int64; the ambiguous positions of the read are ``breaks[low:high]``
    k : int64
    unitigs : tuple of offsets, bases, slots and seed

    Returns
    -------
    int64, int64, int64, int64
        Vertex and start by the first anchor, and by the last one; see `UnitigOperations.place_anchors`.
    """
    offsets = unitigs[0]
    first, at = first_anchor(bases, start, stop, breaks, low, high, k, unitigs)
    if at == ABSENT:
        return -1, 0, -1, 0
    position = -1 - at if at < 0 else at
    unitig = row_of(position, offsets)
    vertex, place = vertex_and_start(at, unitig, first - start, k, offsets)
    last, at = last_anchor(bases, first + 1, stop, breaks, low, high, k, unitigs)
    if at == ABSENT:
        return vertex, place, vertex, place
    position = -1 - at if at < 0 else at
    if position < offsets[unitig] or position >= offsets[unitig + 1]:
        unitig = row_of(position, offsets)
    last_vertex, last_place = vertex_and_start(at, unitig, last - start, k, offsets)
    return vertex, place, last_vertex, last_place
