"""Leave out gaps whose mates are of other copies than the unitigs on which they are placed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.intervals import bases_at
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.pairs.gap_reads import AMBIGUOUS, EndReads
from debruijn_gpu.pairs.joins import Join
from debruijn_gpu.pairs.library import Library
from debruijn_gpu.pairs.link_evidence import LinkGraph, toward_mate
from debruijn_gpu.pairs.placed_reads import LoosePairs, distinct_columns

Longs = NDArray[np.int64]

#: Differences from its unitig that a read shares with another one of its link, at most, so that it is of this unitig.
#: Errors are shared by chance alone, and alleles differ in about one base of a read.
_MOST_SHARED = 1
_BLOCK = 1 << 13  # reads whose bases are looked at together


@dataclass(frozen=True)
class _Reads:
    """Reads on one of the two unitigs beside a gap, of the fragments that link these.

    Attributes
    ----------
    ends : ndarray, dtype=int64, shape=(n,)
        The vertex before the gap on which a read is placed, or whose reverse complement it is placed on.
    fragments : ndarray, dtype=int64, shape=(n,)
        Number of the pair.
    vertices, starts : ndarray, dtype=int64, shape=(n,)
        Vertex along which the read runs, and position of its first base on this.
    places : ndarray, dtype=int64, shape=(2, n)
        Batch and row.
    """

    ends: Longs
    fragments: Longs
    vertices: Longs
    starts: Longs
    places: Longs


def without_contradicted_gaps(
    found: Mapping[int, Join],
    libraries: Iterable[tuple[Library, LoosePairs]],
    ends: LinkGraph,
    end_reads: EndReads,
    graph: UnitigGraph,
    least_pairs: int,
) -> dict[int, Join]:
    """Leave out joins without a path whose fragments differ from one of the unitigs in the same bases.

    Where a copy of a repeat is missing in the graph, its reads are placed on the most similar one. The pairs of the
    missing copy then link the neighbours of one copy with another copy. Their reads differ from the unitig in the same
    bases, while errors differ from read to read. On each side of a gap, as many fragments as make a link have to agree.
    Thin joins are left: they count only if reads fill their gap.

    Parameters
    ----------
    found : mapping of int to Join
        By tail, before gaps are closed.
    libraries : iterable of (Library, LoosePairs)
    ends : LinkGraph
    end_reads : EndReads
        Of both sides of the gaps, among others.
    graph : UnitigGraph
        In NumPy arrays.
    least_pairs : int
        See `PairOptions`.
    """
    gaps = [tail for tail, join in found.items() if join.path is None and not join.is_thin]
    if not gaps:
        return dict(found)
    beyond = np.full(len(ends.lengths), -1, np.int64)
    beyond[gaps] = [found[tail].link.head ^ 1 for tail in gaps]
    n_linking, n_agreeing = _count_agreeing(_reads_beside(beyond, libraries, ends), graph, end_reads)
    is_kept = n_agreeing >= np.minimum(n_linking, least_pairs)
    left_out = {tail for tail in gaps if not (is_kept[tail] and is_kept[beyond[tail]])}
    return {tail: join for tail, join in found.items() if tail not in left_out}


def _reads_beside(beyond: Longs, libraries: Iterable[tuple[Library, LoosePairs]], ends: LinkGraph) -> _Reads:
    """List the reads of the fragments that link each vertex with the one of ``beyond``; -1 where no gap is."""
    none = np.empty(0, np.int64)
    parts = [_Reads(none, none, none, none, np.empty((2, 0), np.int64))]
    n_fragments = 0
    for library, all_pairs in libraries:
        loose = _beside(beyond, all_pairs)
        chosen = [*_of_pairs(beyond, loose, library, ends), *_of_reads(beyond, loose, ends)]
        numbers = _distinct_numbers(loose.anchors, np.logical_or.reduce([some for _, _, some in chosen]))
        for row, sides, some in chosen:
            own = np.flatnonzero(some)
            mate = row // 4 * 2
            places = loose.places[mate : mate + 2, own]
            lies = loose.anchors[row, own], loose.anchors[row + 1, own]
            parts.append(_Reads(sides[own], n_fragments + numbers[own], *lies, places))
        n_fragments += len(numbers)
    columns = zip(*((one.ends, one.fragments, one.vertices, one.starts, one.places) for one in parts), strict=True)
    return _Reads(*(np.concatenate(column, axis=-1) for column in columns))


def _beside(beyond: Longs, loose: LoosePairs) -> LoosePairs:
    """Return the pairs with an anchor on a unitig beside a gap: few of all."""
    is_beside = np.append((beyond.reshape(-1, 2) >= 0).any(axis=1), False)  # the last one for vertex -1
    is_wanted = np.zeros(loose.anchors.shape[1], np.bool_)
    for row in (0, 2, 4, 6):
        is_wanted |= is_beside[loose.anchors[row] >> 1]
    some = np.flatnonzero(is_wanted)
    return LoosePairs(loose.anchors[:, some], loose.lengths[:, some], loose.places[:, some])


def _of_pairs(
    beyond: Longs, loose: LoosePairs, library: Library, ends: LinkGraph
) -> Iterator[tuple[int, Longs, NDArray[np.bool_]]]:
    """Yield a row of anchors, the vertices beyond whose ends their mates point, and which pairs lead across gaps."""
    ahead, reach = {}, {}
    for row in (0, 2, 4, 6):
        vertices, starts = loose.anchors[row], loose.anchors[row + 1]
        found, reach[row] = toward_mate(vertices, starts, library.orientation, row // 4, ends)
        is_near = (vertices >= 0) & (reach[row] > 0) & (reach[row] <= library.longest_bp)
        ahead[row] = np.where(is_near, found, -1)
    for row, other in ((0, 4), (0, 6), (2, 4), (2, 6)):
        is_across = _is_beyond(beyond, ahead[row], ahead[other])
        is_across &= reach[row] + reach[other] <= library.longest_bp + ends.k
        yield row, ahead[row], is_across
        yield other, ahead[other], is_across


def _of_reads(beyond: Longs, loose: LoosePairs, ends: LinkGraph) -> Iterator[tuple[int, Longs, NDArray[np.bool_]]]:
    """Yield the same of reads that run from one side of a gap to the other."""
    for row in (0, 4):
        first, start, last, other_start = loose.anchors[row : row + 4]
        is_across = _is_beyond(beyond, first, np.where(last >= 0, last ^ 1, -1))
        is_across &= start - other_start >= ends.lengths[first] - ends.k
        yield row, first, is_across
        yield row + 2, last ^ 1, is_across


def _is_beyond(beyond: Longs, ahead: Longs, other: Longs) -> NDArray[np.bool_]:
    """Whether two vertices are those on both sides of a gap."""
    found: NDArray[np.bool_] = (ahead >= 0) & (other >= 0) & (beyond[ahead] == other)
    return found


def _distinct_numbers(anchors: Longs, chosen: NDArray[np.bool_]) -> Longs:
    """Number the chosen pairs, and copies of a fragment alike."""
    some = np.flatnonzero(chosen)
    columns = anchors[:, some]
    order = np.lexsort(columns[::-1])
    is_new = (columns[:, order[1:]] != columns[:, order[:-1]]).any(axis=0)
    numbers = np.zeros(len(chosen), np.int64)
    numbers[some[order]] = np.append(0, np.cumsum(is_new))[: len(some)]
    return numbers


def _count_agreeing(reads: _Reads, graph: UnitigGraph, end_reads: EndReads) -> tuple[Longs, Longs]:
    """Count the fragments at each vertex, and those whose read shares at most `_MOST_SHARED` differences."""
    rows, bases = _differences(reads, graph, end_reads)
    sides, fragments = reads.ends[rows], reads.fragments[rows]
    order = np.lexsort((fragments, bases, sides))
    rows, columns = rows[order], np.stack((sides, bases, fragments))[:, order]
    differs = columns[:, 1:] != columns[:, :-1]
    is_new_base = np.append(True, differs[:2].any(axis=0))[: len(rows)]
    is_new = np.append(True, differs.any(axis=0))[: len(rows)]
    base = np.cumsum(is_new_base) - 1
    is_shared = np.bincount(base[is_new], minlength=len(rows))[base] > 1
    n_shared = np.bincount(rows[is_shared], minlength=len(reads.ends))
    at_ends = np.stack((reads.ends, reads.fragments))
    linking, agreeing = (distinct_columns([at_ends[:, some]])[0] for some in (n_shared >= 0, n_shared <= _MOST_SHARED))
    return np.bincount(linking, minlength=2 * len(graph)), np.bincount(agreeing, minlength=2 * len(graph))


def _differences(reads: _Reads, graph: UnitigGraph, end_reads: EndReads) -> tuple[Longs, Longs]:
    """List where reads differ from their unitigs: number of the read; four times the place, plus the base there."""
    offsets, found = graph.sequences.offsets, [np.empty((2, 0), np.int64)]
    for start in range(0, len(reads.ends), _BLOCK):
        some = slice(start, start + _BLOCK)
        codes, bounds = end_reads.codes_at(*reads.places[:, some])
        row = start + np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        unitig, is_turned = reads.vertices[row] >> 1, reads.vertices[row] & 1 == 1
        at = np.arange(len(codes)) - bounds[row - start] + reads.starts[row]
        size = offsets[unitig + 1] - offsets[unitig]
        place = offsets[unitig] + np.where(is_turned, size - 1 - at, at)
        base = np.where(is_turned, 3 - codes, codes)
        inner = np.flatnonzero((at >= 0) & (at < size) & (codes != AMBIGUOUS))
        other = inner[bases_at(graph.sequences.bases, place[inner]) != base[inner]]
        found.append(np.stack((row[other], 4 * place[other] + base[other])))
    rows, bases = np.concatenate(found, axis=1)
    return rows, bases
