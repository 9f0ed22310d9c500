"""Close circles of one unitig: pairs link its end with its own start, across a gap or a path of repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library, estimated_gaps
from debruijn_gpu.pairs.link_evidence import LinkGraph, toward_mate
from debruijn_gpu.pairs.links import Link, Links
from debruijn_gpu.pairs.placed_reads import PlacedReads
from debruijn_gpu.pairs.placement import LEAST_TURNS
from debruijn_gpu.run import log

Longs = NDArray[np.int64]


def circle_links(
    chosen: Mapping[int, Link],
    links: Links,
    ends: LinkGraph,
    graph: Graph,
    placed: PlacedReads,
    libraries: Iterable[Library],
    copies: CopyNumbers,
    options: PairOptions,
) -> dict[int, Link]:
    """Choose the unitigs whose end leads to their own start, as far as pairs show; links of both strands.

    Pairs whose mates point to each other beyond both ends are from no linear molecule. The unitig has to be
    single-copy, or to have dead ends alone: then it is a replicon of any copy number. It must not lead to itself in the
    graph, as copies of a tandem repeat do, nor be linked to any other such unitig.

    Parameters
    ----------
    chosen : mapping of int to Link
        See `choose_followers`.
    links : Links
    ends : LinkGraph
    graph : Graph
        Of the unitigs, in NumPy arrays.
    placed : PlacedReads
    libraries : iterable of Library
    copies : CopyNumbers
    options : PairOptions
    """
    found = _self_links(ends, placed, libraries, links)
    is_isolated = ~(ends.leads_on[0::2] | ends.leads_on[1::2])
    supported = {}
    for vertex, link in found.items():
        unitig = vertex >> 1
        of_copy = link.support / max(1.0, float(copies.copies[unitig]))
        is_alone = bool(is_isolated[unitig] or copies.is_single[unitig])
        is_free = vertex not in chosen and vertex ^ 1 not in chosen and not _is_tandem(vertex, graph)
        if is_alone and is_free and link.n_pairs >= options.least_pairs and of_copy >= options.least_support:
            supported[vertex] = link
    if not supported:
        return {}
    is_wanted = copies.is_single.copy()
    is_wanted[[vertex >> 1 for vertex in supported]] = True
    others = links.among(is_wanted)
    return {vertex: link for vertex, link in supported.items() if vertex not in others and vertex ^ 1 not in others}


def _is_tandem(vertex: int, graph: Graph) -> bool:
    """Whether a vertex leads to itself in the graph."""
    return vertex in graph.col[graph.row_ptr[vertex] : graph.row_ptr[vertex + 1]].tolist()


def _self_links(ends: LinkGraph, placed: PlacedReads, libraries: Iterable[Library], links: Links) -> dict[int, Link]:
    """Collect the pairs around the ends of each unitig as a link to itself, in both strands."""
    reaches: dict[int, list[tuple[int, int, float]]] = {}
    for library in libraries:
        for unitig, n_pairs, mean in _around(placed.libraries[library.number].around, library, ends):
            reaches.setdefault(unitig, []).append((library.number, n_pairs, mean))
    by_number = {library.number: library for library in libraries}
    found = {}
    for unitig, sources in sorted(reaches.items()):
        for vertex in (2 * unitig, 2 * unitig + 1):
            found[vertex] = _link(vertex, sources, by_number, ends, links)
    return found


def _around(anchors: Longs, library: Library, ends: LinkGraph) -> list[tuple[int, int, float]]:
    """List unitig, fragments, and the mean of their bases at both ends."""
    tails, reach = toward_mate(anchors[0], anchors[1], library.orientation, 0, ends)
    others, other_reach = toward_mate(anchors[4], anchors[5], library.orientation, 1, ends)
    totals, longest = reach + other_reach, library.longest_bp + ends.k
    chosen = (tails == others ^ 1) & (reach > 0) & (other_reach > 0) & (totals <= longest)
    chosen &= ends.lengths[tails] >= LEAST_TURNS * longest
    unitigs, which, numbers = np.unique(tails[chosen] >> 1, return_inverse=True, return_counts=True)
    sums = np.zeros(len(unitigs), np.int64)
    np.add.at(sums, which, totals[chosen])
    return list(zip(unitigs.tolist(), numbers.tolist(), (sums / np.maximum(1, numbers)).tolist(), strict=True))


def _link(
    vertex: int, sources: list[tuple[int, int, float]], libraries: dict[int, Library], ends: LinkGraph, links: Links
) -> Link:
    """Estimate the gap as for any other link."""
    vertices, gaps, weights = np.array([vertex]), [], []
    for number, n_pairs, mean in sources:
        library = libraries[number]
        corners = ends.corners(vertices, vertices, library.orientation)
        gap = estimated_gaps(library, corners, np.array([mean]), float(-ends.k))
        spread = float(library.sums.spanning(corners, gap).spreads[0])
        gaps.append(float(gap[0]))
        weights.append(n_pairs / max(1.0, library.spread_bp if np.isnan(spread) else spread) ** 2)
    gap_bp = sum(weight * gap for weight, gap in zip(weights, gaps, strict=True)) / sum(weights)
    n_pairs, expected = sum(n for _number, n, _mean in sources), links.expected(vertex, vertex, gap_bp)
    support = n_pairs / max(expected, 1e-9)
    return Link(vertex, vertex, n_pairs, gap_bp, sum(weights) ** -0.5, support, expected, tuple(sources))


def without_open_circles(found: dict[int, Join]) -> dict[int, Join]:
    """Leave out the links of unitigs to themselves that no path closes: these unitigs stay linear."""
    circles = [join for tail, join in found.items() if join.link.head == tail and not tail & 1]
    if circles:
        n_closed = sum(join.path is not None for join in circles)
        log.logger.info("  %s of %s unitigs that pairs link to themselves become circular", n_closed, len(circles))
    return {tail: join for tail, join in found.items() if join.path is not None or join.link.head != tail}
