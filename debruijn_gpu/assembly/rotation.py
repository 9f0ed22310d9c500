"""Start circular contigs with a gene, such as dnaA or repA: the gene is searched on both strands of the circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES, reverse_complement
from debruijn_gpu.assembly.contigs import Contigs, Spelled
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import counted

Longs = NDArray[np.int64]

#: A gene is found where so many percent of its bases are aligned, and so many percent of the columns are identical.
LEAST_ALIGNED_PERCENT, LEAST_IDENTICAL_PERCENT = 95, 90
#: Shorter genes are found by chance, and longer ones take long to align.
SHORTEST_GENE_BP, LONGEST_GENE_BP = 50, 10_000

_SEED_BP = 11
_MOST_PLACES = 100  # of a seed in a contig
_SEEDS_PART = 50  # a place is aligned if one in so many bases of the gene begins a seed there
_MOST_WINDOWS = 16  # of a gene and strand that are aligned, those with the most seeds
_LEAST_BAND_BP, _BAND_PART = 64, 8  # diagonals that are counted together: at least, and as a part of the gene
_CODES = np.full(256, 255, np.uint8)
_CODES[list(BASES)] = np.arange(4)


@dataclass(frozen=True)
class Gene:
    """A gene by which contigs are rotated.

    Attributes
    ----------
    name : str
    sequence : bytes
        In upper case; letters other than A, C, G and T match no base.
    """

    name: str
    sequence: bytes


@dataclass(frozen=True)
class GeneStart:
    """The place of a gene in a circular contig.

    Attributes
    ----------
    gene : str
        Its name.
    start : int
        Position of the first base of the gene in the smallest rotation of the contig.
    is_reverse : bool
        Whether the gene is on the reverse strand of that.
    n_identical, n_columns : int
        Identical bases and columns of the alignment.
    """

    gene: str
    start: int
    is_reverse: bool
    n_identical: int
    n_columns: int

    @property
    def rank(self) -> tuple[int, int, int, bool]:
        """Key of the best match: most identical bases, fewest columns, then position and strand."""
        return -self.n_identical, self.n_columns, self.start, self.is_reverse

    def rotated(self, circle: bytes) -> bytes:
        """Rotate the smallest rotation of a contig to the gene, on its strand."""
        if self.is_reverse:
            circle, start = reverse_complement(circle), len(circle) - 1 - self.start
        else:
            start = self.start
        return circle[start:] + circle[:start]


@dataclass(frozen=True)
class Rotation:
    """Genes by which contigs were rotated, and the places where they were found.

    Attributes
    ----------
    genes : tuple of str
        Names.
    starts : dict of int to GeneStart
        By contig; contigs in which no gene was found are left out.
    """

    genes: tuple[str, ...]
    starts: dict[int, GeneStart]

    def names(self, n_contigs: int) -> dict[int, str]:
        """Names of the genes that the first contigs were rotated to, by contig."""
        return {contig: found.gene for contig, found in self.starts.items() if contig < n_contigs}


def find_starts(contigs: Contigs, genes: Sequence[Gene]) -> dict[int, GeneStart]:
    """Find the first gene that each circular contig holds; by contig.

    Parameters
    ----------
    contigs : Contigs
        Circular ones cut (`cut_circular_contigs`), from their smallest rotation on.
    genes : sequence of Gene
    """
    if not genes:
        return {}
    with log.stage("search genes in circular contigs"):
        found = {i: find_start(contigs.sequence(i), genes) for i in np.flatnonzero(contigs.circular).tolist()}
    return {i: start for i, start in found.items() if start is not None}


def rotate_contigs(contigs: Contigs, starts: Mapping[int, GeneStart]) -> Contigs:
    """Rotate contigs to genes; their order stays.

    Parameters
    ----------
    contigs : Contigs
        As in `find_starts`.
    starts : mapping of int to GeneStart
        By contig.
    """
    if not starts:
        return contigs
    text = contigs.text.copy()
    for i, start in starts.items():
        text[contigs.offsets[i] : contigs.offsets[i + 1]] = np.frombuffer(start.rotated(contigs.sequence(i)), np.uint8)
    return replace(contigs, text=text)


def rotate_spelled(spelled: Spelled, starts: Mapping[int, GeneStart]) -> Spelled:
    """Rotate spelled contigs as `rotate_contigs` does."""
    is_turned = np.zeros(len(spelled.contigs), np.bool_)
    is_turned[[contig for contig, start in starts.items() if start.is_reverse]] = True
    return Spelled(rotate_contigs(spelled.contigs, starts), spelled.rank, spelled.flips ^ is_turned[spelled.rank])


def rotation_of(genes: Sequence[Gene], starts: dict[int, GeneStart], reported: Contigs) -> Rotation | None:
    """Describe the rotation of contigs, and log it; None without genes."""
    if not genes:
        return None
    _log(starts, reported)
    return Rotation(tuple(gene.name for gene in genes), starts)


def _log(starts: dict[int, GeneStart], reported: Contigs) -> None:
    """Log which gene each reported circular contig starts with, and how many have none."""
    n_circular = int(np.count_nonzero(reported.circular))
    if not n_circular:
        log.report("no contig is circular: none is rotated to a gene")
        return
    found = [(contig, one) for contig, one in sorted(starts.items()) if contig < len(reported)]
    for contig, one in found:
        log.logger.info(
            "contig_%d is circular and starts with %s: %.1f %% of %s aligned bases are identical",
            *(contig + 1, one.gene, 100 * one.n_identical / one.n_columns, f"{one.n_columns:,}"),
        )
    if n_circular > len(found):
        log.report(
            "%s without a gene of --rotate: from the smallest rotation on",
            counted(n_circular - len(found), "circular contig"),
        )


def find_start(circle: bytes, genes: Sequence[Gene]) -> GeneStart | None:
    """Find the best match of the first gene that a circular sequence holds; None if it holds none."""
    seeds = _Seeds(circle)
    for gene in genes:
        if LEAST_ALIGNED_PERCENT * len(gene.sequence) <= 100 * len(circle):
            found = [match for is_reverse in (False, True) for match in _matches(seeds, gene, is_reverse)]
            if found:
                return min(found, key=lambda match: match.rank)
    return None


class _Seeds:
    """Sorted k-mers of a circular sequence."""

    def __init__(self, circle: bytes) -> None:
        self.text = np.frombuffer(circle, np.uint8)
        codes, _is_valid = _kmers(np.resize(self.text, len(circle) + _SEED_BP - 1))
        self._order = np.argsort(codes, kind="stable")
        self._codes = codes[self._order]

    def diagonals(self, sequence: NDArray[np.uint8]) -> Longs:
        """Place in the circle less place in a sequence, modulo the length of the circle, of all common k-mers."""
        codes, is_valid = _kmers(sequence)
        first, stop = (np.searchsorted(self._codes, codes, side) for side in ("left", "right"))
        numbers = np.where(is_valid & (stop - first <= _MOST_PLACES), stop - first, 0)
        places = np.repeat(np.arange(len(codes)), numbers)
        within = np.arange(len(places)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        found: Longs = (self._order[first[places] + within] - places) % len(self.text)
        return found


def _kmers(text: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Codes of the k-mers that begin at each base, and whether they are of A, C, G and T alone."""
    bases = _CODES[text]
    n = max(0, len(bases) - _SEED_BP + 1)
    codes, is_valid = np.zeros(n, np.uint32), np.ones(n, np.bool_)
    for i in range(_SEED_BP):
        codes = (codes << np.uint32(2)) | (bases[i : i + n] & np.uint8(3))
        is_valid &= bases[i : i + n] < 4
    return codes, is_valid


