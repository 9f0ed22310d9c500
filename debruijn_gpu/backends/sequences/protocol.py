"""Protocol of the family `sequences`."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import (
    Elements,
    ReadTerm,
    Recurrence,
    Ring,
    RootPlace,
    StepTable,
    Windows,
)


class SequenceOperations(Protocol):
    """Generate and analyse words, necklaces, shift-register sequences and look-and-say terms."""

    def translate_symbols(self, codes: Array, letters: NDArray[np.uint8]) -> Array:
        """The letter (uint8) of each code; ``letters`` is NumPy's."""

    def pack_symbols(self, codes: Array, n_bits: int) -> Array:
        """Codes (below 2 or 4) packed, ``n_bits`` (1 or 2) each."""

    def unpack_symbols(self, packed: Array, n_bits: int, n_symbols: int, letters: NDArray[np.uint8]) -> Array:
        """The letters (uint8) of the first ``n_symbols`` packed symbols; letters 0, 1... give the codes."""

    def checksum_bytes(self, data: Array, position: int) -> int:
        """A sum over the words (8 bytes, little-endian, the last filled with zeros) of some bytes (uint8), each mixed
        with its number, ``position // 8`` for the first, modulo 2^64: of consecutive pieces it adds up to that of the
        whole. ``position`` is the place of the first byte, a multiple of 8."""

    def extend_words(self, words: Array, n_symbols: int) -> Array:
        """Each word with each symbol behind it (n_words * n_symbols,), in order if the words are."""

    def quotients(self, words: Array, divisor: int) -> Array:
        """Words divided by a number, rounded down: of k^m, the words without their last m symbols."""

    def remainders(self, words: Array, divisor: int) -> Array:
        """What is left of words divided by a number: of k^m, their last m symbols."""

    def digit_sums(self, words: Array, n_symbols: int) -> Array:
        """Sum of the symbols of each word."""

    def least_rotations(self, words: Array, n_symbols: int, order: int) -> Array:
        """The least rotation of each word, of ``order`` symbols: its necklace."""

    def empty_bitmap(self, n_bits: int) -> Array:
        """A bitmap without bits set: uint32 (ceil(n_bits / 32),)."""

    def mark_windows(self, windows: Windows, seen: Array) -> int:
        """Set the bits of windows in a bitmap of k^n bits; how many were set already, by windows before these or by
        others of these."""

    def first_repeat(self, windows: Windows, seen: Array) -> int:
        """The first of the windows whose bit is set already, or that is the same as one of these before it; -1 if
        there is none. May set bits of the windows."""

    def leading_symbols(self, words: Array, n_following: int, dtype: np.dtype[Any]) -> Array:
        """The first symbol of each word (uint32 or uint64) as an array of a dtype; ``n_following`` is k^(n - 1)."""

    def lyndon_symbols(
        self, n_symbols: int, order: int, start: int, stop: int, letters: NDArray[np.uint8] | None
    ) -> Array:
        """The symbols at start..stop of the lexicographically least de Bruijn sequence, whose length n_symbols^order is
        2^64 at most: ``letters`` (NumPy's), or codes (`symbols.code_dtype`).

        It is made in pieces. The root at the beginning of each is found by counting (see `sequences.scalars`), those
        after it by Duval's algorithm, in constant time on average.
        """

    def register_bits(self, recurrence: Recurrence, state: NDArray[np.uint8], n: int, is_cleared: bool) -> Array:
        """n symbols (at least 1) of a sequence over GF(2), packed as `SequenceOperations.pack_symbols` does, from its
        first ones on, ``state`` (recurrence.n,). If ``is_cleared``, the first is 0 instead. For a recurrence of n = 1,
        at most 64 symbols."""

    def register_symbols(self, recurrence: Recurrence, state: NDArray[Any], n: int, is_cleared: bool) -> Array:
        """n symbols (recurrence.dtype) of a sequence over GF(q); else as `register_bits`."""

    def combine_symbols(
        self,
        first: Array,
        first_start: int,
        second: Array,
        second_start: int,
        n: int,
        n_second: int,
        table: NDArray[Any],
    ) -> Array:
        """Two circles of symbols made one: ``table[first[i] * n_second + second[i]]`` for n places i, from a place in
        each on, in the dtype of the table.

        Parameters
        ----------
        first, second : uint8, uint16 or uint32
            At least one symbol each.
        first_start, second_start : int
            Where to begin in them: below their lengths.
        n : int
        n_second : int
            Symbols that ``second`` may have.
        table : ndarray, uint8, uint16 or uint32
            NumPy's.
        """

    def join_symbols(self, first: Array, second: Array) -> Array:
        """One array and then the other, of the same dtype."""

    def look_at_term(self, term: Array) -> ReadTerm:
        """Look at the runs of a term, of any length. So it is known how long the next term is before it is made."""

    def say_term(self, read: ReadTerm) -> Array:
        """What is said of a term (uint8)."""


