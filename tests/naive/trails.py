"""Slow obvious twins of trails: how few there can be, by formula and by trying."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container

import networkx as nx

from tests.naive.kmers import canonical, reverse_complement


def append_edges(rows: list[list[int]], added: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Rows of (head, number before or -1) of a graph given as rows of heads, with more edges."""
    numbers = iter(range(sum(map(len, rows))))
    new_rows = [[(head, next(numbers)) for head in row] for row in rows]
    for tail, head in added:
        new_rows[tail].append((head, -1))
    return new_rows


def fewest_trails(pairs: list[tuple[int, int]]) -> int:
    """Of a directed multigraph, by component: edges out that are too many, or one."""
    graph = nx.MultiDiGraph(pairs)
    return sum(
        max(1, sum(max(0, graph.out_degree(v) - graph.in_degree(v)) for v in component))
        for component in nx.weakly_connected_components(graph)
    )


def fewest_bidirected_trails(pairs: list[tuple[int, int]], rc: list[int]) -> int:
    """Compute the minimum number of trails if each edge also represents its reverse complement; see
    `bidirected_trails`."""
    leaving = Counter([tail for tail, _head in pairs] + [rc[head] for _tail, head in pairs])
    graph = nx.MultiGraph((min(a, rc[a]), min(b, rc[b])) for a, b in pairs)
    return sum(
        max(1, sum(leaving[v] % 2 if rc[v] == v else abs(leaving[v] - leaving[rc[v]]) for v in component) // 2)
        for component in nx.connected_components(graph)
    )


def fewest_strings(kmers: list[str]) -> int:
    """Of strings that hold each k-mer or its reverse complement once, by the formula over their (k-1)-mers."""
    vertices = sorted({end for kmer in kmers for strand in (kmer, reverse_complement(kmer)) for end in ends(strand)})
    number = {vertex: i for i, vertex in enumerate(vertices)}
    pairs = [(number[tail], number[head]) for tail, head in map(ends, kmers)]
    return fewest_bidirected_trails(pairs, [number[reverse_complement(vertex)] for vertex in vertices])


def ends(kmer: str) -> tuple[str, str]:
    return kmer[:-1], kmer[1:]


def fewest_strings_of_all(kmers: list[str], edges: Container[str] | None = None) -> int:
    """The same by trying all: the best for each set of k-mers and the one that comes last; if edges (canonical) are
    given, along these."""
    oriented = [strand for kmer in kmers for strand in (kmer, reverse_complement(kmer))]
    many = len(kmers) + 1
    by_last = [[many] * len(oriented) for _ in range(1 << len(kmers))]
    best = [0] + [many] * ((1 << len(kmers)) - 1)
    for used in range(1 << len(kmers)):
        best[used] = min([best[used], *by_last[used]])
        for i, strand in enumerate(oriented):
            if used >> (i // 2) & 1:
                continue
            ways = [n for n, last in zip(by_last[used], oriented, strict=True) if last[1:] == strand[:-1]
                    and (edges is None or canonical(last + strand[-1]) in edges)]  # fmt: skip
            with_it = used | 1 << (i // 2)
            by_last[with_it][i] = min([by_last[with_it][i], best[used] + 1, *ways])
    return best[-1]


def canonical_kmers(strings: list[str], k: int) -> Counter[str]:
    """How often each k-mer, or its reverse complement, is in strings."""
    return Counter(canonical(s[i : i + k]) for s in strings for i in range(len(s) - k + 1))
