"""Match the k-mers of reads against indexed sequences: scalar functions of both backends.

Bases are packed as in `ReadBatch`. An index is a tuple of ``starts``, ``stops``, ``bases``, ``slots``,
``filter_words`` and ``seed`` of `KmerIndex`. A k-mer has any number of words, those of ``zero``. Positions and numbers
of bases are int64; an s-mer has s bases, at most 32.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.kmer_scalars import (
    bases_from,
    equal,
    first_slot,
    kmer_at,
    minimizer_hash,
    next_slot,
    reverse_complement,
    reverse_complement_word,
    smaller,
)
from debruijn_gpu.backends.core.scalars import ONE
from debruijn_gpu.backends.reads.segment_scalars import row_of
from debruijn_gpu.backends.unitigs.placement_scalars import ABSENT, find_kmer, n_equal, top_bits_of

LOW_BITS = np.uint64(31)
WORD_SHIFT = np.uint64(5)
LEAST_ALONG = 8  # bases behind a substitution that continue a sequence; fewer are equal by chance


def swap(slots, slot, expected, value):
    """Store a value in a slot that has an expected one, atomically; return what it had. Of the backend."""
    raise NotImplementedError


def slot_of(bases, position, k, zero, n_slots, seed):
    """First slot (uint64) to look for the k-mer that begins at a position."""
    top_bits = top_bits_of(k, zero)
    forward = kmer_at(bases, np.uint64(position), top_bits, zero)
    kmer = smaller(forward, reverse_complement(forward, top_bits))
    return first_slot(kmer, seed, n_slots)


def insert_kmer(slots, slot, bases, position, k, zero):
    """Store the position of a k-mer in the first free slot from ``slot`` on, unless one before has an equal k-mer.

    A slot never changes once it is set, so threads that insert equal k-mers at once meet in one slot.
    """
    top_bits = top_bits_of(k, zero)
    forward = kmer_at(bases, np.uint64(position), top_bits, zero)
    reverse = reverse_complement(forward, top_bits)
    while True:
        held = np.uint64(slots[slot])
        if held == np.uint64(0):
            held = np.uint64(swap(slots, slot, 0, position + 1))
            if held == np.uint64(0):
                return
        found = kmer_at(bases, held - ONE, top_bits, zero)
        if equal(found, forward) or equal(found, reverse):
            return
        slot = next_slot(slot, slots.size)


def representative(position, k, zero, index):
    """Position in the table of the k-mer that begins at a position of the sequences; -1 if none of a sequence does."""
    starts, stops, sequences, slots, _filter_words, seed = index
    if stops.size == 0:
        return -1
    row = row_of(position, starts)
    if position < starts[row] or position + k > stops[row]:
        return -1
    top_bits = top_bits_of(k, zero)
    at = find_kmer((starts, sequences, slots, seed), kmer_at(sequences, np.uint64(position), top_bits, zero), top_bits)
    return -1 - at if at < 0 else at


def filter_bit(bases, position, s, n_words):
    """Bit (uint64) of the filter, of ``n_words`` words, for the canonical s-mer that begins at a position.

    The high bits of the hash are the good ones, so they are folded onto the low ones.
    """
    unused = np.uint64(64 - 2 * s)
    forward = bases_from(bases, position) >> unused
    reverse = reverse_complement_word(forward) >> unused
    h = minimizer_hash(forward, reverse)
    return (h ^ (h >> np.uint64(32))) & np.uint64(32 * n_words - 1)


def is_excluded(filter_words, bit):
    """Whether the filter excludes the s-mer of a bit."""
    return (filter_words[np.int64(bit >> WORD_SHIFT)] >> np.uint32(bit & LOW_BITS)) & np.uint32(1) == np.uint32(0)


def n_excluded(bases, first, k, s, filter_words):
    """Count the k-mers, from ``first`` on, that an s-mer proves absent; 0 if the first one may be in the index.

    S-mers of the first k-mer are looked at from its end, so that one which is excluded leaves out as many k-mers as
    possible: all that begin at ``first`` to that s-mer hold it. The last s-mer is for the caller to look at before.
    """
    step = max(1, (k - s) >> 2)
    at = first + k - s - step
    while at >= first:
        if is_excluded(filter_words, filter_bit(bases, at, s, filter_words.size)):
            return at - first + 1
        at -= step
    return 0


def n_along(bases, stop, first, at, row, k, index):
    """Count the leading bases that a read, from ``first`` on, shares with a sequence.

    Parameters
    ----------
    bases : in, packed bases of reads
    stop : int64; base behind those of the read that may be looked at
    first : int64
    at : int64; where the k-mer from ``first`` on would be, see `placement_scalars.find_kmer`
    row : int64; the sequence
    k : int64
    index : tuple
    """
    starts, stops, sequences, _slots, _filter_words, _seed = index
    rest = stop - first
    if at < 0:
        behind = k - 1 - at
        if behind > stops[row]:
            return 0
        most = min(rest, behind - starts[row])
        return n_equal(bases, first, stop, False, sequences, 0, behind, True, max(0, most))
    if at < starts[row]:
        return 0
    most = min(rest, stops[row] - at)
    return n_equal(bases, first, stop, False, sequences, at, stops[row], False, max(0, most))


def match_interval(bases, start, stop, k, s, zero, index, matches, n):
    """Find the matches of the bases start..stop of a read, none of them ambiguous.

    After a match, the read is compared with the same sequence behind the base that ended it, which saves look-ups where
    that is a substitution. This base is suspected: s-mers that hold it are looked at first. The first k-mer is looked
    up at once, since its slot has been loaded.

    Parameters
    ----------
    bases : in, packed bases of reads
    start, stop, k, s : int64
    zero : tuple of uint64; as many words as a k-mer has
    index : tuple
    matches : out, int64 (3, room); written from column n on, as far as there is room
    n : int64

    Returns
    -------
    int64
        n, and 1 for each match.
    """
    starts, _stops, sequences, slots, filter_words, table_seed = index
    table = starts, sequences, slots, table_seed
    top_bits = top_bits_of(k, zero)
    last = stop - k
    first = start
    suspect = start - 1
    row, seed, seed_first = 0, ABSENT, 0
    while first <= last:
        looked_at = min(first + k - s, suspect) if suspect >= first else first + k - s
        if is_excluded(filter_words, filter_bit(bases, looked_at, s, filter_words.size)):
            first = looked_at + 1
            continue
        if seed != ABSENT and suspect < first:
            at = seed + first - seed_first
        else:
            skipped = n_excluded(bases, first, k, s, filter_words) if first > start else 0
            if skipped:
                first += skipped
                continue
            at = find_kmer(table, kmer_at(bases, np.uint64(first), top_bits, zero), top_bits)
            if at == ABSENT:
                first += 1
                continue
            row = row_of(-1 - at if at < 0 else at, starts)
        n_bases = n_along(bases, stop, first, at, row, k, index)
        suspect = first + n_bases
        if n_bases >= k:
            if n < matches.shape[1]:
                matches[0, n] = first
                matches[1, n] = n_bases - k + 1
                matches[2, n] = at
            n += 1
            seed, seed_first = at, first
            first += n_bases - k + 1
        elif n_bases < LEAST_ALONG:
            seed, suspect = ABSENT, first - 1
    return n


def match_read(bases, start, stop, breaks, low, high, k, s, zero, index, matches, n):
    """Find the matches of a read, whose ambiguous positions are ``breaks[low:high]``; see `match_interval`."""
    while low <= high:
        end = breaks[low] if low < high else stop
        n = match_interval(bases, start, end, k, s, zero, index, matches, n)
        start = end + 1
        low += 1
    return n
