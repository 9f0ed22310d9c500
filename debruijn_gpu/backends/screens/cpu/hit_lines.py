"""Format the hits of a query as lines of text."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Bytes, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.screens.containers import ColorTally, Names
from debruijn_gpu.backends.text.cpu.number_printing import count_digits, put_digits

_MOST_DIGITS = 20
_NUMBER_COLUMNS = 4  # k-mers, matched, and the ratio in as many bytes as two numbers
_MILLION = 1_000_000
_DECIMALS = 6
_TAB, _NEWLINE, _POINT, _ANY = (np.uint8(ord(c)) for c in "\t\n.*")


@lean_function
def _put_bytes(text, at, source, first, stop):
    """Copy bytes first..stop of a source to a text; return the byte behind them."""
    for i in range(first, stop):
        text[at] = source[i]
        at += 1
    return at


@lean_function
def _put_number(text, at, value):
    """Write a number that is not negative; return the byte behind it."""
    return put_digits(text, at, np.uint64(value), max(1, np.int64(count_digits(np.uint64(value)))))


@lean_function
def _put_counts(text, at, n_kmers, n_matched):
    """Write k-mers, matched k-mers, and their ratio, rounded down to six decimals, as cells behind tabs."""
    text[at] = _TAB
    at = _put_number(text, at + 1, n_kmers)
    text[at] = _TAB
    at = _put_number(text, at + 1, n_matched)
    text[at] = _TAB
    millionths = n_matched * _MILLION // max(1, n_kmers)
    at = _put_number(text, at + 1, millionths // _MILLION)
    text[at] = _POINT
    return put_digits(text, at + 1, np.uint64(millionths % _MILLION), _DECIMALS)


@kernel
def _hit_lines(names, spans, sample_text, sample_spans, tally, run_text, run_ptr, text):
    """Write a line for each hit, and one for each record without hits; return the number of bytes.

    Parameters
    ----------
    names, spans : in, uint8 and int64 (2 n,); names of the records, see `Names`
    sample_text, sample_spans : in; names of the samples
    tally : in, tuple of the arrays of `ColorTally`
    run_text, run_ptr : in, uint8 and int64 (n_hits + 1,), or empty; see `position_runs`
    text : out, uint8; with room for all lines
    """
    n_kmers, n_indexed, hit_ptr, samples, n_matched = tally
    at = 0
    for row in range(n_kmers.size):
        if hit_ptr[row] == hit_ptr[row + 1]:
            at = _put_bytes(text, at, names, spans[2 * row], spans[2 * row + 1])
            text[at] = _TAB
            text[at + 1] = _ANY
            at = _put_counts(text, at + 2, n_kmers[row], n_indexed[row])
            if run_ptr.size:
                text[at] = _TAB
                at += 1
            text[at] = _NEWLINE
            at += 1
        for hit in range(hit_ptr[row], hit_ptr[row + 1]):
            at = _put_bytes(text, at, names, spans[2 * row], spans[2 * row + 1])
            text[at] = _TAB
            sample = 2 * samples[hit]
            at = _put_bytes(text, at + 1, sample_text, sample_spans[sample], sample_spans[sample + 1])
            at = _put_counts(text, at, n_kmers[row], n_matched[hit])
            if run_ptr.size:
                text[at] = _TAB
                at = _put_bytes(text, at + 1, run_text, run_ptr[hit], run_ptr[hit + 1])
            text[at] = _NEWLINE
            at += 1
    return at


def hit_lines(names: Names, samples: Names, tally: ColorTally, runs: tuple[Bytes, Longs] | None) -> Bytes:
    """See `HostScreenOperations.hit_lines`."""
    run_text, run_ptr = (np.empty(0, np.uint8), np.empty(0, np.int64)) if runs is None else runs
    n_lines = np.maximum(1, np.diff(tally.hit_ptr))
    cells = (_NUMBER_COLUMNS + 1) * (_MOST_DIGITS + 1)  # numbers, and what stands for a sample; with what ends them
    room = int((n_lines * (names.lengths + cells)).sum() + samples.lengths[tally.samples].sum()) + len(run_text)
    text = np.empty(room, np.uint8)
    columns = tally.n_kmers, tally.n_indexed, tally.hit_ptr, tally.samples, tally.n_matched
    n = _hit_lines(names.text, names.spans, samples.text, samples.spans, columns, run_text, run_ptr, text)
    return text[:n]


@kernel
def _matrix_lines(names, spans, tally, n_samples, text):
    """Write a line for each record, with the k-mers in each sample, 0 where it is no hit; return the bytes.

    Parameters
    ----------
    names, spans, tally, text : see `_hit_lines`
    n_samples : int64
    """
    n_kmers, _n_indexed, hit_ptr, samples, n_matched = tally
    at = 0
    for row in range(n_kmers.size):
        at = _put_bytes(text, at, names, spans[2 * row], spans[2 * row + 1])
        text[at] = _TAB
        at = _put_number(text, at + 1, n_kmers[row])
        hit = hit_ptr[row]
        for sample in range(n_samples):
            value = 0
            if hit < hit_ptr[row + 1] and samples[hit] == sample:
                value = n_matched[hit]
                hit += 1
            text[at] = _TAB
            at = _put_number(text, at + 1, value)
        text[at] = _NEWLINE
        at += 1
    return at


def matrix_lines(names: Names, n_samples: int, tally: ColorTally) -> Bytes:
    """See `HostScreenOperations.matrix_lines`."""
    n = len(tally.n_kmers)
    cells = 2 * n * (n_samples + 1) + (n + len(tally.samples)) * _MOST_DIGITS
    text = np.empty(int(names.lengths.sum()) + cells + n, np.uint8)
    columns = tally.n_kmers, tally.n_indexed, tally.hit_ptr, tally.samples, tally.n_matched
    return text[: _matrix_lines(names.text, names.spans, columns, n_samples, text)]
