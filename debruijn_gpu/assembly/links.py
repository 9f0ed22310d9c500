"""Links between contigs: pairs of ends, each 2 * contig + strand (1: reverse complement), dtype=int64, shape=(n, 2).

The reverse complement of a link leads from the reverse complement of its second end to that of its first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.run.tuning import tuning

Links = NDArray[np.int64]

#: Fewer links than this are sorted by NumPy: a run on a GPU need not import numba for them, which takes 0.4 s.


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


def _distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct integers in ascending order."""
    if len(numbers) >= tuning().many_links:
        found: NDArray[np.int64] = backends.host().arrays.distinct(numbers)
        return found
    ascending = np.sort(numbers)
    is_first = np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)]
    kept: NDArray[np.int64] = ascending[is_first]
    return kept


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
