"""Shared parsing of FASTA and FASTQ: pack letters, hash names, keep scan state."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import (
    base_codes,
    find_blank,
    find_newline,
    first_flag,
    hash_more,
    load_chunk,
    not_bases,
    squeeze_codes,
    without_mate,
)
from debruijn_gpu.backends.reads.letters import AMBIGUOUS, CLASSES, NEWLINE, RETURN
from debruijn_gpu.backends.reads.protocol import FaultKind

# Fields of the kernels' state
POSITION, N_READS, N_BASES, N_AMBIGUOUS, N_LINES = range(5)
STATUS, FAULT_AT, FAULT_LINE, N_BASES_SEEN, N_QUALITIES_SEEN, N_AMBIGUOUS_SEEN = range(5, 11)
# Lines are counted from 1, 0 for none: the first empty line before a record, and the first + line with another name
N_EMPTY_LINES, EMPTY_LINE, OTHER_NAME_LINE = range(11, 14)
N_FIELDS = 14

# Status beyond those of FaultKind
GOING, INCOMPLETE, FULL = 0, -1, -2
TRUNCATED, NO_HEADER, ALIEN_BYTE, NO_PLUS, BAD_QUALITY, LENGTHS = map(int, FaultKind)

U0, U1, U2, U48, U112 = (np.uint64(n) for n in (0, 1, 2, 48, 112))
FIRST_PRINTABLE = np.uint8(33)
LOW_16, ALL = np.uint64(0xFFFF), ~np.uint64(0)


@kernel
def hash_name(text, start, end):
    """Hash of a name without the 1 or 2 (after / . or _) that tells mates apart; 0 for an empty one."""
    end = without_mate(text, start, end)
    if end == start:
        return U0
    value = np.uint64(end - start)
    while start + 8 <= end:
        value = hash_more(value, load_chunk(text, start))
        start += 8
    if start < end:
        rest = load_chunk(text, start) & ~(ALL << np.uint64(8 * (end - start)))
        value = hash_more(value, rest)
    return max(hash_more(value, U0), U1)


@kernel
def append(bases, n_bases, word, packed, n_new):
    """Append the upper `n_new` (1..8) of the 8 codes in `packed`; returns the word now being filled."""
    packed &= ~(LOW_16 >> (U2 * np.uint64(n_new)))
    filled = U2 * np.uint64(n_bases & 31)
    if filled <= U48:
        word |= packed << (U48 - filled)
    else:
        word |= packed >> (filled - U48)
    if (n_bases & 31) + n_new >= 32:
        bases[n_bases >> 5] = word
        word = packed << (U112 - filled) if filled > U48 else U0
    return word


@kernel
def pack_letters(text, at, bases, n_bases, word, ambiguous_positions, n_ambiguous):
    """Pack the sequence letters from `at` up to the first other byte.

    Parameters
    ----------
    text : in, uint8, shape (n,)
    at : position in text
    bases : inout, uint64; `word` is the one being filled, number ``n_bases // 32``
    ambiguous_positions : out, int64; counted on, but not written, when it is full

    Returns
    -------
    tuple of (at, n_bases, word, n_ambiguous), where `at` is the position of the byte that ended the letters
    """
    while True:
        chunk = load_chunk(text, at)
        codes = base_codes(chunk)
        n_new = first_flag(not_bases(chunk, codes))
        if n_new:
            word = append(bases, n_bases, word, squeeze_codes(codes), n_new)
            n_bases += n_new
            at += n_new
            if n_new == 8:
                continue
        if at >= text.size or CLASSES[text[at]] != AMBIGUOUS:
            return at, n_bases, word, n_ambiguous
        if n_ambiguous < ambiguous_positions.size:
            ambiguous_positions[n_ambiguous] = n_bases
        n_ambiguous += 1
        word = append(bases, n_bases, word, U0, 1)
        n_bases += 1
        at += 1


@kernel
def line_break(text, at):
    """Length of the line end at `at`: 1, 2 for CR LF, 0 if there is none, nor text any more."""
    if at < text.size and text[at] == NEWLINE:
        return 1
    if at + 1 < text.size and text[at] == RETURN and text[at + 1] == NEWLINE:
        return 2
    return 0


@kernel
def cut_short(text, at):
    """Whether the text ends at `at`, or after a carriage return there."""
    return at >= text.size or (at + 1 == text.size and text[at] == RETURN)


@kernel
def filled_part(bases, n_bases):
    """The word that base number `n_bases` goes to, without what a record given up left behind."""
    return bases[n_bases >> 5] & ~(ALL >> (U2 * np.uint64(n_bases & 31)))


@kernel
def skip_empty_lines(text, final, state):
    """Move ``state[POSITION]`` to the next byte that is no line end."""
    at = state[POSITION]
    width = line_break(text, at)
    while width:
        at += width
        state[N_LINES] += 1
        state[N_EMPTY_LINES] += 1
        width = line_break(text, at)
    if final and cut_short(text, at):
        at = text.size
    state[POSITION] = at
    return at


@kernel
def stop(state, status, at, n_lines, n_bases, n_qualities):
    """Note why the scan ends: `at` and the line are within the text, the lengths those of the record."""
    state[STATUS] = status
    state[FAULT_AT] = at
    state[FAULT_LINE] = state[N_LINES] + n_lines
    state[N_BASES_SEEN] = n_bases
    state[N_QUALITIES_SEEN] = n_qualities


@kernel
def take_header(text, at, names, starts, n_reads):
    """Hash the name in the header line at `at`; returns where the line ends, its line end included."""
    name_end = find_blank(text, at + 1)
    names[n_reads] = hash_name(text, at + 1, name_end)
    starts[n_reads] = at
    return find_newline(text, name_end) + 1


@kernel
def is_other_name(text, header, plus, plus_end):
    """Whether the + line at `plus` names another record than the header line: names end at the first blank."""
    if plus + 1 >= plus_end or text[plus + 1] < FIRST_PRINTABLE:
        return False
    at, other = header + 1, plus + 1
    while other + 8 <= plus_end and load_chunk(text, at) == load_chunk(text, other):
        at += 8
        other += 8
    while other < plus_end and text[at] == text[other]:
        at += 1
        other += 1
    named_on = other < plus_end and text[other] >= FIRST_PRINTABLE
    return (named_on or text[at] >= FIRST_PRINTABLE) and find_blank(text, header + 1) >= at


@kernel
def commit(state, at, n_lines, n_bases, n_ambiguous, word, bases, ambiguous_positions, offsets):
    """Make the record that ends at `at` part of the result, unless `ambiguous_positions` is too small for it."""
    if n_ambiguous > ambiguous_positions.size:
        state[STATUS] = FULL
        state[N_AMBIGUOUS_SEEN] = n_ambiguous
        return
    bases[n_bases >> 5] = word
    offsets[state[N_READS] + 1] = n_bases
    state[N_READS] += 1
    state[POSITION] = at
    state[N_BASES] = n_bases
    state[N_AMBIGUOUS] = n_ambiguous
    state[N_LINES] += n_lines
