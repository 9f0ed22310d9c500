"""How fast operations run on the GPU, beside what the memory of the GPU allows and what CuPy alone takes.

    python tests/benchmarks/gpu.py [--quick]

Prints a table and writes gpu.json to $OUT or bench/. Times are medians between CUDA events, with data on the device,
after one run that compiles; then from .npy files on disk and back, where reading and copying count.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.backends.core.cuda import runtime
from debruijn_gpu.backends.cuda import CUDA
from debruijn_gpu.bench.measuring import describe_machine
from debruijn_gpu.run.options import RunOptions

xp = runtime.xp
BYTES_PER_SECOND = 4.3e12  # a copy on one H200, bytes read and written
SECONDS_PER_ROW = 1.0


@dataclass(frozen=True)
class Row:
    """One measurement, in milliseconds."""

    work: str
    median: float
    least: float
    limit: float
    target: float | None
    cupy: float | None
    first: float


def median_time(function: Callable[[], Any]) -> tuple[float, float, float]:
    """Median, least and first time of a function, in milliseconds."""
    begin = time.perf_counter()
    function()
    runtime.synchronize()
    first = 1e3 * (time.perf_counter() - begin)
    function()
    times: list[float] = []
    begin = time.perf_counter()
    while len(times) < 5 or (len(times) < 100 and time.perf_counter() - begin < SECONDS_PER_ROW):
        start, stop = xp.cuda.Event(), xp.cuda.Event()
        start.record()
        function()
        stop.record()
        stop.synchronize()
        times.append(xp.cuda.get_elapsed_time(start, stop))
    return statistics.median(times), min(times), first


def measure(work: str, n_bytes: float, target: float | None, ours: Any, cupys: Any = None) -> Row:
    """A row of the table; ``n_bytes`` are those that must be read and written. What fails is NaN."""
    median, least, first = _try(work, ours)
    cupy = None if cupys is None else _try(f"CuPy: {work}", cupys)[0]
    row = Row(work, median, least, 1e3 * n_bytes / BYTES_PER_SECOND, target, cupy, first)
    columns = [f"{x:10.3f}" if x is not None else f"{'-':>10}" for x in (median, least, row.limit, target, cupy)]
    print(f"{work:62}" + "".join(columns) + f"{first:10.0f}", flush=True)
    return row


def _try(work: str, function: Callable[[], Any]) -> tuple[float, float, float]:
    try:
        return median_time(function)
    except Exception as error:  # the other rows are worth having
        print(f"failed: {work}: {type(error).__name__}: {error}"[:300])
        return math.nan, math.nan, math.nan


def random(dtype: str, n: int, n_values: int = 0, seed: int = 0) -> Any:
    """Random bits, or one of n_values, on the device."""
    rng = np.random.default_rng(seed)
    if n_values:
        return CUDA.to_device(rng.integers(0, n_values, n, np.int32).astype(dtype))
    return CUDA.to_device(rng.integers(0, 256, n * np.dtype(dtype).itemsize, np.uint8).view(dtype))


def order_rows(n: int) -> list[Row]:
    return [
        *(sort_row(dtype, n, target) for dtype, target in (("i4", 7.5), ("u8", 20.0), ("f4", None))),
        *pair_rows(n),
        scan_row("u4", n),
        scan_row("i8", n),
        *(reduce_row(n, reduction) for reduction in ("sum", "max")),
    ]


def sort_row(dtype: str, n: int, target: float | None) -> Row:
    keys = random(dtype, n)
    work = f"sort {n:,} {keys.dtype}"
    return measure(work, 2 * keys.nbytes, target, lambda: CUDA.arrays.sort(keys), lambda: xp.sort(keys))


def pair_rows(n: int) -> list[Row]:
    keys, values = random("u4", n), random("u4", n, seed=1)

    def by_argsort() -> Any:
        order = xp.argsort(keys)
        return keys[order], values[order]

    work = f"sort pairs, {n:,} uint32 with uint32"
    return [
        measure(work, 4 * keys.nbytes, None, lambda: CUDA.arrays.sort_pairs(keys, values), by_argsort),
        measure(f"split {n:,} uint32 by a bit", 2 * keys.nbytes, None, lambda: CUDA.arrays.split_by_bit(keys, 5)),
    ]


def scan_row(dtype: str, n: int) -> Row:
    values = random(dtype, n, 1000)
    wide = np.uint64 if dtype[0] == "u" else np.int64
    work = f"inclusive scan of {n:,} {values.dtype}"
    n_bytes = values.nbytes + 8 * n
    return measure(
        work, n_bytes, None, lambda: CUDA.arrays.inclusive_scan(values), lambda: xp.cumsum(values, dtype=wide)
    )


def reduce_row(n: int, reduction: str) -> Row:
    values = random("u4", n)
    work = f"{reduction} of {n:,} uint32"
    alternative = getattr(values, reduction)
    return measure(
        work, values.nbytes, None, lambda: CUDA.arrays.reduce(values, reduction), lambda: alternative().item()
    )


def select_rows(n: int) -> list[Row]:
    few, spread = random("i4", n, 1000), random("u8", n)
    return [*distinct_rows(n, few, spread), *compaction_rows(n, few), *histogram_rows(n, few)]


def distinct_rows(n: int, few: Any, spread: Any) -> list[Row]:
    def counted() -> Any:
        return xp.unique(few, return_counts=True)

    few_work, spread_work = f"{n:,} int32 below 1000", f"{n:,} random uint64"
    few_bytes, spread_bytes = few.nbytes, spread.nbytes
    return [
        measure(f"distinct {few_work}", few_bytes, 10, lambda: CUDA.arrays.distinct(few), lambda: xp.unique(few)),
        measure(
            f"distinct {spread_work}",
            2 * spread_bytes,
            30,
            lambda: CUDA.arrays.distinct(spread),
            lambda: xp.unique(spread),
        ),
        measure(f"distinct and counts, {few_work}", few_bytes, None, lambda: CUDA.arrays.distinct_counts(few), counted),
        measure(
            f"distinct and counts, {spread_work}", 3 * spread_bytes, None, lambda: CUDA.arrays.distinct_counts(spread)
        ),
        measure(f"distinct and first, {few_work}", few_bytes, None, lambda: CUDA.arrays.distinct_first(few)),
    ]


def compaction_rows(n: int, few: Any) -> list[Row]:
    mask = few < 500
    n_bytes = mask.nbytes + few.nbytes + int(mask.sum()) * (4 + 8)

    def by_indexing() -> Any:
        return few[mask], xp.flatnonzero(mask)

    work = f"compact {n:,} int32, half kept, with positions"
    both = few.nbytes + mask.nbytes
    return [
        measure(work, n_bytes, 1.5, lambda: CUDA.arrays.compact(few, mask), by_indexing),
        measure(f"compare {n:,} int32", both, None, lambda: CUDA.arrays.matches(few, "<", 500), lambda: few < 500),
    ]


def histogram_rows(n: int, few: Any) -> list[Row]:
    same, floats = xp.full(n, 7, np.int32), random("f8", n // 4, 1000)
    counts, binned = f"counts of {n:,} int32 below 1000", f"histogram of {n:,} int32 below 1000"

    def by_histogram() -> Any:
        return xp.histogram(few, 1000, (0, 1000))

    def by_bincount() -> Any:
        return xp.bincount(few, minlength=1000)

    work = f"histogram of {n // 4:,} float64, 1000 bins"
    return [
        measure(binned, few.nbytes, 1, lambda: CUDA.arrays.histogram(few, 0, 1000, 1000), by_histogram),
        measure(counts, few.nbytes, 1, lambda: CUDA.arrays.count_integers(few, 1000), by_bincount),
        measure(f"counts of {n:,} equal int32", few.nbytes, None, lambda: CUDA.arrays.count_integers(same, 1000)),
        measure(work, floats.nbytes, None, lambda: CUDA.arrays.histogram(floats, 0.5, 900, 1000)),
    ]


def join_rows(n: int, n_many: int) -> list[Row]:
    sets = ((4000, 0.3), (100_000, None), (n_many, 40))
    joins = [join_row(dtype, n, n_wanted, target) for dtype in ("u4", "u8") for n_wanted, target in sets]
    return [*joins, *(lookup_row(dtype, n, n_many) for dtype in ("u4", "u8"))]


def join_row(dtype: str, n: int, n_wanted: int, target: float | None) -> Row:
    keys, wanted = random(dtype, n), random(dtype, n_wanted, seed=1)
    work = f"semi-join {n:,} {keys.dtype} with {n_wanted:,}"
    n_bytes = keys.nbytes + n + wanted.nbytes
    return measure(work, n_bytes, target, lambda: CUDA.arrays.semi_join(keys, wanted), lambda: xp.isin(keys, wanted))


def lookup_row(dtype: str, n: int, n_table: int) -> Row:
    keys, table = random(dtype, n), CUDA.arrays.sort(random(dtype, n_table, seed=1))
    work = f"look up {n:,} {keys.dtype} in {n_table:,}"
    n_bytes = keys.nbytes + 8 * n + table.nbytes
    return measure(work, n_bytes, None, lambda: CUDA.arrays.lookup(table, keys), lambda: xp.searchsorted(table, keys))


def graph_rows(n_vertices: int, n_edges: int) -> list[Row]:
    tails, heads = random("u4", n_edges, n_vertices), random("u4", n_edges, n_vertices, seed=1)
    row_ptr, col = CUDA.graphs.csr_from_edges(tails, heads, n_vertices)
    pointers, edges = row_ptr.nbytes, col.nbytes
    size = f"of {n_vertices:,} vertices, {n_edges:,} edges"

    def from_edges() -> Any:
        return CUDA.graphs.csr_from_edges(tails, heads, n_vertices)

    def by_bincount() -> Any:
        return xp.bincount(col, minlength=n_vertices)

    return [
        measure(f"CSR {size}", pointers + 3 * edges, None, from_edges),
        measure(f"edges {size}", pointers + edges, 0.3, lambda: CUDA.graphs.csr_tails(row_ptr, col)),
        measure(f"reverse {size}", 2 * (pointers + edges), 4, lambda: CUDA.graphs.csr_reverse(row_ptr, col)),
        measure(
            f"in-degrees {size}", edges + pointers, None, lambda: CUDA.graphs.in_degrees(col, n_vertices), by_bincount
        ),
    ]


def layout_rows(n: int) -> list[Row]:
    return [
        transpose_row(random("u8", n).reshape(shape)) for shape in ((n // 2, 2), (2, n // 2), (10_000, n // 10_000))
    ]


def transpose_row(matrix: Any) -> Row:
    work = f"transpose {matrix.shape[0]:,} x {matrix.shape[1]:,} uint64"
    n_bytes = 2 * matrix.nbytes
    return measure(work, n_bytes, None, lambda: CUDA.arrays.transpose(matrix), lambda: xp.ascontiguousarray(matrix.T))


def overhead_rows() -> list[Row]:
    """What an operation costs on next to no data."""
    few, mask = random("i4", 1000, 100), random("i4", 1000, 2) > 0
    degrees = CUDA.graphs.csr_from_edges(few, few, 100)[0]
    return [
        measure(
            "1 launch (out-degrees of 100)", 0, None, lambda: CUDA.graphs.out_degrees(degrees), lambda: xp.diff(degrees)
        ),
        measure("compact 1000 int32", 0, None, lambda: CUDA.arrays.compact(few, mask), lambda: few[mask]),
        measure("sort 1000 int32", 0, None, lambda: CUDA.arrays.sort(few), lambda: xp.sort(few)),
        measure("distinct 1000 int32", 0, None, lambda: CUDA.arrays.distinct(few), lambda: xp.unique(few)),
    ]


def end_to_end(n: int) -> list[dict[str, Any]]:
    """From .npy and back: seconds for each step, and NumPy's own time for the work."""
    return [
        from_file("sort random int32", random("i4", n), CUDA.arrays.sort, np.sort),
        from_file("sort random uint64", random("u8", n), CUDA.arrays.sort, np.sort),
        from_file("distinct int32 below 1000", random("i4", n, 1000), CUDA.arrays.distinct, np.unique),
    ]


