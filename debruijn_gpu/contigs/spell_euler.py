"""Sequences of Euler walks through an edge-centric graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES, reverse_complement
from debruijn_gpu.contigs.contigs import Contigs
from debruijn_gpu.graph.edge_centric import EdgeCentricGraph
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.log import logger
from debruijn_gpu.walks.walks import Walks

if TYPE_CHECKING:
    from debruijn_gpu.backends.interface import Backend


def spell_euler(
    edges: EdgeCentricGraph,
    walks: Walks,
    table: KmerTable,
    multiplicity: NDArray[np.unsignedinteger],
    backend: Backend,
) -> Contigs:
    """Sequences of the walks, longest first, then by sequence.

    A circle is in its smallest rotation. In a graph of both strands a component and its mirror image spell
    the same molecule: one is given, in its lexicographically smaller strand. The count of a k-mer is shared by
    the places at which the walks go through it.

    Parameters
    ----------
    edges : EdgeCentricGraph
    walks : Walks
        What `euler_walks` made of ``edges.graph``.
    table : KmerTable
    multiplicity : ndarray, dtype=unsigned, shape=(n,)
        What ``edges`` was made of.
    backend : Backend
    """
    wanted = _one_of_each_pair(edges, walks) if edges.both_strands else np.arange(len(walks))
    share = table.counts / multiplicity
    spelled = []
    for walk in wanted:
        steps = walks.steps[walks.offsets[walk] : walks.offsets[walk + 1]]
        circular = bool(walks.circular[walk])
        sequence = _spell(edges, steps, circular)
        strands = [sequence, reverse_complement(sequence)] if edges.both_strands else [sequence]
        if circular:
            strands = [_in_smallest_rotation(strand, backend) for strand in strands]
        rows = edges.kmers[steps] >> 1 if edges.both_strands else edges.kmers[steps]
        spelled.append((min(strands), circular, len(steps), round(float(share[rows].sum()))))
    spelled.sort(key=lambda item: (-len(item[0]), item[0]))
    sequences, circular_ones, n_kmers, kmer_counts = zip(*spelled, strict=True) if spelled else ((), (), (), ())
    return Contigs(
        k=edges.k,
        text=np.frombuffer(b"".join(sequences), np.uint8),
        offsets=np.cumsum([0, *map(len, sequences)]),
        kmer_counts=np.array(kmer_counts, np.int64),
        n_kmers=np.array(n_kmers, np.int64),
        circular=np.array(circular_ones, np.bool_),
        links=np.zeros((0, 2), np.int64),
    )


def _one_of_each_pair(edges: EdgeCentricGraph, walks: Walks) -> NDArray[np.int64]:
    """The walks without the later one of each mirrored pair."""
    walk = np.arange(len(walks))
    walk_of_kmer = np.empty(int(edges.kmers.max(initial=-1)) + 2, np.int64)
    walk_of_kmer[edges.kmers[walks.steps]] = np.repeat(walk, np.diff(walks.offsets))
    mirror = walk_of_kmer[edges.kmers[walks.steps[walks.offsets[:-1]]] ^ 1]
    n_own_mirrors = int((mirror == walk).sum())
    if n_own_mirrors:
        logger.warning(
            "%d of %d Euler walks run through both strands, which meet in an inverted repeat of %d or more "
            "bases: each sequence of these holds both",
            n_own_mirrors, len(walks), edges.k - 1,
        )  # fmt: skip
    first_of_pair: NDArray[np.int64] = np.flatnonzero(walk <= mirror)
    return first_of_pair


def _spell(edges: EdgeCentricGraph, steps: NDArray[np.unsignedinteger], circular: bool) -> bytes:
    """First vertex and the last base of every further one; of a circle only the latter."""
    last_bases = edges.vertices[-1][edges.graph.col[steps]] & np.uint64(3)
    text: bytes = np.frombuffer(BASES, np.uint8)[last_bases].tobytes()
    if circular:
        return text
    start = int(np.searchsorted(edges.graph.row_ptr, np.int64(steps[0]), side="right")) - 1
    return edges.vertex_text(start).encode() + text


def _in_smallest_rotation(sequence: bytes, backend: Backend) -> bytes:
    start = int(backend.smallest_rotation(np.frombuffer(sequence, np.uint8).copy()))
    return sequence[start:] + sequence[:start]
