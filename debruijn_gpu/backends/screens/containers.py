"""Containers of queries: an indexed table of k-mers, and what records of a query share with samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.backends.core.array_types import Array, Codes, Counts, Longs

#: Value of positions at which no k-mer of the table begins
ABSENT = (1 << 32) - 1


@dataclass(frozen=True)
class KmerValues:
    """A sorted table of k-mers, a value for each, and an index of their leading bits.

    Attributes
    ----------
    k : int
    canonical : bool
        Whether a k-mer stands for its reverse complement, too.
    codes : array of a backend, dtype=uint64, shape=(words, n)
        Ascending and distinct, see `KmerTable`.
    values : array of a backend, dtype=uint32, shape=(n,)
        Below `ABSENT`.
    starts : array of a backend, dtype=int64 or uint32, shape=(2^n_bits + 1,)
        First k-mer with each value of the first ``n_bits`` bits, or with a greater one.
    n_bits : np.uint64
    top_bits : np.uint64
        Bits that word 0 uses.
    """

    k: int
    canonical: bool
    codes: Array
    values: Array
    starts: Array
    n_bits: np.uint64
    top_bits: np.uint64


@dataclass(frozen=True)
class SampleSets:
    """Colour sets: which samples have a k-mer.

    Attributes
    ----------
    n_samples : int
    ptr : ndarray, dtype=int64, shape=(n_sets + 1,)
        Set i is ``members[ptr[i]:ptr[i + 1]]``, ascending.
    members : ndarray, dtype=uint32
    bits : ndarray, dtype=uint64, shape=(n_sets, ceil(n_samples / 64)), or (0, 0)
        Bit j % 64 of word j // 64 of each set is for sample j. Empty where lists are faster: for small sets of many
        samples.
    """

    n_samples: int
    ptr: Longs
    members: Counts
    bits: Codes

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
