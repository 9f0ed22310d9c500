"""Index the k-mers of reference sequences; see `screens.scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Codes, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import compare_and_swap, leading_zeros, prefetch, with_word
from debruijn_gpu.backends.core.cpu.scalars import bases_from
from debruijn_gpu.backends.core.cpu.threads import over_ranges
from debruijn_gpu.backends.screens import scalars, sizes
from debruijn_gpu.backends.screens.protocol import KmerIndex
from debruijn_gpu.backends.unitigs import packed_scalars, placement_scalars
from debruijn_gpu.run.hash_seed import hash_seed

_AHEAD = 32  # k-mers from the one whose slot is loaded to the one that is inserted; a power of two


@lean_function
def _swap(slots, slot, expected, value):
    """Store a value in a slot that has an expected one, atomically; return what it had."""
    return compare_and_swap(slots, slot, slots.dtype.type(expected), slots.dtype.type(value))


@lean_function
def _n_leading_equal(difference):
    """Number of bases before the first that differs, of the exclusive or of two words of 32 bases."""
    if difference == np.uint64(0):
        return 32
    return np.int64(leading_zeros(difference) >> np.uint64(1))


compiled = compile_module(
    lean_function,
    kmer_scalars,
    packed_scalars,
    placement_scalars,
    scalars,
    bases_from=bases_from,
    n_leading_equal=_n_leading_equal,
    swap=_swap,
    with_word=with_word,
)
_filter_bit = compiled.filter_bit
_insert_kmer = compiled.insert_kmer
_representative = compiled.representative
_row_of = compiled.row_of
_slot_of = compiled.slot_of


@lean_function
def _insert_range(slots, seed, bases, first, stop, k, ahead, zero):
    """Insert the k-mers first..stop; ``ahead`` has room for the slots that are being loaded."""
    for position in range(first, stop + _AHEAD):
        at = position & (_AHEAD - 1)
        if position >= first + _AHEAD:
            _insert_kmer(slots, ahead[at], bases, position - _AHEAD, k, zero)
        if position < stop:
            ahead[at] = _slot_of(bases, position, k, zero, slots.size, seed)
            prefetch(slots, ahead[at])


@lean_function
def _set_bit(words, bit):
    """Set a bit of words of 32 bits, atomically."""
    word, flag = np.int64(bit >> np.uint64(5)), np.uint32(1) << np.uint32(bit & np.uint64(31))
    held = words[word]
    while held & flag == np.uint32(0):
        found = compare_and_swap(words, word, held, np.uint32(held | flag))
        if found == held:
            return
        held = found


@lean_function
def _set_range(words, bases, first, stop, s, ahead):
    """Set the bits of the s-mers first..stop; see `_insert_range`."""
    for position in range(first, stop + _AHEAD):
        at = position & (_AHEAD - 1)
        if position >= first + _AHEAD:
            _set_bit(words, ahead[at])
        if position < stop:
            ahead[at] = _filter_bit(bases, position, s, words.size)
            prefetch(words, ahead[at] >> np.uint64(5))


@kernel
def _index(starts, stops, bases, k, s, first, last, slots, words, seed, zero):
    """Insert the k-mers and s-mers that begin at the positions first..last into table and filter (in and out)."""
    ahead = np.empty(_AHEAD, np.uint64)
    row = _row_of(first, starts)
    while row < stops.size and starts[row] < last:
        begin = max(first, starts[row])
        if begin < min(last, stops[row] - k + 1):
            _insert_range(slots, seed, bases, begin, min(last, stops[row] - k + 1), k, ahead, zero)
        if begin < min(last, stops[row] - s + 1):
            _set_range(words, bases, begin, min(last, stops[row] - s + 1), s, ahead)
        row += 1


def index_sequences(bases: Codes, starts: Longs, stops: Longs, k: int, filter_bp: int) -> KmerIndex:
    """See `ScreenOperations.index_sequences`."""
    n_positions, n_bases = int(starts[-1]), int((stops - starts[:-1]).sum())
    n_kmers = n_bases - (k - 1) * len(stops)
    slots = np.zeros(sizes.n_slots(n_kmers), sizes.slot_dtype(n_positions))
    words = np.zeros(sizes.n_filter_words(n_bases), np.uint32)
    zero, seed = (np.uint64(0),) * words_per_kmer(k), np.uint64(hash_seed())
    if n_bases:
        over_ranges(
            n_positions,
            lambda first, last: _index(starts, stops, bases, k, filter_bp, first, last, slots, words, seed, zero),
        )
    return KmerIndex(k, filter_bp, bases, starts, stops, slots, words, seed)


@kernel
def _represent(k, zero, index, first, last, found):
    """Write the representatives of the positions first..last (out, int64); see `scalars.representative`."""
    for position in range(first, last):
        found[position] = _representative(position, k, zero, index)


def representatives(index: KmerIndex) -> Longs:
    """See `ScreenOperations.representatives`."""
    found = np.empty(int(index.starts[-1]), np.int64)
    zero = (np.uint64(0),) * words_per_kmer(index.k)
    over_ranges(len(found), lambda first, last: _represent(index.k, zero, index.tables, first, last, found))
    return found
