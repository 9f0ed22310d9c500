"""Exact matches of contigs in a genome, on both strands, by a sorted table of its 31-mers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.repeat_genome import Record

K = 31
#: Every eighth 31-mer of a contig is looked up: all matches of at least 38 bases are found, shorter ones by chance
STEP = 8
#: Gaps between matches of one diagonal are compared base by base up to this length
LONGEST_GAP = 2000
UNKNOWN = -1
_ABSENT, _SEPARATOR = 6, 5


@dataclass(frozen=True)
class Matches:
    """Maximal exact matches, sorted by contig, target, diagonal and start; arrays int64 of one length.

    Attributes
    ----------
    contig : ndarray
        Number of the contig.
    target : ndarray
        Twice the number of the genome's record, and 1 more for its reverse complement.
    diagonal : ndarray
        Position in the target minus position in the contig, modulo the length of a circular record.
    start, end : ndarray
        Interval in the contig.
    gap_mismatches : ndarray
        Differing bases between this match and the one before on the same diagonal of the contig; -1 if there is none,
        or the gap is longer than 2000 bases.
    """

    contig: np.ndarray
    target: np.ndarray
    diagonal: np.ndarray
    start: np.ndarray
    end: np.ndarray
    gap_mismatches: np.ndarray


class Genome:
    """Records of a genome, and the table of their 31-mers.

    Parameters
    ----------
    records : sequence of Record
    """

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = list(records)
        self.lengths = np.array([len(record.bases) for record in records], np.int64)
        self.circular = np.array([record.circular for record in records], bool)
        self.offsets = np.concatenate(([0], np.cumsum(self.lengths)))[:-1]
        forward = np.concatenate([record.bases for record in records])
        reverse = np.concatenate([_complement(record.bases[::-1]) for record in records])
        self._strands = np.stack((forward, reverse))
        kmers, places = [], []
        for record, offset in zip(records, self.offsets.tolist(), strict=True):
            is_wrapped = record.circular and len(record.bases) >= K
            bases = np.concatenate((record.bases, record.bases[: K - 1])) if is_wrapped else record.bases
            codes, valid = kmer_codes(bases)
            kmers.append(codes[valid])
            places.append(np.flatnonzero(valid) + offset)
        codes, where = np.concatenate(kmers), np.concatenate(places)
        order = np.argsort(codes)
        self._kmers, self._places = codes[order], where[order]

    @property
    def n_bases(self) -> int:
        return int(self.lengths.sum())

    def bases(self, target: np.ndarray, position: np.ndarray) -> np.ndarray:
        """Bases of targets at positions, which wrap around in circular records; 6 beyond the ends of linear ones."""
        record = target >> 1
        length = self.lengths[record]
        wrapped = position % length
        found = self._strands[target & 1, self.offsets[record] + wrapped]
        return np.where(self.circular[record] | (wrapped == position), found, _ABSENT)

    def find(self, kmers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find k-mers in forward strands: number of the query, record and position of each occurrence."""
        order = np.argsort(kmers)
        low = np.searchsorted(self._kmers, kmers[order], "left")
        counts = np.searchsorted(self._kmers, kmers[order], "right") - low
        query, at = expand(order, low, counts)
        place = self._places[at]
        record = np.searchsorted(self.offsets, place, "right") - 1
        return query, record, place - self.offsets[record]

    def distance(self, target: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Second minus first, two positions or diagonals of targets; the shorter way around circular records."""
        record = target >> 1
        length = self.lengths[record]
        straight = second - first
        return np.where(self.circular[record], (straight + length // 2) % length - length // 2, straight)


def expand(values: np.ndarray, starts: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Repeat each value count times, beside the numbers from its start on."""
    total = int(counts.sum())
    first = np.repeat(starts - (np.cumsum(counts) - counts), counts)
    return np.repeat(values, counts), first + np.arange(total)


def kmer_codes(bases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of all 31-mers (uint64), and which of them have no other letter than A, C, G and T."""
    if len(bases) < K:
        return np.zeros(0, np.uint64), np.zeros(0, bool)
    codes = (bases & 3).astype(np.uint64)
    for length in (1, 2, 4, 8):
        codes = codes[:-length] << np.uint64(2 * length) | codes[length:]
    codes = codes[:-15] << np.uint64(30) | codes[15:] & np.uint64((1 << 30) - 1)  # two 16-mers share a base
    others = np.concatenate(([0], np.cumsum(bases > 3)))
    return codes, others[K:] == others[:-K]


def reverse_complements(kmers: np.ndarray) -> np.ndarray:
    """Codes of the reverse complements of 31-mers."""
    turned = ~kmers
    for bits, mask in ((2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        low = np.uint64(mask)
        turned = turned >> np.uint64(bits) & low | (turned & low) << np.uint64(bits)
    return turned.byteswap() >> np.uint64(64 - 2 * K)


def find_matches(genome: Genome, contigs: Sequence[np.ndarray]) -> Matches:
    """Find maximal exact matches of contigs in both strands of a genome.

    Parameters
    ----------
    contigs : sequence of ndarray of uint8
        Bases 0 to 3; other values match nothing.
    """
    texts = _Texts(contigs)
    query, sampled = texts.sample()
    found = [_hits(genome, texts, query, sampled, strand) for strand in (0, 1)]
    contig, target, diagonal, place = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    shift = int(texts.lengths.max(initial=0))
    width = int(genome.lengths.max()) + 2 * shift + 1
    key = (contig * (2 * len(genome.records)) + target) * width + diagonal + shift
    order = np.lexsort((place, key))
    contig, target, diagonal, place, key = (a[order] for a in (contig, target, diagonal, place, key))
    # Hits at most K apart on one diagonal are one match: each base between them is in one of the two k-mers.
    is_first = np.ones(len(key), bool)
    is_first[1:] = (key[1:] != key[:-1]) | (place[1:] - place[:-1] > K)
    is_last = np.append(is_first[1:], True)[: len(key)]
    contig, target, diagonal, key = (a[is_first] for a in (contig, target, diagonal, key))
    start, end = place[is_first], place[is_last] + K
    for side, step in ((start, -1), (end, 1)):
        _extend(genome, texts, contig, target, diagonal, side, step)
    gaps = _gap_mismatches(genome, texts, contig, target, diagonal, start, end, key)
    return Matches(contig, target, diagonal, start, end, gaps)


class _Texts:
    """Contigs one after the other, each followed by a letter that matches nothing."""

    def __init__(self, contigs: Sequence[np.ndarray]) -> None:
        self.lengths = np.array([len(contig) for contig in contigs], np.int64)
        self.offsets = np.concatenate(([0], np.cumsum(self.lengths + 1)))[:-1]
        end = np.full(1, _SEPARATOR, np.uint8)
        parts = [part for contig in contigs for part in (np.where(contig > 3, _SEPARATOR, contig), end)]
        self.bases = np.concatenate([*parts, end])

    def sample(self) -> tuple[np.ndarray, np.ndarray]:
        """Places of every eighth k-mer of each contig, and of its last one; and their codes."""
        codes, valid = kmer_codes(self.bases)
        is_sampled = np.zeros(len(codes), bool)
        for offset, n_kmers in zip(self.offsets.tolist(), (self.lengths - K + 1).tolist(), strict=True):
            if n_kmers > 0:
                is_sampled[offset : offset + n_kmers : STEP] = True
                is_sampled[offset + n_kmers - 1] = True
        places = np.flatnonzero(is_sampled & valid)
        return places, codes[places]


def _hits(
    genome: Genome, texts: _Texts, places: np.ndarray, kmers: np.ndarray, strand: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return contig, target, diagonal and position in the contig of each occurrence of sampled k-mers."""
    query, record, position = genome.find(reverse_complements(kmers) if strand else kmers)
    contig = np.searchsorted(texts.offsets, places[query], "right") - 1
    place = places[query] - texts.offsets[contig]
    length = genome.lengths[record]
    diagonal = (length - K - position if strand else position) - place
    return contig, 2 * record + strand, np.where(genome.circular[record], diagonal % length, diagonal), place


def _extend(
    genome: Genome,
    texts: _Texts,
    contig: np.ndarray,
    target: np.ndarray,
    diagonal: np.ndarray,
    side: np.ndarray,
    step: int,
) -> None:
    """Move one side of matches outwards over equal bases, in place; fewer than the sampling step can follow."""
    rows = np.arange(len(side))
    for _ in range(STEP):
        place = side[rows] + min(step, 0)
        inside = (place >= 0) & (place < texts.lengths[contig[rows]])
        rows, place = rows[inside], place[inside]
        ours = texts.bases[texts.offsets[contig[rows]] + place]
        rows = rows[ours == genome.bases(target[rows], place + diagonal[rows])]
        side[rows] += step


def _gap_mismatches(
    genome: Genome,
    texts: _Texts,
    contig: np.ndarray,
    target: np.ndarray,
    diagonal: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    key: np.ndarray,
) -> np.ndarray:
    """Count differing bases between each match and the one before on its diagonal."""
    mismatches = np.full(len(key), UNKNOWN, np.int64)
    gaps = start[1:] - end[:-1]
    rows = np.flatnonzero((key[1:] == key[:-1]) & (gaps <= LONGEST_GAP)) + 1
    owner, place = expand(rows, end[rows - 1], gaps[rows - 1])
    ours = texts.bases[texts.offsets[contig[owner]] + place]
    differs = ours != genome.bases(target[owner], place + diagonal[owner])
    mismatches[rows] = 0
    np.add.at(mismatches, owner[differs], 1)
    return mismatches


def _complement(bases: np.ndarray) -> np.ndarray:
    return np.where(bases > 3, bases, 3 - bases).astype(np.uint8)
