"""Index the k-mers of any packed sequences, and place reads by those that occur once; see `unitigs.anchor_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, with_word, xp
from debruijn_gpu.backends.reads import segment_scalars
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import anchor_scalars
from debruijn_gpu.backends.unitigs.sizes import ANCHOR_MARK_BITS, index_dtype, index_slots
from debruijn_gpu.run.hash_seed import hash_seed


@device_function
def _swap(slots, slot, expected, value):
    """Store a value in a slot that has an expected one, atomically; return what it had."""
    return cuda.atomic.cas(slots, slot, slots.dtype.type(expected), slots.dtype.type(value))


_compiled = compile_module(
    device_function, kmer_scalars, segment_scalars, anchor_scalars, swap=_swap, with_word=with_word
)
_anchor_at = _compiled.anchor_at
_first_at_or_after = _compiled.first_at_or_after
_insert_anchor = _compiled.insert_anchor
_place_anchors_of = _compiled.place_anchors_of
_row_of = _compiled.row_of


@kernel
def _index(offsets, bases, k, slots, seed):
    """Insert the k-mers of sequences into a hash table (in and out). One thread per base."""
    top_bits = np.uint64(2 * k)
    for position in range(cuda.grid(1), offsets[offsets.size - 1], cuda.gridsize(1)):
        if position + k <= offsets[_row_of(position, offsets) + 1]:
            forward, reverse = _anchor_at(bases, position, top_bits)
            _insert_anchor(slots, seed, bases, forward, reverse, position, top_bits)


@guarded
def index_anchors(offsets: Array, bases: Array, k: int, n_slots: int = 0) -> Array:
    """See `UnitigOperations.index_anchors`."""
    n_bases = int(offsets[-1])
    slots = xp.zeros(n_slots or index_slots(n_bases), index_dtype(n_bases, ANCHOR_MARK_BITS))
    launch(_index, n_bases, contiguous(offsets), contiguous(bases), np.int64(k), slots, np.uint64(hash_seed()))
    return slots


@kernel
def _place(reads, read_offsets, breaks, k, offsets, bases, slots, seed, placed):
    """Place reads; see `anchor_scalars.place_anchors_of`. One thread per read.

    Parameters
    ----------
    reads, read_offsets, breaks : in; packed bases, offsets and ambiguous positions of a batch
    k : int64
    offsets, bases, slots, seed : in; sequences, their hash table and the seed of the hash
    placed : out, int64 (4, n)
    """
    for row in range(cuda.grid(1), placed.shape[1], cuda.gridsize(1)):
        start, stop = read_offsets[row], read_offsets[row + 1]
        low, high = _first_at_or_after(start, breaks), _first_at_or_after(stop, breaks)
        unitigs = (offsets, bases, slots, seed)
        vertex, place, last_vertex, last_place = _place_anchors_of(reads, start, stop, breaks, low, high, k, unitigs)
        placed[0, row], placed[1, row] = vertex, place
        placed[2, row], placed[3, row] = last_vertex, last_place


@guarded
def place_anchors(batch: ReadBatch, k: int, offsets: Array, bases: Array, slots: Array) -> Array:
    """See `UnitigOperations.place_anchors`."""
    n = len(batch.offsets) - 1
    placed = xp.empty((4, n), np.int64)
    reads = contiguous(batch.bases), contiguous(batch.offsets), contiguous(batch.ambiguous_positions)
    unitigs = contiguous(offsets), contiguous(bases), slots, np.uint64(hash_seed())
    launch(_place, n, *reads, np.int64(k), *unitigs, placed)
    return placed
