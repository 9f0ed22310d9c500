"""Find wrong joins within unitigs by reads: places that none of them covers, and where most continue in another way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from debruijn_gpu.pairs.agreement import Agreement
from debruijn_gpu.pairs.breaks import Break

Longs = NDArray[np.int64]
#: Of the margin on both sides of a bin: so that a few long reads among short ones do not leave all of them out
_MOST_MARGIN_BP = 64


def margin_of(read_bp: int, options: BreakOptions) -> int:
    """Return the margin of an `Agreement` for typical reads of a length."""
    return min(_MOST_MARGIN_BP, read_bp // options.parts_of_read)


def contradicted(found: Agreement, lengths: Longs, k: int, options: BreakOptions) -> list[Break]:
    """Find the places within unitigs that no read covers, and where most reads of one side continue in another way.

    The unitig is made of two sequences there that share too few bases for a read to be of either: it was extended from
    k to k, and the reads that tell the copies of a repeat apart are too few. Where alleles change, reads of both have
    few differences, and cover the place.

    Parameters
    ----------
    found : Agreement
    lengths : ndarray, dtype=int64, shape=(n_unitigs,)
    k : int
        Places nearer to an end are left out: neighbours share these bases.
    options : BreakOptions
    """
    sites = _Sites(found, options.least_reads)
    offsets = np.append(0, np.cumsum(lengths))
    is_bare = np.concatenate(([False], found.cover == 0, [False]))
    firsts = np.flatnonzero(is_bare[1:] & ~is_bare[:-1]) * COVER_BIN_BP
    stops = np.flatnonzero(~is_bare[1:] & is_bare[:-1]) * COVER_BIN_BP
    unitigs = np.searchsorted(offsets, firsts, "right") - 1
    is_inside = (firsts - offsets[unitigs] >= k) & (offsets[unitigs + 1] - stops >= k)
    breaks = []
    for unitig, first, stop in zip(*(each[is_inside].tolist() for each in (unitigs, firsts, stops)), strict=True):
        sides = [sites.most(first, stop, is_ahead) for is_ahead in (True, False)]
        n_reads, n_before = max(sides)
        if min(sides)[0] >= options.least_reads and options.parts_of_reads * n_reads >= n_before:
            start = int(offsets[unitig])
            breaks.append(Break(unitig, first - start, stop - start, 0, float(n_before), n_reads, True, True))
    return breaks


class _Sites:
    """Sites by place, for questions about bare intervals."""

    def __init__(self, found: Agreement, least: int) -> None:
        self._found, self._least = found, least
        self._bases = found.sites[0] >> 1

    def most(self, first: int, stop: int, is_ahead: bool) -> tuple[int, int]:
        """Count the distinct reads that contradict around a bare interval, coming from one side, and those that agree
        up to where most of them do. There have to be some that do so at one place, and continue alike."""
        reach = self._found.margin_bp + COVER_BIN_BP
        low, high = np.searchsorted(self._bases, (first - reach, stop + reach + 1))
        sites, evidence = self._found.sites[:, low:high]
        chosen = sites & 1 == is_ahead
        groups = np.stack((sites[chosen], evidence[chosen] >> 32))
        if groups.shape[1] < self._least:
            return 0, 0
        alike, counts = np.unique(groups, axis=1, return_counts=True)
        best = int(counts.argmax())
        if counts[best] < self._least:
            return 0, 0
        return groups.shape[1], self._n_before(int(alike[0, best]) >> 1, is_ahead)

    def _n_before(self, site: int, is_ahead: bool) -> int:
        """Count the reads that agree up to a site."""
        cover, margin = self._found.cover, self._found.margin_bp
        at = (site - margin) // COVER_BIN_BP - 1 if is_ahead else -((-site - margin) // COVER_BIN_BP)
        return int(cover[min(max(at, 0), len(cover) - 1)])
