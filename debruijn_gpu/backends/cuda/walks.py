"""Walks through graphs whose vertices come in mirrored pairs (v and v ^ 1): unitigs and contraction.

Of ragged lists, one may have nearly all items and most only one. So a thread takes an item, and looks up whose it is.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.array_interface import Array
from debruijn_gpu.backends.cuda.csr import row_of
from debruijn_gpu.backends.cuda.filling import counted, filled
from debruijn_gpu.backends.cuda.keys import gather
from debruijn_gpu.backends.cuda.memory import guarded
from debruijn_gpu.backends.cuda.runtime import contiguous, cuda, device_function, kernel, launch, xp
from debruijn_gpu.backends.cuda.scans import exclusive_scan
from debruijn_gpu.backends.cuda.selecting import select, selected_positions, selected_values

_RUN = 16  # steps that a thread adds up


@kernel
def _find_unique_successors(row_ptr, col, successor):
    """The successor of each vertex where both have no other choice. One thread a vertex.

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
            mirror = np.int64(col[start]) ^ 1
            if mirror != v and row_ptr[mirror + 1] - row_ptr[mirror] == 1:
                following = mirror ^ 1
        successor[v] = following


@guarded
def unique_successors(row_ptr: Array, col: Array) -> Array:
    """See `UnitigBackend.unique_successors`."""
    successor = xp.empty(row_ptr.size - 1, col.dtype)
    launch(_find_unique_successors, successor.size, contiguous(row_ptr), contiguous(col), successor)
    return successor


@kernel
def _lengths_of(offsets, chosen, lengths):
    """Items of the chosen lists. One thread a chosen one.

    Parameters
    ----------
    offsets : in, int64 (n_lists + 1,)
    chosen : in, unsigned or int64 (n,)
    lengths : out, int64 (n,)
    """
    for i in range(cuda.grid(1), lengths.size, cuda.gridsize(1)):
        at = np.int64(chosen[i])
        lengths[i] = offsets[at + 1] - offsets[at]


def offsets_of(offsets: Array, chosen: Array) -> Array:
    """Where the chosen ones of ragged lists begin when they come one after another, and where the last ends."""
    lengths = xp.empty(chosen.size, np.int64)
    launch(_lengths_of, lengths.size, offsets, chosen, lengths)
    return exclusive_scan(lengths)


@kernel
def _take_items(offsets, items, chosen, new_offsets, taken):
    """Items of the chosen lists. One thread an item of the result.

    Parameters
    ----------
    offsets : in, int64 (n_lists + 1,)
    items : in, uint32 or uint64
    chosen : in, int64 (n,)
    new_offsets : in, int64 (n + 1,)
    taken : out, dtype of items (new_offsets[n],)
    """
    for place in range(cuda.grid(1), taken.size, cuda.gridsize(1)):
        i = row_of(place, new_offsets, 0, chosen.size - 1)
        taken[place] = items[offsets[chosen[i]] + place - new_offsets[i]]


@guarded
def take_lists(offsets: Array, items: Array, chosen: Array) -> tuple[Array, Array]:
    """See `UnitigBackend.take_lists`."""
    offsets, items, chosen = map(contiguous, (offsets, items, chosen))
    new_offsets = offsets_of(offsets, chosen)
    taken = xp.empty(int(new_offsets[-1]), items.dtype)
    launch(_take_items, taken.size, offsets, items, chosen, new_offsets, taken)
    return new_offsets, taken


@device_function
def _last_vertex(offsets, steps, end):
    """Last vertex of a walk (2 * walk) or of its mirror (2 * walk + 1)."""
    walk = end >> 1
    if end & 1:
        return np.int64(steps[offsets[walk]]) ^ 1
    return np.int64(steps[offsets[walk + 1] - 1])


