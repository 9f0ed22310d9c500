"""Graphs that are made on the GPU, and walks that are checked there, at sizes that the simulator does not take."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.options import GenerateOptions
from tests.backends.circuits.test_checking import walks_of

pytestmark = pytest.mark.gpu

BEYOND = (1 << 31) + 11

KINDS = [
    {"kind": "random", "n": 1_000_003},
    {"kind": "eulerian", "n": 1_000_003},
    {"kind": "eulerian", "n": 1_000, "max_degree": 3000},
    {"kind": "eulerian", "n": 300_000, "path": True},
    {"kind": "cactus", "n": 2_000_001},
    {"kind": "cactus", "n": 2_000_001, "path": True, "cycle_edges": 1000},
    {"kind": "debruijn", "n": 10},
    {"kind": "debruijn", "n": 12, "alphabet": 3, "path": True},
]


@pytest.mark.parametrize("options", KINDS)
def test_graphs_are_those_of_the_cpu(cuda, options):
    chosen = GenerateOptions(**options)
    expected, found = generate(chosen, CPU), generate(chosen, cuda)
    for name in ("row_ptr", "col"):
        array = cuda.to_host(getattr(found, name))
        assert array.dtype == getattr(expected, name).dtype
        np.testing.assert_array_equal(array, getattr(expected, name))


@pytest.mark.parametrize("options", KINDS[1:])
def test_walks_are_checked(cuda, options):
    graph = generate(GenerateOptions(**options), CPU)
    walks = walks_of(graph)
    arrays = [graph.row_ptr, graph.col, walks.offsets, walks.steps.copy(), walks.circular]
    assert not cuda.circuits.check_walks(*map(cuda.to_device, arrays))
    for at in (0, graph.n_edges // 2, graph.n_edges - 2):
        steps = walks.steps.copy()
        steps[at] = steps[at + 1]
        assert cuda.circuits.check_walks(
            *map(cuda.to_device, [*arrays[:3], steps, arrays[4]])
        ) == CPU.circuits.check_walks(*arrays[:3], steps, arrays[4])


@pytest.mark.whole_gpu
def test_beyond_32_bits(cuda):
    """Loops at one vertex, in random order: any order is a circuit."""
    row_ptr, col = cuda.graphs.de_bruijn_edges(BEYOND, 1)
    steps = cuda.graphs.permutation(BEYOND, 1)
    walk = [cuda.to_device(array) for array in (np.array([0, BEYOND]), np.ones(1, np.bool_))]
    assert not cuda.circuits.check_walks(row_ptr, col, walk[0], steps, walk[1])
    twice, never = (int(cuda.to_host(steps[at : at + 1])[0]) for at in (5, BEYOND - 3))
    steps[BEYOND - 3 : BEYOND - 2] = steps[5:6]
    assert cuda.circuits.check_walks(row_ptr, col, walk[0], steps, walk[1]).edge == min(twice, never)
    steps[BEYOND - 1 :] = BEYOND
    assert cuda.circuits.check_walks(row_ptr, col, walk[0], steps, walk[1]).out_of_range == BEYOND - 1


@pytest.mark.whole_gpu
def test_words_beyond_32_bits(cuda):
    row_ptr, col = cuda.graphs.de_bruijn_edges(2, 1 << 31)
    assert (len(row_ptr), len(col)) == ((1 << 31) + 1, 1 << 32)
    for at in (0, (1 << 31) - 1, 1 << 31, (1 << 32) - 2):
        np.testing.assert_array_equal(cuda.to_host(col[at : at + 2]), np.arange(at, at + 2) % (1 << 31))
    np.testing.assert_array_equal(cuda.to_host(row_ptr[-2:]), [(1 << 32) - 2, 1 << 32])
