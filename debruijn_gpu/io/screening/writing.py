"""Write the reads that a screen keeps: records as they are, in input order, mates together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import TextField
from debruijn_gpu.errors import FormatError, UsageError
from debruijn_gpu.io.fastx.record_text import format_records
from debruijn_gpu.io.screening.pairs import MateRows, PairQueue
from debruijn_gpu.io.screening.screened import ScreenedText
from debruijn_gpu.run.file_formats import formats_of
from debruijn_gpu.screening.options import ScreenOptions

Flags = NDArray[np.bool_]
_NAMES = {"fastq": "FASTQ", "fasta": "FASTA", "text": "one sequence per line"}


@dataclass
class WrittenCounts:
    """Reads, pairs and bases: matched, dropped since too short, and written."""

    n_matched_reads: int = 0
    n_pairs: int = 0
    n_matched_pairs: int = 0
    n_short_reads: int = 0
    n_written_reads: int = 0
    n_written_bases: int = 0


class RecordStream:
    """An output of records, all of one format.

    Parameters
    ----------
    stream : BinaryIO
    name : str
        Of the file, for messages; ``-`` for standard output.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._format = ""

    def write(self, *mates: MateRows) -> None:
        """Write records: of several mates, the first of each, then the second of each, and so on."""
        if not len(mates[0].rows):
            return
        for one in mates:
            self._check_format(one.of.file_format)
        self._stream.write(_text_of(mates))

    def _check_format(self, file_format: str) -> None:
        """Raise an error for records of another format than those before, or than the name of the file says."""
        if not self._format:
            meant = formats_of(self._name)
            if meant and file_format not in meant:
                raise UsageError(
                    f"{self._name}: {meant[0]} by its ending, but the reads are {_NAMES[file_format]}",
                    "give the output an ending of their format: reads are written as they are",
                )
            self._format = file_format
        if file_format != self._format:
            raise FormatError(
                f"reads of {_NAMES[self._format]} and of {_NAMES[file_format]} would come into one output",
                "screen files of different formats one after another",
            )


def _text_of(mates: tuple[MateRows, ...]) -> memoryview:
    """Format records; one block of the text where it has them without a gap."""
    if len(mates) == 1:
        rows, of = mates[0].rows, mates[0].of
        starts, stops = of.starts[rows], of.stops[rows]
        if (starts[1:] == stops[:-1]).all():
            return of.text[starts[0] : stops[-1]].data
    fields = [
        TextField(one.of.text, np.column_stack([one.of.starts, one.of.stops]).ravel(), 2 * one.rows) for one in mates
    ]
    return format_records(fields)[1].data


class ScreenWriter:
    """Decides which reads are kept, and writes them.

    Parameters
    ----------
    options : ScreenOptions
    single : RecordStream
        Reads without mates, and interleaved mates where these have no streams of their own.
    paired : tuple of two RecordStream, optional
    """

    def __init__(
        self, options: ScreenOptions, single: RecordStream, paired: tuple[RecordStream, RecordStream] | None
    ) -> None:
        self._options = options
        self._single = single
        self._paired = paired
        self._number = -1
        self._pairs = PairQueue()
        self.counts = WrittenCounts()

    def add(self, screened: ScreenedText) -> None:
        """Write the reads of a text that are kept; mates wait for each other."""
        self.counts.n_matched_reads += int(np.count_nonzero(screened.is_matched))
        if screened.mates is None:
            keeps = self._keeps(screened.is_matched, screened.is_short)
            self.counts.n_short_reads += int(np.count_nonzero(screened.is_short))
            self._write(self._single, MateRows(screened, np.flatnonzero(keeps)))
            return
        if screened.mates.number != self._number:
            self._number, self._pairs = screened.mates.number, PairQueue()
        for first, second in self._pairs.add(screened):
            self._add_pairs(first, second)

    def _add_pairs(self, first: MateRows, second: MateRows) -> None:
        """Write pairs that are kept."""
        combine = np.logical_or if self._options.pair == "either" else np.logical_and
        is_matched = combine(first.of.is_matched[first.rows], second.of.is_matched[second.rows])
        is_short = combine(first.of.is_short[first.rows], second.of.is_short[second.rows])
        keeps = self._keeps(is_matched, is_short)
        self.counts.n_pairs += len(keeps)
        self.counts.n_matched_pairs += int(np.count_nonzero(is_matched))
        self.counts.n_short_reads += 2 * int(np.count_nonzero(is_short))
        kept = MateRows(first.of, first.rows[keeps]), MateRows(second.of, second.rows[keeps])
        if self._paired is None:
            self._write(self._single, *kept)
        else:
            for stream, mates in zip(self._paired, kept, strict=True):
                self._write(stream, mates)

    def _keeps(self, is_matched: Flags, is_short: Flags) -> Flags:
        """Whether reads or pairs are kept."""
        if self._options.kept == "all":
            return ~is_short
        return (is_matched if self._options.kept == "matched" else ~is_matched) & ~is_short

    def _write(self, stream: RecordStream, *mates: MateRows) -> None:
        """Write and count records."""
        stream.write(*mates)
        for one in mates:
            self.counts.n_written_reads += len(one.rows)
            self.counts.n_written_bases += int(one.of.n_bases[one.rows].sum())
