"""Join dead ends that hardly any pair links, where reads fill the gap: places that are thinly covered."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Links


def thin_joins(
    found: Mapping[int, Join], links: Links, ends: LinkGraph, is_single: NDArray[np.bool_]
) -> dict[int, Join]:
    """Choose dead ends that are linked to each other and to nothing else, by whatever number of fragments.

    Where coverage is thin, one fragment may be all there is. It is no evidence by itself, but that both ends are dead,
    and that reads of both lead from one to the other over its length, is. So these joins are kept only if reads fill
    them: see `without_open`.

    Parameters
    ----------
    found : mapping of int to Join
        By tail; see `joins.joins`.
    links : Links
    ends : LinkGraph
    is_single : ndarray, dtype=bool, shape=(n_unitigs,)
    """
    is_free = ~ends.leads_on & np.repeat(is_single, 2)
    is_free[list(found)] = False
    return {link.tail: Join(link, None, True) for link in links.only_links(is_free)}


def without_open(found: Mapping[int, Join]) -> dict[int, Join]:
    """Leave out joins without a path that count only if reads fill their gap: of thin places, and implied ones."""
    return {tail: join for tail, join in found.items() if join.path is not None or not join.is_thin}
