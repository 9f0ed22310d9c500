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

    Without pairs, the ends of unitigs are trimmed to the words that reads hold, which have a length then; see
    `held_word_bp`.

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
    held_bp = 0 if n_paired else held_word_bp(options, counts)
    if not n_paired and chosen is None:
        return with_held_ends(graph, reads, held_bp, run, backend).graph, None
    genomes = genomes_of(options.clean, graph.k, counts, found)
    limits = options.breaks, counts.lengths.n_reads, options.break_options, counts.lengths.typical, genomes, held_bp
    return use_pairs(graph, reads, n_paired, chosen, run, backend, *limits)
