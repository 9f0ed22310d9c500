"""Walks by the order of exits, the slow and obvious way."""

from __future__ import annotations


def prefer_same(n_symbols: int, order: int) -> list[int]:
    """Begin with n-1, ..., 1, 0 (mod k), going down to its last; append the first of s, s + 1, ... that makes a new
    window, until none does. Rotated to begin with zeros."""
    word = [(order - 2 - place) % n_symbols for place in range(order - 1)]
    symbols, seen = list(word), set()
    while True:
        last = symbols[-1] if symbols and order > 1 else 0
        for step in range(n_symbols):
            window = (*symbols[len(symbols) - order + 1 :], (last + step) % n_symbols)
            if window not in seen:
                break
        else:
            break
        seen.add(window)
        symbols.append(window[-1])
    return rotated(symbols[order - 1 :], order)


def rotated(symbols: list[int], order: int) -> list[int]:
    """The cyclic sequence from its window of zeros on."""
    start = windows(symbols, order).index((0,) * order)
    return symbols[start:] + symbols[:start]


def windows(symbols: list[int], order: int) -> list[tuple[int, ...]]:
    """The windows of a cyclic sequence."""
    round_and_more = symbols * (1 + order)
    return [tuple(round_and_more[at : at + order]) for at in range(len(symbols))]
