"""How fast Euler circuits are found, from a graph on the device to edges in order on the device.

    python -m tests.benchmarks.euler [--backend cpu] [--quick] [--huge] [--all]

Times are medians after one run that compiles. Beside each stage stands its limit, from rates measured here: for
pairing, a sort of as many 64-bit integers; for finding and for writing cycles, which pass every edge once in random
order, a random gather of as many edges. Splicing has none: it looks at little. Every circuit is checked. With --all,
components, forests, ranks and generators follow. Writes euler.json to $OUT or bench/. With --gpus 1 2, see
`euler_gpus`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.euler.circuits import euler_circuits
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run import resources
from debruijn_gpu.run.options import RunOptions
from tests.benchmarks.euler_gpus import compare

STAGES = ("pair", "find", "join", "write")
ITERATIONS = 20
NEVER_MET = 1e-30


@dataclass
class Row:
    """One graph; milliseconds."""

    graph: str
    n_vertices: int
    n_edges: int
    n_cycles: int
    n_splices: int
    n_circuits: int
    sound: bool
    total: float
    target: float | None
    stages: dict[str, float]
    limits: dict[str, float]

    def __str__(self) -> str:
        stages = "  ".join(
            f"{name} {took:.2f}" + (f" ({self.limits[name] / took:.0%} of limit)" if name in self.limits else "")
            for name, took in self.stages.items()
        )
        target = f" / {self.target:g}" if self.target else ""
        return (
            f"{self.graph}: {self.n_edges / 1e6:,.1f} M edges, {self.n_cycles:,} cycles, {self.n_splices:,} splices: "
            f"{self.total:.2f}{target} ms, {self.n_edges / self.total / 1e6:.2f} G/s, "
            f"{'checked' if self.sound else 'NOT SOUND'}\n    {stages}"
        )


class Bench:
    """Measures on one backend."""

    def __init__(self, options: argparse.Namespace) -> None:
        run = RunOptions(backend=options.backend, threads=options.threads, gpu_memory="0.97")
        self.backend: Any = backends.load_cuda(run) if options.backend == "cuda" else backends.load(run)
        self.repeats = options.repeats

    def time(self, function: Callable[[], Any], repeats: int = 0) -> float:
        """Median time in milliseconds."""
        times = []
        for _ in range(repeats or self.repeats):
            self.backend.synchronize()
            begin = time.perf_counter()
            function()
            self.backend.synchronize()
            times.append(time.perf_counter() - begin)
        return 1e3 * statistics.median(times)

    def row(self, name: str, target: float | None, options: dict[str, Any]) -> Row | None:
        """A row, printed; none if the memory does not suffice."""
        try:
            row = self.graph(name, target, **options)
        except OutOfMemoryError as error:
            print(f"{name}: {error.what}", flush=True)
            return None
        finally:
            self.forget()
        print(row, flush=True)
        return row

    def forget(self) -> None:
        """Give memory back to the device: what the next graph needs is of other sizes."""
        if self.backend is not backends.host():
            from debruijn_gpu.backends.core.cuda.runtime import free_pool_blocks

            free_pool_blocks()

    def graph(self, name: str, target: float | None, **options: Any) -> Row:
        """Find and check the circuits of a generated graph."""
        backend = self.backend
        graph = generate(GenerateOptions(**options), backend)
        walks = euler_circuits(graph, backend)
        assert walks is not None
        faults = backend.circuits.check_walks(graph.row_ptr, graph.col, walks.offsets, walks.steps, walks.circular)
        n_circuits = len(walks)
        del walks
        pairing = backend.circuits.pair_edges(graph.row_ptr, graph.col)
        cycles = backend.circuits.find_cycles(pairing)
        splices = backend.circuits.splice_cycles(graph.col, pairing, cycles)
        work = (
            partial(backend.circuits.find_cycles, pairing),
            partial(backend.circuits.splice_cycles, graph.col, pairing, cycles),
            partial(backend.circuits.write_circuits, pairing, cycles, splices),
        )
        counts = (cycles.n_cycles, splices.n_splices)
        taken = [self.time(function) for function in work]
        gather = self.scaled(self.gather, graph.n_edges)
        del cycles, splices, work, pairing
        paired = self.time(partial(backend.circuits.pair_edges, graph.row_ptr, graph.col))
        sort = self.scaled(self.sort, graph.n_edges)
        total = self.time(partial(euler_circuits, graph, backend))
        stages = dict(zip(STAGES, (paired, *taken), strict=True))
        limits = {"pair": sort, "find": gather, "write": gather}
        sizes = (graph.n_vertices, graph.n_edges)
        return Row(name, *sizes, *counts, n_circuits, not faults, total, target, stages, limits)

    def scaled(self, make: Callable[[int], Callable[[], Any]], n: int) -> float:
        """Time of a limit; of more than 2^30 items, so many times that of these."""
        measured = min(n, 1 << 30)
        return self.time(make(measured)) * n / measured

    def gather(self, n: int) -> Callable[[], Any]:
        """Read n numbers of four bytes in random order."""
        values = self.backend.graphs.permutation(n, 1)
        if self.backend is not backends.host():
            from debruijn_gpu.backends.arrays.cuda.keys import gather

            return lambda: gather(values, values)
        return lambda: values[values]

    def sort(self, n: int) -> Callable[[], Any]:
        """Sort n integers of 64 bits."""
        values = self.backend.graphs.permutation(n, 2).astype(np.uint64) << np.uint64(30)
        return lambda: self.backend.arrays.sort(values)

    def others(self, n_vertices: int) -> dict[str, float]:
        """Generators and analyses of a graph with four edges a vertex."""
        found: dict[str, float] = {}

        def note(work: str, n_edges: int, function: Callable[[], Any], times: int = 1) -> None:
            function()
            found[work] = self.time(function) / times
            print(f"{work}, {n_edges / 1e6:,.1f} M edges: {found[work]:.2f} ms", flush=True)

        for kind, n in (("eulerian", n_vertices), ("cactus", 4 * n_vertices), ("random", n_vertices)):
            options = GenerateOptions(kind=kind, n=n)
            graph = generate(options, self.backend)
            note(f"generate {kind}", graph.n_edges, partial(generate, options, self.backend))
        arrays = (graph.row_ptr, graph.col)
        for name in ("weak_components", "strong_components", "spanning_forest", "csr_reverse"):
            note(name, graph.n_edges, partial(getattr(self.backend.graphs, name), *arrays))
        note("page_rank, an iteration", graph.n_edges, partial(self.ranks, arrays), ITERATIONS)
        return found

    def ranks(self, arrays: tuple[Any, Any]) -> None:
        try:
            self.backend.graphs.page_rank(*arrays, None, 0.85, NEVER_MET, ITERATIONS)
        except ParameterError:
            return


def graphs(scale: int, huge: bool, cuda: bool) -> list[tuple[str, float | None, dict[str, Any]]]:
    """Name, target in milliseconds and options of each graph."""
    n, shallow, word = 10_500_000 // scale, 3_100_000 // scale, 15 if scale == 1 else 12
    found: list[tuple[str, float | None, dict[str, Any]]] = [
        ("random", 15 if cuda else 5000, {"kind": "eulerian", "n": n}),
        ("cactus", 4 if cuda else None, {"kind": "cactus", "n": shallow}),
        ("B(2, 20)", None, {"kind": "debruijn", "alphabet": 2, "n": 20}),
        ("B(4, 12)", None, {"kind": "debruijn", "alphabet": 4, "n": 12}),
    ]
    if cuda:
        found.append((f"B(4, {word})", 400, {"kind": "debruijn", "alphabet": 4, "n": word}))
    if huge:
        found.append(("B(2, 32)", None, {"kind": "debruijn", "alphabet": 2, "n": 32}))
        found.append(("B(85, 5)", None, {"kind": "debruijn", "alphabet": 85, "n": 5}))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="a thirtieth of the sizes")
    parser.add_argument("--huge", action="store_true", help="also graphs of more than 2^32 edges")
    parser.add_argument("--all", action="store_true", help="also generators and analyses")
    parser.add_argument("--gpus", nargs="+", type=int, help="compare these numbers of GPUs instead")
    options = parser.parse_args()
    scale = 30 if options.quick else 1
    if options.gpus:
        compare(options.gpus, options.repeats, scale, options.huge)
        return
    bench = Bench(options)
    chosen = graphs(scale, options.huge, options.backend == "cuda")
    rows = [row for row in (bench.row(*graph) for graph in chosen) if row is not None]
    others = bench.others(10_500_000 // scale) if options.all else {}
    driver = detection.find_driver()
    device = driver if isinstance(driver, str) else asdict(driver.devices[0])
    report = {"machine": {"cpu": resources.cpu_model(), "device": device}, "rows": [asdict(row) for row in rows]}
    directory = Path(os.environ.get("OUT") or "bench")
    directory.mkdir(exist_ok=True)
    (directory / "euler.json").write_text(json.dumps({**report, "others": others}, indent=1) + "\n")


if __name__ == "__main__":
    main()
