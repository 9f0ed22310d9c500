"""Parse FASTA and FASTQ text to packed reads.

`parse_reads` is the operation; the kernels below it work through a text record by record. What a record
adds becomes visible in `state` only when the record is whole, so that one that the text cuts short, or that
finds an output array full, leaves no trace and is simply parsed again.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import BASES_PER_WORD
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import find_blank, find_newline
from debruijn_gpu.backends.reads.cpu.records import (
    ALIEN_BYTE,
    BAD_QUALITY,
    EMPTY_LINE,
    FAULT_AT,
    FAULT_LINE,
    FULL,
    GOING,
    INCOMPLETE,
    LENGTHS,
    N_AMBIGUOUS,
    N_AMBIGUOUS_SEEN,
    N_BASES,
    N_BASES_SEEN,
    N_EMPTY_LINES,
    N_FIELDS,
    N_LINES,
    N_QUALITIES_SEEN,
    N_READS,
    NO_HEADER,
    NO_PLUS,
    OTHER_NAME_LINE,
    POSITION,
    STATUS,
    TRUNCATED,
    commit,
    cut_short,
    filled_part,
    is_other_name,
    line_break,
    pack_letters,
    skip_empty_lines,
    stop,
    take_header,
)
from debruijn_gpu.backends.reads.letters import AT, BLANK, CLASSES, GREATER, NEWLINE, PLUS
from debruijn_gpu.backends.reads.protocol import Fault, FaultKind, ParsedReads
from debruijn_gpu.run import log


def parse_reads(text, fastq, final):
    """Parse the whole records of a text; see `ReadOperations.parse_reads`."""
    scan = _scan_fastq if fastq else _scan_fasta
    text = np.require(text, np.uint8, "CW")  # one type only, so one compilation only
    state = np.zeros(N_FIELDS, np.int64)
    bases = np.empty(text.size // BASES_PER_WORD + 2, np.uint64)
    bases[0] = 0
    n_expected = text.size // 64 + 16
    offsets, starts = np.zeros(n_expected + 1, np.int64), np.empty(n_expected, np.int64)
    names, ambiguous_positions = np.empty(n_expected, np.uint64), np.empty(n_expected, np.int64)
    with log.cpu_time("parse"):
        scan(text, final, bases, offsets, ambiguous_positions, names, starts, state)
        while state[STATUS] == FULL:
            offsets, starts, names = _roomier(offsets), _roomier(starts), _roomier(names)
            ambiguous_positions = _roomier(ambiguous_positions, int(state[N_AMBIGUOUS_SEEN]))
            scan(text, final, bases, offsets, ambiguous_positions, names, starts, state)
    n_reads, n_bases, n_ambiguous = (int(state[field]) for field in (N_READS, N_BASES, N_AMBIGUOUS))
    n_words = -(-n_bases // BASES_PER_WORD)
    if n_bases % BASES_PER_WORD:
        bases[n_words - 1] = filled_part(bases, n_bases)
    return ParsedReads(
        bases=bases[:n_words],
        offsets=offsets[: n_reads + 1],
        ambiguous_positions=ambiguous_positions[:n_ambiguous],
        names=names[:n_reads],
        starts=starts[:n_reads],
        n_consumed=int(state[POSITION]),
        n_lines=int(state[N_LINES]),
        fault=_fault(state),
        empty_line=_line(state[EMPTY_LINE]),
        other_name_line=_line(state[OTHER_NAME_LINE]),
        n_empty_lines=int(state[N_EMPTY_LINES]) if fastq else 0,
    )


def _roomier(array, n_needed=0):
    """A copy with room for `n_needed` and at least twice as much as before."""
    larger = np.empty(max(2 * array.size, n_needed) + 1, array.dtype)
    larger[: array.size] = array
    return larger


def _line(number):
    """A line counted from 0, or None, given one counted from 1, or 0."""
    return int(number) - 1 if number else None


def _fault(state):
    if state[STATUS] <= GOING:
        return None
    return Fault(
        kind=FaultKind(int(state[STATUS])),
        position=int(state[FAULT_AT]),
        line=int(state[FAULT_LINE]),
        n_bases=int(state[N_BASES_SEEN]),
        n_qualities=int(state[N_QUALITIES_SEEN]),
    )


@kernel
def _take_fasta_lines(text, at, bases, n_bases, word, ambiguous_positions, n_ambiguous):
    """Pack the lines of a FASTA record; returns (at, n_lines, n_bases, word, n_ambiguous).

    `at` is then the next record's ``>``, the end of the text, or a byte that does not belong there.
    """
    n_lines = 0
    while at < text.size and not (text[at] == GREATER and text[at - 1] == NEWLINE):
        at, n_bases, word, n_ambiguous = pack_letters(text, at, bases, n_bases, word, ambiguous_positions, n_ambiguous)
        width = line_break(text, at)
        if width:
            at += width
            n_lines += 1
        elif cut_short(text, at):
            at = text.size
        elif CLASSES[text[at]] == BLANK:
            at += 1
        else:
            break
    return at, n_lines, n_bases, word, n_ambiguous


@kernel
def _scan_fasta(text, final, bases, offsets, ambiguous_positions, names, starts, state):
    """Parse the whole FASTA records from ``state[POSITION]`` on; parameters as in `_scan_fastq`."""
    state[STATUS] = GOING
    word = filled_part(bases, state[N_BASES])
    while state[STATUS] == GOING:
        start = skip_empty_lines(text, final, state)
        if cut_short(text, start):
            return
        if text[start] != GREATER:
            stop(state, NO_HEADER, start, 0, 0, 0)
            return
        if state[N_READS] == starts.size:
            stop(state, FULL, start, 0, 0, 0)
            return
        at = min(take_header(text, start, names, starts, state[N_READS]), text.size)
        at, n_lines, n_bases, word, n_ambiguous = _take_fasta_lines(
            text, at, bases, state[N_BASES], word, ambiguous_positions, state[N_AMBIGUOUS]
        )
        if at < text.size and (text[at] != GREATER or text[at - 1] != NEWLINE):
            stop(state, ALIEN_BYTE, at, 1 + n_lines, 0, 0)
            return
        if at == text.size and not final:
            return
        commit(state, at, 1 + n_lines, n_bases, n_ambiguous, word, bases, ambiguous_positions, offsets)


@kernel
def _take_fastq_lines(text, at, bases, n_bases, word, ambiguous_positions, n_ambiguous):
    """Pack the sequence lines of a FASTQ record; returns (at, n_lines, n_bases, word, n_ambiguous).

    `at` is then the first byte of the ``+`` line, the end of the text, or a byte that does not belong there.
    """
    n_lines = 0
    while at < text.size and text[at] != PLUS:
        at, n_bases, word, n_ambiguous = pack_letters(text, at, bases, n_bases, word, ambiguous_positions, n_ambiguous)
        width = line_break(text, at)
        if width == 0:
            break
        at += width
        n_lines += 1
    return at, n_lines, n_bases, word, n_ambiguous


@kernel
def _rest_of_qualities(text, at, final, n_missing):
    """Go past further lines of just so many qualities before another record; returns (status, at, n_lines)."""
    n_lines = 0
    while n_missing > 0:
        end = find_blank(text, at)
        width, ends_text = line_break(text, end), cut_short(text, end)
        if ends_text and not final:
            return INCOMPLETE, at, n_lines
        n_missing -= end - at
        if n_missing < 0 or (ends_text and n_missing > 0) or (width == 0 and not ends_text):
            return LENGTHS, at, n_lines
        at = text.size if ends_text else end + width
        n_lines += 1
    if cut_short(text, at):
        return GOING if final else INCOMPLETE, at, n_lines
    return GOING if text[at] == AT or line_break(text, at) else LENGTHS, at, n_lines


@kernel
def _take_qualities(text, at, final, n_bases, n_sequence_lines):
    """Go past the qualities of `n_bases` bases; returns (status, at, n_lines, n_qualities).

    Qualities may be wrapped, whether the bases are or not. A record of one sequence line whose first line of
    qualities is too short has a fault there, unless later lines complete it just before another record, so that
    a wrong length is found where it is.
    """
    n_lines, n_qualities = 0, 0
    if n_bases == 0 and at < text.size and text[at] == AT:
        return GOING, at, n_lines, n_qualities
    while True:
        end = find_blank(text, at)
        width, ends_text = line_break(text, end), cut_short(text, end)
        if ends_text and not final:
            return INCOMPLETE, at, n_lines, n_qualities
        if width == 0 and not ends_text:
            return BAD_QUALITY, end, n_lines, n_qualities
        if n_lines > 0 and n_qualities + end - at > n_bases and text[at] == AT:
            return LENGTHS, at, n_lines - 1, n_qualities  # this is the next record's header
        n_qualities += end - at
        at = text.size if ends_text else end + width
        n_lines += 1
        if n_qualities == n_bases:
            return GOING, at, n_lines, n_qualities
        if at == text.size and ends_text and n_qualities < n_bases:
            return INCOMPLETE, at, n_lines, n_qualities
        if n_qualities > n_bases:
            return LENGTHS, at, n_lines - 1, n_qualities
        if n_sequence_lines == 1:
            status, end, n_more = _rest_of_qualities(text, at, final, n_bases - n_qualities)
            if status == LENGTHS:
                return LENGTHS, at, n_lines - 1, n_qualities
            return status, end, n_lines + n_more, n_bases


@kernel
def _note_oddities(text, start, plus, plus_end, header_line, plus_line, state):
    """Note the first empty line before a whole record, and the first + line with another name.

    Lines count from 0: the header's in the text, that of the plus in the record.
    """
    if state[N_EMPTY_LINES] > 0:
        if state[EMPTY_LINE] == 0:
            state[EMPTY_LINE] = header_line - state[N_EMPTY_LINES] + 1
        state[N_EMPTY_LINES] = 0
    if state[OTHER_NAME_LINE] == 0 and is_other_name(text, start, plus, plus_end):
        state[OTHER_NAME_LINE] = header_line + plus_line + 1


@kernel
def _scan_fastq(text, final, bases, offsets, ambiguous_positions, names, starts, state):
    """Parse the whole FASTQ records of a text from ``state[POSITION]`` on.

    Parameters
    ----------
    text : in, uint8, shape (n_bytes,)
    final : in, bool; whether the file ends with the text
    bases : inout, uint64, shape (more than n_bytes // 32,); two-bit codes, 32 a word
    offsets, starts, names : out, int64, int64, uint64; an entry per read (`offsets` one more)
    ambiguous_positions : out, int64; positions of ambiguous bases
    state : inout, int64, shape (N_FIELDS,)
    """
    state[STATUS] = GOING
    word = filled_part(bases, state[N_BASES])
    while state[STATUS] == GOING:
        start = skip_empty_lines(text, final, state)
        if cut_short(text, start):
            return
        if text[start] != AT:
            stop(state, NO_HEADER, start, 0, 0, 0)
            return
        if state[N_READS] == starts.size:
            stop(state, FULL, start, 0, 0, 0)
            return
        at = take_header(text, start, names, starts, state[N_READS])
        at, n_lines, n_bases, word, n_ambiguous = _take_fastq_lines(
            text, at, bases, state[N_BASES], word, ambiguous_positions, state[N_AMBIGUOUS]
        )
        if not cut_short(text, at) and (text[at] != PLUS or text[at - 1] != NEWLINE):
            kind = ALIEN_BYTE if n_lines == 0 or text[at - 1] != NEWLINE else NO_PLUS
            stop(state, kind, at, 1 + n_lines, 0, 0)
            return
        plus, plus_end = at, find_newline(text, at)
        n_new = n_bases - state[N_BASES]
        if cut_short(text, at) or (plus_end == text.size and not (final and n_new == 0)):
            stop(state, TRUNCATED if final else GOING, start, 0, 0, 0)
            return
        status, at, n_quality_lines, n_qualities = _take_qualities(
            text, min(plus_end + 1, text.size), final, n_new, n_lines
        )
        plus_line = n_lines + 1
        n_lines += 2 + n_quality_lines
        if status == INCOMPLETE:
            stop(state, TRUNCATED if final else GOING, start, 0, 0, 0)
            return
        if status != GOING:
            stop(state, status, at, n_lines, n_new, n_qualities)
            return
        commit(state, at, n_lines, n_bases, n_ambiguous, word, bases, ambiguous_positions, offsets)
        if state[STATUS] == GOING and (state[N_EMPTY_LINES] > 0 or plus_end > plus + 1):
            _note_oddities(text, start, plus, plus_end, state[N_LINES] - n_lines, plus_line, state)
