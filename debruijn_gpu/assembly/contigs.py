"""Contigs: the container, and their sequences in an order and strand that depend on the graph alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import BASES_PER_WORD, reverse_complement
from debruijn_gpu.assembly.edges import edges_of
from debruijn_gpu.assembly.links import UnitigTrails, canonical_links, one_of_each_pair
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.errors import NothingToAssembleError
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.assembly.statistics import Compositions
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: K-mer depth from which it is not for lack of reads that contigs are short
_ENOUGH_DEPTH = 10


@dataclass(frozen=True)
class Contigs:
    """Contig sequences spelled by walks, and links between them.

    Ordered by length, longest first, then by sequence; each in the lexicographically smaller strand.
    Circular contigs that were rotated to a gene keep their place.

    Attributes
    ----------
    k : int
        Neighbours overlap by k - 1 bases.
    text : ndarray, dtype=uint8
        The sequences (ASCII, upper case) one after another.
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Contig i is ``text[offsets[i]:offsets[i + 1]]``.
    kmer_counts : ndarray, dtype=int64, shape=(n,)
        Sum of the counts of the contig's k-mers (GFA's KC).
    n_kmers : ndarray, dtype=int64, shape=(n,)
        Number of k-mers in the contig.
    circular : ndarray, dtype=bool, shape=(n,)
        Whether the end continues at the start and nowhere else.
    links : ndarray, dtype=int64, shape=(n_links, 2)
        From and to, each as 2 * contig + strand (1: reverse complement); every link once (of a link and its reverse
        complement the smaller), sorted.
    """

    k: int
    text: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    kmer_counts: NDArray[np.int64]
    n_kmers: NDArray[np.int64]
    circular: NDArray[np.bool_]
    links: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.circular)

    def first(self, n: int) -> Contigs:
        """The first n contigs, with the links among them."""
        among = (self.links < 2 * n).all(axis=1)
        return Contigs(
            k=self.k,
            text=self.text[: self.offsets[n]],
            offsets=self.offsets[: n + 1],
            kmer_counts=self.kmer_counts[:n],
            n_kmers=self.n_kmers[:n],
            circular=self.circular[:n],
            links=self.links[among],
        )

    def sequence(self, i: int) -> bytes:
        """Sequence of contig i."""
        return self.text[self.offsets[i] : self.offsets[i + 1]].tobytes()

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Lengths in bases, shape (n,)."""
        return np.diff(self.offsets)

    @property
    def kmer_depth(self) -> NDArray[np.float64]:
        """Mean count of the k-mers of each contig (k-mer depth), shape (n,)."""
        return self.kmer_counts / np.maximum(self.n_kmers, 1)

    @cached_property
    def compositions(self) -> Compositions:
        """Numbers of letters of each contig, counted once."""
        from debruijn_gpu.assembly.statistics import compositions_of_contigs

        return compositions_of_contigs(self)


_MOST_BASES_AT_ONCE = 1024  # of sequences that are compared 32 bases at a time


