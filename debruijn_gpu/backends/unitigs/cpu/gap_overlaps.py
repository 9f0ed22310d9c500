"""Overlaps of the two ends of a gap, and reads that agree with them or do not; see `HostUnitigOperations`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function

_MOST_DIFFERENT = 1  # bases beyond the anchor of a read that does not contradict; a single one may be an error


@kernel
def _shared(left, right, shortest, longest):
    """Find the lengths shortest..longest at which the end of one sequence is the start of the other."""
    lengths = np.empty(max(0, longest - shortest + 1), np.int64)
    n = 0
    for length in range(shortest, longest + 1):
        i = 0
        while i < length and left[left.size - length + i] == right[i]:
            i += 1
        if i == length:
            lengths[n] = length
            n += 1
    return lengths[:n]


def end_overlaps(left: Bytes, right: Bytes, shortest: int, longest: int) -> Longs:
    """See `HostUnitigOperations.end_overlaps`."""
    longest = min(longest, len(left), len(right))
    return np.asarray(_shared(left, right, max(1, shortest), longest))


@lean_function
def base_of_read(codes, begin, end, i, is_reverse):
    """Base i of a read or of its reverse complement; 4 or more where ambiguous."""
    if not is_reverse:
        return np.int64(codes[begin + i])
    code = np.int64(codes[end - 1 - i])
    return 3 - code if code <= 3 else code


@kernel
def _compare(codes, offsets, sequence, n_anchor):
    """Compare reads with a sequence; see `HostUnitigOperations.compare_reads`."""
    n_spanning, n_contradicting = 0, 0
    for read in range(offsets.size - 1):
        begin, end = offsets[read], offsets[read + 1]
        spans, contradicts = False, False
        for strand in range(2):
            for at in range(end - begin - n_anchor + 1):
                i = 0
                while i < n_anchor and base_of_read(codes, begin, end, at + i, strand == 1) == sequence[i]:
                    i += 1
                if i < n_anchor:
                    continue
                stop = min(sequence.size, end - begin - at)
                n_different = 0
                for i in range(n_anchor, stop):
                    n_different += base_of_read(codes, begin, end, at + i, strand == 1) != sequence[i]
                spans |= n_different == 0 and stop == sequence.size
                contradicts |= n_different > _MOST_DIFFERENT
        n_spanning += spans
        n_contradicting += contradicts
    return n_spanning, n_contradicting


def compare_reads(codes: Bytes, offsets: Longs, sequence: Bytes, n_anchor: int) -> tuple[int, int]:
    """See `HostUnitigOperations.compare_reads`."""
    n_spanning, n_contradicting = _compare(codes, offsets, sequence, n_anchor)
    return int(n_spanning), int(n_contradicting)
