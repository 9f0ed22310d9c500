"""Protocol of the family `sequences`: words, necklaces, shift registers, look-and-say."""

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
        """Translate codes into letters (uint8); ``letters`` is a NumPy array."""

    def pack_symbols(self, codes: Array, n_bits: int) -> Array:
        """Pack codes (below 2 or 4) into ``n_bits`` (1 or 2) each."""

    def unpack_symbols(self, packed: Array, n_bits: int, n_symbols: int, letters: NDArray[np.uint8]) -> Array:
        """Unpack the first ``n_symbols`` packed symbols into letters (uint8).

        The letters 0, 1... give the codes.
        """

    def checksum_bytes(self, data: Array, position: int) -> int:
        """Compute a checksum of bytes (uint8) that adds up over consecutive segments.

        It sums the words (8 bytes, little-endian, the last filled with zeros), each mixed with its number, modulo 2^64.
        The first word has the number ``position // 8``; ``position``, a multiple of 8, is the place of the first byte.
        """

    def extend_words(self, words: Array, n_symbols: int) -> Array:
        """Append each symbol to each word (n_words * n_symbols,); sorted words stay sorted."""

    def quotients(self, words: Array, divisor: int) -> Array:
        """Divide words by a number, rounding down.

        The divisor k^m removes the last m symbols.
        """

    def remainders(self, words: Array, divisor: int) -> Array:
        """Compute the remainders of words by a divisor.

        The divisor k^m leaves the last m symbols.
        """

    def digit_sums(self, words: Array, n_symbols: int) -> Array:
        """Compute the sum of the symbols of each word."""

    def least_rotations(self, words: Array, n_symbols: int, order: int) -> Array:
        """Compute the least rotation (necklace) of each word of ``order`` symbols."""

    def empty_bitmap(self, n_bits: int) -> Array:
        """Create a bitmap without set bits: uint32 (ceil(n_bits / 32),)."""

    def mark_windows(self, windows: Windows, seen: Array) -> int:
        """Set the bits of windows in a bitmap of k^n bits; count repeats.

        A repeat is a window whose bit was set before, by earlier windows or by another of these.
        """

    def first_repeat(self, windows: Windows, seen: Array) -> int:
        """Find the first repeated window, or -1.

        A window is repeated if its bit is set, or if an earlier one of these windows is equal. May set bits of the
        windows.
        """

    def leading_symbols(self, words: Array, n_following: int, dtype: np.dtype[Any]) -> Array:
        """Compute the first symbol of each word (uint32 or uint64), in a given dtype.

        ``n_following`` is k^(n - 1).
        """

    def lyndon_symbols(
        self, n_symbols: int, order: int, start: int, stop: int, letters: NDArray[np.uint8] | None
    ) -> Array:
        """Generate symbols start..stop of the lexicographically least de Bruijn sequence.

        Its length n_symbols^order is at most 2^64. Symbols are ``letters`` (NumPy array) or codes
        (`symbols.code_dtype`).

        Segments are generated independently. The root at the beginning of each is found by counting (see
        `sequences.scalars`), those after it by Duval's algorithm, in constant time on average.
        """

    def register_bits(self, recurrence: Recurrence, state: NDArray[np.uint8], n: int, is_cleared: bool) -> Array:
        """Generate n symbols (at least 1) of a sequence over GF(2), packed as by `SequenceOperations.pack_symbols`.

        The first symbols are ``state`` (recurrence.n,). If ``is_cleared``, the first is 0 instead. For a recurrence of
        n = 1, at most 64 symbols.
        """

    def register_symbols(self, recurrence: Recurrence, state: NDArray[Any], n: int, is_cleared: bool) -> Array:
        """Generate n symbols (recurrence.dtype) of a sequence over GF(q); otherwise as `register_bits`."""

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
        """Combine two cyclic arrays of symbols by a table, place by place.

        Symbol i of n is ``table[first[i] * n_second + second[i]]``, from the start of each on, in the dtype of the
        table.

        Parameters
        ----------
        first, second : uint8, uint16 or uint32
            At least one symbol in each.
        first_start, second_start : int
            Where to begin in them: below their lengths.
        n : int
        n_second : int
            Symbols that ``second`` may have.
        table : ndarray, uint8, uint16 or uint32
            NumPy's.
        """

    def concatenate_symbols(self, first: Array, second: Array) -> Array:
        """Concatenate two arrays of the same dtype."""

    def look_at_term(self, term: Array) -> ReadTerm:
        """Find the runs of a look-and-say term, and the length of the next."""

    def say_term(self, read: ReadTerm) -> Array:
        """Generate the next look-and-say term (uint8)."""


