"""Train a map of fixed-point vectors by batches; see Kohonen, Self-Organizing Maps (2001), section 3.6.

Every step computes with integers, so that each backend, thread and block gives the same map.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.random_words import random_words
from debruijn_gpu.backends.core.scalars import mix
from debruijn_gpu.backends.vectors.protocol import NEIGHBOUR_BITS, SMOOTHED_BITS, Distance
from debruijn_gpu.binning.neighbourhoods import neighbourhood, radii
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import VectorBackend
    from debruijn_gpu.binning.options import SomOptions


def train(vectors: NDArray[np.int32], bits: int, options: SomOptions, backend: VectorBackend) -> NDArray[np.int32]:
    """Train the weights of a map: in each epoch, every unit moves to the mean of its neighbourhood's vectors.

    Parameters
    ----------
    vectors : ndarray, dtype=int32, shape=(n, d)
        At least one.
    bits : int
        Bits of the magnitude of a component.
    options : SomOptions
    backend : VectorBackend

    Returns
    -------
    ndarray, dtype=int32, shape=(n_units, d)
        Weights of the units, row by row.
    """
    shift = _intermediate_shift(len(vectors), bits)
    weights = backend.to_device(sample_of(vectors, options.n_units, options.seed))
    on_device = backend.to_device(vectors)
    with log.stage("train map", options.epochs, "epochs") as stage:
        for epoch, radius in enumerate(radii(options)):
            stage.progress(epoch, options.epochs)
            units, _distances = backend.vectors.best_matching_units(on_device, weights, distance_of(options))
            sums = backend.vectors.sum_by_unit(on_device, units, options.n_units, 1 << bits)
            for shape, table, fraction in _axes(options, vectors.shape[1] + 1, radius, shift):
                sums = backend.vectors.smooth(sums, shape, backend.to_device(table), options.is_torus, fraction)
            least = 1 << (NEIGHBOUR_BITS - shift)
            weights = backend.vectors.move_weights(sums, weights, bits, least)
    return np.asarray(backend.to_host(weights))


def sample_of(vectors: NDArray[np.int32], n: int, seed: int) -> NDArray[np.int32]:
    """Draw n vectors, with repeats, by a hash of seed and number."""
    with np.errstate(over="ignore"):
        keys = mix(np.arange(n, dtype=np.uint64) ^ random_words(seed, "units")[0])
    return np.ascontiguousarray(vectors[(keys % np.uint64(len(vectors))).astype(np.int64)])


def _intermediate_shift(n: int, bits: int) -> int:
    """Fractional bits to drop between the two axes, so that sums stay below 2^SMOOTHED_BITS."""
    left = SMOOTHED_BITS - NEIGHBOUR_BITS - bits - (n - 1).bit_length()
    if left < 0:
        raise ParameterError(
            f"{n:,} vectors are more than a map can be trained with", "train with a sample, and predict the others"
        )
    return max(0, NEIGHBOUR_BITS - left)


def _axes(
    options: SomOptions, width: int, radius: Decimal, shift: int
) -> Iterator[tuple[tuple[int, int, int], NDArray[np.int64], int]]:
    """Shape, weights by distance and dropped bits of the convolutions along the rows and the columns of the map."""
    rows, columns = options.rows, options.columns
    for shape, dropped in (((1, rows, columns * width), shift), ((rows, columns, width), 0)):
        farthest = shape[1] // 2 if options.is_torus else shape[1] - 1
        yield shape, neighbourhood(radius, farthest + 1), dropped


def distance_of(options: SomOptions) -> Distance:
    """Return the distance of the options, as backends call it."""
    return "taxicab" if options.distance == "taxicab" else "euclidean"


def distance_bytes(n: int, options: SomOptions) -> int:
    """Return the bytes of all distances between n vectors and the units, by which `auto` chooses the backend."""
    return 8 * n * options.n_units
