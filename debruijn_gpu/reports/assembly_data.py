"""Data of charts of assemblies, thinned where points cannot be told apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly_dir.reading import ContigTable
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate, estimate
from debruijn_gpu.kmers.spectrum_model import SpectrumModel, fit

#: Points of a curve, and contigs in a scatter plot, at most
MOST_POINTS, MOST_CONTIGS = 1500, 5000
#: Longer names are shortened, and more so where all names of a chart together take more bytes.
LONGEST_NAME, MOST_NAME_BYTES = 200, 400_000
_MOST_BYTES, _LEAST_NAME = 12, 12  # of a letter in JSON; of letters that still say something
#: The spectrum is drawn up to this multiple of the depth; without a peak, up to twice the multiplicity that has this
#: share of the k-mers below it.
SPECTRUM_DEPTHS, SPECTRUM_SHARE = 12, 0.999


def short_names(names: Sequence[str]) -> list[str]:
    """Shorten long names to their beginning and end, which distinguish names more often than the middle."""
    longest = LONGEST_NAME
    found = [_shortened(name, longest) for name in names]
    while sum(map(len, found)) * _MOST_BYTES > MOST_NAME_BYTES and longest > _LEAST_NAME:
        if len(json.dumps(found)) <= MOST_NAME_BYTES:
            break
        longest //= 2
        found = [_shortened(name, longest) for name in names]
    return found


def _shortened(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest // 2]}…{name[len(name) - (longest - 1) // 2 :]}"


def thinned(n: int, most: int = MOST_POINTS) -> NDArray[np.int64]:
    """Some of the places 0..n - 1, both ends among them: all small ones, and fewer and fewer of the others."""
    if n <= most:
        return np.arange(n)
    half = most // 2
    steps = np.geomspace(half, n - 1, most - half).astype(np.int64)
    return np.array(sorted({*range(half), *steps.tolist(), n - 1}))


def significant(values: NDArray[Any], digits: int = 4) -> list[float | int | None]:
    """Numbers rounded to some digits, as short as JSON can have them; None where there is none."""
    return [_short(value, digits) for value in np.asarray(values, np.float64).tolist()]


def _short(value: float, digits: int) -> float | int | None:
    if not np.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() else rounded


def cumulative_curve(contigs: ContigTable, most: int = MOST_POINTS) -> dict[str, Any]:
    """Bases in the longest 0, 1, 2, ... contigs."""
    sums = np.concatenate([[0], np.cumsum(contigs.lengths[contigs.order])])
    kept = thinned(len(sums), most)
    return {"x": kept.tolist(), "y": sums[kept].tolist()}


def nx_curve(contigs: ContigTable, most: int = MOST_POINTS) -> dict[str, Any]:
    """For each share x of all bases the length of the contig at which the longest ones reach it."""
    lengths = contigs.lengths[contigs.order]
    total = max(1, int(lengths.sum()))
    kept = thinned(len(lengths), most)
    shares = 100 * np.cumsum(lengths)[kept] / total
    return {"x": significant(np.concatenate([[0.0], shares]), 6), "y": [*lengths[:1].tolist(), *lengths[kept].tolist()]}


def contig_points(contigs: ContigTable) -> dict[str, Any]:
    """Collect name, length, composition and depth of the longest contigs."""
    kept = contigs.order[:MOST_CONTIGS]
    return {
        "names": short_names([contigs.names[i] for i in kept.tolist()]),
        "lengths": contigs.lengths[kept].tolist(),
        "gc": significant(contigs.gc_percent[kept]),
        "depth": significant(contigs.kmer_depth[kept]),
        "circular": contigs.circular[kept].astype(int).tolist(),
        "n_left_out": len(contigs) - len(kept),
    }


def spectrum_curves(spectrum: Spectrum, most: int = MOST_POINTS) -> dict[str, Any] | None:
    """Counted k-mers with the fitted parts; None of an empty spectrum."""
    if not spectrum.n_distinct:
        return None
    found = estimate(spectrum)
    model = fit(spectrum, found)
    x = _shown_multiplicity(spectrum, found, most)
    counted = np.zeros(len(x), np.int64)
    at = np.searchsorted(spectrum.multiplicity, x)
    there = at < len(spectrum.multiplicity)
    there[there] = spectrum.multiplicity[at[there]] == x[there]
    counted[there] = spectrum.frequency[at[there]]
    return {
        "x": x.tolist(),
        "counted": counted.tolist(),
        "errors": _at(model, model.errors, x),
        "peaks": [{"copies": copies, "y": _at(model, frequency, x)} for copies, frequency in model.peaks],
        "total": _at(model, model.total, x),
        "depth": model.depth,
        "low_depth": model.low_depth or None,
        "n_beyond": spectrum.distinct_from(int(x[-1]) + 1),
        "last": int(spectrum.multiplicity[-1]),
    }


def _shown_multiplicity(spectrum: Spectrum, found: SpectrumEstimate, most: int) -> NDArray[np.int64]:
    """Those to draw, all small ones and fewer of the others."""
    if found.peak is not None:
        end = SPECTRUM_DEPTHS * found.peak
    else:
        share = np.cumsum(spectrum.frequency) / spectrum.n_distinct
        end = 2 * float(spectrum.multiplicity[np.searchsorted(share, SPECTRUM_SHARE)])
    end = int(min(max(end, 20), max(int(spectrum.multiplicity[-1]), 20)))
    return 1 + thinned(end, most)


def _at(model: SpectrumModel, values: NDArray[np.float64], x: NDArray[np.int64]) -> list[float | int | None]:
    """Evaluate part of a model; None where there would be less than a tenth of a k-mer."""
    if model.depth is None:
        return []
    drawn = np.interp(x, model.multiplicity, values, right=0.0)
    return significant(np.where(drawn >= 0.1, drawn, 0.0))