class HostSequenceOperations(SequenceOperations, Protocol):
    """Extend the family by operations of the CPU alone."""

    def lyndon_windows(self, n_symbols: int, order: int, positions: NDArray[np.uint64]) -> NDArray[Any]:
        """Compute the windows (codes, (m, order), uint32) at positions (m,) of the `lyndon_symbols` sequence."""

    def lyndon_positions(self, n_symbols: int, order: int, windows: NDArray[np.uint32]) -> NDArray[np.uint64]:
        """Find the positions of windows (codes, (m, order)) in the `lyndon_symbols` sequence."""

    def extend_long_sums(
        self, first: int, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]
    ) -> None:
        """Extend power sums of any size; see `sequences.scalars.extend_sums`.

        Parameters
        ----------
        weights : ndarray, dtype=uint64, shape=(order + 1,)
            Their sum is below 2^31.
        limbs : ndarray, dtype=uint64, shape=(n_limbs, order + 1)
            32 bits of each sum in each row, the lowest in the first.
        """

    def set_long_series(self, stop: int, period: int, weights: NDArray[np.uint64], limbs: NDArray[np.uint64]) -> None:
        """Set series of any size; see `sequences.scalars.set_series`."""

    def follow_lyndon(
        self, place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None
    ) -> NDArray[Any]:
        """Generate n symbols from a place on, and advance the place.

        The sequence may be of any length, at least up to these symbols.
        """

    def follow_colex(self, place: RootPlace, n_symbols: int, n: int, letters: NDArray[np.uint8] | None) -> NDArray[Any]:
        """Generate n symbols of the grandmama sequence from a place on, and advance it.

        The roots of necklaces are in colexicographic order. After a necklace comes the first of the words with zeros
        before a letter that is one more, and the same letters after it, that is a necklace. (Dragon, Hernandez, Sawada,
        Williams and Wong, Algorithmica 80 (2018) 2105.)
        """

    def skip_colex(self, place: RootPlace, n_symbols: int, n: int) -> None:
        """Advance a place by n symbols."""

    def ring_product(self, ring: Ring, a: Elements, b: Elements) -> Elements:
        """Compute the product of two elements (n,)."""

    def ring_powers(self, ring: Ring, bases: Elements, exponent: NDArray[np.uint8]) -> Elements:
        """Compute one power (n_bits,) of elements (m, n)."""

    def ring_powers_of_x(self, ring: Ring, exponents: NDArray[np.uint8]) -> Elements:
        """Compute x to the power ``exponents[i]`` (m, n_bits)."""

    def ring_windows(self, ring: Ring, elements: Elements) -> Elements:
        """Compute the first n symbols of the sequence of each element (m, n)."""

    def ring_elements(self, ring: Ring, windows: Elements, negated: NDArray[np.int64]) -> Elements:
        """Compute the element that belongs to each window: the inverse of `ring_windows`.

        ``negated`` are the negatives of the coefficients.
        """

    def is_primitive(self, ring: Ring, cofactors: NDArray[np.uint8]) -> bool:
        """Test whether the powers of x are all elements but 0.

        ``cofactors`` are q^n and then (q^n - 1) / r for each prime factor r.
        """

    def make_steps(self, ring: Ring, base: Elements, inverse: Elements, n_steps: int) -> StepTable:
        """Build the table of the first ``n_steps`` powers of an element of prime order.

        The element is of shape (n,).
        """

    def find_logs(
        self, ring: Ring, values: Elements, roots: Elements, prime: int, steps: StepTable, n_steps: int
    ) -> NDArray[np.int64]:
        """Compute logarithms of ``values`` (m, n) to the base g of order prime^e.

        Returns their digits (m, e) to the base ``prime``, the lowest first (Pohlig and Hellman 1978). ``roots[k]`` is
        g^-(prime^k); ``steps`` are those of g^(prime^(e-1)).
        """

    def walk_prefer_same(self, n_symbols: int, order: int, codes: NDArray[Any]) -> None:
        """Write the prefer-same de Bruijn sequence to ``codes`` (k^n,), unsigned.

        Each symbol s is followed by the first of s, s + 1, ... (mod k) that makes a new window; the sequence is rotated
        to begin with the window of zeros.

        It begins at the word n-2, ..., 1, 0 (mod k). The last exits s - 1 of the other words lead there (a word passes
        through a cycle of k of them), so that the greedy walk is an Euler circuit. (Eldert, Gray, Gurk and Rubinoff,
        AIEE Transactions 77, 1958, for two symbols.)
        """

    def walk_at_random(self, n_symbols: int, order: int, seed: int, codes: NDArray[Any]) -> None:
        """Write a uniformly random de Bruijn sequence to ``codes`` (k^n,), unsigned.

        All k!^(k^(n-1)) / k^n sequences have the same probability; each begins with the window of zeros.

        The last exits of the vertices are a uniformly random spanning tree that leads to the word of zeros (Wilson,
        STOC 1996), the others come in random order: each Euler circuit belongs to one such choice (the BEST theorem:
        van Aardenne-Ehrenfest and de Bruijn 1951; Tutte and Smith 1941). Random numbers are `core.scalars.draw`'s.
        """

    def smallest_rotation(self, text: NDArray[np.uint8]) -> int:
        """Find the first start of the lexicographically smallest rotation; 0 if empty.

        O(n) without extra memory: two candidates are compared, and a mismatch rules out all starts from the
        loser's to where it was found (Shiloach 1981, J. Algorithms 2:107; cf. Booth 1980).
        """
