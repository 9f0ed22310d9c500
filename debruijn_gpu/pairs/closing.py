"""Close gaps between unitigs: fillings become unitigs of the graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_codes, packed_words
from debruijn_gpu.assembly.connections import with_connections
from debruijn_gpu.assembly.edges import edges_of, graph_of_edges
from debruijn_gpu.assembly.gap_filling import Filling, Gap, fill_gaps
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.gap_reads import EndReads
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.link_evidence import LinkGraph
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

_END_BP = 1_000  # of unitigs that a gap is filled from
#: Bases of an overlap at a thin place that no read spans, at least. One fragment leaves room for up to 400 lengths of
#: an overlap: in 3 of 10^5 such places one of these agrees by chance.
_THIN_OVERLAP_BP = 12
_UNLIKE_BP = 3  # more of an overlap with one different base, which is trimmed: by chance as rare


@dataclass(frozen=True)
class Closure:
    """A gap that was closed.

    Attributes
    ----------
    vertex : int
        Of the unitig that fills it, in the direction from tail to head.
    join : Join
        As it was: an estimate.
    filling : Filling
    """

    vertex: int
    join: Join
    filling: Filling


def close_gaps(
    graph: UnitigGraph,
    found: dict[int, Join],
    end_reads: EndReads,
    links: LinkGraph,
    run: RunOptions,
    backend: AssemblyBackend,
) -> tuple[UnitigGraph, dict[int, Join], list[Closure]]:
    """Fill the gaps of joins, and add what fills them to the graph.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    found : dict of int to Join
        By tail; see `joins.joins`.
    end_reads : EndReads
        Of both sides of gaps, among others.
    links : LinkGraph
    run : RunOptions
    backend : AssemblyBackend

    Returns
    -------
    UnitigGraph
        In arrays of the backend.
    dict of int to Join
        Joins whose gap was closed have a path.
    list of Closure
    """
    open_joins = [join for tail, join in sorted(found.items()) if join.path is None and _is_first(join)]
    if not open_joins:
        return graph, found, []
    with log.stage("close gaps") as stage:
        host = graph.moved(backend.to_host)
        gaps = [_gap(host, join, end_reads) for join in open_joins]
        fillings = fill_gaps(gaps, run.n_threads)
        can_trim = _trimmable(found, links)
        links, filled = replace(links, lengths=links.lengths.copy()), []  # less what is trimmed
        for join, gap, filling in zip(open_joins, gaps, fillings, strict=True):
            fitting = _fitting(filling, join, gap, links, can_trim)
            if fitting is not None:
                filled.append((join, fitting))
                for end, trim in _trims(join, fitting):
                    links.lengths[[end, end ^ 1]] -= trim
        closures = [Closure(2 * (len(graph) + number), join, filling) for number, (join, filling) in enumerate(filled)]
        stage.items, stage.unit = len(closures), "gaps closed"
        if not closures:
            return graph, found, []
        return _with_fillings(host, closures).moved(backend.to_device), _with_paths(found, closures), closures


def _is_first(join: Join) -> bool:
    """Whether a join is the smaller of itself and its reverse complement."""
    return join.link.tail <= join.link.head ^ 1


def _trimmable(found: dict[int, Join], links: LinkGraph) -> NDArray[np.bool_]:
    """Find the vertices whose ends may lose their edges: dead ends, and ends of unitigs that no path goes through."""
    in_paths = [vertex >> 1 for join in found.values() for vertex in join.path or ()]
    is_free = np.ones(len(links.lengths) // 2, np.bool_)
    is_free[in_paths] = False
    return np.repeat(is_free, 2) | ~links.leads_on


def _fitting(
    filling: Filling | None, join: Join, gap: Gap, links: LinkGraph, can_trim: NDArray[np.bool_]
) -> Filling | None:
    """Return a filling that can be a unitig between two others, if ends are trimmed that can be."""
    if filling is None or filling.overlap_bp >= links.k - 1 or (join.is_thin and not _is_enough(filling, join)):
        return None
    if not filling.left_trim_bp and not filling.right_trim_bp:
        return filling
    whole = filling.overlap_bp + filling.left_trim_bp + filling.right_trim_bp
    if filling.overlap_bp and whole < links.k - 1 and np.array_equal(gap.left[-whole:], gap.right[:whole]):
        return replace(filling, overlap_bp=whole, left_trim_bp=0, right_trim_bp=0)
    fits = all(
        not trim or (can_trim[end] and links.lengths[end] - trim >= links.k) for end, trim in _trims(join, filling)
    )
    return filling if fits else None


def _trims(join: Join, filling: Filling) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return both ends of a gap as vertices, each with the bases that a filling trims off it."""
    return (join.link.tail, filling.left_trim_bp), (join.link.head ^ 1, filling.right_trim_bp)


