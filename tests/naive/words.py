"""Words over an alphabet, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, product

Word = tuple[int, ...]


def all_words(n_symbols: int, order: int) -> list[Word]:
    return list(product(range(n_symbols), repeat=order))


def number(word: Sequence[int], n_symbols: int) -> int:
    value = 0
    for symbol in word:
        value = value * n_symbols + symbol
    return value


def letters(value: int, n_symbols: int, order: int) -> Word:
    return tuple(value // n_symbols ** (order - 1 - i) % n_symbols for i in range(order))


def rotations(word: Word) -> list[Word]:
    return [word[i:] + word[:i] for i in range(len(word))]


def has_factor(word: Sequence[int], factors: Iterable[Sequence[int]]) -> bool:
    word = tuple(word)
    return any(word[i : i + len(f)] == tuple(f) for f in factors for i in range(len(word) - len(f) + 1))


def longest_run(word: Sequence[int]) -> int:
    longest = run = 1
    for one, other in pairwise(word):
        run = run + 1 if one == other else 1
        longest = max(longest, run)
    return longest


def windows(codes: Sequence[int], order: int, cyclic: bool = True) -> list[Word]:
    """The windows of a sequence; of a cyclic one as many as it has symbols."""
    codes = [int(code) for code in codes]
    n = len(codes) if cyclic else len(codes) - order + 1
    return [tuple(codes[(i + j) % len(codes)] for j in range(order)) for i in range(n)]


def reverse_complement(word: Word) -> Word:
    return tuple(3 - symbol for symbol in reversed(word))
