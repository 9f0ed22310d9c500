"""Remove traces of sequencing errors from a unitig graph, in rounds until none is found.

Order within a round: tips, bubbles, erroneous connections; bubbles of several variants where a round finds nothing at
the last k; isolated low-coverage components at the end, because removing the others creates them. After each step the
graph is compacted again. The steps follow the simplifications of SPAdes (Bankevich et al. 2012) and Minia 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.complex_bubbles import Limits, complex_bubbles
from debruijn_gpu.assembly.recurrent_errors import recurrent_errors, weakly_linked
from debruijn_gpu.assembly.situation import UNKNOWN, Situation
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Of the depth of the path that is kept, for bubbles of several variants, whatever `bubble_ratio` is
_MOST_COMPLEX_RATIO = 0.5
#: Of the depth of what is beside it, for a copy of a repeat: below, it may be an error that recurs.
_LEAST_OF_COPY = 0.01
_INDEL_SLACK = 3  # k-mers by which the two ways around a bubble may always differ


@dataclass
class CleanCounts:
    """Number of removed unitigs by kind of error; ``by_round`` has the first three kinds per round."""

    tips: int = 0
    bubbles: int = 0
    erroneous_connections: int = 0
    isolated: int = 0
    rounds: int = 0
    by_round: list[dict[str, int]] = field(default_factory=list, compare=False)

    @classmethod
    def total(cls, parts: Iterable[CleanCounts]) -> CleanCounts:
        """Sum the counts of cleaning at several k."""
        whole = cls()
        for part in parts:
            for kind in ("tips", "bubbles", "erroneous_connections", "isolated", "rounds"):
                setattr(whole, kind, getattr(whole, kind) + getattr(part, kind))
            whole.by_round += part.by_round
        return whole

    @property
    def removed(self) -> int:
        return self.tips + self.bubbles + self.erroneous_connections + self.isolated


def clean(
    graph: UnitigGraph,
    options: CleanOptions,
    backend: AssemblyBackend,
    situation: Situation = UNKNOWN,
    note_popped: Noter | None = None,
) -> tuple[UnitigGraph, CleanCounts]:
    """Remove errors from a unitig graph.

    Parameters
    ----------
    graph : UnitigGraph
    options : CleanOptions
    backend : AssemblyBackend
        Whose arrays those about unitigs are; those of the result are too.
    situation : Situation
    note_popped : callable or None
        Called with a graph and its kept unitigs (Array, dtype=bool) before other unitigs are removed as bubbles.

    Returns
    -------
    UnitigGraph, CleanCounts
    """
    counts = CleanCounts()
    find = finders(options, backend, situation)

    def complexes(g: UnitigGraph) -> Array:
        return _without_complex_bubbles(g, options, situation, backend)

    with log.stage("clean") as stage:
        while counts.rounds < options.max_rounds:
            before = counts.removed
            counts.rounds += 1
            found = {}
            for kind in ("tips", "bubbles", "erroneous_connections"):
                graph, found[kind] = _apply(graph, find[kind], backend, note_popped if kind == "bubbles" else None)
            for kind in ("weak",) * bool(options.disconnect_ratio) + ("recurrent",) * bool(options.recurrent_ratio):
                graph, n_weak = _apply(graph, find[kind], backend)
                found["erroneous_connections"] += n_weak
            for kind, n_found in found.items():
                setattr(counts, kind, getattr(counts, kind) + n_found)
            log.logger.debug("  round %d: %s", counts.rounds, ", ".join(f"{n:,} {kind}" for kind, n in found.items()))
            counts.by_round.append(found)
            if counts.removed == before and not situation.is_early:
                graph, n_complex = _apply(graph, complexes, backend, note_popped)
                counts.bubbles += n_complex
                found["bubbles"] += n_complex
            if counts.removed == before:
                break
        graph, counts.isolated = _apply(graph, find["isolated"], backend)
        stage.items, stage.unit = counts.removed, "unitigs removed"
    log.logger.info(
        "  %s tips, %s bubbles, %s erroneous connections, %s isolated; %s unitigs are left",
        *(f"{n:,}" for n in (counts.tips, counts.bubbles, counts.erroneous_connections, counts.isolated, len(graph))),
    )
    return graph, counts


def is_heterozygous(graph: UnitigGraph, options: CleanOptions, backend: AssemblyBackend, situation: Situation) -> bool:
    """Whether a cleaned graph has many bubbles of two alleles, each of part of the depth of their neighbours.

    Parameters
    ----------
    graph, options, backend, situation
        See `clean`.
    """
    if not options.haplotype_ratio or not situation.depth:
        return False
    asked = replace(options, bubble_ratio=0.0, bubble_rare=0.0)
    as_if = replace(situation, is_early=True, has_two_alleles=True)
    is_kept = backend.to_host(finders(asked, backend, as_if)["bubbles"](graph))
    n_kmers, kmer_counts = backend.to_host(graph.n_kmers), backend.to_host(graph.kmer_counts)
    is_deep = kmer_counts >= options.least_allele_ratio * situation.depths_of(graph, backend) * n_kmers
    n_alleles, total = int(np.count_nonzero(~is_kept & is_deep)), int(n_kmers.sum())
    found = n_alleles * options.haplotype_spacing > total
    if found:
        log.logger.info("  heterozygous: %s bubbles of two alleles; the rarer one is removed", f"{n_alleles:,}")
    return found


_Finder = Callable[[UnitigGraph], "Array"]
#: Takes a graph and which of its unitigs are kept
Noter = Callable[[UnitigGraph, "Array"], None]


def finders(options: CleanOptions, backend: AssemblyBackend, situation: Situation) -> dict[str, _Finder]:
    """The function of each kind of error that computes which unitigs are kept."""
    depth, is_early, has_two_alleles = situation.depth, situation.is_early, situation.has_two_alleles

    def tips(g: UnitigGraph) -> Array:
        return _without_tips(g, options, backend)

    def bubbles(g: UnitigGraph) -> Array:
        is_kept = _or_copies(popped, g, options.bubble_ratio, situation if is_early else UNKNOWN, backend)
        if not options.haplotype_ratio or not depth or (is_early and not has_two_alleles):
            return is_kept
        length = options.haplotype_length if has_two_alleles else options.bubble_length
        is_other = situation.is_deep(g, options, backend) | backend.to_host(popped(g, 1.0, length))
        return backend.to_device(is_other & backend.to_host(is_kept))

    def popped(g: UnitigGraph, ratio: float, length: float = options.bubble_length) -> Array:
        return backend.unitigs.pop_bubbles(
            *_arrays(g), int(length * g.k), ratio, _INDEL_SLACK, options.bubble_indel, options.bubble_rare
        )

    def connections(g: UnitigGraph) -> Array:
        return _or_copies(connected, g, options.connection_ratio, situation, backend)

    def connected(g: UnitigGraph, ratio: float) -> Array:
        return backend.unitigs.remove_erroneous_connections(*_arrays(g), int(options.connection_length * g.k), ratio)

    def weak(g: UnitigGraph) -> Array:
        row_ptr, col, n_kmers, kmer_counts = (backend.to_host(array) for array in _arrays(g))
        is_weak = weakly_linked(row_ptr, col, kmer_counts / n_kmers, options.disconnect_ratio)
        return backend.to_device(~is_weak | (n_kmers > int(options.connection_length * g.k)))

    def recurrent(g: UnitigGraph) -> Array:
        return backend.to_device(~recurrent_errors(g, options, situation, backend))

    def isolated(g: UnitigGraph) -> Array:
        mean = backend.arrays.reduce(g.kmer_counts, "sum") / max(1, backend.arrays.reduce(g.n_kmers, "sum"))
        longest = int((options.isolated_length - 1) * g.k)
        return backend.unitigs.remove_isolated(*_arrays(g), longest, mean * options.isolated_ratio)

    found: dict[str, _Finder] = {"tips": tips, "bubbles": bubbles, "erroneous_connections": connections}
    return found | {"weak": weak, "recurrent": recurrent, "isolated": isolated}


def _or_copies(
    find: Callable[[UnitigGraph, float], Array],
    g: UnitigGraph,
    ratio: float,
    situation: Situation,
    backend: AssemblyBackend,
) -> Array:
    """Find which unitigs are kept by a ratio, or are copies by their own depth and kept by a lower one.

    At the last k, they are to be copies of dispersed repeats.
    """
    is_kept = find(g, ratio)
    if not situation.depth or int(backend.arrays.reduce(is_kept, "sum")) == len(g):
        return is_kept
    kept, are_copies = backend.to_host(is_kept), situation.are_copies(g, backend)
    if not (are_copies & ~kept).any():
        return is_kept
    if not situation.is_early:
        are_copies &= situation.are_dispersed(g, backend)
    return backend.to_device(kept | (are_copies & backend.to_host(find(g, min(ratio, _LEAST_OF_COPY)))))


def _without_complex_bubbles(
    g: UnitigGraph, options: CleanOptions, situation: Situation, backend: AssemblyBackend
) -> Array:
    """Find the unitigs that are kept beside bubbles of several variants."""
    n_kmers, kmer_counts = backend.to_host(g.n_kmers), backend.to_host(g.kmer_counts)
    limits = _limits(g, options, situation, backend)
    return backend.to_device(~complex_bubbles(g.graph.on_host(), n_kmers, kmer_counts, limits))


def _limits(g: UnitigGraph, options: CleanOptions, situation: Situation, backend: AssemblyBackend) -> Limits:
    """Return what a bubble of several variants is in a graph. Where depth tells copies, it also tells alleles.

    Without any bubbles (`bubble_length` 0) there are none of several variants.
    """
    depths = np.broadcast_to(situation.depths_of(g, backend), (len(g),)).astype(np.float64)
    depths[depths < options.haplotype_depth] = 0.0
    ratio = min(options.bubble_ratio, _MOST_COMPLEX_RATIO)
    longest_allele = options.haplotype_length if situation.has_two_alleles else options.bubble_length
    return Limits(
        longest=int(options.haplotype_length * g.k) if options.bubble_length else 0,
        longest_allele=int(longest_allele * g.k),
        slack=_INDEL_SLACK,
        indel=options.bubble_indel,
        ratio=ratio,
        longest_end=int(options.tip_length * g.k),
        end_ratio=min(ratio, options.tip_ratio),
        most_allele=options.haplotype_ratio * depths,
        most_flank=options.haplotype_flank * depths,
    )


def _without_tips(g: UnitigGraph, options: CleanOptions, backend: AssemblyBackend) -> Array:
    """Find the unitigs that are no tips; those of a single read may be so by a larger ratio."""
    arrays = *_arrays(g), int(options.short_tip_length * g.k), int(options.tip_length * g.k)
    kept = backend.unitigs.remove_tips(*arrays, options.tip_ratio)
    if options.rare_tip_ratio <= options.tip_ratio:
        return kept
    is_deep = backend.to_host(g.kmer_counts) > options.rare_tip_depth * backend.to_host(g.n_kmers)
    is_kept = is_deep | backend.to_host(backend.unitigs.remove_tips(*arrays, options.rare_tip_ratio))
    return backend.to_device(is_kept & backend.to_host(kept))


def _arrays(g: UnitigGraph) -> tuple[Array, Array, Array, Array]:
    return g.graph.row_ptr, g.graph.col, g.n_kmers, g.kmer_counts


def _apply(
    graph: UnitigGraph, find: _Finder, backend: AssemblyBackend, note: Noter | None = None
) -> tuple[UnitigGraph, int]:
    """Remove erroneous unitigs, and return the graph and their number."""
    is_kept = find(graph)
    n_removed = len(graph) - int(backend.arrays.reduce(is_kept, "sum"))
    if n_removed and note is not None:
        note(graph, is_kept)
    return (graph.keep(is_kept, backend) if n_removed else graph), n_removed
