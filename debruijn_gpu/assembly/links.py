"""Links between contigs, and trails of unitigs through the (k-1)-mers at their ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.euler.bidirected import BidirectedGraph, as_ids, bidirected_trails
from debruijn_gpu.graph.graph import Walks, empty_ids
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Longs, Vertices
    from debruijn_gpu.backends.protocol import GraphBackend

Links = NDArray[np.int64]


def sorted_links(links: Links, n_contigs: int) -> Links:
    """Links sorted, each once."""
    return _links(_distinct(_numbers(links, n_contigs)), n_contigs)


def canonical_links(links: Links, n_contigs: int) -> Links:
    """Keep the smaller of each link and its reverse complement, once; sorted."""
    numbers = np.minimum(_numbers(links, n_contigs), _numbers(reverse_complements_of(links), n_contigs))
    return _links(_distinct(numbers), n_contigs)


def one_of_each_pair(links: Links, n_contigs: int) -> Links:
    """Keep the smaller of each link and its reverse complement, in order; the input holds both, once each."""
    return links[_numbers(links, n_contigs) <= _numbers(reverse_complements_of(links), n_contigs)]


def reverse_complements_of(links: Links) -> Links:
    """Return the reverse complement of each link."""
    return links[:, ::-1] ^ 1


def links_at_ends(links: Links, n_contigs: int) -> NDArray[np.int64]:
    """Count the links at the end and at the start of each contig, shape (n_contigs, 2).

    A link and its reverse complement are given once; a link of an end to itself counts once.
    """
    heads = links[:, 1] ^ 1
    others = heads[heads != links[:, 0]]
    return np.bincount(np.concatenate((links[:, 0], others)), minlength=2 * n_contigs).reshape(n_contigs, 2)


def _distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct integers in ascending order."""
    if len(numbers) >= tuning().many_links:
        found: NDArray[np.int64] = backends.host().arrays.distinct(numbers)
        return found
    return sorted_distinct(numbers)


def _bits(n_contigs: int) -> int:
    """Bits of the number of an end; below 2^31 ends two of them fit into an int64."""
    return (2 * n_contigs).bit_length()


def _numbers(links: Links, n_contigs: int) -> NDArray[np.int64]:
    """Links as integers, which sort far quicker than rows."""
    numbers: NDArray[np.int64] = (links[:, 0] << _bits(n_contigs)) | links[:, 1]
    return numbers


def _links(numbers: NDArray[np.int64], n_contigs: int) -> Links:
    bits = _bits(n_contigs)
    links = np.empty((len(numbers), 2), np.int64)
    np.right_shift(numbers, bits, out=links[:, 0])
    np.bitwise_and(numbers, (1 << bits) - 1, out=links[:, 1])
    return links


@dataclass(frozen=True)
class UnitigTrails:
    """Trails through a `UnitigGraph`.

    Attributes
    ----------
    walks : Walks
        Steps are vertices of the unitig graph: 2 * unitig + strand.
    n_kmers, kmer_counts : ndarray, dtype=int64, shape=(n,)
        Number of k-mers of each trail and the sum of their counts, which the copies of a unitig share evenly.
    """

    walks: Walks
    n_kmers: Longs
    kmer_counts: Longs

    def __len__(self) -> int:
        return len(self.walks)


def unitig_trails(graph: UnitigGraph, copies: NDArray[np.integer], backend: GraphBackend) -> UnitigTrails:
    """Find a minimum set of trails that covers each unitig, in either strand, a given number of times.

    Parameters
    ----------
    graph : UnitigGraph
        In NumPy arrays.
    copies : ndarray, dtype=integer, shape=(n,)
        How often each unitig is to be there; 1 or more.
    backend : GraphBackend
    """
    starts, ends, reverse_complement = _ends(graph)
    unitigs = np.repeat(np.arange(len(graph)), copies)
    oriented = empty_ids(2 * len(unitigs), graph.graph.n_vertices)
    oriented[::2], oriented[1::2] = 2 * unitigs, 2 * unitigs + 1
    found = bidirected_trails(BidirectedGraph(starts[oriented], ends[oriented], reverse_complement), backend)
    steps = oriented[found.steps]
    return UnitigTrails(
        Walks(found.offsets, steps, found.circular),
        _sums(graph.n_kmers[steps >> 1], found.offsets),
        _sums(_shares(graph.kmer_counts, copies)[found.steps >> 1], found.offsets),
    )


def trails_of_walks(graph: UnitigGraph, walks: Walks) -> UnitigTrails:
    """Sum up walks over the vertices of a graph (in NumPy arrays); each unitig shares its counts among its copies."""
    unitigs = walks.steps.astype(np.int64) >> 1
    order = np.argsort(unitigs, kind="stable")
    copies = np.bincount(unitigs, minlength=len(graph))
    used = copies > 0
    shares = np.empty(len(unitigs), np.int64)
    shares[order] = _shares(graph.kmer_counts[used], copies[used])
    return UnitigTrails(walks, _sums(graph.n_kmers[unitigs], walks.offsets), _sums(shares, walks.offsets))


def _ends(graph: UnitigGraph) -> tuple[Vertices, Vertices, Vertices]:
    """The (k-1)-mers that unitigs start and end with, as numbers: of the start and of the end of each vertex of the
    graph, and of the reverse complement of each (k-1)-mer.

    Vertices that lead to one and the same vertex end alike. What starts like others but follows nothing gets a number
    of its own: trails have to begin there one by one anyway, and so as few are needed.
    """
    row_ptr, col = graph.graph.row_ptr, graph.graph.col
    n = graph.graph.n_vertices
    own = np.arange(n)
    leads_on = row_ptr[1:] > row_ptr[:-1]
    next_one = np.full(n, -1, np.int64)  # the first successor: heads ascend, so of those that start alike the first
    next_one[leads_on] = col[row_ptr[:-1][leads_on]]
    follows = leads_on[own ^ 1]
    starts = own.copy()
    starts[follows] = next_one[next_one[own[follows] ^ 1] ^ 1]
    ends = np.where(leads_on, starts[next_one], n + own)
    reverse_complement = np.concatenate((ends[own ^ 1], starts[own ^ 1]))
    used = np.zeros(2 * n, np.bool_)
    used[starts] = used[ends] = True
    number = np.cumsum(used) - 1
    return as_ids(number[starts], 2 * n), as_ids(number[ends], 2 * n), as_ids(number[reverse_complement[used]], 2 * n)


def _shares(totals: Longs, copies: NDArray[np.integer]) -> Longs:
    """Totals shared evenly among the copies of each, in whole numbers that add up."""
    rank = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
    total, among = np.repeat(totals, copies), np.repeat(copies, copies).astype(np.int64)
    least, more = total // among, total % among
    shares: Longs = least + ((rank + 1) * more // among - rank * more // among)
    return shares


def _sums(weights: Longs, offsets: Longs) -> Longs:
    """Sum of the weights of each trail's steps; none is without any."""
    sums: Longs = np.add.reduceat(weights, offsets[:-1]) if len(offsets) > 1 else np.zeros(0, np.int64)
    return sums
