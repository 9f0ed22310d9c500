"""What a backend does to walk the de Bruijn graph of (n-1)-words by the order of each vertex's exits.

A vertex is a word of n - 1 symbols, read as a number in base k; exit s leads to the word without its first symbol and
with s at its end. These walks are sequential: each step depends on all before it. The CPU alone has them.
"""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray


class ExitBackend(Protocol):
    """A module with these names."""

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
        van Aardenne-Ehrenfest and de Bruijn 1951; Tutte and Smith 1941). Random numbers are `scalars.draw`'s.
        """
