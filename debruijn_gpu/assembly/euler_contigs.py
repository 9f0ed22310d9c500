"""Contigs that are Euler trails through the cleaned graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.assembly.contigs import Contigs, cut_circular_contigs, spell, spell_trails
from debruijn_gpu.assembly.junctions import with_complete_junctions
from debruijn_gpu.assembly.links import unitig_trails
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.graph.de_bruijn import copy_numbers
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

_TRAIL_BYTES = 24  # of an edge in both directions and the ends of its row, where trails are found


def walked_contigs(
    graph: UnitigGraph, walk: str, counts: KmerCounts, run: RunOptions, backend: AssemblyBackend
) -> Contigs:
    """Make contigs of walks of a kind of `AssembleOptions.walk` through a graph whose repeats no pairs resolve."""
    if walk == "euler":
        return euler_contigs(graph, counts, run, backend)
    with log.stage("spell contigs"):
        return cut_circular_contigs(spell(graph, backend), backend)


def euler_contigs(graph: UnitigGraph, counts: KmerCounts, run: RunOptions, backend: AssemblyBackend) -> Contigs:
    """Spell the fewest trails through the k-mers that cleaning left, each as often as its unitig is covered."""
    kmer_counts, n_kmers = backend.to_host(graph.kmer_counts), backend.to_host(graph.n_kmers)
    depth = counts.depth_at(graph.k)
    return cut_circular_contigs(tig_trails(graph, copy_numbers(kmer_counts / n_kmers, depth), run, backend), backend)


def tig_trails(
    graph: UnitigGraph,
    copies: NDArray[np.integer],
    run: RunOptions,
    backend: AssemblyBackend,
    are_complete: bool = True,
) -> Contigs:
    """Spell a minimum set of trails that covers each unitig, in either strand, as often as its number of copies.

    Unless links are complete (all overlaps of unitigs are links) trails follow as many links as can be followed, and
    closed trails are not always merged.
    """
    walker = backends.load_arrays(run, "euler", _TRAIL_BYTES * int(copies.sum()))
    with log.stage("Euler trails") as stage:
        on_host = graph.moved(backend.to_host)
        if not are_complete:
            on_host = replace(on_host, graph=with_complete_junctions(on_host.graph, backends.host()))
        trails = unitig_trails(on_host, copies, walker)
        stage.items, stage.unit = len(trails), "trails"
    fewest = "; there can be no fewer" if are_complete else ""
    log.logger.info("  %s of them closed%s", f"{np.count_nonzero(trails.walks.circular):,}", fewest)
    with log.stage("spell trails"):
        return spell_trails(trails, graph, backend).contigs
