"""Number names of vertices in order of appearance, find them, and gather them."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel, lean_kernel
from debruijn_gpu.backends.core.cpu.intrinsics import prefetch
from debruijn_gpu.backends.core.cpu.scalars import load_chunk
from debruijn_gpu.backends.core.kmer_scalars import EVEN_BITS
from debruijn_gpu.backends.text.cpu.number_printing import number_lines
from debruijn_gpu.run.hash_seed import hash_seed

_U0, _U1, _U8, _U29, _U32 = (np.uint64(n) for n in (0, 1, 8, 29, 32))
_LOW_HALF = np.uint64((1 << 32) - 1)
_LEAST_BITS = 10  # of the number of slots
_AHEAD = 8  # names for which memory is under way at once
_MOST_NAMES = 1 << 31  # slots are found by 32 bits of a hash, and a third of them at least is free


@inlined_kernel
def hash_name(text, start, end, seed):
    """64-bit hash of ``text[start:end]``, all bits good: eight bytes at a time, as `core.scalars.mix`.

    Both factors of each step depend on the seed (uint64, odd; see `run.hash_seed`): with one, names that differ in the
    highest bit of one chunk and in two bits of the next would collide for all seeds (Aumasson and Bernstein 2012).
    """
    h = np.uint64(end - start) * seed
    at = start
    while at < end:
        chunk = load_chunk(text, at)
        if end - at < 8:
            chunk &= (_U1 << (_U8 * np.uint64(end - at))) - _U1
        h = (h ^ chunk) * seed
        h = (h ^ (h >> _U32)) * (seed ^ EVEN_BITS)
        h ^= h >> _U29
        at += 8
    return h


@inlined_kernel
def _is_same(letters, start, end, text, text_start, text_end):
    """Whether two words are the same."""
    same = end - start == text_end - text_start
    i = 0
    while same and i < end - start:
        same = letters[start + i] == text[text_start + i]
        i += 1
    return same


@lean_kernel
def _search(slots, shift, offsets, letters, tag, text, start, end):
    """Slot of a word, or the free one where the search for it ends.

    Parameters
    ----------
    slots : in, uint64, shape (2^n,); the tag above, the number plus 1 below; 0: free
    shift : uint64, 32 - n
    offsets, letters : in, int64 and uint8; names so far
    tag : uint64, high half of the word's hash
    """
    mask = np.uint64(slots.size - 1)
    slot = tag >> shift
    while slots[slot] != _U0:
        if slots[slot] >> _U32 == tag:
            number = (slots[slot] & _LOW_HALF) - _U1
            if _is_same(letters, offsets[number], offsets[number + _U1], text, start, end):
                break
        slot = (slot + _U1) & mask
    return slot


@inlined_kernel
def _ask_ahead(hashes, i, slots, shift, offsets, letters):
    """Have what `_search` looks at for names i + 3, i + 2 and i + 1 times `_AHEAD` brought into the cache."""
    if i + 3 * _AHEAD < hashes.size:
        prefetch(slots, (hashes[i + 3 * _AHEAD] >> _U32) >> shift)
        entry = slots[(hashes[i + 2 * _AHEAD] >> _U32) >> shift]
        if entry != _U0:
            prefetch(offsets, (entry & _LOW_HALF) - _U1)
        entry = slots[(hashes[i + _AHEAD] >> _U32) >> shift]
        if entry != _U0:
            prefetch(letters, np.uint64(offsets[(entry & _LOW_HALF) - _U1]))


@lean_kernel
def _add(words, first, table, n_names, most_names, numbers):
    """Number the names from the `first` on up to ``most_names``; return their number, and the name not numbered.

    Parameters
    ----------
    words : in; text, starts, ends and hashes as in `NameRows`
    table : inout; slots, shift, offsets and letters as in `_search`, with room for most_names + 1 offsets and all
        letters
    numbers : out, uint32, shape (n,)
    """
    text, starts, ends, hashes = words
    slots, shift, offsets, letters = table
    for i in range(first, starts.size):
        _ask_ahead(hashes, i, slots, shift, offsets, letters)
        tag = hashes[i] >> _U32
        slot = _search(slots, shift, offsets, letters, tag, text, starts[i], ends[i])
        if slots[slot] == _U0:
            if n_names == most_names:
                return n_names, i
            at = offsets[n_names]
            for j in range(starts[i], ends[i]):
                letters[at] = text[j]
                at += 1
            n_names += 1
            offsets[n_names] = at
            slots[slot] = tag << _U32 | np.uint64(n_names)
        numbers[i] = np.uint32((slots[slot] & _LOW_HALF) - _U1)
    return n_names, starts.size


@lean_kernel
def _move_slots(slots, larger, shift):
    """Put what is in a table into a larger one (out, uint64, all 0)."""
    mask = np.uint64(larger.size - 1)
    for i in range(slots.size):
        if slots[i] != _U0:
            slot = (slots[i] >> _U32) >> shift
            while larger[slot] != _U0:
                slot = (slot + _U1) & mask
            larger[slot] = slots[i]


def _shift_of(slots):
    return np.uint64(33 - len(slots).bit_length())


def _grown(array, n, used):
    """An array of at least n items with the used ones of this; it grows by half at least."""
    if n <= len(array):
        return array
    larger = np.empty(max(n, len(array) + len(array) // 2), array.dtype)
    larger[:used] = array[:used]
    return larger


class _NameTable:
    """See `text.containers.NameTable`."""

    def __init__(self):
        self._slots = np.zeros(1 << _LEAST_BITS, np.uint64)
        self._offsets = np.zeros(1, np.int64)
        self._letters = np.empty(0, np.uint8)
        self._n = 0

    def add(self, text, starts, ends, hashes):
        """See `NameTable.add`."""
        text = np.require(text, np.uint8, "CW")
        numbers = np.empty(len(starts), np.uint32)
        n_letters = self._offsets[self._n]
        self._letters = _grown(self._letters, n_letters + int((ends - starts).sum()), n_letters)
        done = 0
        while done < len(starts):
            most = min(len(self._slots) // 2, self._n + len(starts) - done)
            self._offsets = _grown(self._offsets, most + 1, self._n + 1)
            table = self._slots, _shift_of(self._slots), self._offsets, self._letters
            self._n, done = _add((text, starts, ends, hashes), done, table, self._n, most, numbers)
            if done < len(starts):
                self._grow()
        return numbers

    def _grow(self):
        if self._n >= _MOST_NAMES:
            raise MemoryError(f"more than {self._n:,} names of vertices")
        larger = np.zeros(2 * len(self._slots), np.uint64)
        _move_slots(self._slots, larger, _shift_of(larger))
        self._slots = larger

    def names(self):
        """See `NameTable.names`."""
        offsets = self._offsets[: self._n + 1].copy()
        return offsets, self._letters[: offsets[-1]].copy()


def name_table():
    """See `TextOperations.name_table`."""
    return _NameTable()


@lean_kernel
def _hash_names(text, starts, ends, seed, hashes):
    """Hash (out, uint64) of each of some names."""
    for i in range(starts.size):
        hashes[i] = hash_name(text, starts[i], ends[i], seed)


def number_names(numbers):
    """See `TextOperations.number_names`."""
    text = np.require(number_lines((numbers,), b"\n", 0, len(numbers)), np.uint8, "CW")
    ends = np.flatnonzero(text == ord("\n"))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    hashes = np.empty(len(numbers), np.uint64)
    _hash_names(text, starts, ends, np.uint64(hash_seed()), hashes)
    return text, starts, ends, hashes


@lean_kernel
def _index(offsets, letters, slots, shift, seed):
    """Fill a table (out, uint64, all 0; see `_search`) with the numbers of names."""
    for i in range(offsets.size - 1):
        tag = hash_name(letters, offsets[i], offsets[i + 1], seed) >> _U32
        slot = _search(slots, shift, offsets, letters, tag, letters, offsets[i], offsets[i + 1])
        if slots[slot] == _U0:
            slots[slot] = tag << _U32 | np.uint64(i + 1)


def index_names(offsets, letters):
    """See `TextOperations.index_names`."""
    n = len(offsets) - 1
    if n > _MOST_NAMES:
        raise MemoryError(f"more than {_MOST_NAMES:,} names of vertices")
    slots = np.zeros(1 << max(1, (n + n // 2).bit_length()), np.uint64)
    names = np.require(offsets, np.int64, "CW"), np.require(letters, np.uint8, "CW")
    _index(*names, slots, _shift_of(slots), np.uint64(hash_seed()))
    return slots


@lean_kernel
def _find(slots, shift, seed, offsets, letters, word):
    """Number of a word, or -1."""
    tag = hash_name(word, 0, word.size, seed) >> _U32
    slot = _search(slots, shift, offsets, letters, tag, word, 0, word.size)
    return np.int64(slots[slot] & _LOW_HALF) - 1


def find_name(index, offsets, letters, word):
    """See `TextOperations.find_name`."""
    names = np.require(offsets, np.int64, "CW"), np.require(letters, np.uint8, "CW")
    return int(_find(index, _shift_of(index), np.uint64(hash_seed()), *names, np.require(word, np.uint8, "CW")))


@inlined_kernel
def ask_for_name(offsets, letters, chosen, i):
    """Have chosen names (uint64) i + 2 and i + 1 times `_AHEAD` brought into the cache."""
    if i + 2 * _AHEAD < chosen.size:
        prefetch(offsets, chosen[i + 2 * _AHEAD])
        prefetch(letters, np.uint64(offsets[chosen[i + _AHEAD]]))


@kernel
def _take(offsets, letters, chosen, new_offsets, taken):
    """Copy names to where they belong (out, uint8)."""
    for i in range(chosen.size):
        ask_for_name(offsets, letters, chosen, i)
        at = new_offsets[i]
        for j in range(offsets[chosen[i]], offsets[chosen[i] + _U1]):
            taken[at] = letters[j]
            at += 1


def gather_names(offsets, letters, chosen):
    """See `TextOperations.gather_names`."""
    chosen = chosen.astype(np.uint64)
    new_offsets = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(offsets[chosen + _U1] - offsets[chosen], out=new_offsets[1:])
    taken = np.empty(new_offsets[-1], np.uint8)
    names = np.require(offsets, np.int64, "CW"), np.require(letters, np.uint8, "CW")
    _take(*names, chosen, new_offsets, taken)
    return new_offsets, taken
