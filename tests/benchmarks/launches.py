"""Launches of each kernel while Euler circuits are found, and their time: ``python -m tests.benchmarks.launches``.

    python -m tests.benchmarks.launches [--kind eulerian|cactus|debruijn] [-n 10500000] [--tuning few_edges=1000 ...]

Each launch waits for the device, so that times are of single kernels with about 10 microseconds of launching and
waiting; what they do not add up to (copies, sorts of CuPy, allocation) is listed as other. Last comes the time of the
whole without such waits, and of each stage.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from debruijn_gpu import backends
from debruijn_gpu.euler.circuits import euler_circuits
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned


def timed(backend: Any, function: Callable[[], Any]) -> float:
    """Milliseconds of a call."""
    backend.synchronize()
    begin = time.perf_counter()
    found = function()
    backend.synchronize()
    taken = 1e3 * (time.perf_counter() - begin)
    del found
    return taken


def launches_of(graph: Graph, backend: Any) -> None:
    """Print launches and milliseconds of each kernel."""
    from debruijn_gpu.backends.core.cuda import runtime

    run, times = runtime._run, defaultdict(list)

    def run_timed(function: Any, *args: Any) -> None:
        backend.synchronize()
        begin = time.perf_counter()
        run(function, *args)
        backend.synchronize()
        times[getattr(function, "py_func", function).__qualname__].append(1e3 * (time.perf_counter() - begin))

    runtime._run = run_timed
    try:
        total = timed(backend, lambda: euler_circuits(graph, backend))
    finally:
        runtime._run = run
    for name, taken in sorted(times.items(), key=lambda item: -sum(item[1])):
        print(f"  {name:40s} {len(taken):4d} launches {sum(taken):8.3f} ms")
    n_launches, of_kernels = sum(map(len, times.values())), sum(map(sum, times.values()))
    print(f"  {'all':40s} {n_launches:4d} launches {of_kernels:8.3f} ms, other {total - of_kernels:.3f} ms")


def stages_of(graph: Graph, backend: Any, repeats: int) -> None:
    """Print the median milliseconds of each stage and of the whole."""
    circuits, found = backend.circuits, defaultdict(list)

    def stage(name: str, function: Callable[..., Any], *args: Any) -> Any:
        results: list[Any] = []
        found[name].append(timed(backend, lambda: results.append(function(*args))))
        return results[0]

    for _ in range(repeats):
        pairing = stage("pair", circuits.pair_edges, graph.row_ptr, graph.col)
        cycles = stage("find", circuits.find_cycles, pairing)
        splices = stage("splice", circuits.splice_cycles, graph.col, pairing, cycles)
        stage("write", circuits.write_circuits, pairing, cycles, splices)
        pairing = cycles = splices = None
        stage("all", euler_circuits, graph, backend)
    print("  " + ", ".join(f"{name} {statistics.median(times):.2f}" for name, times in found.items()) + " ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kind", default="eulerian")
    parser.add_argument("-n", type=int, default=10_500_000, help="as of dbg generate")
    parser.add_argument("--alphabet", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--tuning", nargs="*", default=[], metavar="NAME=NUMBER", help="see run/tuning.py")
    options = parser.parse_args()
    changes = {name: int(value) for name, value in (change.split("=") for change in options.tuning)}
    backend: Any = backends.load_cuda(RunOptions(backend="cuda", gpu_memory="0.97"))
    graph = generate(GenerateOptions(kind=options.kind, n=options.n, alphabet=options.alphabet), backend)
    print(f"{options.kind} {options.n:,}: {graph.n_edges:,} edges {changes or ''}")
    with tuned(**changes):
        for _ in range(2):
            euler_circuits(graph, backend)
        launches_of(graph, backend)
        stages_of(graph, backend, options.repeats)


if __name__ == "__main__":
    main()
