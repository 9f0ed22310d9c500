"""Necklaces letter by letter: scalar functions of both backends, in plain Python; see `scalars`."""

from __future__ import annotations


def lyndon_length(word, n):
    """The period of a prenecklace of n letters."""
    period = 1
    for i in range(1, n):
        if word[i] != word[i - period]:
            period = i + 1
    return period


def next_necklace(word, n, last):
    """Advance a necklace to the next one; return its period, 0 after the last necklace.

    (Duval, Theoret. Comput. Sci. 60 (1988) 255.)
    """
    while True:
        period = n
        while period and word[period - 1] == last:
            period -= 1
        if not period:
            return 0
        word[period - 1] += 1
        for i in range(period, n):
            word[i] = word[i - period]
        if n % period == 0:
            return period


def trailing(word, n, letter):
    """Count the copies of a letter at the end of a word."""
    count = 0
    while count < n and word[n - 1 - count] == letter:
        count += 1
    return count


def least_rotation(window, n):
    """Where the least rotation of a word begins (Shiloach, J. Algorithms 2 (1981) 107)."""
    one, other, same = 0, 1, 0
    while one < n and other < n and same < n:
        a, b = window[(one + same) % n], window[(other + same) % n]
        if a == b:
            same += 1
        else:
            if a > b:
                one += same + 1
            else:
                other += same + 1
            if one == other:
                other += 1
            same = 0
    return min(one, other)
