"""Windows of sequences of symbols, the slow and obvious way."""

from __future__ import annotations

import numpy as np


def windows_of(codes: list[int], order: int, linear: bool = True) -> list[tuple[int, ...]]:
    """All windows of a sequence, in order."""
    ends = range(len(codes) - order + 1) if linear else range(len(codes))
    return [tuple(codes[(i + j) % len(codes)] for j in range(order)) for i in ends]


def number_of(window: tuple[int, ...], n_symbols: int) -> int:
    """A window as a number."""
    number = 0
    for code in window:
        number = number * n_symbols + code
    return number


def bitmap_of(numbers: set[int], n_bits: int) -> np.ndarray:
    """A bitmap in words of 32 bits."""
    words = [0] * -(-n_bits // 32)
    for number in numbers:
        words[number // 32] |= 1 << number % 32
    return np.array(words, np.uint32)


def first_repeat(windows: list[tuple[int, ...]], seen: set[tuple[int, ...]] = frozenset()) -> tuple[int, int] | None:
    """The first window that was there before, and where: -1 if it is one of those seen."""
    at: dict[tuple[int, ...], int] = dict.fromkeys(seen, -1)
    for i, window in enumerate(windows):
        if window in at:
            return i, at[window]
        at[window] = i
    return None


def pack(codes: list[int], n_bits: int) -> np.ndarray:
    """Symbols in bytes, the first in the highest bits."""
    bits = "".join(f"{code:0{n_bits}b}" for code in codes)
    bits += "0" * (-len(bits) % 8)
    return np.array([int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)], np.uint8)