@kernel
def _open_walks(offsets, steps, entry):
    """Note the first vertex of each walk and of its mirror: the mirror of the last one of the other. One thread a walk
    or mirror.

    Parameters
    ----------
    offsets, steps : in, int64 (n_walks + 1,), uint32 or uint64
    entry : in and out, dtype of steps (n_vertices,); 2 * walk or 2 * walk + 1
    """
    for end in range(cuda.grid(1), 2 * (offsets.size - 1), cuda.gridsize(1)):
        entry[_last_vertex(offsets, steps, end) ^ 1] = end ^ 1


@kernel
def _count_links(row_ptr, col, offsets, steps, entry, degrees):
    """Number of edges out of the end of each walk and mirror that lead to a walk. One thread a walk or mirror.

    Parameters
    ----------
    row_ptr, col, offsets, steps : in; see `UnitigBackend.contract`
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
    """The edges between walks, ascending in each row. One thread a walk or mirror.

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
    """See `UnitigBackend.contract`."""
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
def _halve(steps, inner):
    """The inner walk that each step stands for. One thread a step; steps (in) and inner (out) are uint32 or uint64."""
    for i in range(cuda.grid(1), steps.size, cuda.gridsize(1)):
        inner[i] = np.uint64(steps[i]) >> np.uint64(1)


@kernel
def _expand_steps(steps, starts, inner_offsets, inner_steps, expanded):
    """Vertices of walks over walks. One thread a vertex of the result.

    Parameters
    ----------
    steps : in, uint32 or uint64 (n,)
    starts : in, int64 (n + 1,); where what a step stands for begins in the result
    inner_offsets, inner_steps : in, int64 (n_inner + 1,), uint32 or uint64
    expanded : out, dtype of inner_steps (starts[n],)
    """
    for place in range(cuda.grid(1), expanded.size, cuda.gridsize(1)):
        i = row_of(place, starts, 0, steps.size - 1)
        step = np.int64(steps[i])
        within = place - starts[i]
        if step & 1:
            expanded[place] = np.uint64(inner_steps[inner_offsets[(step >> 1) + 1] - 1 - within]) ^ np.uint64(1)
        else:
            expanded[place] = inner_steps[inner_offsets[step >> 1] + within]


@guarded
def expand(offsets: Array, steps: Array, inner_offsets: Array, inner_steps: Array) -> tuple[Array, Array]:
    """See `UnitigBackend.expand`."""
    steps, inner_offsets, inner_steps = map(contiguous, (steps, inner_offsets, inner_steps))
    inner = xp.empty(steps.size, steps.dtype)
    launch(_halve, steps.size, steps, inner)
    starts = offsets_of(inner_offsets, inner)
    expanded = xp.empty(int(starts[-1]), inner_steps.dtype)
    launch(_expand_steps, expanded.size, steps, starts, inner_offsets, inner_steps, expanded)
    return gather(starts, contiguous(offsets)), expanded


@kernel
def _double(steps):
    """0, 2, 4 and so on (out, uint32 or uint64). One thread a step."""
    for i in range(cuda.grid(1), steps.size, cuda.gridsize(1)):
        steps[i] = 2 * i


@guarded
def single_steps(n: int, like: Array) -> tuple[Array, Array]:
    """See `UnitigBackend.single_steps`."""
    steps = xp.empty(n, like.dtype)
    launch(_double, n, steps)
    return counted(n + 1, np.int64), steps


@kernel
def _mark_chosen(offsets, steps, circular, alive, mask):
    """Of each walk and its mirror one. One thread a walk.

    Parameters
    ----------
    offsets, steps, circular : in, int64 (n + 1,), uint32 or uint64, bool (n,)
    alive : in, bool (n_vertices / 2,); empty if all are
    mask : out, bool (n,)
    """
    for walk in range(cuda.grid(1), mask.size, cuda.gridsize(1)):
        first = np.int64(steps[offsets[walk]])
        if circular[walk]:
            is_chosen = first & 1 == 0
        else:
            is_chosen = first < np.int64(steps[offsets[walk + 1] - 1]) ^ 1
        mask[walk] = is_chosen and (alive.size == 0 or alive[first >> 1])


