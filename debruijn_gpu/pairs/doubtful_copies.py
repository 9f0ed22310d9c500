"""Find unitigs that are taken for single-copy, but that no fragment spans where many should."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.edges import edges_of
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.quantiles import weighted_median
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.flanks import LEAST_FLANK
from debruijn_gpu.pairs.joins import SURE_OF_COPIES
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.pairs.links import Link, Links

Longs = NDArray[np.int64]

#: Reads of an error relative to those of a copy: one of ten where depth is low
_SHARE_OF_ERRORS = 0.1
#: Odds of errors, as a logarithm, above which a unitig is no copy; chance gives as few reads to one copy in a hundred
_SURE_OF_ERRORS = 4.0
#: Copies of a unitig that is no error, and no part of a rarer genome
_LEAST_COPY = 0.5


def doubtful_unitigs(
    chosen: Mapping[int, Link], links: Links, copies: CopyNumbers, lengths: Longs, options: PairOptions
) -> Longs:
    """Find unitigs that stand between two others by pairs of each with it, but hardly by pairs of one with the other.

    A short unitig of two copies may have few enough reads to look like one. Its neighbours of different copies then
    seem to follow each other across it; but no fragment spans it from one to the other. Each fragment that is missing
    raises the odds of two copies. As the number expected is too high where neighbours have few anchors, the odds have
    to be high.

    Parameters
    ----------
    chosen : mapping of int to Link
        See `choose_followers`; of both strands.
    links : Links
    copies : CopyNumbers
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    options : PairOptions

    Returns
    -------
    ndarray, dtype=int64
    """
    middles = [link for link in chosen.values() if not link.head & 1 and link.head in chosen]
    onward = [chosen[link.head] for link in middles]
    tails = np.array([link.tail for link in middles], np.int64)
    vertices = np.array([link.head for link in middles], np.int64)
    heads = np.array([link.head for link in onward], np.int64)
    gaps = np.array([link.gap_bp + after.gap_bp for link, after in zip(middles, onward, strict=True)], np.float64)
    expected = links.expected_across(tails, heads, gaps + lengths[vertices])
    noise = max(options.most_noise, 1e-3)  # fragments that chance gives, of those expected
    missing = (1.0 - noise) * expected + math.log(noise) * links.supports_of(tails, heads)
    unitigs = vertices >> 1
    found: Longs = unitigs[copies.odds[unitigs] + missing > SURE_OF_COPIES]
    return found


def rare_connections(copies: CopyNumbers, starts: Longs, graph: Graph, ends: LinkGraph, most_bp: float) -> Longs:
    """Find short unitigs between others that have far too few reads for one copy, as a neighbour has them.

    An error may lead to another place of the genome by chance, at a small k. What connects both places has the reads of
    errors, but would seem single-copy by having so few.

    Parameters
    ----------
    copies : CopyNumbers
    starts : ndarray, dtype=int64, shape=(n_unitigs,)
        See `PlacedReads`.
    graph : Graph
        Of the unitigs, in NumPy arrays.
    ends : LinkGraph
    most_bp : float
        Unitigs from this length on are left out.

    Returns
    -------
    ndarray, dtype=int64
    """
    is_copy = copies.is_single & (copies.copies >= _LEAST_COPY)
    tails, heads = edges_of(graph)
    is_beside = np.zeros(len(starts), np.bool_)
    is_beside[heads[is_copy[tails >> 1]] >> 1] = True
    is_between = ends.leads_on[0::2] & ends.leads_on[1::2] & (ends.lengths[0::2] < most_bp)
    odds = (1.0 - _SHARE_OF_ERRORS) * copies.expected + math.log(_SHARE_OF_ERRORS) * starts
    found: Longs = np.flatnonzero(is_between & is_beside & (odds > _SURE_OF_ERRORS))
    return found


def deep_unitigs(copies: CopyNumbers, n_kmers: Longs, kmer_counts: Longs, k: int, read_bp: int) -> Longs:
    """List single-copy unitigs whose k-mers occur so often that they certainly have more copies.

    Reads are counted by their anchors. Where part of a unitig has no 31-mer of its own, few reads have their first
    anchor there, but they hold its k-mers. The occurrences are counted as reads by the k-mers that a read holds.

    Parameters
    ----------
    copies : CopyNumbers
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n_unitigs,)
    k : int
    read_bp : int
        Mean length of the reads.
    """
    long = copies.is_single & (n_kmers >= LEAST_FLANK)
    if not long.any():
        return np.empty(0, np.int64)
    depth = weighted_median(kmer_counts[long] / n_kmers[long] / copies.shares[long], n_kmers[long])
    odds = (kmer_counts * math.log(2.0) - n_kmers * copies.shares * depth) / max(1, read_bp - k + 1)
    found: Longs = np.flatnonzero(copies.is_single & (odds > SURE_OF_COPIES))
    return found
