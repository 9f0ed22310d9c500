"""Theoretical spectra: the masses of all subpeptides.

A cyclic peptide of n residues has n (n - 1) subpeptides besides none and all, a linear one n (n + 1) / 2 - 1.

Masses are counted, one counter each, where there are at most `COUNTERS` counters for each subpeptide that is looked
for, else sorted. A Fourier transform, with some two elements for each unit of the total, counts them where subpeptides
are more than `Tuning.transformed_subpeptides` for each element.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.backends.spectra.protocol import COUNTABLE, Ladder, mass_ranges
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.peptides.fixed_point import of_units
from debruijn_gpu.peptides.peptide import Peptide
from debruijn_gpu.peptides.spectrum import Spectrum
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import SpectrumBackend

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
