"""Write rows of joint counts as text, and k-mers as letters; see `HostKmerOperations`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Codes, Counts, Longs
from debruijn_gpu.backends.core.cpu.decorators import kernel, strided_kernel
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.backends.kmers.cpu.buckets import write_letters, write_number

_TAB, _NEWLINE, _ZERO, _ONE = np.uint8(9), np.uint8(10), np.uint8(48), np.uint8(49)
_MOST_DIGITS = 10


@kernel
def _write_zeros(template, n, text, at):
    """Copy the first n cells of zeros (uint8 (2 * cells,)) to a text; returns the position behind them."""
    cells = text[at : at + 2 * n]
    for j in range(2 * n):
        cells[j] = template[j]
    return at + 2 * n


@strided_kernel
def _write_rows(codes, row_ptr, samples, counts, k, start, stop, template, text):
    """Write rows ``start:stop``: k-mer, and a tab and a count for each sample; returns the bytes written.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    row_ptr : in, int64 (n + 1,)
    samples, counts : in, uint32 (nnz,)
    template : in, uint8 (2 * n_samples,); a tab and a zero for each sample
    text : out, uint8
    """
    n_samples = template.size // 2
    end = 0
    for i in range(start, stop):
        write_letters(codes, i, k, text, end)
        end += k
        sample = 0
        for entry in range(row_ptr[i], row_ptr[i + 1]):
            end = _write_zeros(template, np.int64(samples[entry]) - sample, text, end)
            text[end] = _TAB
            end = write_number(counts[entry], text, end + 1)
            sample = np.int64(samples[entry]) + 1
        end = _write_zeros(template, n_samples - sample, text, end)
        text[end] = _NEWLINE
        end += 1
    return end


@strided_kernel
def _write_presence(codes, row_ptr, samples, k, start, stop, template, text):
    """Write rows ``start:stop`` with 1 for each sample that has the k-mer; see `_write_rows`.

    ``template`` ends with a newline here.
    """
    at = 0
    for i in range(start, stop):
        write_letters(codes, i, k, text, at)
        at += k
        cells = text[at : at + template.size]
        for j in range(template.size):
            cells[j] = template[j]
        for entry in range(row_ptr[i], row_ptr[i + 1]):
            cells[np.uint64(2) * np.uint64(samples[entry]) + np.uint64(1)] = _ONE
        at += template.size


@strided_kernel
def _write_kmers(codes, k, letters):
    """Write the letters (out, uint8 (n * k,)) of k-mers (words, n)."""
    for i in range(codes.shape[1]):
        write_letters(codes, i, k, letters, i * k)


def matrix_lines(joint: JointCounts, k: int, n_samples: int, start: int, stop: int) -> NDArray[np.uint8]:
    """See `HostKmerOperations.matrix_lines`."""
    template = np.tile(np.array([_TAB, _ZERO], np.uint8), n_samples)
    row_ptr: Longs = joint.row_ptr
    codes: Codes = joint.kmers
    counts: Counts = joint.counts
    n_entries = int(row_ptr[stop] - row_ptr[start])
    text = np.empty((stop - start) * (k + 2 * n_samples + 1) + (_MOST_DIGITS - 1) * n_entries, np.uint8)
    n_bytes = _write_rows(codes, row_ptr, joint.samples, counts, k, start, stop, template, text)
    return text[:n_bytes]


def presence_lines(joint: JointCounts, k: int, n_samples: int, start: int, stop: int) -> NDArray[np.uint8]:
    """See `HostKmerOperations.presence_lines`."""
    template = np.append(np.tile(np.array([_TAB, _ZERO], np.uint8), n_samples), _NEWLINE)
    text = np.empty((stop - start) * (k + len(template)), np.uint8)
    _write_presence(joint.kmers, joint.row_ptr, joint.samples, k, start, stop, template, text)
    return text


def kmer_letters(codes: Codes, k: int) -> NDArray[np.uint8]:
    """See `HostKmerOperations.kmer_letters`."""
    letters = np.empty(codes.shape[1] * k, np.uint8)
    _write_kmers(codes, k, letters)
    return letters.reshape(-1, k)
