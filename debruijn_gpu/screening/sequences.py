"""Reference sequences of a screen: what is indexed, and what a saved index holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD
from debruijn_gpu.backends.reads.protocol import ReadBatch

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class ReferenceSequences:
    """Packed sequences without ambiguous bases, each of at least k bases, of named references.

    Attributes
    ----------
    k : int
    names : tuple of str
        Of the references.
    bases : ndarray, dtype=uint64
        Packed as in `ReadBatch`.
    starts : ndarray, dtype=int64, shape=(n + 1,)
        First base of each sequence, ascending; the last entry is the number of bases.
    stops : ndarray, dtype=int64, shape=(n,)
        Base behind each sequence.
    owners : ndarray, dtype=int64, shape=(n,)
        Reference of each sequence.
    """

    k: int
    names: tuple[str, ...]
    bases: NDArray[np.uint64]
    starts: Longs
    stops: Longs
    owners: Longs

    @property
    def n_bases(self) -> int:
        """Bases of all sequences."""
        return int((self.stops - self.starts[:-1]).sum())

    @property
    def n_kmers(self) -> int:
        """K-mers of all sequences, repeated ones included."""
        return self.n_bases - (self.k - 1) * len(self.stops)


@dataclass(frozen=True)
class ReferencePart:
    """Records of a reference file, in memory of the host, and the reference (int64) of each."""

    batch: ReadBatch
    owners: Longs


def unambiguous_intervals(batch: ReadBatch, least_bp: int) -> tuple[Longs, Longs, Longs]:
    """Find the intervals without ambiguous bases, of at least some length: row, start and stop of each."""
    offsets, breaks = batch.offsets, batch.ambiguous_positions
    starts = np.sort(np.concatenate([offsets[:-1], breaks + 1]), kind="stable")
    stops = np.sort(np.concatenate([offsets[1:], breaks]), kind="stable")
    is_long = stops - starts >= least_bp
    starts, stops = starts[is_long], stops[is_long]
    return np.searchsorted(offsets, starts, side="right") - 1, starts, stops


def concatenate_parts(names: Iterable[str], parts: Iterable[ReferencePart], k: int) -> ReferenceSequences:
    """Concatenate parts of references, each from the start of a word on."""
    words, starts, stops, owners = [np.empty(0, np.uint64)], list[Longs](), list[Longs](), list[Longs]()
    n_bases = 0
    for part in parts:
        rows, first, behind = unambiguous_intervals(part.batch, k)
        starts.append(first + n_bases)
        stops.append(behind + n_bases)
        owners.append(part.owners[rows])
        words.append(part.batch.bases)
        n_bases += BASES_PER_WORD * len(part.batch.bases)
    starts.append(np.array([n_bases], np.int64))
    none = [np.empty(0, np.int64)]
    return ReferenceSequences(
        k,
        tuple(names),
        np.concatenate(words),
        np.concatenate(starts),
        np.concatenate([*none, *stops]),
        np.concatenate([*none, *owners]),
    )


def merge_sequences(found: Sequence[ReferenceSequences]) -> ReferenceSequences:
    """Concatenate the sequences of several files, all of one k."""
    n_bases = np.cumsum([0, *(BASES_PER_WORD * len(one.bases) for one in found)])
    n_names = np.cumsum([0, *(len(one.names) for one in found)])
    starts = [one.starts[:-1] + before for one, before in zip(found, n_bases, strict=False)]
    return ReferenceSequences(
        found[0].k,
        tuple(name for one in found for name in one.names),
        np.concatenate([one.bases for one in found]),
        np.concatenate([*starts, n_bases[-1:]]),
        np.concatenate([one.stops + before for one, before in zip(found, n_bases, strict=False)]),
        np.concatenate([one.owners + before for one, before in zip(found, n_names, strict=False)]),
    )
