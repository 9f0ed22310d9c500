"""Parse FASTA on the device line by line; a record may be the whole text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import Selection, selected_positions, selection_of
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign
from debruijn_gpu.backends.core.cuda.runtime import cuda, download, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.swar import GREATERS, NEWLINES, bits_inside, equal_bytes, n_marked_before
from debruijn_gpu.backends.reads.cuda.records import (
    LAST,
    N_AMBIGUOUS,
    N_BASES,
    N_KEPT,
    N_NOTES,
    ODD,
    DeviceText,
    ambiguous_positions_of,
    find_blank,
    hash_name,
    line_length,
    on_device,
    pack_letters,
)
from debruijn_gpu.backends.reads.letters import GREATER, NEWLINE
from debruijn_gpu.backends.reads.protocol import ParsedReads


@kernel
def _mark(text, eights, newlines, headers):
    """Mark newlines, and each ``>`` that begins a line. One thread per word of 32 bytes.

    Parameters
    ----------
    text : in, uint8 (n_bytes,)
    eights : in, uint64 (4 * words,); the same
    newlines, headers : out, uint32 (words,)
    """
    for word in range(cuda.grid(1), newlines.size, cuda.gridsize(1)):
        inside = bits_inside(word, np.int64(text.size))
        newline_bits = np.uint32(equal_bytes(eights, word, NEWLINES) & inside)
        line_starts = np.uint32(newline_bits << np.uint32(1))
        if word == 0 or (inside and text[32 * word - 1] == NEWLINE):
            line_starts |= np.uint32(1)
        newlines[word] = newline_bits
        headers[word] = equal_bytes(eights, word, GREATERS) & inside & line_starts


@kernel
def _measure_lines(text, line_ends, starts, lengths):
    """Where lines begin, and how many letters they have if they are no headers. One thread per line.

    Parameters
    ----------
    text : in, uint8 (n_bytes,)
    line_ends : in, int64 (n_newlines,); where the newlines are
    starts, lengths : out, int64 (n_newlines + 1,); the last line is what follows the last newline
    """
    for line in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        start = line_ends[line - 1] + 1 if line > 0 else np.int64(0)
        end = line_ends[line] if line < line_ends.size else np.int64(text.size)
        starts[line] = start
        is_header = start < text.size and text[start] == GREATER
        lengths[line] = 0 if is_header else line_length(text, start, end)


@kernel
def _take_headers(text, newlines, ends, line_offsets, headers, names, starts, offsets, notes):
    """Name and first base of each record. One thread per record.

    Parameters
    ----------
    text : in, uint8 (n_bytes,)
    newlines, ends : in, uint32 (words,) and int64 (chunks,); the newlines, as in `Selection`
    line_offsets : in, int64 (n_lines + 1,); the first base of each line
    headers : in, int64 (n_headers,); where headers are
    names : out, uint64 (n_headers,); hashes
    starts : out, int64 (n_headers,); the headers again
    offsets : out, int64 (n_headers + 1,)
    notes : in and out, int64 (N_NOTES,); gets what is odd, and the line of the last header
    """
    for record in range(cuda.grid(1), headers.size, cuda.gridsize(1)):
        start = headers[record]
        line = n_marked_before(newlines, ends, start)
        name_end = find_blank(text, start + 1)
        if name_end == start:
            notes[ODD] = 1
            name_end = start + 1
        names[record] = hash_name(text, start + 1, name_end)
        starts[record] = start
        offsets[record] = line_offsets[line]
        if record == headers.size - 1:
            offsets[record + 1] = line_offsets[line_offsets.size - 1]
            notes[LAST] = line


def _mark_bytes(source: DeviceText) -> tuple[Selection, Selection]:
    newlines, headers = (xp.empty(source.n_words, np.uint32) for _ in range(2))
    launch(_mark, source.n_words, source.text, source.eights, newlines, headers)
    return selection_of(newlines), selection_of(headers)


def _lines_of(source: DeviceText, newlines: Selection) -> tuple[Array, Array]:
    """Where lines begin, and the number of their first bases."""
    starts, lengths = (xp.empty(newlines.total + 1, np.int64) for _ in range(2))
    launch(_measure_lines, starts.size, source.text, selected_positions(newlines), starts, lengths)
    return starts, exclusive_scan(lengths)


def parse_fasta(text: NDArray[np.uint8], final: bool) -> ParsedReads | None:
    """The whole records of a text, or None if something in it may be no record."""
    if not text.size or text[0] != GREATER:
        return None
    source = on_device(text)
    newlines, headers = _mark_bytes(source)
    line_starts, line_offsets = _lines_of(source, newlines)
    n_headers = headers.total
    n_reads = n_headers if final else n_headers - 1  # more of the last one may follow
    found = xp.zeros(N_NOTES + 2 * n_headers, np.int64)
    notes, names, starts = found[:N_NOTES], found[N_NOTES : N_NOTES + n_headers], found[N_NOTES + n_headers :]
    offsets = xp.empty(n_headers + 1, np.int64)
    lines = (newlines.words, newlines.ends, line_offsets)
    records = (names.view(np.uint64), starts, offsets)
    launch(_take_headers, n_headers, source.text, *lines, selected_positions(headers), *records, notes)
    assign(notes[N_BASES : N_BASES + 1], offsets[n_headers:])
    assign(notes[N_KEPT : N_KEPT + 1], offsets[n_reads : n_reads + 1])
    noted = download(notes)
    if noted[ODD]:
        return None
    counts = int(noted[N_BASES]), int(noted[N_KEPT])
    bases, ambiguous = pack_letters(source.text, line_starts, line_offsets, *counts, notes)
    on_host = download(found)
    if on_host[ODD]:
        return None
    host_names, host_starts = on_host[N_NOTES:].reshape(2, n_headers)
    last_line = int(on_host[LAST])
    ends_in_header = last_line == newlines.total  # which counts as a line, unlike letters without a newline
    return ParsedReads(
        bases=bases,
        offsets=offsets[: n_reads + 1],
        ambiguous_positions=ambiguous_positions_of(ambiguous, int(on_host[N_AMBIGUOUS])),
        names=host_names[:n_reads].view(np.uint64),
        starts=host_starts[:n_reads],
        n_consumed=text.size if final else int(host_starts[-1]),
        n_lines=newlines.total + ends_in_header if final else last_line,
        fault=None,
    )
