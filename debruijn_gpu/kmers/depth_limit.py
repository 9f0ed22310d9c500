"""Limit of the read depth: whether reads are deeper, and the share of them to keep."""

from __future__ import annotations

import math
from dataclasses import dataclass

from debruijn_gpu.kmers.choose_k import SEQUENCE_BP
from debruijn_gpu.kmers.evenness import MOST_RARE, UNEVEN, n_recurrent_errors, n_steep_errors, rare_share
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate
from debruijn_gpu.reads.read_statistics import ReadLengths

#: Read depth above which further reads add errors and little sequence: assemblers get worse there (MEGAHIT issues 239
#: and 345), and Shovill subsamples to it.
AMPLE_DEPTH = 150
#: Bases that take little time, so that none are left out up to `MOST_DEPTH`: few reads reach the ends of a virus.
AMPLE_BASES = 25_000_000
#: Read depth above which reads are subsampled even if coverage is uneven: there, errors recur as often as rare parts. A
#: part of a hundredth of the depth remains 20 deep.
MOST_DEPTH = 2000
#: Reads of rare parts are looked for where at most one of so many reads is kept, and at least one of so many k-mers is
#: rare. Of more bases than the second, this takes long: there these k-mers occur at least twice as often as the
#: cutoff, which few errors do.
LEAST_LOSS, FEW_BASES, LEAST_RARE = 2, 400_000_000, 10_000
#: Count of a rare k-mer, at least, and errors among them, at most, relative to the other k-mers: one error makes no
#: read rare.
LEAST_COUNT, MOST_ERRORS = 3, 0.1
#: No limit
NO_LIMIT = 0


@dataclass(frozen=True)
class DepthLimit:
    """Limit of the read depth, and what followed from it.

    Attributes
    ----------
    max_depth : int
        Read depth to which reads are subsampled; `NO_LIMIT` for none.
    read_depth : int or None
        Read depth found, rounded; None where it was not estimated.
    kept, of : int
        The share of reads to keep as a fraction of integers.
    why : str
        A sentence for the log.
    rare_from, rare_below : int
        Counts of k-mers of rare parts, whose reads are kept; 0 if there are none, or all reads are kept.
    """

    max_depth: int
    read_depth: int | None
    kept: int
    of: int
    why: str
    rare_from: int = 0
    rare_below: int = 0

    @property
    def is_exceeded(self) -> bool:
        """Whether reads are to be left out."""
        return self.kept < self.of


def used_limit(max_depth: int | None, n_ks: int) -> int:
    """Resolve ``auto`` (None): `AMPLE_DEPTH` where reads are stored, which they are but for one given k."""
    if max_depth is None:
        return NO_LIMIT if n_ks == 1 else AMPLE_DEPTH
    return max_depth


def bases_to_keep(max_depth: int | None) -> int:
    """Return the bases that ``auto`` (None) keeps of any sample, up to `MOST_DEPTH`."""
    return AMPLE_BASES if max_depth is None else 0


def read_depth(lengths: ReadLengths, estimate: SpectrumEstimate) -> int:
    """Convert the k-mer depth of single-copy sequence, errors included, to read depth (Lander and Waterman 1988)."""
    n_kmers = lengths.n_kmers(estimate.k)
    if estimate.peak is None or not n_kmers:
        return 0
    return round(estimate.peak / (1.0 - estimate.error_fraction) * lengths.n_bases / n_kmers)


def limit_depth(
    max_depth: int, lengths: ReadLengths, spectrum: Spectrum, estimate: SpectrumEstimate, least_bases: int = 0
) -> DepthLimit:
    """Decide on the share of reads to keep.

    Where coverage is uneven (amplicons, mixtures of genomes), the typical depth says nothing of the rare parts, so all
    reads are kept up to `MOST_DEPTH`. Long sequences count for the depth, and are all kept.

    Parameters
    ----------
    max_depth : int
        Above 0.
    lengths : ReadLengths
    spectrum : Spectrum
        Of these reads.
    estimate : SpectrumEstimate
        Of the spectrum.
    least_bases : int
        Bases to keep at least, but not beyond `MOST_DEPTH`.
    """
    found = read_depth(lengths, estimate)
    if estimate.peak is None:
        return DepthLimit(max_depth, None, 1, 1, "all reads are kept: the k-mer spectrum has no peak to tell the depth")
    uneven = ""
    if found > max_depth:
        n_errors = max(find(spectrum, estimate) for find in (n_recurrent_errors, n_steep_errors))
        rare = rare_share(spectrum, estimate, n_errors)
        if rare > MOST_RARE:
            uneven = f", but uneven coverage ({100 * rare:.0f} % of the k-mers below {UNEVEN:g} of it)"
        least = MOST_DEPTH if uneven else min(MOST_DEPTH, found * least_bases // lengths.n_bases)
        max_depth = max(max_depth, least)
    if found <= max_depth:
        return DepthLimit(max_depth, found, 1, 1, f"read depth {found}x{uneven}: all reads are kept")
    n_short = sum(int(n) * int(bp) for bp, n in zip(lengths.lengths, lengths.numbers, strict=True) if bp < SEQUENCE_BP)
    n_long = lengths.n_bases - n_short
    kept, of = max(0, max_depth * lengths.n_bases - found * n_long), max(1, found * n_short)
    why = f"read depth {found}x{uneven}: {100 * kept / of:.1f} % of the reads are kept, for {max_depth}x"
    counts = range(0)
    if LEAST_LOSS * kept <= of:
        counts = _rare_counts(spectrum, estimate, min(UNEVEN, max_depth / found), lengths.n_bases > FEW_BASES)
    return DepthLimit(max_depth, found, min(kept, of), of, why, counts.start, counts.stop)


def _rare_counts(spectrum: Spectrum, estimate: SpectrumEstimate, part: float, are_certain: bool) -> range:
    """Return the counts of k-mers of less than a part of the depth; if asked for, none if all of them may be errors.

    They begin below the cutoff, down to a number of errors that is small beside the k-mers of the genome.
    """
    first, end = max(LEAST_COUNT, estimate.cutoff), math.ceil(part * estimate.depth)
    certain, n_usual = 2 * first, spectrum.distinct_from(end)
    while first > LEAST_COUNT and spectrum.distinct_from(first - 1) - n_usual <= MOST_ERRORS * n_usual:
        first -= 1
    n_rare = spectrum.distinct_from(certain if are_certain else first) - n_usual
    return range(first, end) if n_rare * LEAST_RARE >= n_usual else range(0)
