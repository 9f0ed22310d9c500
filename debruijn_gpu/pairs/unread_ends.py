"""Find the dead ends that no read runs beyond: mates are before them as a whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.placed_reads import BEYOND_BP, PlacedReads

#: Reads expected beyond an end, at least, so that their lack is no chance: probability 0.05 of none (Poisson)
_LEAST_EXPECTED = 3.0


def without_unread(ends: LinkGraph, placed: PlacedReads, rates: NDArray[np.float64]) -> LinkGraph:
    """Let mates be as far from a dead end as a read is long, where no read runs beyond the end.

    A mate is placed by a k-mer, so that its first base may be that near to an end. But where no read holds what is
    behind an end, all mates are before it as a whole. Fewer fragments then lead across, and longer ones. The last read
    ends with the unitig, and stands for the bases from one read to the next.

    Parameters
    ----------
    ends : LinkGraph
    placed : PlacedReads
    rates : ndarray, dtype=float64, shape=(n_vertices,)
        Reads that begin at a base, see `CopyNumbers.rates`.
    """
    if placed.beyond is None:
        return ends
    expected = rates * (placed.mean_bp - BEYOND_BP - ends.least_bp)
    is_unread = ~ends.leads_on & (placed.beyond == 0) & (expected >= _LEAST_EXPECTED)
    more_bp = np.maximum(0.0, placed.mean_bp - ends.least_bp - 1.0 / rates)
    more = np.where(is_unread, np.rint(more_bp), 0.0).astype(np.int64)
    return replace(ends, further_bp=more if ends.further_bp is None else ends.further_bp + more)
