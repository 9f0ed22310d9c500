"""Join dead ends that hardly any pair links: places that are thinly covered."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.flanks import LEAST_FLANK
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import WITHIN_READS, LinkGraph
from debruijn_gpu.pairs.links import Link, Links

#: Pairs that link two dead ends of a genome with thin parts, at least, so that a read across is of no chimera; and so
#: that a gap stays open between them: two chimeras may link the same two ends.
_MORE_THAN_ONE, _LEAST_PAIRS = 2, 3
#: Depth of a short unitig beside an open gap of such a genome, at least, relative to single-copy sequence
_LEAST_DEPTH = 0.5


def thin_joins(
    found: Mapping[int, Join], links: Links, ends: LinkGraph, is_single: NDArray[np.bool_], has_thin_parts: bool = False
) -> dict[int, Join]:
    """Choose dead ends that are linked to each other and to nothing else, by whatever number of fragments.

    Where coverage is thin, one fragment may be all there is. It is no evidence by itself, but that both ends are dead,
    and that reads of both lead from one to the other over its length, is. So these joins are kept only if reads fill
    them: see `without_open`. Where a genome has thin parts, ends are many, and one chimera may link two of them, and
    fill the gap with a read of its own: so a link within reads counts there if two pairs have it, too.

    Parameters
    ----------
    found : mapping of int to Join
        By tail; see `joins.joins`.
    links : Links
    ends : LinkGraph
    is_single : ndarray, dtype=bool, shape=(n_unitigs,)
    has_thin_parts : bool
        See `Genomes`.
    """
    is_free = ~ends.leads_on & np.repeat(is_single, 2)
    is_free[list(found)] = False
    chosen = [link for link in links.only_links(is_free) if not (has_thin_parts and _may_be_chimera(link))]
    return {link.tail: Join(link, None, True) for link in chosen}


def without_open(
    found: Mapping[int, Join], ends: LinkGraph, copies: CopyNumbers, has_thin_parts: bool
) -> dict[int, Join]:
    """Leave out joins without a path that count only if reads fill their gap: of thin places, and implied ones.

    Where a genome has thin parts, a gap stays open between two long unitigs if `_LEAST_PAIRS` pairs lead across: few
    fragments are expected there, and nothing contradicts. Short unitigs of less than half of the depth may be of a
    repeat that is thin as a whole, so that no gap stays open beside them.

    Parameters
    ----------
    found : mapping of int to Join
        By tail, after gaps are closed.
    ends : LinkGraph
    copies : CopyNumbers
    has_thin_parts : bool
        See `Genomes`.
    """
    is_long = ends.n_kmers >= LEAST_FLANK
    is_sure = is_long | np.repeat(copies.depths >= _LEAST_DEPTH, 2)

    def is_kept(join: Join) -> bool:
        sides = [join.link.tail, join.link.head]
        if join.path is not None or not has_thin_parts:
            return join.path is not None or not join.is_thin
        if join.is_thin:
            return bool(is_long[sides].all()) and _n_pairs(join.link) >= _LEAST_PAIRS
        return bool(is_sure[sides].all())

    return {tail: join for tail, join in found.items() if is_kept(join)}


def _may_be_chimera(link: Link) -> bool:
    """Whether the read that runs across and the pair of a link may be of one fragment."""
    return _n_pairs(link) < _MORE_THAN_ONE and any(source == WITHIN_READS for source, _n, _reach in link.reaches)


def _n_pairs(link: Link) -> int:
    """Count the pairs of a link; a read that runs across may be a mate of one of them."""
    return sum(n_pairs for source, n_pairs, _reach in link.reaches if source != WITHIN_READS)
