"""Components, forests and ranks of large graphs on the GPU, with the CPU as the judge."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.options import RunOptions

pytestmark = pytest.mark.gpu


def random(n, rng):
    return n, *rng.integers(0, n, (2, 4 * n))


def sparse(n, rng):
    """Long paths and many components."""
    return n, *rng.integers(0, n, (2, n))


def skewed(n, rng):
    """A few vertices have most edges."""
    return n, *(rng.random((2, 4 * n)) ** 20 * n).astype(np.int64)


def ring(n, rng):
    return n, np.arange(n), (np.arange(n) + 1) % n


def path(n, rng):
    return n, np.arange(n - 1), np.arange(1, n)


def shuffled_path(n, rng):
    order = rng.permutation(n)
    return n, order[:-1], order[1:]


def star(n, rng):
    """Every vertex to the last and back."""
    rays, middle = np.arange(n - 1), np.full(n - 1, n - 1)
    return n, np.concatenate((rays, middle)), np.concatenate((middle, rays))


def torus(n, rng):
    """A grid that is closed both ways: far across."""
    side = int(n**0.5)
    at = np.arange(side * side)
    right, below = at // side * side + (at + 1) % side, (at + side) % (side * side)
    return side * side, np.concatenate((at, at)), np.concatenate((right, below))


def shift_register(n, rng):
    n = 1 << (n.bit_length() - 1)
    tails = np.repeat(np.arange(n), 2)
    return n, tails, (2 * tails + np.arange(2 * n) % 2) % n


@pytest.mark.parametrize("n", [1000, 3_000_000])
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("kind", [random, sparse, skewed, ring, path, shuffled_path, star, torus, shift_register])
def test_graph(cuda, kind, dtype, n):
    n_vertices, tails, heads = kind(n, np.random.default_rng(n))
    cpu = backends.load(RunOptions(backend="cpu"))
    row_ptr, col = cpu.csr_from_edges(tails.astype(dtype), heads.astype(dtype), n_vertices)
    graph = cuda.to_device(row_ptr), cuda.to_device(col)
    for name in ("weak_components", "strong_components", "spanning_forest"):
        found = cuda.to_host(getattr(cuda, name)(*graph))
        np.testing.assert_array_equal(found, getattr(cpu, name)(row_ptr, col), err_msg=name)
    assert cuda.count_loops_and_repeats(*cuda.csr_reverse(*graph)) == cpu.count_loops_and_repeats(
        *cpu.csr_reverse(row_ptr, col)
    )
    weights = np.random.default_rng(1).random(len(col))
    for on_host, on_device in ((None, None), (weights, cuda.to_device(weights))):
        expected, n_iterations = cpu.page_rank(row_ptr, col, on_host, 0.85, 1e-10, 200)
        found, n_found = cuda.page_rank(*graph, on_device, 0.85, 1e-10, 200)
        assert n_found == n_iterations
        np.testing.assert_array_equal(cuda.to_host(found), expected)
