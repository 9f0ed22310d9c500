"""Theoretical mass spectra: the masses of all subpeptides, in segments of ascending masses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.spectra.protocol import COUNTABLE, Ladder, mass_ranges
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.peptides.spectrum import Peptide, Spectrum, of_units
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import SpectrumBackend


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


_GREATEST = np.iinfo(np.int64).max


def least_rotations(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lexicographically least rotation of each row; (n_rows, n), n at least 1."""
    n = rows.shape[1]
    places = np.arange(n)
    is_least = np.ones(rows.shape, np.bool_)  # whether the rotation that begins there may be
    for step in range(n):
        ahead = rows[:, (places + step) % n]
        least = np.where(is_least, ahead, _GREATEST).min(axis=1, keepdims=True)
        is_least &= ahead == least
    starts = is_least.argmax(axis=1)
    return np.take_along_axis(rows, (starts[:, None] + places) % n, axis=1)


def canonical(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least of the rotations of each row and of its reversal; (n_rows, n), n at least 1."""
    forward, backward = least_rotations(rows), least_rotations(rows[:, ::-1])
    first = (forward != backward).argmax(axis=1)[:, None]
    is_less = np.take_along_axis(backward, first, axis=1) < np.take_along_axis(forward, first, axis=1)
    return np.where(is_less, backward, forward)


def distinct_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct rows in lexicographic order."""
    ordered = rows[np.lexsort(rows.T[::-1])]
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[is_new]


#: Counters for each subpeptide, up to which counting takes less time than sorting.
COUNTERS = 4
_MOST_TOTAL = 1 << 61
_COUNTER_BYTES, _TRANSFORM_BYTES = 8, 32
_MASS_BYTES = 16  # and its count
_SEGMENT_BYTES = 64  # for each mass, while a segment is computed on a GPU


def count_subpeptides(n: int, linear: bool = False) -> int:
    """Number of masses of the spectrum of n residues, with multiplicity: with 0 and the total."""
    return n * (n + 1) // 2 + 1 if linear else n * (n - 1) + 2


def make_ladder(peptide: Peptide, backend: SpectrumBackend, linear: bool = False) -> Ladder:
    """The prefix sums of a peptide.

    Raises
    ------
    ParameterError
        If the masses are too large for 64 bits.
    """
    n, total = len(peptide), sum(peptide.masses.tolist())
    if total >= _MOST_TOTAL:
        what = f"the masses sum up to {of_units('2^61', peptide.decimals)} or more"
        raise ParameterError(what, "give smaller masses, or fewer decimals")
    positions = np.zeros(n + 1 if linear else 2 * n, np.int64)
    np.cumsum(peptide.masses if linear else np.tile(peptide.masses, 2)[:-1], out=positions[1:])
    return Ladder(backend.to_device(positions), n + 1 if linear else n, total, not linear)


def spectrum(peptide: Peptide, backend: SpectrumBackend, linear: bool = False, memory: int | None = None) -> Spectrum:
    """The masses of all subpeptides, with 0 and the total.

    Parameters
    ----------
    peptide : Peptide
    backend : SpectrumBackend
        Where the arrays of the spectrum are.
    linear : bool
        Whether the peptide is linear, not cyclic.
    memory : int, optional
        Bytes that may be taken. A GPU says itself what it has.

    Raises
    ------
    ParameterError
        If the masses are too large for 64 bits.
    OutOfMemoryError
        If the spectrum does not fit; `spectrum_segments` needs little memory.
    """
    ladder = make_ladder(peptide, backend, linear)
    n_found = int(backend.spectra.count_below(ladder, np.array([ladder.last + 1]))[0])
    if _is_counted(ladder, ladder.last, n_found):
        _check_memory(_MASS_BYTES * 3 * min(n_found, ladder.last) + _COUNTER_BYTES * ladder.last, memory)
        masses, counts = backend.spectra.complete_spectrum(*_counted(ladder, n_found, backend, memory), ladder)
    else:
        _check_memory((_COUNTER_BYTES + 2 * _MASS_BYTES) * n_found, memory)
        masses, counts = backend.spectra.sort_spectrum(ladder)
    return Spectrum(masses, counts, peptide.decimals)


def _is_counted(ladder: Ladder, n_counters: int, n_found: int) -> bool:
    """The rule."""
    return ladder.total < COUNTABLE and n_counters <= COUNTERS * n_found


def _counted(ladder: Ladder, n_found: int, backend: SpectrumBackend, memory: int | None) -> tuple[Array, Array]:
    """Compute the masses of 1..ladder.last and their multiplicities."""
    if n_found > tuning().transformed_subpeptides * 2 * ladder.total:
        fits = memory is None or _TRANSFORM_BYTES * ladder.transform_length <= memory
        found = backend.spectra.correlate_masses(ladder) if fits else None
        if found is not None:
            return found
    return backend.spectra.count_masses(ladder, 1, ladder.last + 1)


def _check_memory(n_bytes: int, memory: int | None) -> None:
    if memory is not None and n_bytes > memory:
        raise OutOfMemoryError(
            f"Out of memory: the spectrum takes {format_bytes(n_bytes)}, and {format_bytes(memory)} are allowed",
            "allow more (-m), or give masses with fewer decimals",
        )


def spectrum_segments(
    peptide: Peptide, backend: SpectrumBackend, linear: bool = False, memory: int = 1 << 30
) -> Iterator[Spectrum]:
    """Compute the same spectrum in parts of ascending masses, each in about ``memory`` bytes.

    Masses beyond half of the total of a cyclic peptide are computed again, not by complement: twice the work of
    `spectrum`.
    """
    ladder = make_ladder(peptide, backend, linear)
    yield _end(0, peptide, backend)
    if _is_counted(ladder, ladder.total, count_subpeptides(len(peptide), linear)):
        # as many counters as fit into memory; a counter may count any number of subpeptides
        width = max(1, memory // (_COUNTER_BYTES + 3 * _MASS_BYTES))
        for low in range(1, ladder.total, width):
            masses, counts = backend.spectra.count_masses(ladder, low, min(low + width, ladder.total))
            if len(masses):
                yield Spectrum(masses, counts, peptide.decimals)
    else:
        yield from _segments_by_size(ladder, peptide.decimals, backend, max(1, memory // _SEGMENT_BYTES))
    yield _end(ladder.total, peptide, backend)


def _segments_by_size(ladder: Ladder, decimals: int, backend: SpectrumBackend, capacity: int) -> Iterator[Spectrum]:
    """Compute masses between 0 and the total, in segments of at most ``capacity`` subpeptides or of one mass."""
    edges, ends = mass_ranges(lambda edges: backend.spectra.count_below(ladder, edges), 1, ladder.total, capacity)
    first = 0
    for last in range(1, len(edges)):  # neighbours with few masses are one segment
        if last + 1 < len(edges) and ends[last + 1] - ends[first] <= capacity:
            continue
        n_found, low, high = int(ends[last] - ends[first]), int(edges[first]), int(edges[last])
        if n_found:
            is_counted = _is_counted(ladder, high - low, n_found)
            make = backend.spectra.count_masses if is_counted else backend.spectra.sort_masses
            yield Spectrum(*make(ladder, low, high), decimals)
        first = last


def _end(mass: int, peptide: Peptide, backend: SpectrumBackend) -> Spectrum:
    """The mass of none or all of the residues."""
    return Spectrum(backend.to_device(np.array([mass])), backend.to_device(np.ones(1, np.int64)), peptide.decimals)
