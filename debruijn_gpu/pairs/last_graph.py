"""What reads and pairs make of the graph of the last k: cuts, ends, and resolved repeats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.situation import Findings
from debruijn_gpu.assembly.thresholds import genomes_of, held_word_bp
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.pairs.held_ends import with_held_ends
from debruijn_gpu.pairs.read_breaks import without_contradicted
from debruijn_gpu.pairs.resolution import PairResults, use_pairs
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def with_reads(
    graph: UnitigGraph,
    found: Findings,
    reads: Iterable[ReadBatch],
    n_paired: int,
    options: AssembleOptions,
    counts: KmerCounts,
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[UnitigGraph, PairResults | None]:
    """Place reads on the graph of the last k, and resolve its repeats unless it is walked in another way.

    Without pairs, unitigs are cut where reads contradict before, and their ends trimmed to the words that reads hold,
    which have a length then; see `held_word_bp`.

    Parameters
    ----------
    graph : UnitigGraph
        Cleaned.
    found : Findings
        Of cleaning.
    reads : iterable of ReadBatch
        In arrays of the backend.
    n_paired : int
        Number of paired inputs whose pairs are used.
    options : AssembleOptions
    counts : KmerCounts
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of the graphs are.
    """
    chosen = options.pair_options if options.walk == "unitigs" else None
    genomes = genomes_of(options.clean, graph.k, counts, found)
    n_reads, typical = counts.lengths.n_reads, counts.lengths.typical
    if n_paired:
        limits = options.breaks, n_reads, options.break_options, typical, genomes
        return use_pairs(graph, reads, n_paired, chosen, run, backend, *limits)
    graph = without_contradicted(graph, reads, typical, options.break_options, run, backend)
    graph = with_held_ends(graph, reads, held_word_bp(options, counts), run, backend)
    if chosen is None:
        return graph, None
    return use_pairs(graph, reads, 0, chosen, run, backend, breaks=False, n_reads=n_reads, genomes=genomes)
