"""Segments and links of a GFA file as `Contigs`, with the names of the segments."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.contigs.contigs import Contigs
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.gfa_records import UNKNOWN, GfaRecords, Link, Segment, read_records, shown
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.memory import longest_segment
from debruijn_gpu.io.opening import display_name

_IN_NAME = re.compile(rb"_cov_([0-9]{1,18}(?:\.[0-9]+)?)(?:_|$)")  # of Velvet, SPAdes and MEGAHIT
_OVERLAP = re.compile(rb"([0-9]+)M")
_MOST = 1 << 62  # that a count may be; a larger one is ignored


@dataclass(frozen=True)
class NamedContigs:
    """The segments of a graph in the order of the file, with their names and depths.

    Where the file gives depths, those of ``contigs`` are of whole numbers of k-mers, which for short segments is less
    exact.

    Attributes
    ----------
    contigs : Contigs
        Without text where the file gives no sequence.
    names : list of str
    lengths : ndarray, dtype=int64, shape=(n,)
        In bases, by the sequence or tag ``LN``; 0 if unknown.
    depths : ndarray, dtype=float64, shape=(n,)
    """

    contigs: Contigs
    names: list[str]
    lengths: NDArray[np.int64]
    depths: NDArray[np.float64]


def read_gfa_contigs(path: str, needs_sequences: bool = True) -> NamedContigs:
    """Read segments (sequence, and depth from tags such as ``DP`` or ``KC``, or the name) and links of GFA 1.

    Parameters
    ----------
    path : str
    needs_sequences : bool
        Whether a segment without a sequence (``*``) is an error; else only its length by tag ``LN`` is used.

    Raises
    ------
    FormatError
        With file and line.
    """
    source = display_name(path)
    lines = ((number, line.rstrip(b" \r")) for number, line in enumerate(read_lines(path, longest_segment()), 1))
    records = read_records(source, lines)
    segments = records.segments
    for segment in segments:
        if needs_sequences and segment.sequence == UNKNOWN:
            raise FormatError(
                f"{source}: segment {shown(segment.name)} has no sequence", "give a GFA 1 file that holds its sequences"
            )
    names = [segment.name.decode("utf-8", "replace") for segment in segments]
    lengths = np.array([segment.length or 0 for segment in segments], np.int64)
    contigs = _contigs(records, lengths)
    depths = np.array([_depth(segment) for segment in segments], np.float64)
    return NamedContigs(contigs, names, lengths, np.where(np.isnan(depths), contigs.kmer_depth, depths))


def _contigs(records: GfaRecords, lengths: NDArray[np.int64]) -> Contigs:
    segments = records.segments
    k = _k(records.links)
    circles, others = _circles([(link.tail, link.head) for link in records.links])
    circular = np.zeros(len(segments), np.bool_)
    circular[circles] = True
    n_kmers = np.where(circular, np.maximum(lengths, 1), np.maximum(lengths - k + 1, 1))
    sequences = [b"" if segment.sequence == UNKNOWN else segment.sequence.upper() for segment in segments]
    counts = [_count(segment, n) for segment, n in zip(segments, n_kmers.tolist(), strict=True)]
    return Contigs(
        k=k,
        text=np.frombuffer(b"".join(sequences), np.uint8),
        offsets=np.cumsum([0, *map(len, sequences)], dtype=np.int64),
        kmer_counts=np.array(counts, np.int64),
        n_kmers=n_kmers,
        circular=circular,
        links=others,
    )


def _depth(segment: Segment) -> float:
    """The depth of a segment by its tags, or else its name; NaN if unknown or too large to count with."""
    depth = segment.depth
    if depth is None and segment.kmer_count is None and (found := _IN_NAME.search(segment.name)):
        depth = float(found[1])
    return depth if depth is not None and depth < _MOST else math.nan


def _count(segment: Segment, n_kmers: int) -> int:
    """Occurrences of a segment's k-mers: by its depth, which programs agree on more than on how they count."""
    if not np.isnan(depth := _depth(segment)):
        return round(depth * n_kmers) if depth * n_kmers < _MOST else 0
    return segment.kmer_count or 0


def _circles(ends: Sequence[Sequence[int]]) -> tuple[list[int], NDArray[np.int64]]:
    """Segments that go on at their own start and nowhere else, and the links but theirs; every link once."""
    distinct = sorted({min((a, b), (b ^ 1, a ^ 1)) for a, b in ends})
    degree = Counter(end // 2 for link in distinct for end in link)
    closed = {a // 2 for a, b in distinct if a == b and degree[a // 2] == 2}
    others = [link for link in distinct if not (link[0] == link[1] and link[0] // 2 in closed)]
    return sorted(closed), np.array(others, np.int64).reshape(-1, 2)


def _k(links: Sequence[Link]) -> int:
    """One more than the commonest overlap; 1 where segments do not overlap, or overlaps are unknown."""
    overlaps = Counter(int(found[1]) for link in links if (found := _OVERLAP.fullmatch(link.overlap)))
    longest = {length: n for length, n in overlaps.items() if length}
    return 1 + max(longest, key=lambda length: (longest[length], length), default=0)
