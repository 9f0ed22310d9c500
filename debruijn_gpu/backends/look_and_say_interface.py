"""What a backend does to say a number: "111221" is "three 1, two 2, one 1", hence "312211".

A term is its digits as text (uint8, ``0`` to ``9``). A run is as many equal digits as stand together; what is said of
it are the decimal digits of its length and then its digit. Ten or more in a run are rare: after the first step there
are four together at most, unless a run had a length such as 111.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from debruijn_gpu.backends.arrays.protocol import Array


@dataclass(frozen=True)
class ReadTerm:
    """A term whose runs were looked at.

    Attributes
    ----------
    term : array, dtype=uint8
    n_said : int
        Digits of what is said of it.
    places : tuple
        What the backend has noted to write them.
    """

    term: Array
    n_said: int
    places: tuple[Any, ...]


class LookAndSayBackend(Protocol):
    """A module with these names."""

    def look_at_term(self, term: Array) -> ReadTerm:
        """Look at the runs of a term, of any length. So it is known how long the next term is before it is made."""

    def say_term(self, read: ReadTerm) -> Array:
        """What is said of a term (uint8)."""
