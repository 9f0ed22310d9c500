"""Find bubbles of several variants close to each other, where no side is a unitig of its own, and keep one path."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import successors

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Oriented unitigs between both ends of a bubble, at most; bounds the time
MOST_VERTICES = 200


@dataclass(frozen=True)
class Limits:
    """What a bubble of variants is, and which of its unitigs are removed.

    Attributes
    ----------
    longest, longest_allele : int
        K-mers of a path through it, at most, and through one of alleles.
    slack : int
    indel : float
        All paths have the same length within `slack` k-mers, or this share of the longest one.
    ratio : float
        K-mer depth of removed unitigs relative to that of each unitig of the path that is kept, at most. Where reads
        are missing, k-mers of links have a depth of 0, which counts as 1.
    longest_end : int
        K-mers of a dead end within a bubble, at most.
    end_ratio : float
        As `ratio`, of dead ends.
    most_allele, most_flank : ndarray, dtype=float64, shape=(n_unitigs,)
        Between unitigs of at most the second depth, a unitig of at most the first is of another allele, whatever its
        ratio; 0 where depth does not tell alleles from copies.
    """

    longest: int
    longest_allele: int
    slack: int
    indel: float
    ratio: float
    longest_end: int
    end_ratio: float
    most_allele: Floats
    most_flank: Floats


@dataclass(frozen=True)
class _Bubble:
    """Vertices from a source to a target, in an order of edges, and dead ends within; k-mers of the longest path."""

    source: int
    target: int
    n_kmers: int
    inner: list[int]
    ends: list[int]

    def unitigs(self) -> set[int]:
        """All unitigs of the bubble, those at both sides included."""
        return {vertex >> 1 for vertex in (self.source, self.target, *self.inner, *self.ends)}


def complex_bubbles(graph: Graph, n_kmers: Longs, kmer_counts: Longs, limits: Limits) -> NDArray[np.bool_]:
    """Find the unitigs of bubbles that are rarer than one path through, as errors or alleles are.

    A bubble is what is between two vertices if all paths from the one lead to the other, and none leads in or out
    elsewhere, nor in a cycle (superbubbles, Onodera et al. 2013), but for dead ends. The path with the most
    occurrences of k-mers is kept. Of bubbles that share unitigs the smallest is decided.

    Parameters
    ----------
    graph : Graph
        Of the unitigs, in NumPy arrays.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n_unitigs,)
    limits : Limits

    Returns
    -------
    ndarray, dtype=bool, shape=(n_unitigs,)
        The same for both strands of the graph.
    """
    search = _Search(graph, n_kmers, kmer_counts, limits)
    sources = _sources(graph, n_kmers, search.depths, limits)
    bubbles = [bubble for source in sources if (bubble := search.bubble(source))]
    found, done = np.zeros(len(n_kmers), np.bool_), np.zeros(len(n_kmers), np.bool_)
    for bubble in sorted(bubbles, key=lambda one: (len(one.inner), one.source)):
        unitigs = list(bubble.unitigs())
        removed = [] if done[unitigs].any() else search.removed(bubble)
        if removed:
            found[removed] = done[unitigs] = True
    return found


def _sources(graph: Graph, n_kmers: Longs, depths: Floats, limits: Limits) -> list[int]:
    """List the vertices with several successors that may all but one be removed, by their depth and their edges."""
    n_out = np.diff(graph.row_ptr)
    sources = np.flatnonzero(n_out > 1)
    if not len(sources):
        return []
    tails = np.repeat(np.arange(graph.n_vertices), n_out)
    heads = graph.col.astype(np.int64)
    depths_ahead = depths[heads >> 1]
    deepest = np.zeros(graph.n_vertices)
    np.maximum.at(deepest, tails, depths_ahead)
    rivals = depths_ahead > limits.ratio * deepest[tails]
    is_flank = depths <= limits.most_flank
    rivals &= ~is_flank[tails >> 1] | (depths_ahead > limits.most_allele[heads >> 1])
    n_rivals = np.bincount(tails[rivals], minlength=graph.n_vertices)
    are_short = np.repeat(n_kmers <= limits.longest_end, 2)
    is_loose = are_short & (n_out == 0)
    is_end = is_loose[heads] & (depths_ahead <= limits.end_ratio * deepest[tails])
    n_in = n_out[np.arange(graph.n_vertices) ^ 1]
    n_firm = n_in - np.bincount(heads[is_loose[tails ^ 1]], minlength=graph.n_vertices)
    leads_on = ~is_end & (n_firm[heads] <= 1)
    is_lost = ~is_end & (n_in[heads] == 1) & (n_out[heads] == 0)
    may_meet = np.zeros(graph.n_vertices, np.bool_)
    may_meet[tails[leads_on]] = True
    may_meet[tails[is_lost]] = False
    found: list[int] = sources[(n_rivals[sources] <= 1) & may_meet[sources]].tolist()
    return found


@dataclass
class _Seen:
    """What a search for a bubble has seen.

    Attributes
    ----------
    bounds : dict of int to (int, int)
        K-mers of the shortest and of the longest path behind the source to before a vertex.
    n_left : dict of int to int
        Edges into a vertex from vertices that were not visited.
    ready : list of int
        Vertices to visit.
    inner, ends : list of int
        See `_Bubble`.
    """

    bounds: dict[int, tuple[int, int]]
    n_left: dict[int, int]
    ready: list[int]
    inner: list[int]
    ends: list[int]


class _Search:
    """Searches the bubble behind a vertex, and decides which of its unitigs are removed."""

    def __init__(self, graph: Graph, n_kmers: Longs, kmer_counts: Longs, limits: Limits) -> None:
        self._graph = graph
        self._n_kmers, self._kmer_counts = n_kmers, kmer_counts
        self._limits = limits
        self.depths = np.maximum(1.0, kmer_counts / np.maximum(1, n_kmers))

    def bubble(self, source: int) -> _Bubble | None:
        """Return the bubble from a source to where all paths meet; None without one, or if the other strand has it.

        A vertex is visited when all edges into it come from visited ones. All paths have met where a single vertex is
        waiting, and no other one was seen.
        """
        seen = _Seen({source: (0, 0)}, {}, [source], [], [])
        most = self._limits.end_ratio * max(self.depths[head >> 1] for head in successors(self._graph, source))
        while seen.ready:
            vertex = seen.ready.pop()
            least, longest = seen.bounds[vertex]
            if vertex != source:
                if not seen.ready and not seen.n_left:
                    is_first = source < vertex ^ 1 and self._are_alike(least, longest)
                    return _Bubble(source, vertex, longest, seen.inner, seen.ends) if is_first else None
                seen.inner.append(vertex)
                least, longest = (n + int(self._n_kmers[vertex >> 1]) for n in (least, longest))
            heads = successors(self._graph, vertex)
            if not heads or longest > self._limits.longest or len(seen.inner) > MOST_VERTICES:
                return None
            for head in heads:
                if head >> 1 == source >> 1 or head ^ 1 in seen.bounds:
                    return None
                if self._is_end(head, most):
                    seen.ends.append(head)
                else:
                    self._see(head, source, least, longest, most, seen)
        return None

    def _see(self, head: int, source: int, least: int, longest: int, most: float, seen: _Seen) -> None:
        """Follow an edge to a vertex, behind paths of a range of lengths."""
        if head not in seen.bounds:
            tails = [tail ^ 1 for tail in successors(self._graph, head ^ 1)]
            before = [tail for tail in tails if tail != source and self._is_end(tail ^ 1, most)]
            seen.ends += before
            seen.n_left[head] = len(tails) - len(before)
            seen.bounds[head] = least, longest
        bounds = seen.bounds[head]
        seen.bounds[head] = min(least, bounds[0]), max(longest, bounds[1])
        seen.n_left[head] -= 1
        if not seen.n_left[head]:
            del seen.n_left[head]
            seen.ready.append(head)

    def _is_end(self, vertex: int, most_depth: float) -> bool:
        """Whether a vertex is a short and rare dead end."""
        unitig = vertex >> 1
        if self._n_kmers[unitig] > self._limits.longest_end or self.depths[unitig] > most_depth:
            return False
        return not successors(self._graph, vertex)

    def _are_alike(self, shortest: int, longest: int) -> bool:
        """Whether paths of these lengths are of variants."""
        return longest - shortest <= max(self._limits.slack, self._limits.indel * longest)

    def removed(self, bubble: _Bubble) -> list[int]:
        """List the unitigs of a bubble that are removed; none if it stays."""
        path = self._deepest_path(bubble)
        heads = successors(self._graph, bubble.source)
        if bubble.target in heads or len(path.intersection(head >> 1 for head in heads)) > 1:
            return []
        rest = sorted({vertex >> 1 for vertex in bubble.inner} - path)
        ends = sorted({vertex >> 1 for vertex in bubble.ends})
        least = self.depths[list(path)].min()
        are_rare = bool(np.all(self.depths[rest] <= self._limits.ratio * least)) or self._are_alleles(bubble, rest)
        return rest + ends if are_rare and np.all(self.depths[ends] <= self._limits.end_ratio * least) else []

    def _are_alleles(self, bubble: _Bubble, rest: list[int]) -> bool:
        """Whether a bubble is between single-copy unitigs, and unitigs of it have the depth of alleles."""
        if bubble.n_kmers > self._limits.longest_allele:
            return False
        flanks = [bubble.source >> 1, bubble.target >> 1]
        are_single = np.all(self.depths[flanks] <= self._limits.most_flank[flanks])
        return bool(are_single and np.all(self.depths[rest] <= self._limits.most_allele[rest]))

    def _deepest_path(self, bubble: _Bubble) -> set[int]:
        """Find the unitigs of the path with the most occurrences of k-mers; of equal ones, smaller vertices win."""
        within, best = {*bubble.inner, bubble.target}, {bubble.source: 0}
        before: dict[int, int] = {}
        for vertex in (bubble.source, *bubble.inner):
            for head in successors(self._graph, vertex):
                total = best[vertex] + int(self._kmer_counts[head >> 1])
                if head in within and (total, -vertex) > (best.get(head, -1), -before.get(head, 0)):
                    best[head], before[head] = total, vertex
        path, vertex = set(), before[bubble.target]
        while vertex != bubble.source:
            path.add(vertex >> 1)
            vertex = before[vertex]
        return path
