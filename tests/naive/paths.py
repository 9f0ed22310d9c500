"""Non-branching paths of a graph, the slow and obvious way: edges are pairs of vertices, sorted by tail."""

from __future__ import annotations

from collections import Counter


def nonbranching_paths(pairs: list[tuple[int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Compute the maximal non-branching paths and the isolated cycles, as lists of edge numbers.

    Compeau and Pevzner 2015: from every edge out of a vertex that branches or ends, walk on while vertices have one
    edge in and one edge out. What is left are cycles.
    """
    n_out, n_in = Counter(tail for tail, _head in pairs), Counter(head for _tail, head in pairs)

    def is_inner(vertex: int) -> bool:
        return n_out[vertex] == n_in[vertex] == 1

    def walk(first: int) -> list[int]:
        edges = [first]
        while is_inner(pairs[edges[-1]][1]):
            following = next(i for i, (tail, _head) in enumerate(pairs) if tail == pairs[edges[-1]][1])
            if following == first:
                break
            edges.append(following)
        return edges

    paths = [walk(i) for i, (tail, _head) in enumerate(pairs) if not is_inner(tail)]
    used = {edge for path in paths for edge in path}
    cycles = []
    for i in range(len(pairs)):
        if i not in used:
            cycles.append(walk(i))
            used.update(cycles[-1])
    return paths, cycles
