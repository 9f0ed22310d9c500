"""The class of maps, as users of scikit-learn call it."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import SelfOrganizingMap
from debruijn_gpu.errors import ParameterError, UsageError

DISTANCES = ["euclidean", "taxicab"]


@pytest.fixture(scope="module")
def clouds():
    """Four clouds of points, one behind another."""
    random = np.random.default_rng(1)
    centers = np.array([[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    return np.concatenate([random.normal(center, 0.3, (100, 3)) for center in centers])


@pytest.mark.parametrize("topology", ["torus", "plane"])
@pytest.mark.parametrize("distance", DISTANCES)
def test_clouds_share_no_unit(clouds, distance, topology):
    som = SelfOrganizingMap(8, 8, distance=distance, topology=topology, epochs=20).fit(clouds)
    units = [set(som.labels_[start : start + 100].tolist()) for start in range(0, 400, 100)]
    assert all(not (a & b) for i, a in enumerate(units) for b in units[:i])
    assert som.quantization_error(clouds) < 0.6


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("scale", ["none", "range", "deviation"])
def test_predicted_unit_is_the_nearest_of_transform(clouds, distance, scale):
    som = SelfOrganizingMap(4, 5, distance=distance, scale=scale, epochs=5)
    distances = som.fit_transform(clouds)
    assert distances.shape == (400, 20)
    assert distances.argmin(axis=1).tolist() == som.predict(clouds).tolist() == som.labels_.tolist()
    assert distances.min(axis=1).tolist() == som.match(clouds)[1].tolist()
    assert som.quantization_error(clouds) == pytest.approx(distances.min(axis=1).mean()) == -som.score(clouds)


@pytest.mark.parametrize("distance", DISTANCES)
def test_distances_are_those_of_the_weights(clouds, distance):
    som = SelfOrganizingMap(3, 3, distance=distance, epochs=5).fit(clouds)
    gaps = np.abs(clouds[:, None] - som.weights_[None])
    expected = np.sqrt((gaps**2).sum(axis=2)) if distance == "euclidean" else gaps.sum(axis=2)
    assert np.abs(som.transform(clouds) - expected).max() < 1e-4


def test_fit_predict_is_fit_and_predict(clouds):
    som = SelfOrganizingMap(3, 3, epochs=5)
    assert som.fit_predict(clouds).tolist() == som.labels_.tolist()
    assert som.n_features_in_ == 3
    assert som.weights_.shape == (9, 3)
    assert som.u_matrix().shape == (3, 3)


def test_seeds_change_the_map_and_nothing_else_does(clouds):
    maps = [SelfOrganizingMap(4, 4, epochs=3, **more).fit(clouds).weights_.tobytes() for more in (
        {}, {"threads": 1}, {"threads": 2}, {"backend": "cpu"}, {"seed": 1}
    )]  # fmt: skip
    assert len(set(maps[:4])) == 1
    assert maps[4] != maps[0]


def test_parameters_are_those_of_scikit_learn():
    som = SelfOrganizingMap(5, 6, seed=3)
    clone = type(som)(**som.get_params())
    assert clone.get_params() == som.get_params()
    assert som.set_params(rows=2, distance="taxicab") is som
    assert (som.rows, som.distance) == (2, "taxicab")
    assert "rows=2" in repr(som)
    with pytest.raises(UsageError, match="width: no parameter"):
        som.set_params(width=3)


def test_error_shrinks_with_more_units(clouds):
    errors = [SelfOrganizingMap(n, n, epochs=10).fit(clouds).quantization_error(clouds) for n in (1, 3, 9)]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (2, 2)])
def test_maps_of_any_shape_train(shape, clouds):
    som = SelfOrganizingMap(*shape, epochs=2).fit(clouds[:1])
    assert som.quantization_error(clouds[:1]) == pytest.approx(0, abs=1e-5)
    assert not som.u_matrix().any()


@pytest.mark.parametrize(
    "table", [[], [[]], [1.0, 2.0], [[1.0], [np.nan]], [[np.inf]], [["a"]], [[1.0], [1.0, 2.0]], np.zeros((2, 0))]
)
def test_tables_that_are_none_are_errors(table):
    with pytest.raises(ParameterError):
        SelfOrganizingMap().fit(table)


def test_use_before_training_and_other_columns_are_errors(clouds):
    with pytest.raises(UsageError, match="not trained"):
        SelfOrganizingMap().predict(clouds)
    with pytest.raises(UsageError, match="not trained"):
        SelfOrganizingMap().u_matrix()
    with pytest.raises(ParameterError, match="trained with 3 columns"):
        SelfOrganizingMap(2, 2, epochs=1).fit(clouds).predict(clouds[:, :2])
