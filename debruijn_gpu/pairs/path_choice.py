"""Choose one of several paths between two unitigs, by the fragments that link its unitigs to those around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.pairs.links import Link, Links

Longs = NDArray[np.int64]
Path = tuple[int, ...]


@dataclass(frozen=True)
class Chain:
    """Unitigs that follow a vertex along joins with a path.

    Attributes
    ----------
    vertices : tuple of int
    starts : tuple of int
        Bases from the start of the vertex to that of each.
    """

    vertices: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()


@dataclass(frozen=True)
class PathChoice:
    """Chooses among the paths between two unitigs.

    Attributes
    ----------
    links : Links
    lengths : ndarray, dtype=int64, shape=(n_vertices,)
    overlap_bp : int
        Bases that neighbours share.
    options : PairOptions
    """

    links: Links
    lengths: Longs
    overlap_bp: int
    options: PairOptions

    def best(self, paths: Sequence[Path], link: Link, before: Chain = Chain(), behind: Chain = Chain()) -> Path | None:
        """Choose the only path, or the one whose own vertices have far more fragments than those of any other.

        Parameters
        ----------
        paths : sequence of tuple of int
        link : Link
        before, behind : Chain
            Unitigs behind the reverse complement of the tail, and behind the head.
        """
        if len(paths) < 2:
            return paths[0] if paths else None
        return self.supported(paths, link, before, behind)

    def supported(
        self, paths: Sequence[Path], link: Link, before: Chain = Chain(), behind: Chain = Chain()
    ) -> Path | None:
        """Choose the path whose own vertices have far more fragments than those of any other; `best` has parameters."""
        if not paths:
            return None
        shared = set.intersection(*(set(path) for path in paths)) if len(paths) > 1 else set()
        ranked = sorted(((self._support(path, shared, link, before, behind), path) for path in paths), reverse=True)
        (most, path), others = ranked[0], [support for support, _path in ranked[1:]]
        second = max(others, default=0)
        options = self.options
        is_sure = most >= options.least_pairs and most >= options.path_ratio * second and most > second
        return path if is_sure else None

    def gap_of(self, path: Path) -> float:
        """Bases between two unitigs along a path."""
        return float(self.lengths[list(path)].sum() - self.overlap_bp * (len(path) + 1))

    def chain(self, vertex: int, ways: Mapping[int, tuple[Path, int]]) -> Chain:
        """Follow joins from a vertex on, as far as fragments reach; `ways` has path and head of joins, by tail."""
        vertices, starts, seen, start = list[int](), list[int](), {vertex}, 0
        while vertex in ways:
            path, head = ways[vertex]
            start += int(self.lengths[[vertex, *path]].sum()) - self.overlap_bp * (len(path) + 1)
            if start > self.links.longest_bp or head in seen:
                break
            seen.add(head)
            vertices.append(head)
            starts.append(start)
            vertex = head
        return Chain(tuple(vertices), tuple(starts))

    def _support(self, path: Path, shared: set[int], link: Link, before: Chain, behind: Chain) -> int:
        """Count the fragments that link the least linked vertex of a path, shared ones left out, to what is around."""
        added = self.lengths[list(path)] - self.overlap_bp
        starts = np.cumsum(added) - added - self.overlap_bp  # of each vertex, from the end of the tail on
        rest = int(added.sum()) - np.cumsum(added) - self.overlap_bp  # from the end of each vertex to the head
        return min(
            (
                self.links.support_of(link.tail, vertex)
                + self.links.support_of(vertex, link.head)
                + self._agreeing(vertex ^ 1, before, int(start))
                + self._agreeing(vertex, behind, int(stop))
                for vertex, start, stop in zip(path, starts, rest, strict=True)
                if vertex not in shared
            ),
            default=0,
        )

    def _agreeing(self, vertex: int, chain: Chain, gap_bp: int) -> int:
        """Count the fragments that link a vertex to the unitigs of a chain that begins behind a gap."""
        total = 0
        for head, start in zip(chain.vertices, chain.starts, strict=True):
            link = self.links.find(vertex, head)
            if link is not None and self.links.deviation(link, float(gap_bp + start)) <= self.options.most_errors:
                total += link.n_pairs
        return total
