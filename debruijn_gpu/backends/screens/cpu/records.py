"""Mask and trim records of FASTA and FASTQ in their text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Flags, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.scalars import find_newline
from debruijn_gpu.backends.reads.letters import AT, NEWLINE, RETURN

_BLANK = np.uint8(32)  # it and all below are no letters of a sequence, nor qualities


@lean_function
def _skip_letters(text, at, n):
    """Position behind n letters from ``at`` on; blanks do not count."""
    while n > 0:
        n -= text[at] > _BLANK
        at += 1
    return at


@lean_function
def _copy_letters(text, at, n, result, to):
    """Copy n letters from ``at`` on without blanks; returns the position behind them in the result."""
    while n > 0:
        if text[at] > _BLANK:
            result[to] = text[at]
            to += 1
            n -= 1
        at += 1
    return to


@lean_function
def _copy_line(text, at, stop, result, to):
    """Copy a line with its end; returns the positions behind it in text and result. Without an end it gets one."""
    end = min(stop, find_newline(text, at) + 1)
    while at < end:
        result[to] = text[at]
        to += 1
        at += 1
    if to == 0 or result[to - 1] != NEWLINE:
        result[to] = NEWLINE
        to += 1
    return end, to


@lean_function
def _end_line(has_return, result, to):
    """Write a line end; returns the position behind it."""
    if has_return:
        result[to] = RETURN
        to += 1
    result[to] = NEWLINE
    return to + 1


@kernel
def _mask(text, starts, offsets, k, matches, letter):
    """Write a letter over the matched bases of records.

    Parameters
    ----------
    text : inout, uint8
    starts : in, int64 (n + 1,); first byte of each record
    offsets : in, int64 (n + 1,); of bases
    k : int64
    matches : in, int64 (3, n_matches)
    letter : uint8
    """
    match = 0
    for row in range(offsets.size - 1):
        at, base = 0, offsets[row]
        while match < matches.shape[1] and matches[0, match] < offsets[row + 1]:
            if at == 0:
                at = find_newline(text, starts[row]) + 1
            first, stop = max(base, matches[0, match]), matches[0, match] + matches[1, match] + k - 1
            at = _skip_letters(text, at, first - base)
            base = max(base, first)
            while base < stop:
                if text[at] > _BLANK:
                    text[at] = letter
                    base += 1
                at += 1
            match += 1


def mask_matches(text: NDArray[np.uint8], starts: Longs, offsets: Longs, k: int, matches: Longs, letter: int) -> None:
    """See `HostScreenOperations.mask_matches`."""
    _mask(text, starts, offsets, k, np.require(matches, np.int64, ["C", "W"]), np.uint8(letter))


@lean_function
def _trim_record(text, start, stop, n_bases, first, last, result, to):
    """Write a record that is shortened to its bases first..last; returns the position behind it in the result."""
    at, to = _copy_line(text, start, stop, result, to)
    has_return = to > 1 and result[to - 2] == RETURN
    behind = _skip_letters(text, at, n_bases)
    to = _copy_letters(text, _skip_letters(text, at, first), last - first, result, to)
    to = _end_line(has_return, result, to)
    if text[start] != AT:
        return to
    at = behind
    while text[at] <= _BLANK:
        at += 1
    at, to = _copy_line(text, at, stop, result, to)
    to = _copy_letters(text, _skip_letters(text, at, first), last - first, result, to)
    return _end_line(has_return, result, to)


@kernel
def _trim(text, starts, offsets, parts, chosen, result, result_starts):
    """Copy records, the chosen ones shortened; see `HostScreenOperations.trim_records`.

    Parameters
    ----------
    text, starts, offsets, parts : in
    chosen : in, bool (n,)
    result : out, uint8; with room for all records and a line end each
    result_starts : out, int64 (n + 1,)
    """
    to = 0
    for row in range(chosen.size):
        result_starts[row] = to
        if chosen[row]:
            n_bases = offsets[row + 1] - offsets[row]
            first, last = parts[0, row], parts[1, row]
            to = _trim_record(text, starts[row], starts[row + 1], n_bases, first, last, result, to)
            continue
        for at in range(starts[row], starts[row + 1]):
            result[to] = text[at]
            to += 1
    result_starts[chosen.size] = to


def trim_records(
    text: NDArray[np.uint8], starts: Longs, offsets: Longs, parts: Longs, chosen: Flags
) -> tuple[NDArray[np.uint8], Longs]:
    """See `HostScreenOperations.trim_records`."""
    result = np.empty(int(starts[-1] - starts[0]) + 4 * len(chosen) + 4, np.uint8)
    result_starts = np.empty(len(chosen) + 1, np.int64)
    _trim(np.require(text, np.uint8, ["C", "W"]), starts, offsets, parts, chosen, result, result_starts)
    return result[: result_starts[-1]], result_starts
