"""Tell genomes of a mixture from what only some haplotypes, or some strains, of a genome have.

Such accessory sequence is less deep than the rest, as a rarer genome is. But the rest is of several haplotypes, so that
bubbles are everywhere in it, and leads to what some of them have.
"""

from __future__ import annotations

from debruijn_gpu.assembly.local_depth import Chains, leads_to
from debruijn_gpu.assembly.rarer_genomes import PARTS

#: The factor within which a depth is that of a genome, and the part of its k-mers above which sequence is most of it.
_NEAR, _MOST = 1.6, 0.5
#: What is accessory and in no simple bubble, of the sequence of the genome, at most: 0.4 to 1.7 % in generated genomes.
_LITTLE = 0.05


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
    """Whether most sequence of a genome is in chains with bubbles, and a little of a rarer depth leads to these."""
    is_deep = chains.are_near(deeper, _NEAR)
    is_rare = chains.are_near(rarer, _NEAR) & ~is_deep
    has_bubbles = chains.share(chains.n_bubbles > 0, is_deep) > _MOST
    is_little = int(chains.n_kmers[is_rare].sum()) <= _LITTLE * int(chains.n_kmers[is_deep].sum())
    return has_bubbles and is_little and chains.share(leads_to(chains, deeper, _NEAR), is_rare) > _MOST
