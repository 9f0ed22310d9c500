"""Build a colour index from joint counts, range by range of k-mers, in memory or in temporary files."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.backends.kmers.containers import JointCounts
from debruijn_gpu.colors.color_sets import ColorSets, no_color_sets
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.spilling import SpillingArrays
from debruijn_gpu.run.tuning import tuning
from debruijn_gpu.sets.joint import over_joined
from debruijn_gpu.sets.source import SortedKmers, code_at, rows_between

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import ArrayBackend, AssemblyBackend


#: Number (uint32) of each colour set of each range; None: those of the range
Numbers: TypeAlias = "list[NDArray[np.uint32] | None]"

_WAITING_SHARE = 64  # of the memory that is left, for the samples of colour sets that wait


class DistinctColorSets:
    """Distinct colour sets of all ranges, numbered in order of their first k-mer.

    The sets of new ranges wait until they are as large as those numbered before, so that each is compared a few times,
    however many ranges come.

    Parameters
    ----------
    backend : ArrayBackend
    memory_bytes : int
        Memory of the build; a small share of it is for sets that wait.
    """

    def __init__(self, backend: ArrayBackend, memory_bytes: int) -> None:
        self._backend = backend
        self._least_waiting = min(tuning().waiting_colors, memory_bytes // _WAITING_SHARE // 4)
        self._sets = no_color_sets()
        self._waiting: list[ColorSets] = []
        self._n_waiting = 0
        self.numbers: Numbers = []

    def add(self, sets: ColorSets) -> None:
        """Add the distinct sets of a range."""
        self._waiting.append(sets)
        self._n_waiting += len(sets.samples) + len(sets)
        if self._n_waiting > max(self._least_waiting, len(self._sets.samples) + len(self._sets)):
            self._merge()

    def finish(self) -> tuple[ColorSets, Numbers]:
        """Return all distinct sets, and the numbers of the sets of each range."""
        if self._waiting:
            self._merge()
        return self._sets, self.numbers

    def _merge(self) -> None:
        """Number the sets that wait."""
        if not len(self._sets) and len(self._waiting) == 1:  # they are distinct
            (self._sets,), self._waiting, self._n_waiting = self._waiting, [], 0
            self.numbers.append(None)
            return
        parts = [self._sets, *self._waiting]
        ends = list(accumulate((len(part.samples) for part in parts), initial=0))
        row_ptr = np.concatenate([[0], *(part.row_ptr[1:] + at for part, at in zip(parts, ends, strict=False))])
        every = ColorSets(row_ptr.astype(np.int64), np.concatenate([part.samples for part in parts]))
        self._sets, ids = distinct_color_sets(every, self._backend)
        bounds = np.cumsum([len(part) for part in parts])
        self.numbers += np.split(ids, bounds[:-1])[1:]
        self._waiting, self._n_waiting = [], 0


def distinct_color_sets(sets: ColorSets, backend: ArrayBackend) -> tuple[ColorSets, NDArray[np.uint32]]:
    """Return the distinct ones of some sets, in order of their first occurrence, and the number of each set."""
    found = _distinct(backend.to_device(sets.row_ptr), backend.to_device(sets.samples), backend)
    ids, row_ptr, samples = map(backend.to_host, found)
    return ColorSets(row_ptr, samples), ids


def _distinct(row_ptr: Array, samples: Array, backend: ArrayBackend) -> tuple[Array, Array, Array]:
    """Number of each row, and the distinct rows in order of their first occurrence."""
    ids, firsts = backend.arrays.distinct_rows(row_ptr, samples)
    return ids, *backend.arrays.gather_rows(row_ptr, samples, firsts)


class SpooledKmers:
    """Colored k-mers in ascending parts, in memory or in a scratch file; see `SortedKmers` and `ColorIndex.colored`.

    Parameters
    ----------
    k : int
    canonical : bool
    run : RunOptions
    """

    name = "the colored k-mers"

    def __init__(self, k: int, canonical: bool, run: RunOptions) -> None:
        self.k = k
        self.canonical = canonical
        budget = int(tuning().partitions_share * memory_left(run.memory))
        self._arrays = SpillingArrays(budget, run.tmp_dir)
        self._parts: list[list[int]] = []
        self._sizes: list[int] = []
        self._first_codes: list[int] = []
        self._ranges: list[int] = []
        self._numbers: Numbers = []
        self._whole: tuple[NDArray[np.uint64], NDArray[np.uint32]] | None = None
        self._lock = threading.Lock()

    def add(self, codes: NDArray[np.uint64], ids: NDArray[np.uint32], in_range: int) -> None:
        """Append k-mers of one range (words, n), and their colour sets as numbered in that range."""
        if len(ids):
            self._parts.append([self._arrays.add(array) for array in (*codes, ids)])
            self._sizes.append(len(ids))
            self._first_codes.append(code_at(codes, 0))
            self._ranges.append(in_range)

    def number(self, numbers: Numbers) -> None:
        """Set the numbers of the colour sets of each range."""
        self._numbers = numbers

    def __len__(self) -> int:
        return sum(self._sizes)

    def marks(self) -> list[tuple[int, int]]:
        """See `SortedKmers.marks`: the first codes of the parts."""
        return list(zip(self._first_codes, self._sizes, strict=True))

    def read(self, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """See `SortedKmers.read`; the counts are 1 + the numbers of colour sets.

        K-mers in memory that are read as a whole are held so from then on, once, and later results share their memory.
        """
        with self._lock:
            codes, marks = self._whole or self._read_parts(low, high)
            if self._whole is None and len(marks) == len(self) and self._arrays.is_in_memory:
                self._whole = codes, marks
                self._arrays.close()
        rows = rows_between(codes, low, high)
        return codes[:, rows], marks[rows]

    def _read_parts(self, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Read the parts with k-mers between two codes."""
        first = max(0, bisect_right(self._first_codes, low) - 1)
        last = first
        while last < len(self._parts) and self._first_codes[last] < high:
            last += 1
        if last == first + 1 and self._arrays.is_in_memory:  # one part is not copied
            *words, ids = map(self._arrays.read, self._parts[first])
            whole = words[0].reshape(1, -1) if len(words) == 1 else np.stack(words)
            return whole, self._marks(first, ids)
        n = sum(self._sizes[first:last])
        codes, marks = np.empty((words_per_kmer(self.k), n), np.uint64), np.empty(n, np.uint32)
        at = 0
        for part in range(first, last):
            end = at + self._sizes[part]
            for number, target in zip(self._parts[part], (*codes, marks), strict=True):
                self._arrays.read_into(number, 0, target[at:end])
            marks[at:end] = self._marks(part, marks[at:end])
            at = end
        return codes, marks

    def _marks(self, part: int, ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return 1 + the colour sets of a part, which are numbered as in its range."""
        numbers = self._numbers[self._ranges[part]]
        marks: NDArray[np.uint32] = (ids if numbers is None else numbers[ids]) + np.uint32(1)
        return marks

    def check(self) -> None:
        """See `SortedKmers.check`: parts are checked when they are read."""

    def close(self) -> None:
        """See `SortedKmers.close`."""
        self._whole = None
        self._arrays.close()


@dataclass(frozen=True)
class ColoredPart:
    """K-mers of a range of codes and their colour sets, in memory of the host.

    Attributes
    ----------
    codes : ndarray, dtype=uint64, shape=(words, n)
    ids : ndarray, dtype=uint32, shape=(n,)
        Colour sets as numbered in this range.
    sets : ColorSets
        Those of this range, in the order of their first k-mer.
    """

    codes: NDArray[np.uint64]
    ids: NDArray[np.uint32]
    sets: ColorSets


def colored_part(joint: JointCounts, backend: ArrayBackend) -> ColoredPart:
    """Find the distinct colour sets of joint counts, arrays of the backend."""
    ids, row_ptr, samples = _distinct(joint.row_ptr, joint.samples, backend)
    codes, ids, row_ptr, samples = map(backend.to_host, (joint.kmers, ids, row_ptr, samples))
    return ColoredPart(codes, ids, ColorSets(row_ptr, samples))


def build_color_index(
    sets: Sequence[SortedKmers], names: tuple[str, ...], run: RunOptions, backend: AssemblyBackend
) -> ColorIndex:
    """Build the colour index of samples; close it.

    Parameters
    ----------
    sets : sequence of SortedKmers
        K-mers of each sample, at least one.
    names : tuple of str
        Of the samples.
    run : RunOptions
        Threads and memory change no result.
    backend : AssemblyBackend
    """
    parts = over_joined(sets, lambda joint: colored_part(joint, backend), run, backend, with_counts=False, in_few=True)
    n_kmers_of_sample = np.array([len(one) for one in sets], np.int64)
    return index_of_parts(parts, sets[0].k, sets[0].canonical, names, n_kmers_of_sample, run, backend)


def index_of_parts(
    parts: Iterable[ColoredPart],
    k: int,
    canonical: bool,
    names: tuple[str, ...],
    n_kmers_of_sample: NDArray[np.int64],
    run: RunOptions,
    backend: ArrayBackend,
) -> ColorIndex:
    """Build a colour index of parts whose k-mers ascend from one to the next; see `build_color_index`."""
    spooled, found = SpooledKmers(k, canonical, run), DistinctColorSets(backend, memory_left(run.memory))
    try:
        for i, part in enumerate(parts):
            spooled.add(part.codes, part.ids, i)
            found.add(part.sets)
        sets, numbers = found.finish()
    except BaseException:
        spooled.close()
        raise
    spooled.number(numbers)
    return ColorIndex(k, canonical, spooled, sets, names, n_kmers_of_sample)
