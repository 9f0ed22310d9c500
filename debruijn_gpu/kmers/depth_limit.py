"""Limit of the read depth: whether reads are deeper, and the share of them to keep."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.kmers.choose_k import SEQUENCE_BP
from debruijn_gpu.kmers.evenness import MOST_RARE, UNEVEN, rare_share
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate
from debruijn_gpu.reads.read_statistics import ReadLengths

#: Read depth above which further reads add errors and no sequence: assemblers get worse there (MEGAHIT issues 239 and
#: 345), and Shovill subsamples to it.
AMPLE_DEPTH = 150
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
    """

    max_depth: int
    read_depth: int | None
    kept: int
    of: int
    why: str

    @property
    def is_exceeded(self) -> bool:
        """Whether reads are to be left out."""
        return self.kept < self.of


def used_limit(max_depth: int | None, n_ks: int) -> int:
    """Resolve ``auto`` (None): `AMPLE_DEPTH` where reads are stored, which they are but for one given k."""
    if max_depth is None:
        return NO_LIMIT if n_ks == 1 else AMPLE_DEPTH
    return max_depth


def read_depth(lengths: ReadLengths, estimate: SpectrumEstimate) -> int:
    """Convert the k-mer depth of single-copy sequence, errors included, to read depth (Lander and Waterman 1988)."""
    n_kmers = lengths.n_kmers(estimate.k)
    if estimate.peak is None or not n_kmers:
        return 0
    return round(estimate.peak / (1.0 - estimate.error_fraction) * lengths.n_bases / n_kmers)


def limit_depth(max_depth: int, lengths: ReadLengths, spectrum: Spectrum, estimate: SpectrumEstimate) -> DepthLimit:
    """Decide on the share of reads to keep.

    Where coverage is uneven (amplicons, mixtures of genomes), the typical depth says nothing of the rare parts, so all
    reads are kept. Long sequences count for the depth, and are all kept.

    Parameters
    ----------
    max_depth : int
        Above 0.
    lengths : ReadLengths
    spectrum : Spectrum
        Of these reads.
    estimate : SpectrumEstimate
        Of the spectrum.
    """
    found = read_depth(lengths, estimate)
    if estimate.peak is None:
        return DepthLimit(max_depth, None, 1, 1, "all reads are kept: the k-mer spectrum has no peak to tell the depth")
    if found <= max_depth:
        return DepthLimit(max_depth, found, 1, 1, f"read depth {found}x: all reads are kept")
    rare = rare_share(spectrum, estimate)
    if rare > MOST_RARE:
        reason = f"uneven coverage ({100 * rare:.0f} % of the k-mers below {UNEVEN:g} of it)"
        return DepthLimit(max_depth, found, 1, 1, f"read depth {found}x, but {reason}: all reads are kept")
    n_short = sum(int(n) * int(bp) for bp, n in zip(lengths.lengths, lengths.numbers, strict=True) if bp < SEQUENCE_BP)
    n_long = lengths.n_bases - n_short
    kept, of = max(0, max_depth * lengths.n_bases - found * n_long), max(1, found * n_short)
    why = f"read depth {found}x: {100 * kept / of:.1f} % of the reads are kept, for {max_depth}x"
    return DepthLimit(max_depth, found, min(kept, of), of, why)
