"""Glue the segments of all partitions to the compacted graph.

The two segments that end with the same k-mer, which is in two partitions, continue each other: they overlap by k bases.
All other links were found within partitions. (Chikhi et al. 2016, BCALM 2; Cracco and Tomescu 2023, GGCAT.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.canonical_order import LooseUnitigs, find_order, ordered_sequences
from debruijn_gpu.assembly.segment_store import SegmentStore
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.graph.graph import Graph, Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend


def glue(store: SegmentStore, backend: AssemblyBackend) -> UnitigGraph:
    """Glue segments at the ends that they have in common; unitigs are in the order of `unitig_graph`.

    Parameters
    ----------
    store : SegmentStore
        Of all partitions. Closed.
    backend : AssemblyBackend
        Whose arrays those of the result are.
    """
    walks = _find_walks(store, backend)
    along = walks.offsets, walks.steps
    kmer_counts = backend.arrays.segmented_sum(backend.to_device(store.kmer_counts()), *along)
    offsets, bases = map(backend.to_device, store.sequences())
    store.close()
    merged = PackedSequences(*backend.unitigs.merge_sequences(offsets, bases, store.k, *along))
    del offsets, bases
    is_glued_cycle = _are_glued_cycles(walks, backend)
    # A glued cycle is one k-mer too long: its first k-mer is its last one, too.
    n_kmers = np.diff(backend.to_host(merged.offsets)) - (store.k - 1) - is_glued_cycle
    unitigs = LooseUnitigs(store.k, merged, n_kmers, int(backend.arrays.reduce(walks.circular, "sum")))
    order = find_order(unitigs, backend)
    kept = backend.to_device(order.order)
    return UnitigGraph(
        store.k,
        _links_between(walks, store.links, order.vertices(), backend),
        ordered_sequences(unitigs, order, backend),
        walks.circular[kept],
        backend.to_device(unitigs.n_kmers[order.order]),
        kmer_counts[kept],
    )


def _find_walks(store: SegmentStore, backend: AssemblyBackend) -> Walks:
    """Walks over segments, paths before cycles: each is a unitig, in either strand."""
    dtype = id_dtype(2 * store.n + 1)
    successors = np.full(2 * store.n, 2 * store.n, dtype)
    for strand in range(2):
        itself = 2 * store.circular + strand
        successors[itself] = itself
    for keys, ends in store.open_ends():
        one, other = _matched(keys, ends, backend)
        successors[one], successors[other] = other ^ 1, one ^ 1
    ranked = [backend.to_device(successors)]
    del successors
    offsets, steps, circular = backend.circuits.rank_lists(ranked.pop())
    chosen, are_cycles = backend.unitigs.choose_walks(offsets, steps, circular, backend.to_device(store.is_segment))
    return Walks(*backend.arrays.gather_rows(offsets, steps, chosen), are_cycles)


def _matched(keys: NDArray[np.uint64], ends: NDArray[np.int64], backend: AssemblyBackend) -> NDArray[np.int64]:
    """Pairs of ends (2, n) that have the same key, which no third one has."""
    order = backend.to_host(backend.arrays.order_by([backend.to_device(word) for word in keys]))
    keys, ends = keys[:, order], ends[order]
    firsts = np.flatnonzero((keys[:, 1:] == keys[:, :-1]).all(axis=0))
    return np.stack((ends[firsts], ends[firsts + 1]))


def _are_glued_cycles(walks: Walks, backend: AssemblyBackend) -> NDArray[np.bool_]:
    n_steps = np.diff(backend.to_host(walks.offsets))
    flags: NDArray[np.bool_] = backend.to_host(walks.circular) & (n_steps > 1)
    return flags


def _links_between(
    walks: Walks, links: NDArray[np.int64], vertices: NDArray[np.int64], backend: AssemblyBackend
) -> Graph:
    """Graph of the links between unitigs: those of the segments at their ends, and those that close glued cycles.

    Parameters
    ----------
    walks : Walks
        Over segments.
    links : ndarray, dtype=int64, shape=(2, n_links)
        Tails and heads, vertices of segments.
    vertices : ndarray, dtype=int64, shape=(2 n_walks,)
        Vertex of each walk and of its reverse complement.
    backend : AssemblyBackend
    """
    ends, order = backend.arrays.sort_pairs(*_walk_ends(walks, backend))
    move = backend.to_device
    tails = vertices[backend.to_host(order[backend.arrays.lookup(ends, move(links[0]))])]
    heads = vertices[backend.to_host(order[backend.arrays.lookup(ends, move(links[1] ^ 1))])] ^ 1
    cycles = np.flatnonzero(np.repeat(_are_glued_cycles(walks, backend), 2))
    dtype = id_dtype(len(vertices) + 1)
    tails, heads = (np.concatenate((some, vertices[cycles])).astype(dtype) for some in (tails, heads))
    by_tail = backend.arrays.order_by([move(tails), move(heads)])
    arrays = move(tails)[by_tail], move(heads)[by_tail]
    return Graph(*backend.graphs.csr_from_edges(*arrays, len(vertices)))


def _walk_ends(walks: Walks, backend: AssemblyBackend) -> tuple[Array, Array]:
    """Vertices with which walks and their reverse complements end, in turn, and their numbers."""
    ends = np.empty((len(walks), 2), np.int64)
    ends[:, 0] = backend.to_host(walks.steps[walks.offsets[1:] - 1])
    ends[:, 1] = backend.to_host(walks.steps[walks.offsets[:-1]]) ^ 1
    return backend.to_device(ends.reshape(-1)), backend.to_device(np.arange(2 * len(walks)))
