"""Following linked lists against a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debruijn_gpu.backends import cpu


def naive_lists(successor: list[int]) -> list[tuple[list[int], bool]]:
    n = len(successor)
    heads = sorted(set(range(n)) - set(successor))
    lists, seen = [], set()
    for first in [*heads, *range(n)]:
        if first in seen:
            continue
        items, item = [], first
        while item != n and item not in seen:
            items.append(item)
            seen.add(item)
            item = successor[item]
        lists.append((items, first not in heads))
    return lists


def check(successor: np.ndarray) -> None:
    offsets, items, circular = cpu.follow_lists(successor)
    found = [(items[a:b].tolist(), bool(c)) for a, b, c in zip(offsets[:-1], offsets[1:], circular, strict=True)]
    assert found == naive_lists(successor.tolist())


def random_lists(rng: np.random.Generator, n: int, n_ends: int) -> np.ndarray:
    """A random permutation of which some arcs are cut."""
    successor = rng.permutation(n)
    successor[rng.choice(n, min(n, n_ends), replace=False)] = n
    return successor.astype(np.uint32)


@settings(max_examples=100)
@given(n=st.integers(0, 60), n_ends=st.integers(0, 20), seed=st.integers(0, 999))
def test_any_lists(n, n_ends, seed):
    check(random_lists(np.random.default_rng(seed), n, n_ends))


@pytest.mark.parametrize("n_ends", [0, 1, 100, 100_000])
def test_many_items(n_ends):
    check(random_lists(np.random.default_rng(1), 100_000, n_ends))


def test_long_lists_in_order():
    n = 50_000
    check(np.arange(1, n + 1, dtype=np.uint32))
    check(np.roll(np.arange(n), 1).astype(np.uint32))


def test_wide_items():
    check(random_lists(np.random.default_rng(2), 1000, 10).astype(np.uint64))
