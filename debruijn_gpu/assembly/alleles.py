"""Compare the two sides of a bubble: where they differ, as alleles of VCF."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_CELLS = 1 << 22  # of an alignment; longer sides are one variant
#: Costs of an alignment, as those of minimap2 (Li 2018) without its gain for equal bases: of two bases that differ, and
#: of a gap, beside 1 for each of its bases.
_MISMATCH, _GAP = 4, 6
_NEVER = 1 << 29
#: Sequences of so many bases or more that have fewer equal ones for each difference have replaced each other: any two
#: sequences have about four.
_LEAST_REPLACED, _LEAST_EQUAL = 50, 10


@dataclass(frozen=True)
class Difference:
    """Bases start..stop of a sequence that another one has replaced by other bases."""

    start: int
    stop: int
    replacement: bytes


def differences(sequence: bytes, start: int, stop: int, other: bytes) -> Iterator[Difference]:
    """Find where other bases differ from those of a sequence from start to stop, each difference left-aligned.

    An insertion or deletion has the base before it in front, as in VCF (normalised after Tan et al. 2015).
    """
    for difference in _raw_differences(sequence[start:stop], other):
        placed = Difference(start + difference.start, start + difference.stop, difference.replacement)
        yield _left_aligned(sequence, placed)


def _raw_differences(one: bytes, other: bytes) -> Iterator[Difference]:
    """Find the runs of bases in which two sequences differ in an alignment of least cost."""
    shortest = min(len(one), len(other))
    front = _n_equal(one, other, shortest)
    back = _n_equal(one[::-1], other[::-1], shortest - front)
    one_inside, other_inside = one[front : len(one) - back], other[front : len(other) - back]
    for start, stop, other_start, other_stop in _runs(one_inside, other_inside):
        yield Difference(front + start, front + stop, other_inside[other_start:other_stop])


def _n_equal(one: bytes, other: bytes, most: int) -> int:
    """Count the leading bases, at most ``most``, that two sequences share."""
    a, b = (np.frombuffer(sequence[:most], np.uint8) for sequence in (one, other))
    different = np.flatnonzero(a != b)
    return int(different[0]) if len(different) else most


def _runs(one: bytes, other: bytes) -> list[tuple[int, int, int, int]]:
    """List the unequal runs of two sequences: start and stop in one, start and stop in the other."""
    if not one or not other or len(one) * len(other) > _MOST_CELLS:
        return [(0, len(one), 0, len(other))] if one or other else []
    a, b = np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8)
    if len(a) == len(b) and _MISMATCH * np.count_nonzero(a != b) <= 2 * (_GAP + 1):  # no gaps cost less
        edges = np.flatnonzero(np.diff(np.concatenate(([False], a != b, [False])).astype(np.int8)))
        return [(start, stop, start, stop) for start, stop in edges.reshape(-1, 2).tolist()]
    runs = _runs_of_alignment(_alignment_costs(a, b), a, b)
    n_equal = len(a) - sum(stop - start for start, stop, _, _ in runs)
    is_replaced = min(len(a), len(b)) >= _LEAST_REPLACED and n_equal < _LEAST_EQUAL * len(runs)
    return [(0, len(a), 0, len(b))] if is_replaced else runs


def _alignment_costs(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Compute the least costs of aligning all prefixes, with affine gaps (Gotoh 1982), row by row.

    Returns
    -------
    ndarray, dtype=int32, shape=(len(a) + 1, len(b) + 1)
    """
    columns = np.arange(len(b) + 1, dtype=np.int32)
    costs = np.empty((len(a) + 1, len(b) + 1), np.int32)
    costs[0] = _GAP + columns
    costs[0, 0] = 0
    vertical = np.full(len(b) + 1, _NEVER, np.int32)  # least costs of alignments that end with a deletion
    for i in range(len(a)):
        vertical = np.minimum(vertical, costs[i] + np.int32(_GAP)) + np.int32(1)
        row = vertical.copy()
        row[1:] = np.minimum(row[1:], costs[i, :-1] + _MISMATCH * (b != a[i]).astype(np.int32))
        opened = np.minimum.accumulate(row - columns)  # a gap of n bases costs _GAP + n
        row[1:] = np.minimum(row[1:], opened[:-1] + columns[1:] + np.int32(_GAP))
        costs[i + 1] = row
    return costs


def _runs_of_alignment(
    costs: NDArray[np.int32], a: NDArray[np.uint8], b: NDArray[np.uint8]
) -> list[tuple[int, int, int, int]]:
    """Trace an alignment back, pairs of bases before gaps and short gaps before long ones; see `_runs`."""
    i, j = len(a), len(b)
    runs: list[tuple[int, int, int, int]] = []
    stop, other_stop = -1, -1  # of the run at hand; -1: none
    while i or j:
        is_pair = i > 0 and j > 0 and costs[i, j] == costs[i - 1, j - 1] + _MISMATCH * int(a[i - 1] != b[j - 1])
        if is_pair and a[i - 1] == b[j - 1] and stop >= 0:
            runs.append((i, stop, j, other_stop))
            stop = -1
        if not is_pair or a[i - 1] != b[j - 1]:
            stop, other_stop = (i, j) if stop < 0 else (stop, other_stop)
        n_deleted, n_inserted = (1, 1) if is_pair else _gap(costs, i, j)
        i, j = i - n_deleted, j - n_inserted
    if stop >= 0:
        runs.append((0, stop, 0, other_stop))
    return runs[::-1]


def _gap(costs: NDArray[np.int32], i: int, j: int) -> tuple[int, int]:
    """Return the bases of a and of b in the shortest gap with which an alignment of prefixes of i and j bases ends."""
    for n in range(1, max(i, j) + 1):
        if n <= i and costs[i, j] == costs[i - n, j] + _GAP + n:
            return n, 0
        if n <= j and costs[i, j] == costs[i, j - n] + _GAP + n:
            return 0, n
    raise AssertionError("costs of another alignment")


def _left_aligned(sequence: bytes, difference: Difference) -> Difference:
    """Shift an insertion or deletion to the left as far as possible, and put the base before it in front."""
    start, stop, replacement = difference.start, difference.stop, difference.replacement
    while start > 0 and (stop == start or not replacement):
        before = sequence[start - 1 : start]
        last = replacement[-1:] if stop == start else sequence[stop - 1 : stop]
        if last != before:
            return Difference(start - 1, stop, before + replacement)
        if stop == start:
            replacement = before + replacement[:-1]
        start, stop = start - 1, stop - 1
    return Difference(start, stop, replacement)
