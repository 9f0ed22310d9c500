"""Leave out gaps between unitigs that are too short to be told from copies of repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph

#: Reads that begin in a unitig, at least, so that its copy number is known to a sixth
_LEAST_STARTS = 40


def without_doubtful_gaps(
    found: Mapping[int, Join],
    ends: LinkGraph,
    copies: CopyNumbers,
    starts: NDArray[np.int64],
    libraries: Iterable[Library],
) -> dict[int, Join]:
    """Leave out open gaps beside a short unitig of uncertain copy number, where an end leads on in the graph.

    Where one copy of a repeat is thinly covered, the graph has another one, on which the reads of both are placed. If
    it is shorter than the fragments, these seem to link the neighbours of both copies, and few reads begin in it, so
    that it may pass for single-copy. A path or a filling confirms a link; an open gap beside an end at which other
    sequence follows does not.

    Parameters
    ----------
    found : mapping of int to Join
        By tail, after gaps are closed.
    ends : LinkGraph
    copies : CopyNumbers
    starts : ndarray, dtype=int64, shape=(n_unitigs,)
        See `PlacedReads`.
    libraries : iterable of Library
        The smallest mean of their insert sizes counts.
    """
    insert_bp = min((library.mean_bp for library in libraries), default=0.0)
    is_doubtful = (ends.lengths[0::2] < insert_bp) & (copies.is_repeat | (starts < _LEAST_STARTS))

    def is_kept(join: Join) -> bool:
        tail, back = join.link.tail, join.link.head ^ 1
        leads_on = ends.leads_on[tail] or ends.leads_on[back]
        return join.path is not None or not (leads_on and (is_doubtful[tail >> 1] or is_doubtful[back >> 1]))

    return {tail: join for tail, join in found.items() if is_kept(join)}
