"""How fast several GPUs find Euler circuits, beside one: ``python -m tests.benchmarks.euler --gpus 1 2 [--huge]``.

Graphs start in the memory of the first GPU, and circuits end in ranges of edges on all. Times are medians after one run
that compiles; those of stages are of another run. All numbers of GPUs must give the same circuits; those that one GPU
has no room for are checked instead. With --huge, there are larger graphs instead: a random one that starts on the host
(what the time of pairing includes), and de Bruijn graphs, which are paired without a graph. Writes euler_gpus.json to
$OUT or bench/.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.sequences.protocol import Windows
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.euler.circuits import circuits_together, euler_circuits
from debruijn_gpu.graph.generate import generate
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned

MILLION = 1_000_000
WINDOWS_AT_ONCE = 1 << 28


@contextmanager
def gpus(n: int, share: float = 1.0) -> Iterator[Any]:
    """The backend with so many GPUs, which all give back their memory at the end; see `copied_pairs_share`."""
    from debruijn_gpu.backends.core.cuda.group import group
    from debruijn_gpu.backends.core.cuda.runtime import free_pool_blocks

    with tuned(edges_of_several=0, copied_pairs_share=share):
        yield backends.load_cuda(RunOptions(backend="cuda", gpus=str(n), gpu_memory="0.97"))
        group().each(lambda _rank: free_pool_blocks())


def timed(circuits: Any, function: Callable[[], Any], repeats: int) -> float:
    """Median time in milliseconds, after one run that compiles."""
    times = []
    for _ in range(repeats + 1):
        circuits.synchronize()
        begin = time.perf_counter()
        found = function()
        circuits.synchronize()
        times.append(time.perf_counter() - begin)
        del found
    return 1e3 * statistics.median(times[1:] or times)


def stages_of(
    circuits: Any, waiting: Any, pair: Callable[[], Any], graph: Graph | None, n: int, symbols: bool = False
) -> dict[str, float]:
    """Milliseconds of each stage."""
    found: dict[str, float] = {}

    def stage(name: str, function: Callable[[], Any]) -> Any:
        waiting.synchronize()
        begin = time.perf_counter()
        result = function()
        waiting.synchronize()
        found[name] = 1e3 * (time.perf_counter() - begin)
        return result

    heads = (graph.col,) if n == 1 and graph is not None else ()
    pairing = stage("pair", pair)
    cycles = stage("find", lambda: circuits.find_cycles(pairing))
    splices = stage("splice", lambda: circuits.splice_cycles(*heads, pairing, cycles))
    write = partial(circuits.write_symbols, dtype=np.dtype(np.uint8)) if symbols else circuits.write_circuits
    stage("write", lambda: write(pairing, cycles, splices))
    return found


@dataclass
class Row:
    """A graph and a number of GPUs; milliseconds, and those of stages where there are several."""

    graph: str
    n_edges: int
    gpus: int
    total: float = 0.0
    verdict: str = ""
    stages: dict[str, float] = field(default_factory=dict)


class Comparison:
    """Finds circuits of one graph by several numbers of GPUs."""

    def __init__(self, name: str, options: dict[str, Any], repeats: int, from_host: bool) -> None:
        self.name = name
        self.repeats = repeats
        self.reference: Any = None
        with gpus(1) as backend:
            graph = generate(GenerateOptions(**options), backend)
            self.graph = graph.on_host() if from_host else graph

    def row(self, n: int, share: float = 1.0) -> Row:
        """The row of n GPUs."""
        graph, n_edges = self.graph, self.graph.n_edges
        with gpus(n, share) as backend:
            circuits = backend if n == 1 else backend.circuits.together(n_edges)
            try:
                steps = steps_of(graph, circuits, backend, n)
                said = verdict(graph, steps, self.reference, backend)
                self.reference = steps if self.reference is None else self.reference
                total = timed(circuits, lambda: found(graph, circuits, backend, n), self.repeats)
            except OutOfMemoryError as error:
                return Row(self.name, n_edges, n, verdict=error.what)
            operations = circuits.circuits if n == 1 else circuits
            pair = partial(operations.pair_edges, graph.row_ptr, graph.col)
            stages = {} if isinstance(graph.col, np.ndarray) else stages_of(operations, circuits, pair, graph, n)
            name = self.name if share else f"{self.name}, pairs read from peers"
            return Row(name, n_edges, n, total, said, stages)


def found(graph: Graph, circuits: Any, backend: Any, n: int) -> Any:
    """Circuits by one GPU or several."""
    if n > 1:
        return circuits_together(graph, circuits)
    return euler_circuits(graph.moved(backend.to_device) if isinstance(graph.col, np.ndarray) else graph, backend)


def steps_of(graph: Graph, circuits: Any, backend: Any, n: int) -> Any:
    """Steps of the circuit, on the host."""
    walks = found(graph, circuits, backend, n)
    assert walks is not None
    return backend.to_host(walks.steps) if n == 1 else walks[1].on_host()


def verdict(graph: Graph, steps: Any, reference: Any, backend: Any) -> str:
    """Compare a circuit with that of another number of GPUs, or check it on the first GPU."""
    if reference is not None:
        return "same" if np.array_equal(steps, reference) else "OTHER BYTES"
    moved = graph.moved(backend.to_device) if isinstance(graph.col, np.ndarray) else graph
    offsets = backend.to_device(np.array([0, len(steps)]))
    closed = backend.to_device(np.ones(1, np.bool_))
    faults = backend.circuits.check_walks(moved.row_ptr, moved.col, offsets, backend.to_device(steps), closed)
    return f"NOT SOUND: {faults}" if faults else "checked"


def words_row(n_letters: int, order: int, n: int, repeats: int) -> Row:
    """The row of a de Bruijn graph that is not in memory, by n GPUs; the sequence of its circuit is checked."""
    name, n_edges, n_vertices = f"B({n_letters}, {order}), no graph", n_letters**order, n_letters ** (order - 1)
    with gpus(n) as backend:
        circuits = backend.circuits.of_words(n_edges)
        pair = partial(circuits.pair_shifts, n_edges, n_vertices)
        write = partial(circuits.write_symbols, dtype=np.dtype(np.uint8))
        try:
            codes = found_by(circuits, pair, write).gathered()
            said = "checked" if is_de_bruijn(codes, n_letters, order, backend) else "NOT SOUND"
            del codes
            total = timed(circuits, lambda: found_by(circuits, pair, write), repeats)
        except OutOfMemoryError as error:
            return Row(name, n_edges, n, verdict=error.what)
        stages = stages_of(circuits, circuits, pair, None, n, symbols=True)
        return Row(name, n_edges, n, total, said, stages)


def found_by(circuits: Any, pair: Callable[[], Any], write: Callable[..., Any]) -> Any:
    """What is written of the circuits of a pairing."""
    pairing = pair()
    cycles = circuits.find_cycles(pairing)
    return write(pairing, cycles, circuits.splice_cycles(pairing, cycles))


def is_de_bruijn(codes: Any, n_letters: int, order: int, backend: Any) -> bool:
    """Whether each word is once in the cyclic sequence."""
    seen = backend.sequences.empty_bitmap(n_letters**order)
    n, n_repeats = codes.size, 0
    around = backend.to_device(
        np.concatenate((backend.to_host(codes[n - order + 1 :]), backend.to_host(codes[: order - 1])))
    )
    n_repeats += backend.sequences.mark_windows(Windows(around, 0, order - 1, n_letters, order), seen)
    for start in range(0, n - order + 1, WINDOWS_AT_ONCE):
        stop = min(n, start + WINDOWS_AT_ONCE + order - 1)
        part = Windows(codes[start:stop], 0, stop - start - order + 1, n_letters, order)
        n_repeats += backend.sequences.mark_windows(part, seen)
    return n_repeats == 0


def compare(numbers: list[int], repeats: int, scale: int, huge: bool) -> None:
    """Measure all graphs, print and keep the rows."""
    word = 15 if scale == 1 else 12
    rows: list[dict[str, Any]] = []
    graphs: list[tuple[str, dict[str, Any], bool]] = [
        (f"B(4, {word})", {"kind": "debruijn", "alphabet": 4, "n": word}, False),
        *(
            (f"random, {n} M", {"kind": "eulerian", "n": n * MILLION // (4 * scale)}, False)
            for n in (1000, 500, 128, 42)
        ),
        ("cactus", {"kind": "cactus", "n": 3_100_000 // scale}, False),
    ]
    if huge:
        graphs = [("random, 4 G, from the host", {"kind": "eulerian", "n": 1000 * MILLION // scale}, True)]
    directory = Path(os.environ.get("OUT") or "bench")
    directory.mkdir(exist_ok=True)

    def keep(found: Row) -> None:
        rows.append(asdict(found))
        print(json.dumps(rows[-1]), flush=True)
        (directory / "euler_gpus.json").write_text(json.dumps(rows, indent=1) + "\n")

    for order in (word, word + 1, word + 2) if huge else ():
        for n in numbers:
            keep(words_row(4, order, n, repeats))
    for name, options, from_host in graphs:
        comparison = Comparison(name, options, repeats, from_host)
        for n in numbers:
            keep(comparison.row(n))
        if name.startswith("random, 500"):
            keep(comparison.row(numbers[-1], share=0.0))
