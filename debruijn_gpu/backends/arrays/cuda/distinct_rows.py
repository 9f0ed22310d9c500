"""Number distinct ragged rows by sorting their hashes; see `ArrayOperations.distinct_rows`.

Rows of one hash are neighbours after the sort, and neighbours are compared. If any differ, all rows are sorted by their
items instead, one column of items after another, so that no hash decides.
"""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.arrays.cuda.keys import gather
from debruijn_gpu.backends.arrays.cuda.masks import select, selected_positions
from debruijn_gpu.backends.arrays.cuda.scans import exclusive_scan, reduce
from debruijn_gpu.backends.arrays.cuda.sorting import order_by
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, kernel, launch, to_host, xp
from debruijn_gpu.backends.core.cuda.scalars import mix
from debruijn_gpu.run.tuning import tuning

_ONE = np.uint64(1)


@kernel
def _hash_rows(offsets, items, mask, hashes):
    """Hash rows. One thread per row.

    Parameters
    ----------
    offsets : in, int64 (n + 1,)
    items : in, uint32
    mask : uint64; bits of the hash to use
    hashes : out, uint64 (n,)
    """
    for row in range(cuda.grid(1), hashes.size, cuda.gridsize(1)):
        found = mix(np.uint64(offsets[row + 1] - offsets[row]) + _ONE)
        for at in range(offsets[row], offsets[row + 1]):
            found = mix(found ^ np.uint64(items[at]))
        hashes[row] = found & mask


@kernel
def _mark_hashes(offsets, items, hashes, order, is_first, n_collisions):
    """Mark rows whose hash differs from that of the row before. One thread per row.

    Parameters
    ----------
    offsets, items, hashes : in; see `_hash_rows`
    order : in, int64 (n,); rows by hash
    is_first : out, bool (n,)
    n_collisions : in and out, uint64 (1,); neighbours that differ and have one hash
    """
    for p in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        row = order[p]
        other = order[max(p, 1) - 1]
        is_first[p] = p == 0 or hashes[row] != hashes[other]
        if not is_first[p]:
            n = offsets[row + 1] - offsets[row]
            is_same = offsets[other + 1] - offsets[other] == n
            j = 0
            while is_same and j < n:
                is_same = items[offsets[row] + j] == items[offsets[other] + j]
                j += 1
            if not is_same:
                cuda.atomic.add(n_collisions, 0, _ONE)


@kernel
def _items_at(offsets, items, depth, keys):
    """Write 1 + item ``depth`` of each row, or 0 where the row is shorter (out, uint64). One thread per row."""
    for row in range(cuda.grid(1), keys.size, cuda.gridsize(1)):
        at = offsets[row] + depth
        keys[row] = np.uint64(items[at]) + _ONE if at < offsets[row + 1] else np.uint64(0)


@kernel
def _mark_classes(classes, keys, order, is_first):
    """Mark rows (out, bool) whose class (in, int64) or key (in, uint64) differs from that of the row before in order.

    One thread per row.
    """
    for p in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        row = order[p]
        other = order[max(p, 1) - 1]
        is_first[p] = p == 0 or classes[row] != classes[other] or keys[row] != keys[other]


@kernel
def _number_rows(order, before, ranks, ids):
    """Write the number of each row. One thread per row.

    Parameters
    ----------
    order : in, int64 (n,); rows, equal ones next to each other
    before : in, uint64 (n + 1,); groups that begin before each position
    ranks : in, int64 (groups,); number of each group
    ids : out, uint32 or int64 (n,)
    """
    for p in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        ids[order[p]] = ranks[np.int64(before[p + 1]) - 1]


@kernel
def _invert(order, ranks):
    """Write the position of each of n elements (out, int64) in an order of them (in, int64). One thread per element."""
    for p in range(cuda.grid(1), order.size, cuda.gridsize(1)):
        ranks[order[p]] = p


@guarded
def distinct_rows(offsets: Array, items: Array) -> tuple[Array, Array]:
    """See `ArrayOperations.distinct_rows`."""
    offsets, items = contiguous(offsets), contiguous(items)
    n = offsets.size - 1
    ids = xp.empty(n, np.uint32)
    if not n:
        return ids, xp.empty(0, np.int64)
    order, is_first = _by_hash(offsets, items)
    before = exclusive_scan(is_first.view(np.uint8))
    firsts = gather(order, selected_positions(select(is_first)))  # the sorts are stable
    ascending = order_by([firsts])
    ranks = xp.empty(firsts.size, np.int64)
    launch(_invert, ranks.size, ascending, ranks)
    launch(_number_rows, n, order, before, ranks, ids)
    return ids, gather(firsts, ascending)


def _by_hash(offsets: Array, items: Array) -> tuple[Array, Array]:
    """Rows (int64), equal ones next to each other in ascending order, and whether each differs from the one before."""
    n = offsets.size - 1
    hashes, is_first, n_collisions = xp.empty(n, np.uint64), xp.empty(n, np.bool_), xp.zeros(1, np.uint64)
    launch(_hash_rows, n, offsets, items, np.uint64(tuning().hash_mask), hashes)
    order = order_by([hashes])
    launch(_mark_hashes, n, offsets, items, hashes, order, is_first, n_collisions)
    return _by_items(offsets, items) if int(to_host(n_collisions)[0]) else (order, is_first)


def _by_items(offsets: Array, items: Array) -> tuple[Array, Array]:
    """See `_by_hash`: rows are divided into classes by one item after another."""
    n = offsets.size - 1
    classes, keys, is_first = xp.zeros(n, np.int64), xp.empty(n, np.uint64), xp.empty(n, np.bool_)
    order = numbers = order_by([classes])  # 0 to n - 1
    for depth in range(int(reduce(offsets[1:] - offsets[:-1], "max")) + 1):
        launch(_items_at, n, offsets, items, np.int64(depth), keys)
        order = order_by([classes, keys])
        launch(_mark_classes, n, classes, keys, order, is_first)
        before = exclusive_scan(is_first.view(np.uint8))
        launch(_number_rows, n, order, before, numbers, classes)
    return order, is_first
