"""De Bruijn sequences as sorted Lyndon words."""

from __future__ import annotations

from itertools import product


def roots(n_symbols: int, order: int, colex: bool = False) -> list[tuple[int, ...]]:
    """The root of each necklace: these in lexicographic order, or in colexicographic."""
    words = product(range(n_symbols), repeat=order)
    necklaces = [word for word in words if all(word <= word[i:] + word[:i] for i in range(order))]
    if colex:
        necklaces.sort(key=lambda word: word[::-1])
    periods = [next(p for p in range(1, order + 1) if word == word[p:] + word[:p]) for word in necklaces]
    return [word[:period] for word, period in zip(necklaces, periods, strict=True)]


def sequence(n_symbols: int, order: int, colex: bool = False) -> list[int]:
    """All roots one after another."""
    return [symbol for root in roots(n_symbols, order, colex) for symbol in root]


def windows(symbols: list[int], order: int) -> list[list[int]]:
    """The windows of a round, one for each symbol."""
    n_rounds = -(-order // len(symbols))
    longer = symbols + symbols * n_rounds
    return [longer[i : i + order] for i in range(len(symbols))]
