"""Segments and links of a GFA file as `Contigs`, with the names of the segments."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.contigs.contigs import Contigs
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.graph_gfa import check_version
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.opening import display_name

_NUMBER = rb"\+?((?:[0-9]{1,18}\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)(?:\t|$)"
_DEPTH = re.compile(rb"(?:^|\t)(?:DP|dp|rd):[fi]:" + _NUMBER)  # Flye writes dp:i, hifiasm rd:i
_COUNT = re.compile(rb"(?:^|\t)(?:KC|RC|FC):i:([0-9]{1,18})(?:\t|$)")
_IN_NAME = re.compile(rb"_cov_([0-9]{1,18}(?:\.[0-9]+)?)(?:_|$)")  # of Velvet, SPAdes and MEGAHIT
_LENGTH = re.compile(rb"(?:^|\t)LN:i:([0-9]{1,15})(?:\t|$)")
_OVERLAP = re.compile(rb"([0-9]+)M")
_STRANDS = {b"+": 0, b"-": 1}
_NO_SEQUENCE = (b"*", b"")
_MOST = 1 << 62  # that a count may be; more is taken for none


@dataclass(frozen=True)
class NamedContigs:
    """The segments of a graph in the order of the file, what they are called, and their depths as the file states them.

    Where it gives depths, those of ``contigs`` are of whole numbers of k-mers, which for short segments is less exact.
    """

    contigs: Contigs
    names: list[str]
    depths: NDArray[np.float64]


def read_gfa_contigs(path: str, needs_sequences: bool = True) -> NamedContigs:
    """Read segments (sequence, and depth from tags such as ``DP`` or ``KC``, or the name) and links of GFA 1.

    Tags may be in any order; what is in a tag and no number is left out.

    Parameters
    ----------
    path : str
    needs_sequences : bool
        Whether a segment without a sequence (``*``) is an error; else it is as many N as its tag ``LN`` says, or none.

    Raises
    ------
    FormatError
        For a segment without a sequence, a link of segments that are not there, or GFA 2.
    """
    rows: list[list[bytes]] = []
    links: list[list[bytes]] = []
    for line in read_lines(path):
        if line.startswith(b"H\t"):
            check_version(line, display_name(path))
        elif line.startswith(b"S\t"):
            rows.append(line.rstrip(b" \r").split(b"\t", 3))
        elif line.startswith(b"L\t"):
            links.append(line.rstrip().split(b"\t"))
    if any(len(row) < 3 or (needs_sequences and row[2] in _NO_SEQUENCE) for row in rows):
        raise FormatError(f"{path}: a segment has no sequence", "give a GFA 1 file that holds its sequences")
    number = {row[1]: i for i, row in enumerate(rows)}
    try:
        ends = [[2 * number[a] + _STRANDS[s], 2 * number[b] + _STRANDS[t]] for _l, a, s, b, t, *_rest in links]
    except (KeyError, ValueError):
        raise FormatError(f"{path}: a link (L line) is not one of two segments", "give a whole GFA 1 file") from None
    names = [row[1].decode("utf-8", "replace") for row in rows]
    tags = [row[3] if len(row) > 3 else b"" for row in rows]
    contigs = _contigs(rows, ends, _k(links), tags)
    depths = np.array([_depth(row[1], tag) for row, tag in zip(rows, tags, strict=True)], np.float64)
    return NamedContigs(contigs, names, np.where(np.isnan(depths), contigs.kmer_depth, depths))


def _contigs(rows: Sequence[Sequence[bytes]], ends: Sequence[Sequence[int]], k: int, tags: Sequence[bytes]) -> Contigs:
    lengths = np.array([_length(row) for row in rows], np.int64)
    n_kmers = np.maximum(lengths - k + 1, 1)
    circles, others = _circles(ends)
    circular = np.zeros(len(rows), np.bool_)
    circular[circles] = True
    n_kmers[circular] = np.maximum(lengths[circular], 1)
    counts = [_count(row[1], *more) for row, *more in zip(rows, tags, n_kmers.tolist(), strict=True)]
    return Contigs(
        k=k,
        text=_text(rows, lengths),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        kmer_counts=np.array(counts, np.int64),
        n_kmers=n_kmers,
        circular=circular,
        links=others,
    )


def _length(row: Sequence[bytes]) -> int:
    """Length of a segment, by its sequence or else by its tag."""
    if row[2] != b"*":
        return len(row[2])
    found = _LENGTH.search(row[3]) if len(row) > 3 else None
    return int(found[1]) if found else 0


def _text(rows: Sequence[Sequence[bytes]], lengths: NDArray[np.int64]) -> NDArray[np.uint8]:
    """All sequences one after another. Where there are none at all, N takes no memory."""
    if all(row[2] == b"*" for row in rows):
        return np.broadcast_to(np.uint8(ord("N")), (int(lengths.sum()),))
    sequences = (b"N" * n if row[2] == b"*" else row[2].upper() for row, n in zip(rows, lengths.tolist(), strict=True))
    return np.frombuffer(b"".join(sequences), np.uint8)


def _depth(name: bytes, tags: bytes) -> float:
    """What a segment's tags, or else its name, say of its depth; NaN if nothing that can be."""
    found = _DEPTH.search(tags) or (None if _COUNT.search(tags) else _IN_NAME.search(name))
    return float(found[1]) if found and float(found[1]) < _MOST else np.nan


def _count(name: bytes, tags: bytes, n_kmers: int) -> int:
    """Occurrences of a segment's k-mers: by its depth, which programs agree on more than on how they count."""
    if not np.isnan(depth := _depth(name, tags)):
        return round(depth * n_kmers) if depth * n_kmers < _MOST else 0
    found = _COUNT.search(tags)
    return int(found[1]) if found else 0


def _circles(ends: Sequence[Sequence[int]]) -> tuple[list[int], NDArray[np.int64]]:
    """Segments that go on at their own start and nowhere else, and the links but theirs; every link once."""
    distinct = sorted({min((a, b), (b ^ 1, a ^ 1)) for a, b in ends})
    degree = Counter(end // 2 for link in distinct for end in link)
    closed = {a // 2 for a, b in distinct if a == b and degree[a // 2] == 2}
    others = [link for link in distinct if not (link[0] == link[1] and link[0] // 2 in closed)]
    return sorted(closed), np.array(others, np.int64).reshape(-1, 2)


def _k(links: Sequence[Sequence[bytes]]) -> int:
    """One more than the commonest overlap; 1 where segments do not overlap, or nothing is said."""
    overlaps: Mapping[int, int] = Counter(
        int(found[1]) for link in links if len(link) > 5 and (found := _OVERLAP.fullmatch(link[5]))
    )
    longest = {length: n for length, n in overlaps.items() if length}
    return 1 + max(longest, key=lambda length: (longest[length], length), default=0)
