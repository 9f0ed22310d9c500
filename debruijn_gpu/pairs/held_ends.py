"""Trim the ends of unitigs to the words that reads hold, where there are no pairs to confirm them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.edges import edges_of, graph_of_edges
from debruijn_gpu.assembly.intervals import gathered, index_intervals, word_counts
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.pairs.placement import ANCHOR_BP
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

_WHAT = "looking for the ends of unitigs in reads"


@dataclass(frozen=True)
class HeldUnitigs:
    """A graph whose unitigs are trimmed, and where their bases are.

    Attributes
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    n_trimmed : ndarray, dtype=int64, shape=(2 * n_before,)
        Bases trimmed behind each vertex of the graph before.
    lengths : ndarray, dtype=int64, shape=(n_before,)
        Of the unitigs before.
    numbers : ndarray, dtype=int64, shape=(n_before,)
        Number of each unitig in the trimmed graph; -1: it is left out.
    """

    graph: UnitigGraph
    n_trimmed: Longs
    lengths: Longs
    numbers: Longs

    def moved(self, unitig: int, start: int, stop: int) -> tuple[int, int, int] | None:
        """Translate an interval of a unitig; to the base next to it if its own are trimmed. None: it is left out."""
        if self.numbers[unitig] < 0:
            return None
        back, front = self.n_trimmed[2 * unitig : 2 * unitig + 2].tolist()
        length = int(self.lengths[unitig]) - front - back
        start = min(max(0, start - front), length - 1)
        return int(self.numbers[unitig]), start, min(max(start + 1, stop - front), length)


def with_held_ends(
    graph: UnitigGraph,
    reads: Iterable[ReadBatch],
    word_bp: int,
    run: RunOptions,
    backend: AssemblyBackend,
    shared_bp: int = ANCHOR_BP,
) -> HeldUnitigs:
    """Trim the ends of unitigs to before the first word that no read holds and that has bases of another place.

    The last k - 1 bases of a unitig, which it shares with its neighbours, come from smaller k where no read spans them.
    Where reads of one copy of a repeat are missing, they may begin as one copy and end as another; then most words of
    half a read across that place are in no read. Where the bases of an end are nowhere else, there are just few reads.
    Ends that are trimmed have no links. A unitig that would keep no k-mer is left out: its neighbours have most of its
    bases.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    reads : iterable of ReadBatch
        In arrays of the backend.
    word_bp : int
        At most the k of the graph. Longer words are missing by chance where reads are few, and shorter ones hold fewer
        of the bases in which copies differ.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays those of the result are, too.
    shared_bp : int
        Words of so many bases that occur twice in unitigs are those of another place, too.
    """
    host = graph.moved(backend.to_host)
    with log.stage("look for ends of unitigs in reads", unit="bases") as stage:
        unitigs, bounds = _intervals_of_ends(host, word_bp)
        index = index_intervals(host.sequences.bases, bounds, word_bp, _WHAT, run, backend)
        places = _words_without_read(unitigs, bounds, word_counts(index, reads, run, backend), word_bp)
        del index
        missing = places[_are_shared(graph, host, places, word_bp, min(shared_bp, word_bp), run, backend)]
        n_trimmed = _trims(missing, word_bp, host)
        stage.items = int((bounds[:, 1] - bounds[:, 0]).sum())
    is_kept = n_trimmed[0::2] + n_trimmed[1::2] < host.n_kmers
    n_ends = int(np.count_nonzero(n_trimmed))
    if n_ends:
        log.logger.info("  %s trimmed to what reads hold", counted(n_ends, "end") + f" of {2 * len(host):,}")
        graph = _trimmed(host, n_trimmed, is_kept).moved(backend.to_device)
    numbers = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    return HeldUnitigs(graph, n_trimmed, np.diff(host.sequences.offsets), numbers)


def _reach(host: UnitigGraph, word_bp: int) -> int:
    """Count the bases at an end of a unitig that hold all words with one of its last k - 1 bases."""
    return host.k - 1 + word_bp - 1


def _intervals_of_ends(host: UnitigGraph, word_bp: int) -> tuple[Longs, Longs]:
    """List the ends of linear unitigs as intervals of bases (n, 2), a whole unitig where these meet, and its number."""
    linear = np.flatnonzero(~host.circular)
    first, last = host.sequences.offsets[linear], host.sequences.offsets[linear + 1]
    reach = _reach(host, word_bp)
    is_short = last - first <= 2 * reach
    fronts = np.stack((first, np.where(is_short, last, first + reach)), axis=1)
    backs = np.stack((last - reach, last), axis=1)[~is_short]
    numbers = np.concatenate((linear, linear[~is_short]))
    bounds = np.concatenate((fronts, backs))
    order = np.argsort(bounds[:, 0], kind="stable")
    return numbers[order], bounds[order]


def _words_without_read(unitigs: Longs, bounds: Longs, n_reads: NDArray[np.int32], word_bp: int) -> Longs:
    """List the words of intervals of unitigs that are in no read: unitig and first base among all (n, 2)."""
    sizes = bounds[:, 1] - bounds[:, 0]
    starts = np.append(0, np.cumsum(sizes))
    missing = np.flatnonzero(n_reads == 0)
    interval = np.searchsorted(starts, missing, "right") - 1
    is_word = missing - starts[interval] <= sizes[interval] - word_bp
    missing, interval = missing[is_word], interval[is_word]
    return np.stack((unitigs[interval], bounds[interval, 0] + missing - starts[interval]), axis=1)


def _are_shared(
    graph: UnitigGraph,
    host: UnitigGraph,
    places: Longs,
    word_bp: int,
    shared_bp: int,
    run: RunOptions,
    backend: AssemblyBackend,
) -> Flags:
    """Find out which words of unitigs, in the order of their places, have a shorter word that unitigs have twice."""
    begins = places[:, 1]
    if not len(begins):
        return np.zeros(0, np.bool_)
    is_first = np.append(True, begins[1:] > begins[:-1] + word_bp)  # of words that overlap or follow each other
    firsts = np.flatnonzero(is_first)
    bounds = np.stack((begins[firsts], begins[np.append(firsts[1:], len(begins)) - 1] + word_bp), axis=1)
    starts = np.append(0, np.cumsum(bounds[:, 1] - bounds[:, 0]))
    index = index_intervals(host.sequences.bases, bounds, shared_bp, _WHAT, run, backend)
    none = backend.to_device(np.zeros(0, np.int64))
    unitigs = ReadBatch(graph.sequences.bases, graph.sequences.offsets, none)
    n_before = np.append(0, np.cumsum(word_counts(index, [unitigs], run, backend) > 1))
    number = np.cumsum(is_first) - 1
    at = starts[number] + begins - bounds[number, 0]
    found: Flags = n_before[at + word_bp - shared_bp + 1] > n_before[at]
    return found


def _trims(missing: Longs, word_bp: int, host: UnitigGraph) -> Longs:
    """Count the bases to trim behind each vertex, shape (2 n,), for words of unitigs that are missing."""
    unitig, begin = missing[:, 0], missing[:, 1]
    first, last = host.sequences.offsets[unitig], host.sequences.offsets[unitig + 1]
    to_back, to_front = last - begin, begin + word_bp - first  # bases with the word
    found = np.zeros(2 * len(host), np.int64)
    for vertex, n_bases in ((2 * unitig, to_back), (2 * unitig + 1, to_front)):
        is_near = n_bases <= _reach(host, word_bp)
        np.maximum.at(found, vertex[is_near], n_bases[is_near] - word_bp + 1)
    return found


def _trimmed(host: UnitigGraph, n_trimmed: Longs, is_kept: Flags) -> UnitigGraph:
    """Trim the last bases of vertices, which then have no links; leave out unitigs that keep no k-mer.

    The sum of the counts of a unitig stays, as those of the k-mers that go are 1 or so.
    """
    offsets = host.sequences.offsets
    bounds = np.stack((offsets[:-1] + n_trimmed[1::2], offsets[1:] - n_trimmed[0::2]), axis=1)[is_kept]
    lengths = bounds[:, 1] - bounds[:, 0]
    number = np.cumsum(is_kept) - 1
    tails, heads = edges_of(host.graph)
    are_linked = is_kept[tails >> 1] & is_kept[heads >> 1] & (n_trimmed[tails] == 0) & (n_trimmed[heads ^ 1] == 0)
    tails, heads = (2 * number[some >> 1] + (some & 1) for some in (tails[are_linked], heads[are_linked]))
    return UnitigGraph(
        host.k,
        graph_of_edges(tails, heads, 2 * len(lengths)),
        PackedSequences(np.append(0, np.cumsum(lengths)), gathered(host.sequences.bases, bounds)),
        host.circular[is_kept],
        lengths - host.k + 1,
        host.kmer_counts[is_kept],
    )
