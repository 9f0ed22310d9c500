"""How fast best matching units are found and maps are trained, beside MiniSom where it is installed.

    python -m tests.benchmarks.maps [--vectors 12000] [--components 12] [--side 200] [--threads 2] [--backend cuda]

Prints wall and CPU seconds, the best of ``--repeats`` after one call to warm up. MiniSom (``--minisom``, a map of
``--beside`` units a side, on the CPU) is trained for some sweeps; both quantization errors are printed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from debruijn_gpu import SelfOrganizingMap, backends
from debruijn_gpu.backends.vectors.protocol import MOST_BITS
from debruijn_gpu.binning.options import SomOptions
from debruijn_gpu.binning.training import train
from debruijn_gpu.run.options import RunOptions


def clouds(n: int, d: int, n_clouds: int = 20) -> Any:
    """Points around centers, in the unit cube."""
    random = np.random.default_rng(1)
    centers = random.random((n_clouds, d))
    return np.clip(centers[random.integers(0, n_clouds, n)] + random.normal(0, 0.05, (n, d)), 0, 1)


def timed(backend: Any, work: Callable[[], Any], repeats: int) -> str:
    """Best wall and CPU seconds."""
    found = []
    for i in range(repeats + 1):
        backend.synchronize()
        begin, cpu = time.perf_counter(), time.process_time()
        work()
        backend.synchronize()
        if i:
            found.append((time.perf_counter() - begin, time.process_time() - cpu))
    return f"{min(wall for wall, _ in found):9.4f} s {min(cpu for _, cpu in found):9.4f} CPU s"


def beside_minisom(table: Any, side: int, epochs: int, args: argparse.Namespace) -> None:
    """Train both maps, and print time and quantization error."""
    from minisom import MiniSom

    begin, cpu = time.perf_counter(), time.process_time()
    ours = SelfOrganizingMap(side, side, topology="plane", epochs=epochs, end_radius=0.5, threads=args.threads)
    ours.set_params(backend=args.backend).fit(table)
    error = ours.quantization_error(table)
    wall, used = time.perf_counter() - begin, time.process_time() - cpu
    print(f"dbg, {epochs} epochs: {wall:.2f} s, {used:.2f} CPU s, quantization error {error:.5f}", flush=True)
    for sweeps in args.sweeps:
        begin, cpu = time.perf_counter(), time.process_time()
        theirs = MiniSom(side, side, table.shape[1], sigma=side / 4, learning_rate=0.5, random_seed=1)
        theirs.random_weights_init(table)
        theirs.train(table, sweeps * len(table))
        wall, used = time.perf_counter() - begin, time.process_time() - cpu
        error = theirs.quantization_error(table)
        print(f"MiniSom, {sweeps} sweeps: {wall:.2f} s, {used:.2f} CPU s, quantization error {error:.5f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=12_000)
    parser.add_argument("--components", type=int, default=12)
    parser.add_argument("--side", type=int, default=200, help="units along a side of the map")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--minisom", action="store_true", help="also train MiniSom")
    parser.add_argument("--beside", type=int, default=30, help="units along a side of the map beside MiniSom's")
    parser.add_argument("--sweeps", type=int, nargs="+", default=[1, 10], help="sweeps of MiniSom over the table")
    args = parser.parse_args()
    run = RunOptions(backend=args.backend, threads=args.threads)
    backend = backends.load_cuda(run) if args.backend == "cuda" else backends.load(run)
    table = clouds(args.vectors, args.components)
    vectors = np.rint((2 * table - 1) * (1 << MOST_BITS)).astype(np.int32)
    weights = np.rint((2 * clouds(args.side**2, args.components) - 1) * (1 << MOST_BITS)).astype(np.int32)
    on_device = backend.to_device(vectors), backend.to_device(weights)
    print(f"{args.backend}, {args.threads} threads, {vectors.shape} vectors, {args.side} x {args.side} units")
    for distance in ("euclidean", "taxicab"):
        found = timed(backend, lambda d=distance: backend.vectors.best_matching_units(*on_device, d), args.repeats)
        print(f"best matching units, {distance:12} {found}", flush=True)
    options = SomOptions(rows=args.side, columns=args.side, epochs=args.epochs)
    found = timed(backend, lambda: train(vectors, MOST_BITS, options, backend), 1)
    print(f"training, {args.epochs} epochs {found}", flush=True)
    if args.minisom:
        beside_minisom(table, args.beside, 10, args)


if __name__ == "__main__":
    main()
