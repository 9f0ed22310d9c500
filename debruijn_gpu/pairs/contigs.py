"""Contigs and scaffolds of resolved walks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.breaks import BreakCounts, ContigBreak
from debruijn_gpu.assembly.closed_gaps import ClosedGap, PairSummary
from debruijn_gpu.assembly.contigs import Contigs, Spelled, spell_trails, spell_unitigs
from debruijn_gpu.assembly.links import trails_of_walks
from debruijn_gpu.assembly.rotation import Gene, GeneStart, find_starts, rotate_spelled
from debruijn_gpu.assembly.scaffolds import ContigPaths, Scaffolds, ordered_scaffolds
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.euler.bidirected import as_ids
from debruijn_gpu.graph.graph import Walks
from debruijn_gpu.pairs.break_places import contig_breaks
from debruijn_gpu.pairs.closed_gaps import closed_gaps, from_starts
from debruijn_gpu.pairs.resolution import Resolution
from debruijn_gpu.pairs.walks import Walk
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class ResolvedContigs:
    """Contigs that are walks over the segments of a graph.

    Attributes
    ----------
    segments, contigs : Contigs
    paths : ContigPaths
        Of the contigs over the segments.
    resolution : Resolution
    spelled : Spelled
        Which walk each contig is.
    pairs : PairSummary
    starts : dict of int to GeneStart
        Genes that contigs were rotated to, by contig.
    """

    segments: Contigs
    contigs: Contigs
    paths: ContigPaths
    resolution: Resolution
    spelled: Spelled
    pairs: PairSummary
    starts: dict[int, GeneStart]

    def scaffolds(self, n_reported: int) -> Scaffolds:
        """Order the longest contigs across gaps; gaps around a contig that is not reported become one."""
        return ordered_scaffolds(_scaffolds(self, n_reported), self.contigs)


def resolved_contigs(
    graph: UnitigGraph, resolution: Resolution, genes: Sequence[Gene], backend: AssemblyBackend
) -> ResolvedContigs:
    """Spell the walks of a resolution, and the segments that they lead over.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    resolution : Resolution
    genes : sequence of Gene
        That circular contigs are rotated to.
    backend : AssemblyBackend
    """
    with log.stage("spell contigs"):
        segments = spell_unitigs(graph, backend).cut(backend)
        walks = resolution.walks
        offsets = np.cumsum([0, *(len(walk.steps) for walk in walks)], dtype=np.int64)
        steps = np.fromiter((step for walk in walks for step in walk.steps), np.int64, int(offsets[-1]))
        ids = as_ids(steps, graph.graph.n_vertices)
        circular = np.array([walk.is_circular for walk in walks], np.bool_)
        trails = trails_of_walks(graph.moved(backend.to_host), Walks(offsets, ids, circular))
        spelled = spell_trails(trails, graph, backend).cut(backend)
    starts = find_starts(spelled.contigs, genes)
    segments = rotate_spelled(segments, _of_segments(starts, walks, spelled, segments))
    spelled = rotate_spelled(spelled, starts)
    paths = from_starts(_paths(walks, spelled, segments), starts, segments.contigs, spelled.contigs)
    closed = closed_gaps(resolution.closures, segments, spelled.contigs, paths)
    host = graph.moved(backend.to_host) if resolution.suspects else graph
    breaks = contig_breaks(resolution.suspects, host, segments, spelled.contigs, paths)
    summary = _summary(resolution, closed, breaks)
    return ResolvedContigs(segments.contigs, spelled.contigs, paths, resolution, spelled, summary, starts)


def _of_segments(
    starts: dict[int, GeneStart], walks: list[Walk], spelled: Spelled, segments: Spelled
) -> dict[int, GeneStart]:
    """Genes in segments that are circular contigs by themselves, by segment."""
    found = {}
    for number, walk in enumerate(walks):
        start, segment = starts.get(int(spelled.rank[number])), int(segments.rank[walk.steps[0] >> 1])
        if start is not None and segments.contigs.circular[segment]:
            found[segment] = start
    return found


def _summary(resolution: Resolution, closed: list[ClosedGap], breaks: list[ContigBreak]) -> PairSummary:
    counts = BreakCounts.of((one.found.is_wrong, one.is_cut) for one in resolution.suspects)
    of_reads = resolution.n_reads, resolution.n_short, resolution.n_placed
    numbers = resolution.n_single, resolution.n_repeats, resolution.n_joined, resolution.n_gaps
    return PairSummary(*of_reads, *numbers, closed, breaks, counts)


def _paths(walks: list[Walk], spelled: Spelled, segments: Spelled) -> ContigPaths:
    """The walks as steps over segments, in the order and the strands of the contigs."""
    order = np.argsort(spelled.rank, kind="stable").tolist()
    turned = [walks[i].turned if spelled.flips[i] else walks[i] for i in order]
    offsets = np.cumsum([0, *(len(walk.steps) for walk in turned)], dtype=np.int64)
    vertices = np.fromiter((step for walk in turned for step in walk.steps), np.int64, int(offsets[-1]))
    return ContigPaths(offsets, segments.steps(vertices))


def _scaffolds(resolved: ResolvedContigs, n_reported: int) -> Scaffolds:
    walks, spelled = resolved.resolution.walks, resolved.spelled
    ends = np.array([[walk.first, walk.last] for walk in walks], np.int64).reshape(-1, 2)
    oriented = spelled.steps(np.arange(2 * len(walks)))  # contig and strand of each walk and its reverse complement
    by_first: dict[int, int] = {}
    last_of: dict[int, int] = {}
    for number, (first, last) in enumerate(ends.tolist()):
        if not walks[number].is_circular:
            ahead, behind = int(oriented[2 * number]), int(oriented[2 * number + 1])
            by_first[first], by_first[last ^ 1] = ahead, behind
            last_of[ahead], last_of[behind] = last, first ^ 1
    following = _following(resolved, by_first, last_of)
    return _chained(following, resolved.contigs.lengths, n_reported)


def _following(
    resolved: ResolvedContigs, by_first: dict[int, int], last_of: dict[int, int]
) -> dict[int, tuple[int, int, int]]:
    """Find the contig behind each one, the gap between them, and the pairs that link them."""
    extension = _extensions(resolved)
    found = {}
    for step, last in last_of.items():
        join = resolved.resolution.joins.get(last)
        if join is None or join.path is not None or join.link.head not in by_first:
            continue
        head = by_first[join.link.head]
        gap = round(join.link.gap_bp) - extension[step] - extension[head ^ 1]
        found[step] = (head, gap, join.link.n_pairs)
    return found


def _extensions(resolved: ResolvedContigs) -> NDArray[np.int64]:
    """Count the bases behind the last single-copy unitig of each contig and strand, shape (2 * n_contigs,)."""
    walks, spelled, overlap = resolved.resolution.walks, resolved.spelled, resolved.contigs.k - 1
    lengths, found = resolved.segments.lengths, np.zeros(2 * len(walks), np.int64)
    oriented = spelled.steps(np.arange(2 * len(walks)))
    for number, walk in enumerate(walks):
        if walk.n_before or walk.n_behind:
            contig = int(oriented[2 * number])
            path = resolved.paths.steps[resolved.paths.offsets[contig >> 1] : resolved.paths.offsets[(contig >> 1) + 1]]
            added = (lengths[path >> 1] - overlap).tolist()
            added = added[::-1] if contig & 1 else added
            found[contig] = sum(added[len(added) - walk.n_behind :])
            found[contig ^ 1] = sum(added[: walk.n_before])
    return found


def _chained(following: dict[int, tuple[int, int, int]], lengths: NDArray[np.int64], n_reported: int) -> Scaffolds:
    """Chain reported contigs; one that is not reported is part of the gap."""
    offsets, steps, gaps, n_pairs = [0], list[int](), list[int](), list[int]()
    is_used = np.zeros(n_reported, np.bool_)
    starts = [step for step in range(2 * n_reported) if step ^ 1 not in following]
    for start in (*starts, *range(0, 2 * n_reported, 2)):
        step, n_before = start, len(steps)
        while not is_used[step >> 1]:
            is_used[step >> 1] = True
            steps.append(step)
            after, gap, pairs = following.get(step, (-1, 0, 0))
            while after >> 1 >= n_reported and after in following:
                beyond, next_gap, next_pairs = following[after]
                gap, pairs = gap + int(lengths[after >> 1]) + next_gap, min(pairs, next_pairs)
                after = beyond
            if after < 0 or after >> 1 >= n_reported or is_used[after >> 1]:
                after, gap, pairs = step, 0, 0
            gaps.append(gap)
            n_pairs.append(pairs)
            step = after
        if len(steps) > n_before:
            offsets.append(len(steps))
    columns = (np.array(column, np.int64) for column in (offsets, steps, gaps, n_pairs))
    return Scaffolds(*columns)
