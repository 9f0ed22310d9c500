"""Differences of the masses of a spectrum, among which those of residues are frequent."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import NoPeptideError, ParameterError
from debruijn_gpu.peptides.options import ConvolutionOptions
from debruijn_gpu.peptides.peaks import peak_masses
from debruijn_gpu.peptides.residues import Alphabet, make_alphabet
from debruijn_gpu.peptides.spectrum import MAX_UNITS, Spectrum
from debruijn_gpu.run.tuning import tuning

_MOST_DIFFERENCES = 1 << 28


def convolution(spectrum: Spectrum, options: ConvolutionOptions | None = None) -> Spectrum:
    """The positive differences of masses, with multiplicity: the spectral convolution.

    Differences within the tolerance are counted together: the one that has the most differences within the tolerance
    of it (of several, the least) takes these, then the next one takes what is left, and so on. Their mass is their
    mean, rounded. Millionths (ppm) are those of the greatest mass of the spectrum. (Without tolerance: Compeau and
    Pevzner, Bioinformatics Algorithms, chapter 4.)

    Parameters
    ----------
    spectrum : Spectrum
    options : ConvolutionOptions, optional
        Which differences; its ``top`` has no say here.
    """
    options = options or ConvolutionOptions()
    decimals = spectrum.decimals
    masses = peak_masses(spectrum, decimals)
    unit = 10**decimals
    low = max(1, options.low * unit)
    high = MAX_UNITS if options.high is None else min(options.high * unit, MAX_UNITS)
    differences, counts = _counted(masses, low, high)
    width = min(options.tolerance.units(int(masses[-1]), decimals), MAX_UNITS)
    if width:
        differences, counts = _binned(differences, counts, width)
    return Spectrum(differences, counts, decimals)


def convolution_alphabet(spectrum: Spectrum, options: ConvolutionOptions | None = None) -> Alphabet:
    """The most frequent differences, with those as frequent as the last of them.

    Raises
    ------
    NoPeptideError
        If there are none.
    """
    options = options or ConvolutionOptions()
    found = convolution(spectrum, options)
    if not len(found):
        bounds = f"{options.low} or more" if options.high is None else f"{options.low} to {options.high}"
        raise NoPeptideError(
            f"no two masses of the spectrum differ by {bounds}", "take another alphabet, such as standard or 57:200"
        )
    return make_alphabet(frequent(found, options.top).masses.tolist(), found.decimals)


def frequent(found: Spectrum, n: int) -> Spectrum:
    """The n most frequent masses, and those as frequent as the last of them: these first, equal ones by mass."""
    if not len(found):
        return found
    n = min(n, len(found))
    is_frequent = found.counts >= np.partition(found.counts, -n)[-n]
    masses, counts = found.masses[is_frequent], found.counts[is_frequent]
    order = np.lexsort((masses, -counts))
    return Spectrum(masses[order], counts[order], found.decimals)


def _counted(masses: NDArray[np.int64], low: int, high: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Compute the distinct differences from low to high, ascending, and their counts."""
    host = backends.host()
    parts = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for block in _blocks(masses, low, high):
        parts.append(host.arrays.distinct_counts_host(block))
        if sum(len(part[0]) for part in parts[1:]) > len(parts[0][0]):  # so that each is merged few times
            parts = [_merged(parts)]
    return _merged(parts)


def _blocks(masses: NDArray[np.int64], low: int, high: int) -> Iterator[NDArray[np.int64]]:
    """The differences from low to high of ascending masses, a block at a time."""
    begins = np.searchsorted(masses, masses + low)
    ends = np.searchsorted(masses, masses + high, side="right")
    before = np.append(0, np.cumsum(np.maximum(ends - begins, 0)))
    if before[-1] > _MOST_DIFFERENCES:
        raise ParameterError(
            f"the spectrum has {int(before[-1]):,} differences of masses",
            f"take up to {_MOST_DIFFERENCES:,}, those of residues (--between 57:200) say",
        )
    for first in range(0, int(before[-1]), tuning().differences_at_once):
        numbers = np.arange(first, min(first + tuning().differences_at_once, int(before[-1])))
        lesser = np.searchsorted(before, numbers, side="right") - 1
        yield masses[begins[lesser] + numbers - before[lesser]] - masses[lesser]


def _merged(parts: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct masses, ascending, and the sums of their counts."""
    masses, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = np.argsort(masses, kind="stable")
    masses, counts = masses[order], counts[order]
    is_first = np.append(True, masses[1:] != masses[:-1])[: len(masses)]
    return masses[is_first], np.add.reduceat(counts, np.flatnonzero(is_first)) if len(masses) else counts


def _binned(
    masses: NDArray[np.int64], counts: NDArray[np.int64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Masses within a width of each other, as one; see `convolution`."""
    before = np.append(0, np.cumsum(counts))
    begins = np.searchsorted(masses, masses - width)
    ends = np.searchsorted(masses, masses + width, side="right")
    n_near = before[ends] - before[begins]
    is_free = np.ones(len(masses), np.bool_)
    found = []
    for i in np.lexsort((masses, -n_near)):
        if is_free[i]:
            near = slice(begins[i], ends[i])
            chosen = is_free[near]
            n = int(counts[near][chosen].sum())
            offsets = (masses[near][chosen] - masses[i]).tolist()
            offset = sum(map(operator.mul, offsets, counts[near][chosen].tolist()))
            found.append((int(masses[i]) + round(Fraction(offset, n)), n))
            is_free[near] = False
    found.sort()
    table = np.array(found, np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()
