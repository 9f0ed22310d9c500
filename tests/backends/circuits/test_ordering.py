"""Numbers in ascending order, with those left out that do not count, by each way of ordering them."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.run.tuning import tuned

pytestmark = pytest.mark.cuda

WAYS = {
    "compared": {},
    "marked": {"compared_numbers": 0},
    "sorted": {"compared_numbers": 0, "marked_numbers": 0},
    "sorted in pairs": {"compared_numbers": 0, "marked_numbers": 0, "packed_key_bits": 1},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("bound", "n", "n_others"), [(1, 1, 0), (5, 0, 3), (300, 40, 0), (1000, 30, 20), (256, 60, 1), (20_000, 60, 5)]
)
def test_numbers_in_order(cuda, way, bound, n, n_others):
    from debruijn_gpu.backends.circuits.cuda.ordering import ordered

    rng = np.random.default_rng(bound)
    numbers = np.full(n + n_others, 2**63 - 1)
    numbers[np.sort(rng.permutation(n + n_others)[:n])] = rng.permutation(bound)[:n]
    with tuned(**WAYS[way]):
        ascending, order, place_of = map(cuda.to_host, ordered(cuda.to_device(numbers), bound, n))
    counted = np.flatnonzero(numbers < bound)
    assert ascending.tolist() == np.sort(numbers[counted]).tolist()
    assert order.tolist() == counted[np.argsort(numbers[counted])].tolist()
    assert place_of[order].tolist() == list(range(n))
