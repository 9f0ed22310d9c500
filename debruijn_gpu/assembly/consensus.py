"""Correct bases of unitigs that the reads outvote, as the mismatch corrector of SPAdes does (Bankevich et al. 2012).

Where few reads cover a place, an error may have as many as what is right, and stay. Cleaning judges by the k-mers of a
round: the larger k is, the fewer of them do thin places have. Shorter words are in more of the reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD, packed_codes, packed_words
from debruijn_gpu.assembly.intervals import index_intervals, word_counts
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.protocol import KmerIndex
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Codes = NDArray[np.uint8]

#: Words are so much longer than those that occur once by chance in a genome of the size, in bases.
_MORE_BP = 9
#: Reads that have another base, at least, and relative to those that have it.
_LEAST_OTHERS, _TIMES_OWN = 2, 2
_BYTES_PER_BASE = 28  # of matches, counts and representatives, beside the index
_OTHER_BASES = 3
#: Bases of a word beyond the one that is asked for, at least: reads that end there are most of those of thin places.
_BEYOND_BP = 2
#: Of the depth, that of thin places.
_THIN = 0.5


def has_thin_places(most_reads: int, depth: float, genome_bp: int) -> bool:
    """Whether some place of a genome of even coverage has so few reads, by chance (Poisson), at half of the depth."""
    mean = _THIN * depth
    terms = (mean**n / math.factorial(n) for n in range(most_reads + 1))
    return genome_bp * math.exp(-mean) * sum(terms) >= 1.0


def with_consensus(
    graph: UnitigGraph, reads: Iterable[ReadBatch], most_reads: int, run: RunOptions, backend: AssemblyBackend
) -> UnitigGraph:
    """Replace bases that few reads have by others that twice as many have.

    Bases that a unitig shares with its neighbours stay, and so do those where the other base would give a word of
    another place of the graph, as a copy of a repeat.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    reads : iterable of ReadBatch
        In arrays of the backend.
    most_reads : int
        That have a base which is replaced.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of the result are, too.
    """
    host = graph.moved(backend.to_host)
    word_bp = word_length(int(host.sequences.offsets[-1]))
    with log.stage("look for bases that reads outvote", unit="bases") as stage:
        stage.items = int(host.sequences.offsets[-1])
        bounds = np.stack((host.sequences.offsets[:-1], host.sequences.offsets[1:]), axis=1)
        what = "counting the words of unitigs in reads", _BYTES_PER_BASE
        index = index_intervals(host.sequences.bases, bounds, word_bp, what, run, backend)
        counts = word_counts(index, reads, run, backend)
        places = _thin_places(host, counts, word_bp, most_reads)
        if not len(places):
            return graph
        votes = _votes(host.sequences.bases, places, counts, index, reads, run, backend)
        places, bases = _outvoted(host.sequences.bases, places, votes)
    if not len(places):
        return graph
    log.logger.info("  %s corrected to what reads have", counted(len(places), "base"))
    corrected = _with_bases(host.sequences, places, bases)
    return replace(graph, sequences=corrected.moved(backend.to_device))


def word_length(n_bases: int) -> int:
    """Return the length of words that occur once by chance in a genome of the size: odd, and 21 for a bacterium."""
    return (max(1, n_bases).bit_length() + 1) // 2 + _MORE_BP | 1


def _thin_places(host: UnitigGraph, counts: NDArray[np.int32], word_bp: int, most: int) -> Longs:
    """List the bases whose words are all in few reads, without those near ends and those shared with neighbours."""
    half = word_bp // 2
    few = np.flatnonzero(counts[: len(counts) - word_bp + 1] <= most) + half
    few = few[(few >= word_bp) & (few < len(counts) - word_bp)]
    for before in range(-half, half + 1):  # most are of sequence where few reads begin, and drop out at once
        few = few[counts[few - half + before] <= most]
    unitigs = np.searchsorted(host.sequences.offsets, few, "right") - 1
    has_next = np.diff(host.graph.row_ptr) > 0
    behind = np.where(has_next[2 * unitigs], host.k - 1, half)
    before_it = np.where(has_next[2 * unitigs + 1], host.k - 1, half)
    is_inner = few - host.sequences.offsets[unitigs] >= before_it
    is_inner &= host.sequences.offsets[unitigs + 1] - few > behind
    found: Longs = few[is_inner & ~host.circular[unitigs]]
    return found


def _votes(
    bases: NDArray[np.uint64],
    places: Longs,
    counts: NDArray[np.int32],
    index: KmerIndex,
    reads: Iterable[ReadBatch],
    run: RunOptions,
    backend: AssemblyBackend,
) -> NDArray[np.int32]:
    """Count the reads that have the base of each place, and the next ones of A, C, G and T in a circle.

    The result has a row for each place: the most reads of a word with the place in its middle or near one of its ends.
    Of words that are elsewhere in the graph, none count.
    """
    offsets = (index.k // 2, _BEYOND_BP, index.k - 1 - _BEYOND_BP)  # of the place in a word
    words = np.concatenate([_other_words(bases, places - before, before, index.k) for before in offsets])
    shape = len(offsets), len(places), _OTHER_BASES
    is_free = ~_are_indexed(words, index, backend).reshape(shape).any(axis=0)
    others = _counts_of_words(words, reads, run, backend).reshape(shape).max(axis=0) * is_free
    own = np.stack([counts[places - before] for before in offsets]).max(axis=0)
    return np.concatenate((own[:, np.newaxis], others), axis=1)


def _other_words(bases: NDArray[np.uint64], starts: Longs, before: int, word_bp: int) -> Codes:
    """Spell words with each other base behind so many bases, three for each start."""
    words = _bases_at(bases, starts[:, np.newaxis] + np.arange(word_bp))
    others: Codes = np.repeat(words, _OTHER_BASES, axis=0)
    steps = np.tile(np.arange(1, _OTHER_BASES + 1, dtype=np.uint8), len(starts))
    others[:, before] = (others[:, before] + steps) & np.uint8(3)
    return others


def _bases_at(bases: NDArray[np.uint64], at: Longs) -> Codes:
    """Take bases out of packed ones."""
    shifts = (62 - 2 * (at % BASES_PER_WORD)).astype(np.uint64)
    found: Codes = (bases[at // BASES_PER_WORD] >> shifts).astype(np.uint8) & np.uint8(3)
    return found


def _are_indexed(words: Codes, index: KmerIndex, backend: AssemblyBackend) -> NDArray[np.bool_]:
    """Whether words, or their reverse complements, are in indexed sequences."""
    n, word_bp = words.shape
    batch = ReadBatch(packed_words(words.reshape(-1)), np.arange(n + 1) * word_bp, np.empty(0, np.int64))
    in_batch = backend.to_host(backend.screens.match_reads(batch.moved(backend.to_device), index))[0]
    found = np.zeros(n, np.bool_)
    found[in_batch // word_bp] = True
    return found


def _counts_of_words(
    words: Codes, reads: Iterable[ReadBatch], run: RunOptions, backend: AssemblyBackend
) -> NDArray[np.int32]:
    """Count the reads that have each of some words, or its reverse complement."""
    n, word_bp = words.shape
    starts = np.arange(n) * word_bp
    bounds = np.stack((starts, starts + word_bp), axis=1)
    what = "counting other bases in reads", _BYTES_PER_BASE
    index = index_intervals(packed_words(words.reshape(-1)), bounds, word_bp, what, run, backend)
    found: NDArray[np.int32] = word_counts(index, reads, run, backend)[starts]
    return found


def _outvoted(bases: NDArray[np.uint64], places: Longs, votes: NDArray[np.int32]) -> tuple[Longs, Codes]:
    """Choose the places where one other base is in more reads, and these bases."""
    best = votes[:, 1:].argmax(axis=1) + 1
    n_best = votes[np.arange(len(places)), best]
    is_one = (votes[:, 1:] == n_best[:, np.newaxis]).sum(axis=1) == 1
    is_more = is_one & (n_best >= _LEAST_OTHERS) & (n_best >= _TIMES_OWN * votes[:, 0])
    places, steps = places[is_more], best[is_more].astype(np.uint8)
    return places, (_bases_at(bases, places) + steps) & np.uint8(3)


def _with_bases(sequences: PackedSequences, places: Longs, bases: Codes) -> PackedSequences:
    """Replace bases of packed sequences, in NumPy arrays."""
    codes = packed_codes(sequences.bases, 0, int(sequences.offsets[-1]))
    codes[places] = bases
    return PackedSequences(sequences.offsets, packed_words(codes))
