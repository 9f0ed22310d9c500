"""Results of the verification of a sequence of symbols."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.sequences.symbols import Symbols


def sequence_length(n_symbols: int, order: int, linear: bool) -> int:
    """Symbols of a de Bruijn sequence, one that goes round or a linear one."""
    return int(n_symbols**order) + (order - 1 if linear else 0)


@dataclass(frozen=True)
class Repeat:
    """A window that was there before.

    Attributes
    ----------
    position, earlier : int
        Where it begins, and where it began before; both from 0.
    window : ndarray, shape=(order,)
        Its symbols.
    """

    position: int
    earlier: int
    window: NDArray[Any]


@dataclass(frozen=True)
class Verdict:
    """Whether a sequence is a de Bruijn sequence, and its fault if not.

    Attributes
    ----------
    n_symbols, order, linear
        What it was taken for.
    n_read : int
        Symbols that it has.
    repeat : Repeat or None
        The first window that was there before.
    n_missing : int
        Words that are not there.
    missing : ndarray, shape=(at most n_missing, order)
        The least of these.
    """

    n_symbols: int
    order: int
    linear: bool
    n_read: int
    repeat: Repeat | None
    n_missing: int
    missing: NDArray[Any]

    @property
    def n_expected(self) -> int:
        """Symbols that it should have."""
        return sequence_length(self.n_symbols, self.order, self.linear)

    @property
    def ok(self) -> bool:
        """Whether it is one."""
        return self.n_read == self.n_expected and self.repeat is None

    def describe(self, symbols: Symbols) -> str:
        """All this in a line."""
        if self.ok:
            symbols_each = f"{self.order} symbols" if self.order > 1 else "1 symbol"
            return f"yes: each of the {self.n_symbols**self.order:,} words of {symbols_each} is there once"
        faults = []
        if self.n_read != self.n_expected:
            faults.append(f"{self.n_read:,} symbols, not {self.n_expected:,}{self._other_form()}")
        if self.repeat is not None:
            window = symbols.spell(self.repeat.window)
            faults.append(f"{window} at {self.repeat.position:,} was at {self.repeat.earlier:,} before")
        if self.n_missing:
            words = ", ".join(symbols.spell(word) for word in self.missing)
            missing = counted(self.n_missing, "word is", "words are")
            more = "" if self.n_missing == len(self.missing) else ", ..."
            faults.append(f"{missing} missing: {words}{more}")
        return "no: " + "; ".join(faults)

    def _other_form(self) -> str:
        """Note for a sequence whose length is right in the other form (linear or cyclic)."""
        other = replace(self, linear=not self.linear)
        return (
            f" (a {'linear' if other.linear else 'cyclic'} one has so many)" if self.n_read == other.n_expected else ""
        )