@dataclass(frozen=True)
class Spelled:
    """Contigs, and which walk each was spelled from.

    Attributes
    ----------
    contigs : Contigs
    rank : ndarray, dtype=int64, shape=(n,)
        Contig of each walk.
    flips : ndarray, dtype=bool, shape=(n,)
        Whether that is the reverse complement of the walk.
    """

    contigs: Contigs
    rank: NDArray[np.int64]
    flips: NDArray[np.bool_]

    def steps(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Translate vertices, 2 * walk + strand, to contigs in the same code."""
        found: NDArray[np.int64] = 2 * self.rank[vertices >> 1] + ((vertices & 1) ^ self.flips[vertices >> 1])
        return found

    def cut(self, backend: AssemblyBackend) -> Spelled:
        """The same with circular contigs cut; see `cut_circular_contigs`."""
        contigs, rank = _cut(self.contigs, backend)
        return Spelled(contigs, rank[self.rank], self.flips)


def spell(graph: UnitigGraph, backend: AssemblyBackend) -> Contigs:
    """Sequences of a unitig graph.

    A circular unitig of n k-mers is spelled with n + k - 1 bases, from the smallest rotation of the smaller strand on,
    so that its end overlaps its start by k - 1 bases like any other neighbours. `cut_circular_contigs` takes the
    overlap away.

    Parameters
    ----------
    graph : UnitigGraph
    backend : AssemblyBackend
        Whose arrays the graph's are.
    """
    return spell_unitigs(graph, backend).contigs


def spell_unitigs(graph: UnitigGraph, backend: AssemblyBackend) -> Spelled:
    """Spell a unitig graph as `spell` does, and tell which contig each unitig became."""
    kmer_counts, n_kmers, circular = map(backend.to_host, (graph.kmer_counts, graph.n_kmers, graph.circular))
    offsets, text, flips = _spelled(graph.sequences, circular, graph.k, backend)
    links = _links_of_edges(graph.graph.on_host(), flips)
    return Spelled(*_sorted(Contigs(graph.k, text, offsets, kmer_counts, n_kmers, circular, links), backend), flips)


def spell_trails(trails: UnitigTrails, graph: UnitigGraph, backend: AssemblyBackend) -> Spelled:
    """Sequences of trails (in NumPy arrays) through a unitig graph (in arrays of the backend), closed ones as circular
    unitigs in `spell`; they have no links."""
    sequences, walks = graph.sequences, trails.walks.on_device(backend)
    merged = PackedSequences(
        *backend.unitigs.merge_sequences(sequences.offsets, sequences.bases, graph.k - 1, walks.offsets, walks.steps)
    )
    circular, links = trails.walks.circular, np.zeros((0, 2), np.int64)
    offsets, text, flips = _spelled(merged, circular, graph.k, backend)
    contigs = Contigs(graph.k, text, offsets, trails.kmer_counts, trails.n_kmers, circular, links)
    return Spelled(*_sorted(contigs, backend), flips)


def _spelled(
    sequences: PackedSequences, circular: NDArray[np.bool_], k: int, backend: AssemblyBackend
) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.bool_]]:
    """Offsets and text of the smaller strands of sequences, and which are reverse complements; in NumPy arrays."""
    flipped = backend.unitigs.larger_strands(sequences.offsets, sequences.bases)
    spelled = backend.unitigs.sequence_text(sequences.offsets, sequences.bases, flipped)
    offsets, text, flips = map(backend.to_host, (sequences.offsets, spelled, flipped))
    for i in np.flatnonzero(circular):
        contig = text[offsets[i] : offsets[i + 1]]
        contig[:], turned = _smallest_rotation(contig, k)
        flips[i] ^= turned
    return offsets, text, flips


def cut_circular_contigs(contigs: Contigs, backend: AssemblyBackend) -> Contigs:
    """The same contigs, circular ones without the k - 1 bases by which they overlap themselves."""
    return _cut(contigs, backend)[0]


def _cut(contigs: Contigs, backend: AssemblyBackend) -> tuple[Contigs, NDArray[np.int64]]:
    """Cut circular contigs, and tell the new place of each contig."""
    if not contigs.circular.any():
        return contigs, np.arange(len(contigs))
    starts, lengths = contigs.offsets[:-1], contigs.lengths.copy()
    lengths[contigs.circular] = contigs.n_kmers[contigs.circular]
    kept = np.zeros(len(contigs.text) + 1, np.int8)
    np.add.at(kept, starts, 1)
    np.add.at(kept, starts + lengths, -1)
    text = contigs.text[np.cumsum(kept[:-1], dtype=np.int8).astype(np.bool_)]
    return _sorted(replace(contigs, text=text, offsets=np.concatenate(([0], np.cumsum(lengths)))), backend)


def _smallest_rotation(text: NDArray[np.uint8], k: int) -> tuple[NDArray[np.uint8], bool]:
    """Turn a circular contig with its overlap to its smallest rotation; report whether that is of the other strand."""
    host = backends.host()
    contig = text[: len(text) - (k - 1)]
    reverse = np.frombuffer(reverse_complement(contig.tobytes()), np.uint8)
    ahead, behind = (np.roll(strand, -host.sequences.smallest_rotation(strand)) for strand in (contig, reverse))
    turned = behind.tobytes() < ahead.tobytes()
    return np.resize(behind if turned else ahead, len(text)), turned


def _order(text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Longest first, then by sequence.

    Sequences that agree in length and in so many bases are ordered by the next 32, and the last few by comparing them.
    """
    order: NDArray[np.int64] = np.arange(len(offsets) - 1, dtype=np.int64)
    if len(order) < tuning().few_sequences:
        keys = [(start - end, text[start:end].tobytes()) for start, end in pairwise(offsets.tolist())]
        return np.array(sorted(order.tolist(), key=keys.__getitem__), np.int64)
    host = backends.host()
    places, group, skip = order.copy(), -np.diff(offsets), 0  # where sequences are tied, and with which others
    while len(places) > (tuning().few_tied_sequences if skip else 0) and skip < _MOST_BASES_AT_ONCE:
        chosen = order[places]
        key = host.text.leading_bases(text, offsets, chosen, skip)
        within = host.arrays.order_by([group, key])
        order[places], group, key = chosen[within], group[within], key[within]
        same = (group[1:] == group[:-1]) & (key[1:] == key[:-1])
        is_tied = np.concatenate(([False], same)) | np.concatenate((same, [False]))
        places, group = places[is_tied], np.concatenate(([0], np.cumsum(~same)))[is_tied]
        skip += BASES_PER_WORD
    if len(places):
        for tied in np.split(places, np.flatnonzero(np.diff(group)) + 1):
            order[tied] = sorted(order[tied], key=lambda i: text[offsets[i] : offsets[i + 1]].tobytes())
    return order


def _sorted(contigs: Contigs, backend: AssemblyBackend) -> tuple[Contigs, NDArray[np.int64]]:
    """Order contigs, longest first, then by sequence, and tell the new place of each; the backend moves the text."""
    order = _order(contigs.text, contigs.offsets)
    moved = map(backend.to_device, (contigs.offsets, contigs.text, order))
    offsets, text = map(backend.to_host, backend.arrays.gather_rows(*moved))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    ordered = Contigs(
        k=contigs.k,
        text=text,
        offsets=offsets,
        kmer_counts=contigs.kmer_counts[order],
        n_kmers=contigs.n_kmers[order],
        circular=contigs.circular[order],
        links=canonical_links(2 * rank[contigs.links >> 1] + (contigs.links & 1), len(order)),
    )
    return ordered, rank


def _links_of_edges(edges: Graph, flips: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Compute links between sequences, one of each reverse-complement pair, in any order.

    Sequences may be reverse complements of their unitigs.
    """
    ends = np.stack(edges_of(edges), axis=1)
    links = one_of_each_pair(ends, len(flips))
    links ^= flips[links >> 1]
    return links


def count_reported(contigs: Contigs, min_contig_bp: int) -> int:
    """Count contigs of at least a length.

    Raises
    ------
    NothingToAssembleError
        If there are none.
    """
    n_reported = int(np.count_nonzero(contigs.lengths >= min_contig_bp))
    if not n_reported:
        depth = int(contigs.kmer_counts.sum()) // max(1, int(contigs.n_kmers.sum()))
        is_deep = depth >= _ENOUGH_DEPTH
        raise NothingToAssembleError(
            f"no contig of {min_contig_bp} bp or more; the longest has {int(contigs.lengths.max(initial=0))}",
            f"reads suffice (k-mer depth {depth:,}): lower --min-contig, or try a larger -k"
            if is_deep
            else "look at 'dbg spectrum': with low depth try a smaller -k or --min-count, or lower --min-contig",
        )
    return n_reported
