"""Search the paths of a graph that agree with a link."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.neighbours import successors
from debruijn_gpu.pairs.links import Link, Links
from debruijn_gpu.pairs.path_choice import Path

Longs = NDArray[np.int64]


class PathSearch:
    """Searches the paths between two vertices.

    Parameters
    ----------
    graph : Graph
    k : int
    lengths : ndarray
    is_closed : callable
        Whether no path may pass through a vertex.
    options : PairOptions
    """

    def __init__(
        self, graph: Graph, k: int, lengths: Longs, is_closed: Callable[[int], bool], options: PairOptions
    ) -> None:
        self._graph = graph
        self._overlap = k - 1
        self._lengths = lengths
        self._is_closed = is_closed
        self._options = options

    def paths(self, link: Link, links: Links) -> list[Path]:
        """List the paths whose length agrees with a link; none if there are too many to look at."""
        most = link.gap_bp + max(self._options.slack_bp, self._options.most_errors * link.error_bp)
        found: list[Path] = []
        waiting: list[tuple[int, int, Path]] = [(link.tail, -self._overlap, ())]
        n_steps = 0
        while waiting:
            vertex, gap, path = waiting.pop()
            n_steps += 1
            if n_steps > self._options.most_steps:
                return []
            for successor in successors(self._graph, vertex):
                if successor == link.head:
                    if self._agrees(link, gap, links):
                        found.append(path)
                    continue
                beyond = gap + int(self._lengths[successor]) - self._overlap
                if beyond <= most and not self._is_closed(successor):
                    waiting.append((successor, beyond, (*path, successor)))
        return found

    def _agrees(self, link: Link, gap: int, links: Links) -> bool:
        if abs(gap - link.gap_bp) <= self._options.slack_bp:
            return True
        return links.deviation(link, gap) <= self._options.most_errors
