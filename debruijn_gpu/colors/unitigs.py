"""Unitigs with the colour sets of their k-mers, as runs of one colour set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_words, words_per_kmer
from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.partitioned import partition_chooser
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.kmers.partitions import KmerPartitions, Kmers
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.run.room import least_left, make_room
from debruijn_gpu.run.tuning import tuning
from debruijn_gpu.sets.ranges import split_codes

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Code of each letter
BASE_CODES = np.zeros(256, np.uint8)
BASE_CODES[list(b"ACGT")] = range(4)
_INDEX_BYTES = 8  # of a table of k-mers that are looked up, for each of them
_LEAST_KMERS = 1 << 16


@dataclass(frozen=True)
class ColoredUnitigs:
    """Unitigs and the colour sets along them.

    Attributes
    ----------
    contigs : Contigs
        As `assembly.contigs.spell` orders them. Their k-mers count as often as samples hold them.
    run_ptr : ndarray, dtype=int64, shape=(n + 1,)
        Runs of unitig i are ``run_ptr[i]:run_ptr[i + 1]``, in the direction of its sequence.
    run_colors : ndarray, dtype=uint32, shape=(runs,)
        Colour set of the k-mers of each run.
    run_lengths : ndarray, dtype=int64, shape=(runs,)
        Consecutive k-mers of each run.
    """

    contigs: Contigs
    run_ptr: NDArray[np.int64]
    run_colors: NDArray[np.uint32]
    run_lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.contigs)


def check_graph_kmers(k: int, canonical: bool) -> None:
    """Raise ParameterError unless k-mers are canonical and of odd length, as those of a graph are."""
    if not canonical:
        raise ParameterError(
            "the k-mers are not canonical, and unitigs are of both strands", "count samples with --canonical"
        )
    if k % 2 == 0 or k < 3:
        raise ParameterError(f"k is {k}; that of unitigs is odd, and at least 3", "choose an odd k: -k 31")


def graph_kmers(index: ColorIndex, run: RunOptions, backend: AssemblyBackend) -> Kmers:
    """Load the k-mers of an index for their graph; each counts as often as samples hold it.

    They are in partitions if their graph does not fit into memory.
    """
    sizes = np.concatenate(([0], index.color_sets.sizes)).astype(np.uint32)
    n_partitions = partition_chooser(index.k, run, backend)(len(index))
    if not n_partitions:
        codes, marks = index.colored.read(0, 1 << (2 * index.k))
        return KmerTable(index.k, codes, sizes[marks]).moved(backend.to_device)
    partitions = KmerPartitions(index.k, n_partitions, run, backend)
    with log.stage("partitions", len(index), "k-mers"):
        parts = ((backend.to_device(codes), backend.to_device(sizes[marks])) for codes, marks in index.parts())
        partitions.add_all(parts, are_next=True)
    return partitions


def color_unitigs(contigs: Contigs, index: ColorIndex, run: RunOptions, backend: AssemblyBackend) -> ColoredUnitigs:
    """Look up the colour sets of the k-mers of unitigs.

    Parameters
    ----------
    contigs : Contigs
        Of k-mers of the index.
    index : ColorIndex
    run : RunOptions
        Memory changes no result.
    backend : AssemblyBackend
    """
    kmer_ptr = np.concatenate(([0], np.cumsum(contigs.lengths - (contigs.k - 1), dtype=np.int64)))
    n = int(kmer_ptr[-1])
    make_room(4 * n, f"the colours of {counted(n, 'k-mer')}", lambda: memory_left(run.memory))
    with log.stage("look up colours", n, "k-mers"):
        marks = _look_up(contigs, kmer_ptr, index, run, backend)
    n_runs, colors, lengths = runs_of_colors(marks, kmer_ptr)
    return ColoredUnitigs(contigs, np.concatenate(([0], np.cumsum(n_runs))), colors, lengths)


def runs_of_colors(
    marks: NDArray[np.uint32], kmer_ptr: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
    """Find runs of one colour set along unitigs.

    Parameters
    ----------
    marks : ndarray, dtype=uint32, shape=(n_kmers,)
        1 + the colour set of each k-mer.
    kmer_ptr : ndarray, dtype=int64, shape=(n + 1,)
        First k-mer of each unitig, which has at least one.

    Returns
    -------
    ndarray, ndarray, ndarray
        Runs of each unitig (int64 (n,)), and colour set (uint32) and k-mers (int64) of each run.
    """
    is_start = np.empty(len(marks), np.bool_)
    is_start[1:] = marks[1:] != marks[:-1]
    is_start[kmer_ptr[:-1]] = True
    starts = np.flatnonzero(is_start)
    n_runs = np.diff(np.searchsorted(starts, kmer_ptr))
    return n_runs, marks[starts] - np.uint32(1), np.diff(np.append(starts, len(marks)))


def _look_up(
    contigs: Contigs, kmer_ptr: NDArray[np.int64], index: ColorIndex, run: RunOptions, backend: AssemblyBackend
) -> NDArray[np.uint32]:
    """Return 1 + the colour set of each k-mer of the contigs."""
    code_bytes = 8 * words_per_kmer(index.k)
    room = least_left(run, backend) // 3
    at_once = tuning().looked_up_kmers or max(_LEAST_KMERS, room // (2 * code_bytes + 4 + _INDEX_BYTES))
    found = np.zeros(int(kmer_ptr[-1]), np.uint32)
    ranges = split_codes([index.colored], at_once)
    for done, (low, high) in enumerate(ranges):
        codes, marks = map(backend.to_device, index.colored.read(low, high))
        if not len(marks):
            continue
        for first, last in blocks_of_kmers(kmer_ptr, at_once):
            wanted = _kmers_of(contigs, first, last, backend)
            part = backend.kmers.look_up_counts(codes, marks, index.k, wanted)
            found[kmer_ptr[first] : kmer_ptr[last]] += backend.to_host(part)
        log.logger.debug("  range %d of %d", done + 1, len(ranges))
    return found


def blocks_of_kmers(kmer_ptr: NDArray[np.int64], n_kmers: int) -> Iterator[tuple[int, int]]:
    """Cut contigs into blocks of about some number of k-mers."""
    edges = np.arange(0, kmer_ptr[-1], n_kmers)
    firsts = {*np.searchsorted(kmer_ptr, edges).tolist(), len(kmer_ptr) - 1}
    yield from pairwise(sorted(firsts))


def _kmers_of(contigs: Contigs, first: int, last: int, backend: AssemblyBackend) -> NDArray[np.uint64]:
    """Codes of the canonical k-mers of consecutive contigs, in arrays of the backend."""
    offsets = contigs.offsets[first : last + 1]
    return text_kmers(offsets - offsets[0], contigs.text[offsets[0] : offsets[-1]], contigs.k, backend)


def text_kmers(
    offsets: NDArray[np.int64], text: NDArray[np.uint8], k: int, backend: AssemblyBackend
) -> NDArray[np.uint64]:
    """Codes of the canonical k-mers of sequences (ASCII), in arrays of the backend."""
    sums = np.zeros(len(offsets) - 1, np.int64)
    arrays = map(backend.to_device, (offsets, packed_words(BASE_CODES[text]), sums))
    offsets, bases, sums = arrays
    found: NDArray[np.uint64] = backend.unitigs.sequence_kmers(offsets, bases, k, sums)[0]
    return found


def sample_counts(
    unitigs: ColoredUnitigs, index: ColorIndex, most_cells: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Count the k-mers of each unitig that each sample holds.

    Yields
    ------
    int, ndarray of int64 and shape (unitigs, samples)
        First unitig of a block, and the counts of the block's unitigs.
    """
    n_samples, sets = len(index.names), index.color_sets
    sizes = sets.sizes
    for first, last in blocks_of_kmers(unitigs.run_ptr, max(1, most_cells // max(1, n_samples))):
        runs = slice(unitigs.run_ptr[first], unitigs.run_ptr[last])
        owners = np.repeat(np.arange(last - first), np.diff(unitigs.run_ptr[first : last + 1]))
        colors = unitigs.run_colors[runs]
        n_members = sizes[colors]
        within = np.arange(n_members.sum()) - np.repeat(np.cumsum(n_members) - n_members, n_members)
        members = sets.samples[np.repeat(sets.row_ptr[colors], n_members) + within]
        cells = np.repeat(owners * n_samples, n_members) + members
        weights = np.repeat(unitigs.run_lengths[runs], n_members)
        counts = np.bincount(cells, weights, (last - first) * n_samples)  # sums of integers, exact below 2^53
        yield first, counts.astype(np.int64).reshape(-1, n_samples)
