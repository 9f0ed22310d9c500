"""Glue the segments of all partitions to the compacted graph.

The two segments that end with the same k-mer, which is in two partitions, continue each other: they overlap by k bases.
All other links were found within partitions. (Chikhi et al. 2016, BCALM 2; Cracco and Tomescu 2023, GGCAT.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD
from debruijn_gpu.assembly.segments import Segments
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph, unitigs
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from debruijn_gpu.backends.protocol import AssemblyBackend

_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def glue(parts: list[Segments], k: int, backend: AssemblyBackend) -> tuple[UnitigGraph, NDArray[np.bool_]]:
    """Glue the segments of all partitions at the ends that they have in common.

    Parameters
    ----------
    parts : list of Segments
        One for each partition. Emptied.
    k : int
    backend : AssemblyBackend
        Whose arrays those of the result are.

    Returns
    -------
    UnitigGraph
        Unitigs in any order and strand. A glued cycle is one k-mer too long: its first k-mer is its last one, too.
    ndarray, dtype=bool, shape=(n,)
        Which unitigs are glued cycles.
    """
    is_segment = np.concatenate([_with_padding(np.ones(len(part), np.bool_), False) for part in parts])
    graph = _glued_graph(parts, backend)
    sequences = PackedSequences(*map(backend.to_device, _concatenated(parts)))
    kmer_counts = backend.to_device(np.concatenate([_with_padding(part.kmer_counts, 0) for part in parts]))
    parts.clear()
    walks = unitigs(graph, backend, backend.to_device(is_segment))
    along = walks.offsets, walks.steps
    merged = PackedSequences(*backend.unitigs.merge_sequences(sequences.offsets, sequences.bases, k, *along))
    n_steps = backend.graphs.out_degrees(walks.offsets)
    is_glued_cycle = backend.to_host(walks.circular) & (backend.to_host(n_steps) > 1)
    n_kmers = np.diff(backend.to_host(merged.offsets)) - (k - 1) - is_glued_cycle
    glued = UnitigGraph(
        k,
        Graph(*backend.unitigs.contract(graph.row_ptr, graph.col, *along)),
        merged,
        walks.circular,
        backend.to_device(n_kmers),
        backend.arrays.segmented_sum(kmer_counts, *along),
    )
    return glued, is_glued_cycle


def _with_padding(array: NDArray[np.generic], value: object) -> NDArray[np.generic]:
    """Append the value of the padding, which is numbered as a segment, to those of a partition's segments."""
    return np.append(array, np.array([value], array.dtype))


def _concatenated(parts: list[Segments]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Offsets and bases of the segments of all partitions, each followed by padding up to a whole word."""
    lengths = [_with_padding(part.lengths, -int(part.lengths.sum()) % BASES_PER_WORD) for part in parts]
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths))))
    return offsets, np.concatenate([part.bases for part in parts])


def _glued_graph(parts: list[Segments], backend: AssemblyBackend) -> Graph:
    """Graph of all segments: the links of each partition, and edges between segments that continue each other."""
    first_vertices = np.cumsum([0, *(2 * len(part) + 2 for part in parts)])
    dtype = id_dtype(int(first_vertices[-1]) + 1)
    degrees = [np.append(part.degrees, np.zeros(2, np.uint8)) for part in parts]
    row_ptr = np.concatenate(([0], np.cumsum(np.concatenate(degrees), dtype=np.int64)))
    firsts = first_vertices[:-1].tolist()
    col = np.concatenate([part.heads.astype(dtype) + dtype.type(v) for part, v in zip(parts, firsts, strict=True)])
    ends = np.concatenate([part.open_ends + v for part, v in zip(parts, firsts, strict=True)])
    keys = np.concatenate([part.keys for part in parts], axis=1)
    pairs = np.concatenate([np.zeros((2, 0), np.int64), *_matched(keys, ends, backend)], axis=1)
    tails, heads = np.concatenate((pairs, pairs[::-1]), axis=1).astype(dtype)
    arrays = map(backend.to_device, (row_ptr, col, tails, heads ^ dtype.type(1)))
    return Graph(*backend.circuits.append_edges(*arrays)[:2])


def _matched(
    keys: NDArray[np.uint64], ends: NDArray[np.int64], backend: AssemblyBackend
) -> Iterator[NDArray[np.int64]]:
    """Yield pairs of ends (2, n) that have the same key, which no third one has."""
    n_rounds = 1 + keys.shape[1] // tuning().matched_ends
    rounds = (keys[-1] * _HASH_FACTOR >> np.uint64(32)) % np.uint64(n_rounds)
    for i in range(n_rounds):
        chosen = np.flatnonzero(rounds == i)
        some = keys[:, chosen]
        order = backend.to_host(backend.arrays.order_by([backend.to_device(word) for word in some]))
        some, some_ends = some[:, order], ends[chosen[order]]
        firsts = np.flatnonzero((some[:, 1:] == some[:, :-1]).all(axis=0))
        yield np.stack((some_ends[firsts], some_ends[firsts + 1]))
