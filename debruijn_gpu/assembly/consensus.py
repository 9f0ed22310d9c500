"""Correct bases of unitigs that the reads outvote, as the mismatch corrector of SPAdes does (Bankevich et al. 2012).

Where few reads cover a place, an error may have as many as what is right, and stay. Cleaning judges by the k-mers of a
round: the larger k is, the fewer of them do thin places have. Shorter words are in more of the reads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_codes, packed_words
from debruijn_gpu.assembly.intervals import INDEXED_BYTES, bases_at, index_intervals, word_counts
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.protocol import KmerIndex
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.room import free_room, least_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Codes = NDArray[np.uint8]

#: Bases of words beyond those of words that occur once by chance in a genome of the size.
_MORE_BP = 9
#: Least number of reads with another base, and least ratio to the number with the base of the unitig.
_LEAST_OTHERS, _TIMES_OWN = 2, 2
_OTHER_BASES = 3
#: Bases of a word beyond the one that is asked for, at least: reads that end there are most of those of thin places.
_BEYOND_BP = 2
#: Least number by which the reads of a word beside a base exceed those with the base.
_MORE_BESIDE = 2
#: Of the depth, that of thin places.
_THIN = 0.5
#: Unitigs are looked at in pieces, and other bases of at least this many places at once.
_PIECE_BP, _LEAST_PLACES = 1 << 16, 1 << 12
_PART_OF_MEMORY = 3


def has_thin_places(most_reads: int, depth: float, genome_bp: int) -> bool:
    """Whether some place of a genome of even coverage has so few reads, by chance (Poisson), at half of the depth."""
    mean = _THIN * depth
    terms = (mean**n / math.factorial(n) for n in range(most_reads + 1))
    return genome_bp * math.exp(-mean) * sum(terms) >= 1.0


def with_consensus(
    graph: UnitigGraph, reads: Iterable[ReadBatch], most_reads: int, run: RunOptions, backend: AssemblyBackend
) -> UnitigGraph:
    """Replace bases that few reads have by others that twice as many have.

    Bases that a unitig shares with its neighbours stay, as do those of circular unitigs, and those where the other base
    would give a word of another place of the graph, as a copy of a repeat.

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
    if not len(host) or host.k < word_bp:
        return graph
    with log.stage("look for bases that reads outvote", unit="bases") as stage:
        stage.items = int(host.sequences.offsets[-1])
        groups = _groups(host.sequences.offsets, word_bp, run, backend)
        found = [_thin_places(host, group, word_bp, most_reads, reads, run, backend) for group in groups]
        places, own = (np.concatenate(columns) for columns in zip(*found, strict=True))
        at_once = _places_at_once(word_bp, run, backend)
        blocks = [slice(start, start + at_once) for start in range(0, len(places), at_once)]
        bases = host.sequences.bases
        steps = [_outvoting(bases, places[some], own[some], word_bp, reads, run, backend) for some in blocks]
        chosen = np.concatenate([*steps, np.empty(0, np.uint8)])
        places, chosen = _without_copies(host, places[chosen > 0], chosen[chosen > 0], groups, word_bp, run, backend)
    if not len(places):
        return graph
    log.logger.info("  %s corrected by reads", counted(len(places), "base"))
    corrected = _with_bases(host.sequences, places, chosen)
    return replace(graph, sequences=corrected.moved(backend.to_device))


def word_length(n_bases: int) -> int:
    """Return the length of words that occur once by chance in a genome of the size: odd, and 21 for a bacterium."""
    return (max(1, n_bases).bit_length() + 1) // 2 + _MORE_BP | 1


