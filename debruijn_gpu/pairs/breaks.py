"""Find places that fragments do not span, and those where their mates contradict the sequence."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.pairs.fragments import Fragments
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.placed_reads import distinct_columns
from debruijn_gpu.pairs.placement import ANCHOR_BP
from debruijn_gpu.pairs.spanning import proper, spanning
from debruijn_gpu.pairs.within import BIN_BP, Coordinates, Longs

_WINDOW_BINS = 3  # around suspicious ones, in which the place is


@dataclass(frozen=True)
class Break:
    """A place that few fragments span.

    Attributes
    ----------
    sequence : int
    start, stop : int
        Half-open interval of bases that the fewest fragments span; empty between two bases.
    n_spanning : int
    expected : float
    n_contradicting : int
        Distinct fragments that lead from one side to one place elsewhere.
    is_wrong : bool
        Whether that is proof of a wrong join.
    is_of_reads : bool
        Whether the numbers are of reads that continue in another way, not of fragments; see `agreement`.
    """

    sequence: int
    start: int
    stop: int
    n_spanning: int
    expected: float
    n_contradicting: int
    is_wrong: bool
    is_of_reads: bool = False


def intervals_of(breaks: list[Break]) -> dict[int, list[tuple[int, int]]]:
    """List the intervals of breaks by sequence."""
    found: dict[int, list[tuple[int, int]]] = {}
    for one in breaks:
        found.setdefault(one.sequence, []).append((one.start, one.stop))
    return found


def find_breaks(libraries: list[tuple[Library, Fragments]], at: Coordinates, options: BreakOptions) -> list[Break]:
    """Find the places that too few fragments span, by sequence and place.

    Parameters
    ----------
    libraries : list of (Library, Fragments)
        Fragments on these sequences.
    at : Coordinates
    options : BreakOptions
    """
    found = spanning(libraries, at)
    is_low = (found.expected >= 1000 * options.least_across) & (
        1000 * options.parts_of_expected * found.observed <= found.expected
    )
    low = np.flatnonzero(is_low)
    if not len(low):
        return []
    sequences = at.sequence_of(low * BIN_BP)
    splits = np.flatnonzero((np.diff(low) > 2 * _WINDOW_BINS) | (np.diff(sequences) != 0)) + 1
    evidence = [_Evidence(library, fragments) for library, fragments in libraries]
    breaks = []
    for bins in np.split(low, splits):
        best = bins[np.lexsort((-found.expected[bins], found.observed[bins]))[0]]
        sequence = int(at.sequence_of(bins[:1] * BIN_BP)[0])
        first, last = int(at.offsets[sequence]), int(at.offsets[sequence] + at.lengths[sequence])
        window = (
            max(first, (int(bins[0]) - _WINDOW_BINS) * BIN_BP),
            min(last, (int(bins[-1]) + _WINDOW_BINS) * BIN_BP),
        )
        observed, expected = int(found.observed[best]), int(found.expected[best])
        against = [
            [one.against(window, (first, last), from_left, options.place_slack_bp) for one in evidence]
            for from_left in (True, False)
        ]
        n_against = max(sum(len(places) for places in side) for side in against)
        is_wrong = (
            n_against >= options.least_contradicting
            and 1000 * options.parts_of_contradicting * n_against >= expected
            and n_against >= options.times_spanning * observed
        )
        start, stop = _narrowest(evidence, *_between(*window, *against))
        breaks.append(Break(sequence, start - first, stop - first, observed, expected / 1000, n_against, is_wrong))
    return breaks


def _between(start: int, stop: int, before: list[Longs], behind: list[Longs]) -> tuple[int, int]:
    """Narrow an interval to what lies between the anchors of mates that lead elsewhere from both sides."""
    first = max([start, *(int(places.max()) + ANCHOR_BP for places in before if len(places))])
    last = min([stop, *(int(places.min()) - ANCHOR_BP + 1 for places in behind if len(places))])
    return (first, last) if first <= last else (start, stop)


class _Evidence:
    """Fragments of a library, for questions about places."""

    def __init__(self, library: Library, fragments: Fragments) -> None:
        self._library, self._fragments = library, fragments
        self._odd = _odd(library, fragments)

    def cover(self, start: int, stop: int) -> Longs:
        """Count the fragments with an anchor on each side of each boundary of an interval, from its start to its stop.

        The first anchor may begin beyond the first base of a read that reaches over a wrong join.
        """
        low, high, low_right, high_right = self._fragments.between(start - self._library.longest_bp, stop)
        firsts, lasts = low + ANCHOR_BP, high + 1 - ANCHOR_BP
        spans = proper(low, high, low_right, high_right, self._library) & (firsts <= lasts)
        change = np.zeros(stop - start + 2, np.int64)
        np.add.at(change, np.clip(firsts[spans] - start, 0, len(change) - 1), 1)
        np.add.at(change, np.clip(lasts[spans] + 1 - start, 0, len(change) - 1), -1)
        found: Longs = np.cumsum(change)[: stop - start + 1]
        return found

    def against(self, interval: tuple[int, int], within: tuple[int, int], from_left: bool, slack_bp: int) -> Longs:
        """List the places of mates that lead from one side of an interval of a sequence to one place elsewhere."""
        (start, stop), reach = interval, self._library.longest_bp
        low, high = (start - reach, stop - ANCHOR_BP) if from_left else (start + ANCHOR_BP - 1, stop + reach)
        low, high = max(low, within[0]), min(high, within[1] - 1)
        rows = self._odd[:, slice(*np.searchsorted(self._odd[0], (low, high + 1)).tolist())]
        rows = rows[:, rows[1] == from_left]
        place: Longs = rows[0]
        sequence, target, target_right = rows[2:]
        if not len(place):
            return place
        ahead = np.where(target_right > 0, -target, target) - (place if from_left else -place)
        order = np.lexsort((place, ahead, target_right, sequence))
        ahead, group = ahead[order], 2 * sequence[order] + target_right[order]
        width = reach - int(self._library.sizes[0]) + slack_bp
        best = slice(0, 0)
        bounds = np.flatnonzero(np.diff(group, prepend=group[0] - 1, append=group[-1] + 1)).tolist()
        for first, last in pairwise(bounds):
            values = ahead[first:last]
            n_within = np.searchsorted(values, values + width, side="right") - np.arange(len(values))
            at = int(n_within.argmax())
            if n_within[at] > best.stop - best.start:
                best = slice(first + at, first + at + int(n_within[at]))
        found: Longs = place[order][best]
        return found


def _odd(library: Library, fragments: Fragments) -> Longs:
    """List mates whose own mate is elsewhere: place, whether it runs right, then sequence, place and direction of that.

    Mates close to each other that run apart are left out: libraries of mate pairs have such fragments, and others
    circles of DNA.
    """
    parts = [np.empty((5, 0), np.int64)]
    for low, high, low_right, high_right in fragments.parts():
        runs_apart = ~low_right & high_right & (high - low <= 2 * library.longest_bp)
        chosen = ~proper(low, high, low_right, high_right, library) & ~runs_apart
        both = [(low[chosen], low_right[chosen]), (high[chosen], high_right[chosen])]
        same = np.full(int(chosen.sum()), -2)
        for (place, right), (target, target_right) in (both, both[::-1]):
            parts.append(np.stack((place, right, same, target, target_right)).astype(np.int64))
    apart = fragments.apart[:, (fragments.apart[0] >= 0) & (fragments.apart[3] >= 0)]
    for own, other in ((apart[:3], apart[3:]), (apart[3:], apart[:3])):
        parts.append(np.concatenate((own[1:], other)))
    return distinct_columns(parts)


def _narrowest(evidence: list[_Evidence], start: int, stop: int) -> tuple[int, int]:
    """Find the longest run of boundaries that the fewest fragments cross: the bases between its first and last one."""
    cover = np.sum([one.cover(start, stop) for one in evidence], axis=0)
    is_least = np.concatenate(([False], cover == cover.min(), [False]))
    firsts, ends = np.flatnonzero(is_least[1:] & ~is_least[:-1]), np.flatnonzero(is_least[:-1] & ~is_least[1:])
    best = int(np.argmax(ends - firsts))
    return start + int(firsts[best]), start + int(ends[best]) - 1
