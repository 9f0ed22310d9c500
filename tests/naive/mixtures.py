"""Genomes of unitigs in a mixture, the slow and obvious way."""

from __future__ import annotations

import math
from collections.abc import Sequence


def parts_of(
    edges: set[tuple[int, int]], n_kmers: Sequence[int], counts: Sequence[int], depth: float, parts: Sequence[int]
) -> list[int]:
    """Walk from each long rare unitig through all that is not long and deep."""
    found = [parts[0] if parts else 1000] * len(n_kmers)
    deeper = found[0]
    for part in parts[1:]:
        deep, rare = depth * deeper / 1000, depth * part / 1000
        depths = [count / n for count, n in zip(counts, n_kmers, strict=True)]
        is_rare = [one < max(deep / 2, math.sqrt(deep * rare)) for one in depths]
        is_open = [below or n < 2000 for below, n in zip(is_rare, n_kmers, strict=True)]
        waiting = [u for u, n in enumerate(n_kmers) if n >= 500 and is_rare[u] and depths[u] * 1.6 < deep]
        seen = set(waiting)
        while waiting:
            u = waiting.pop()
            found[u] = part
            near = {b >> 1 for a, b in edges if a >> 1 == u} | {a >> 1 for a, b in edges if b >> 1 == u}
            new = {v for v in near if is_open[v]} - seen
            seen |= new
            waiting += new
        deeper = part
    return found
