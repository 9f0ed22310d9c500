"""The container of packed sequences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array


@dataclass(frozen=True)
class PackedSequences:
    """DNA sequences of 2 bits a base, in arrays of a backend.

    Attributes
    ----------
    offsets : Array, dtype=int64, shape=(n + 1,)
        Sequence i is the bases ``offsets[i]`` to ``offsets[i + 1]``.
    bases : Array, dtype=uint64, shape=(ceil(offsets[n] / 32),)
        Two-bit codes (A 0, C 1, G 2, T 3), 32 a word, the first base in the highest bits; sequences follow each other
        without a gap. Unused low bits are 0.
    """

    offsets: Array
    bases: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def moved(self, move: Callable[[Array], Array]) -> PackedSequences:
        """Move every array, by `to_device` or `to_host` of a backend."""
        return PackedSequences(move(self.offsets), move(self.bases))
