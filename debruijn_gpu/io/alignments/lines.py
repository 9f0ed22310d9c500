"""Format alignments as lines of GAF or PAF.

Sources of the formats: GAF, https://github.com/lh3/gfatools/blob/master/doc/rGFA.md; PAF,
https://github.com/lh3/miniasm/blob/master/PAF.md
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.backends.unitigs.alignments import ReadAlignments
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.record_text import choice_field, format_records
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.mapping.mapper import MappedReads
from debruijn_gpu.mapping.segments import NamedSegments
from debruijn_gpu.run.plain_text import shorten

#: Offsets (int64, n + 1) and text (uint8) of n lines
Lines = tuple[NDArray[np.int64], NDArray[np.uint8]]
Longs = NDArray[np.int64]

_DIVERGENCES = choice_field([b"%d.%04d" % divmod(n, 10_000) for n in range(10_001)])


class AlignmentLines:
    """Formats alignments to some segments.

    Parameters
    ----------
    segments : NamedSegments
    alignment_format : str
        ``gaf`` or ``paf``; of PAF, each alignment is to one segment.

    Raises
    ------
    FormatError
        If a name of a segment cannot be in a path of GAF.
    """

    def __init__(self, segments: NamedSegments, alignment_format: str) -> None:
        self._is_gaf = alignment_format == "gaf"
        self._lengths = segments.lengths
        names = choice_field(segments.names)
        vertices = np.arange(2 * len(segments.names))
        fields: list[Field] = [TextField(names.text, names.offsets, vertices >> 1)]
        if self._is_gaf:
            odd = next((name for name in segments.names if b">" in name or b"<" in name), None)
            if odd is not None:
                raise FormatError(f"expected names of segments without > and <, got {shorten(odd)}", "rename it")
            fields.insert(0, choice_field([b">", b"<"], vertices & 1))
        self._step_offsets, self._steps = format_records(fields)

    def format(self, reads: TextReads, n_before: int, mapped: MappedReads) -> Lines:
        """Format the lines of a batch; those of reads that are not placed are empty.

        Parameters
        ----------
        reads : TextReads
        n_before : int
            Reads before the batch in its file, by which a read without a name is named.
        mapped : MappedReads
        """
        offsets = np.zeros(len(mapped.lengths) + 1, np.int64)
        rows = np.flatnonzero(mapped.is_placed)
        if not len(rows):
            return offsets, np.empty(0, np.uint8)
        found = mapped.alignments
        n_aligned = (found.read_ends - found.read_starts)[rows]
        n_mismatches = found.n_mismatches[rows]
        divergence = (n_mismatches * 10_000 + n_aligned // 2) // n_aligned
        target = self._path_fields(found, rows) if self._is_gaf else self._segment_fields(found, rows)
        placed_offsets, text = format_records(
            [
                _name_field(reads, n_before, rows),
                *_columns(mapped.lengths[rows], found.read_starts[rows], found.read_ends[rows]),
                *target,
                *_columns(n_aligned - n_mismatches, n_aligned),
                b"\t60\tNM:i:",
                NumberField(n_mismatches),
                b"\tdv:f:",
                TextField(_DIVERGENCES.text, _DIVERGENCES.offsets, divergence),
                b"\tcg:Z:",
                NumberField(n_aligned),
                b"M\n",
            ]
        )
        np.cumsum(mapped.is_placed, out=offsets[1:])
        return placed_offsets[offsets], text

    def _path_fields(self, found: ReadAlignments, rows: Longs) -> list[Field]:
        """Strand, path, its length, and the aligned interval."""
        ends, text = format_records([TextField(self._steps, self._step_offsets, found.steps)])
        starts = found.path_starts[rows]
        stops = starts + (found.read_ends - found.read_starts)[rows]
        paths = TextField(text, ends[found.step_offsets], rows)
        return [b"\t+\t", paths, *_columns(found.path_lengths[rows], starts, stops)]

    def _segment_fields(self, found: ReadAlignments, rows: Longs) -> list[Field]:
        """Strand, segment, its length, and the aligned interval of the segment as it is in the file."""
        vertices = found.steps[found.step_offsets[rows]]
        lengths, starts = self._lengths[vertices >> 1], found.path_starts[rows]
        n_aligned = (found.read_ends - found.read_starts)[rows]
        starts = np.where(vertices & 1, lengths - starts - n_aligned, starts)
        names = TextField(self._steps, self._step_offsets, vertices)
        return [choice_field([b"\t+\t", b"\t-\t"], vertices & 1), names, *_columns(lengths, starts, starts + n_aligned)]


def _columns(*numbers: Longs) -> list[Field]:
    """Columns of numbers, each behind a tab."""
    return [field for column in numbers for field in (b"\t", NumberField(column))]


def _name_field(reads: TextReads, n_before: int, rows: Longs) -> TextField:
    """Names of the reads of rows; a read without a name is ``sequence_<its number>``."""
    text, spans = reads.text, backends.host().text.name_spans(reads.text, reads.parsed.starts)
    chosen = 2 * rows
    unnamed = np.flatnonzero(spans[chosen] == spans[chosen + 1])
    if len(unnamed):
        ends, names = format_records([b"sequence_", NumberField(n_before + rows[unnamed] + 1)])
        chosen[unnamed] = len(spans) + np.arange(len(unnamed))
        text, spans = np.concatenate([text, names]), np.concatenate([spans, len(text) + ends])
    return TextField(text, spans, chosen)


def interleaved(first: Lines, second: Lines, n: int) -> NDArray[np.uint8]:
    """Merge the first n lines of two texts in turn."""
    fields = [TextField(text, offsets[: n + 1]) for offsets, text in (first, second)]
    return format_records(fields)[1] if n else np.empty(0, np.uint8)
