"""Links that no fragment states: of two unitigs that pairs place one behind the other, before the same third one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.joins import is_contradicted, mutual
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link, Links

Longs = NDArray[np.int64]


def implied_links(
    chosen: Mapping[int, Link],
    near: Mapping[int, Sequence[Link]],
    links: Links,
    ends: LinkGraph,
    options: PairOptions,
) -> dict[int, Link]:
    """Link the unitigs that choose one head, in the order of their distances from it; links of both strands.

    Two short unitigs that are next to each other are linked by few fragments or none, as most are longer than both. If
    both are linked to a third one behind them, the distances state their order and the gap between them. The nearer
    one and the head have to choose each other, and no other link of either unitig may contradict.

    Parameters
    ----------
    chosen : mapping of int to Link
        The follower of each vertex, whether it chooses back or not.
    near : mapping of int to sequence of Link
        All links between single-copy vertices, by tail.
    links : Links
    ends : LinkGraph
    options : PairOptions

    Returns
    -------
    dict of int to Link
        By tail, without fragments of their own; no vertex that is in `mutual` (chosen).
    """
    by_head: dict[int, list[Link]] = {}
    for one in chosen.values():
        by_head.setdefault(one.head, []).append(one)
    taken, proposed = mutual(chosen), dict[int, list[Link]]()
    for before in by_head.values():
        before.sort(key=lambda one: (one.gap_bp, one.tail))
        if before[0].tail not in taken:
            continue
        for closer, farther in pairwise(before):
            link = _between(farther, closer, ends, options)
            if link is None or not _is_free(link, taken, near, links, ends.lengths, options):
                break
            for turned in (link, link.turned):
                proposed.setdefault(turned.tail, []).append(turned)
    return mutual({tail: found[0] for tail, found in proposed.items() if len(found) == 1})


def _between(farther: Link, closer: Link, ends: LinkGraph, options: PairOptions) -> Link | None:
    """Return the link of two tails before one head, if their order is certain."""
    error_bp = math.hypot(farther.error_bp, closer.error_bp)
    least_bp = 1 - ends.k - options.slack_bp - options.most_errors * error_bp
    gap_bp = farther.gap_bp - closer.gap_bp - float(ends.lengths[closer.tail])
    other_way_bp = closer.gap_bp - farther.gap_bp - float(ends.lengths[farther.tail])
    if farther.tail >> 1 == closer.tail >> 1 or gap_bp < least_bp or other_way_bp >= least_bp:
        return None
    n_pairs, support = min(farther.n_pairs, closer.n_pairs), min(farther.support, closer.support)
    return Link(farther.tail, closer.tail, n_pairs, gap_bp, error_bp, support, 0.0, ())


def _is_free(
    link: Link,
    taken: Mapping[int, Link],
    near: Mapping[int, Sequence[Link]],
    links: Links,
    lengths: Longs,
    options: PairOptions,
) -> bool:
    """Whether both ends are joined to nothing, few fragments are expected across, and no link contradicts."""
    if link.tail in taken or link.head ^ 1 in taken:
        return False
    if links.expected(link.tail, link.head, link.gap_bp) >= options.least_expected:
        return False
    return not any(is_contradicted(one, near.get(one.tail, ()), links, lengths, options) for one in (link, link.turned))
