"""Resolve repeats by read pairs: walks over the unitigs of a graph, in place of the unitigs themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.assembly.insert_sizes import InsertSizes
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly.rarer_genomes import ONE_GENOME, Genomes
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.pairs.array_gaps import ArrayGaps
from debruijn_gpu.pairs.circles import circle_links, without_open_circles
from debruijn_gpu.pairs.closing import Closure, close_gaps
from debruijn_gpu.pairs.copies import CopyNumbers
from debruijn_gpu.pairs.extension import verified_bases
from debruijn_gpu.pairs.following import choose_followers, collect_links, find_paths, measure_unitigs
from debruijn_gpu.pairs.gap_mates import without_contradicted_gaps
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.held_ends import with_held_ends
from debruijn_gpu.pairs.insert_counts import insert_sizes
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.open_gaps import without_doubtful_gaps
from debruijn_gpu.pairs.placed_reads import PlacedReads
from debruijn_gpu.pairs.placement import place_reads
from debruijn_gpu.pairs.read_breaks import margin_of
from debruijn_gpu.pairs.splitting import SplitUnitigs, places_of_parts, split_unitigs
from debruijn_gpu.pairs.thin_joins import thin_joins, without_open
from debruijn_gpu.pairs.trimming import TrimmedEnds, checked_ends, trims, walk_ends, without_thin_links
from debruijn_gpu.pairs.walks import Walk, extended_walks, joined_walks, steps_behind
from debruijn_gpu.pairs.window_depths import window_depths
from debruijn_gpu.pairs.wrong_joins import (
    CheckedUnitigs,
    Suspect,
    check_joins,
    check_unitigs,
    coordinates_of,
    log_suspects,
)
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class Resolution:
    """Walks that contigs are spelled from, and the numbers behind them.

    Attributes
    ----------
    walks : list of Walk
    joins : dict of int to Join
        By tail; those without a path are gaps.
    closures : list of Closure
        Gaps that were closed; what fills them are unitigs of the graph.
    n_reads, n_short, n_placed : int
        All reads, reads shorter than an anchor, and reads that are placed on the graph.
    n_single, n_repeats : int
        Unitigs that are certainly single-copy, or repeats.
    n_joined, n_gaps : int
        Pairs of single-copy unitigs that follow each other along a path, and those that do without one.
    suspects : list of Suspect
        Places that too few fragments span.
    """

    walks: list[Walk]
    joins: dict[int, Join]
    closures: list[Closure]
    n_reads: int
    n_short: int
    n_placed: int
    n_single: int
    n_repeats: int
    n_joined: int
    n_gaps: int
    suspects: list[Suspect]


@dataclass(frozen=True)
class PairResults:
    """What reads and pairs gave.

    Attributes
    ----------
    insert_sizes : list of InsertSizes
        Of each paired input.
    resolution : Resolution or None
        None if only insert sizes were wanted.
    """

    insert_sizes: list[InsertSizes]
    resolution: Resolution | None


def input_sizes(placed: PlacedReads) -> list[InsertSizes]:
    """Summarise the insert sizes of each paired input."""
    return [insert_sizes(library.n_pairs, library.inserts) for library in placed.libraries]


def use_pairs(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    n_inputs: int,
    options: PairOptions | None,
    run: RunOptions,
    backend: AssemblyBackend,
    breaks: bool = True,
    n_reads: int = 0,
    break_options: BreakOptions | None = None,
    read_bp: int = 0,
    genomes: Genomes = ONE_GENOME,
    held_bp: int = 0,
) -> tuple[UnitigGraph, PairResults]:
    """Place reads on a graph, cut its wrong joins, and resolve its repeats if that is wanted.

    Parameters
    ----------
    graph, reads, run, backend
        See `resolve`.
    n_inputs : int
        Number of paired inputs. 0: repeats are resolved by reads alone, without gaps between contigs.
    options : PairOptions or None
        None: measure insert sizes alone.
    breaks : bool
        Whether wrong joins are cut.
    n_reads : int
        See `place_reads`.
    break_options : BreakOptions or None
        Thresholds of cuts; None: the defaults.
    read_bp : int
        Length of a typical read; 0: unknown, so that reads are not compared with unitigs.
    genomes : Genomes
        Of the sample.
    held_bp : int
        Ends of unitigs are trimmed to words of this length that reads hold, see `with_held_ends`; 0: they are not.
    """
    used = break_options or BreakOptions()
    margin_bp = margin_of(read_bp, used) if options is not None else 0

    def place(graph: UnitigGraph) -> PlacedReads:
        return place_reads(graph, reads, n_inputs, run, backend, n_reads, margin_bp)

    placed = place(graph)
    resolution = None
    if options is not None:
        graph, placed, checked = check_unitigs(graph, placed, place, breaks, used, run, backend)
        if held_bp:
            held = with_held_ends(graph, reads, held_bp, run, backend)
            graph, placed = held.graph, place(held.graph) if held.n_trimmed.any() else placed
            suspects = [one.moved(held.moved) for one in checked.suspects]
            checked = replace(checked, suspects=suspects, at=coordinates_of(graph, backend))
        graph, resolution = resolve(graph, placed, checked, reads, options, run, backend, genomes)
    return graph, PairResults(input_sizes(placed), resolution)


def resolve(
    graph: UnitigGraph,
    placed: PlacedReads,
    checked: CheckedUnitigs,
    reads: Iterable[ReadBatch],
    options: PairOptions,
    run: RunOptions,
    backend: AssemblyBackend,
    genomes: Genomes = ONE_GENOME,
) -> tuple[UnitigGraph, Resolution]:
    """Join unitigs that follow each other by reads and pairs: along the only path that agrees with them, or by what
    fills the gap between them.

    Parameters
    ----------
    graph : UnitigGraph
    placed : PlacedReads
        On this graph.
    checked : CheckedUnitigs
        Of this graph.
    reads : iterable of ReadBatch
        In arrays of the backend, in the order in which they were placed.
    options : PairOptions
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays the graph's are.
    genomes : Genomes
        Of the sample.

    Returns
    -------
    UnitigGraph
        With the fillings of gaps.
    Resolution
    """
    libraries = [library for library, _fragments in checked.fragments]
    reach = max((library.mean_bp for library in libraries), default=0.0)
    with log.stage("resolve repeats", unit="joins") as stage:
        host = graph.moved(backend.to_host)
        edges = host.graph
        ends, copies = measure_unitigs(graph, edges, placed, genomes, backend)
        links = collect_links(ends, copies, placed, libraries, options)
        chosen, copies = choose_followers(links, copies, placed, edges, ends, reach, options)
        chosen |= circle_links(chosen, links, ends, edges, placed, libraries, copies, options)
        windows = window_depths(placed, host.sequences, copies, graph.k, libraries)
        found = find_paths(chosen, links, placed, edges, ends, copies, reach, windows, options)
        found, suspects = check_joins(found, ends, checked)
        n_joined = stage.items = _n_paths(found)
    _log_joins(copies, found, suspects)
    found |= thin_joins(found, links, ends, copies.is_single, genomes.has_thin_parts)
    pairs = [(library, placed.libraries[library.number].loose) for library in libraries]
    end_reads = EndReads(_ends_of_reads(copies, found), pairs, ends, reads, backend)
    found = without_contradicted_gaps(found, pairs, ends, end_reads, host, options.least_pairs)
    graph, found, closures = close_gaps(graph, found, end_reads, ends, run, backend)
    found = without_open_circles(without_open(found, ends, copies, genomes.has_thin_parts))
    if placed.libraries:
        found = without_doubtful_gaps(found, ends, copies, placed.starts, libraries)
        found = ArrayGaps(edges, ends, copies, links, options).with_gaps(found)
    else:
        found = _with_path(found)
    split, walks, found = _walks(graph, found, copies.extended(len(graph)), end_reads, reach, options, run, backend)
    suspects = [one.moved(split.place) for one in suspects]
    graph = split.graph.moved(backend.to_device) if split.pieces else graph
    numbers = placed.n_reads, placed.n_short, placed.n_placed, int(copies.is_single.sum()), int(copies.is_repeat.sum())
    return graph, Resolution(walks, found, closures, *numbers, n_joined, len(found) // 2 - _n_paths(found), suspects)


def _log_joins(copies: CopyNumbers, found: dict[int, Join], suspects: list[Suspect]) -> None:
    """Log how many unitigs are single-copy, how many of these are joined, and the places that may be wrong."""
    n_single, n_joined = int(copies.is_single.sum()), _n_paths(found)
    log.logger.info(
        "  %s of %s unitigs are single-copy; %s joined along a path, %s gaps between them",
        *(f"{n:,}" for n in (n_single, len(copies.copies), n_joined, len(found) // 2 - n_joined)),
    )
    log_suspects(suspects)


def _ends_of_reads(copies: CopyNumbers, found: dict[int, Join]) -> NDArray[np.int64]:
    """List the vertices behind which reads are wanted: those before gaps, and those that may end a walk."""
    wanted = checked_ends(copies)
    wanted[[tail for tail, join in found.items() if join.path is not None]] = False
    wanted[[tail for tail, join in found.items() if join.path is None]] = True
    return np.flatnonzero(wanted)


def _with_path(found: dict[int, Join]) -> dict[int, Join]:
    """Leave out joins across open gaps, which reads alone do not measure."""
    return {tail: join for tail, join in found.items() if join.path is not None}


def _n_paths(found: dict[int, Join]) -> int:
    """Count the joins that have a path; each is there in both strands."""
    return len(_with_path(found)) // 2


def _walks(
    graph: UnitigGraph,
    found: dict[int, Join],
    copies: CopyNumbers,
    end_reads: EndReads,
    reach: float,
    options: PairOptions,
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[SplitUnitigs, list[Walk], dict[int, Join]]:
    """Walk along joins, and end the walks as far as pairs reach and reads confirm: unitigs are split there."""
    host = graph.moved(backend.to_host)
    gaps = {tail: join.link.gap_bp for tail, join in found.items() if join.path is None}
    joined = joined_walks(found, host.circular, copies)
    joined = without_thin_links(joined, host, copies, options.least_copies)
    with log.stage("verify ends"):
        behind = steps_behind(joined, host.graph, host.n_kmers, copies, gaps, reach)
        ends = walk_ends(joined, checked_ends(copies))
        candidates = {end: behind[end].steps if end in behind else () for end in ends}
        n_bases = verified_bases(candidates, host, end_reads, run.n_threads)
        parts = {tail: one.within(n_bases[tail], host.n_kmers) for tail, one in behind.items()}
        n_trimmed = trims(n_bases, host.n_kmers)
        cuts = [*parts.values(), *(([], (tail, int(host.n_kmers[tail >> 1]) - n)) for tail, n in n_trimmed.items())]
        split = split_unitigs(host, places_of_parts(cuts, host.n_kmers))
        trimmed = TrimmedEnds(split, n_trimmed)
        steps = {
            trimmed.end(tail): split.steps(whole) + (split.first_steps(*part) if part else [])
            for tail, (whole, part) in parts.items()
        }
        unitigs = np.append(np.arange(len(host)), np.array(split.parents, np.int64))
        walks = extended_walks([trimmed.walk(walk) for walk in joined], steps, copies.of(unitigs))
        return split, walks, trimmed.joins(found)
