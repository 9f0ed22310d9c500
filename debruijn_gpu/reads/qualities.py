"""Qualities and substitutions of simulated reads, and their text as FASTQ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


def padded_names(names: Sequence[str]) -> NDArray[np.uint8]:
    """Names as rows of UTF-8, filled up with 0."""
    encoded = np.array([name.encode() for name in names], dtype=np.bytes_)
    return encoded.view(np.uint8).reshape(len(names), -1)


def numbered_names(names: NDArray[np.uint8], numbers: NDArray[np.int64], n_digits: int) -> list[NDArray[np.uint8]]:
    """Columns of names ``<name>_<number>``, one read per row; bytes that are 0 are no part of a name.

    Parameters
    ----------
    names : ndarray, dtype=uint8, shape=(n, width)
        Filled up with 0.
    numbers : ndarray, dtype=int64, shape=(n,)
    n_digits : int
        Digits of the largest number.
    """
    return [names, constant(b"_", len(names)), decimal(numbers, n_digits)]


def fastq_text(
    names: Sequence[NDArray[np.uint8]], suffix: bytes, bases: NDArray[np.uint8], qualities: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """Records of FASTQ, one per row; bytes that are 0 are no part of the text.

    Parameters
    ----------
    names : sequence of ndarray, dtype=uint8, shape=(n, width)
        Columns of the names.
    suffix : bytes
        End of each name.
    bases, qualities : ndarray, dtype=uint8, shape=(n, length)
        ASCII.
    """
    n = len(bases)
    columns = (
        constant(b"@", n),
        *names,
        constant(suffix + b"\n", n),
        bases,
        constant(b"\n+\n", n),
        qualities,
        constant(b"\n", n),
    )
    return np.concatenate(columns, axis=1)


def constant(text: bytes, n: int) -> NDArray[np.uint8]:
    """Return a column of n times the same text."""
    return np.broadcast_to(np.frombuffer(text, dtype=np.uint8), (n, len(text)))


def decimal(numbers: NDArray[np.int64], n_digits: int) -> NDArray[np.uint8]:
    """Return a column of decimal numbers, with 0 bytes for leading zeros."""
    powers = 10 ** np.arange(n_digits - 1, -1, -1)
    digits = (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)
    digits[:, :-1][numbers[:, None] < powers[:-1]] = 0
    return digits


#: Phred values of the bins, best first, and the probability of an error that each stands for.
PHRED = (37, 25, 11, 2)
ERROR_PROBABILITY = (Fraction(2, 10_000), Fraction(32, 10_000), Fraction(794, 10_000), Fraction(631, 1000))

#: Shares of the bins in ever worse bases; in between, neighbouring rows are mixed.
_TENTHS = ((10, 0, 0, 0), (6, 3, 1, 0), (0, 0, 10, 0), (0, 0, 0, 10))
_MIXTURES = [tuple(Fraction(tenths, 10) for tenths in row) for row in _TENTHS]
_MEAN_ERROR = [
    sum((share * p for share, p in zip(row, ERROR_PROBABILITY, strict=True)), Fraction(0)) for row in _MIXTURES
]

N_BINS = len(PHRED)
_CHOICES = 1 << 16
_CERTAIN = 1 << 32


@dataclass(frozen=True)
class QualityModel:
    """Limits to which random numbers are compared.

    Attributes
    ----------
    bin_limits : ndarray, dtype=uint32, shape=(N_BINS - 1, length)
        The bin of a base is the number of limits at its position that 16 random bits reach.
    error_limits : ndarray, dtype=uint64, shape=(length * N_BINS,)
        Entry position * N_BINS + bin: the base is wrong if 32 random bits stay below it.
    """

    bin_limits: NDArray[np.uint32]
    error_limits: NDArray[np.uint64]


def quality_model(length_bp: int, sub_rate: float, indel_rate: float = 0.0) -> QualityModel:
    """Tables for reads of a length and a mean rate of substitutions, which leaves room for indels at each base."""
    most = max(1 - Fraction(indel_rate), Fraction(sub_rate))
    rates = error_rates(length_bp, sub_rate, most)
    limits = np.empty((length_bp, N_BINS - 1), dtype=np.uint32)
    errors = np.empty((length_bp, N_BINS), dtype=np.uint64)
    for position, rate in enumerate(rates):
        shares, scale = _shares(rate)
        limits[position] = [int(sum(shares[: b + 1]) * _CHOICES) for b in range(N_BINS - 1)]
        wrong = [min(p * scale, Fraction(1)) for p in ERROR_PROBABILITY]
        if any(share and p > most for share, p in zip(shares, wrong, strict=True)):  # no room for indels in a bin
            wrong = [rate] * N_BINS
        errors[position] = [int(p * _CERTAIN) for p in wrong]
    return QualityModel(np.ascontiguousarray(limits.T), errors.ravel())


def error_rates(length_bp: int, mean_rate: float, most: Fraction = Fraction(1)) -> list[Fraction]:
    """Rate at each position, ``1 + 3 x^2`` up to a factor, x from 0 to 1; where that is more than ``most``, this.

    The factor is such that their mean is the mean rate, which is ``most`` or less.
    """
    shape = [1 + 3 * Fraction(2 * i + 1, 2 * length_bp) ** 2 for i in range(length_bp)]
    wanted, rest = Fraction(mean_rate) * length_bp, sum(shape)
    for n_below in range(length_bp, 0, -1):  # positions at the start of the read whose rates are below `most`
        factor = (wanted - most * (length_bp - n_below)) / rest
        if factor * shape[n_below - 1] <= most:
            return [factor * value for value in shape[:n_below]] + [most] * (length_bp - n_below)
        rest -= shape[n_below - 1]
    return [most] * length_bp


def _shares(rate: Fraction) -> tuple[tuple[Fraction, ...], Fraction]:
    """Shares of the bins that make a rate, and the factor that is lacking beyond the best and worst bin."""
    if rate <= _MEAN_ERROR[0]:
        return _MIXTURES[0], rate / _MEAN_ERROR[0]
    for low in range(len(_MIXTURES) - 1):
        if rate <= _MEAN_ERROR[low + 1]:
            t = (rate - _MEAN_ERROR[low]) / (_MEAN_ERROR[low + 1] - _MEAN_ERROR[low])
            better, worse = _MIXTURES[low], _MIXTURES[low + 1]
            return tuple(b + t * (w - b) for b, w in zip(better, worse, strict=True)), Fraction(1)
    return _MIXTURES[-1], rate / _MEAN_ERROR[-1]
