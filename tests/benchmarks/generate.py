"""How fast graphs are made and walks checked.

    python -m tests.benchmarks.generate [-n 10500000] [--threads 1] [--backend cuda] [--only eulerian]

Prints million edges a second, the best of ``--repeats`` after one call to warm up; on a GPU, with the graph left there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.graph.generate import generate, genome_graph
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run.options import RunOptions

Work = Callable[[], int]


def rows(backend: Any, n: int, threads: int) -> Iterator[tuple[str, Work]]:
    """What is measured; each call gives the number of edges."""
    word = int(np.log2(n)) // 2 + 1
    for kind, size in (("random", n), ("eulerian", n), ("cactus", 4 * n), ("debruijn", word)):
        options = GenerateOptions(kind=kind, n=size)
        yield f"{kind} -n {size:,}", lambda options=options: generate(options, backend).n_edges
    yield "check_walks, random steps", check_of(backend, n)
    if backend is backends.load(RunOptions(backend="cpu", threads=threads)):
        genome = GenerateOptions(kind="genome", n=n)
        yield f"genome -n {n:,}", lambda: genome_graph(genome, RunOptions(threads=threads), backend).graph.n_edges


def check_of(backend: Any, n: int) -> Work:
    """A walk that takes the edges of a random graph in random order: as many random reads as a right one."""
    graph = generate(GenerateOptions(kind="eulerian", n=n), backend)
    steps = backend.graphs.permutation(graph.n_edges, 1)
    offsets, circular = (backend.to_device(array) for array in (np.array([0, graph.n_edges]), np.ones(1, np.bool_)))

    def check() -> int:
        backend.circuits.check_walks(graph.row_ptr, graph.col, offsets, steps, circular)
        return graph.n_edges

    return check


def best_rate(backend: Any, work: Work, repeats: int) -> tuple[int, float]:
    """Edges, and million edges a second."""
    work()
    seconds = []
    for _ in range(repeats):
        backend.synchronize()
        begin = time.perf_counter()
        n_edges = work()
        backend.synchronize()
        seconds.append(time.perf_counter() - begin)
    return n_edges, n_edges / min(seconds) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=10_500_000, help="vertices")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these in it")
    args = parser.parse_args()
    run = RunOptions(backend=args.backend, threads=args.threads)
    backend = backends.load_cuda(run) if args.backend == "cuda" else backends.load(run)
    print(f"{args.backend}, {args.threads} threads: million edges a second")
    for name, work in rows(backend, args.n, args.threads):
        if any(word in name for word in args.only):
            n_edges, rate = best_rate(backend, work, args.repeats)
            print(f"{name:32}{n_edges:14,} edges {rate:8.0f}", flush=True)


if __name__ == "__main__":
    main()
