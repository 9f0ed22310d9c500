"""Walks through graphs whose vertices come in mirrored pairs (v and v ^ 1): unitigs, contraction, spelling."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.cpu.jit import kernel
from debruijn_gpu.backends.cpu.pool import over_ranges

_ASCII = np.frombuffer(b"ACGT", np.uint8)


@kernel
def _unique_successors(row_ptr, col, start, stop, successor):
    """The successor of each vertex where both have no other choice.

    Parameters
    ----------
    row_ptr, col : in, CSR over n vertices
    start, stop : int64; range of vertices
    successor : out, dtype of col (n,); n where there is none
    """
    n = row_ptr.size - 1
    for v in range(start, stop):
        successor[v] = n
        if row_ptr[v + 1] - row_ptr[v] == 1:
            w = np.int64(col[row_ptr[v]])
            mirror = w ^ 1
            if row_ptr[mirror + 1] - row_ptr[mirror] == 1 and mirror != v:
                successor[v] = w


@kernel
def _take_lists(offsets, items, chosen, new_offsets, start, stop, taken):
    """Copy the lists ``chosen[start:stop]``."""
    for i in range(start, stop):
        source = offsets[chosen[i]]
        target = new_offsets[i]
        for j in range(new_offsets[i + 1] - target):
            taken[target + j] = items[source + j]


def unique_successors(row_ptr, col):
    """See `Backend.unique_successors`."""
    n = len(row_ptr) - 1
    successor = np.empty(n, col.dtype)
    over_ranges(n, lambda start, stop: _unique_successors(row_ptr, col, start, stop, successor))
    return successor


def take_lists(offsets, items, chosen):
    """See `Backend.take_lists`."""
    lengths = offsets[chosen + 1] - offsets[chosen]
    new_offsets = np.concatenate(([0], np.cumsum(lengths)))
    taken = np.empty(new_offsets[-1], items.dtype)
    over_ranges(
        len(chosen), lambda start, stop: _take_lists(offsets, items, chosen, new_offsets, start, stop, taken)
    )
    return new_offsets, taken


@kernel
def _degrees_of_walks(row_ptr, col, offsets, steps, entry, degrees):
    """Number of edges out of either end of each walk that lead to a walk.

    Parameters
    ----------
    entry : in, int64 (n_vertices,); walk end that a vertex opens, as 2 * walk + strand, or -1
    degrees : out, int64 (2 * n_walks,)
    """
    for walk in range(offsets.size - 1):
        for strand in range(2):
            v = _last_vertex(offsets, steps, walk, strand)
            degree = 0
            for e in range(row_ptr[v], row_ptr[v + 1]):
                if entry[col[e]] >= 0:
                    degree += 1
            degrees[2 * walk + strand] = degree


@kernel
def _last_vertex(offsets, steps, walk, strand):
    """Last vertex of a walk, or of its mirror."""
    if strand == 0:
        return np.int64(steps[offsets[walk + 1] - 1])
    return np.int64(steps[offsets[walk]]) ^ 1


@kernel
def _open_walks(offsets, steps, entry):
    """Note (out, int64 (n_vertices,)) the first vertex of each walk and of its mirror."""
    for walk in range(offsets.size - 1):
        entry[_last_vertex(offsets, steps, walk, 1) ^ 1] = 2 * walk
        entry[_last_vertex(offsets, steps, walk, 0) ^ 1] = 2 * walk + 1


@kernel
def _fill_contracted(row_ptr, col, offsets, steps, entry, new_row_ptr, new_col):
    """Write the edges between walks (out, new_col), ascending in each row."""
    for walk in range(offsets.size - 1):
        for strand in range(2):
            v = _last_vertex(offsets, steps, walk, strand)
            first = new_row_ptr[2 * walk + strand]
            n_written = 0
            for e in range(row_ptr[v], row_ptr[v + 1]):
                target = entry[col[e]]
                if target < 0:
                    continue
                at = first + n_written
                while at > first and new_col[at - 1] > target:
                    new_col[at] = new_col[at - 1]
                    at -= 1
                new_col[at] = target
                n_written += 1


def contract(row_ptr, col, offsets, steps):
    """See `Backend.contract`."""
    entry = np.full(len(row_ptr) - 1, -1, np.int64)
    _open_walks(offsets, steps, entry)
    new_row_ptr = np.zeros(2 * (len(offsets) - 1) + 1, np.int64)
    _degrees_of_walks(row_ptr, col, offsets, steps, entry, new_row_ptr[1:])
    np.cumsum(new_row_ptr, out=new_row_ptr)
    new_col = np.empty(new_row_ptr[-1], col.dtype)
    _fill_contracted(row_ptr, col, offsets, steps, entry, new_row_ptr, new_col)
    return new_row_ptr, new_col


@kernel
def _expand(offsets, steps, inner_offsets, inner_steps, new_offsets, start, stop, expanded):
    """Replace each step of the walks start..stop by the inner walk that it stands for, mirrored if it is odd."""
    for walk in range(start, stop):
        at = new_offsets[walk]
        for i in range(offsets[walk], offsets[walk + 1]):
            inner = np.int64(steps[i]) >> 1
            first = inner_offsets[inner]
            last = inner_offsets[inner + 1] - 1
            mirrored = np.int64(steps[i]) & 1
            for j in range(last - first + 1):
                expanded[at] = inner_steps[last - j] ^ 1 if mirrored else inner_steps[first + j]
                at += 1


def expand(offsets, steps, inner_offsets, inner_steps):
    """See `Backend.expand`."""
    step_lengths = np.diff(inner_offsets)[steps >> 1]
    new_offsets = np.concatenate(([0], np.cumsum(step_lengths)))[offsets]
    expanded = np.empty(new_offsets[-1], inner_steps.dtype)
    over_ranges(
        len(offsets) - 1,
        lambda start, stop: _expand(
            offsets, steps, inner_offsets, inner_steps, new_offsets, start, stop, expanded
        ),
    )
    return new_offsets, expanded


@kernel
def _base_of(codes, k, kmer, i):
    """ASCII of base i (0 is the first) of a k-mer."""
    bit = 2 * (k - 1 - i)
    word = codes.shape[0] - 1 - bit // 64
    return _ASCII[(codes[word, kmer] >> np.uint64(bit % 64)) & np.uint64(3)]


@kernel
def _complement(letter):
    """Of an upper-case ASCII base: A-T differ in the bits 0x15, C-G in 0x04."""
    return letter ^ (np.uint8(0x04) if letter & np.uint8(0x02) else np.uint8(0x15))


@kernel
def _spell(codes, k, offsets, steps, text_offsets, start, stop, text):
    """Spell the walks start..stop over k-mers: the first k-mer, then one base a step.

    Parameters
    ----------
    codes : in, uint64 (words, n)
    offsets, steps : in; steps are 2 * k-mer + strand
    text_offsets : in, int64 (n_walks + 1,)
    text : out, uint8
    """
    for walk in range(start, stop):
        at = text_offsets[walk]
        for i in range(offsets[walk], offsets[walk + 1]):
            kmer = np.int64(steps[i]) >> 1
            reverse = np.int64(steps[i]) & 1
            for j in range(0 if i == offsets[walk] else k - 1, k):
                if reverse:
                    text[at] = _complement(_base_of(codes, k, kmer, k - 1 - j))
                else:
                    text[at] = _base_of(codes, k, kmer, j)
                at += 1


def spell(codes, k: int, offsets, steps):
    """See `Backend.spell`."""
    text_offsets = offsets + (k - 1) * np.arange(len(offsets))
    text = np.empty(text_offsets[-1], np.uint8)
    over_ranges(
        len(offsets) - 1,
        lambda start, stop: _spell(codes, k, offsets, steps, text_offsets, start, stop, text),
    )
    return text_offsets, text


@kernel
def _larger_strands(text, offsets, start, stop, flips):
    """Mark (out, uint8) the sequences whose reverse complement is smaller."""
    for i in range(start, stop):
        left = offsets[i]
        right = offsets[i + 1] - 1
        flips[i] = 0
        while left < offsets[i + 1]:
            ahead = text[left]
            behind = _complement(text[right])
            if ahead != behind:
                flips[i] = behind < ahead
                break
            left += 1
            right -= 1


def larger_strands(text, offsets):
    """See `Backend.larger_strands`."""
    n = len(offsets) - 1
    flips = np.empty(n, np.uint8)
    over_ranges(n, lambda start, stop: _larger_strands(text, offsets, start, stop, flips))
    return flips.astype(bool)


@kernel
def _take_sequences(text, offsets, order, flips, new_offsets, start, stop, taken):
    """Copy the sequences ``order[start:stop]``, reverse-complemented where ``flips`` says so."""
    for i in range(start, stop):
        source = offsets[order[i]]
        target = new_offsets[i]
        length = new_offsets[i + 1] - target
        if flips[order[i]]:
            for j in range(length):
                taken[target + j] = _complement(text[source + length - 1 - j])
        else:
            for j in range(length):
                taken[target + j] = text[source + j]


def take_sequences(text, offsets, order, flips):
    """See `Backend.take_sequences`."""
    new_offsets = np.concatenate(([0], np.cumsum(np.diff(offsets)[order])))
    taken = np.empty(new_offsets[-1], np.uint8)
    over_ranges(
        len(order),
        lambda start, stop: _take_sequences(text, offsets, order, flips, new_offsets, start, stop, taken),
    )
    return new_offsets, taken
