"""Graphs whose arrays are on the device read and turn as those on the host do."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.graph.build import graph_from_edges, with_both_directions
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import TextNames

pytestmark = pytest.mark.gpu

N_VERTICES, N_EDGES = 1000, 50_000


def parts(graph: Graph) -> list[list[float]]:
    host = graph.on_host()
    arrays = [host.row_ptr, host.col, *([] if host.weights is None else [host.weights])]
    return [array.tolist() for array in arrays]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_on_the_device(cuda, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    tails, heads = rng.integers(0, N_VERTICES, (2, N_EDGES))
    weights = rng.random(N_EDGES) if weighted else None
    names = TextNames.of(f"v{i}" for i in range(N_VERTICES))
    host = graph_from_edges(tails, heads, N_VERTICES, names, weights)
    moved = None if weights is None else cuda.to_device(weights)
    device = graph_from_edges(cuda.to_device(tails), cuda.to_device(heads), N_VERTICES, names, moved)
    assert backends.of(device.col) is cuda
    for a, b in (
        (host, device),
        (host.reverse, device.reverse),
        (with_both_directions(host), with_both_directions(device)),
    ):
        assert parts(a) == parts(b)
    assert cuda.to_host(device.in_degrees).tolist() == host.in_degrees.tolist()
    assert cuda.to_host(device.out_degrees).tolist() == host.out_degrees.tolist()
    assert device["v7"] == host["v7"]
    assert list(device) == list(host)
    assert repr(device) == repr(host)
