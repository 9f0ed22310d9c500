"""Overlap graphs: an edge where the end of one string equals the start of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, words_per_kmer
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.graph.names import NUMBERS, VertexNames

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

#: Bytes of an edge while the graph is built
BYTES_PER_EDGE = 32


@dataclass(frozen=True)
class StringEnds:
    """First and last N bases of n strings.

    Attributes
    ----------
    starts, ends : ndarray, dtype=uint64, shape=(ceil(N / 32), n)
        Two-bit codes; any arrangement of the bases that is the same for both.
    has_start, has_end : ndarray, dtype=bool, shape=(n,)
        Whether the string is long enough, and all of these bases are known.
    is_longer : ndarray, dtype=bool, shape=(n,)
        Whether the string has more than N bases.
    """

    starts: NDArray[np.uint64]
    ends: NDArray[np.uint64]
    has_start: NDArray[np.bool_]
    has_end: NDArray[np.bool_]
    is_longer: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.is_longer)

    def taken(self, rows: NDArray[np.int64]) -> StringEnds:
        """Return the ends of some strings."""
        return StringEnds(
            self.starts[:, rows], self.ends[:, rows], self.has_start[rows], self.has_end[rows], self.is_longer[rows]
        )


def concatenate_ends(parts: list[StringEnds]) -> StringEnds:
    """Concatenate the ends of several blocks of strings."""
    n_words = max((len(part.starts) for part in parts), default=words_per_kmer(1))
    words = np.empty((n_words, 0), np.uint64)
    none = np.empty(0, np.bool_)

    def whole(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return codes if len(codes) == n_words else np.zeros((n_words, codes.shape[1]), np.uint64)

    return StringEnds(
        np.concatenate([words, *(whole(part.starts) for part in parts)], axis=1),
        np.concatenate([words, *(whole(part.ends) for part in parts)], axis=1),
        np.concatenate([none, *(part.has_start for part in parts)]),
        np.concatenate([none, *(part.has_end for part in parts)]),
        np.concatenate([none, *(part.is_longer for part in parts)]),
    )


def ends_of_packed(
    bases: NDArray[np.uint64], offsets: NDArray[np.int64], ambiguous_positions: NDArray[np.int64], n_bases: int
) -> StringEnds:
    """Read the first and last bases of packed strings; arguments are those of `ReadBatch`."""
    lengths = np.diff(offsets)
    is_long = lengths >= n_bases
    if not is_long.any():
        return _no_ends(is_long)
    first = np.where(is_long, offsets[:-1], 0)
    last = np.where(is_long, offsets[1:] - n_bases, 0)
    padded = np.append(bases, np.zeros(words_per_kmer(n_bases) + 1, np.uint64))

    def is_known(positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        before, behind = (np.searchsorted(ambiguous_positions, positions + more) for more in (0, n_bases))
        known: NDArray[np.bool_] = is_long & (before == behind)
        return known

    return StringEnds(
        _codes_at(padded, first, n_bases),
        _codes_at(padded, last, n_bases),
        is_known(first),
        is_known(last),
        lengths > n_bases,
    )


def _no_ends(is_long: NDArray[np.bool_]) -> StringEnds:
    """Make the ends of strings that are all too short, in one word each, however long ends should be."""
    none = np.zeros((words_per_kmer(1), len(is_long)), np.uint64)
    return StringEnds(none, none, is_long, is_long, is_long)


def _codes_at(bases: NDArray[np.uint64], positions: NDArray[np.int64], n_bases: int) -> NDArray[np.uint64]:
    """Codes of bases from some positions on, shape (words, n), left-aligned; two words follow the last position."""
    codes = np.empty((words_per_kmer(n_bases), len(positions)), np.uint64)
    word = positions // BASES_PER_WORD
    shift = (2 * (positions % BASES_PER_WORD)).astype(np.uint64)
    for i in range(len(codes)):
        behind = (bases[word + i + 1] >> np.uint64(1)) >> (np.uint64(63) - shift)  # a shift by 64 is undefined
        codes[i] = bases[word + i] << shift | behind
    codes[-1] &= ~np.uint64(0) << np.uint64(-2 * n_bases % 64)
    return codes


def ends_of_kmers(codes: NDArray[np.uint64], k: int, n_bases: int) -> StringEnds:
    """Read the first and last bases, at most k, of k-mers; codes as in `KmerTable`."""
    is_long = np.full(codes.shape[1], n_bases <= k)
    if n_bases > k:
        return _no_ends(is_long)
    n_words = words_per_kmer(n_bases)
    mask = ~np.uint64(0) >> np.uint64(-2 * n_bases % 64)
    words, bits = divmod(2 * (k - n_bases), 64)
    starts = np.empty((n_words, codes.shape[1]), np.uint64)
    for i in range(n_words):
        own = len(codes) - words - n_words + i
        starts[i] = codes[own] >> np.uint64(bits)
        if bits and own:
            starts[i] |= codes[own - 1] << np.uint64(64 - bits)
    ends = codes[len(codes) - n_words :].copy()
    starts[0] &= mask
    ends[0] &= mask
    return StringEnds(starts, ends, is_long, is_long, np.full(codes.shape[1], n_bases < k))


def overlap_graph(
    strings: StringEnds,
    backend: HostBackend,
    loops: bool = False,
    names: VertexNames = NUMBERS,
    check_memory: Callable[[int], None] = lambda _n_edges: None,
) -> Graph:
    """Build the graph of the overlaps by N bases: an edge a -> b where a ends with the N bases that b starts with.

    Starts and ends are sorted together, and each end is linked to the starts that equal it: in the time of a sort, and
    of the edges.

    Parameters
    ----------
    strings : StringEnds
    backend : HostBackend
        Sorts.
    loops : bool
        Whether a string of more than N bases may overlap itself.
    names : VertexNames
    check_memory : callable
        Called with the number of edges before they are made; raises if these are too many.

    Returns
    -------
    Graph
        In NumPy arrays. Heads ascend in each row.
    """
    n = len(strings)
    tails, heads = np.flatnonzero(strings.has_end), np.flatnonzero(strings.has_start)
    of_heads, of_tails = _groups(strings.starts[:, heads], strings.ends[:, tails], backend)
    heads = heads[np.argsort(of_heads, kind="stable")]
    n_groups = int(max(of_heads.max(initial=-1), of_tails.max(initial=-1))) + 1
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(of_heads, minlength=n_groups))))
    degrees = np.zeros(n, np.int64)
    degrees[tails] = np.diff(first)[of_tails]
    row_ptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(degrees)))
    check_memory(int(row_ptr[-1]))
    shift = np.zeros(n, np.int64)
    shift[tails] = first[of_tails]
    col = heads[np.arange(row_ptr[-1]) + np.repeat(shift - row_ptr[:-1], degrees)]
    is_loop = col == np.repeat(np.arange(n), degrees)
    is_dropped = is_loop & ~strings.is_longer[col] if loops else is_loop
    row_ptr = row_ptr - np.concatenate((np.zeros(1, np.int64), np.cumsum(is_dropped)))[row_ptr]
    return Graph(row_ptr, col[~is_dropped].astype(id_type(n)), names)


def _groups(
    starts: NDArray[np.uint64], ends: NDArray[np.uint64], backend: HostBackend
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct codes, in ascending order: of each start and of each end."""
    codes = np.concatenate((starts, ends), axis=1)
    order = backend.arrays.order_by(list(np.ascontiguousarray(codes)))
    codes = codes[:, order]
    number = np.zeros(len(order), np.int64)
    np.cumsum((codes[:, 1:] != codes[:, :-1]).any(axis=0), out=number[1:])
    groups = np.empty(len(order), np.int64)
    groups[order] = number
    return groups[: starts.shape[1]], groups[starts.shape[1] :]
