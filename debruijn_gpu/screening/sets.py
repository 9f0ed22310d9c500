"""Find which references the k-mers at each position of indexed sequences belong to.

A k-mer may occur in several references. All its occurrences have one representative: the one in the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.distinct import sorted_distinct
from debruijn_gpu.backends.screens.protocol import KmerIndex, References
from debruijn_gpu.screening.sequences import ReferenceSequences

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import ScreenBackend

Longs = NDArray[np.int64]


def reference_sets(sequences: ReferenceSequences, index: KmerIndex, backend: ScreenBackend) -> References:
    """Compute the set of references of each indexed k-mer.

    Parameters
    ----------
    sequences : ReferenceSequences
    index : KmerIndex
        In memory of the backend.
    backend : ScreenBackend
    """
    n, end = len(sequences.names), int(sequences.starts[-1])
    if n == 1 or not len(sequences.stops):
        whole = np.array([0, end], np.int64)
        return References(whole, np.zeros(1, np.int64), np.array([0, 1]), np.zeros(1, np.int64), n)
    representatives = backend.to_host(backend.screens.representatives(index))
    positions = np.flatnonzero(representatives >= 0)
    representatives = representatives[positions]
    owners = sequences.owners[np.searchsorted(sequences.starts, positions, side="right") - 1]
    numbers, sets, members = _sets_of(representatives, owners, n)
    found = sets[np.searchsorted(numbers, representatives)]
    is_first = np.append(True, found[1:] != found[:-1])
    run_starts = np.concatenate([positions[is_first], [end]])
    run_starts[0] = 0
    set_ptr = np.concatenate([[0], np.cumsum([len(one) for one in members])])
    set_members = np.array([owner for one in members for owner in one], np.int64)
    return References(run_starts, found[is_first], set_ptr, set_members, n)


def _sets_of(representatives: Longs, owners: Longs, n: int) -> tuple[Longs, Longs, list[tuple[int, ...]]]:
    """Number the sets of owners of each representative.

    Sets grow by one owner at a time, in ascending order, all at once: a set and its next owner give a longer set.

    Parameters
    ----------
    representatives, owners : ndarray, dtype=int64, shape=(n_occurrences,)
    n : int
        Number of references.

    Returns
    -------
    numbers, sets : ndarray, dtype=int64
        The representatives, ascending, and the number of the set of each.
    members : list of tuple of int
        The owners in each set.
    """
    pairs = sorted_distinct(representatives * n + owners)
    of_pairs, owners = np.divmod(pairs, n)
    is_first = np.append(True, of_pairs[1:] != of_pairs[:-1])
    first = np.flatnonzero(is_first)
    sizes = np.diff(np.append(first, len(pairs)))
    sets = np.zeros(len(first), np.int64)
    members: list[tuple[int, ...]] = [()]
    for level in range(int(sizes.max(initial=0))):
        growing = np.flatnonzero(sizes > level)
        keys, chosen = np.unique(sets[growing] * n + owners[first[growing] + level], return_inverse=True)
        sets[growing] = len(members) + chosen
        members += [(*members[key // n], key % n) for key in keys.tolist()]
    return of_pairs[first], sets, members
