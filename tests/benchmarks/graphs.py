"""Times of components, spanning forest and PageRank of graphs, and how many edges a second that is.

    python -m tests.benchmarks.graphs --backend cpu [-n 10500000] [-m 41900000] [--threads 2] [--only weak]

The graph is on the device already, and so is the result. Each figure is the best of ``--repeats`` after one call to
warm up; that of PageRank is for one iteration, with what comes before the first (bins on the CPU, the reversed graph on
the GPU) in a line of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.run.options import RunOptions

_ITERATIONS = 20
_NEVER_DONE = 1e-30  # a tolerance that only ranks that do not move at all meet


class Row(NamedTuple):
    """One operation on one graph; ``per`` repetitions of what is measured in one call."""

    name: str
    n_edges: int
    run: Callable[[], Any]
    per: int = 1


def random_graph(n_vertices: int, n_edges: int) -> tuple[np.ndarray, np.ndarray]:
    """Random tails, random heads."""
    rng = np.random.default_rng(1)
    row_ptr = np.zeros(n_vertices + 1, np.int64)
    np.cumsum(np.bincount(rng.integers(0, n_vertices, n_edges), minlength=n_vertices), out=row_ptr[1:])
    return row_ptr, rng.integers(0, n_vertices, n_edges, np.uint32)


def long_path(n_vertices: int, n_edges: int) -> tuple[np.ndarray, np.ndarray]:
    """The worst for operations that spread along edges."""
    del n_edges
    return np.minimum(np.arange(n_vertices + 1), n_vertices - 1), np.arange(1, n_vertices, dtype=np.uint32)


def shift_register(n_vertices: int, n_edges: int) -> tuple[np.ndarray, np.ndarray]:
    """B(2, n)."""
    del n_edges
    n_vertices = 1 << (n_vertices.bit_length() - 1)
    row_ptr = 2 * np.arange(n_vertices + 1)
    return row_ptr, (np.arange(2 * n_vertices) % n_vertices).astype(np.uint32)


def rows(backend: Any, row_ptr: np.ndarray, col: np.ndarray) -> Iterator[Row]:
    graph = backend.to_device(row_ptr), backend.to_device(col)
    yield Row("weak_components", len(col), partial(backend.graphs.weak_components, *graph))
    yield Row("strong_components", len(col), partial(backend.graphs.strong_components, *graph))
    yield Row("spanning_forest", len(col), partial(backend.graphs.spanning_forest, *graph))
    weights = backend.to_device(np.random.default_rng(2).random(len(col)))
    for name, given in (("page_rank", None), ("page_rank, weights", weights)):
        rank = partial(backend.graphs.page_rank, *graph, given, 0.85)
        yield Row(f"{name}: first iteration", len(col), partial(rank, 1e9, 1))
        yield Row(f"{name}: mean of {_ITERATIONS}", len(col), partial(iterations, rank), _ITERATIONS)


def iterations(rank: Callable[..., Any]) -> None:
    """PageRank that is stopped after some iterations."""
    from debruijn_gpu.errors import ParameterError

    try:
        rank(_NEVER_DONE, _ITERATIONS)
    except ParameterError:
        return


def seconds(row: Row, backend: Any, repeats: int) -> float:
    row.run()
    times = []
    for _ in range(repeats):
        backend.synchronize()
        begin = time.perf_counter()
        row.run()
        backend.synchronize()
        times.append((time.perf_counter() - begin) / row.per)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("-n", type=int, default=10_500_000, help="vertices")
    parser.add_argument("-m", type=int, default=41_900_000, help="edges of the random graph")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these in it")
    args = parser.parse_args()
    options = RunOptions(backend=args.backend, threads=args.threads)
    backend = backends.load_cuda(options) if args.backend == "cuda" else backends.load(options)
    for make in (random_graph, long_path, shift_register):
        row_ptr, col = make(args.n, args.m)
        print(f"{make.__name__}: {len(row_ptr) - 1:,} vertices, {len(col):,} edges, {args.backend}")
        for row in rows(backend, row_ptr, col):
            if any(word in row.name for word in args.only):
                best = seconds(row, backend, args.repeats)
                print(f"  {row.name:36} {best * 1e3:10.2f} ms {row.n_edges / best / 1e6:10.1f} M edges/s", flush=True)


if __name__ == "__main__":
    main()
