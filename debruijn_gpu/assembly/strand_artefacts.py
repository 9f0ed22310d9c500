"""Find artefacts of one strand: branches at forks of a unitig graph that only reads of one strand have.

Behind some words, above all behind GG and GGC, Illumina's reads of one strand are wrong far more often than elsewhere
(Nakamura et al. 2011), while those of the other strand are right. Such errors recur, so that depth alone does not tell
them from copies of a repeat. The rule is that of SKESA (Souvorov et al. 2018), but the sample itself decides how many
reads of one strand make an artefact: those of the genome are of either strand as a coin falls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.assembly.edges import edges_of
from debruijn_gpu.assembly.intervals import bases_at, index_intervals, matches_in_reads
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: A branch has at most this part of the mean depth of the deepest one at its fork.
_MOST_DEPTH = 0.5
#: Of reads on the other strand: of a branch at most (SKESA: 0.01), and of the reads of another branch there at least.
_MOST_OTHERS, _LEAST_OTHERS = 0.01, 0.25
_G, _C = 2, 1
_CONTEXT_BP = 4  # the base where a branch begins, and three before
#: Branches with at least this many reads are judged together.
_MANY_READS = 32
#: Branches of both strands that are none by chance where three are expected, in one of twenty samples (Poisson).
_UNSEEN = 3


@dataclass(frozen=True)
class _Branches:
    """Branches at forks; some may be artefacts.

    Attributes
    ----------
    tails, heads : ndarray, dtype=int64, shape=(n,)
        Vertices of a fork, and those behind it.
    are_asked : ndarray, dtype=bool, shape=(n,)
        Which ones are short, and rare beside another one.
    """

    tails: Longs
    heads: Longs
    are_asked: Flags


def strand_artefacts(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    longest: int,
    chance: float,
    run: RunOptions,
    backend: AssemblyBackend,
) -> Array:
    """Find short branches at forks that reads of one strand alone have, beside one that both strands have.

    Parameters
    ----------
    graph : UnitigGraph
        Cleaned.
    reads : iterable of ReadBatch
        In arrays of the backend.
    longest : int
        K-mers of an artefact at most.
    chance : float
        Probability that such a branch is of the genome, at most.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays the graph's are; those of the result are too.

    Returns
    -------
    Array, dtype=bool, shape=(n_unitigs,)
    """
    found = np.zeros(len(graph), np.bool_)
    host = graph.moved(backend.to_host)
    branches = _branches(host, longest)
    if branches.are_asked.any():
        with log.stage("strands of branches", unit="branches") as stage:
            stage.items = int(np.count_nonzero(branches.are_asked))
            along, against, is_motif = _strands(host, branches.heads, reads, run, backend)
            found[branches.heads[_are_artefacts(branches, along, against, is_motif, chance)] >> 1] = True
    return backend.to_device(found)


def _branches(host: UnitigGraph, longest: int) -> _Branches:
    """List the branches of forks at which one may be an artefact, by its length and depth."""
    n_out = host.graph.out_degrees
    tails, heads = edges_of(host.graph)
    is_fork = n_out[tails] > 1
    tails, heads = tails[is_fork], heads[is_fork]
    depths = host.kmer_counts / host.n_kmers
    deepest = np.zeros(len(n_out))
    np.maximum.at(deepest, tails, depths[heads >> 1])
    are_asked = (host.n_kmers[heads >> 1] <= longest) & (depths[heads >> 1] <= _MOST_DEPTH * deepest[tails])
    has_asked = np.zeros(len(n_out), np.bool_)
    has_asked[tails[are_asked]] = True
    chosen = has_asked[tails]
    return _Branches(tails[chosen], heads[chosen], are_asked[chosen])


def _strands(
    host: UnitigGraph, heads: Longs, reads: Iterable[ReadBatch], run: RunOptions, backend: AssemblyBackend
) -> tuple[Longs, Longs, Flags]:
    """Count the reads that have the first k-mer of each vertex, along and against it; see whether it is a motif's.

    The first k-mer of a vertex is the first one of its unitig, or the last one reversed, which is no other k-mer's.
    """
    unitigs, is_reverse = heads >> 1, heads & 1
    first, last = host.sequences.offsets[unitigs], host.sequences.offsets[unitigs + 1]
    starts, rows = np.unique(np.where(is_reverse == 1, last - host.k, first), return_inverse=True)
    bounds = np.stack((starts, starts + host.k), axis=1)
    what = "counting the strands of branches"
    index = index_intervals(host.sequences.bases, bounds, host.k, what, run, backend)
    counts = np.zeros((2, len(bounds)), np.int64)  # of each strand
    for _in_read, _n_words, at in matches_in_reads(index, reads, run, backend):
        strand = at < 0
        numbers = np.where(strand, -1 - at, at) // host.k
        for which in (0, 1):
            counts[which] += np.bincount(numbers[strand == which], minlength=len(bounds))
    along, against = counts[is_reverse, rows], counts[1 - is_reverse, rows]
    return along, against, _are_motifs(host, bounds[rows], is_reverse)


def _are_motifs(host: UnitigGraph, bounds: Longs, is_reverse: Longs) -> Flags:
    """Whether the last base of a k-mer, or of its reverse complement, is behind GG or GGC."""
    if host.k < _CONTEXT_BP:
        return np.zeros(len(bounds), np.bool_)
    places = np.arange(_CONTEXT_BP - 1, 0, -1)[:, np.newaxis]  # before the last base
    at = np.where(is_reverse == 1, bounds[:, 0] + places, bounds[:, 1] - 1 - places)
    bases = bases_at(host.sequences.bases, at)
    third, second, before = np.where(is_reverse == 1, 3 - bases, bases)
    is_behind_gg = (second == _G) & (before == _G)
    found: Flags = is_behind_gg | ((third == _G) & (second == _G) & (before == _C))
    return found


def _are_artefacts(branches: _Branches, along: Longs, against: Longs, is_motif: Flags, chance: float) -> Flags:
    """Judge branches by the reads that have their first k-mers along them and against them."""
    rarer, total = np.minimum(along, against), along + against
    is_balanced = (rarer >= _LEAST_OTHERS * total) & (total > 0)
    best = np.zeros(int(branches.tails.max()) + 1, np.int64)
    np.maximum.at(best, branches.tails[is_balanced], total[is_balanced])
    can_be = branches.are_asked & (total > 0) & (total <= _MOST_DEPTH * best[branches.tails])
    is_single = can_be & (rarer <= _MOST_OTHERS * total)
    is_motif = is_motif & (along >= against)  # a motif explains errors of the strand that passes it
    group = np.minimum(total, _MANY_READS) + (_MANY_READS + 1) * is_motif
    chances = _chances(branches.heads >> 1, group, can_be, is_single)
    found: Flags = is_single & (chances <= chance)[group]
    return found


def _chances(unitigs: Longs, group: Longs, can_be: Flags, is_single: Flags) -> NDArray[np.float64]:
    """Estimate with which probability a branch of one strand is of the genome, for each number of reads and context.

    Of n reads all are of one strand with a probability of 2 / 2^n. So the branches of both strands say how many of
    the genome have one strand alone; some more are taken to be unseen, so that few branches tell little. A unitig that
    is a branch at both ends counts once in a group.
    """
    n_groups = 2 * (_MANY_READS + 1)

    def n_in_groups(are_counted: Flags) -> Longs:
        distinct = sorted_distinct(unitigs[are_counted] * n_groups + group[are_counted])
        return np.bincount(distinct % n_groups, minlength=n_groups)

    n_single, n_both = n_in_groups(is_single), n_in_groups(can_be & ~is_single)
    one_sided = 2.0 ** (1 - np.arange(n_groups) % (_MANY_READS + 1))
    is_told = one_sided < 1  # one read is always of one strand
    odds = one_sided[is_told] / (1 - one_sided[is_told])
    chances = np.full(n_groups, np.inf)
    chances[is_told] = (n_both[is_told] + _UNSEEN) * odds / np.maximum(1, n_single[is_told])
    return chances
