"""Collect popped bubbles: the removed side of each with its flanks, and the depths of both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES, packed_codes
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.backends.unitigs.scalars import MAX_DEPTH

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

_LETTERS = np.frombuffer(BASES, np.uint8)


@dataclass(frozen=True)
class PoppedBubble:
    """Removed side of a bubble, and the path that was kept in its place.

    Attributes
    ----------
    k : int
    sequence : bytes
        The removed unitig with one base more at both ends: its first and last k-mer are on the kept path.
    n_kmers, kmer_counts : int
        Number of k-mers of the unitig, and the sum of their counts.
    kept_n_kmers, kept_kmer_counts : int
        The same of the kept path between these two k-mers.
    """

    k: int
    sequence: bytes
    n_kmers: int
    kmer_counts: int
    kept_n_kmers: int
    kept_kmer_counts: int


@dataclass(frozen=True)
class _HostGraph:
    """A unitig graph in NumPy arrays, and which of its unitigs are kept."""

    graph: UnitigGraph
    is_kept: NDArray[np.bool_]

    def kept_heads(self, vertex: int) -> list[int]:
        """List the successors of a vertex that are kept."""
        edges = self.graph.graph
        heads: list[int] = edges.col[edges.row_ptr[vertex] : edges.row_ptr[vertex + 1]].tolist()
        return [head for head in heads if self.is_kept[head >> 1]]

    def codes(self, start: int, stop: int) -> NDArray[np.uint8]:
        """Two-bit codes of the packed bases start..stop."""
        return packed_codes(self.graph.sequences.bases, start, stop)

    def last_base_of_first_kmer(self, vertex: int) -> int:
        """Two-bit code of base k - 1 of an oriented unitig."""
        offsets, k = self.graph.sequences.offsets, self.graph.k
        if vertex & 1:
            at = int(offsets[(vertex >> 1) + 1]) - k
            return 3 - int(self.codes(at, at + 1)[0])
        at = int(offsets[vertex >> 1]) + k - 1
        return int(self.codes(at, at + 1)[0])

    def kept_path(self, source: int, target: int) -> tuple[int, int] | None:
        """Sum k-mers and counts of the kept path from source to target, the best covered one at each fork."""
        n_kmers, kmer_counts = self.graph.n_kmers, self.graph.kmer_counts
        vertex, n, total = source, 0, 0
        for _ in range(MAX_DEPTH + 1):
            heads = self.kept_heads(vertex)
            if n and target in heads:
                return n, total
            heads = [head for head in heads if head != target]
            if not heads:
                return None
            vertex = max(heads, key=lambda head: (kmer_counts[head >> 1] / n_kmers[head >> 1], -head))
            n, total = n + int(n_kmers[vertex >> 1]), total + int(kmer_counts[vertex >> 1])
        return None

    def popped(self, unitig: int) -> PoppedBubble | None:
        """Return a removed unitig as a bubble; None unless one kept unitig leads to it and one away from it."""
        ahead, behind = self.kept_heads(2 * unitig), self.kept_heads(2 * unitig + 1)
        if len(ahead) != 1 or len(behind) != 1:
            return None
        path = self.kept_path(behind[0] ^ 1, ahead[0])
        if path is None:
            return None
        offsets = self.graph.sequences.offsets
        within = self.codes(int(offsets[unitig]), int(offsets[unitig + 1]))
        first, last = 3 - self.last_base_of_first_kmer(behind[0]), self.last_base_of_first_kmer(ahead[0])
        sequence = _LETTERS[np.concatenate(([first], within, [last])).astype(np.int64)].tobytes()
        own = int(self.graph.n_kmers[unitig]), int(self.graph.kmer_counts[unitig])
        return PoppedBubble(self.graph.k, sequence, *own, *path)


def noter(
    popped: list[PoppedBubble],
    min_count: int,
    depth_left: Callable[[int], float],
    options: VariantOptions,
    backend: AssemblyBackend,
) -> Callable[[UnitigGraph, Array], None]:
    """Make the function that adds the popped bubbles of a graph to a list, unless they look like errors.

    Parameters
    ----------
    popped : list of PoppedBubble
        Extended.
    min_count : int
        Least count of the k-mers that were kept.
    depth_left : callable
        Part of the k-mer depth of the first k that is left at a k.
    options : VariantOptions
    backend : AssemblyBackend
        Whose arrays those of graphs are.
    """
    least_depth = min_count + options.depth_above_min_count  # at the first k

    def note(graph: UnitigGraph, is_kept: Array) -> None:
        """Add the unitigs that are not kept."""
        kept = backend.to_host(is_kept)
        n_kmers, kmer_counts = backend.to_host(graph.n_kmers), backend.to_host(graph.kmer_counts)
        chosen = np.flatnonzero(~kept & (kmer_counts >= least_depth * depth_left(graph.k) * n_kmers))
        if not len(chosen):
            return
        on_host = _HostGraph(graph.moved(backend.to_host), kept)
        bubbles = (on_host.popped(unitig) for unitig in chosen.tolist())
        popped.extend(bubble for bubble in bubbles if bubble is not None and _is_deep(bubble, options))

    return note


def _is_deep(bubble: PoppedBubble, options: VariantOptions) -> bool:
    """Whether the removed side has enough of the depth of the kept one."""
    removed = bubble.kmer_counts * bubble.kept_n_kmers
    return options.parts_of_depth * removed >= bubble.kept_kmer_counts * bubble.n_kmers
