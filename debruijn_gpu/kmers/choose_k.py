"""Choosing k from read lengths and one spectrum at a small k."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.kmers.spectrum import SpectrumEstimate, is_saturated
from debruijn_gpu.reads.read_statistics import ReadLengths

SMALLEST_K, USUAL_K = 15, 31
#: Long enough for most k-mers of a genome of 100 Gbp to be there once by chance.
SPECIFIC_K = 21
#: Reads this long are not short reads but sequences.
SEQUENCE_BP = 1000
#: K-mers should typically be as deep as the first, and nine of ten as deep as the second.
DEPTH_WANTED, LOW_DEPTH_WANTED = 12.0, 8.0
#: k is at most this part of a read, so that reads overlap by several k-mers, and less if coverage is uneven.
PART_OF_READ, PART_OF_READ_IF_UNEVEN = 0.65, 0.2
#: Coverage is uneven if a tenth of the k-mers lies below this part of the depth.
UNEVEN = 0.25


@dataclass(frozen=True)
class KChoice:
    """Chosen k, one or several in ascending order, and the reason in a sentence."""

    ks: tuple[int, ...]
    why: str

    @property
    def k(self) -> int:
        """The last k, that of the contigs."""
        return self.ks[-1]


def given_ks(ks: tuple[int, ...], lengths: ReadLengths) -> KChoice:
    """Keep those of the given k that some read has a k-mer of.

    Raises
    ------
    ParameterError
        If all are longer than the longest read.
    """
    kept = tuple(k for k in ks if k <= lengths.longest)
    if not kept:
        raise ParameterError(
            f"k is {ks[0]}{' or more' if len(ks) > 1 else ''}, but the longest read has {lengths.longest} bases",
            "choose a smaller k (-k)",
        )
    dropped = f"; without {_listed(ks[len(kept) :])}, as the longest read has {lengths.longest} bp"
    return KChoice(kept, f"k = {_listed(kept)}, as asked for{dropped if kept != ks else ''}")


def _listed(ks: tuple[int, ...]) -> str:
    return ", ".join(map(str, ks))


def spectrum_k(lengths: ReadLengths) -> int:
    """The k at which to count for `choose_k`: 31, or less where that is much of a read."""
    return _odd(min(USUAL_K, max(SMALLEST_K, int(0.6 * lengths.typical))))


def depth_left(k: int, lengths: ReadLengths, estimate: SpectrumEstimate) -> float:
    """Depth of error-free k-mers to be expected at another k, relative to that at the k of the estimate.

    The reads hold fewer k-mers as k grows (Lander and Waterman 1988: by (L - k + 1) / L of the base depth),
    and more of these hold an error.
    """
    counted = lengths.n_kmers(estimate.k)
    if not counted:
        return 0.0
    error_free = (1.0 - estimate.error_rate) ** (k - estimate.k)
    return lengths.n_kmers(k) / counted * error_free


def choose_k(lengths: ReadLengths, estimate: SpectrumEstimate) -> KChoice:
    """Choose k for assembly.

    A larger k resolves longer repeats, but needs overlaps of k between neighbouring reads everywhere. So k is
    as large as depth and read length allow: the largest at which k-mers are 12 deep, nine of ten of them 8,
    and which is no more than 0.65 of a read. Measured with reads of 2 x 150 of *E. coli* (minia, NG50 in
    kbp): at 20x 22, 42, 12 for k = 31, 51, 71, where k-mers are 15, 12, 9 deep; at 60x 22, 67, 79, 91 for k =
    31, 63, 77, 91, all deeper than that. Where coverage is uneven, a typical depth says nothing of the places
    that decide (tiled amplicons were fragmented above k = 51), and k stays at a fifth of a read or 31,
    whichever is more. At low depth k is 21, which is specific enough.

    Parameters
    ----------
    lengths : ReadLengths
    estimate : SpectrumEstimate
        Of the spectrum of these reads at `spectrum_k`.
    """
    read_bp = lengths.typical
    if read_bp >= SEQUENCE_BP:
        return KChoice((USUAL_K,), f"k = {USUAL_K}: sequences of typically {read_bp} bp are not short reads")
    uneven = estimate.peak is None or estimate.low_depth < UNEVEN * estimate.depth
    longest = _odd(max(SMALLEST_K, min(K_MAX, int(PART_OF_READ * read_bp))))
    if estimate.peak is None and is_saturated(estimate.k, estimate.genome_bp):
        k = min(longest, USUAL_K)
        reason = f"{estimate.k}-mers are too short to tell the depth"
        return KChoice((k,), f"k = {k}: reads of typically {read_bp} bp, {reason}")
    if uneven and estimate.depth >= DEPTH_WANTED:
        k = min(longest, _odd(max(USUAL_K, int(PART_OF_READ_IF_UNEVEN * read_bp))))
        reason = f"uneven coverage (a tenth of the k-mers below {estimate.low_depth:.0f}x)"
    else:
        smallest = min(longest, SPECIFIC_K)
        needed = max(DEPTH_WANTED / max(estimate.depth, 1.0), LOW_DEPTH_WANTED / max(estimate.low_depth, 1.0))
        deep_enough = (k for k in range(longest, smallest, -2) if depth_left(k, lengths, estimate) >= needed)
        k = next(deep_enough, smallest)
        reason = f"k-mer depth {estimate.depth * depth_left(k, lengths, estimate):.0f}x there"
    return KChoice((k,), f"k = {k}: reads of typically {read_bp} bp, {reason}")


def _odd(k: int) -> int:
    """The number, or one less if it is even."""
    return k - 1 + k % 2
