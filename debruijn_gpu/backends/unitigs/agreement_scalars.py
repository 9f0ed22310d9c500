"""Compare placed reads with their unitigs: scalar functions of both backends.

Sequences are packed as in `packed_scalars`; vertices and starts are those of `anchor_scalars.place_anchors_of`.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import bases_from, kmer_at, reverse_complement
from debruijn_gpu.backends.unitigs.packed_scalars import leading_mask, strand_bases
from debruijn_gpu.backends.unitigs.placement_scalars import n_leading_equal
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP, SITE_WORD_BP

#: Score of a mismatch, where an equal base has 1: stretches that differ in more than one of 25 bases have less than 0.
#: Errors and alleles differ in fewer, copies of a repeat in more.
MISMATCH_SCORE = -24
#: Shorter stretches are those of other copies, by chance or where copies are alike.
LEAST_AGREED = 31
#: Bases and mismatches behind a stretch from which a read contradicts: alleles differ in fewer.
LEAST_REST, LEAST_DIFFERENT = 20, 5
#: Bases of a stretch from which a read contradicts: reads of another copy agree where both are alike by chance.
LEAST_CERTAIN = 50
#: Bases by which a read may be longer or shorter than the unitig between its anchors
MOST_SHIFT = 50
NOTHING = np.int64(-1)


def note_cover(found, first, last):
    """Count a read for the bins first..last. Of the backend."""
    raise NotImplementedError


def note_site(found, site, evidence):
    """Note where a read contradicts, and how it continues. Of the backend."""
    raise NotImplementedError


def agreed_stretch(reads, start, n, vertex, place, unitigs):
    """Find the stretch of a read of the greatest score along a vertex, the first of such.

    Parameters
    ----------
    reads : in, packed bases of reads
    start, n : int64; first base of the read, and its bases
    vertex, place : int64; where it lies
    unitigs : tuple of offsets and bases

    Returns
    -------
    int64, int64, int64, int64
        First base of the stretch in the read, the base behind its last one, and mismatches before and behind it; -1 and
        -1 if it is shorter than `LEAST_AGREED`.
    """
    offsets, bases = unitigs
    begin, end = offsets[vertex >> 1], offsets[(vertex >> 1) + 1]
    low, high = max(0, -place), min(n, end - begin - place)
    # of the best stretch, with the mismatches before it and up to its end; of the present one, behind the last mismatch
    best, first, last, n_before, n_until = 0, low, low, 0, 0
    score, own_first, own_before, seen, after = 0, low, 0, 0, low
    at = low
    while at < high:
        difference = bases_from(reads, start + at) ^ strand_bases(bases, begin, end, place + at, vertex & 1 == 1)
        difference &= leading_mask(min(32, high - at))
        word = at
        while difference != np.uint64(0):
            equal = n_leading_equal(difference)
            mismatch = word + equal
            score += mismatch - after
            if score > best:
                best, first, last, n_before, n_until = score, own_first, mismatch, own_before, seen
            seen += 1
            score += MISMATCH_SCORE
            after = mismatch + 1
            if score <= 0:
                score, own_first, own_before = 0, after, seen
            word = after
            difference = difference << np.uint64(2 * equal + 1) << np.uint64(1)
        at += 32
    score += high - after
    if score > best:
        best, first, last, n_before, n_until = score, own_first, high, own_before, seen
    if last - first < LEAST_AGREED:
        return NOTHING, NOTHING, np.int64(0), np.int64(0)
    return first, last, n_before, seen - n_until


def cover_bins(vertex, first, last, margin, unitigs, found):
    """Count a read that agrees with the bases first..last of a vertex for the bins that lie within them, less a margin
    at both ends."""
    offsets = unitigs[0]
    begin, end = offsets[vertex >> 1], offsets[(vertex >> 1) + 1]
    low, high = (end - last, end - first) if vertex & 1 else (begin + first, begin + last)
    low, high = max(begin, low) + margin, min(end, high) - margin
    low, high = (low + COVER_BIN_BP - 1) // COVER_BIN_BP, high // COVER_BIN_BP
    if low < high:
        note_cover(found, low, high)


def note_rest(reads, start, n, stretch, place, unitigs, found):
    """Note where a read contradicts a unitig on one side of a stretch; see `agreed_stretch`.

    One that does on both sides is of another copy.
    """
    vertex, at = place
    offsets = unitigs[0]
    begin, end = offsets[vertex >> 1], offsets[(vertex >> 1) + 1]
    first, last, n_before, n_behind = stretch
    is_reverse = vertex & 1
    top_bits = np.uint64(2 * SITE_WORD_BP)
    zero = (np.uint64(0),)
    differs_before = n_before >= LEAST_DIFFERENT and first - max(0, -at) >= LEAST_REST
    differs_behind = n_behind >= LEAST_DIFFERENT and min(n, end - begin - at) - last >= LEAST_REST
    if differs_before == differs_behind or last - first < LEAST_CERTAIN:
        return
    if differs_behind:
        site = end - at - last if is_reverse else begin + at + last
        word = kmer_at(reads, np.uint64(start + last), top_bits, zero)
        note_site(found, 2 * site + 1 - is_reverse, np.int64(word[0]) << 32 | n - last)
    else:
        site = end - at - first if is_reverse else begin + at + first
        word = reverse_complement(kmer_at(reads, np.uint64(start + first - SITE_WORD_BP), top_bits, zero), top_bits)
        note_site(found, 2 * site + is_reverse, np.int64(word[0]) << 32 | first)


def compare_read(reads, start, n, placed, margin, unitigs, found):
    """Compare a read with the vertices of its first and of its last anchor; see `UnitigOperations.compare_placed`.

    Parameters
    ----------
    reads, start, n
        See `agreed_stretch`.
    placed : tuple of int64
        Vertex and start of the read by its first anchor, and by its last one.
    margin : int64
    unitigs : tuple of offsets and bases
    found
        What `note_cover` and `note_site` take.
    """
    vertex, place, last_vertex, last_place = placed
    if vertex < 0:
        return
    stretch = agreed_stretch(reads, start, n, vertex, place, unitigs)
    is_same = vertex == last_vertex
    if not is_same or place != last_place:
        other = agreed_stretch(reads, start, n, last_vertex, last_place, unitigs)
        if is_same and abs(place - last_place) <= MOST_SHIFT and stretch[0] >= 0 and other[0] >= 0:
            first, last = min(place + stretch[0], last_place + other[0]), max(place + stretch[1], last_place + other[1])
            cover_bins(vertex, first, last, margin, unitigs, found)
            return
        if other[0] >= 0:
            cover_bins(last_vertex, last_place + other[0], last_place + other[1], margin, unitigs, found)
            note_rest(reads, start, n, other, (last_vertex, last_place), unitigs, found)
    if stretch[0] >= 0:
        cover_bins(vertex, place + stretch[0], place + stretch[1], margin, unitigs, found)
        note_rest(reads, start, n, stretch, (vertex, place), unitigs, found)
