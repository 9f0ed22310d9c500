"""Self-organizing maps with the conventions of scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from debruijn_gpu import backends
from debruijn_gpu.binning.fixed_point import FixedPoint, Floats, fixed_point_of
from debruijn_gpu.binning.options import SomOptions
from debruijn_gpu.binning.training import distance_bytes, distance_of, train
from debruijn_gpu.binning.u_matrix import HEIGHT_BITS, heights
from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend

_NAMES = (
    "rows", "columns", "topology", "distance", "epochs", "start_radius", "end_radius", "scale", "seed", "backend",
    "threads",
)  # fmt: skip
_RUN = ("backend", "threads")
_DISTANCES_AT_ONCE = 1 << 22


class SelfOrganizingMap:
    """Self-organizing map, trained by batches on fixed-point numbers.

    The same table, parameters and seed give the same map on every machine, on CPU and GPU. The class follows the
    conventions of scikit-learn's estimators, without importing it.

    Parameters
    ----------
    rows, columns : int, default=20
        Size of the map.
    topology : {"torus", "plane"}, default="torus"
        Whether opposite sides of the map are neighbours.
    distance : {"euclidean", "taxicab"}, default="euclidean"
        Distance between vectors and units.
    epochs : int, default=50
        Number of passes over the table.
    start_radius : float, optional
        Standard deviation of the Gaussian neighbourhood in the first epoch, in units of the map; default: a quarter of
        the longer side, at least ``end_radius``.
    end_radius : float, default=1.0
        The same in the last epoch; radii in between have equal ratios.
    scale : {"none", "range", "deviation"}, default="none"
        What each column is divided by before distances are computed: nothing, its range, or its standard deviation.
    seed : int, default=0
        Chooses the rows that the units start at.
    backend : {"auto", "cpu", "cuda"}, default="auto"
        Device; changes no result.
    threads : int, default=0
        Threads of the CPU, 0 for all allowed ones; changes no result.

    Attributes
    ----------
    weights_ : ndarray, dtype=float64, shape=(rows * columns, n_features)
        Weights of the units, row by row, in the scale of the table.
    n_features_in_ : int
    labels_ : ndarray, dtype=int64, shape=(n,)
        Best matching unit of each row that the map was trained with.

    Examples
    --------
    >>> from debruijn_gpu import SelfOrganizingMap
    >>> table = [[0.0, 0.1], [0.1, 0.0], [5.0, 5.1], [5.1, 5.0]]
    >>> som = SelfOrganizingMap(rows=1, columns=4, topology="plane", end_radius=0.3).fit(table)
    >>> bool(som.labels_[0] == som.predict([[0.0, 0.1]])[0])
    True
    """

    def __init__(
        self,
        rows: int = SomOptions.rows,
        columns: int = SomOptions.columns,
        *,
        topology: str = SomOptions.topology,
        distance: str = SomOptions.distance,
        epochs: int = SomOptions.epochs,
        start_radius: float | None = SomOptions.start_radius,
        end_radius: float = SomOptions.end_radius,
        scale: str = SomOptions.scale,
        seed: int = SomOptions.seed,
        backend: str = RunOptions.backend,
        threads: int = RunOptions.threads,
    ) -> None:
        self.rows, self.columns, self.topology, self.distance = rows, columns, topology, distance
        self.epochs, self.start_radius, self.end_radius = epochs, start_radius, end_radius
        self.scale, self.seed, self.backend, self.threads = scale, seed, backend, threads

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; ``deep`` has no effect."""
        return {name: getattr(self, name) for name in _NAMES}

    def set_params(self, **params: Any) -> SelfOrganizingMap:
        """Set parameters by name; return the map.

        Raises
        ------
        UsageError
            For a name that is no parameter.
        """
        for name, value in params.items():
            if name not in _NAMES:
                raise UsageError(f"{name}: no parameter of a map", f"choose from {', '.join(_NAMES)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"SelfOrganizingMap({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def fit(self, X: ArrayLike, y: object = None) -> SelfOrganizingMap:  # noqa: N803 - the name of scikit-learn
        """Train the map with the rows of a table.

        Parameters
        ----------
        X : array_like of float, shape=(n, n_features)
            Finite numbers, at least one row and one column.
        y : object
            Not used.

        Raises
        ------
        ParameterError
            If the table is empty or not of finite numbers.
        UsageError, OptionValueError
            For a parameter out of range.
        """
        table, options = _checked(X), self._options()
        backend = self._load(len(table))
        self._fixed: FixedPoint = fixed_point_of(table, self.scale)
        vectors = self._fixed.encode(table)
        self._weights: NDArray[np.int32] = train(vectors, self._fixed.bits, options, backend)
        self.n_features_in_ = table.shape[1]
        self.weights_ = self._fixed.decode(self._weights)
        self.labels_ = self._match(vectors, backend)[0]
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:  # noqa: N803
        """Return the best matching unit of each row, shape=(n,): row * columns + column, the first of equal ones.

        Values beyond the range of the training are taken for its ends.
        """
        return self.match(X)[0]

    def fit_predict(self, X: ArrayLike, y: object = None) -> NDArray[np.int64]:  # noqa: N803
        """Train the map, and return the best matching unit of each row; see `fit` and `predict`."""
        return self.fit(X).labels_

    def match(self, X: ArrayLike) -> tuple[NDArray[np.int64], Floats]:  # noqa: N803
        """Return the best matching unit of each row, and the distance to it, both of shape=(n,); see `predict`."""
        vectors = self._encoded(X)
        units, distances = self._match(vectors, self._load(len(vectors)))
        return units, self._lengths(distances)

    def transform(self, X: ArrayLike) -> Floats:  # noqa: N803
        """Compute the distance of each row to each unit, shape=(n, rows * columns)."""
        vectors, wide = self._encoded(X).astype(np.float64), self._weights.astype(np.float64)
        found = np.empty((len(vectors), len(wide)), np.float64)
        for start, block in _blocks(vectors, wide.size):
            found[start : start + len(block)] = self._lengths(self._all_distances(block, wide))
        return found

    def fit_transform(self, X: ArrayLike, y: object = None) -> Floats:  # noqa: N803
        """Train the map, and compute the distance of each row to each unit; see `fit` and `transform`."""
        return self.fit(X).transform(X)

    def quantization_error(self, X: ArrayLike) -> float:  # noqa: N803
        """Compute the mean distance of the rows to their best matching units."""
        distances = self.match(X)[1]
        return math.fsum(distances.tolist()) / len(distances)

    def score(self, X: ArrayLike, y: object = None) -> float:  # noqa: N803
        """Return the negative quantization error, which is greater for a better map."""
        return -self.quantization_error(X)

    def u_matrix(self) -> Floats:
        """Compute the mean distance of each unit to the units above, below, left and right, shape=(rows, columns)."""
        self._check_fitted()
        found = heights(self._weights, self._options()) * (self._fixed.unit / (1 << HEIGHT_BITS))
        return np.asarray(found, np.float64)

    def _options(self) -> SomOptions:
        return SomOptions(**{name: value for name, value in self.get_params().items() if name not in _RUN})

    def _load(self, n: int) -> Backend:
        run = RunOptions(backend=self.backend, threads=self.threads)
        return backends.load_arrays(run, "som", distance_bytes(n, self._options()))

    def _check_fitted(self) -> None:
        if not hasattr(self, "_weights"):
            raise UsageError("the map is not trained", "call fit first")

    def _encoded(self, X: ArrayLike) -> NDArray[np.int32]:  # noqa: N803
        self._check_fitted()
        table = _checked(X)
        if table.shape[1] != self.n_features_in_:
            raise ParameterError(
                f"the map was trained with {self.n_features_in_} columns, and the table has {table.shape[1]}",
                "give a table of the same columns",
            )
        return self._fixed.encode(table)

    def _match(self, vectors: NDArray[np.int32], backend: Backend) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        on_device = backend.to_device(vectors), backend.to_device(self._weights)
        units, distances = backend.vectors.best_matching_units(*on_device, distance_of(self._options()))
        return backend.to_host(units).astype(np.int64), backend.to_host(distances)

    def _lengths(self, distances: NDArray[np.int64]) -> Floats:
        """Distances in the scale of the table, of those of integers, which are squared if Euclidean."""
        wide = distances.astype(np.float64)
        return (np.sqrt(wide) if self.distance == "euclidean" else wide) * self._fixed.unit

    def _all_distances(self, vectors: Floats, weights: Floats) -> NDArray[np.int64]:
        """Distances of vectors to all units; floats hold the integers and their sums exactly."""
        if self.distance == "euclidean":
            products = vectors @ weights.T
            found = (vectors * vectors).sum(axis=1)[:, None] - 2 * products + (weights * weights).sum(axis=1)
        else:
            found = sum(np.abs(x[:, None] - w) for x, w in zip(vectors.T, weights.T, strict=True))
        return np.asarray(found, np.int64)


def _checked(X: ArrayLike) -> Floats:  # noqa: N803
    """Return a table of finite floats with at least one row and one column."""
    try:
        table = np.ascontiguousarray(X, np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"expected a table of numbers: {error}", "give rows of numbers, all of one length"
        ) from None
    if table.ndim != 2 or 0 in table.shape:
        raise ParameterError(
            f"expected a table of at least one row and one column, got the shape {table.shape}",
            "give two dimensions: vectors and their components",
        )
    odd = np.flatnonzero(~np.isfinite(table).all(axis=1))
    if len(odd):
        raise ParameterError(f"row {odd[0] + 1:,} holds NaN or infinity", "give finite numbers, or leave the row out")
    return table


def _blocks(vectors: Floats, n_components: int) -> Iterator[tuple[int, Floats]]:
    """Blocks of vectors with their first row, so that few distances are computed at once."""
    size = max(1, _DISTANCES_AT_ONCE // max(1, n_components))
    for start in range(0, len(vectors), size):
        yield start, vectors[start : start + size]
