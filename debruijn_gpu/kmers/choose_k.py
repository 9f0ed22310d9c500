"""Choosing one or several k from read lengths and one spectrum at a small k."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.alphabet import K_MAX
from debruijn_gpu.kmers.no_kmers import short_reads_error
from debruijn_gpu.kmers.spectrum import SpectrumEstimate
from debruijn_gpu.reads.read_statistics import ReadLengths

SMALLEST_K, USUAL_K = 15, 31
#: Long enough for most k-mers of a genome of 100 Gbp to be there once by chance.
SPECIFIC_K = 21
#: Reads this long are not short reads but sequences.
SEQUENCE_BP = 1000
#: The greatest of several k is at most this part of a read, and k-mers are at least so deep there.
PART_OF_READ, LEAST_DEPTH = 0.93, 1.0
#: From one k to the next, about, and at most this part of a read. MEGAHIT takes steps of 10 to 28 (Li et al. 2015).
STEP, STEP_PART_OF_READ = 24, 0.25
#: The smallest of several k is at most this part of a read.
FIRST_PART_OF_READ = 0.5
#: The smallest k of deep and even coverage, and the k-mer depth that it needs. At k = 21, diverged copies of a repeat
#: share so many k-mers that their graph is a tangle, in which cleaning loses copies (docs/explanation/choice-of-k.md).
DEEP_FIRST_K, DEEP_FIRST_DEPTH = 37, 20.0


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
    NothingToAssembleError
        If no read has a base.
    """
    kept = tuple(k for k in ks if k <= lengths.longest)
    if not kept:
        raise short_reads_error(f"{ks[0]}{' or more' if len(ks) > 1 else ''}", lengths.longest)
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


def choose_k(lengths: ReadLengths, estimate: SpectrumEstimate, is_uneven: bool = False) -> KChoice:
    """Choose several k for assembly, from 21 to 37 up in steps of at most about 24, both less for short reads.

    A small k keeps thin places together, as neighbouring reads need overlaps of k; a larger one resolves longer
    repeats. The greatest is at most 0.93 of a read, and one at which k-mers still occur once. Where coverage is uneven,
    or no depth is known, the deep places need the large k and the thin ones the small k as much, so that only the read
    length bounds it.

    Parameters
    ----------
    lengths : ReadLengths
    estimate : SpectrumEstimate
        Of the spectrum of these reads at `spectrum_k`.
    is_uneven : bool
        Whether parts of the sample may be much rarer than that depth; see `evenness.is_uneven`.
    """
    read_bp = lengths.typical
    if read_bp >= SEQUENCE_BP:
        return KChoice((USUAL_K,), f"k = {USUAL_K}: sequences of typically {read_bp} bp are not short reads")
    longest = _odd(max(SMALLEST_K, min(K_MAX, int(PART_OF_READ * read_bp))))
    shortest = min(SPECIFIC_K, _odd(max(SMALLEST_K, int(FIRST_PART_OF_READ * read_bp))))
    step = min(STEP, STEP_PART_OF_READ * read_bp)
    reads = f"reads of typically {read_bp} bp"
    if estimate.peak is None:
        ks = _steps(shortest, longest, step)
        return KChoice(ks, f"k = {_listed(ks)}: {reads}, no depth that is typical of the {estimate.k}-mers")

    def deepest(most: int, least_depth: float) -> int:
        """The greatest k up to one at which k-mers are so deep, or the smallest."""
        ks = range(most, shortest, -2)
        return next((k for k in ks if estimate.depth * depth_left(k, lengths, estimate) >= least_depth), shortest)

    last = deepest(longest, LEAST_DEPTH)
    most_at_first = shortest if is_uneven else _odd(min(DEEP_FIRST_K, int(FIRST_PART_OF_READ * read_bp)))
    first = deepest(most_at_first, DEEP_FIRST_DEPTH)
    ks = _steps(first, last, step * (last - first) / max(1, last - shortest))
    left = estimate.depth * depth_left(ks[-1], lengths, estimate)
    return KChoice(ks, f"k = {_listed(ks)}: {reads}, k-mer depth {left:.0f}x at the last")


def _steps(first: int, last: int, step: float) -> tuple[int, ...]:
    """Compute odd numbers from first to last in steps of about the same size.

    The first one stays however near the last is: reads that hold few k-mers of the last do not overlap everywhere.
    """
    if last <= first:
        return (last,)
    n = max(1, round((last - first) / step))
    return (first, *(_odd(first + (last - first) * i // n) for i in range(1, n + 1)))


def _odd(k: int) -> int:
    """The number, or one less if it is even."""
    return k - 1 + k % 2
