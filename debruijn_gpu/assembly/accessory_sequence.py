"""Tell genomes of a mixture from what only some haplotypes, or some strains, of a genome have.

Such accessory sequence is less deep than the rest, as a rarer genome is. But the rest is of several haplotypes, so that
bubbles are everywhere in it, and leads to what some of them have.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.local_depth import Chains, depths_beside
from debruijn_gpu.assembly.rarer_genomes import PARTS

Flags = NDArray[np.bool_]

#: K-mers of a chain whose depth counts, and the factor within which it is that of a genome.
_LEAST_KMERS, _NEAR = 500, 1.6


def without_accessory_sequence(parts: tuple[int, ...], depth: float, chains: Chains) -> tuple[int, ...]:
    """Leave out the rarer genomes of a mixture that are accessory sequence of the next deeper one.

    Parameters
    ----------
    parts : tuple of int
        See `Genomes.parts`.
    depth : float
        K-mer depth of single-copy sequence by the peak of the spectrum.
    chains : Chains
        Of the graph that the genomes were found in.

    Returns
    -------
    tuple of int
        Empty if one genome is left.
    """
    kept = parts[:1]
    for part in parts[1:]:
        if not _is_accessory(chains, depth * part / PARTS, depth * kept[-1] / PARTS):
            kept += (part,)
    return kept if len(kept) > 1 else ()


def _is_accessory(chains: Chains, rarer: float, deeper: float) -> bool:
    """Whether most sequence of a genome is in chains with bubbles, and leads to most sequence of a rarer depth."""
    is_deep = _have_depth(chains, deeper)
    is_rare = _have_depth(chains, rarer) & ~is_deep
    deepest, least = depths_beside(chains)
    leads_to_deep = (least * _NEAR >= deeper) & (deepest < _NEAR * deeper)
    are_beside = leads_to_deep[0::2] | leads_to_deep[1::2]
    return _are_most(chains.n_bubbles > 0, is_deep, chains) and _are_most(are_beside, is_rare, chains)


def _have_depth(chains: Chains, depth: float) -> Flags:
    """Find the long chains of about a depth."""
    is_near = (chains.depths * _NEAR >= depth) & (chains.depths < _NEAR * depth)
    return np.asarray(is_near & (chains.n_kmers >= _LEAST_KMERS))


def _are_most(chosen: Flags, among: Flags, chains: Chains) -> bool:
    """Whether chosen chains have most of the k-mers of some chains."""
    return 2 * int(chains.n_kmers[chosen & among].sum()) > int(chains.n_kmers[among].sum())
