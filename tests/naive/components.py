"""Slow obvious twins of the operations on components, of graphs as lists of edges."""

from __future__ import annotations

from collections.abc import Sequence

Edges = Sequence[tuple[int, int]]


def reachable(start: int, neighbours: dict[int, set[int]]) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        new = neighbours[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def neighbours_of(n_vertices: int, edges: Edges) -> dict[int, set[int]]:
    neighbours: dict[int, set[int]] = {vertex: set() for vertex in range(n_vertices)}
    for tail, head in edges:
        neighbours[tail].add(head)
    return neighbours


def weak_components(n_vertices: int, edges: Edges) -> list[int]:
    both_ways = neighbours_of(n_vertices, [*edges, *((head, tail) for tail, head in edges)])
    return [min(reachable(vertex, both_ways)) for vertex in range(n_vertices)]


def strong_components(n_vertices: int, edges: Edges) -> list[int]:
    forwards = neighbours_of(n_vertices, edges)
    backwards = neighbours_of(n_vertices, [(head, tail) for tail, head in edges])
    return [min(reachable(vertex, forwards) & reachable(vertex, backwards)) for vertex in range(n_vertices)]


def spanning_forest(n_vertices: int, edges: Edges) -> list[int]:
    """Each edge that merges two trees, in order."""
    tree = list(range(n_vertices))
    forest = []
    for edge, (tail, head) in enumerate(edges):
        if tree[tail] != tree[head]:
            forest.append(edge)
            tree = [tree[head] if one == tree[tail] else one for one in tree]
    return forest


def page_rank(
    n_vertices: int, edges: Edges, weights: Sequence[float], damping: float, tolerance: float
) -> tuple[list[float], int]:
    ranks = [1 / n_vertices] * n_vertices
    out_weight = [0.0] * n_vertices
    for (tail, _), weight in zip(edges, weights, strict=True):
        out_weight[tail] += weight
    iterations = 0
    while True:
        iterations += 1
        dangling = sum(rank for rank, weight in zip(ranks, out_weight, strict=True) if weight == 0)
        new = [(1 - damping + damping * dangling) / n_vertices] * n_vertices
        for (tail, head), weight in zip(edges, weights, strict=True):
            if weight > 0:
                new[head] += damping * ranks[tail] * weight / out_weight[tail]
        change = sum(abs(a - b) for a, b in zip(new, ranks, strict=True))
        ranks = new
        if change < tolerance * n_vertices:
            return ranks, iterations


def loops_and_repeats(edges: Edges) -> tuple[int, int]:
    return sum(tail == head for tail, head in edges), len(edges) - len(set(edges))
