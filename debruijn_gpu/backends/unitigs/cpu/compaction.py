"""Compact graphs whose vertices come in reverse-complement pairs (v and v ^ 1): unitigs and contraction."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.array_types import Flags, Longs, Vertices
from debruijn_gpu.backends.core.cpu.decorators import kernel
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.graphs.cpu.csr import csr_tails


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
            reverse = w ^ 1
            if row_ptr[reverse + 1] - row_ptr[reverse] == 1 and reverse != v:
                successor[v] = w


def unique_successors(row_ptr: Longs, col: Vertices) -> Vertices:
    """See `UnitigOperations.unique_successors`."""
    n = len(row_ptr) - 1
    successor = np.empty(n, col.dtype)
    over_ranges(n, lambda start, stop: _unique_successors(row_ptr, col, start, stop, successor))
    return successor


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
    """Last vertex of a walk, or of its reverse complement."""
    if strand == 0:
        return np.int64(steps[offsets[walk + 1] - 1])
    return np.int64(steps[offsets[walk]]) ^ 1


@kernel
def _open_walks(offsets, steps, entry):
    """Note (out, int64 (n_vertices,)) the first vertex of each walk and of its reverse complement."""
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


def contract(row_ptr: Longs, col: Vertices, offsets: Longs, steps: Vertices) -> tuple[Longs, Vertices]:
    """See `UnitigOperations.contract`."""
    entry = np.full(len(row_ptr) - 1, -1, np.int64)
    _open_walks(offsets, steps, entry)
    new_row_ptr = np.zeros(2 * (len(offsets) - 1) + 1, np.int64)
    _degrees_of_walks(row_ptr, col, offsets, steps, entry, new_row_ptr[1:])
    np.cumsum(new_row_ptr, out=new_row_ptr)
    new_col = np.empty(new_row_ptr[-1], col.dtype)
    _fill_contracted(row_ptr, col, offsets, steps, entry, new_row_ptr, new_col)
    return new_row_ptr, new_col


def choose_walks(offsets: Longs, steps: Vertices, circular: Flags, is_kept: Flags | None) -> tuple[Longs, Flags]:
    """See `UnitigOperations.choose_walks`."""
    first = steps[offsets[:-1]]
    last = steps[offsets[1:] - 1]
    mask = np.where(circular, first % 2 == 0, first < last ^ 1)
    if is_kept is not None:
        mask &= is_kept[first >> 1]
    chosen = np.flatnonzero(mask)
    return chosen, circular[chosen]


def induced_edges(row_ptr: Longs, col: Vertices, is_kept: Flags) -> tuple[Longs, Vertices]:
    """See `UnitigOperations.induced_edges`."""
    kept = is_kept[csr_tails(row_ptr, col) >> 1] & is_kept[col >> 1]
    return np.concatenate(([0], np.cumsum(kept)))[row_ptr], col[kept]


@kernel
def _copy_rows(row_ptr, col, new_row_ptr, start, stop, new_col):
    """Copy the rows start..stop that are kept."""
    for v in range(start, stop):
        target = new_row_ptr[v]
        for i in range(new_row_ptr[v + 1] - target):
            new_col[target + i] = col[row_ptr[v] + i]


def edges_of_rows(row_ptr: Longs, col: Vertices, is_kept: Flags) -> tuple[Longs, Vertices]:
    """See `UnitigOperations.edges_of_rows`."""
    n = len(is_kept)
    new_row_ptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.diff(row_ptr) * is_kept, out=new_row_ptr[1:])
    new_col = np.empty(new_row_ptr[-1], col.dtype)
    over_ranges(n, lambda start, stop: _copy_rows(row_ptr, col, new_row_ptr, start, stop, new_col))
    return new_row_ptr, new_col
