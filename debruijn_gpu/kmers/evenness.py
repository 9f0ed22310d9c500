"""Evenness of coverage: whether parts of the sample are much rarer or deeper than the rest, by the k-mer spectrum."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.kmers.choose_k import SPECIFIC_K
from debruijn_gpu.kmers.spectrum import (
    ERRORS_LEFT,
    LEAST_DEPTH,
    LEAST_RISE,
    Spectrum,
    SpectrumEstimate,
    estimate,
    valley_and_peak,
)

#: Coverage is uneven if a larger share of the kept k-mers is below this part of the depth. The cutoff leaves errors of
#: at most half as many; 7 % of a plasmid with deletions, 24 % of tiled amplicons are.
MOST_RARE, UNEVEN = 2 * ERRORS_LEFT, 0.25
#: Multiplicities from the cutoff to that part of the depth, at least, where that is asked
LEAST_RANGE = 2
#: Errors of deep sequence recur, so that more are above the cutoff: up to such a share of the k-mers. Their frequencies
#: fall to such a part of that of the cutoff, before four times the cutoff.
MOST_RECURRENT, LOWEST, LOWEST_WITHIN = 0.1, 0.1, 4
#: Any number is of errors if frequencies fall to such a part or less from each multiplicity to the next, from 1 on:
#: those of a rare part rise, or fall less, up to its depth.
STEEP = 0.45
#: It is uneven, too, if a larger share is above so many times the depth, as where a rare organism has the peak: repeats
#: of genomes have fewer distinct k-mers.
MOST_DEEP, DEEP = 0.1, 4
#: A sample has thin parts if so many more distinct k-mers of the genome are below a third of the depth than where reads
#: begin anywhere with equal chance, as where fragments of much or little GC are few: up to 4 % then, and less than
#: 0.01 % otherwise. At least 500 of them are asked for, as the ends of linear genomes are thin as well. A part of the
#: depth is looked at from a multiplicity of 5 on: errors cannot be told from what is thin below a lower one.
MOST_THIN, LEAST_THIN, LEAST_THIN_END = 0.001, 500, 5
#: Of those below a half, so many are below a quarter then; 6 % at most of the k-mers of one of two alleles.
LEAST_BELOW_QUARTER = 0.1
#: From one multiplicity to the next, errors are fewer: at most this part of those before.
ERRORS_FALL = 0.7
#: K-mers that two alleles share are twice as deep as the others. A fifth of the k-mers of the genome has from 1.6 to
#: 2.4 times the depth if two alleles differ at more than about one base in 60; copies of repeats are fewer.
TWICE, LEAST_SHARED, LEAST_OF_PEAK = (1.6, 2.4), 0.2, 0.4
#: Least minimum count where coverage is uneven, as in MEGAHIT: mercy k-mers then complete what is rare.
UNEVEN_CUTOFF = 2
#: Number of k-mers with errors that may stay then, relative to those of the genome, at k below and from `SPECIFIC_K`
#: on: k-mers of an error in a very short read have little beside them that shows it. More than the second takes long.
UNEVEN_ERRORS = (0.5, 32.0)
#: From so many k-mers with errors on, relative to those of the genome, k-mers that occur once are not kept, however low
#: the depth: errors so dense leave no side of a bubble whole, and cleaning fails (docs/explanation/choice-of-k.md).
#: Mercy k-mers then complete what was the genome's.
DENSE_ERRORS, DENSE_CUTOFF = 1.0, 2


def rare_share(spectrum: Spectrum, found: SpectrumEstimate, n_errors: int) -> float:
    """Compute the share of the kept distinct k-mers but for errors that lie below a quarter of the k-mer depth."""
    n_kept = spectrum.distinct_from(found.cutoff) - n_errors
    n_usual = spectrum.distinct_from(max(found.cutoff, math.ceil(UNEVEN * found.depth)))
    return 1.0 - n_usual / max(1, n_kept)


def _frequencies(spectrum: Spectrum, end: int) -> NDArray[np.int64]:
    """Return the number of distinct k-mers of each multiplicity below an end, from 0 on."""
    is_near = spectrum.multiplicity < end
    frequency = np.zeros(end, np.int64)
    frequency[spectrum.multiplicity[is_near]] = spectrum.frequency[is_near]
    return frequency


def n_recurrent_errors(spectrum: Spectrum, found: SpectrumEstimate) -> int:
    """Count the kept k-mers that are errors of deep sequence: up to where their frequencies no longer fall.

    None if there are too many, if frequencies rise below the cutoff as those of a rare part do, or hardly fall above.
    """
    end = LOWEST_WITHIN * found.cutoff
    frequency = _frequencies(spectrum, end)
    noise = 3 * np.sqrt(np.maximum(frequency, 1))
    lowest_before = np.minimum.accumulate((frequency + noise)[1:])
    rises = np.flatnonzero((frequency - noise)[1:] >= LEAST_RISE * lowest_before) + 1
    falling = frequency[found.cutoff : int(rises[0]) if len(rises) else end]
    if not len(falling) or falling.min() > LOWEST * falling[0]:
        return 0
    n_errors = int(falling[: int(np.argmin(falling))].sum())
    return n_errors if n_errors <= MOST_RECURRENT * spectrum.distinct_from(math.ceil(UNEVEN * found.depth)) else 0


def n_steep_errors(spectrum: Spectrum, found: SpectrumEstimate) -> int:
    """Count the kept k-mers that are errors by their frequencies, which fall steeply; none if these do not.

    Looked at are multiplicities below a quarter of the k-mer depth, up to where a tenth of the k-mers of the cutoff is
    left.
    """
    end = max(found.cutoff + 1, math.ceil(UNEVEN * found.depth))
    frequency = _frequencies(spectrum, end)
    left = np.flatnonzero(frequency[found.cutoff :] <= LOWEST * frequency[found.cutoff])
    last = found.cutoff + int(left[0]) if len(left) else end - 1
    if np.any(frequency[2 : last + 1] > STEEP * frequency[1:last]):
        return 0
    return int(frequency[found.cutoff : last].sum())


def deep_share(spectrum: Spectrum, found: SpectrumEstimate) -> float:
    """Compute the share of the distinct k-mers of genomes that exceed four times the k-mer depth."""
    n_deep = spectrum.distinct_from(math.floor(DEEP * found.depth) + 1)
    return n_deep / max(1, _n_genomic(spectrum, found))


def _n_genomic(spectrum: Spectrum, found: SpectrumEstimate) -> int:
    """Count the distinct k-mers of genomes: from the valley on, or all kept k-mers if there is no peak."""
    valley = None if found.peak is None else valley_and_peak(spectrum)
    return spectrum.distinct_from(found.cutoff if valley is None else valley[0])


def is_uneven(spectrum: Spectrum, found: SpectrumEstimate) -> bool:
    """Whether one depth does not describe the sample: amplicons, mixtures of genomes, plasmids, amplified cells.

    Errors that are kept are left out. Where depth is low, all k-mers are kept, and errors cannot be told from what is
    rare.
    """
    if found.peak is None:
        return found.cutoff > 1
    if deep_share(spectrum, found) > MOST_DEEP:
        return True
    if found.depth < LEAST_DEPTH or UNEVEN * found.depth < found.cutoff + LEAST_RANGE:
        return False
    return rare_share(spectrum, found, n_steep_errors(spectrum, found)) > MOST_RARE


def _share_below(spectrum: Spectrum, found: SpectrumEstimate, part: float) -> float | None:
    """Compute the share of the distinct k-mers of the genome that lie below a part of the depth, beyond the share that
    do so by chance (Poisson); None if that is too low to tell them from errors.

    Errors are left out: the least multiplicities, as long as frequencies fall as steeply as those of errors.
    """
    end = math.ceil(part * found.depth)
    if end < max(LEAST_THIN_END, found.cutoff + LEAST_RANGE):
        return None
    least = found.cutoff
    while least < end and spectrum.distinct_at(least + 1) < ERRORS_FALL * spectrum.distinct_at(least):
        least += 1
    by_chance = sum(math.exp(m * math.log(found.depth) - found.depth - math.lgamma(m + 1)) for m in range(least, end))
    return 1.0 - spectrum.distinct_from(end) / max(1, spectrum.distinct_from(least)) - by_chance


def has_thin_parts(spectrum: Spectrum, found: SpectrumEstimate) -> bool:
    """Whether some places of a genome are covered much less than others, more than reads at random places are.

    K-mers of one of two alleles, of about half of the depth, are no such places; where depth is below 17x, they count
    as such.
    """
    if found.peak is None:
        return False
    below_quarter, below_third, below_half = (_share_below(spectrum, found, 1 / n) for n in (4, 3, 2))
    most = max(MOST_THIN, LEAST_THIN / max(1, spectrum.distinct_from(found.cutoff)))
    if below_third is None or below_half is None or below_third <= most:
        return False
    return below_quarter is None or below_quarter > LEAST_BELOW_QUARTER * below_half


def has_two_alleles(spectrum: Spectrum, found: SpectrumEstimate) -> bool:
    """Whether the depth is that of one of two alleles: many k-mers, which both have, are twice as deep."""
    if found.peak is None:
        return False
    low, high = (math.ceil(part * found.peak) for part in TWICE)
    n_shared = spectrum.distinct_from(low) - spectrum.distinct_from(high)
    n_single = spectrum.distinct_from(max(found.cutoff, math.ceil(LEAST_OF_PEAK * found.peak)))
    return n_shared > LEAST_SHARED * n_single


def has_dense_errors(spectrum: Spectrum, found: SpectrumEstimate) -> bool:
    """Whether k-mers with errors are more than those of the genome.

    Without a peak, k-mers of the genome that occur once are as many as a Poisson distribution has beside those that
    occur twice and three times, and the others are errors.
    """
    if found.peak is not None:
        n_genomic = _n_genomic(spectrum, found)
    else:
        once, twice, thrice = (spectrum.distinct_at(m) for m in (1, 2, 3))
        if not thrice:
            return False
        n_genomic = spectrum.n_distinct - max(0, once - round(2 * twice**2 / (3 * thrice)))
    return spectrum.n_distinct - n_genomic > DENSE_ERRORS * n_genomic


def several_k_cutoff(spectrum: Spectrum) -> int:
    """Choose the minimum count of the first of several k: that of the estimate, unless coverage is uneven.

    Then it is lower, but at least 2, and no lower than leaves a number of errors relative to the k-mers of the genome.
    Errors are taken to be rarer from each multiplicity to the next as from 1 to 2. Where errors are dense, it is at
    least 2, too.
    """
    found = estimate(spectrum)
    if not is_uneven(spectrum, found):
        return max(found.cutoff, DENSE_CUTOFF) if has_dense_errors(spectrum, found) else found.cutoff
    once, twice = (spectrum.distinct_at(m) for m in (1, 2))
    falls_by = min(1.0, twice / max(1, once))
    most = UNEVEN_ERRORS[spectrum.k >= SPECIFIC_K] * _n_genomic(spectrum, found)
    cutoff = UNEVEN_CUTOFF
    while cutoff < found.cutoff and once * falls_by ** (cutoff - 1) > most * (1.0 - falls_by):
        cutoff += 1
    return cutoff


def needs_mercy(min_count: int, spectrum: Spectrum, found: SpectrumEstimate) -> bool:
    """Whether a minimum count takes k-mers of the genome that occur, so that mercy k-mers are to be added."""
    if min_count == 1:
        return False
    return min_count > found.cutoff or is_uneven(spectrum, found) or has_thin_parts(spectrum, found)
