"""Slow, obvious twins of the operations on fixed-point vectors."""

from __future__ import annotations

from itertools import product

import numpy as np


def distances(vectors, weights, distance):
    """All distances, as Python integers: squared Euclidean, or taxicab."""
    power = 2 if distance == "euclidean" else 1
    return [
        [sum(abs(int(a) - int(b)) ** power for a, b in zip(vector, unit, strict=True)) for unit in weights]
        for vector in vectors
    ]


def best_matching_units(vectors, weights, distance):
    """The first of the nearest units of each vector, and its distance."""
    rows = distances(vectors, weights, distance)
    return [row.index(min(row)) for row in rows], [min(row) for row in rows]


def sum_by_unit(vectors, units, n_units, one):
    """Sums of the vectors of each unit, and their numbers."""
    d = vectors.shape[1]
    sums = [[0] * (d + 1) for _ in range(n_units)]
    for vector, unit in zip(vectors, units, strict=True):
        for k, value in enumerate([*map(int, vector), one]):
            sums[unit][k] += value
    return sums


def smooth(sums, shape, table, is_torus, shift):
    """Weighted sums over the distances along the middle axis."""
    outer, length, inner = shape
    lines = np.array(sums, object).reshape(shape)
    smoothed = np.zeros(shape, object)
    for i, j, k, other in product(range(outer), range(length), range(inner), range(length)):
        gap = abs(j - other)
        gap = min(gap, length - gap) if is_torus else gap
        smoothed[i, j, k] += (int(table[gap]) if gap < len(table) else 0) * lines[i, other, k]
    rounded = [(value + ((1 << shift) >> 1)) >> shift for value in smoothed.ravel()]
    return np.array(rounded, object).reshape(np.shape(sums)).tolist()


def move_weights(sums, weights, one_bits, least):
    """Means of the vectors of each unit; the old weights where these are too few."""
    moved = []
    for row, old in zip(sums, weights, strict=True):
        number = (int(row[-1]) + ((1 << one_bits) >> 1)) >> one_bits
        means = old if number < least else [(int(value) + number // 2) // number for value in row[:-1]]
        moved.append(list(map(int, means)))
    return moved


def reverse_complement(text):
    """Of a text of A, C, G and T."""
    return text[::-1].translate(str.maketrans("ACGT", "TGCA"))


def count_words(text, start, end):
    """Count each word of four letters, in alphabetical order, inside a window; other letters than ACGT break them."""
    words = [text[i : i + 4] for i in range(start, end - 3)]
    return [words.count("".join(letters)) for letters in product("ACGT", repeat=4)]


def canonical_counts(text):
    """Count words of four letters and their reverse complements together, in the order of the first of both."""
    words = sorted({min(word, reverse_complement(word)) for word in map("".join, product("ACGT", repeat=4))})
    both = [text[i : i + 4] for i in range(len(text) - 3)]
    return [sum(word in (each, reverse_complement(each)) for each in both) for word in words]
