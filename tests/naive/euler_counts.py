"""Slow obvious twins of counting Euler circuits: list them all."""

from __future__ import annotations

from collections.abc import Iterator

Edge = tuple[int, int]


def euler_walks(edges: list[Edge], first: list[int]) -> Iterator[list[int]]:
    """All sequences of all edges, by their numbers, that begin so."""
    if len(first) == len(edges):
        yield first
        return
    for i, (tail, _) in enumerate(edges):
        if i not in first and tail == edges[first[-1]][1]:
            yield from euler_walks(edges, [*first, i])


def circuits(edges: list[Edge]) -> tuple[int, int]:
    """Euler circuits of a connected graph, as cyclic sequences of edges and of vertices."""
    found = [walk for walk in euler_walks(edges, [0]) if edges[walk[-1]][1] == edges[0][0]]
    return len(found), len({smallest_rotation([edges[i][0] for i in walk]) for walk in found})


def paths(edges: list[Edge]) -> tuple[int, int]:
    """Euler paths of a connected graph that has no circuit, as sequences of edges and of vertices."""
    found = [walk for i in range(len(edges)) for walk in euler_walks(edges, [i])]
    return len(found), len({tuple(edges[i] for i in walk) for walk in found})


def smallest_rotation(items: list[int]) -> tuple[int, ...]:
    return min(tuple(items[i:] + items[:i]) for i in range(len(items)))
