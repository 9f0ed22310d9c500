"""Variants: popped bubbles that are no sequencing errors, placed on contigs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.alphabet import BASES, reverse_complement
from debruijn_gpu.assembly.alleles import differences
from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.popped import PoppedBubble
from debruijn_gpu.assembly.variant_options import VariantOptions
from debruijn_gpu.run import log

_BLOCK = 1 << 20  # bases that are searched at once
#: Of a hash of k-mers: a base at position i counts `_VALUES` of its code times `_FACTOR` ** i, modulo 2^64.
_FACTOR = 0xD1342543DE82EF95
_VALUES = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB], np.uint64)
_CODES = np.zeros(256, np.uint8)
_CODES[np.frombuffer(BASES, np.uint8)] = range(4)
_CONTEXT = 1000  # bases before a bubble within which insertions and deletions are left-aligned
_SLACK, _SLACK_PARTS = 3, 20  # bases, and part of the length, by which the two sides of a bubble may differ


@dataclass(frozen=True, order=True)
class Variant:
    """Alternative allele of a contig.

    Attributes
    ----------
    contig : int
        From 0 on.
    position : int
        Of the first base of ``reference``, from 0 on.
    reference, alternative : bytes
        Alleles as in VCF, neither of them empty; the former is that of the contig.
    reference_depth, alternative_depth : float
        K-mer depth of both at this k.
    k : int
        Of the round in which the bubble was popped.
    """

    contig: int
    position: int
    reference: bytes
    alternative: bytes
    reference_depth: float
    alternative_depth: float
    k: int


@dataclass(frozen=True)
class VariantCounts:
    """Numbers of variants.

    Attributes
    ----------
    n_bubbles : int
        Popped bubbles that are no errors by their depth.
    n_variants, n_substitutions, n_insertions, n_deletions : int
        Differences of such bubbles from the reported contigs: all, and by kind.
    n_balanced : int
        Variants of two alleles of about half the depth.
    is_heterozygous : bool
        Whether these are so frequent that the sample is heterozygous or a mixture.
    """

    n_bubbles: int
    n_variants: int
    n_substitutions: int
    n_insertions: int
    n_deletions: int
    n_balanced: int
    is_heterozygous: bool

    @classmethod
    def of(
        cls,
        n_bubbles: int,
        variants: list[Variant],
        reported: Contigs,
        depth_at: Callable[[int], float],
        options: VariantOptions,
    ) -> VariantCounts:
        """Count variants of the reported contigs by kind, and those of balanced alleles; see `find_variants`."""
        longer = [len(one.alternative) - len(one.reference) for one in variants]
        n_insertions, n_deletions = sum(bp > 0 for bp in longer), sum(bp < 0 for bp in longer)
        kinds = len(variants) - n_insertions - n_deletions, n_insertions, n_deletions
        relative_depth = _mean_kmer_depth(reported) / max(1.0, depth_at(reported.k))
        n_balanced = sum(_is_balanced(variant, relative_depth * depth_at(variant.k), options) for variant in variants)
        is_heterozygous = n_balanced * options.bases_per_variant > int(reported.offsets[-1])
        return cls(n_bubbles, len(variants), *kinds, n_balanced, is_heterozygous)


def _mean_kmer_depth(contigs: Contigs) -> float:
    return int(contigs.kmer_counts.sum()) / max(1, int(contigs.n_kmers.sum()))


def find_variants(
    popped: list[PoppedBubble] | None,
    contigs: Contigs,
    n_reported: int,
    depth_at: Callable[[int], float],
    options: VariantOptions,
) -> tuple[list[Variant] | None, VariantCounts | None]:
    """Place popped bubbles on contigs, and count them; log their number and whether the sample looks heterozygous.

    Parameters
    ----------
    popped : list of PoppedBubble or None
        None: variants are not wanted, and so are both results.
    contigs, n_reported
        See `place_variants`.
    depth_at : callable
        Depth of single-copy k-mers that is expected at a k.
    options : VariantOptions
    """
    if popped is None:
        return None, None
    with log.stage("variants") as stage:
        variants = place_variants(popped, contigs, n_reported)
        stage.items, stage.unit = len(variants), "variants"
    log.logger.info("  %s variants (see variants.tsv)", f"{len(variants):,}")
    reported = contigs.first(n_reported)
    counts = VariantCounts.of(len(popped), variants, reported, depth_at, options)
    if counts.is_heterozygous:
        log.report(
            "%s variants with two alleles of about half the depth, one in %s bp: the sample is heterozygous or a "
            "mixture",
            f"{counts.n_balanced:,}",
            f"{int(reported.offsets[-1]) // counts.n_balanced:,}",
        )
    return variants, counts


def _is_balanced(variant: Variant, contig_depth: float, options: VariantOptions) -> bool:
    """Whether both alleles have about half the depth of contigs."""
    depths = variant.reference_depth, variant.alternative_depth
    return options.balanced_parts * min(depths) >= sum(depths) and sum(depths) <= (
        options.most_of_contig_depth * contig_depth
    )


def place_variants(popped: list[PoppedBubble], contigs: Contigs, n_reported: int) -> list[Variant]:
    """Place popped bubbles on contigs; sorted by contig, position and alleles, each variant once.

    A bubble is placed where its first and its last k-mer are each in one place of all contigs, and in the same contig.
    Of a variant that was found several times the best covered one is kept.

    Parameters
    ----------
    popped : list of PoppedBubble
    contigs : Contigs
        All of them, circular ones without the overlap with themselves.
    n_reported : int
        Variants of the first so many contigs are wanted.
    """
    found: dict[tuple[int, int, bytes, bytes], Variant] = {}
    by_k = sorted(popped, key=lambda bubble: bubble.k)
    for k, group in groupby(by_k, key=lambda bubble: bubble.k):
        for variant in _variants_at(k, list(group), contigs, n_reported):
            key = variant.contig, variant.position, variant.reference, variant.alternative
            other = found.get(key)
            if other is None or _rank(variant) > _rank(other):
                found[key] = variant
    return sorted(found.values())


def _rank(variant: Variant) -> tuple[float, float, int]:
    return variant.alternative_depth, variant.reference_depth, -variant.k


def _variants_at(k: int, bubbles: list[PoppedBubble], contigs: Contigs, n_reported: int) -> Iterator[Variant]:
    """Place the bubbles of one k."""
    ends = {end for bubble in bubbles for end in (bubble.sequence[:k], bubble.sequence[-k:])}
    places = _unique_places(ends, contigs, k)
    for bubble in bubbles:
        first, last = (places.get(end) for end in (bubble.sequence[:k], bubble.sequence[-k:]))
        if first is None or last is None or first[1] != last[1]:
            continue
        sequence = bubble.sequence
        if first[1]:
            first, last, sequence = last, first, reverse_complement(sequence)
        start, stop = first[0], last[0] + k
        i = int(np.searchsorted(contigs.offsets, start, "right")) - 1
        is_within = i < n_reported and start < stop <= contigs.offsets[i + 1]
        if is_within and _is_expected(stop - start, bubble):
            begin = int(contigs.offsets[i])
            yield from _variants_of(bubble, sequence, i, start - begin, stop - begin, contigs)


def _is_expected(n_bases: int, bubble: PoppedBubble) -> bool:
    """Whether a bubble is found in so many bases of a contig: about those of one of its sides."""
    sides = len(bubble.sequence), bubble.kept_n_kmers + bubble.k + 1
    return any(abs(n_bases - side) <= max(_SLACK, side // _SLACK_PARTS) for side in sides)


def _variants_of(
    bubble: PoppedBubble, sequence: bytes, i: int, start: int, stop: int, contigs: Contigs
) -> Iterator[Variant]:
    """Compare a bubble with the bases start..stop of contig i."""
    first = max(0, start - _CONTEXT)
    begin = int(contigs.offsets[i])
    window = contigs.text[begin + first : begin + stop].tobytes()
    depths = bubble.kept_kmer_counts / bubble.kept_n_kmers, bubble.kmer_counts / bubble.n_kmers
    for found in differences(window, start - first, stop - first, sequence):
        yield Variant(i, first + found.start, window[found.start : found.stop], found.replacement, *depths, bubble.k)


def _unique_places(kmers: Iterable[bytes], contigs: Contigs, k: int) -> dict[bytes, tuple[int, bool]]:
    """Find k-mers that occur once in contigs: position in the text, and whether it is the other strand."""
    strands = {strand for kmer in kmers for strand in (kmer, reverse_complement(kmer))}
    found: dict[bytes, tuple[int, bool]] = {}
    repeated = set()
    for at, kmer in _occurrences(strands, contigs, k):
        for given in {kmer, reverse_complement(kmer)}:
            if given in found:
                repeated.add(given)
            found[given] = at, given != kmer
    return {kmer: place for kmer, place in found.items() if kmer not in repeated}


def _occurrences(kmers: set[bytes], contigs: Contigs, k: int) -> Iterator[tuple[int, bytes]]:
    """Yield the positions in the text of contigs of k-mers, as they are there, with the k-mers.

    A rolling hash of all k-mers of the contigs (Karp and Rabin 1987) finds candidates, which are compared.
    """
    host = backends.host()
    letters = np.frombuffer(b"".join(kmers), np.uint8)
    values = _VALUES[_CODES[letters]].reshape(-1, k)
    powers = np.cumprod(np.full(_BLOCK + k, _FACTOR, np.uint64))
    inverses = np.cumprod(np.full(_BLOCK + k, pow(_FACTOR, -1, 1 << 64), np.uint64))
    hashes = np.unique((values * powers[:k]).sum(axis=1, dtype=np.uint64))
    n_bases = len(contigs.text)
    for begin in range(0, n_bases, _BLOCK):
        block = _VALUES[_CODES[contigs.text[begin : begin + _BLOCK + k - 1]]]
        n = len(block) - k + 1
        if n <= 0:
            break
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(block * powers[: len(block)], dtype=np.uint64)))
        rolled = (sums[k:] - sums[:-k]) * inverses[:n] * np.uint64(_FACTOR)
        for at in (begin + np.flatnonzero(host.arrays.semi_join(rolled, hashes))).tolist():
            kmer = contigs.text[at : at + k].tobytes()
            i = int(np.searchsorted(contigs.offsets, at, "right")) - 1
            if kmer in kmers and at + k <= contigs.offsets[i + 1]:
                yield at, kmer
