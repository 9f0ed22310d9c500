"""Graphs made on the GPU, or in the simulator of kernels, are those made on the CPU, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.graphs.protocol import Cactus
from tests.helpers import operation

pytestmark = pytest.mark.cuda


def same(cuda, name, *arguments):
    found, expected = operation(cuda, name)(*arguments), operation(CPU, name)(*arguments)
    if not isinstance(found, tuple):
        found, expected = (found,), (expected,)
    for on_device, on_host in zip(found, expected, strict=True):
        array = cuda.to_host(on_device)
        assert array.dtype == on_host.dtype
        np.testing.assert_array_equal(array, on_host)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 31, 33, 60])
def test_numbers(cuda, n):
    same(cuda, "permutation", n, 5)
    same(cuda, "random_degrees", n, 1, 7, 5)
    same(cuda, "random_heads", n, 1 << 32, 5)
    same(cuda, "random_heads", n, 1 << 40, 5)


@pytest.mark.parametrize("degrees", [[0], [3], [0, 0], [2, 0, 3, 1], [0, 5, 0, 0, 1, 0, 7, 2, 2, 0]])
def test_ring_and_shuffle(cuda, degrees):
    extra_ptr = CPU.arrays.exclusive_scan(np.array(degrees, np.int32))
    found = cuda.graphs.cycle_and_shuffle(cuda.to_device(extra_ptr), 9)
    for on_device, expected in zip(found, CPU.graphs.cycle_and_shuffle(extra_ptr, 9), strict=True):
        array = cuda.to_host(on_device)
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(("n_edges", "n_cycles"), [(2, 1), (4, 2), (5, 2), (60, 1), (60, 7), (61, 20), (60, 30)])
def test_cactus_graphs(cuda, n_edges, n_cycles):
    same(cuda, "cactus_edges", Cactus(n_edges, n_cycles), 3)


@pytest.mark.parametrize(("n_letters", "n_vertices"), [(1, 1), (5, 1), (2, 2), (4, 16), (3, 9), (2, 32)])
def test_de_bruijn(cuda, n_letters, n_vertices):
    same(cuda, "de_bruijn_edges", n_letters, n_vertices)
