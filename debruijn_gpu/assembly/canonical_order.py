"""Put unitigs in the order of their first k-mers, in the strand and from the start that follow from k-mers alone.

As `unitig_graph` numbers them: paths begin at the end with the smaller k-mer, cycles with their smallest k-mer; paths
come before cycles, and both ascend by first k-mer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

_N_PARTS = 5  # of a cycle that is turned; see `_cycle_cuts`


@dataclass(frozen=True)
class LooseUnitigs:
    """Unitigs in any order and strand, paths before cycles.

    Attributes
    ----------
    k : int
    sequences : PackedSequences
        In arrays of a backend. Those of cycles may be longer than their k-mers ask for.
    n_kmers : ndarray, dtype=int64, shape=(n,)
    n_cycles : int
    """

    k: int
    sequences: PackedSequences
    n_kmers: NDArray[np.int64]
    n_cycles: int

    def __len__(self) -> int:
        return len(self.n_kmers)


@dataclass(frozen=True)
class CanonicalOrder:
    """Order of unitigs, which of them are reversed, and the k-mer at which each cycle begins before that.

    Attributes
    ----------
    order : ndarray, dtype=int64, shape=(n,)
    flips : ndarray, dtype=bool, shape=(n,)
        Of the unitigs in their old order.
    turns : ndarray, dtype=int64, shape=(n_cycles,)
        K-mers before the one with which the turned cycle begins.
    """

    order: NDArray[np.int64]
    flips: NDArray[np.bool_]
    turns: NDArray[np.int64]

    def vertices(self) -> NDArray[np.int64]:
        """New number (int64 (2 n,)) of each vertex of the old order: 2u is unitig u, 2u + 1 its reverse complement."""
        numbers = np.empty((len(self.order), 2), np.int64)
        numbers[self.order, 0] = 2 * np.arange(len(self.order))
        numbers[:, 0] += self.flips
        numbers[:, 1] = numbers[:, 0] ^ 1
        return numbers.reshape(-1)


def find_order(unitigs: LooseUnitigs, backend: AssemblyBackend) -> CanonicalOrder:
    """Find the canonical order, strands and starts of unitigs.

    Parameters
    ----------
    unitigs : LooseUnitigs
    backend : AssemblyBackend
        Whose arrays those of the sequences are.
    """
    starts, n_kmers = backend.to_host(unitigs.sequences.offsets)[:-1], unitigs.n_kmers
    n_paths = len(unitigs) - unitigs.n_cycles
    path_keys, path_flips = _path_keys(unitigs, starts[:n_paths], n_kmers[:n_paths], backend)
    cycle_keys, places = _cycle_keys(unitigs, starts[n_paths:], n_kmers[n_paths:], backend)
    orders = [backend.to_host(backend.arrays.order_by(keys)) for keys in (path_keys, cycle_keys)]
    cycle_flips = (places & 1).astype(np.bool_)
    turns = (places >> 1) - starts[n_paths:] + cycle_flips  # a reversed cycle ends with its smallest k-mer
    return CanonicalOrder(
        np.concatenate((orders[0], orders[1] + n_paths)),
        np.concatenate((path_flips, cycle_flips)),
        turns % np.maximum(n_kmers[n_paths:], 1),
    )


def _path_keys(
    unitigs: LooseUnitigs, starts: NDArray[np.int64], n_kmers: NDArray[np.int64], backend: AssemblyBackend
) -> tuple[list[Array], NDArray[np.bool_]]:
    """Smaller k-mer (one array per word) of the two at the ends of each path, and whether the path ends with it."""
    found = []
    for first in (starts, starts + n_kmers - 1):
        arrays = map(backend.to_device, (first, first + 1))
        found.append(backend.unitigs.least_kmers(unitigs.sequences.bases, unitigs.k, *arrays))
    (ahead, places), (behind, _places) = found
    is_less, is_equal = _compare(list(behind), list(ahead))
    flips = is_less | (is_equal & (places & 1 == 1))  # a path of one k-mer is in the strand of the canonical k-mer
    mask = np.uint64(0) - is_less.astype(np.uint64)
    keys = [one ^ ((one ^ other) & mask) for one, other in zip(ahead, behind, strict=True)]
    return keys, backend.to_host(flips)


def _compare(one: list[Array], other: list[Array]) -> tuple[Array, Array]:
    """Whether k-mers, one array per word, are less than others, and whether they are equal."""
    is_less, is_equal = one[0] < other[0], one[0] == other[0]
    for a, b in zip(one[1:], other[1:], strict=True):
        is_less = is_less | (is_equal & (a < b))
        is_equal = is_equal & (a == b)
    return is_less, is_equal


def _cycle_keys(
    unitigs: LooseUnitigs, starts: NDArray[np.int64], n_kmers: NDArray[np.int64], backend: AssemblyBackend
) -> tuple[list[Array], NDArray[np.int64]]:
    """Smallest k-mer (one array per word) of each cycle, and its place; see `UnitigOperations.least_kmers`."""
    at_once = tuning().least_kmers_at_once
    n_intervals = -(-n_kmers // at_once)
    cycles = np.repeat(np.arange(len(starts)), n_intervals)
    first_intervals = np.cumsum(n_intervals) - n_intervals
    firsts = starts[cycles] + at_once * (np.arange(len(cycles)) - first_intervals[cycles])
    lasts = np.minimum(firsts + at_once, (starts + n_kmers)[cycles])
    intervals = map(backend.to_device, (firsts, lasts))
    codes, places = backend.unitigs.least_kmers(unitigs.sequences.bases, unitigs.k, *intervals)
    order = backend.arrays.order_by([backend.to_device(cycles), *codes])
    least = order[backend.to_device(first_intervals)]
    return list(codes[:, least]), backend.to_host(places[least])


def ordered_sequences(unitigs: LooseUnitigs, found: CanonicalOrder, backend: AssemblyBackend) -> PackedSequences:
    """Return sequences in canonical order: a path is one step, a cycle four parts of its sequence."""
    offsets, n_kmers = backend.to_host(unitigs.sequences.offsets), unitigs.n_kmers
    n_paths = len(unitigs) - unitigs.n_cycles
    cuts = _cycle_cuts(offsets[n_paths:-1], n_kmers[n_paths:], found.turns, unitigs.k)
    items = np.concatenate((offsets[:n_paths], cuts.ravel(), offsets[-1:]))
    is_cycle = found.order >= n_paths
    walk_offsets = np.concatenate(([0], np.cumsum(np.where(is_cycle, _N_PARTS - 1, 1))))
    steps = np.empty(walk_offsets[-1], np.int64)
    paths, cycles = found.order[~is_cycle], found.order[is_cycle] - n_paths
    steps[walk_offsets[:-1][~is_cycle]] = 2 * paths + found.flips[paths]
    parts = _cycle_parts(found.turns[cycles], unitigs.k) + (n_paths + _N_PARTS * cycles)[:, None]
    is_flipped = found.flips[n_paths + cycles][:, None]
    parts = np.where(is_flipped, parts[:, ::-1], parts)
    places = walk_offsets[:-1][is_cycle][:, None] + np.arange(_N_PARTS - 1)
    steps[places] = 2 * parts + is_flipped
    arrays = map(backend.to_device, (walk_offsets, steps.astype(id_dtype(2 * len(items)))))
    moved = backend.to_device(items)
    return PackedSequences(*backend.unitigs.merge_sequences(moved, unitigs.sequences.bases, 0, *arrays))


def _cycle_cuts(
    starts: NDArray[np.int64], n_kmers: NDArray[np.int64], turns: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Where the parts of each cycle begin: cut at k - 1, the new start, k - 1 bases behind it, and the end.

    A turned cycle is its bases from the new start on, which end with a copy of the first k - 1, and then those from
    k - 1 to k - 1 bases behind the new start.
    """
    cuts = np.zeros((len(starts), _N_PARTS), np.int64)
    cuts[:, 1] = np.minimum(turns, k - 1)
    cuts[:, 2] = np.maximum(turns, k - 1)
    cuts[:, 3] = turns + k - 1
    cuts[:, 4] = n_kmers + k - 1
    return cuts + starts[:, None]


def _cycle_parts(turns: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Parts of each cycle in their new order; see `_cycle_cuts`."""
    is_early = (turns < k - 1)[:, None]
    return np.where(is_early, np.array([1, 2, 3, 2]), np.array([2, 3, 1, 2]))
