"""Count the fragments that span each place, and how many the mates around it make expected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.fragments import Fragments
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.within import BIN_BP, Coordinates, Longs

_N_QUANTILES = 8  # of insert sizes, that stand for all
#: Bins around a mate's expected place in which another mate of that direction shows that mates are placed there
_NEAR_BINS = 2
#: A mate needs an anchor on its own side, two bins. So a fragment spans from the third bin behind the one of its lower
#: place to the second before that of its higher place.
_ANCHOR_BINS = 2


@dataclass(frozen=True)
class Spanning:
    """Fragments across the start of each bin, of all libraries.

    Attributes
    ----------
    observed : ndarray, dtype=int64, shape=(n_bins,)
    expected : ndarray, dtype=int64, shape=(n_bins,)
        In thousandths: the smaller number of those that mates before and those that mates behind make expected.
    """

    observed: Longs
    expected: Longs


def proper(
    low: Longs, high: Longs, low_right: NDArray[np.bool_], high_right: NDArray[np.bool_], library: Library
) -> NDArray[np.bool_]:
    """Whether mates on one sequence face each other along their fragment, as far apart as its library allows."""
    size = high - low + 1
    in_range: NDArray[np.bool_] = (size >= library.sizes[0]) & (size <= library.longest_bp)
    return in_range & low_right & ~high_right


def spanning(libraries: list[tuple[Library, Fragments]], at: Coordinates) -> Spanning:
    """Count spanning fragments and those expected.

    A mate points to where its own mate is expected, by the quantiles of the insert sizes, if that is in the sequence
    and mates of that direction are placed there. So ends, repeats, and depth bear on both numbers alike. The numbers
    expected of a library are scaled to those observed over all places, as not all mates are placed.

    Parameters
    ----------
    libraries : list of (Library, Fragments)
    at : Coordinates
    """
    n = at.n_bins
    observed, before, behind = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for library, fragments in libraries:
        seen, right, left = _counts(library, fragments, n)
        ahead, back = _expected(right, left, _quantiles(library), at)
        n_expected = int(ahead.sum()) + int(back.sum())
        rate = 2000 * int(seen.sum()) // max(1, n_expected)
        observed += seen
        before += ahead * rate
        behind += back * rate
    return Spanning(observed, np.minimum(before, behind))


def _quantiles(library: Library) -> list[int]:
    """Choose insert sizes that stand for equal shares of the pairs."""
    upto = np.cumsum(library.shares)
    parts = (2 * np.arange(_N_QUANTILES) + 1) / (2 * _N_QUANTILES)
    found: list[int] = library.sizes[np.minimum(np.searchsorted(upto, parts), len(upto) - 1)].tolist()
    return found


def _counts(library: Library, fragments: Fragments, n: int) -> tuple[Longs, Longs, Longs]:
    """Count spanning fragments by bin, and the mates that run right and left."""
    change, right, left = np.zeros(n + 1, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for low, high, low_right, high_right in fragments.parts():
        spans = proper(low, high, low_right, high_right, library)
        first, last = low // BIN_BP, high // BIN_BP
        for places, runs_right in ((first, low_right), (last, high_right)):
            right += np.bincount(places[runs_right], minlength=n)
            left += np.bincount(places[~runs_right], minlength=n)
        spans &= last - first >= 2 * _ANCHOR_BINS
        change += np.bincount(first[spans] + _ANCHOR_BINS + 1, minlength=n + 1)
        change -= np.bincount(last[spans] - _ANCHOR_BINS + 1, minlength=n + 1)
    for sequence, place, runs_right in (fragments.apart[:3], fragments.apart[3:]):
        is_placed = sequence >= 0
        right += np.bincount(place[is_placed & (runs_right == 1)] // BIN_BP, minlength=n)
        left += np.bincount(place[is_placed & (runs_right == 0)] // BIN_BP, minlength=n)
    return np.cumsum(change)[:n], right, left


def _expected(right: Longs, left: Longs, sizes: list[int], at: Coordinates) -> tuple[Longs, Longs]:
    """Count for each bin and insert size the fragments expected by mates before it, and by those behind it."""
    n = len(right)
    firsts, n_of = at.offsets[:-1] // BIN_BP, np.diff(at.offsets) // BIN_BP
    rank = np.arange(n) - np.repeat(firsts, n_of)
    to_end = np.repeat(n_of, n_of) - 1 - rank
    finds_left, finds_right = _near(left), _near(right)
    ahead, back = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for size in sizes:
        far = size // BIN_BP
        if far < 2 * _ANCHOR_BINS or far >= n:
            continue
        fits = to_end[: n - far] >= far
        for line, own, meets in (
            (ahead, right[: n - far], finds_left[far:]),
            (back, left[far:], finds_right[: n - far]),
        ):
            pairs = np.where(fits & meets, own, 0)  # by the bin of the lower mate
            line[_ANCHOR_BINS + 1 : n - far + _ANCHOR_BINS + 1] += pairs
            line[far - _ANCHOR_BINS + 1 : n - _ANCHOR_BINS + 1] -= pairs
    return np.cumsum(ahead)[:n], np.cumsum(back)[:n]


def _near(counts: Longs) -> NDArray[np.bool_]:
    """Whether bins around a bin have mates."""
    upto = np.concatenate((np.zeros(_NEAR_BINS + 1, np.int64), np.cumsum(counts)))
    upto = np.concatenate((upto, np.full(_NEAR_BINS, upto[-1])))
    width = 2 * _NEAR_BINS + 1
    found: NDArray[np.bool_] = upto[width:] > upto[:-width]
    return found
