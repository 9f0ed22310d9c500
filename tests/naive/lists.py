"""Linked lists followed by a loop."""

from __future__ import annotations


def lists(successor: list[int]) -> list[tuple[list[int], bool]]:
    """The items of each list and whether it is a cycle, as `CircuitOperations.rank_lists` orders them."""
    n = len(successor)
    heads = set(range(n)) - set(successor)
    found, seen = [], set()
    for first in [*sorted(heads), *range(n)]:
        if first in seen:
            continue
        items, item = [], first
        while item != n and item not in seen:
            items.append(item)
            seen.add(item)
            item = successor[item]
        found.append((items, first not in heads))
    return found
