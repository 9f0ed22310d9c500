"""Decide which unitigs of replicons in many copies follow each other: deeper than single-copy sequence, and alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.copies import CopyNumbers, end_odds
from debruijn_gpu.pairs.joins import between_single_ends, follows, mutual
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link, Links
from debruijn_gpu.pairs.placed_reads import PlacedReads

Longs = NDArray[np.int64]

#: Reads that begin in a unitig, at least, so that its copy number is known to a sixth
_LEAST_STARTS = 40
#: Ratio of two copy numbers of one replicon, at most
_MOST_UNLIKE = 1.4
#: Of the fragments expected at this copy number (exSPAnder)
_LEAST_SUPPORT = 0.5


def deep_followers(
    links: Links, copies: CopyNumbers, placed: PlacedReads, ends: LinkGraph, options: PairOptions
) -> dict[int, Link]:
    """Choose for each end of a deep unitig the next one of like depth where pairs support it and no other.

    A plasmid of many copies, or a genome that is deeper than the rest of a sample, is a repeat by its depth. But a
    repeat is followed by the neighbours of its copies, each with a part of the fragments, and a unitig of a replicon by
    one of the same depth with all of them. Both have to choose each other.

    Parameters
    ----------
    links : Links
    copies : CopyNumbers
    placed : PlacedReads
    ends : LinkGraph
    options : PairOptions
    """
    is_deep = copies.is_repeat & (placed.starts >= _LEAST_STARTS)
    if not is_deep.any():
        return {}
    found = links.among(is_deep | copies.is_single, is_deep)
    chosen = {tail: link for tail, near in found.items() if (link := _next(near, links, copies, ends.lengths, options))}
    is_deep[[link.tail >> 1 for near in found.values() for link in near if _leaves(link, copies, options)]] = False
    chosen = mutual({t: link for t, link in chosen.items() if is_deep[link.tail >> 1] and is_deep[link.head >> 1]})
    rates = copies.rate * np.repeat(copies.depths, 2)
    return between_single_ends(chosen, end_odds(placed.end_starts, ends.lengths, ends.k, rates))


def _leaves(link: Link, copies: CopyNumbers, options: PairOptions) -> bool:
    """Whether a link leads from a repeat to sequence beside one of its copies."""
    n_copies = float(copies.copies[link.tail >> 1])
    is_less = bool(_MOST_UNLIKE * copies.depths[link.head >> 1] < copies.depths[link.tail >> 1])
    return is_less and link.support >= options.most_noise * n_copies


def _next(near: list[Link], links: Links, copies: CopyNumbers, lengths: Longs, options: PairOptions) -> Link | None:
    """Return the nearest supported link to like depth if all others lead to what may lie behind its head."""
    unitig = near[0].tail >> 1
    n_copies, depth = float(copies.copies[unitig]), float(copies.depths[unitig])
    of_head = copies.depths[[link.head >> 1 for link in near]]
    # What is deeper is a repeat of this replicon, and may be in between.
    near = [link for link, other in zip(near, of_head.tolist(), strict=True) if other <= _MOST_UNLIKE * depth]
    supported = [
        link
        for link in near
        if link.support >= _LEAST_SUPPORT * n_copies and _MOST_UNLIKE * copies.depths[link.head >> 1] >= depth
    ]
    if not supported or supported[0].head == supported[0].tail ^ 1:
        return None
    first = supported[0]
    others = [link for link in near if link is not first and link.n_pairs >= options.most_noise * first.n_pairs]
    return first if all(follows(first, other, links, lengths, options, n_copies) for other in others) else None
