"""Compute the edges of the edge-centric graph from k-mers."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.scalars import reverse_complement_word

_TWO = np.uint64(2)
_LOW_BASE = np.uint64(3)


@kernel
def both_strands(codes, k):
    """Each k-mer and its reverse complement; see `HostKmerOperations.both_strands`."""
    words, n = codes.shape
    oriented = np.empty((words, 2 * n), np.uint64)
    unused = np.uint64(64 * words - 2 * k)  # bits above the first base
    for i in range(n):
        carry = np.uint64(0)
        for word in range(words):
            oriented[word, 2 * i] = codes[word, i]
            flipped = reverse_complement_word(codes[words - 1 - word, i])
            oriented[word, 2 * i + 1] = flipped >> unused
            if unused > 0:
                oriented[word, 2 * i + 1] |= carry
                carry = flipped << (np.uint64(64) - unused)
    return oriented


@kernel
def _compare(current, a, b):
    """Below, at or above 0 as row a is less than, equal to or more than row b."""
    for word in range(current.shape[1]):
        if current[a, word] != current[b, word]:
            return -1 if current[a, word] < current[b, word] else 1
    return 0


@kernel
def _load(codes, stream, i, top_mask, current):
    """Put k-mer i's prefix (stream 4) or suffix into the stream's row."""
    carry = np.uint64(0)
    for word in range(codes.shape[0]):
        value = codes[word, i]
        if stream == 4:
            current[stream, word] = (value >> _TWO) | (carry << np.uint64(62))
            carry = value & _LOW_BASE
        else:
            current[stream, word] = value
    if stream < 4:
        current[stream, 0] &= top_mask


@kernel
def _streams(codes, top_shift, start, stop):
    """Write start and stop of the k-mers with each first base, then of all k-mers; both int64 (5,), zeros."""
    for i in range(codes.shape[1]):
        stop[np.int64((codes[0, i] >> top_shift) & _LOW_BASE)] += 1
    for base in range(1, 4):
        start[base] = stop[base - 1]
        stop[base] += start[base]
    stop[4] = codes.shape[1]


@kernel
def number_ends(codes, k, tails, heads):
    """Number the (k-1)-mers of sorted k-mers; see `HostKmerOperations.number_ends`.

    The prefixes of sorted k-mers ascend, and so do the suffixes of those that share their first base: five
    sorted streams, merged once, with neither a sort nor a search.
    """
    words, n = codes.shape
    top_shift = np.uint64(2 * (k - 1) - 64 * (words - 1))
    top_mask = ~(_LOW_BASE << top_shift)
    at, stop = np.zeros(5, np.int64), np.zeros(5, np.int64)
    _streams(codes, top_shift, at, stop)
    current = np.empty((6, words), np.uint64)  # of each stream, and the least of them
    for stream in range(5):
        if at[stream] < stop[stream]:
            _load(codes, stream, at[stream], top_mask, current)
    vertices = np.empty((2 * n, words), np.uint64)
    n_vertices = 0
    while True:
        winner = -1
        for stream in range(5):
            if at[stream] < stop[stream] and (winner < 0 or _compare(current, stream, winner) < 0):
                winner = stream
        if winner < 0:
            return vertices[:n_vertices]
        for word in range(words):
            current[5, word] = vertices[n_vertices, word] = current[winner, word]
        for stream in range(winner, 5):
            while at[stream] < stop[stream] and _compare(current, stream, 5) == 0:
                if stream == 4:
                    tails[at[stream]] = n_vertices
                else:
                    heads[at[stream]] = n_vertices
                at[stream] += 1
                if at[stream] < stop[stream]:
                    _load(codes, stream, at[stream], top_mask, current)
        n_vertices += 1