@dataclass(frozen=True)
class _Pieces:
    """Pieces of unitigs that are indexed at once, with bases on both sides of them.

    Attributes
    ----------
    bounds : ndarray, dtype=int64, shape=(n, 2)
        With these bases.
    first, last : ndarray, dtype=int64, shape=(n,)
        Without them.
    """

    bounds: Longs
    first: Longs
    last: Longs

    def places(self, at: Longs) -> Longs:
        """Return the bases of the graph at positions in the pieces, packed one after another; -1 beside a piece."""
        starts = np.append(0, np.cumsum(self.bounds[:, 1] - self.bounds[:, 0]))
        piece = np.searchsorted(starts, at, "right") - 1
        found = self.bounds[piece, 0] + at - starts[piece]
        return np.where((found >= self.first[piece]) & (found < self.last[piece]), found, -1)


def _groups(offsets: Longs, word_bp: int, run: RunOptions, backend: AssemblyBackend) -> list[_Pieces]:
    """Divide unitigs into pieces, and these into groups that fit into part of what memory is left."""
    lengths = np.diff(offsets)
    n_pieces = -(-lengths // _PIECE_BP)
    unitigs = np.repeat(np.arange(len(lengths)), n_pieces)
    number = np.arange(len(unitigs)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
    first = offsets[unitigs] + number * _PIECE_BP
    last = np.minimum(first + _PIECE_BP, offsets[unitigs + 1])
    beside = 2 * word_bp
    bounds = np.stack(
        (np.maximum(first - beside, offsets[unitigs]), np.minimum(last + beside, offsets[unitigs + 1])), axis=1
    )
    left = free_room(_PART_OF_MEMORY * INDEXED_BYTES * int(offsets[-1]), lambda: least_left(run, backend))
    at_once = max(2 * _PIECE_BP, left // (_PART_OF_MEMORY * INDEXED_BYTES))
    group = np.cumsum(bounds[:, 1] - bounds[:, 0]) // at_once
    splits = np.flatnonzero(np.diff(group)) + 1
    columns = (np.split(column, splits) for column in (bounds, first, last))
    return [_Pieces(*some) for some in zip(*columns, strict=True)]


def _places_at_once(word_bp: int, run: RunOptions, backend: AssemblyBackend) -> int:
    """Return of how many places the words with other bases fit into part of what memory is left."""
    n_bytes = len(_places_in_word(word_bp)) * _OTHER_BASES * word_bp * INDEXED_BYTES
    return max(_LEAST_PLACES, least_left(run, backend) // (_PART_OF_MEMORY * n_bytes))


def _indexed(host: UnitigGraph, group: _Pieces, word_bp: int, run: RunOptions, backend: AssemblyBackend) -> KmerIndex:
    what = "counting the words of unitigs in reads"
    return index_intervals(host.sequences.bases, group.bounds, word_bp, what, run, backend)


def _thin_places(
    host: UnitigGraph,
    group: _Pieces,
    word_bp: int,
    most: int,
    reads: Iterable[ReadBatch],
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[Longs, NDArray[np.int32]]:
    """List the bases whose words are all in few reads, fewer than a word beside them, and the most of these reads.

    Bases near ends of unitigs, and bases in overlaps with neighbours, are left out.
    """
    half = word_bp // 2
    counts = word_counts(_indexed(host, group, word_bp, run, backend), reads, run, backend)
    counts = np.pad(counts, word_bp)
    beside = np.maximum(counts[: -2 * word_bp], counts[word_bp + 1 : len(counts) - word_bp + 1])
    few = np.flatnonzero((counts[word_bp - half : -word_bp - half] <= most) & (beside >= _MORE_BESIDE)) + word_bp
    for before in range(-half, half + 1):
        few = few[counts[few - half + before] <= most]
    own = np.stack([counts[few - before] for before in _places_in_word(word_bp)]).max(axis=0, initial=0)
    is_chosen = np.maximum(counts[few - word_bp], counts[few + 1]) >= own + _MORE_BESIDE
    places = group.places(few - word_bp)
    is_chosen &= (places >= 0) & _are_inner(host, places, word_bp)
    return places[is_chosen], own[is_chosen]


def _are_inner(host: UnitigGraph, places: Longs, word_bp: int) -> NDArray[np.bool_]:
    """Whether bases are of one unitig alone, and not near an end of it."""
    unitigs = np.searchsorted(host.sequences.offsets, places, "right") - 1
    has_next = np.diff(host.graph.row_ptr) > 0
    behind = np.where(has_next[2 * unitigs], host.k - 1, word_bp)
    before_it = np.where(has_next[2 * unitigs + 1], host.k - 1, word_bp)
    is_inner = places - host.sequences.offsets[unitigs] >= before_it
    is_inner &= host.sequences.offsets[unitigs + 1] - places > behind
    found: NDArray[np.bool_] = is_inner & ~host.circular[unitigs]
    return found


def _places_in_word(word_bp: int) -> tuple[int, int, int]:
    """Return where in words the place is that is asked for."""
    return word_bp // 2, _BEYOND_BP, word_bp - 1 - _BEYOND_BP


def _outvoting(
    bases: NDArray[np.uint64],
    places: Longs,
    own: NDArray[np.int32],
    word_bp: int,
    reads: Iterable[ReadBatch],
    run: RunOptions,
    backend: AssemblyBackend,
) -> Codes:
    """Choose the base that outvotes each one, as the steps from it among A, C, G and T in a circle; 0: none does.

    The votes of a base are the most reads of a word that has it in its middle or near one of its ends.
    """
    offsets = _places_in_word(word_bp)
    words = np.concatenate([_other_words(bases, places - before, before, word_bp) for before in offsets])
    n_reads = _counts_of_words(words, reads, run, backend)
    votes = n_reads.reshape(len(offsets), len(places), _OTHER_BASES).max(axis=0)
    best = votes.argmax(axis=1)
    n_best = votes[np.arange(len(places)), best]
    is_one = (votes == n_best[:, np.newaxis]).sum(axis=1) == 1
    outvotes = is_one & (n_best >= _LEAST_OTHERS) & (n_best >= _TIMES_OWN * own)
    return np.where(outvotes, best + 1, 0).astype(np.uint8)


def _without_copies(
    host: UnitigGraph,
    places: Longs,
    steps: Codes,
    groups: list[_Pieces],
    word_bp: int,
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[Longs, Codes]:
    """Return the places where the other base gives no word that is elsewhere in the graph, and these bases."""
    if len(places):
        rows = np.arange(len(places)) * _OTHER_BASES + steps - 1
        words = [_other_words(host.sequences.bases, places - b, b, word_bp)[rows] for b in _places_in_word(word_bp)]
        is_elsewhere = np.zeros(len(places), np.bool_)
        for group in groups:
            index = _indexed(host, group, word_bp, run, backend)
            for some in words:
                is_elsewhere |= _are_indexed(some, index, backend)
        places, steps = places[~is_elsewhere], steps[~is_elsewhere]
    return places, (bases_at(host.sequences.bases, places) + steps) & np.uint8(3)


def _other_words(bases: NDArray[np.uint64], starts: Longs, before: int, word_bp: int) -> Codes:
    """Spell words with each other base behind so many bases, three for each start."""
    words = bases_at(bases, starts[:, np.newaxis] + np.arange(word_bp))
    others: Codes = np.repeat(words, _OTHER_BASES, axis=0)
    steps = np.tile(np.arange(1, _OTHER_BASES + 1, dtype=np.uint8), len(starts))
    others[:, before] = (others[:, before] + steps) & np.uint8(3)
    return others


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
    what = "counting other bases in reads"
    index = index_intervals(packed_words(words.reshape(-1)), bounds, word_bp, what, run, backend)
    found: NDArray[np.int32] = word_counts(index, reads, run, backend)[starts]
    return found


def _with_bases(sequences: PackedSequences, places: Longs, bases: Codes) -> PackedSequences:
    """Replace bases of packed sequences, in NumPy arrays."""
    codes = packed_codes(sequences.bases, 0, int(sequences.offsets[-1]))
    codes[places] = bases
    return PackedSequences(sequences.offsets, packed_words(codes))
