"""Find the depth of single-copy sequence near each unitig, where depths vary too much for one, or for a few genomes.

A chain is a run of unitigs with nothing but simple bubbles between them: in a genome of several strains as well as
within copies of a repeat. A long chain is single-copy unless its neighbours show that it is a repeat, and its depth is
that of single-copy sequence there. Other chains take the depth of the nearest such ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.edges import components_of, edges_of
from debruijn_gpu.assembly.quantiles import weighted_quantile
from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.graph.graph import Graph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: A repeat is deeper, by this factor, than all chains beside one of its ends. Three copies may be beside two, so that a
#: smaller factor is enough for a short chain.
_MORE, _MORE_OF_SHORT = 1.6, 1.25
#: K-mers of a chain that shows the depth of its genome; of one between deeper chains, which may be of several copies.
_LEAST_KMERS, _SURE_KMERS = 500, 2000
#: Sure chains, at least, that tell genomes; one has a depth if it is within a factor, beyond so many standard
#: deviations (Poisson).
_LEAST_CHAINS, _NEAR, _ERRORS = 10, 1.25, 3.0
#: Share of the sequence that found genomes, or one depth, describe at most if depth varies: 18 to 84 % of communities
#: of six genomes, 16 to 38 % of amplified cells, 96 to 100 % of single genomes with and without GC bias.
_MOST_DESCRIBED = 0.9
#: Of the sequence that is rarer than usual, what leads to the rest if there are several haplotypes of one genome: 0.40
#: and 0.57 in tetraploid genomes.
_LEAST_HAPLOTYPES = 1 / 3
#: Of the k-mers of chains that get no depth from a sure one, one in so many is single-copy.
_SINGLE_COPY_PART = 4
#: Steps from chain to chain by which a depth is handed on, at most.
_MOST_STEPS = 50


@dataclass(frozen=True)
class Chains:
    """Runs of unitigs with nothing but simple bubbles between them.

    Attributes
    ----------
    of : ndarray, dtype=int64, shape=(n_unitigs,)
        Number of the chain of each unitig, that of both sides of a bubble being that of their neighbours.
    n_kmers : ndarray, dtype=int64, shape=(n_chains,)
        Along one side of each bubble.
    depths : ndarray, dtype=float64, shape=(n_chains,)
        K-mer depths, both sides of bubbles together.
    n_bubbles : ndarray, dtype=int64, shape=(n_chains,)
    tails, heads : ndarray, dtype=int64, shape=(n_links,)
        Vertices: edges between chains, in both strands.
    """

    of: Longs
    n_kmers: Longs
    depths: Floats
    n_bubbles: Longs
    tails: Longs
    heads: Longs

    def are_near(self, depth: float, factor: float) -> Flags:
        """Find the long chains of a depth, within a factor."""
        is_near = (self.depths * factor >= depth) & (self.depths < factor * depth)
        return np.asarray(is_near & (self.n_kmers >= _LEAST_KMERS))

    def share(self, chosen: Flags, among: Flags) -> float:
        """Return the part of the k-mers of some chains that chosen ones of them have; 0 without k-mers."""
        return int(self.n_kmers[chosen & among].sum()) / max(1, int(self.n_kmers[among].sum()))


def find_chains(graph: Graph, n_kmers: Longs, kmer_counts: Longs, backend: AssemblyBackend) -> Chains:
    """Find the chains of a unitig graph.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n_unitigs,)
    backend : AssemblyBackend
    """
    source, one, other, target = simple_bubbles(graph)
    within = np.tile(source >> 1, 3), np.concatenate((one, other, target)) >> 1
    _, of = np.unique(components_of(*within, len(n_kmers), backend), return_inverse=True)
    one, other = one >> 1, other >> 1
    is_less = (n_kmers[one] < n_kmers[other]) | ((n_kmers[one] == n_kmers[other]) & (one < other))
    along = n_kmers.copy()
    along[np.where(is_less, one, other)] = 0
    lengths = np.bincount(of, along).astype(np.int64)
    depths = np.bincount(of, kmer_counts) / np.maximum(1, lengths)
    n_bubbles = np.bincount(of[source >> 1], minlength=len(lengths)) // 2  # each is found in both strands
    tails, heads = edges_of(graph)
    is_between = of[tails >> 1] != of[heads >> 1]
    return Chains(of.astype(np.int64), lengths, depths, n_bubbles, tails[is_between], heads[is_between])


def local_depths(graph: Graph, n_kmers: Longs, kmer_counts: Longs, per_read: float, backend: AssemblyBackend) -> Floats:
    """Return the k-mer depth of single-copy sequence around each unitig; 0 where it is unknown.

    Between chains of several genomes, it is that of the rarest of the nearest ones.

    Parameters
    ----------
    graph, n_kmers, kmer_counts, backend
        See `find_chains`.
    per_read : float
        Counts that one read adds.

    Returns
    -------
    ndarray, dtype=float64, shape=(n_unitigs,)
    """
    chains = find_chains(graph, n_kmers, kmer_counts, backend)
    is_sure = _are_sure(chains)
    is_known = is_sure & (chains.n_kmers >= _SURE_KMERS)
    depths = _handed_on(chains, is_known)
    least, most = _bounds(chains, per_read, _MORE)
    is_other = is_sure & ~is_known & ((depths < least) | (depths > most))
    depths = _handed_on(chains, is_known | is_other)
    return _with_apart(chains, depths, np.sort(chains.depths[is_sure]), backend)[chains.of]


def _with_apart(chains: Chains, depths: Floats, of_sure: Floats, backend: AssemblyBackend) -> Floats:
    """Add the depths of chains that get none from a sure one, as it is far or not connected.

    They are of a repeat that ends where reads are missing. A quarter of their k-mers are single-copy, and have the
    depth of some genome.
    """
    apart = np.flatnonzero(depths == 0.0)
    if not len(of_sure) or not len(apart):
        return depths
    component = components_of(chains.of[chains.tails >> 1], chains.of[chains.heads >> 1], len(depths), backend)
    apart = apart[np.lexsort((chains.depths[apart], component[apart]))]
    upto = np.cumsum(chains.n_kmers[apart])
    _, first, group, n_members = np.unique(component[apart], return_index=True, return_inverse=True, return_counts=True)
    last = first + n_members - 1
    before = np.append(0, upto)[first]
    total = upto[last] - before
    quarter = chains.depths[apart[np.minimum(last, np.searchsorted(upto, before - (-total // _SINGLE_COPY_PART)))]]
    found = depths.copy()
    found[apart] = np.where((total > 0) & (quarter > 0.0), _nearest(of_sure, quarter), 0.0)[group]
    return found


def _nearest(ascending: Floats, wanted: Floats) -> Floats:
    """Return the given value that is nearest to each wanted one by their ratio."""
    at = np.searchsorted(ascending, wanted)
    below, above = ascending[np.maximum(at - 1, 0)], ascending[np.minimum(at, len(ascending) - 1)]
    return np.where(wanted * wanted <= below * above, below, above)


def _handed_on(chains: Chains, is_known: Flags) -> Floats:
    """Hand the depths of some chains on to the others, from each to those beside it.

    A chain takes the mean depth, weighted by k-mers, of the rarest chain beside it and of those about as deep as that.
    """
    depths = np.where(is_known, chains.depths, 0.0)
    weights = chains.n_kmers.astype(np.float64)
    tails, heads = chains.of[chains.tails >> 1], chains.of[chains.heads >> 1]
    n = len(depths)
    for _ in range(_MOST_STEPS):
        is_open = depths[heads] == 0.0
        tails, heads = tails[is_open], heads[is_open]
        is_next = depths[tails] > 0.0
        if not is_next.any():
            break
        sources, to = tails[is_next], heads[is_next]
        rarest = np.full(n, np.inf)
        np.minimum.at(rarest, to, depths[sources])
        is_like = depths[sources] <= _MORE * rarest[to]
        sources, to = sources[is_like], to[is_like]
        total = np.bincount(to, weights[sources], n)
        found = total > 0.0
        depths[found] = np.bincount(to, weights[sources] * depths[sources], n)[found] / total[found]
        weights[found] = 0.0
        np.maximum.at(weights, to, weights[sources])
    return depths


def _are_sure(chains: Chains) -> Flags:
    """Find the chains that have the depth of their genome: long ones that are no repeats."""
    deepest, least = _beside(chains)
    is_long = chains.n_kmers >= _SURE_KMERS
    more = np.repeat(np.where(is_long, _MORE, _MORE_OF_SHORT), 2)
    is_copied = (deepest > 0.0) & (more * deepest < np.repeat(chains.depths, 2))
    is_below = least > _MORE * np.repeat(chains.depths, 2)
    is_sure = (chains.n_kmers >= _LEAST_KMERS) & (chains.depths > 0.0) & ~(is_copied[0::2] | is_copied[1::2])
    return np.asarray(is_sure & (is_long | ~(is_below[0::2] & is_below[1::2])))


def _bounds(chains: Chains, per_read: float, factor: float) -> tuple[Floats, Floats]:
    """Return the least and the greatest depth that each chain may have, within a factor and as far as reads tell."""
    error = _ERRORS * np.sqrt(chains.depths * per_read / np.maximum(1, chains.n_kmers))
    return (chains.depths - error) / factor, (chains.depths + error) * factor


def varied_depths(chains: Chains, depths: Sequence[float], per_read: float) -> tuple[float, float] | None:
    """Return the k-mer depths of the rarest and of the deepest sequence if neither given ones nor one describe it.

    Parameters
    ----------
    chains : Chains
    depths : sequence of float
        K-mer depths of genomes that were found.
    per_read : float
        See `local_depths`.

    Returns
    -------
    tuple of float, or None
        A twentieth of the sequence is rarer, and a twentieth is deeper.
    """
    is_sure = _are_sure(chains)
    found, n_kmers = chains.depths[is_sure], chains.n_kmers[is_sure]
    if len(found) < _LEAST_CHAINS:
        return None
    least, most = (bounds[is_sure] for bounds in _bounds(chains, per_read, _NEAR))
    rarest, usual, deepest = (weighted_quantile(found, n_kmers, share) for share in (0.05, 0.5, 0.95))
    if _are_haplotypes(chains, is_sure, usual):
        return None
    for given in (depths, [usual]):
        is_near = np.zeros(len(found), np.bool_)
        for depth in given:
            is_near |= (least <= depth) & (depth <= most)
        if int(n_kmers[is_near].sum()) >= _MOST_DESCRIBED * int(n_kmers.sum()):
            return None
    return rarest, deepest


def _are_haplotypes(chains: Chains, is_sure: Flags, usual: float) -> bool:
    """Whether sure chains are of some of the haplotypes of one genome, or of all of them, which have the usual depth.

    There are bubbles in most sequence of that depth, hardly any sequence is deeper, and some of the rest leads to it.
    """
    is_usual = chains.are_near(usual, _NEAR)
    deeper = chains.share(chains.depths > _NEAR * usual, is_sure)
    if deeper > 1.0 - _MOST_DESCRIBED or chains.share(chains.n_bubbles > 0, is_usual) <= 0.5:
        return False
    is_rarer = is_sure & (chains.depths * _NEAR < usual)
    return chains.share(leads_to(chains, usual, _MORE), is_rarer) >= _LEAST_HAPLOTYPES


def leads_to(chains: Chains, depth: float, factor: float) -> Flags:
    """Find the chains with an end beside which all chains have a depth, within a factor, and some have bubbles."""
    deepest, least = _beside(chains)
    has_bubbles = np.zeros(len(deepest), np.bool_)
    has_bubbles[_ends(chains)[chains.n_bubbles[chains.of[chains.heads >> 1]] > 0]] = True
    found = (least * factor >= depth) & (deepest < factor * depth) & has_bubbles
    return np.asarray(found[0::2] | found[1::2])


def _beside(chains: Chains) -> tuple[Floats, Floats]:
    """Return the depth of the deepest and of the least deep chain beside both ends of each; 0 where there is none."""
    end_of = _ends(chains)
    depths = chains.depths[chains.of[chains.heads >> 1]]
    deepest = np.zeros(2 * len(chains.depths))
    np.maximum.at(deepest, end_of, depths)
    least = np.full(len(deepest), np.inf)
    np.minimum.at(least, end_of, depths)
    return deepest, np.where(np.isinf(least), 0.0, least)


def _ends(chains: Chains) -> Longs:
    """Number the end of its chain that each edge leads away from: 2 c for the least of the vertices, else 2 c + 1."""
    of = chains.of[chains.tails >> 1]
    least = np.full(len(chains.depths), np.iinfo(np.int64).max)
    np.minimum.at(least, of, chains.tails)
    found: Longs = 2 * of + (chains.tails != least[of])
    return found
