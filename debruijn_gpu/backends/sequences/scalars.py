"""Count, rank and unrank necklaces: scalar functions of both backends, in plain Python.

Words have n letters 0..k-1. A *necklace* is a word that is the least of its rotations; it is a power of a *Lyndon
word*, its root. A *prenecklace* is a prefix of a necklace, and of a power of its longest Lyndon prefix, whose length is
its *period*. The least de Bruijn sequence is made of the roots of all necklaces in lexicographic order (Fredricksen and
Maiorana, Discrete Math. 23 (1978) 207): the root of N begins after as many letters as there are words with a rotation
below N, since each necklace has as many rotations as its root has letters.

Let A(u) be the number of words without a rotation that begins with less than the prenecklace u. If none begins with
less than a Lyndon word v, then none begins with less than v v; so A(u) depends on the longest Lyndon prefix v of u
alone, with p letters. Read such a word round and round, and keep the length of the longest suffix that is a prefix of
v, but not v itself. In state l the letter v[l] leads to l + 1, or to 0 if v ends there, since v has no border; each of
the k - 1 - v[l] greater ones leads to 0, and no smaller one comes. So A(u) is the number of closed walks of n steps in
this graph. All of its cycles run through state 0, w_i of them with i letters: A(u) is the power sum s_n of

    1 - w_1 z - ... - w_p z^p,    w_i = k - 1 - v[i - 1] for i < p,    w_p = k - v[p - 1],

s_j = w_1 s_(j-1) + w_2 s_(j-2) + ... + w_(j-1) s_1 + j w_j (Newton), where w_i = 0 for i > p. That is n p products,
as many as Kociumaka, Radoszewski and Rytter (SIAM J. Discrete Math. 30 (2016) 2027) and Sawada and Williams (J.
Discrete Algorithms 43 (2017) 95) take.

The functions are plain Python, for integers of any size. `compile_module` makes functions of them whose `number` is
uint64 and which count modulo 2^64, where k^n may be 2^64 at most. What they have in common:

n, last : index
    Letters of a word, and the last letter, k - 1.
length : number
    k^n.
word : (n,), integers
    A necklace; sometimes no more than room for one.
weights, sums : (n + 1,), of numbers
    Room for w_i and s_i; w_0 is not used.
"""

from __future__ import annotations

from debruijn_gpu.backends.sequences.necklace_words import least_rotation, lyndon_length, next_necklace, trailing

#: Types of counts, and of what is k or n at most; in compiled functions uint64 and int64.
number = int
index = int


def trailing_zeros(bits):
    """Zero bits below the lowest one; bits is not 0. Each backend has its own."""
    return (bits & -bits).bit_length() - 1


def products(j, most, weights, sums):
    """w_1 s_(j-1) + w_2 s_(j-2) + ... + w_most s_(j-most)."""
    total = number(0)
    for i in range(1, most + 1):
        total += weights[i] * sums[j - i]
    return total


def extend_sums(first, stop, period, weights, sums):
    """Set s_first to s_(stop - 1), given those before; only w_1 to w_period are not 0."""
    for j in range(first, stop):
        sums[0] = number(j)
        sums[j] = products(j, min(j, period), weights, sums)


def set_series(stop, period, weights, sums):
    """Set ``sums`` to the coefficients 0 to stop - 1 of 1 / (1 - w_1 z - ... - w_period z^period)."""
    sums[0] = number(1)
    for j in range(1, stop):
        sums[j] = products(j, min(j, period), weights, sums)


def count_from(word: list[int], period: int, n: int, last: int, weights: list[int], sums: list[int]) -> int:
    """A of a prenecklace with this period."""
    for i in range(period):
        weights[i + 1] = number(last) - number(word[i])
    weights[period] += number(1)
    extend_sums(1, n + 1, period, weights, sums)
    return sums[n]


def search_letter(least, m, top, n, last, weights, sums):
    """The greatest letter u[m] with A > ``top``, ``least`` (index) or more; w_1 to w_m and s_1 to s_m are set."""
    most = last
    while least < most:
        letter = (least + most + 1) // 2
        weights[m + 1] = number(last - letter + 1)
        extend_sums(m + 1, n + 1, m + 1, weights, sums)
        if sums[n] - number(1) >= top:
            least = letter
        else:
            most = letter - 1
    return least


