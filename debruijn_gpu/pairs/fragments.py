"""Places of the fragments of a library on sequences: unitigs, or chains of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.pairs.chains import Chains
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.placed_reads import PlacedLibrary, distinct_columns
from debruijn_gpu.pairs.within import Coordinates, Longs, packed, unpacked

_AT_ONCE = 1 << 20  # pairs that are unpacked together


@dataclass(frozen=True)
class Fragments:
    """Distinct fragments of a library, by the places of their first bases on both sides.

    A mate runs right if its fragment reaches from its first base to higher places of the sequence.

    Attributes
    ----------
    together : ndarray, dtype=int64, shape=(n,)
        Pairs on one sequence, ascending; see `within.packed`. The flags state which mate runs right.
    apart : ndarray, dtype=int64, shape=(6, m)
        Other pairs with a placed mate: sequence (-1: not placed), place, and whether it runs right, of each mate.
    """

    together: Longs
    apart: Longs

    def parts(self) -> Iterator[tuple[Longs, Longs, NDArray[np.bool_], NDArray[np.bool_]]]:
        """Yield lower and higher places of pairs on one sequence, and which run right, some at once."""
        for start in range(0, len(self.together), _AT_ONCE):
            low, distance, flags = unpacked(self.together[start : start + _AT_ONCE])
            yield low, low + distance, (flags & 2) > 0, (flags & 4) > 0

    def between(self, start: int, stop: int) -> tuple[Longs, Longs, NDArray[np.bool_], NDArray[np.bool_]]:
        """The same of the pairs whose lower place is in an interval."""
        bounds = np.searchsorted(self.together, packed(np.array([start, stop]), np.zeros(2, np.int64), 0))
        low, distance, flags = unpacked(self.together[bounds[0] : bounds[1]])
        return low, low + distance, (flags & 2) > 0, (flags & 4) > 0


def _runs_right(strand: Longs, mate: Longs, orientation: str) -> Longs:
    """Whether fragments reach to higher places from mates, as 0 or 1; see `links.toward_mate`."""
    if orientation in ("FR", "RF"):
        return strand ^ int(orientation == "FR")
    return strand ^ mate ^ int(orientation == "FF")


def fragments_of(placed: PlacedLibrary, library: Library, at: Coordinates) -> Fragments:
    """List the fragments of a library on unitigs.

    Parameters
    ----------
    placed : PlacedLibrary
    library : Library
    at : Coordinates
        Of the unitigs.
    """
    parts = [np.empty(0, np.int64)]
    for start in range(0, len(placed.within), _AT_ONCE):
        low, distance, flags = unpacked(placed.within[start : start + _AT_ONCE])
        mate, strands = flags & 1, ((flags >> 1) & 1, flags >> 2)
        right = [_runs_right(strands[i], mate ^ i, library.orientation) for i in range(2)]
        parts.append(packed(low, distance, right[0] << 1 | right[1] << 2))
    rows = placed.loose.anchors[[0, 1, 4, 5]]
    is_apart = (placed.loose.anchors[0::2] >> 1 != placed.loose.anchors[0] >> 1).any(axis=0)
    columns = []
    for number, (vertex, first) in enumerate((rows[:2, is_apart], rows[2:, is_apart])):
        unitig = np.where(vertex >= 0, vertex >> 1, -1)
        place = np.where(vertex >= 0, at.place(vertex, first), 0)
        right_of = _runs_right(vertex & 1, np.full(len(vertex), number), library.orientation)
        columns.append(np.stack((unitig, place, right_of)))
    return _gathered(parts, *columns)


def _gathered(parts: list[Longs], first: Longs, second: Longs) -> Fragments:
    """Sort fragments, each once; pairs that turn out to be on one sequence are packed."""
    is_placed = (first[0] >= 0) | (second[0] >= 0)
    first, second = first[:, is_placed], second[:, is_placed]
    swaps = (first[0] > second[0]) | ((first[0] == second[0]) & (first[1] > second[1]))
    first, second = np.where(swaps, second, first), np.where(swaps, first, second)
    same = first[0] == second[0]
    parts.append(
        packed(first[1, same], (second[1] - first[1])[same], (first[2, same] << 1) | (second[2, same] << 2)),
    )
    both = np.concatenate((first[:, ~same], second[:, ~same]))
    return Fragments(sorted_distinct(np.concatenate(parts)), distinct_columns([both]))


def projected(fragments: Fragments, unitigs: Coordinates, to: Chains, walks: Coordinates, reach_bp: int) -> Fragments:
    """Translate fragments near ends of unitigs to fragments on chains; mates on other unitigs are not placed.

    Parameters
    ----------
    fragments : Fragments
    unitigs, walks : Coordinates
        Of the unitigs and of the chains.
    to : Chains
    reach_bp : int
        Pairs within a unitig that are further from its ends are left out.
    """

    def moved(sequence: Longs, place: Longs, right: Longs) -> Longs:
        known = (sequence >= 0) & (to.sequence[sequence] >= 0)
        local = place - unitigs.offsets[sequence]
        turned = to.turned[sequence]
        local = np.where(turned, unitigs.lengths[sequence] - 1 - local, local)
        found = walks.offsets[to.sequence[sequence]] + to.start[sequence] + local
        return np.stack((np.where(known, to.sequence[sequence], -1), np.where(known, found, 0), right ^ turned))

    parts = [np.empty(0, np.int64)]
    for low, high, low_right, high_right in fragments.parts():
        unitig = unitigs.sequence_of(low)
        start = unitigs.offsets[unitig]
        near = (low < start + reach_bp) | (high >= start + unitigs.lengths[unitig] - reach_bp)
        first = moved(unitig[near], low[near], low_right[near].astype(np.int64))
        second = moved(unitig[near], high[near], high_right[near].astype(np.int64))
        known = first[0] >= 0
        swaps = first[1] > second[1]
        first, second = (np.where(swaps, one, other)[:, known] for one, other in ((second, first), (first, second)))
        parts.append(packed(first[1], second[1] - first[1], first[2] << 1 | second[2] << 2))
    return _gathered(parts, moved(*fragments.apart[:3]), moved(*fragments.apart[3:]))
