"""Decide which unitigs follow each other: measure them, collect their links, and choose followers and paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.local_depth import Floats, Longs, local_depths
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.rarer_genomes import Genomes
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers, are_alike, end_odds, estimate_copies
from debruijn_gpu.pairs.doubtful_copies import deep_unitigs, doubtful_unitigs, rare_connections
from debruijn_gpu.pairs.implied_links import implied_links
from debruijn_gpu.pairs.interleaved import as_one_chain
from debruijn_gpu.pairs.joins import (
    SURE_OF_COPIES,
    Join,
    between_equal_depths,
    between_single_ends,
    joins,
    mutual,
    next_links,
    once,
)
from debruijn_gpu.pairs.knots import across_knots, find_knots
from debruijn_gpu.pairs.left_over import LeftOver
from debruijn_gpu.pairs.library import Library, share_of_both
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link, Links
from debruijn_gpu.pairs.path_choice import PathChoice
from debruijn_gpu.pairs.path_search import PathSearch
from debruijn_gpu.pairs.placed_reads import PlacedReads
from debruijn_gpu.pairs.placement import ANCHOR_BP
from debruijn_gpu.pairs.replicons import deep_followers
from debruijn_gpu.pairs.tandem_arrays import without_doubtful_arrays
from debruijn_gpu.pairs.unread_ends import without_unread
from debruijn_gpu.pairs.unrolled_arrays import UnrolledArrays
from debruijn_gpu.pairs.window_depths import WindowDepths

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def measure_unitigs(
    graph: UnitigGraph, edges: Graph, placed: PlacedReads, genomes: Genomes, backend: AssemblyBackend
) -> tuple[LinkGraph, CopyNumbers]:
    """Measure unitigs: their lengths and ends, and their copy numbers in their genome."""
    lengths = np.diff(backend.to_host(graph.sequences.offsets))
    leads_on = np.diff(edges.row_ptr) > 0
    n_open = leads_on[0::2].astype(np.int64) + leads_on[1::2]
    n_kmers, kmer_counts = backend.to_host(graph.n_kmers), backend.to_host(graph.kmer_counts)
    nearby = parts = None
    if genomes.has_local_depths:  # by reads, as few of them have the longest k-mers

        def nearby(room: Longs, starts: Longs) -> Floats:
            return local_depths(edges, room, starts, 1, backend)

    elif genomes.parts:
        parts = genomes.parts_of(edges, n_kmers, kmer_counts, backend)
    depths = kmer_counts / np.maximum(1, n_kmers)
    may_be_thin = _lead_to_one(edges, n_kmers >= graph.k) if genomes.has_thin_parts else None
    copies = estimate_copies(placed.starts, lengths, depths, n_open, graph.k, ANCHOR_BP, parts, may_be_thin, nearby)
    if not genomes.parts:  # by the depth of one genome
        copies = copies.doubted(deep_unitigs(copies, n_kmers, kmer_counts, graph.k, placed.mean_bp))
    ends = LinkGraph(graph.k, np.repeat(lengths, 2), leads_on, placed.repeated_bp, placed.mean_bp)
    return without_unread(ends, placed, copies.rates), copies


def _lead_to_one(edges: Graph, is_long: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find the unitigs that lead to at most one other at each end, as few repeats do: these lead to what follows each
    copy. Those that are not long lead to none."""
    degrees = np.diff(edges.row_ptr)
    found: NDArray[np.bool_] = np.maximum(degrees[0::2], degrees[1::2]) <= is_long
    return found


def collect_links(
    ends: LinkGraph, copies: CopyNumbers, placed: PlacedReads, libraries: list[Library], options: PairOptions
) -> Links:
    """Collect the links of all libraries."""
    lengths = ends.lengths[0::2]
    begun = placed.starts / np.maximum(1, lengths - ANCHOR_BP + 1) / max(1, placed.n_reads)
    rates = {}
    for one in libraries:
        pairs = placed.libraries[one.number]
        n_within = pairs.inserts.by_orientation()[one.orientation]
        share = share_of_both(one, n_within, begun * pairs.n_pairs, lengths) * pairs.distinct_share
        rates[one.number] = copies.rate / max(1, placed.n_reads) * pairs.n_pairs * share
    return Links(ends, placed, libraries, rates, options.least_pairs, copies.shares)


def choose_followers(
    links: Links,
    copies: CopyNumbers,
    placed: PlacedReads,
    edges: Graph,
    ends: LinkGraph,
    reach: float,
    options: PairOptions,
) -> tuple[dict[int, Link], CopyNumbers]:
    """Choose the unitigs that follow each other: single-copy ones, and those of replicons in many copies.

    Unitigs that turn out to be in doubt are left out, and the others chosen anew.
    """
    shares, odds = np.repeat(copies.shares, 2), end_odds(placed.end_starts, ends.lengths, ends.k, copies.rates)
    copies = copies.doubted(rare_connections(copies, placed.starts, edges, ends, reach))
    knots = find_knots(edges, ends, copies)
    is_inner = np.zeros(len(copies.copies), np.bool_)
    is_inner[[unitig for knot in knots for unitig in knot.unitigs]] = True

    def joinable(chosen: dict[int, Link]) -> dict[int, Link]:
        within = {tail: link for tail, link in chosen.items() if are_alike(shares, tail, link.head)}
        if copies.is_mixture:
            within = between_equal_depths(within, copies.copies * copies.expected, copies.expected)
        return between_single_ends(within, odds)

    while True:
        near = links.among(copies.is_single)
        chosen = joinable(next_links(near, links, ends.lengths, options))
        chosen = mutual(chosen) | joinable(implied_links(chosen, near, links, ends, options))
        beyond = next_links(links.among(copies.is_single & ~is_inner), links, ends.lengths, options)
        chosen = across_knots(knots, chosen, mutual(joinable(beyond)), options)
        doubtful = doubtful_unitigs(chosen, links, copies, ends.lengths, options)
        if not len(doubtful):
            return chosen | deep_followers(links, copies, placed, ends, options), copies
        copies = copies.doubted(doubtful)


def find_paths(
    chosen: dict[int, Link],
    links: Links,
    placed: PlacedReads,
    edges: Graph,
    ends: LinkGraph,
    copies: CopyNumbers,
    reach: float,
    windows: WindowDepths,
    options: PairOptions,
) -> dict[int, Join]:
    """Find the paths of chosen links that are certain, the joins that these leave over, and those across arrays."""
    found = joins(chosen, links, edges, ends.k, ends.lengths, options, copies.is_single)
    search = PathSearch(edges, ends.k, ends.lengths, lambda _vertex: False, options)
    choice = PathChoice(links, ends.lengths, ends.k - 1, options)
    odds = end_odds(placed.end_starts, ends.lengths, ends.k, copies.rates)
    is_sure = copies.is_single & (np.maximum(odds[0::2], odds[1::2]) <= SURE_OF_COPIES)
    kinds = np.where(is_sure, copies.shares, np.nan)
    found = as_one_chain(found, lambda link: search.paths(link, links), choice, kinds)
    found = once(found, copies.is_single)
    if placed.libraries:  # without pairs it would have no evidence, and ends that no read holds lost their edges
        found = LeftOver(edges, copies, links, odds, choice, options).with_joins(found)
    by_distance = links.deviation, options.slack_bp
    found = without_doubtful_arrays(found, edges, ends, copies, reach, *by_distance, windows)
    return UnrolledArrays(edges, ends, copies, links, options, windows).with_paths(found)
