"""Circuits of graphs that are too large for the simulator: those of the CPU."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.euler.circuits import euler_circuits
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run.tuning import tuned

pytestmark = pytest.mark.gpu


def on_host(graph: Graph, backend) -> list[np.ndarray]:
    walks = euler_circuits(graph, backend)
    assert walks is not None
    return [backend.to_host(walks.offsets), backend.to_host(walks.steps)]


def same(cuda, graph: Graph) -> None:
    moved = Graph(cuda.to_device(graph.row_ptr), cuda.to_device(graph.col))
    for ours, theirs in zip(on_host(moved, cuda), on_host(graph, backends.host()), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("few", [1, 1 << 23])
@pytest.mark.parametrize("kind", ["eulerian", "cactus"])
def test_circuits_of_the_cpu(cuda, monkeypatch, kind, few):
    from debruijn_gpu.backends.circuits.cuda import lines

    graph = generate(GenerateOptions(kind=kind, n=700_000), backends.host())
    with tuned(few_edges=few):
        same(cuda, graph)
        monkeypatch.setattr(lines.memory, "left", lambda: 0)
        same(cuda, graph)


def test_a_million_cycles_of_two_edges(cuda):
    first = np.arange(0, 2_000_000, 2)
    tails, heads = np.concatenate((first, first + 1)), np.concatenate((first + 1, first))
    with tuned(few_edges=1, splitter_bits=9):
        same(cuda, graph_from_edges(tails, heads, 2_000_000))
