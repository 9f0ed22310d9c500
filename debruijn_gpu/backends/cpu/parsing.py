"""FASTA and FASTQ text to packed reads.

`parse_reads` is the operation; the kernels below it work through a text record by record. What a record
adds becomes visible in `state` only when the record is whole, so that one that the text cuts short, or that
finds an output array full, leaves no trace and is simply parsed again.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu import log
from debruijn_gpu.alphabet import AMBIGUOUS, BASES, BASES_PER_WORD
from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.swar import (
    base_codes,
    find_blank,
    find_newline,
    first_flag,
    load_chunk,
    not_bases,
    squeeze_codes,
)
from debruijn_gpu.backends.interface import Fault, FaultKind, ParsedReads

# What a byte is within a sequence: a code (0..3) or one of these.
_AMBIGUOUS, _BLANK, _ALIEN = 4, 5, 6

_NEWLINE, _RETURN, _PLUS, _AT, _GREATER = (np.uint8(ord(c)) for c in "\n\r+@>")

# Fields of the kernels' state
_POSITION, _N_READS, _N_BASES, _N_BREAKS, _N_LINES = range(5)
_STATUS, _FAULT_AT, _FAULT_LINE, _N_BASES_SEEN, _N_QUALITIES_SEEN, _N_BREAKS_SEEN = range(5, 11)
_N_FIELDS = 11

# Status beyond those of FaultKind
_GOING, _INCOMPLETE, _FULL = 0, -1, -2
_TRUNCATED, _NO_HEADER, _ALIEN_BYTE, _NO_PLUS, _BAD_QUALITY, _LENGTHS = map(int, FaultKind)

_U0, _U1, _U2, _U32, _U48, _U112 = (np.uint64(n) for n in (0, 1, 2, 32, 48, 112))
_LOW_16, _ALL = np.uint64(0xFFFF), ~np.uint64(0)
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _byte_classes():
    classes = np.full(256, _ALIEN, np.uint8)
    classes[list(AMBIGUOUS + AMBIGUOUS.lower())] = _AMBIGUOUS
    classes[list(b" \t")] = _BLANK
    for code, letter in enumerate(BASES):
        classes[[letter, letter | 0x20]] = code
    classes[list(b"Uu")] = BASES.index(b"T")
    return classes


_CLASSES = _byte_classes()


def parse_reads(text, fastq, final):
    """Parse the whole records of a text; see `interface.Backend.parse_reads`."""
    scan = _scan_fastq if fastq else _scan_fasta
    text = np.require(text, np.uint8, "CW")  # one type only, so one compilation only
    state = np.zeros(_N_FIELDS, np.int64)
    bases = np.empty(text.size // BASES_PER_WORD + 2, np.uint64)
    bases[0] = 0
    n_expected = text.size // 64 + 16
    offsets, starts = np.zeros(n_expected + 1, np.int64), np.empty(n_expected, np.int64)
    names, breaks = np.empty(n_expected, np.uint64), np.empty(n_expected, np.int64)
    with log.cpu_time("parse"):
        scan(text, final, bases, offsets, breaks, names, starts, state)
        while state[_STATUS] == _FULL:
            offsets, starts, names = _roomier(offsets), _roomier(starts), _roomier(names)
            breaks = _roomier(breaks, int(state[_N_BREAKS_SEEN]))
            scan(text, final, bases, offsets, breaks, names, starts, state)
    n_reads, n_bases, n_breaks = (int(state[field]) for field in (_N_READS, _N_BASES, _N_BREAKS))
    n_words = -(-n_bases // BASES_PER_WORD)
    if n_bases % BASES_PER_WORD:
        bases[n_words - 1] = _filled_part(bases, n_bases)
    return ParsedReads(
        bases=bases[:n_words],
        offsets=offsets[: n_reads + 1],
        breaks=breaks[:n_breaks],
        names=names[:n_reads],
        starts=starts[:n_reads],
        n_consumed=int(state[_POSITION]),
        n_lines=int(state[_N_LINES]),
        fault=_fault(state),
    )


def _roomier(array, n_needed=0):
    """A copy with room for `n_needed` and at least twice as much as before."""
    larger = np.empty(max(2 * array.size, n_needed) + 1, array.dtype)
    larger[: array.size] = array
    return larger


def _fault(state):
    if state[_STATUS] <= _GOING:
        return None
    return Fault(
        kind=FaultKind(int(state[_STATUS])),
        position=int(state[_FAULT_AT]),
        line=int(state[_FAULT_LINE]),
        n_bases=int(state[_N_BASES_SEEN]),
        n_qualities=int(state[_N_QUALITIES_SEEN]),
    )


@kernel
def _mix(value, chunk):
    value = (value ^ chunk) * _HASH_FACTOR
    return value ^ (value >> _U32)


@kernel
def _hash_name(text, start, end):
    """Hash of a name without the 1 or 2 (after / . or _) that tells mates apart; 0 for an empty one."""
    if end - start > 2 and (text[end - 1] == ord("1") or text[end - 1] == ord("2")):
        mark = text[end - 2]
        if mark == ord("/") or mark == ord(".") or mark == ord("_"):
            end -= 2
    if end == start:
        return _U0
    value = np.uint64(end - start)
    while start + 8 <= end:
        value = _mix(value, load_chunk(text, start))
        start += 8
    if start < end:
        rest = load_chunk(text, start) & ~(_ALL << np.uint64(8 * (end - start)))
        value = _mix(value, rest)
    return max(_mix(value, _U0), _U1)


@kernel
def _append(bases, n_bases, word, packed, n_new):
    """Append the upper `n_new` (1..8) of the 8 codes in `packed`; returns the word now being filled."""
    packed &= ~(_LOW_16 >> (_U2 * np.uint64(n_new)))
    filled = _U2 * np.uint64(n_bases & 31)
    if filled <= _U48:
        word |= packed << (_U48 - filled)
    else:
        word |= packed >> (filled - _U48)
    if (n_bases & 31) + n_new >= 32:
        bases[n_bases >> 5] = word
        word = packed << (_U112 - filled) if filled > _U48 else _U0
    return word


@kernel
def _pack_letters(text, at, bases, n_bases, word, breaks, n_breaks):
    """Pack the sequence letters from `at` up to the first other byte.

    Parameters
    ----------
    text : in, uint8, shape (n,)
    at : position in text
    bases : inout, uint64; `word` is the one being filled, number ``n_bases // 32``
    breaks : out, int64; counted on, but not written, when it is full

    Returns
    -------
    tuple of (at, n_bases, word, n_breaks), where `at` is the position of the byte that ended the letters
    """
    while True:
        chunk = load_chunk(text, at)
        codes = base_codes(chunk)
        n_new = first_flag(not_bases(chunk, codes))
        if n_new:
            word = _append(bases, n_bases, word, squeeze_codes(codes), n_new)
            n_bases += n_new
            at += n_new
            if n_new == 8:
                continue
        if at >= text.size or _CLASSES[text[at]] != _AMBIGUOUS:
            return at, n_bases, word, n_breaks
        if n_breaks < breaks.size:
            breaks[n_breaks] = n_bases
        n_breaks += 1
        word = _append(bases, n_bases, word, _U0, 1)
        n_bases += 1
        at += 1


@kernel
def _line_break(text, at):
    """Length of the line end at `at`: 1, 2 for CR LF, 0 if there is none, nor text any more."""
    if at < text.size and text[at] == _NEWLINE:
        return 1
    if at + 1 < text.size and text[at] == _RETURN and text[at + 1] == _NEWLINE:
        return 2
    return 0


@kernel
def _cut_short(text, at):
    """Whether the text ends at `at`, or after a carriage return there."""
    return at >= text.size or (at + 1 == text.size and text[at] == _RETURN)


@kernel
def _filled_part(bases, n_bases):
    """The word that base number `n_bases` goes to, without what a record given up left behind."""
    return bases[n_bases >> 5] & ~(_ALL >> (_U2 * np.uint64(n_bases & 31)))


@kernel
def _skip_empty_lines(text, final, state):
    """Move ``state[_POSITION]`` to the next byte that is no line end."""
    at = state[_POSITION]
    width = _line_break(text, at)
    while width:
        at += width
        state[_N_LINES] += 1
        width = _line_break(text, at)
    if final and _cut_short(text, at):
        at = text.size
    state[_POSITION] = at
    return at


@kernel
def _stop(state, status, at, n_lines, n_bases, n_qualities):
    """Note why the scan ends: `at` and the line are within the text, the lengths those of the record."""
    state[_STATUS] = status
    state[_FAULT_AT] = at
    state[_FAULT_LINE] = state[_N_LINES] + n_lines
    state[_N_BASES_SEEN] = n_bases
    state[_N_QUALITIES_SEEN] = n_qualities


@kernel
def _take_header(text, at, names, starts, n_reads):
    """Hash the name in the header line at `at`; returns where the line ends, its line end included."""
    name_end = find_blank(text, at + 1)
    names[n_reads] = _hash_name(text, at + 1, name_end)
    starts[n_reads] = at
    return find_newline(text, name_end) + 1


@kernel
def _commit(state, at, n_lines, n_bases, n_breaks, word, bases, breaks, offsets):
    """Make the record that ends at `at` part of the result, unless `breaks` is too small for it."""
    if n_breaks > breaks.size:
        state[_STATUS] = _FULL
        state[_N_BREAKS_SEEN] = n_breaks
        return
    bases[n_bases >> 5] = word
    offsets[state[_N_READS] + 1] = n_bases
    state[_N_READS] += 1
    state[_POSITION] = at
    state[_N_BASES] = n_bases
    state[_N_BREAKS] = n_breaks
    state[_N_LINES] += n_lines


@kernel
def _take_fasta_lines(text, at, bases, n_bases, word, breaks, n_breaks):
    """Pack the lines of a FASTA record; returns (at, n_lines, n_bases, word, n_breaks).

    `at` is then the next record's ``>``, the end of the text, or a byte that does not belong there.
    """
    n_lines = 0
    while at < text.size and not (text[at] == _GREATER and text[at - 1] == _NEWLINE):
        at, n_bases, word, n_breaks = _pack_letters(text, at, bases, n_bases, word, breaks, n_breaks)
        width = _line_break(text, at)
        if width:
            at += width
            n_lines += 1
        elif _cut_short(text, at):
            at = text.size
        elif _CLASSES[text[at]] == _BLANK:
            at += 1
        else:
            break
    return at, n_lines, n_bases, word, n_breaks


@kernel
def _scan_fasta(text, final, bases, offsets, breaks, names, starts, state):
    """Parse the whole FASTA records from ``state[_POSITION]`` on; parameters as in `_scan_fastq`."""
    state[_STATUS] = _GOING
    word = _filled_part(bases, state[_N_BASES])
    while state[_STATUS] == _GOING:
        start = _skip_empty_lines(text, final, state)
        if _cut_short(text, start):
            return
        if text[start] != _GREATER:
            _stop(state, _NO_HEADER, start, 0, 0, 0)
            return
        if state[_N_READS] == starts.size:
            _stop(state, _FULL, start, 0, 0, 0)
            return
        at = min(_take_header(text, start, names, starts, state[_N_READS]), text.size)
        at, n_lines, n_bases, word, n_breaks = _take_fasta_lines(
            text, at, bases, state[_N_BASES], word, breaks, state[_N_BREAKS]
        )
        if at < text.size and (text[at] != _GREATER or text[at - 1] != _NEWLINE):
            _stop(state, _ALIEN_BYTE, at, 1 + n_lines, 0, 0)
            return
        if at == text.size and not final:
            return
        _commit(state, at, 1 + n_lines, n_bases, n_breaks, word, bases, breaks, offsets)


@kernel
def _take_fastq_lines(text, at, bases, n_bases, word, breaks, n_breaks):
    """Pack the sequence lines of a FASTQ record; returns (at, n_lines, n_bases, word, n_breaks).

    `at` is then the first byte of the ``+`` line, the end of the text, or a byte that does not belong there.
    """
    n_lines = 0
    while at < text.size and text[at] != _PLUS:
        at, n_bases, word, n_breaks = _pack_letters(text, at, bases, n_bases, word, breaks, n_breaks)
        width = _line_break(text, at)
        if width == 0:
            break
        at += width
        n_lines += 1
    return at, n_lines, n_bases, word, n_breaks


@kernel
def _take_qualities(text, at, final, n_bases, n_sequence_lines):
    """Go past the qualities of `n_bases` bases; returns (status, at, n_lines, n_qualities).

    Bases in one line have their qualities in one line, too, so that a wrong length is found where it is; only
    a record of several sequence lines may have several of qualities, which go on until there are enough.
    """
    n_lines, n_qualities = 0, 0
    if n_bases == 0 and at < text.size and text[at] == _AT:
        return _GOING, at, n_lines, n_qualities
    while True:
        end = find_blank(text, at)
        width, ends_text = _line_break(text, end), _cut_short(text, end)
        if ends_text and not final:
            return _INCOMPLETE, at, n_lines, n_qualities
        if width == 0 and not ends_text:
            return _BAD_QUALITY, end, n_lines, n_qualities
        if n_lines > 0 and n_qualities + end - at > n_bases and text[at] == _AT:
            return _LENGTHS, at, n_lines - 1, n_qualities  # this is the next record's header
        n_qualities += end - at
        at = text.size if ends_text else end + width
        n_lines += 1
        if n_qualities == n_bases:
            return _GOING, at, n_lines, n_qualities
        if at == text.size and ends_text and n_qualities < n_bases:
            return _INCOMPLETE, at, n_lines, n_qualities
        if n_qualities > n_bases or n_sequence_lines == 1:
            return _LENGTHS, at, n_lines - 1, n_qualities


@kernel
def _scan_fastq(text, final, bases, offsets, breaks, names, starts, state):
    """Parse the whole FASTQ records of a text from ``state[_POSITION]`` on.

    Parameters
    ----------
    text : in, uint8, shape (n_bytes,)
    final : in, bool; whether the file ends with the text
    bases : inout, uint64, shape (more than n_bytes // 32,); two-bit codes, 32 a word
    offsets, starts, names : out, int64, int64, uint64; an entry per read (`offsets` one more)
    breaks : out, int64; positions of ambiguous bases
    state : inout, int64, shape (_N_FIELDS,)
    """
    state[_STATUS] = _GOING
    word = _filled_part(bases, state[_N_BASES])
    while state[_STATUS] == _GOING:
        start = _skip_empty_lines(text, final, state)
        if _cut_short(text, start):
            return
        if text[start] != _AT:
            _stop(state, _NO_HEADER, start, 0, 0, 0)
            return
        if state[_N_READS] == starts.size:
            _stop(state, _FULL, start, 0, 0, 0)
            return
        at = _take_header(text, start, names, starts, state[_N_READS])
        at, n_lines, n_bases, word, n_breaks = _take_fastq_lines(
            text, at, bases, state[_N_BASES], word, breaks, state[_N_BREAKS]
        )
        if not _cut_short(text, at) and (text[at] != _PLUS or text[at - 1] != _NEWLINE):
            kind = _ALIEN_BYTE if n_lines == 0 or text[at - 1] != _NEWLINE else _NO_PLUS
            _stop(state, kind, at, 1 + n_lines, 0, 0)
            return
        plus_end = find_newline(text, at)
        n_new = n_bases - state[_N_BASES]
        if _cut_short(text, at) or (plus_end == text.size and not (final and n_new == 0)):
            _stop(state, _TRUNCATED if final else _GOING, start, 0, 0, 0)
            return
        status, at, n_quality_lines, n_qualities = _take_qualities(
            text, min(plus_end + 1, text.size), final, n_new, n_lines
        )
        n_lines += 2 + n_quality_lines
        if status == _INCOMPLETE:
            _stop(state, _TRUNCATED if final else _GOING, start, 0, 0, 0)
            return
        if status != _GOING:
            _stop(state, status, at, n_lines, n_new, n_qualities)
            return
        _commit(state, at, n_lines, n_bases, n_breaks, word, bases, breaks, offsets)
