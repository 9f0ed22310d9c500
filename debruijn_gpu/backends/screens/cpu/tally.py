"""Count matched k-mers by read and by reference, and compute what is left of trimmed reads."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.screens.cpu.index import compiled
from debruijn_gpu.backends.screens.protocol import LEFT, RIGHT, MatchRule, MatchTally, References

_row_of = compiled.row_of
_LEFT, _RIGHT = LEFT, RIGHT
_MILLION = 1_000_000


@lean_function
def count_kmers(start, stop, breaks, low, high, k):
    """Count the k-mers without ambiguous bases of a read; its ambiguous positions are ``breaks[low:high]``."""
    n = 0
    while low <= high:
        end = breaks[low] if low < high else stop
        n += max(0, end - start - k + 1)
        start = end + 1
        low += 1
    return n


@lean_function
def _add_match(at, n_kmers, references, counts, touched, n_touched):
    """Add the k-mers of a match to those of their references (``counts``), and note the references that had none.

    Returns the number of noted references.
    """
    run_starts, run_sets, set_ptr, members = references
    first = at if at >= 0 else -1 - at - (n_kmers - 1)
    stop = first + n_kmers
    run = _row_of(first, run_starts)
    while first < stop:
        end = min(stop, run_starts[run + 1])
        for i in range(set_ptr[run_sets[run]], set_ptr[run_sets[run] + 1]):
            reference = members[i]
            if counts[reference] == 0:
                touched[n_touched] = reference
                n_touched += 1
            counts[reference] += end - first
        first = end
        run += 1
    return n_touched


@kernel
def _tally(offsets, breaks, k, matches, references, least, millionths, n_kmers, n_matched, sums):
    """Count k-mers by read and by reference.

    Parameters
    ----------
    offsets, breaks : in; offsets and ambiguous positions of a batch
    k : int64
    matches : in, int64 (3, n); see `ScreenOperations.match_reads`
    references : in, tuple of the arrays of `References`
    least, millionths : int64; see `MatchRule`
    n_kmers, n_matched : out, int64 (n_reads,)
    sums : inout, int64 (3, n_references); reads, bases and k-mers of each reference
    """
    counts = np.zeros(sums.shape[1], np.int64)
    touched = np.empty(sums.shape[1], np.int64)
    high = 0
    match = 0
    for row in range(n_kmers.size):
        start, stop = offsets[row], offsets[row + 1]
        low = high
        while high < breaks.size and breaks[high] < stop:
            high += 1
        n = count_kmers(start, stop, breaks, low, high, k)
        n_found, n_touched = 0, 0
        while match < matches.shape[1] and matches[0, match] < stop:
            n_found += matches[1, match]
            n_touched = _add_match(matches[2, match], matches[1, match], references, counts, touched, n_touched)
            match += 1
        n_kmers[row] = n
        n_matched[row] = n_found
        needed = max(1, least, (n * millionths + _MILLION - 1) // _MILLION)
        for i in range(n_touched):
            reference = touched[i]
            if counts[reference] >= needed:
                sums[0, reference] += 1
                sums[1, reference] += stop - start
            sums[2, reference] += counts[reference]
            counts[reference] = 0


def tally_matches(
    offsets: Longs, ambiguous_positions: Longs, k: int, matches: Longs, references: References, rule: MatchRule
) -> MatchTally:
    """See `HostScreenOperations.tally_matches`."""
    n_kmers, n_matched = np.empty((2, len(offsets) - 1), np.int64)
    sums = np.zeros((3, references.n), np.int64)
    sets = references.run_starts, references.run_sets, references.set_ptr, references.set_members
    matches = np.require(matches, np.int64, ["C", "W"])
    _tally(offsets, ambiguous_positions, k, matches, sets, rule.least, rule.millionths, n_kmers, n_matched, sums)
    return MatchTally(n_kmers, n_matched, *sums)


@kernel
def _unmatched(offsets, k, matches, ends, parts):
    """Write the parts of reads that are left; see `HostScreenOperations.unmatched_ends`.

    Parameters
    ----------
    offsets : in, int64 (n + 1,)
    k : int64
    matches : in, int64 (3, n_matches)
    ends : int64
    parts : out, int64 (2, n)
    """
    match = 0
    for row in range(parts.shape[1]):
        start, stop = offsets[row], offsets[row + 1]
        first, last = start, start  # of the longest part without a match so far
        before = stop  # first matched base
        behind = start  # base behind the matches so far
        while match < matches.shape[1] and matches[0, match] < stop:
            at = matches[0, match]
            before = min(before, at)
            if at - behind > last - first:
                first, last = behind, at
            behind = at + matches[1, match] + k - 1  # matches ascend, and so do their ends
            match += 1
        if stop - behind > last - first:
            first, last = behind, stop
        if ends == _RIGHT:
            first, last = start, before
        elif ends == _LEFT:
            first, last = behind, stop
        parts[0, row] = first - start
        parts[1, row] = last - start


def unmatched_ends(offsets: Longs, k: int, matches: Longs, ends: int) -> Longs:
    """See `HostScreenOperations.unmatched_ends`."""
    parts = np.empty((2, len(offsets) - 1), np.int64)
    _unmatched(offsets, k, np.require(matches, np.int64, ["C", "W"]), ends, parts)
    return parts