class HostSequenceOperations(SequenceOperations, Protocol):
    """The same, and what only the CPU does."""

    def lyndon_windows(self, n_symbols: int, order: int, positions: NDArray[np.uint64]) -> NDArray[Any]:
        """The windows (codes, (m, order), uint32) at some positions (m,) of the sequence of `lyndon_symbols`."""

    def lyndon_positions(self, n_symbols: int, order: int, windows: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """Where windows (codes, (m, order)) begin in it."""

    def extend_long_sums(
        self, first: int, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]
    ) -> None:
        """`sequences.scalars.extend_sums` for sums of any size.

        Parameters
        ----------
        weights : ndarray, dtype=uint64, shape=(order + 1,)
            Their sum is below 2^31.
        limbs : ndarray, dtype=uint64, shape=(n_limbs, order + 1)
            32 bits of each sum in each row, the lowest in the first.
        """

    def set_long_series(self, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]) -> None:
        """`sequences.scalars.set_series` likewise."""

    def follow_lyndon(
        self, place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None
    ) -> NDArray[Any]:
        """The n symbols from a place on, in a sequence of any length that goes on so far. The place becomes the one
        behind them."""

    def follow_colex(self, place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None) -> NDArray[Any]:
        """The same for the roots of necklaces in colexicographic order: the grandmama sequence.

        After a necklace comes the first of the words with zeros before a letter that is one more, and the same letters
        after it, that is a necklace. (Dragon, Hernandez, Sawada, Williams and Wong, Algorithmica 80 (2018) 2105.)
        """

    def skip_colex(self, place: RootPlace, n_symbols: int, n: int) -> None:
        """Bring a place n symbols further."""

    def ring_product(self, ring: Ring, a: Elements, b: Elements) -> Elements:
        """The product of two elements (n,)."""

    def ring_powers(self, ring: Ring, bases: Elements, exponent: NDArray[np.uint8]) -> Elements:
        """Elements (m, n) to one power (n_bits,)."""

    def ring_powers_of_x(self, ring: Ring, exponents: NDArray[np.uint8]) -> Elements:
        """x to the power ``exponents[i]`` (m, n_bits)."""

    def ring_windows(self, ring: Ring, elements: Elements) -> Elements:
        """The first n symbols of the sequence of each element (m, n)."""

    def ring_elements(self, ring: Ring, windows: Elements, negated: NDArray[np.int64]) -> Elements:
        """The element to which each window belongs: the inverse of `ring_windows`. ``negated`` are the negatives of the
        coefficients."""

    def is_primitive(self, ring: Ring, cofactors: NDArray[np.uint8]) -> bool:
        """Whether the powers of x are all elements but 0. ``cofactors`` are q^n and then (q^n - 1) / r for each prime
        factor r."""

    def make_steps(self, ring: Ring, base: Elements, inverse: Elements, n_steps: int) -> StepTable:
        """The table of the first ``n_steps`` powers of an element (n,) of prime order."""

    def find_logs(
        self, ring: Ring, values: Elements, roots: Elements, prime: int, steps: StepTable, n_steps: int
    ) -> NDArray[np.int64]:
        """Logarithms of ``values`` (m, n) to the base g of order prime^e: their digits (m, e) to the base ``prime``,
        the lowest first (Pohlig and Hellman 1978). ``roots[k]`` is g^-(prime^k); ``steps`` are those of
        g^(prime^(e-1))."""

    def walk_prefer_same(self, n_symbols: int, order: int, codes: NDArray[Any]) -> None:
        """The de Bruijn sequence in which each symbol s is followed by the first of s, s + 1, ... (mod k) that makes a
        new window; written to ``codes`` (k^n,), unsigned, beginning with the window of zeros.

        It begins at the word n-2, ..., 1, 0 (mod k). The last exits s - 1 of the other words lead there (a word goes
        through a cycle of k of them), so that the greedy walk is an Euler circuit. (Eldert, Gray, Gurk and Rubinoff,
        AIEE Transactions 77, 1958, for two symbols.)
        """

    def walk_at_random(self, n_symbols: int, order: int, seed: int, codes: NDArray[Any]) -> None:
        """One of all k!^(k^(n-1)) / k^n de Bruijn sequences, each with the same probability; written to ``codes``
        (k^n,), unsigned, beginning with the window of zeros.

        The last exits of the vertices are a uniformly random spanning tree that leads to the word of zeros (Wilson,
        STOC 1996), the others come in random order: each Euler circuit belongs to one such choice (the BEST theorem:
        van Aardenne-Ehrenfest and de Bruijn 1951; Tutte and Smith 1941). Random numbers are `core.scalars.draw`'s.
        """

    def smallest_rotation(self, text: NDArray[np.uint8]) -> int:
        """Start of the lexicographically smallest rotation of a circle, the first of several; 0 if empty.

        O(n) without extra memory: two candidates are compared, and a mismatch rules out all starts from the
        loser's to where it was found (Shiloach 1981, J. Algorithms 2:107; cf. Booth 1980).
        """
