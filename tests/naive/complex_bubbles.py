"""Bubbles of several variants, by all pairs of vertices and all paths between them."""

from __future__ import annotations

from collections.abc import Iterator

from debruijn_gpu.assembly.complex_bubbles import Limits

Edges = set[tuple[int, int]]
Bubble = tuple[int, int, list[tuple[int, ...]]]


def complex_bubbles(edges: Edges, n_kmers: list[int], kmer_counts: list[int], limits: Limits) -> list[bool]:
    """Find the unitigs of bubbles that are removed; no dead ends within bubbles, and no paths of equal counts."""
    n = len(n_kmers)
    found, done = [False] * n, [False] * n
    bubbles = [bubble for source in range(2 * n) if (bubble := _bubble(edges, source, 2 * n))]
    bubbles = [bubble for bubble in bubbles if bubble[0] < bubble[1] ^ 1]
    for source, target, paths in sorted(bubbles, key=lambda one: (len(set().union(*one[2])), one[0])):
        unitigs = {vertex >> 1 for path in paths for vertex in (source, target, *path)}
        heads = {head >> 1 for tail, head in edges if tail == source}
        removed = _removed(source, target, paths, heads, n_kmers, kmer_counts, limits)
        if removed and not any(done[unitig] for unitig in unitigs):
            for unitig in unitigs:
                done[unitig] = True
            for unitig in removed:
                found[unitig] = True
    return found


def _bubble(edges: Edges, source: int, n_vertices: int) -> Bubble | None:
    """Return the smallest bubble from a source, with all its paths."""
    found = []
    for target in range(n_vertices) if sum(tail == source for tail, _head in edges) > 1 else ():
        paths = list(_paths(edges, (source,), target))
        within = set().union(*paths)
        around = within | {source, target}
        leaves = {head for tail, head in edges if tail in within | {source}} - within - {target}
        enters = {tail for tail, head in edges if head in within | {target}} - within - {source}
        has_twice = len({vertex >> 1 for vertex in around}) < len(around)
        has_cycle = any(_is_reached(edges, vertex, vertex, within) for vertex in within)
        if paths and within and not (leaves or enters or has_twice or has_cycle or target == source):
            found.append((source, target, paths))
    return min(found, key=lambda one: len(set().union(*one[2])), default=None)


def _paths(edges: Edges, before: tuple[int, ...], target: int) -> Iterator[tuple[int, ...]]:
    """List the vertices between the ends of all paths to a target that visit no vertex twice."""
    for tail, head in sorted(edges):
        if tail == before[-1]:
            if head == target:
                yield before[1:]
            elif head not in before:
                yield from _paths(edges, (*before, head), target)


def _is_reached(edges: Edges, vertex: int, target: int, within: set[int]) -> bool:
    """Whether a target follows a vertex, along some vertices."""
    seen, waiting = set[int](), [vertex]
    while waiting:
        tail = waiting.pop()
        heads = {b for a, b in edges if a == tail and b in within} - seen
        seen |= heads
        waiting += heads
    return target in seen


def _removed(
    source: int,
    target: int,
    paths: list[tuple[int, ...]],
    heads: set[int],
    n_kmers: list[int],
    kmer_counts: list[int],
    limits: Limits,
) -> set[int]:
    """Find the unitigs of a bubble that are removed."""
    depths = [max(1.0, count / n) for count, n in zip(kmer_counts, n_kmers, strict=True)]
    lengths = [sum(n_kmers[vertex >> 1] for vertex in path) for path in paths]
    most = max(lengths)
    if () in paths or most > limits.longest or most - min(lengths) > max(limits.slack, limits.indel * most):
        return set()
    kept = {v >> 1 for v in max(paths, key=lambda path: sum(kmer_counts[v >> 1] for v in path))}
    if len(kept & heads) > 1:
        return set()
    rest = {vertex >> 1 for path in paths for vertex in path} - kept
    least = min(depths[unitig] for unitig in kept)
    if all(depths[unitig] <= limits.ratio * least for unitig in rest):
        return rest
    is_single = all(depths[vertex >> 1] <= limits.most_flank[vertex >> 1] for vertex in (source, target))
    are_alleles = is_single and all(depths[unitig] <= limits.most_allele[unitig] for unitig in rest)
    return rest if are_alleles and most <= limits.longest_allele else set()
