"""Sorted sets of k-mers that give any range of codes, wherever they are stored."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.kmers.table import KmerTable

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array, Codes, Counts

#: The words of codes, most significant first: an array (words, n), or an array for each word
Words: TypeAlias = "NDArray[np.uint64] | Sequence[NDArray[np.uint64]]"

_WORD_BITS = 64
_MARKED_KMERS = 1 << 14
_MOST_MARKS = 16  # of a set on a device, each a transfer
_READ_KMERS = 1 << 13  # that a device transfers in about the time of one


class MarkedKmers(Protocol):
    """A set of k-mers in ascending order of their codes, wherever it is stored.

    Attributes
    ----------
    name : str
        For messages.
    k : int
    canonical : bool
        Whether a k-mer stands for its reverse complement, too.
    """

    @property
    def name(self) -> str: ...

    @property
    def k(self) -> int: ...

    @property
    def canonical(self) -> bool: ...

    def __len__(self) -> int:
        """Number of distinct k-mers."""

    def marks(self) -> Sequence[tuple[int, int]]:
        """Return codes in ascending order, each with the number of k-mers from it to the next one."""


class SortedKmers(MarkedKmers, Protocol):
    """A set of k-mers in ascending order of their codes, which this process can read."""

    def read(self, low: int, high: int) -> tuple[Codes, Counts]:
        """Read the k-mers with codes of at least ``low`` and below ``high``; safe to call from several threads.

        Returns codes, dtype=uint64, shape=(words, n), and counts, dtype=uint32, shape=(n,), of the host.
        """

    def check(self) -> None:
        """Raise FormatError if what `read` has not read yet is damaged."""

    def close(self) -> None:
        """Free memory and scratch space."""


@dataclass(frozen=True)
class HeldKmers:
    """A set of k-mers in memory; see `SortedKmers`.

    Attributes
    ----------
    name : str
    table : KmerTable
        Of the host.
    """

    name: str
    table: KmerTable

    @property
    def k(self) -> int:
        """Length of the k-mers."""
        return self.table.k

    @property
    def canonical(self) -> bool:
        """Whether a k-mer stands for its reverse complement, too."""
        return self.table.canonical

    def __len__(self) -> int:
        return len(self.table)

    def marks(self) -> list[tuple[int, int]]:
        """See `SortedKmers.marks`."""
        n = len(self.table)
        return [(code_at(self.table.codes, i), min(_MARKED_KMERS, n - i)) for i in range(0, n, _MARKED_KMERS)]

    def read(self, low: int, high: int) -> tuple[Codes, Counts]:
        """See `SortedKmers.read`."""
        rows = rows_between(self.table.codes, low, high)
        return self.table.codes[:, rows], self.table.counts[rows]

    def check(self) -> None:
        """See `SortedKmers.check`: memory is sound."""

    def close(self) -> None:
        """See `SortedKmers.close`."""


class DeviceKmers:
    """A set of k-mers in memory of a device; see `SortedKmers`.

    Parameters
    ----------
    name : str
    table : KmerTable
        Arrays of the backend.
    to_host : callable
        That of the backend.
    """

    def __init__(self, name: str, table: KmerTable, to_host: Callable[[Array], Array]) -> None:
        self.name, self.k, self.canonical = name, table.k, table.canonical
        self._table, self._to_host = table, to_host
        n = len(table)
        self._step = max(_MARKED_KMERS, -(-n // _MOST_MARKS))
        firsts = range(0, n, self._step)
        self._marked = [self._code_at(i) for i in firsts]
        self._rows: dict[int, int] = {}  # of codes that were looked for

    def __len__(self) -> int:
        return len(self._table)

    def marks(self) -> list[tuple[int, int]]:
        """See `SortedKmers.marks`."""
        n, step = len(self), self._step
        return [(code, min(step, n - i * step)) for i, code in enumerate(self._marked)]

    def slices(self, low: int, high: int) -> tuple[Array, Array]:
        """Return the k-mers with codes of at least ``low`` and below ``high``, arrays of the backend."""
        rows = slice(self._row_of(low), self._row_of(high))
        return self._table.codes[:, rows], self._table.counts[rows]

    def read(self, low: int, high: int) -> tuple[Codes, Counts]:
        """See `SortedKmers.read`."""
        codes, counts = self.slices(low, high)
        return self._to_host(codes), self._to_host(counts)

    def check(self) -> None:
        """See `SortedKmers.check`: memory is sound."""

    def close(self) -> None:
        """See `SortedKmers.close`."""

    def _row_of(self, code: int) -> int:
        """Find the first k-mer with at least some code: single ones are read, then those that are left together."""
        if code not in self._rows:
            block = max(0, bisect_right(self._marked, code) - 1)
            low, high = block * self._step, min(len(self), (block + 1) * self._step)
            while high - low > _READ_KMERS:
                middle = (low + high) // 2
                low, high = (middle, high) if self._code_at(middle) < code else (low, middle)
            words = [self._to_host(word[low:high]) for word in self._table.codes]
            self._rows[code] = low + bisect_left(_CodeList(words), code)
        return self._rows[code]

    def _code_at(self, i: int) -> int:
        return code_at([self._to_host(word[i : i + 1]) for word in self._table.codes], 0)


class _CodeList(Sequence[int]):
    """Codes as integers, for binary search."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def __len__(self) -> int:
        return len(self._words[0])

    def __getitem__(self, i: int) -> int:  # type: ignore[override]
        return code_at(self._words, i)


def code_at(words: Words, i: int) -> int:
    """Code of one k-mer, as an integer."""
    code = 0
    for word in words:
        code = code << _WORD_BITS | int(word[i])
    return code


def code_words(code: int, k: int) -> NDArray[np.uint64]:
    """Words of a code, the most significant first: dtype=uint64, shape=(ceil(k / 32),)."""
    n_bytes = 8 * words_per_kmer(k)
    return np.frombuffer(code.to_bytes(n_bytes, "big"), ">u8").astype(np.uint64)


def rows_between(words: Words, low: int, high: int) -> slice:
    """Return the rows of ascending codes that are at least ``low`` and below ``high``."""
    listed = _CodeList(words)
    start = bisect_left(listed, low)
    return slice(start, bisect_left(listed, high, start))


def is_ascending(words: Words) -> bool:
    """Return whether codes ascend, without repeats."""
    *others, last = words
    is_less = last[:-1] < last[1:]
    for word in reversed(others):  # a more significant word decides, unless it is equal
        is_less = (word[:-1] < word[1:]) | ((word[:-1] == word[1:]) & is_less)
    return bool(is_less.all())
