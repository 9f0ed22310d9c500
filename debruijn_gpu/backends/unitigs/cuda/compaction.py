"""Compact graphs whose vertices come in reverse-complement pairs (v and v ^ 1): unitigs and contraction."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions, selected_values
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.fill import filled
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp


@kernel
def _find_unique_successors(row_ptr, col, successor):
    """The successor of each vertex where both have no other choice. One thread per vertex.

    Parameters
    ----------
    row_ptr, col : in, CSR over n vertices; uint32 or uint64
    successor : out, dtype of col (n,); n where there is none
    """
    n = successor.size
    for v in range(cuda.grid(1), n, cuda.gridsize(1)):
        following = np.int64(n)
        start = row_ptr[v]
        if row_ptr[v + 1] - start == 1:
            reverse = np.int64(col[start]) ^ 1
            if reverse != v and row_ptr[reverse + 1] - row_ptr[reverse] == 1:
                following = reverse ^ 1
        successor[v] = following


@guarded
def unique_successors(row_ptr: Array, col: Array) -> Array:
    """See `UnitigOperations.unique_successors`."""
    successor = xp.empty(row_ptr.size - 1, col.dtype)
    launch(_find_unique_successors, successor.size, contiguous(row_ptr), contiguous(col), successor)
    return successor


@device_function
def _last_vertex(offsets, steps, end):
    """Last vertex of a walk (2 * walk) or of its reverse complement (2 * walk + 1)."""
    walk = end >> 1
    if end & 1:
        return np.int64(steps[offsets[walk]]) ^ 1
    return np.int64(steps[offsets[walk + 1] - 1])


@kernel
def _open_walks(offsets, steps, entry):
    """Note the first vertex of each walk and of its reverse complement: the reverse complement of the last one of the
    other. One thread per walk or reverse complement.

    Parameters
    ----------
    offsets, steps : in, int64 (n_walks + 1,), uint32 or uint64
    entry : in and out, dtype of steps (n_vertices,); 2 * walk or 2 * walk + 1
    """
    for end in range(cuda.grid(1), 2 * (offsets.size - 1), cuda.gridsize(1)):
        entry[_last_vertex(offsets, steps, end) ^ 1] = end ^ 1


@kernel
def _count_links(row_ptr, col, offsets, steps, entry, degrees):
    """Number of edges out of the end of each walk and reverse complement that lead to a walk. One thread per walk or
    reverse complement.

    Parameters
    ----------
    row_ptr, col, offsets, steps : in; see `UnitigOperations.contract`
    entry : in, dtype of steps (n_vertices,); see `_open_walks`; n_vertices where none begins
    degrees : out, int64 (2 * n_walks,)
    """
    for end in range(cuda.grid(1), degrees.size, cuda.gridsize(1)):
        v = _last_vertex(offsets, steps, end)
        degree = 0
        for e in range(row_ptr[v], row_ptr[v + 1]):
            if np.int64(entry[col[e]]) < entry.size:
                degree += 1
        degrees[end] = degree


@kernel
def _write_links(row_ptr, col, offsets, steps, entry, new_row_ptr, new_col):
    """The edges between walks, ascending in each row. One thread per walk or reverse complement.

    Parameters
    ----------
    row_ptr, col, offsets, steps, entry : in; see `_count_links`
    new_row_ptr : in, int64 (2 * n_walks + 1,)
    new_col : out, dtype of col
    """
    for end in range(cuda.grid(1), new_row_ptr.size - 1, cuda.gridsize(1)):
        v = _last_vertex(offsets, steps, end)
        first = new_row_ptr[end]
        stop = first
        for e in range(row_ptr[v], row_ptr[v + 1]):
            head = np.int64(entry[col[e]])
            if head < entry.size:
                at = stop
                while at > first and np.int64(new_col[at - 1]) > head:
                    new_col[at] = new_col[at - 1]
                    at -= 1
                new_col[at] = head
                stop += 1


@guarded
def contract(row_ptr: Array, col: Array, offsets: Array, steps: Array) -> tuple[Array, Array]:
    """See `UnitigOperations.contract`."""
    arrays = tuple(map(contiguous, (row_ptr, col, offsets, steps)))
    n_vertices, n_ends = row_ptr.size - 1, 2 * (offsets.size - 1)
    entry = filled(n_vertices, steps.dtype.type(n_vertices))
    launch(_open_walks, n_ends, *arrays[2:], entry)
    degrees = xp.empty(n_ends, np.int64)
    launch(_count_links, n_ends, *arrays, entry, degrees)
    new_row_ptr = exclusive_scan(degrees)
    new_col = xp.empty(int(new_row_ptr[-1]), col.dtype)
    launch(_write_links, n_ends, *arrays, entry, new_row_ptr, new_col)
    return new_row_ptr, new_col


@kernel
def _mark_chosen(offsets, steps, circular, is_kept, mask):
    """Choose one walk of each reverse-complement pair. One thread per walk.

    Parameters
    ----------
    offsets, steps, circular : in, int64 (n + 1,), uint32 or uint64, bool (n,)
    is_kept : in, bool (n_vertices / 2,); empty if all are kept
    mask : out, bool (n,)
    """
    for walk in range(cuda.grid(1), mask.size, cuda.gridsize(1)):
        first = np.int64(steps[offsets[walk]])
        if circular[walk]:
            is_chosen = first & 1 == 0
        else:
            is_chosen = first < np.int64(steps[offsets[walk + 1] - 1]) ^ 1
        mask[walk] = is_chosen and (is_kept.size == 0 or is_kept[first >> 1])


@guarded
def choose_walks(offsets: Array, steps: Array, circular: Array, is_kept: Array | None) -> tuple[Array, Array]:
    """See `UnitigOperations.choose_walks`."""
    circular = contiguous(circular)
    flags = xp.empty(0, np.bool_) if is_kept is None else contiguous(is_kept)
    mask = xp.empty(circular.size, np.bool_)
    launch(_mark_chosen, mask.size, contiguous(offsets), contiguous(steps), circular, flags, mask)
    selection = select(mask)
    return selected_positions(selection), selected_values(selection, circular)


@kernel
def _count_kept_edges(row_ptr, col, is_kept, degrees):
    """Count the edges of each row between kept vertices. One thread per vertex.

    Parameters
    ----------
    row_ptr, col, is_kept : in; see `UnitigOperations.induced_edges`
    degrees : out, int64 (n_vertices,)
    """
    for v in range(cuda.grid(1), degrees.size, cuda.gridsize(1)):
        degree = 0
        if is_kept[v >> 1]:
            for e in range(row_ptr[v], row_ptr[v + 1]):
                if is_kept[np.int64(col[e]) >> 1]:
                    degree += 1
        degrees[v] = degree


@kernel
def _write_kept_edges(row_ptr, col, is_kept, new_row_ptr, new_col):
    """Write the edges between kept vertices. One thread per vertex.

    Parameters
    ----------
    row_ptr, col, is_kept : in; see `UnitigOperations.induced_edges`
    new_row_ptr : in, int64 (n_vertices + 1,)
    new_col : out, dtype of col (new_row_ptr[n_vertices],)
    """
    for v in range(cuda.grid(1), new_row_ptr.size - 1, cuda.gridsize(1)):
        at = new_row_ptr[v]
        if at < new_row_ptr[v + 1]:
            for e in range(row_ptr[v], row_ptr[v + 1]):
                if is_kept[np.int64(col[e]) >> 1]:
                    new_col[at] = col[e]
                    at += 1


@guarded
def induced_edges(row_ptr: Array, col: Array, is_kept: Array) -> tuple[Array, Array]:
    """See `UnitigOperations.induced_edges`."""
    row_ptr, col, is_kept = map(contiguous, (row_ptr, col, is_kept))
    degrees = xp.empty(row_ptr.size - 1, np.int64)
    launch(_count_kept_edges, degrees.size, row_ptr, col, is_kept, degrees)
    new_row_ptr = exclusive_scan(degrees)
    new_col = xp.empty(int(new_row_ptr[-1]), col.dtype)
    launch(_write_kept_edges, degrees.size, row_ptr, col, is_kept, new_row_ptr, new_col)
    return new_row_ptr, new_col


@kernel
def _kept_degrees(row_ptr, is_kept, degrees):
    """Count the edges (out, int64 (n_vertices,)) of each vertex that is kept. One thread per vertex."""
    for v in range(cuda.grid(1), degrees.size, cuda.gridsize(1)):
        degrees[v] = row_ptr[v + 1] - row_ptr[v] if is_kept[v] else 0


@kernel
def _copy_rows(row_ptr, col, new_row_ptr, new_col):
    """Copy the rows that are kept. One thread per vertex."""
    for v in range(cuda.grid(1), new_row_ptr.size - 1, cuda.gridsize(1)):
        target = new_row_ptr[v]
        for i in range(new_row_ptr[v + 1] - target):
            new_col[target + i] = col[row_ptr[v] + i]


@guarded
def edges_of_rows(row_ptr: Array, col: Array, is_kept: Array) -> tuple[Array, Array]:
    """See `UnitigOperations.edges_of_rows`."""
    row_ptr, col, is_kept = map(contiguous, (row_ptr, col, is_kept))
    degrees = xp.empty(row_ptr.size - 1, np.int64)
    launch(_kept_degrees, degrees.size, row_ptr, is_kept, degrees)
    new_row_ptr = exclusive_scan(degrees)
    new_col = xp.empty(int(new_row_ptr[-1]), col.dtype)
    launch(_copy_rows, degrees.size, row_ptr, col, new_row_ptr, new_col)
    return new_row_ptr, new_col