@guarded
def choose_walks(offsets: Array, steps: Array, circular: Array, alive: Array | None) -> tuple[Array, Array]:
    """See `UnitigBackend.choose_walks`."""
    circular = contiguous(circular)
    living = xp.empty(0, np.bool_) if alive is None else contiguous(alive)
    mask = xp.empty(circular.size, np.bool_)
    launch(_mark_chosen, mask.size, contiguous(offsets), contiguous(steps), circular, living, mask)
    selection = select(mask)
    return selected_positions(selection), selected_values(selection, circular)


@kernel
def _add_weights(weights, offsets, steps, sums):
    """Add the weights of steps to the sums of their walks. One thread a run of steps, which adds up what is of one walk
    before it adds that to the sum; so a long walk is no queue of threads.

    Parameters
    ----------
    weights : in, uint32 or int64
    offsets, steps : in, int64 (n + 1,), uint32 or uint64
    sums : in and out, int64 (n,)
    """
    for run in range(cuda.grid(1), -(-steps.size // _RUN), cuda.gridsize(1)):
        at = run * _RUN
        stop = min(at + _RUN, steps.size)
        walk = row_of(at, offsets, 0, sums.size - 1)
        while at < stop:
            end = min(offsets[walk + 1], stop)
            total = np.int64(0)
            for i in range(at, end):
                total += np.int64(weights[np.int64(steps[i]) >> 1])
            cuda.atomic.add(sums, walk, total)
            at = end
            walk += 1


@guarded
def sum_lists(weights: Array, offsets: Array, steps: Array) -> Array:
    """See `UnitigBackend.sum_lists`."""
    sums = xp.zeros(offsets.size - 1, np.int64)
    n_runs = -(-steps.size // _RUN)
    launch(_add_weights, n_runs, contiguous(weights), contiguous(offsets), contiguous(steps), sums)
    return sums


@kernel
def _count_living(row_ptr, col, alive, degrees):
    """Number of edges of each row between vertices that are alive. One thread a vertex.

    Parameters
    ----------
    row_ptr, col, alive : in; see `UnitigBackend.living_edges`
    degrees : out, int64 (n_vertices,)
    """
    for v in range(cuda.grid(1), degrees.size, cuda.gridsize(1)):
        degree = 0
        if alive[v >> 1]:
            for e in range(row_ptr[v], row_ptr[v + 1]):
                if alive[np.int64(col[e]) >> 1]:
                    degree += 1
        degrees[v] = degree


@kernel
def _write_living(row_ptr, col, alive, new_row_ptr, new_col):
    """The edges between vertices that are alive. One thread a vertex.

    Parameters
    ----------
    row_ptr, col, alive : in; see `UnitigBackend.living_edges`
    new_row_ptr : in, int64 (n_vertices + 1,)
    new_col : out, dtype of col (new_row_ptr[n_vertices],)
    """
    for v in range(cuda.grid(1), new_row_ptr.size - 1, cuda.gridsize(1)):
        at = new_row_ptr[v]
        if at < new_row_ptr[v + 1]:
            for e in range(row_ptr[v], row_ptr[v + 1]):
                if alive[np.int64(col[e]) >> 1]:
                    new_col[at] = col[e]
                    at += 1


@guarded
def living_edges(row_ptr: Array, col: Array, alive: Array) -> tuple[Array, Array]:
    """See `UnitigBackend.living_edges`."""
    row_ptr, col, alive = map(contiguous, (row_ptr, col, alive))
    degrees = xp.empty(row_ptr.size - 1, np.int64)
    launch(_count_living, degrees.size, row_ptr, col, alive, degrees)
    new_row_ptr = exclusive_scan(degrees)
    new_col = xp.empty(int(new_row_ptr[-1]), col.dtype)
    launch(_write_living, degrees.size, row_ptr, col, alive, new_row_ptr, new_col)
    return new_row_ptr, new_col
