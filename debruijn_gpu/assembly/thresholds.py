"""Cleaning in rounds: thresholds from the depth of the k-mers of each round."""

from __future__ import annotations

from dataclasses import replace

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.consensus import has_thin_places
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.rarer_genomes import PARTS, Genomes
from debruijn_gpu.assembly.result import KmerCounts
from debruijn_gpu.assembly.situation import NOTHING_FOUND, Findings, Situation
from debruijn_gpu.kmers.choose_k import SEQUENCE_BP
from debruijn_gpu.kmers.evenness import has_thin_parts, has_two_alleles, is_uneven

#: Of the depth of single-copy sequence: a side of a bubble with less is no copy of it.
_LEAST_SIDE = 0.25
#: Of the least depth that tells alleles from copies: the least one where there are many bubbles of two alleles.
_OF_HETEROZYGOUS = 0.6
#: K-mer depth below which reads are few; at 6x, of 4.8 to 5.2, nothing is gained.
_FEW = 4.5


def thresholds_for(options: CleanOptions, counts: KmerCounts) -> CleanOptions:
    """Return thresholds for the coverage of a sample: where it is uneven or thin, more sides of bubbles go."""
    options = for_few_reads(options, counts)
    if not is_uneven(counts.spectrum, counts.estimate):
        return options
    return replace(
        options,
        bubble_ratio=max(options.bubble_ratio, options.uneven_bubble_ratio),
        early_bubble_ratio=max(options.early_bubble_ratio, options.uneven_early_bubble_ratio),
    )


def for_few_reads(options: CleanOptions, counts: KmerCounts, deepest: int = PARTS) -> CleanOptions:
    """Return thresholds for the depth of a sample: where reads are few, no ratio of depths tells copies from errors.

    In a mixture, they are few if those of its deepest genome are, see `Genomes.parts`.
    """
    found = counts.estimate
    depth = (found.peak or 0.0) if deepest == PARTS else counts.depth_at(counts.choice.ks[0]) * deepest / PARTS
    if depth >= _FEW or found.cutoff > 1 or counts.lengths.typical >= SEQUENCE_BP:
        return options
    return replace(options, bubble_ratio=max(options.bubble_ratio, options.thin_bubble_ratio))


def used_thresholds(options: CleanOptions, k: int, counts: KmerCounts, rarest: int = PARTS) -> CleanOptions:
    """Return the thresholds of a round: deferring ones if k-mers of the next k are deep enough to decide.

    A side of a bubble that is not expected to be so deep itself, and has less than a quarter of the depth of
    single-copy sequence, is not handed on: at the next k it would break, and what is left of it is no bubble. In a
    mixture, that is the depth of the rarest genome, see `Genomes.parts`.
    """
    later = [other for other in counts.choice.ks if other > k]
    if not later or round(counts.depth_at(later[0])) < options.deferring_depth:
        return options
    depth, deferring = counts.depth_at(k), options.deferring
    least_side = int(_LEAST_SIDE * depth * rarest / PARTS)
    doomed = min(round(options.deferring_depth * depth / counts.depth_at(later[0])), least_side)
    return replace(deferring, bubble_rare=max(deferring.bubble_rare, doomed))


def least_sure_depth(options: CleanOptions, counts: KmerCounts) -> int:
    """Return the k-mer depth from which dead ends after the first k are errors: no place of the genome lacks reads.

    At a depth of d this is so at a share of e^-d of the places (Poisson), and 0.7 is the logarithm of 2: a virus needs
    less depth than a bacterium.
    """
    return min(options.later_tip_depth, 7 * counts.estimate.genome_bp.bit_length() // 10)


def sure_depth(options: CleanOptions, k: int, counts: KmerCounts, found: Findings = NOTHING_FOUND) -> float:
    """Return the k-mer depth of single-copy sequence at a k; 0 if it is unknown, or too low to tell copies by it.

    In a mixture, the deepest genome is to be deep enough. In a heterozygous sample, less is enough.
    """
    if found.has_local_depths:
        return counts.depth_at(k)
    deepest = max(found.genomes, default=PARTS)
    least = options.haplotype_depth * (_OF_HETEROZYGOUS if found.has_two_alleles else 1.0)
    if (counts.estimate.peak or 0) * deepest < least * PARTS:
        return 0.0
    return single_copy_depth(k, counts) * found.of_peak


def single_copy_depth(k: int, counts: KmerCounts) -> float:
    """Return the k-mer depth of single-copy sequence at a k by the peak of the spectrum; 0 without one."""
    if counts.estimate.peak is None:
        return 0.0
    return counts.depth_at(k) * (2 if has_two_alleles(counts.spectrum, counts.estimate) else 1)


def kmers_per_read(k: int, counts: KmerCounts) -> int:
    """Return the k-mers that a typical read holds."""
    return max(1, counts.lengths.typical - k + 1)


def situation_at(k: int, options: CleanOptions, counts: KmerCounts) -> Situation:
    """Return what the only cleaning goes by, which takes the sample for one genome."""
    return Situation(sure_depth(options, k, counts))


def genomes_of(options: CleanOptions | None, k: int, counts: KmerCounts, found: Findings) -> Genomes:
    """Return the genomes of a sample at a k, by what cleaning found."""
    depth = 0.0 if options is None else sure_depth(options, k, counts, found)
    is_thin = not found.genomes and has_thin_parts(counts.spectrum, counts.estimate)
    return Genomes(depth, found.genomes, is_thin, kmers_per_read(k, counts) if found.has_local_depths else 0)


def corrects_bases(options: CleanOptions | None, counts: KmerCounts) -> bool:
    """Whether bases are corrected after the last of several k: where coverage is uneven, or thin in some places."""
    found = counts.estimate
    if options is None or len(counts.choice.ks) == 1 or not options.consensus_reads:
        return False
    if found.peak is None or is_uneven(counts.spectrum, found) or has_thin_parts(counts.spectrum, found):
        return True
    return has_thin_places(options.consensus_reads, found.depth, found.genome_bp)


def held_word_bp(options: AssembleOptions, counts: KmerCounts) -> int:
    """Length of the words that reads have to hold at the ends of contigs without pairs; 0: ends stay as they are."""
    ks = counts.choice.ks
    share = options.clean.held_length if options.clean is not None and len(ks) > 1 else 0.0
    return min(ks[-1], int(share * counts.lengths.typical))