def _matches(seeds: _Seeds, gene: Gene, is_reverse: bool) -> Iterator[GeneStart]:
    """Align a gene where seeds are on neighbouring diagonals, and yield the matches that suffice."""
    sequence = reverse_complement(gene.sequence) if is_reverse else gene.sequence
    n_circle, n_gene = len(seeds.text), len(sequence)
    band = max(_LEAST_BAND_BP, n_gene // _BAND_PART)
    for number in _bands(seeds.diagonals(np.frombuffer(sequence, np.uint8)) // band, -(-n_circle // band), n_gene):
        start = number * band - band // 2
        size = n_gene + min(3 * band, n_circle)
        window = seeds.text.take(np.arange(start, start + size), mode="wrap").tobytes()
        columns = _aligned(window, sequence)
        if columns is None:
            continue
        (first, stop), (gene_first, gene_stop), n_identical, n_columns = columns
        is_long = 100 * (gene_stop - gene_first) >= LEAST_ALIGNED_PERCENT * n_gene and stop - first <= n_circle
        if is_long and 100 * n_identical >= LEAST_IDENTICAL_PERCENT * n_columns:
            begin = stop - 1 + n_gene - gene_stop if is_reverse else first - gene_first
            yield GeneStart(gene.name, (start + begin) % n_circle, is_reverse, n_identical, n_columns)


def _bands(bands: Longs, n_bands: int, n_gene: int) -> list[int]:
    """List the bands that have, with the one behind, the most seeds; no neighbours."""
    numbers = np.bincount(bands, minlength=n_bands)
    if n_bands > 1:
        numbers = numbers + np.roll(numbers, -1)
    chosen: list[int] = []
    near = set[int]()
    enough = np.flatnonzero(_SEEDS_PART * numbers >= n_gene)
    for band in enough[np.argsort(-numbers[enough], kind="stable")].tolist():
        if band not in near and len(chosen) < _MOST_WINDOWS:
            chosen.append(band)
            near |= {(band + 1) % n_bands, (band - 1) % n_bands}
    return chosen


def _aligned(window: bytes, gene: bytes) -> tuple[tuple[int, int], tuple[int, int], int, int] | None:
    """Align a gene with part of a window: both intervals, identical bases, and columns; None if nothing matches."""
    from Bio.Align import PairwiseAligner

    # Gaps cost so much that alignments of unrelated sequence stay short.
    aligner: Any = PairwiseAligner(mode="local", match_score=1, mismatch_score=-1, gap_score=-2)
    alignments = aligner.align(window.decode("ascii"), gene.decode("ascii"))
    if alignments.score <= 0:
        return None
    targets, queries = alignments[0].aligned
    texts = np.frombuffer(window, np.uint8), np.frombuffer(gene, np.uint8)
    blocks = list(zip(targets.tolist(), queries.tolist(), strict=True))
    n_identical = sum(int((texts[0][a:b] == texts[1][c:d]).sum()) for (a, b), (c, d) in blocks)
    first, stop = blocks[0][0][0], blocks[-1][0][1]
    gene_first, gene_stop = blocks[0][1][0], blocks[-1][1][1]
    n_within = sum(b - a for (a, b), _query in blocks)
    return (first, stop), (gene_first, gene_stop), n_identical, (stop - first) + (gene_stop - gene_first) - n_within
