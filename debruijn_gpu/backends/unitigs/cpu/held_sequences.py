"""Find how far reads hold a sequence; see `HostUnitigOperations.count_held`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.scalars import MIX_1
from debruijn_gpu.backends.unitigs.containers import HeldQueries
from debruijn_gpu.backends.unitigs.cpu.gap_overlaps import base_of_read

_WORD_BP = 31
_IS_HELD, _IS_AGREED = np.uint8(1), np.uint8(2)
_MASK = np.uint64((1 << 62) - 1)
_NOWHERE = np.int32(-1)


@lean_function
def _slot(word, n_bits):
    """First slot of a word in a table of 2^n_bits."""
    return np.int64((word * MIX_1) >> np.uint64(64 - n_bits))


@lean_function
def _index(sequence, words, table, n_bits):
    """Write the words of a sequence (out, uint64), and their positions into a table (out, int32)."""
    table[:] = _NOWHERE
    word = np.uint64(0)
    for i in range(sequence.size):
        word = ((word << np.uint64(2)) | np.uint64(sequence[i])) & _MASK
        at = i - _WORD_BP + 1
        if at < 0:
            continue
        words[at] = word
        slot = _slot(word, n_bits)
        while table[slot] != _NOWHERE:
            slot = (slot + 1) & (table.size - 1)
        table[slot] = at


@lean_function
def _follow(codes, begin, end, is_reverse, start, sequence, at, window_bp, most_different):
    """Compare a read with a window of a sequence whose first word it holds.

    Returns
    -------
    int64, int64
        1 if it agrees, -1 if it contradicts, 0 if it ends before; and where it first differs.
    """
    stop = min(sequence.size, at + window_bp)
    n_different, first = 0, stop
    for i in range(_WORD_BP, stop - at):
        if start + i >= end - begin:
            return 0, first
        if base_of_read(codes, begin, end, start + i, is_reverse) != sequence[at + i]:
            first = min(first, at + i)
            n_different += 1
            if n_different > most_different:
                return -1, first
    return 1, first


@lean_function
def _look_up(word, place, words, table, n_bits, sequence, limits, marks):
    """Mark where the sequence has a word that a read holds, and whether the read agrees with the window there.

    Parameters
    ----------
    place : codes, begin and end of the read, its strand, and where the word begins
    limits : int64, int64; window_bp and most_different
    marks : found (in and out, uint8), contradicting, reached (in and out, int64); of each word of the sequence, whether
        it is held and agreed, the strands of reads that contradict, and the farthest of their first differences
    """
    codes, begin, end, is_reverse, start = place
    found, contradicting, reached = marks
    slot = _slot(word, n_bits)
    while table[slot] != _NOWHERE:
        at = np.int64(table[slot])
        if words[at] == word:
            found[at] |= _IS_HELD
            if found[at] & _IS_AGREED == 0:
                verdict, first = _follow(codes, begin, end, is_reverse, start, sequence, at, limits[0], limits[1])
                if verdict > 0:
                    found[at] |= _IS_AGREED
                elif verdict < 0:
                    contradicting[at] += 1
                    reached[at] = max(reached[at], first)
        slot = (slot + 1) & (table.size - 1)


@lean_function
def _read_words(codes, begin, end, is_reverse, words, table, n_bits, sequence, limits, marks):
    """Look up the words of a strand of a read; see `_look_up`."""
    word, n_certain = np.uint64(0), 0
    for i in range(end - begin):
        code = base_of_read(codes, begin, end, i, is_reverse)
        n_certain = n_certain + 1 if code <= 3 else 0
        word = ((word << np.uint64(2)) | np.uint64(code & 3)) & _MASK
        if n_certain >= _WORD_BP:
            place = codes, begin, end, is_reverse, i - _WORD_BP + 1
            _look_up(word, place, words, table, n_bits, sequence, limits, marks)


@lean_function
def _count(codes, offsets, reads, sequence, n_first, limits, least_contradicting, room):
    """Count the first bases of a sequence that some reads hold; see `HostUnitigOperations.count_held`.

    Parameters
    ----------
    limits : int64, int64; window_bp and most_different
    room : words (uint64), table (int32), found (uint8), contradicting, reached (int64), with room for its words; those
        of the table are a power of two, at least twice as many
    """
    n_words = max(0, sequence.size - _WORD_BP + 1)
    n_bits = 1
    while (1 << n_bits) < 2 * n_words:
        n_bits += 1
    words, table, found, contradicting, reached = room
    table = table[: 1 << n_bits]
    _index(sequence, words, table, n_bits)
    found[:n_words], contradicting[:n_words], reached[:n_words] = 0, 0, 0
    marks = found, contradicting, reached
    for read in reads:
        for strand in range(2):
            begin, end = offsets[read], offsets[read + 1]
            _read_words(codes, begin, end, strand == 1, words, table, n_bits, sequence, limits, marks)
    n_held = sequence.size
    for at in range(n_words):
        if at >= n_first and found[at] & _IS_HELD == 0:
            n_held = min(n_held, at + _WORD_BP - 1)
        if found[at] & _IS_AGREED == 0 and contradicting[at] >= least_contradicting:
            n_held = min(n_held, reached[at])
    return n_held


@kernel
def _count_each(
    codes, offsets, reads, bounds, sequences, starts, first_words, windows_bp, most_different, least_contradicting, held
):
    """Count the first bases of each sequence that its reads hold (held: out, int64); see `HeldQueries`."""
    most_bp = 0
    for i in range(held.size):
        most_bp = max(most_bp, starts[i + 1] - starts[i])
    n_slots = 2
    while n_slots < 2 * most_bp:
        n_slots *= 2
    room = (
        np.empty(most_bp, np.uint64),
        np.empty(n_slots, np.int32),
        np.empty(most_bp, np.uint8),
        np.empty(most_bp, np.int64),
        np.empty(most_bp, np.int64),
    )
    for i in range(held.size):
        own, sequence = reads[bounds[i] : bounds[i + 1]], sequences[starts[i] : starts[i + 1]]
        limits = windows_bp[i], most_different[i]
        held[i] = _count(codes, offsets, own, sequence, first_words[i], limits, least_contradicting, room)


def count_held(queries: HeldQueries, least_contradicting: int) -> Longs:
    """See `HostUnitigOperations.count_held`."""
    held = np.empty(len(queries.first_words), np.int64)
    _count_each(*queries, least_contradicting, held)
    return held
