"""Reads of some text after the screen: which match, and their records as they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import Mates
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.run import log
from debruijn_gpu.screening.options import ENDS, ScreenOptions
from debruijn_gpu.screening.screener import MatchedReads

Longs = NDArray[np.int64]
_MASK = ord("N")
_NEWLINE, _RETURN, _AT = b"\n\r@"


@dataclass(frozen=True)
class EditCounts:
    """Reads that were trimmed or masked, and bases removed or masked."""

    n_reads: int = 0
    n_bases: int = 0

    def __add__(self, other: EditCounts) -> EditCounts:
        return EditCounts(self.n_reads + other.n_reads, self.n_bases + other.n_bases)


@dataclass(frozen=True)
class ScreenedText:
    """Records of a text.

    Attributes
    ----------
    text : ndarray, dtype=uint8
        With trimmed or masked records.
    starts, stops : ndarray, dtype=int64, shape=(n,)
        First byte of each record, and the byte behind it. Empty lines between records are of none.
    file_format : str
        "fastq", "fasta" or "text" (one sequence per line).
    is_matched, is_short : ndarray, dtype=bool, shape=(n,)
        Whether a read matches, and whether too few of its bases are left.
    n_bases : ndarray, dtype=int64, shape=(n,)
        Bases of each record, after trimming.
    matched : MatchedReads
        As they were.
    edited : EditCounts
    mates : Mates or None
    """

    text: NDArray[np.uint8]
    starts: Longs
    stops: Longs
    file_format: str
    is_matched: NDArray[np.bool_]
    is_short: NDArray[np.bool_]
    n_bases: Longs
    matched: MatchedReads
    edited: EditCounts
    mates: Mates | None


def screened_text(
    reads: TextReads, mates: Mates | None, matched: MatchedReads, k: int, options: ScreenOptions
) -> ScreenedText:
    """Trim or mask the records of a text, and find where each begins and ends."""
    text, bounds = _with_line_end(reads)
    n_bases = np.diff(matched.offsets)
    edited, is_short = EditCounts(), np.zeros(len(n_bases), np.bool_)
    with log.cpu_time("edit"):
        if options.mask:
            text = text.copy()
            edited = _mask(text, bounds, matched, k)
        elif options.trim:
            text, bounds, n_bases, edited = _trim(text, bounds, matched, k, options.ends)
            is_short = n_bases < options.min_length
    starts, stops = bounds[:-1], bounds[1:]
    file_format = "fastq" if text[starts[0]] == _AT else "fasta"
    if reads.is_lines:
        file_format, starts = "text", starts + len(b">\n")
    elif file_format == "fastq":
        stops = _without_empty_lines(text, starts, stops, n_bases)
    return ScreenedText(text, starts, stops, file_format, matched.is_matched, is_short, n_bases, matched, edited, mates)


def _with_line_end(reads: TextReads) -> tuple[NDArray[np.uint8], Longs]:
    """Return the text of whole records, the last one with a line end, and where each begins."""
    text = reads.text[: reads.parsed.n_consumed]
    if text[-1] != _NEWLINE:
        text = np.append(text, np.uint8(_NEWLINE))
    return text, np.append(reads.parsed.starts, len(text))


def _mask(text: NDArray[np.uint8], bounds: Longs, matched: MatchedReads, k: int) -> EditCounts:
    """Write N over matched bases, in place."""
    backends.host().screens.mask_matches(text, bounds, matched.offsets, k, matched.matches, _MASK)
    n_matched = int(np.count_nonzero(matched.tally.n_matched))
    return EditCounts(n_matched, _n_covered(matched, k))


def _n_covered(matched: MatchedReads, k: int) -> int:
    """Number of bases in matched k-mers."""
    first, n_kmers = matched.matches[0], matched.matches[1]
    rows = np.searchsorted(matched.offsets, first, side="right")
    ends = first + n_kmers + k - 1
    is_same_read = rows[1:] == rows[:-1]
    overlaps = np.where(is_same_read, np.maximum(0, ends[:-1] - first[1:]), 0)
    return int((ends - first).sum() - overlaps.sum())


def _trim(
    text: NDArray[np.uint8], bounds: Longs, matched: MatchedReads, k: int, ends: str
) -> tuple[NDArray[np.uint8], Longs, Longs, EditCounts]:
    """Remove matched ends: text, where records begin, bases of each, and what was removed."""
    host = backends.host().screens
    parts = host.unmatched_ends(matched.offsets, k, matched.matches, ENDS[ends])
    n_bases, n_left = np.diff(matched.offsets), parts[1] - parts[0]
    is_trimmed = n_left < n_bases
    edited = EditCounts(int(np.count_nonzero(is_trimmed)), int((n_bases - n_left).sum()))
    if edited.n_reads:
        text, bounds = host.trim_records(text, bounds, matched.offsets, parts, is_trimmed)
    return text, bounds, n_left, edited


def _without_empty_lines(text: NDArray[np.uint8], starts: Longs, stops: Longs, n_bases: Longs) -> Longs:
    """Find where records of FASTQ end before empty lines: those at the end of a block are not always in its text."""
    before = text[stops - 2]  # a record has four bytes or more
    before = np.where(before == _RETURN, text[stops - 3], before)
    stops = stops.copy()
    for i in np.flatnonzero(before == _NEWLINE).tolist():
        record = text[starts[i] : stops[i]].tobytes()
        stops[i] = starts[i] + (len(record.rstrip(b"\r\n")) if n_bases[i] else _end_of_empty(record))
        if n_bases[i]:
            stops[i] += len(_line_end(record[stops[i] - starts[i] :]))
    return stops


def _line_end(text: bytes) -> bytes:
    """Return the first line end of some."""
    return text[: text.index(b"\n") + 1]


def _end_of_empty(record: bytes) -> int:
    """Find where a record without bases ends: behind the line of its qualities, which is empty too."""
    at = record.index(b"\n+") + 1
    at = record.index(b"\n", at) + 1
    return record.find(b"\n", at) + 1 or len(record)
