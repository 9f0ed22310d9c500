"""Lengths, composition and qualities of the reads of a FASTQ file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.statistics import Compositions
from debruijn_gpu.io.fastx.records import TextReads

_PHRED = 33
_FIRST_PRINTABLE = 33
#: Number of G and C in a byte of four packed bases: those whose two bits differ
_GC_OF_BYTE = np.array([sum((byte >> i ^ byte >> i + 1) & 1 for i in (0, 2, 4, 6)) for byte in range(256)], np.int64)


@dataclass(frozen=True)
class ReadFigures:
    """Reads of a file.

    Attributes
    ----------
    compositions : Compositions
        Of each read; gaps are runs of ambiguous bases.
    names : list of str
        Name of each read, if these were asked for.
    quality_counts : ndarray, dtype=int64, shape=(256,)
        Number of qualities of each byte.
    """

    compositions: Compositions
    names: list[str]
    quality_counts: NDArray[np.int64]

    def share_from(self, quality: int) -> float | None:
        """Compute the percentage of qualities of at least a value; None of no qualities."""
        total = int(self.quality_counts.sum())
        return 100 * int(self.quality_counts[quality + _PHRED :].sum()) / total if total else None

    def mean_quality(self) -> float | None:
        """Compute the quality of the mean error probability (as seqkit), in two decimals; None of no qualities."""
        total = int(self.quality_counts.sum())
        if not total:
            return None
        errors = sum(n * 10 ** (-i / 10) for i, n in enumerate(self.quality_counts[_PHRED:].tolist()) if n)
        return round(-10 * math.log10(errors / total), 2) + 0.0


def read_figures(texts: Iterable[TextReads], with_names: bool = False) -> ReadFigures:
    """Gather the figures of the reads of one FASTQ file, parsed on the CPU."""
    parts = []
    names: list[str] = []
    counts = np.zeros(256, np.int64)
    for reads in texts:
        parts.append(_compositions(reads))
        counts += _quality_counts(reads)
        if with_names:
            names += [reads.name(i) for i in range(reads.n_reads)]
    columns = zip(*parts, strict=True) if parts else [[np.empty(0, np.int64)]] * 4
    return ReadFigures(Compositions(*(np.concatenate(list(column)) for column in columns)), names, counts)


def _compositions(reads: TextReads) -> tuple[NDArray[np.int64], ...]:
    """Lengths, G and C, ambiguous bases, and runs of these of each read; shape=(n,) each."""
    parsed = reads.parsed
    offsets: NDArray[np.int64] = np.asarray(parsed.offsets)
    ambiguous: NDArray[np.int64] = np.asarray(parsed.ambiguous_positions)
    packed: NDArray[np.uint8] = parsed.bases.astype(">u8").view(np.uint8)
    sums = np.zeros(len(packed) + 1, np.int64)
    np.cumsum(_GC_OF_BYTE[packed], out=sums[1:])
    quarters, rest = offsets >> 2, offsets & 3
    begun = np.append(packed, np.uint8(0))[quarters] >> (8 - 2 * rest).astype(np.uint8) * (rest > 0)
    gc_before = sums[quarters] + np.where(rest > 0, _GC_OF_BYTE[begun], 0)
    n_before = np.searchsorted(ambiguous, offsets)
    read_of = np.searchsorted(offsets, ambiguous, side="right") - 1
    begins = np.ones(len(ambiguous), np.bool_)
    begins[1:] = (np.diff(ambiguous) > 1) | (np.diff(read_of) > 0)
    gaps = np.bincount(read_of[begins], minlength=parsed.n_reads)
    return np.diff(offsets), np.diff(gc_before), np.diff(n_before), gaps.astype(np.int64)


def _quality_counts(reads: TextReads) -> NDArray[np.int64]:
    """Count the bytes of qualities, which are the last bytes above 32 of each record, as many as it has bases."""
    parsed, text = reads.parsed, reads.text[: reads.parsed.n_consumed]
    lengths = np.diff(parsed.offsets)
    ends = np.append(parsed.starts[1:], len(text)) - 1
    if len(ends) and text[-1] != ord("\n"):
        ends[-1] += 1
    is_plain = len(ends) > 0 and (text[ends[:-1]] == ord("\n")).all() and (text[ends - lengths - 1] == ord("\n")).all()
    if is_plain:
        counts = _counts_before(text, ends, lengths)
        if not counts[:_FIRST_PRINTABLE].any():
            return counts
    is_printable = text >= _FIRST_PRINTABLE
    n_printable = np.cumsum(is_printable, dtype=np.int64)
    n_before = n_printable[np.append(parsed.starts[1:], len(text)) - 1] if len(text) else np.empty(0, np.int64)
    return _counts_before(text[is_printable], n_before, lengths)


def _counts_before(text: NDArray[np.uint8], ends: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the bytes of the last `lengths` bytes before each of some ends."""
    steps = np.zeros(len(text) + 1, np.int8)
    np.add.at(steps, ends - lengths, 1)
    np.add.at(steps, ends, -1)
    chosen = text[np.cumsum(steps[:-1], dtype=np.int8).view(np.bool_)]
    counts = np.bincount(chosen[: len(chosen) // 2 * 2].view(np.uint16), minlength=1 << 16).reshape(256, 256)
    found: NDArray[np.int64] = counts.sum(axis=0) + counts.sum(axis=1)
    if len(chosen) % 2:
        found[chosen[-1]] += 1
    return found
