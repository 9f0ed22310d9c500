"""Join ends of unitigs that a larger k tears apart within a repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.connections import with_connections
from debruijn_gpu.assembly.intervals import last_bases
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.uint8]
Hashes = NDArray[np.uint64]

#: Unitigs of at most so many times k k-mers are short, and have so much more k-mer depth.
_SHORT, _MORE_DEPTH = 2, 2.0
#: An overlap that also fits shifted, so that so many bases or more are shared, is that of a tandem array.
_SHIFTED_BP = 16
#: Ends whose last bases more have than that are left alone.
_MOST_ALIKE = 8
_ENDS_AT_ONCE = 1 << 13
_FILTER_BITS = 4  # more bits of a hash than number the keys: words whose leading bits no key has are not looked up
_BASE = 0x9E3779B97F4A7C15  # of hashes; odd, and so invertible
_INVERSE = pow(_BASE, -1, 1 << 64)


def repair_torn_repeats(
    graph: UnitigGraph, shorter_k: int, backend: AssemblyBackend, least_depth: float = 0.0
) -> UnitigGraph:
    """Join dead ends that share bases which were a repeat, or a branch, at a shorter k, if no third end shares them.

    A repeat shorter than k is no unitig any more: what leads into it continues as reads say that hold all of it. Where
    reads are few, one way through it may have none, so that its two ends come loose. If they share it with no other
    end, all other ways through it have reads, or were errors. Short unitigs of single reads may be errors themselves,
    and are left alone.

    Parameters
    ----------
    graph : UnitigGraph
        Compacted, not yet cleaned: cleaning takes loose ends for errors.
    shorter_k : int
        k of the round before: ends share at least one base less.
    backend : AssemblyBackend
        Whose arrays the graph's are; those of the result are too.
    least_depth : float
        k-mer depth of both unitigs, at least; that of a short one is higher by 2.

    Returns
    -------
    UnitigGraph
        The k-mers that join ends have a depth of 0.
    """
    ends = np.flatnonzero(np.diff(backend.to_host(graph.graph.row_ptr)) == 0)
    if len(ends) < 2:
        return graph
    host = graph.moved(backend.to_host)
    least = np.where(host.n_kmers > _SHORT * host.k, least_depth, least_depth + _MORE_DEPTH)
    is_sure = np.repeat(host.kmer_counts >= least * host.n_kmers, 2)
    if np.count_nonzero(is_sure[ends]) < 2:
        return graph
    with log.stage("repair torn repeats") as stage:
        tails, heads, overlaps = _partners(host, ends, is_sure, *_overlapping(host, ends, is_sure, shorter_k - 1))
        stage.items, stage.unit = len(tails), "pairs of ends joined"
        if not len(tails):
            return graph
        sequences: list[Codes] = []
        for part in _parts(np.arange(len(tails))):
            shared = _last_codes(host, tails[part]), _first_codes(host, heads[part]), overlaps[part]
            sequences += [np.concatenate((last, first[n:])) for last, first, n in zip(*shared, strict=True)]
        whole = with_connections(host, tails, heads, sequences, 0).moved(backend.to_device)
        return whole.keep(backend.to_device(np.ones(len(whole), np.bool_)), backend)


def _overlapping(host: UnitigGraph, ends: Longs, is_sure: Flags, least: int) -> tuple[Longs, Longs, Longs]:
    """Find pairs of dead ends, by number, that share from ``least`` to k - 2 bases, and how many.

    The first one is of a sure unitig. The second one is given as the vertex whose reverse complement is behind the
    first. Pairs of sure ones are found in both orders, but for ends whose last bases so many others have that none of
    these can be their only partner.
    """
    sure = np.flatnonzero(is_sure[ends])
    keys = np.concatenate([_hashes(_last_codes(host, part)[:, -least:], least)[:, 0] for part in _parts(ends[sure])])
    order = np.argsort(keys, kind="stable")
    keys, sure = keys[order], sure[order]
    shift = np.uint64(64 - _FILTER_BITS - len(keys).bit_length())
    may_be_key = np.zeros(1 << int(64 - shift), np.bool_)
    may_be_key[keys >> shift] = True
    found: list[tuple[Longs, Longs, Longs]] = []
    n_before = 0
    for part in _parts(ends):
        first = _first_codes(host, part ^ 1)
        hashes = _hashes(first[:, :-1], least)  # k - 1 bases in common are an edge
        rows, shifts = np.nonzero(may_be_key[hashes >> shift])
        words = hashes[rows, shifts]
        low = np.searchsorted(keys, words)
        n = np.searchsorted(keys, words, side="right") - low
        n[n > _MOST_ALIKE] = 0
        at = np.repeat(low - np.cumsum(n) + n, n) + np.arange(n.sum())
        one, rows, overlaps = sure[at], np.repeat(rows, n), np.repeat(shifts, n) + least
        is_shared = _share(_last_codes(host, ends[one]), first[rows], overlaps)
        found.append((one[is_shared], n_before + rows[is_shared], overlaps[is_shared]))
        n_before += len(part)
    one, other, overlaps = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return one, other, overlaps


def _partners(
    host: UnitigGraph, ends: Longs, is_sure: Flags, one: Longs, other: Longs, overlaps: Longs
) -> tuple[Longs, Longs, Longs]:
    """Keep ends of sure unitigs that have each other alone, each pair once: tails, heads, and bases in common."""
    is_alone = is_sure[ends] & (np.bincount(one, minlength=len(ends)) == 1)
    is_only = is_alone[one] & is_alone[other] & (one < other)
    tails, heads, overlaps = ends[one[is_only]], ends[other[is_only]] ^ 1, overlaps[is_only]
    numbers = _parts(np.arange(len(tails)))
    parts = [_fit_once(_first_codes(host, heads[part]), overlaps[part]) for part in numbers]
    fits_once = np.concatenate([np.zeros(0, np.bool_), *parts])
    return tails[fits_once], heads[fits_once], overlaps[fits_once]


def _parts(ends: Longs) -> list[Longs]:
    return [ends[i : i + _ENDS_AT_ONCE] for i in range(0, len(ends), _ENDS_AT_ONCE)]


def _last_codes(host: UnitigGraph, vertices: Longs) -> Codes:
    """Unpack the last k - 1 bases of vertices, shape (n, k - 1)."""
    n_bases = np.full(len(vertices), host.k - 1)
    return last_bases(host, vertices, n_bases).reshape(len(vertices), host.k - 1)


def _first_codes(host: UnitigGraph, vertices: Longs) -> Codes:
    """Unpack the first k - 1 bases of vertices, shape (n, k - 1)."""
    return np.uint8(3) - _last_codes(host, vertices ^ 1)[:, ::-1]


def _hashes(codes: Codes, length: int) -> Hashes:
    """Hash each word of a length in each row of codes, shape (n, n_codes - length + 1)."""
    sums = _sums(codes)
    hashes: Hashes = (sums[:, length:] - sums[:, :-length]) * _powers(_INVERSE, codes.shape[1] - length + 1)
    return hashes


def _sums(codes: Codes) -> Hashes:
    """Sum the bases of each row times powers of the base of hashes, up to each place, shape (n, n_codes + 1)."""
    sums = np.zeros((len(codes), codes.shape[1] + 1), np.uint64)
    np.cumsum((codes + np.uint64(1)) * _powers(_BASE, codes.shape[1]), axis=1, out=sums[:, 1:])
    return sums


def _powers(base: int, n: int) -> Hashes:
    """Compute the first n powers of an integer, from 1, modulo 2^64."""
    powers = np.full(n, base, np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def _share(last: Codes, first: Codes, overlaps: Longs) -> Flags:
    """Find the rows whose last bases are the first ones of others, as many as stated."""
    n = last.shape[1]
    at = n - overlaps[:, None] + np.arange(n)
    is_equal = (at >= n) | (np.take_along_axis(last, np.minimum(at, n - 1), axis=1) == first)
    shared: Flags = is_equal.all(axis=1)
    return shared


def _fit_once(first: Codes, overlaps: Longs) -> Flags:
    """Find the rows whose first bases, as many as stated, do not also fit onto themselves if they are shifted.

    Those of a tandem array do: its last bases are its first ones.
    """
    sums, lengths = _sums(first), np.arange(first.shape[1] + 1)
    starts = np.maximum(0, overlaps[:, None] - lengths)  # of the last bases, by how many they are
    up_to = np.take_along_axis(sums, overlaps[:, None], axis=1)
    last = (up_to - np.take_along_axis(sums, starts, axis=1)) * _powers(_INVERSE, len(lengths))[starts]
    fits_shifted = (lengths >= _SHIFTED_BP) & (starts > 0) & (last == sums)
    fits_once: Flags = ~fits_shifted.any(axis=1)
    return fits_once