def from_file(work: str, values: Any, operation: Any, on_cpu: Any) -> dict[str, Any]:
    steps: dict[str, float] = {}

    def step(name: str, function: Any, *arguments: Any) -> Any:
        begin = time.perf_counter()
        result = function(*arguments)
        runtime.synchronize()
        steps[name] = time.perf_counter() - begin
        return result

    with tempfile.TemporaryDirectory() as directory:
        source, target = Path(directory, "in.npy"), Path(directory, "out.npy")
        np.save(source, CUDA.to_host(values))
        host = step("read", np.load, source)
        device = step("to device", CUDA.to_device, host)
        found = step("work", operation, device)
        step("write", np.save, target, step("back", CUDA.to_host, found))
        step("NumPy's work", on_cpu, host)
    text = "  ".join(f"{name} {seconds:.3f}" for name, seconds in steps.items())
    print(f"from .npy: {work}, {values.size:,}: {text} s", flush=True)
    return {"work": work, "n": values.size, "seconds": steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a thirtieth of the sizes")
    backends.load_cuda(RunOptions(backend="cuda"))
    scale = 30 if parser.parse_args().quick else 1
    print(f"{'milliseconds':62}" + "".join(f"{x:>10}" for x in ("median", "least", "limit", "target", "CuPy", "first")))
    n = 300_000_000 // scale
    rows = overhead_rows()
    rows += select_rows(n)
    rows += order_rows(n)
    rows += join_rows(20_000_000 // scale, 100_000_000 // scale)
    rows += graph_rows(10_500_000 // scale, 31_400_000 // scale)
    rows += layout_rows(100_000_000 // scale)
    files = end_to_end(n)
    missed = [row.work for row in rows if row.target is not None and not row.median <= row.target]
    slower = [row.work for row in rows if row.cupy is not None and row.median > 1.05 * row.cupy]
    print("above their target:", "; ".join(missed) or "none")
    print("slower than CuPy:", "; ".join(slower) or "none")
    directory = Path(os.environ.get("OUT") or "bench")
    directory.mkdir(exist_ok=True)
    report = {"machine": describe_machine(("cpu", "cuda")), "rows": [asdict(row) for row in rows], "files": files}
    (directory / "gpu.json").write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
