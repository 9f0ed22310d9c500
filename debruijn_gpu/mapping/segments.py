"""Sequences that reads are mapped to, with their links."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES, BASES_PER_WORD
from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.unitigs.alignments import LinkedSegments

Longs = NDArray[np.int64]
_AMBIGUOUS = 4
_WORDS_AT_ONCE = 1 << 16
_CODES = np.full(256, _AMBIGUOUS, np.uint8)
for _letters in (BASES, BASES.lower()):
    _CODES[list(_letters)] = range(4)
_CODES[list(b"Uu")] = 3


@dataclass(frozen=True)
class NamedSegments:
    """Segments of a graph, or sequences without links.

    Attributes
    ----------
    names : list of bytes
    linked : LinkedSegments
    is_graph : bool
        Whether they come from a graph, which may have no links.
    """

    names: list[bytes]
    linked: LinkedSegments
    is_graph: bool

    @property
    def lengths(self) -> Longs:
        """Bases of each segment."""
        return np.diff(self.linked.offsets)

    def without_links(self) -> NamedSegments:
        """Return the same segments without links."""
        none = np.empty(0, np.int64)
        row_ptr = np.zeros_like(self.linked.row_ptr)
        return replace(self, linked=self.linked._replace(row_ptr=row_ptr, col=none, overlaps=none))


def encode(letters: bytes | bytearray) -> NDArray[np.uint8]:
    """Encode letters of IUPAC: two-bit codes, 4 for ambiguous bases."""
    return _CODES[np.frombuffer(letters, np.uint8)]


def linked_segments(codes: NDArray[np.uint8], lengths: Longs, links: Longs, overlaps: Longs) -> LinkedSegments:
    """Index the links and the unambiguous intervals of segments.

    Parameters
    ----------
    codes : ndarray, dtype=uint8
        Of all segments one after another; see `encode`.
    lengths : ndarray, dtype=int64, shape=(n,)
    links : ndarray, dtype=int64, shape=(n_links, 2)
        Tail and head, as vertices; a link and its reverse complement need not both be given.
    overlaps : ndarray, dtype=int64, shape=(n_links,)
        Bases that the end of the tail shares with the head.
    """
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    both = np.concatenate([links, links[:, ::-1] ^ 1])
    rows = np.unique(np.column_stack([both, np.tile(overlaps, 2)]), axis=0).astype(np.int64)
    row_ptr = np.searchsorted(rows[:, 0], np.arange(2 * len(lengths) + 1)).astype(np.int64)
    segments, starts, ends = _intervals(codes, offsets)
    return LinkedSegments(
        codes=np.ascontiguousarray(codes),
        offsets=offsets,
        row_ptr=row_ptr,
        col=rows[:, 1].copy(),
        overlaps=rows[:, 2].copy(),
        interval_segments=segments,
        interval_starts=starts - offsets[segments],
        interval_lengths=ends - starts,
    )


def _intervals(codes: NDArray[np.uint8], offsets: Longs) -> tuple[Longs, Longs, Longs]:
    """Find the maximal intervals without ambiguous bases: segment, start and end in the codes of each."""
    ambiguous = np.flatnonzero(codes == _AMBIGUOUS)
    starts = np.union1d(offsets[:-1], ambiguous + 1)
    ends = np.union1d(offsets[1:], ambiguous)
    starts = starts[np.isin(starts, ambiguous, invert=True) & (starts < offsets[-1])]
    ends = ends[(ends > 0)]
    ends = ends[np.isin(ends - 1, ambiguous, invert=True)]
    segments = np.searchsorted(offsets, starts, side="right") - 1
    return segments.astype(np.int64), starts.astype(np.int64), ends.astype(np.int64)


def packed_intervals(segments: LinkedSegments) -> PackedSequences:
    """Pack the unambiguous intervals of segments one after another."""
    offsets = np.concatenate([[0], np.cumsum(segments.interval_lengths)]).astype(np.int64)
    codes = segments.codes
    if offsets[-1] < len(codes):
        codes = codes[codes != _AMBIGUOUS]
    words = np.empty(-(-len(codes) // BASES_PER_WORD), np.uint64)
    shifts = np.uint64(2) * np.arange(BASES_PER_WORD - 1, -1, -1, dtype=np.uint64)
    for start in range(0, len(words), _WORDS_AT_ONCE):
        block = codes[start * BASES_PER_WORD : (start + _WORDS_AT_ONCE) * BASES_PER_WORD].astype(np.uint64)
        block = np.pad(block, (0, -len(block) % BASES_PER_WORD)).reshape(-1, BASES_PER_WORD)
        words[start : start + _WORDS_AT_ONCE] = np.bitwise_or.reduce(block << shifts, axis=1)
    return PackedSequences(offsets, words)
