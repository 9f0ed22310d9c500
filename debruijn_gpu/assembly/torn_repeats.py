"""Join ends of unitigs that a larger k leaves over at a repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD
from debruijn_gpu.assembly.connections import with_connections
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.uint8]
Hashes = NDArray[np.uint64]

#: An overlap that also fits shifted, so that so many bases or more are shared, is that of a tandem array.
_SHIFTED_BP = 16
#: Ends that share bases with more others than that are left alone.
_MOST_ALIKE = 8
_ENDS_AT_ONCE = 1 << 13
_BASE = 0x9E3779B97F4A7C15  # of hashes; odd, and so invertible


def mend_torn_repeats(
    graph: UnitigGraph, shorter_k: int, backend: AssemblyBackend, least_depth: float = 0.0
) -> UnitigGraph:
    """Join dead ends that share a repeat of the graph of a shorter k, if no other two share it.

    A repeat shorter than k is no unitig any more. What leads into it continues to what reads that hold all of it say.
    Where reads are few, one way through it may have none, so that its two ends come loose. If all other ways have
    reads, it is the only one left. Unitigs of less than 2 k bases may be errors of single reads, and are left alone.

    Parameters
    ----------
    graph : UnitigGraph
        Compacted, not yet cleaned, so that only what the larger k tore apart has dead ends with a common repeat.
    shorter_k : int
        k of the round before: ends share at least one base less.
    backend : AssemblyBackend
        Whose arrays the graph's are; those of the result are too.
    least_depth : float
        k-mer depth of both unitigs, at least.

    Returns
    -------
    UnitigGraph
        The k-mers that join ends have a depth of 0.
    """
    n_kmers, kmer_counts = backend.to_host(graph.n_kmers), backend.to_host(graph.kmer_counts)
    is_sure = np.repeat((n_kmers > graph.k) & (kmer_counts >= least_depth * n_kmers), 2)
    ends = np.flatnonzero(np.diff(backend.to_host(graph.graph.row_ptr)) == 0)
    if np.count_nonzero(is_sure[ends]) < 2:
        return graph
    host = graph.moved(backend.to_host)
    tails, heads, overlaps = _only_ones(host, ends, is_sure, *_overlapping(host, ends, shorter_k - 1))
    if not len(tails):
        return graph
    last, first = _last_codes(host, tails), _first_codes(host, heads)
    sequences = [np.concatenate((last[i], first[i, n:])) for i, n in enumerate(overlaps)]
    log.logger.info("  %s by all others at a repeat", counted(len(tails), "join implied", "joins implied"))
    whole = with_connections(host, tails, heads, sequences, 0).moved(backend.to_device)
    return whole.keep(backend.to_device(np.ones(len(whole), np.bool_)), backend)


def _overlapping(host: UnitigGraph, ends: Longs, least: int) -> tuple[Longs, Longs, Longs, Flags]:
    """Find pairs of dead ends, by number, that share from ``least`` to k - 2 bases, and how many.

    The second one is given as the vertex whose reverse complement is behind the first. Also return which ends share
    bases with so many others that these are not looked at.
    """
    keys = np.concatenate([_hashes(_last_codes(host, part)[:, -least:], least)[:, 0] for part in _parts(ends)])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    n_alike = np.searchsorted(keys, keys, side="right") - np.searchsorted(keys, keys)
    is_crowded = np.zeros(len(ends), np.bool_)
    is_crowded[order] = n_alike > _MOST_ALIKE
    found: list[tuple[Longs, Longs, Longs]] = []
    n_before = 0
    for part in _parts(ends):
        first = _first_codes(host, part ^ 1)
        hashes = _hashes(first[:, :-1], least)  # k - 1 bases in common are an edge
        low = np.searchsorted(keys, hashes)
        n_alike = np.searchsorted(keys, hashes, side="right") - low
        is_crowded[n_before : n_before + len(part)] |= (n_alike > _MOST_ALIKE).any(axis=1)
        rows, shifts = np.nonzero((n_alike > 0) & (n_alike <= _MOST_ALIKE))
        n = n_alike[rows, shifts]
        at = np.repeat(low[rows, shifts] - np.cumsum(n) + n, n) + np.arange(n.sum())
        one, rows, overlaps = order[at], np.repeat(rows, n), np.repeat(shifts, n) + least
        is_shared = _share(_last_codes(host, ends[one]), first[rows], overlaps)
        found.append((one[is_shared], n_before + rows[is_shared], overlaps[is_shared]))
        n_before += len(part)
    one, other, overlaps = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return one, other, overlaps, is_crowded


def _only_ones(
    host: UnitigGraph, ends: Longs, is_sure: Flags, one: Longs, other: Longs, overlaps: Longs, is_crowded: Flags
) -> tuple[Longs, Longs, Longs]:
    """Keep ends of sure unitigs with one partner, each pair once: tails, heads, and the bases that they share."""
    is_alone = is_sure[ends] & ~is_crowded & (np.bincount(one, minlength=len(ends)) == 1)
    is_only = is_alone[one] & is_alone[other] & (one < other)
    tails, heads, overlaps = ends[one[is_only]], ends[other[is_only]] ^ 1, overlaps[is_only]
    first = _first_codes(host, heads)
    fits_once = np.array([not _fits_shifted(first[i, :n]) for i, n in enumerate(overlaps)], np.bool_)
    return tails[fits_once], heads[fits_once], overlaps[fits_once]


def _parts(ends: Longs) -> list[Longs]:
    return [ends[i : i + _ENDS_AT_ONCE] for i in range(0, len(ends), _ENDS_AT_ONCE)]


def _last_codes(host: UnitigGraph, vertices: Longs) -> Codes:
    """Unpack the last k - 1 bases of vertices, shape (n, k - 1)."""
    offsets, words = host.sequences.offsets, host.sequences.bases
    unitigs, is_reverse = vertices >> 1, (vertices & 1 == 1)[:, None]
    along = np.arange(host.k - 1)
    at = np.where(
        is_reverse, offsets[unitigs][:, None] + along[::-1], offsets[unitigs + 1][:, None] - host.k + 1 + along
    )
    bits = np.uint64(2) * (BASES_PER_WORD - 1 - at % BASES_PER_WORD).astype(np.uint64)
    codes = (words[at // BASES_PER_WORD] >> bits).astype(np.uint8) & np.uint8(3)
    last: Codes = np.where(is_reverse, np.uint8(3) - codes, codes)
    return last


def _first_codes(host: UnitigGraph, vertices: Longs) -> Codes:
    """Unpack the first k - 1 bases of vertices, shape (n, k - 1)."""
    return np.uint8(3) - _last_codes(host, vertices ^ 1)[:, ::-1]


def _hashes(codes: Codes, length: int) -> Hashes:
    """Hash each word of a length in each row of codes, shape (n, n_codes - length + 1)."""
    n = codes.shape[1]
    sums = np.zeros((len(codes), n + 1), np.uint64)
    np.cumsum((codes + np.uint64(1)) * _powers(_BASE, n), axis=1, out=sums[:, 1:])
    hashes: NDArray[np.uint64] = (sums[:, length:] - sums[:, :-length]) * _powers(
        pow(_BASE, -1, 1 << 64), n - length + 1
    )
    return hashes


def _powers(base: int, n: int) -> Hashes:
    """The first n powers of an integer, from 1, modulo 2^64."""
    powers = np.full(n, base, np.uint64)
    powers[0] = 1
    return np.cumprod(powers, dtype=np.uint64)


def _share(last: Codes, first: Codes, overlaps: Longs) -> NDArray[np.bool_]:
    """Whether the last bases of rows are the first ones of others, as many as stated."""
    n = last.shape[1]
    at = n - overlaps[:, None] + np.arange(n)
    is_equal = (at >= n) | (np.take_along_axis(last, np.minimum(at, n - 1), axis=1) == first)
    shared: NDArray[np.bool_] = is_equal.all(axis=1)
    return shared


def _fits_shifted(shared: Codes) -> bool:
    """Whether what two ends share also fits if one is shifted, as in a tandem array."""
    return any(np.array_equal(shared[:n], shared[-n:]) for n in range(_SHIFTED_BP, len(shared)))