def find_first_half(top, n, last, word, weights, sums):
    """Letters up to n / 2 of what `find_necklace` finds: each is the greatest with which A > ``top``.

    Returns
    -------
    period : index
    """
    period = 1
    for m in range(n // 2):
        least = index(word[m - period]) if m else index(0)
        letter = search_letter(least, m, top, n, last, weights, sums)
        if letter > least:
            period = m + 1
        word[m] = letter
        weights[m + 1] = number(last - letter)
        extend_sums(m + 1, m + 2, m + 1, weights, sums)
    return period


def find_necklace(top, n, last, word, weights, sums):
    """The last necklace with A > ``top``, which is k^n - 1 - position: the one whose root is at the position.

    A weight beyond w_(n/2) is in s_n at most once, with the factor n h_(n-i), where h is the series 1 / (1 - w_1 z -
    ...): so the letters of the second half are found by division.

    Parameters
    ----------
    top : number
    word : out

    Returns
    -------
    period : index
    """
    half = n // 2
    period = find_first_half(top, n, last, word, weights, sums)
    extend_sums(half + 1, n + 1, half, weights, sums)
    total = sums[n]  # of the weights so far
    set_series(n - half, half, weights, sums)  # h
    for m in range(half, n):
        least = index(word[m - period]) if m else index(0)
        factor = number(n) * sums[n - 1 - m]
        needed = (top - total) // factor if top >= total and factor != number(0) else number(0)  # of w, less 1
        letter = least
        if needed < number(last - least):
            letter = last - index(needed)
            period = m + 1
        word[m] = letter
        total += factor * number(last - letter)
    return period


def place_root(
    length: int, position: int, n: int, last: int, word: list[int], weights: list[int], sums: list[int]
) -> tuple[int, int]:
    """Which root is at a position.

    Parameters
    ----------
    position : number
    word : out

    Returns
    -------
    period, offset : index
        The letters of the root, and how many of them are before the position.
    """
    top = length - number(1) - position
    period = find_necklace(top, n, last, word, weights, sums)
    return period, index(count_from(word, period, n, last, weights, sums) - number(1) - top)


def find_window(
    length: int,
    position: int,
    n: int,
    last: int,
    window: list[int],
    word: list[int],
    weights: list[int],
    sums: list[int],
) -> None:
    """The window at a position.

    A root begins as the one before it, up to the letter before those k - 1 at its end: a window that begins before
    these is a rotation of the necklace.

    Parameters
    ----------
    position : number
    window : out, integers (n,)
    word, weights, sums : room
    """
    left = length - position
    if left - number(1) < number(n):  # the last root ends the round
        for i in range(n):
            window[i] = last if number(i) < left else 0
        return
    period, offset = place_root(length, position, n, last, word, weights, sums)
    own = n if offset + trailing(word, n, last) < period else period - offset
    for i in range(own):
        window[i] = word[(offset + i) % n]
    if own < n:
        next_necklace(word, n, last)
        for i in range(own, n):
            window[i] = word[i - own]


def find_position(
    length: int, window: list[int], n: int, last: int, word: list[int], weights: list[int], sums: list[int]
) -> int:
    """Where a window begins: the inverse of `find_window`.

    If it begins with letters k - 1 that end a necklace, the rest y is a prefix of that necklace, and the first root
    that begins with y follows; the letters before that are k - 1, because it is the first.

    Parameters
    ----------
    window : in, integers (n,)
    word, weights, sums : room

    Returns
    -------
    number
    """
    start = least_rotation(window, n)
    for i in range(n):
        word[i] = window[(start + i) % n]
    if word[0] == last:
        return length - number(n)
    period = lyndon_length(word, n)
    offset = (n - start) % period
    if offset + trailing(word, n, last) < period:
        return length - count_from(word, period, n, last, weights, sums) + number(offset)
    before = period - offset
    n_from = count_from(word, lyndon_length(word, n - before), n, last, weights, sums)
    begin = length if n_from == length else length - n_from  # before the very first root is the end of the round
    return begin - number(before)


def next_packed(word, lasts, n, letter_bits, reciprocal):
    """The prenecklace after one, both of at most 64 bits: the last letter is in the lowest. All are numbers.

    Parameters
    ----------
    word, lasts : number
        A prenecklace, and the word of n letters k - 1, which is another one.
    n : number
    letter_bits : number
    reciprocal : number
        65536 / letter_bits, rounded up, to divide what is below 64.

    Returns
    -------
    word, period : number
    """
    n_dropped = (trailing_zeros(word ^ lasts) * reciprocal) >> number(16)
    step = n_dropped * letter_bits
    word = ((word >> step) + number(1)) << step
    n_bits = n * letter_bits
    step = n_bits - step
    while step < n_bits:
        word |= word >> step
        step += step
    return word, n - n_dropped
