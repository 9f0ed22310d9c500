"""Choosing k from read lengths and one spectrum at a small k."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.kmers.spectrum import SpectrumEstimate
from debruijn_gpu.options import K_MAX
from debruijn_gpu.reads.lengths import ReadLengths

SMALLEST_K, USUAL_K = 15, 31
#: Long enough for most k-mers of a genome of 100 Gbp to be there once by chance.
SPECIFIC_K = 21
#: Reads this long are not short reads but sequences.
SEQUENCE_BP = 1000
#: K-mers of evenly covered sequence should be this deep.
DEPTH_WANTED = 20.0
#: k is at most this part of a read, so that reads overlap by several k-mers, and less if coverage is uneven.
PART_OF_READ, PART_OF_READ_IF_UNEVEN = 0.65, 0.2
#: Coverage is uneven if a tenth of the k-mers lies below this part of the depth.
UNEVEN = 0.25


@dataclass(frozen=True)
class KChoice:
    """A chosen k, and why, in a sentence."""

    k: int
    why: str


def spectrum_k(lengths: ReadLengths) -> int:
    """The k at which to count for `choose_k`: 31, or less where that is much of a read."""
    return _odd(min(USUAL_K, max(SMALLEST_K, int(0.6 * lengths.typical))))


def depth_at(k: int, lengths: ReadLengths, estimate: SpectrumEstimate) -> float:
    """Depth of error-free k-mers that is to be expected at another k.

    The reads hold fewer k-mers as k grows (Lander and Waterman 1988: by (L - k + 1) / L of the base depth),
    and more of these hold an error.
    """
    counted = lengths.n_kmers(estimate.k)
    if not counted:
        return 0.0
    error_free = (1.0 - estimate.error_rate) ** (k - estimate.k)
    return estimate.depth * lengths.n_kmers(k) / counted * error_free


def choose_k(lengths: ReadLengths, estimate: SpectrumEstimate) -> KChoice:
    """Choose k for assembly.

    A larger k resolves longer repeats, but needs overlaps of k between neighbouring reads everywhere. So k is
    as large as depth and read length allow: the largest at which k-mers are 20 deep (less, and neighbours
    without overlap become likely; KmerGenie's optimum is near there too) and which is no more than 0.65 of a
    read. Where coverage is uneven, a typical depth says nothing of the places that decide, and k stays at a
    fifth of a read or 31, whichever is more. At low depth k is 21, which is specific enough.

    Parameters
    ----------
    lengths : ReadLengths
    estimate : SpectrumEstimate
        Of the spectrum of these reads at `spectrum_k`.
    """
    read_bp = lengths.typical
    if read_bp >= SEQUENCE_BP:
        return KChoice(USUAL_K, f"k = {USUAL_K}: sequences of typically {read_bp} bp are not short reads")
    uneven = estimate.peak is None or estimate.low_depth < UNEVEN * estimate.depth
    longest = _odd(max(SMALLEST_K, min(K_MAX, int(PART_OF_READ * read_bp))))
    if uneven and estimate.depth >= DEPTH_WANTED:
        k = min(longest, _odd(max(USUAL_K, int(PART_OF_READ_IF_UNEVEN * read_bp))))
        reason = f"uneven coverage (a tenth of the k-mers below {estimate.low_depth:.0f}x)"
    else:
        smallest = min(longest, SPECIFIC_K)
        deep_enough = (k for k in range(longest, smallest, -2) if depth_at(k, lengths, estimate) >= DEPTH_WANTED)
        k = next(deep_enough, smallest)
        reason = f"k-mer depth {depth_at(k, lengths, estimate):.0f}x there"
    return KChoice(k, f"k = {k}: reads of typically {read_bp} bp, {reason}")


def _odd(k: int) -> int:
    """The number, or one less if it is even."""
    return k - 1 + k % 2
