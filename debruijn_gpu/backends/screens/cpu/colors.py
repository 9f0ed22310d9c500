"""Count the k-mers of records by sample, and write at which positions a sample has them."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Counts, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import trailing_zeros
from debruijn_gpu.backends.screens.containers import ABSENT, ColorTally, SampleSets
from debruijn_gpu.backends.screens.cpu.tally import count_kmers
from debruijn_gpu.backends.screens.cpu.vertical_counters import add_bits, unfold
from debruijn_gpu.backends.screens.protocol import MatchRule
from debruijn_gpu.backends.text.cpu.number_printing import count_digits, put_digits

_HITS_PER_RECORD = 64  # room for the first try; memory that is not written takes none
_MEMBERS_PER_WORD = 2  # of the mean colour set, from which on bits are faster than lists
_MILLION = 1_000_000
_ABSENT = np.uint32(ABSENT)
_ONE = np.uint64(1)
_IN, _NOT_IN, _AMBIGUOUS = (np.uint8(ord(c)) for c in "xon")


def index_sets(ptr: Longs, members: Counts, n_samples: int) -> SampleSets:
    """See `HostScreenOperations.index_sets`."""
    n_words = -(-n_samples // 64)
    are_dense = n_words == 1 or _MEMBERS_PER_WORD * n_words * (len(ptr) - 1) <= len(members)
    bits = np.zeros((len(ptr) - 1, n_words) if are_dense else (0, 0), np.uint64)
    if bits.size:
        _set_bits(ptr, members, bits)
    lists = (np.zeros(1, np.int64), np.empty(0, np.uint32)) if bits.size else (ptr, members)
    return SampleSets(n_samples, *lists, bits)


@kernel
def _set_bits(ptr, members, bits):
    """Set the bits (in and out) of the members of each set; see `SampleSets`."""
    for row in range(bits.shape[0]):
        for i in range(ptr[row], ptr[row + 1]):
            bits[row, members[i] >> 6] |= _ONE << np.uint64(members[i] & 63)


@lean_function
def _add_list(ptr, members, value, n, counts, words):
    """Add n k-mers of a colour set to the counts of its samples, whose bits are set."""
    for i in range(ptr[value], ptr[value + 1]):
        sample = np.int64(members[i])
        if counts[sample] == 0:
            words[sample >> 6] |= _ONE << np.uint64(sample & 63)
        counts[sample] += n


@lean_function
def _add_lists(values, start, stop, ptr, members, counts, words):
    """Add runs of k-mers of one colour set to the counts of its samples, whose bits are set."""
    while start < stop:
        value = values[start]
        first = start
        start += 1
        while start < stop and values[start] == value:
            start += 1
        if value != _ABSENT:
            _add_list(ptr, members, value, start - first, counts, words)


@lean_function
def _count_indexed(values, start, stop):
    """Number of k-mers that are in the table."""
    n = 0
    for i in range(start, stop):
        n += values[i] != _ABSENT
    return n


@lean_function
def _add_kmers(values, start, stop, sets, needed, counts, words, planes):
    """Count the k-mers of a record by sample, for samples with enough of them if colour sets have bits."""
    ptr, members, bits = sets
    if not bits.size:
        _add_lists(values, start, stop, ptr, members, counts, words)
        return
    for word in range(bits.shape[1]):
        n_planes = add_bits(values, start, stop, bits, word, planes)
        unfold(planes, n_planes, word, needed, counts, words)


@lean_function
def _take_hits(counts, words, needed, samples, n_matched, n):
    """Write the samples with enough k-mers from hit n on, as far as there is room; clear all. Returns the next hit."""
    for i in range(words.size):
        word = words[i]
        while word:
            sample = 64 * i + np.int64(trailing_zeros(word))
            word &= word - _ONE
            if counts[sample] >= needed:
                if n < samples.size:
                    samples[n] = sample
                    n_matched[n] = counts[sample]
                n += 1
            counts[sample] = 0
        words[i] = 0
    return n


@kernel
def _tally(offsets, breaks, k, values, sets, rule, sums, buffers, hits):
    """Count k-mers by record and sample; return the number of hits.

    Parameters
    ----------
    offsets, breaks : in; offsets and ambiguous positions of a batch
    k : int64
    values : in, uint32 (n_bases,); colour sets, see `ScreenOperations.look_up_reads`
    sets : in, tuple of the arrays of `SampleSets`
    rule : tuple of least and millionths, see `MatchRule`
    sums : out, tuple of n_kmers, n_indexed, int64 (n,), and hit_ptr, int64 (n + 1,)
    buffers : tuple of counts, int64 (n_samples,), a bit for each sample, uint64 (words,), and planes, uint64 (64,
        words); zeros, before and after
    hits : out, tuple of samples and n_matched, int64 (room,); written as far as there is room
    """
    n_kmers, n_indexed, hit_ptr = sums
    counts, words, planes = buffers
    n = 0
    high = 0
    for row in range(n_kmers.size):
        hit_ptr[row] = n
        start, stop = offsets[row], offsets[row + 1]
        low = high
        while high < breaks.size and breaks[high] < stop:
            high += 1
        n_kmers[row] = count_kmers(start, stop, breaks, low, high, k)
        n_indexed[row] = _count_indexed(values, start, stop - k + 1)
        needed = max(1, rule[0], (n_kmers[row] * rule[1] + _MILLION - 1) // _MILLION)
        if n_indexed[row]:
            _add_kmers(values, start, stop - k + 1, sets, needed, counts, words, planes)
            n = _take_hits(counts, words, needed, hits[0], hits[1], n)
    hit_ptr[n_kmers.size] = n
    return n


def tally_colors(
    offsets: Longs, ambiguous_positions: Longs, k: int, values: Counts, sets: SampleSets, rule: MatchRule
) -> ColorTally:
    """See `HostScreenOperations.tally_colors`."""
    n = len(offsets) - 1
    room = min(_HITS_PER_RECORD, sets.n_samples) * n
    sums = *np.empty((2, n), np.int64), np.empty(n + 1, np.int64)
    n_words = -(-sets.n_samples // 64)
    planes = np.zeros((64, n_words), np.uint64)
    buffers = np.zeros(sets.n_samples, np.int64), np.zeros(n_words, np.uint64), planes
    limits = rule.least, rule.millionths
    while True:
        hits = (*np.empty((2, room), np.int64),)
        found = _tally(offsets, ambiguous_positions, k, values, sets.arrays, limits, sums, buffers, hits)
        if found <= room:
            return ColorTally(*sums, *(column[:found] for column in hits))
        room = found


@lean_function
def _has(members, low, high, sample):
    """Whether a sample is among the ascending members low..high."""
    stop = high
    while low < high:
        middle = (low + high) >> 1
        if np.int64(members[middle]) < sample:
            low = middle + 1
        else:
            high = middle
    return low < stop and np.int64(members[low]) == sample


@lean_function
def _put_run(text, at, letter, n):
    """Write a letter and a length from a byte on, as far as there is room; return the byte behind them."""
    n_digits = np.int64(count_digits(np.uint64(n)))
    if at + 1 + n_digits <= text.size:
        text[at] = letter
        put_digits(text, at + 1, np.uint64(n), n_digits)
    return at + 1 + n_digits


@lean_function
def _state(value, breaks, next_break, position, k, sets, sample):
    """Letter of a position: whether its k-mer is in a sample, is not, or is ambiguous."""
    if next_break < breaks.size and breaks[next_break] < position + k:
        return _AMBIGUOUS
    if value == _ABSENT:
        return _NOT_IN
    ptr, members, bits = sets
    if bits.size:
        is_in = (bits[np.int64(value), sample >> 6] >> np.uint64(sample & 63)) & _ONE != 0
    else:
        is_in = _has(members, ptr[value], ptr[value + 1], sample)
    return _IN if is_in else _NOT_IN


@kernel
def _runs(offsets, breaks, k, values, sets, hit_ptr, samples, run_ptr, text):
    """Write the runs of positions of all hits (out, uint8), as far as there is room, and where each begins.

    Parameters
    ----------
    offsets, breaks, k, values, sets : in; see `_tally`
    hit_ptr, samples : in; see `ColorTally`
    run_ptr : out, int64 (n_hits + 1,)
    text : out, uint8
    """
    at = 0
    first_break = 0
    for row in range(offsets.size - 1):
        start, stop = offsets[row], offsets[row + 1] - k + 1
        while first_break < breaks.size and breaks[first_break] < start:
            first_break += 1
        for hit in range(hit_ptr[row], hit_ptr[row + 1]):
            run_ptr[hit] = at
            next_break, first, letter = first_break, start, _AMBIGUOUS
            for position in range(start, stop):
                while next_break < breaks.size and breaks[next_break] < position:
                    next_break += 1
                own = _state(values[position], breaks, next_break, position, k, sets, samples[hit])
                if own != letter and position > first:
                    at = _put_run(text, at, letter, position - first)
                    first = position
                letter = own
            if stop > first:
                at = _put_run(text, at, letter, stop - first)
    run_ptr[samples.size] = at
    return at


def position_runs(
    offsets: Longs,
    ambiguous_positions: Longs,
    k: int,
    values: Counts,
    sets: SampleSets,
    tally: ColorTally,
) -> tuple[Bytes, Longs]:
    """See `HostScreenOperations.position_runs`."""
    run_ptr = np.empty(len(tally.samples) + 1, np.int64)
    hits = sets.arrays, tally.hit_ptr, tally.samples, run_ptr
    n_bytes = _runs(offsets, ambiguous_positions, k, values, *hits, np.empty(0, np.uint8))
    text = np.empty(n_bytes, np.uint8)
    _runs(offsets, ambiguous_positions, k, values, *hits, text)
    return text, run_ptr
