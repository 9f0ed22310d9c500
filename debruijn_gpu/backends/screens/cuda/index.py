"""Index the k-mers of reference sequences; see `screens.scalars`."""

from __future__ import annotations

from typing import Any

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.arrays.cuda.scans import reduce
from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, with_word, xp
from debruijn_gpu.backends.core.kernel_names import Family
from debruijn_gpu.backends.reads import segment_scalars
from debruijn_gpu.backends.screens import scalars, sizes
from debruijn_gpu.backends.screens.protocol import KmerIndex
from debruijn_gpu.backends.unitigs import packed_scalars, placement_scalars
from debruijn_gpu.run.hash_seed import hash_seed


@device_function
def _swap(slots, slot, expected, value):
    """Store a value in a slot that has an expected one, atomically; return what it had."""
    return cuda.atomic.cas(slots, slot, slots.dtype.type(expected), slots.dtype.type(value))


compiled = compile_module(
    device_function,
    kmer_scalars,
    segment_scalars,
    packed_scalars,
    placement_scalars,
    scalars,
    swap=_swap,
    with_word=with_word,
)
_filter_bit = compiled.filter_bit
_insert_kmer = compiled.insert_kmer
_representative = compiled.representative
_row_of = compiled.row_of
_slot_of = compiled.slot_of


@Family
def _index(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def index(starts, stops, bases, k, s, slots, words, seed):
        """Insert k-mers and s-mers of sequences into a table and a filter. One thread per base.

        Parameters
        ----------
        starts, stops, bases : in; see `KmerIndex`
        k, s : int64
        slots, words : in and out; see `KmerIndex`
        seed : uint64
        """
        for position in range(cuda.grid(1), starts[starts.size - 1], cuda.gridsize(1)):
            row = _row_of(position, starts)
            if position < starts[row]:  # before the first sequence
                continue
            if position + s <= stops[row]:
                bit = _filter_bit(bases, position, s, words.size)
                cuda.atomic.or_(words, np.int64(bit >> np.uint64(5)), np.uint32(1) << np.uint32(bit & np.uint64(31)))
            if position + k <= stops[row]:
                slot = _slot_of(bases, position, k, zero, slots.size, seed)
                _insert_kmer(slots, slot, bases, position, k, zero)

    return index


@guarded
def index_sequences(bases: Array, starts: Array, stops: Array, k: int, filter_bp: int) -> KmerIndex:
    """See `ScreenOperations.index_sequences`."""
    n_positions, n_bases = int(starts[-1]), int(reduce(stops, "sum")) - int(reduce(starts[:-1], "sum"))
    n_kmers = n_bases - (k - 1) * len(stops)
    slots = xp.zeros(sizes.n_slots(n_kmers), sizes.slot_dtype(n_positions))
    words = xp.zeros(sizes.n_filter_words(n_bases), np.uint32)
    seed = np.uint64(hash_seed())
    found = KmerIndex(k, filter_bp, contiguous(bases), contiguous(starts), contiguous(stops), slots, words, seed)
    if n_bases:
        tables = found.starts, found.stops, found.bases
        launch(_index(words_per_kmer(k)), n_positions, *tables, np.int64(k), np.int64(filter_bp), slots, words, seed)
    return found


@Family
def _represent(n_words: int) -> Any:
    """Make the kernel for k-mers of a number of words."""
    zero = (np.uint64(0),) * n_words

    @kernel
    def represent(starts, stops, bases, slots, words, seed, k, found):
        """Write representatives (out, int64 (n,)); see `scalars.representative`. One thread per base.

        Parameters
        ----------
        starts, stops, bases, slots, words, seed : in; see `KmerIndex`
        k : int64
        found : out, int64 (n,)
        """
        for position in range(cuda.grid(1), found.size, cuda.gridsize(1)):
            found[position] = _representative(position, k, zero, (starts, stops, bases, slots, words, seed))

    return represent


@guarded
def representatives(index: KmerIndex) -> Array:
    """See `ScreenOperations.representatives`."""
    found = xp.empty(int(index.starts[-1]), np.int64)
    launch(_represent(words_per_kmer(index.k)), len(found), *index.tables, np.int64(index.k), found)
    return found