def _is_enough(filling: Filling, join: Join) -> bool:
    """Whether a thin join is kept: reads hold what fills it, or the overlap is no chance."""
    n_trimmed = filling.left_trim_bp + filling.right_trim_bp
    n_equal = filling.overlap_bp + n_trimmed - _UNLIKE_BP * (n_trimmed > 0)
    return filling.n_reads > 0 or (filling.overlap_bp > 0 and n_equal >= _THIN_OVERLAP_BP)


def _gap(host: UnitigGraph, join: Join, end_reads: EndReads) -> Gap:
    """The gap of a join, with the reads of both sides."""
    link = join.link
    return Gap(*_ends(host, join, _END_BP), link.gap_bp, link.error_bp, *end_reads.of(link.tail, link.head ^ 1))


def _ends(host: UnitigGraph, join: Join, most_bp: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The last bases of the tail of a join, and the first ones of its head."""
    left, right = (last_codes(host, vertex, most_bp) for vertex in (join.link.tail, join.link.head ^ 1))
    return left, (3 - right)[::-1]


def codes_of_vertex(host: UnitigGraph, vertex: int) -> NDArray[np.uint8]:
    """Unpack the bases of a vertex of a graph in NumPy arrays."""
    return last_codes(host, vertex, int(host.sequences.offsets[-1]))


def last_codes(host: UnitigGraph, vertex: int, most_bp: int) -> NDArray[np.uint8]:
    """Unpack the last bases of a vertex of a graph in NumPy arrays."""
    start, stop = host.sequences.offsets[vertex >> 1 : (vertex >> 1) + 2].tolist()
    if vertex & 1:
        return (3 - packed_codes(host.sequences.bases, start, min(stop, start + most_bp)))[::-1]
    return packed_codes(host.sequences.bases, max(start, stop - most_bp), stop)


def _with_paths(found: dict[int, Join], closures: list[Closure]) -> dict[int, Join]:
    """The joins, those of closed gaps with a path."""
    done = dict(found)
    for closure in closures:
        link = closure.join.link
        done[link.tail] = replace(closure.join, path=(closure.vertex,))
        done[link.head ^ 1] = replace(found[link.head ^ 1], path=(closure.vertex ^ 1,))
    return done


def _with_fillings(host: UnitigGraph, closures: list[Closure]) -> UnitigGraph:
    """Add unitigs that overlap both ends of a gap by k - 1 bases, as any neighbours do; ends are trimmed before."""
    overlap = host.k - 1
    trims = np.zeros(2 * len(host), np.int64)  # behind each vertex
    for closure in closures:
        for end, trim in _trims(closure.join, closure.filling):
            trims[end] = trim
    host = _trimmed(host, trims)
    links = [closure.join.link for closure in closures]
    tails, heads = np.array([link.tail for link in links], np.int64), np.array([link.head for link in links], np.int64)
    sequences = []
    for closure in closures:
        left, right = _ends(host, closure.join, overlap)
        filling = closure.filling
        sequences.append(np.concatenate((left, filling.sequence, right[filling.overlap_bp :])))
    return with_connections(host, tails, heads, sequences, 1)  # of reads that the graph has no k-mers of


def _trimmed(host: UnitigGraph, trims: NDArray[np.int64]) -> UnitigGraph:
    """Remove so many bases behind each vertex, and its edges. Counts of the k-mers are shared evenly."""
    if not trims.any():
        return host
    offsets, n_less = host.sequences.offsets, trims[0::2] + trims[1::2]
    codes = packed_codes(host.sequences.bases, 0, int(offsets[-1]))
    is_kept = np.ones(len(codes), np.bool_)
    for vertex in np.flatnonzero(trims).tolist():
        start, stop, n = int(offsets[vertex >> 1]), int(offsets[(vertex >> 1) + 1]), int(trims[vertex])
        is_kept[slice(start, start + n) if vertex & 1 else slice(stop - n, stop)] = False
    kept = host.n_kmers - n_less
    counts = np.where(n_less > 0, np.maximum(kept, host.kmer_counts * kept // host.n_kmers), host.kmer_counts)
    return replace(
        host,
        graph=_without_edges(host.graph, trims > 0),
        sequences=PackedSequences(np.append(0, np.cumsum(np.diff(offsets) - n_less)), packed_words(codes[is_kept])),
        n_kmers=kept,
        kmer_counts=counts,
    )


def _without_edges(graph: Graph, is_trimmed: NDArray[np.bool_]) -> Graph:
    """Remove the edges of ends that are trimmed."""
    tails, heads = edges_of(graph)
    is_kept = ~(is_trimmed[tails] | is_trimmed[heads ^ 1])
    return graph_of_edges(tails[is_kept], heads[is_kept], graph.n_vertices)
