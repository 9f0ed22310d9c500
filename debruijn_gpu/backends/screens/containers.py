"""Containers of queries: an indexed table of k-mers, and what records of a query share with samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs

#: Value of positions at which no k-mer of the table begins
ABSENT = (1 << 32) - 1


class KmerParts(Protocol):
    """Sorted k-mers of the host, a value for each, which are read in parts.

    Attributes
    ----------
    largest : int
        Largest value, or more; below `ABSENT`. The memory of an index rises with it: numbers of colour sets are fine,
        hashes are not.
    """

    @property
    def largest(self) -> int: ...

    def __len__(self) -> int:
        """Number of k-mers."""

    def read(self, n_bits: int) -> Iterator[tuple[Codes, Counts]]:
        """Yield codes, uint64 (words, n), ascending from part to part, and values, uint32 (n,).

        K-mers with equal first ``n_bits`` bits are in one part.
        """


@dataclass(frozen=True)
class KmerValues:
    """An indexed table of k-mers with a value for each.

    Attributes
    ----------
    k : int
    canonical : bool
        Whether a k-mer stands for its reverse complement, too.
    tables : tuple
        Arrays and numbers that `ScreenOperations.look_up_reads` of the same backend takes.
    """

    k: int
    canonical: bool
    tables: tuple[Any, ...]


@dataclass(frozen=True)
class SampleSets:
    """Colour sets: which samples have a k-mer.

    Attributes
    ----------
    n_samples : int
    ptr : ndarray, dtype=int64, shape=(n_sets + 1,), or (1,) where there are bits
        Set i is ``members[ptr[i]:ptr[i + 1]]``, ascending.
    members : ndarray, dtype=uint32
        Empty where there are bits.
    bits : ndarray, dtype=uint64, shape=(n_sets, ceil(n_samples / 64)), or (0, 0)
        Bit j % 64 of word j // 64 of each set is for sample j. Empty where lists are faster: for small sets of many
        samples.
    """

    n_samples: int
    ptr: Longs
    members: Counts
    bits: Codes

    def __len__(self) -> int:
        """Number of sets."""
        return len(self.bits) or len(self.ptr) - 1

    @property
    def arrays(self) -> tuple[Longs, Counts, Codes]:
        """Return what kernels take."""
        return self.ptr, self.members, self.bits


@dataclass(frozen=True)
class ColorTally:
    """K-mers of records that are in samples.

    Attributes
    ----------
    n_kmers, n_indexed : ndarray, dtype=int64, shape=(n,)
        K-mers of each record without ambiguous bases, and those that are in any sample.
    hit_ptr : ndarray, dtype=int64, shape=(n + 1,)
        Hits of record i are ``hit_ptr[i]:hit_ptr[i + 1]``.
    samples, n_matched : ndarray, dtype=int64, shape=(n_hits,)
        Sample of each hit, ascending within a record, and the k-mers of the record that are in it.
    """

    n_kmers: Longs
    n_indexed: Longs
    hit_ptr: Longs
    samples: Longs
    n_matched: Longs


@dataclass(frozen=True)
class Names:
    """Names as bytes of a text.

    Attributes
    ----------
    text : ndarray, dtype=uint8
    spans : ndarray, dtype=int64, shape=(2 n,)
        First byte of each name, and the byte behind it.
    """

    text: np.ndarray[tuple[int], np.dtype[np.uint8]]
    spans: Longs

    @property
    def lengths(self) -> Longs:
        """Bytes of each name."""
        return self.spans[1::2] - self.spans[::2]

    @classmethod
    def of(cls, names: list[bytes]) -> Names:
        """Concatenate names."""
        ends = np.cumsum([0, *map(len, names)])
        return cls(
            np.frombuffer(bytearray(b"".join(names) + b"\n"), np.uint8), np.stack([ends[:-1], ends[1:]]).T.ravel()
        )
