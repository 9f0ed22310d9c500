"""Parse FASTQ with four lines per record on the device."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.arrays.cuda.masks import Selection, selected_positions, selection_of
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import assign
from debruijn_gpu.backends.core.cuda.runtime import cuda, device_function, download, kernel, launch, xp
from debruijn_gpu.backends.core.cuda.swar import (
    NEWLINES,
    bits_inside,
    equal_bytes,
    low_bytes,
    lowest_bit,
    n_marked_before,
)
from debruijn_gpu.backends.reads.cuda.records import (
    LAST,
    N_AMBIGUOUS,
    N_BASES,
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
from debruijn_gpu.backends.reads.letters import AT, NEWLINE, PLUS, RETURN
from debruijn_gpu.backends.reads.protocol import ParsedReads

_FIRST_PRINTABLE = np.uint8(33)


@kernel
def _mark(eights, n_bytes, newlines, low):
    """Mark newlines, and all bytes below 33. One thread per word of 32 bytes.

    Parameters
    ----------
    eights : in, uint64 (4 * words,); the text
    n_bytes : int64; of the text
    newlines, low : out, uint32 (words,)
    """
    for word in range(cuda.grid(1), newlines.size, cuda.gridsize(1)):
        inside = bits_inside(word, n_bytes)
        newlines[word] = equal_bytes(eights, word, NEWLINES) & inside
        low[word] = low_bytes(eights, word) & inside


@device_function
def _same_name(text, name, name_end, other):
    """Whether the name that begins at `other` is that from `name` to `name_end`; text follows both."""
    for at in range(name, name_end):
        if text[at] != text[other + at - name]:
            return False
    return text[other + name_end - name] < _FIRST_PRINTABLE


@kernel
def _check_records(text, line_ends, names, starts, sequence_starts, lengths, notes):
    """Look at the lines of each record, but not at letters and qualities. One thread per record.

    Parameters
    ----------
    text : in, uint8 (n_bytes,)
    line_ends : in, int64 (at least 4 * n_reads,); where the newlines are
    names : out, uint64 (n_reads,); hashes
    starts, sequence_starts : out, int64 (n_reads,); where the record and its sequence begin
    lengths : out, int64 (n_reads,); bases
    notes : in and out, int64 (N_NOTES,); gets what is odd, and where the last record ends
    """
    for read in range(cuda.grid(1), starts.size, cuda.gridsize(1)):
        line = 4 * np.int64(read)
        start = line_ends[line - 1] + 1 if line > 0 else np.int64(0)
        sequence = line_ends[line] + 1
        plus = line_ends[line + 1] + 1
        qualities = line_ends[line + 2] + 1
        end = line_ends[line + 3]
        length = line_length(text, sequence, plus - 1)
        name_end = find_blank(text, start + 1)
        if text[start] != AT or text[plus] != PLUS or line_length(text, qualities, end) != length or name_end == start:
            notes[ODD] = 1
            name_end = start + 1
        elif text[plus + 1] >= _FIRST_PRINTABLE and not _same_name(text, start + 1, name_end, plus + 1):
            notes[ODD] = 1
        names[read] = hash_name(text, start + 1, name_end)
        starts[read] = start
        sequence_starts[read] = sequence
        lengths[read] = length
        if read == starts.size - 1:
            notes[LAST] = end + 1


@kernel
def _check_qualities(text, newlines, ends, low, n_lines, notes):
    """Find what may not be among qualities. One thread per word of 32 bytes.

    Parameters
    ----------
    text : in, uint8 (n_bytes,)
    newlines, ends : in, uint32 (words,) and int64 (chunks,); the newlines, as in `Selection`
    low : in, uint32 (words,); bytes below 33
    n_lines : int64; lines to look at; the last of each four has qualities
    notes : in and out, int64 (N_NOTES,)
    """
    for word in range(cuda.grid(1), low.size, cuda.gridsize(1)):
        left = np.uint32(low[word] & ~newlines[word])
        while left:
            position = np.int64(word) * 32 + lowest_bit(left)
            left = np.uint32(left & np.uint32(left - np.uint32(1)))
            line = n_marked_before(newlines, ends, position)
            if line < n_lines and (line & 3) == 3:
                if text[position] != RETURN or text[position + 1] != NEWLINE:
                    notes[ODD] = 1


def _mark_bytes(source: DeviceText) -> tuple[Selection, Array]:
    newlines, low = (xp.empty(source.n_words, np.uint32) for _ in range(2))
    launch(_mark, source.n_words, source.eights, np.int64(source.text.size), newlines, low)
    return selection_of(newlines), low


def parse_fastq(text: NDArray[np.uint8]) -> ParsedReads | None:
    """The records of four whole lines at the beginning of a text, or None if one of them may be something else."""
    if not text.size:
        return None
    source = on_device(text)
    newlines, low = _mark_bytes(source)
    n_reads = newlines.total // 4
    if not n_reads:
        return None
    found = xp.zeros(N_NOTES + 2 * n_reads, np.int64)
    notes, names, starts = found[:N_NOTES], found[N_NOTES : N_NOTES + n_reads], found[N_NOTES + n_reads :]
    sequence_starts, lengths = xp.empty(n_reads, np.int64), xp.empty(n_reads, np.int64)
    where = (names.view(np.uint64), starts, sequence_starts, lengths)
    launch(_check_records, n_reads, source.text, selected_positions(newlines), *where, notes)
    n_lines = np.int64(4 * n_reads)
    launch(_check_qualities, low.size, source.text, newlines.words, newlines.ends, low, n_lines, notes)
    offsets = exclusive_scan(lengths)
    assign(notes[N_BASES : N_BASES + 1], offsets[n_reads:])
    noted = download(notes)
    if noted[ODD]:
        return None
    n_bases = int(noted[N_BASES])
    bases, ambiguous = pack_letters(source.text, sequence_starts, offsets, n_bases, n_bases, notes)
    on_host = download(found)
    if on_host[ODD]:
        return None
    return ParsedReads(
        bases=bases,
        offsets=offsets,
        ambiguous_positions=ambiguous_positions_of(ambiguous, int(on_host[N_AMBIGUOUS])),
        names=on_host[N_NOTES : N_NOTES + n_reads].view(np.uint64),
        starts=on_host[N_NOTES + n_reads :],
        n_consumed=int(on_host[LAST]),
        n_lines=int(n_lines),
        fault=None,
    )
