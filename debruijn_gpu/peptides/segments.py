"""Process spectra in segments of ascending masses, in NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.peptides.spectrum import Spectrum
from debruijn_gpu.run.tuning import tuning


class SpectrumSegments:
    """Segments of a spectrum, computed anew in each iteration, so that only one is in memory.

    Parameters
    ----------
    make : callable
        Makes them.
    """

    def __init__(self, make: Callable[[], Iterator[Spectrum]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Spectrum]:
        return self._make()


def concatenated(segments: Iterable[Spectrum]) -> Spectrum:
    """Concatenate the parts of a spectrum, at least one."""
    kept = list(segments)
    if len(kept) == 1:
        return kept[0]
    masses, counts = (np.concatenate([getattr(segment, name) for segment in kept]) for name in ("masses", "counts"))
    return Spectrum(masses, counts, kept[0].decimals)


def most_frequent(segments: Iterable[Spectrum], n: int) -> Spectrum:
    """The n masses with the greatest counts, these first, equal ones by mass; or all, if there are fewer."""
    best: Spectrum | None = None
    for segment in segments:
        step = max(n, tuning().masses_at_once)
        for begin in range(0, len(segment), step):
            part = _chosen(segment, slice(begin, begin + step))
            if best is not None and len(best) == n:  # of equal counts the earlier, lesser mass stays
                part = _chosen(part, part.counts > best.counts[-1])
            both = part if best is None else concatenated((best, part))
            best = _chosen(both, np.lexsort((both.masses, -both.counts))[:n])
    assert best is not None, "a spectrum has 0 at least"
    return best


def _chosen(spectrum: Spectrum, which: slice | NDArray[np.bool_] | NDArray[np.int64]) -> Spectrum:
    return Spectrum(spectrum.masses[which], spectrum.counts[which], spectrum.decimals)
