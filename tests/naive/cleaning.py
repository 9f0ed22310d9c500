"""Cleaning of unitig graphs, the slow and obvious way.

A graph is a list of successors of each oriented unitig: v and v ^ 1 are the two strands of unitig v // 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

DEEPEST, MOST_VISITS = 12, 100


@dataclass
class Unitigs:
    """Unitigs, some of them removed."""

    successors: list[list[int]]
    n_kmers: list[int]
    counts: list[int]
    is_kept: list[bool] = field(init=False)

    def __post_init__(self) -> None:
        self.is_kept = [True] * len(self.n_kmers)

    def coverage(self, u: int) -> float:
        return self.counts[u] / self.n_kmers[u]

    def from_least_covered(self) -> list[int]:
        return sorted(range(len(self.n_kmers)), key=lambda u: (self.coverage(u), self.n_kmers[u], u))

    def following(self, v: int) -> list[int]:
        return [w for w in self.successors[v] if self.is_kept[w // 2]]

    def leading_to(self, v: int) -> list[int]:
        return [w ^ 1 for w in self.following(v ^ 1)]

    def other_ways_in(self, v: int) -> float:
        """What v leads to, others lead to as well; how well the least of these places is reached by them."""
        places = [
            max((self.coverage(x // 2) for x in self.leading_to(w) if x // 2 != v // 2), default=-1.0)
            for w in self.following(v)
        ]
        return min(places)


def remove_tips(unitigs: Unitigs, short: int, long: int, ratio: float) -> list[bool]:
    for u in unitigs.from_least_covered():
        ends = [v for v in (2 * u, 2 * u + 1) if unitigs.following(v)]
        if len(ends) != 1 or unitigs.n_kmers[u] > long:
            continue
        support = unitigs.other_ways_in(ends[0])
        if unitigs.n_kmers[u] <= short:
            unitigs.is_kept[u] = unitigs.coverage(u) > support
        else:
            unitigs.is_kept[u] = unitigs.coverage(u) >= ratio * support
    return unitigs.is_kept


def remove_erroneous_connections(unitigs: Unitigs, longest: int, ratio: float) -> list[bool]:
    for u in unitigs.from_least_covered():
        ends = [v for v in (2 * u, 2 * u + 1) if unitigs.following(v)]
        if len(ends) != 2 or unitigs.n_kmers[u] > longest:
            continue
        if all(unitigs.coverage(u) <= ratio * unitigs.other_ways_in(v) for v in ends):
            unitigs.is_kept[u] = False
    return unitigs.is_kept


def pop_bubbles(
    unitigs: Unitigs, longest: int, ratio: float, slack: int, indel: float, rare: float = 0.0
) -> list[bool]:
    for u in unitigs.from_least_covered():
        ahead, behind = unitigs.following(2 * u), unitigs.leading_to(2 * u)
        if unitigs.n_kmers[u] > longest or len(ahead) != 1 or len(behind) != 1:
            continue
        if u in (ahead[0] // 2, behind[0] // 2):
            continue
        margin = max(slack, int(indel * unitigs.n_kmers[u]))
        lengths = range(unitigs.n_kmers[u] - margin, unitigs.n_kmers[u] + margin + 1)
        ways = _ways(unitigs, u, behind[0], ahead[0], lengths)
        own = unitigs.coverage(u)
        if any(own <= ratio * way or (own <= rare and own < way) for way in ways):
            unitigs.is_kept[u] = False
    return unitigs.is_kept


def _ways(unitigs: Unitigs, avoided: int, source: int, target: int, lengths: range) -> list[float]:
    """Mean coverage of the ways from source to target, as far as a search of so many steps finds them."""
    visits = 0
    found = []

    def search(v: int, way: list[int]) -> None:
        nonlocal visits
        for w in unitigs.successors[v]:
            if visits == MOST_VISITS:
                return
            visits += 1
            if w // 2 == avoided or not unitigs.is_kept[w // 2]:
                continue
            length = sum(unitigs.n_kmers[u] for u in way)
            if w == target:
                if way and length in lengths:
                    found.append(float(Fraction(sum(unitigs.counts[u] for u in way), length)))
            elif len(way) < DEEPEST and length + unitigs.n_kmers[w // 2] <= lengths[-1]:
                search(w, [*way, w // 2])

    search(source, [])
    return found


def remove_isolated(unitigs: Unitigs, longest: int, threshold: float) -> list[bool]:
    for u in unitigs.from_least_covered():
        alone = not unitigs.following(2 * u) and not unitigs.following(2 * u + 1)
        if alone and unitigs.n_kmers[u] <= longest and unitigs.coverage(u) < threshold:
            unitigs.is_kept[u] = False
    return unitigs.is_kept


def rarer_sides(
    edges: set[tuple[int, int]], n_kmers: list[int], kmer_counts: list[int], is_flank: list[bool], can_go: list[bool]
) -> list[bool]:
    """Find the rarer side of each simple bubble between two flanks, by a comparison of all pairs of unitigs.

    Edges are those of vertices, 2 * unitig + strand, in both strands.
    """
    found = [False] * len(n_kmers)
    for one, other, strand in product(range(len(n_kmers)), range(len(n_kmers)), (0, 1)):
        sides = {2 * one, 2 * other + strand}
        sources = [{tail for tail, head in edges if head == side} for side in sides]
        targets = [{head for tail, head in edges if tail == side} for side in sides]
        if one == other or sources[0] != sources[1] or targets[0] != targets[1] or n_kmers[one] != n_kmers[other]:
            continue
        if len(sources[0]) != 1 or len(targets[0]) != 1:
            continue
        (source,), (target,) = sources[0], targets[0]
        is_simple = {head for tail, head in edges if tail == source} == sides
        is_simple &= {tail for tail, head in edges if head == target} == sides
        if is_simple and source >> 1 != target >> 1 and is_flank[source >> 1] and is_flank[target >> 1]:
            rarer = min((one, other), key=lambda unitig: (kmer_counts[unitig], -unitig))
            found[rarer] = can_go[rarer]
    return found


def simple_bubbles(edges: set[tuple[int, int]], n_unitigs: int) -> list[tuple[int, int, int, int]]:
    """Find pairs of unitigs between the same two vertices, without other neighbours of either."""
    heads = {v: {b for a, b in edges if a == v} for v in range(2 * n_unitigs)}
    tails = {v: {a for a, b in edges if b == v} for v in range(2 * n_unitigs)}
    return sorted(
        (source, one, other, target)
        for source, ones in heads.items()
        for one in ones
        for other in ones
        for target in heads[one]
        if one < other
        and one >> 1 != other >> 1
        and ones == {one, other} == tails[target]
        and tails[one] == tails[other] == {source}
        and heads[one] == heads[other] == {target}
    )


def rarer_alleles(
    edges: set[tuple[int, int]], n_kmers: list[int], kmer_counts: list[int], per_read: int, single: float
) -> list[bool]:
    """Find the rarer of two structural alleles in each simple bubble between two single-copy unitigs.

    Edges are those of `rarer_sides`.
    """
    most = 2**0.5 * single
    least = 250 if single * 250 >= 150 * per_read else min(500, math.ceil(150 * per_read / single))
    depths = [count / n for count, n in zip(kmer_counts, n_kmers, strict=True)]
    found = [False] * len(n_kmers)
    for source, one, other, target in simple_bubbles(edges, len(n_kmers)):
        flanks = source >> 1, target >> 1
        sides = sorted((one >> 1, other >> 1), key=lambda side: (depths[side], n_kmers[side], -side))
        if flanks[0] == flanks[1] or any(n_kmers[flank] < least or depths[flank] > most for flank in flanks):
            continue
        if depths[sides[0]] + depths[sides[1]] > most:
            continue
        rarer, deeper = sides
        variances = [depths[side] * per_read / max(per_read, n_kmers[side]) for side in sides]
        variance = 1.6**2 * variances[0] + variances[1]
        is_usual = depths[deeper] > 1.6 * depths[rarer] + 2 * math.sqrt(variance)
        found[rarer] = found[rarer] or is_usual or abs(n_kmers[deeper] - n_kmers[rarer]) < 1000
    return found
