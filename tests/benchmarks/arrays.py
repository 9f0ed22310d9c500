"""Rates of the CPU's operations on arrays beside NumPy, pandas and polars (as far as they are installed).

    python -m tests.benchmarks.arrays -n 50000000 [--threads 2] [--only sort]

Prints million values a second, by elapsed time and by CPU time of all threads; each figure is the best of ``--repeats``
after one call to warm up. NumPy's figures are those of the call that a user would write.
"""

# Rows are measured one by one, each before the next is made; without polars there is no method to name.
# ruff: noqa: B023, PLW0108

from __future__ import annotations

import argparse
import importlib
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.run.options import RunOptions


class Row(NamedTuple):
    """One operation on one input: how many values it takes, and who does it how."""

    name: str
    n: int
    ways: dict[str, Callable[[], Any]]


def optional(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


pandas, polars = optional("pandas"), optional("polars")


def inputs(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {
        "u32": rng.integers(0, 1 << 32, n, np.uint32),
        "u64": rng.integers(0, 1 << 64, n, np.uint64),
        "f64": rng.normal(size=n),
        "i32 < 1000": rng.integers(0, 1000, n, np.int32),
    }


def with_peers(ours, numpy=None, in_pandas=None, in_polars=None) -> dict[str, Callable[[], Any]]:
    """The ways to do it that are at hand."""
    ways = {"dbg": ours, "numpy": numpy, "pandas": pandas and in_pandas, "polars": polars and in_polars}
    return {name: way for name, way in ways.items() if way}


def order_rows(cpu: Any, data: dict[str, np.ndarray], n: int) -> Iterator[Row]:
    values = np.arange(n, dtype=np.uint32)
    for name, keys in data.items():
        series = polars and polars.Series(keys)
        yield Row(
            f"sort {name}",
            n,
            with_peers(lambda: cpu.arrays.sort(keys), lambda: np.sort(keys), None, lambda: series.sort()),
        )
    for name, keys in data.items():
        series = polars and polars.Series(keys)
        yield Row(
            f"sort_pairs {name}, u32",
            n,
            with_peers(
                lambda: cpu.arrays.sort_pairs(keys, values),
                lambda: values[np.argsort(keys, kind="stable")],
                None,
                lambda: series.arg_sort(),
            ),
        )
    two = [data["i32 < 1000"], data["u32"]]
    frame = polars and polars.DataFrame(dict(zip("ab", two, strict=True)))
    yield Row(
        "order_by i32, u32",
        n,
        with_peers(
            lambda: cpu.arrays.order_by(two),
            lambda: np.lexsort(two[::-1]),
            None,
            lambda: frame.select(polars.arg_sort_by("a", "b", maintain_order=True)),
        ),
    )
    keys = data["u64"]
    yield Row(
        "split_by_bit u64",
        n,
        with_peers(
            lambda: cpu.arrays.split_by_bit(keys, 9),
            lambda: np.concatenate((keys[keys & np.uint64(512) == 0], keys[keys & np.uint64(512) != 0])),
        ),
    )


def distinct_rows(cpu: Any, data: dict[str, np.ndarray], n: int) -> Iterator[Row]:
    some = np.random.default_rng(2).choice(data["u64"][:1000], n)
    for name, keys in {**data, "u64, 1000 values": some}.items():
        series = polars and polars.Series(keys)
        yield Row(
            f"distinct {name}",
            n,
            {
                **with_peers(
                    lambda: cpu.arrays.distinct(keys),
                    lambda: np.unique(keys),
                    lambda: np.sort(pandas.unique(keys)),
                    lambda: series.unique().sort(),
                ),
                "numpy sort+mask": lambda: sort_and_mask(keys),
            },
        )
        yield Row(
            f"distinct_counts {name}",
            n,
            with_peers(
                lambda: cpu.arrays.distinct_counts(keys),
                lambda: np.unique(keys, return_counts=True),
                lambda: pandas.Series(keys).value_counts(sort=False),
                lambda: series.value_counts(),
            ),
        )
        yield Row(
            f"distinct_first {name}",
            n,
            with_peers(lambda: cpu.arrays.distinct_first(keys), lambda: np.unique(keys, return_index=True)),
        )


def sort_and_mask(keys: np.ndarray) -> np.ndarray:
    keys = np.sort(keys)
    return keys[np.concatenate(([True], keys[1:] != keys[:-1]))]


def pass_rows(cpu: Any, data: dict[str, np.ndarray], n: int) -> Iterator[Row]:
    for name, values in data.items():
        series = polars and polars.Series(values)
        wide = {"u": np.uint64, "i": np.int64, "f": np.float64}[values.dtype.kind]
        yield Row(
            f"inclusive_scan {name}",
            n,
            with_peers(
                lambda: cpu.arrays.inclusive_scan(values),
                lambda: np.cumsum(values, dtype=wide),
                None,
                lambda: series.cum_sum(),
            ),
        )
        yield Row(
            f"sum {name}",
            n,
            with_peers(
                lambda: cpu.arrays.reduce(values, "sum"), lambda: np.sum(values, dtype=wide), None, lambda: series.sum()
            ),
        )
        yield Row(
            f"max {name}",
            n,
            with_peers(lambda: cpu.arrays.reduce(values, "max"), lambda: np.max(values), None, lambda: series.max()),
        )
    values = data["i32 < 1000"]
    series = polars and polars.Series(values)
    mask = values > 500
    flags = polars and polars.Series(mask)
    runs = np.repeat(values[: n // 3], 3)
    run_series = polars and polars.Series(runs)
    yield Row(
        "matches i32",
        n,
        with_peers(lambda: cpu.arrays.matches(values, ">", 500), lambda: values > 500, None, lambda: series > 500),
    )
    yield Row(
        "compact i32, half kept",
        n,
        with_peers(
            lambda: cpu.arrays.compact(values, mask),
            lambda: (values[mask], np.flatnonzero(mask)),
            None,
            lambda: (series.filter(flags), flags.arg_true()),
        ),
    )
    yield Row(
        "run_lengths i32, runs of 3",
        n,
        with_peers(lambda: cpu.arrays.run_lengths(runs), lambda: numpy_runs(runs), None, lambda: run_series.rle()),
    )
    yield Row(
        "histogram i32, 1000 bins",
        n,
        with_peers(lambda: cpu.arrays.histogram(values, 0, 1000, 1000), lambda: np.histogram(values, 1000, (0, 1000))),
    )
    yield Row(
        "histogram f64, 1000 bins",
        n,
        with_peers(
            lambda: cpu.arrays.histogram(data["f64"], -4, 4, 1000), lambda: np.histogram(data["f64"], 1000, (-4, 4))
        ),
    )
    yield Row(
        "count_integers i32",
        n,
        with_peers(lambda: cpu.arrays.count_integers(values, 1000), lambda: np.bincount(values, minlength=1000)),
    )


def numpy_runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return values[starts], np.diff(starts, append=len(values))


def join_rows(cpu: Any, data: dict[str, np.ndarray], n: int) -> Iterator[Row]:
    n = min(n, 20_000_000)
    rng = np.random.default_rng(3)
    for dtype in (np.uint32, np.uint64):
        for n_wanted in (4000, 10_000_000):
            keys = data[f"u{8 * np.dtype(dtype).itemsize}"][:n]
            wanted = np.concatenate(
                (rng.choice(keys, n_wanted // 2), rng.integers(0, np.iinfo(dtype).max, n_wanted // 2, dtype))
            )
            series, wanted_series = (polars and polars.Series(x) for x in (keys, wanted))
            table = cpu.arrays.distinct(wanted)
            name = f"{np.dtype(dtype)}, {n_wanted:,} keys"
            yield Row(
                f"semi_join {name}",
                n,
                with_peers(
                    lambda: cpu.arrays.semi_join(keys, wanted),
                    lambda: np.isin(keys, wanted),
                    lambda: pandas.Series(keys).isin(wanted),
                    lambda: series.is_in(wanted_series.implode()),
                ),
            )
            yield Row(
                f"lookup {name}",
                n,
                with_peers(
                    lambda: cpu.arrays.lookup(table, keys),
                    lambda: np.searchsorted(table, keys),
                    lambda: pandas.Index(table).get_indexer(keys),
                    None,
                ),
            )


def graph_rows(cpu: Any, data: dict[str, np.ndarray], n: int) -> Iterator[Row]:
    del data
    n_vertices = max(1, n // 4)
    tails, heads = np.random.default_rng(4).integers(0, n_vertices, (2, n), np.uint32)
    row_ptr, col = cpu.graphs.csr_from_edges(tails, heads, n_vertices)
    vertices = np.arange(n_vertices, dtype=np.uint32)
    yield Row(
        "csr_from_edges u32",
        n,
        with_peers(
            lambda: cpu.graphs.csr_from_edges(tails, heads, n_vertices),
            lambda: (np.cumsum(np.bincount(tails, minlength=n_vertices)), heads[np.argsort(tails, kind="stable")]),
        ),
    )
    yield Row(
        "csr_tails u32",
        n,
        with_peers(lambda: cpu.graphs.csr_tails(row_ptr, col), lambda: np.repeat(vertices, np.diff(row_ptr))),
    )
    yield Row("csr_reverse u32", n, with_peers(lambda: cpu.graphs.csr_reverse(row_ptr, col)))
    yield Row("out_degrees", n_vertices, with_peers(lambda: cpu.graphs.out_degrees(row_ptr), lambda: np.diff(row_ptr)))
    yield Row(
        "in_degrees u32",
        n,
        with_peers(lambda: cpu.graphs.in_degrees(col, n_vertices), lambda: np.bincount(col, minlength=n_vertices)),
    )
    for shape in ((n // 4, 4), (4, n // 4), (4096, n // 4096)):
        matrix = heads[: shape[0] * shape[1]].reshape(shape)
        yield Row(
            f"transpose u32 {shape[0]} x {shape[1]}",
            n,
            with_peers(lambda: cpu.arrays.transpose(matrix), lambda: np.ascontiguousarray(matrix.T)),
        )


def rates(row: Row, way: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Million values a second, by elapsed and by CPU time."""
    way()
    elapsed, cpu = [], []
    for _ in range(repeats):
        begin = time.perf_counter(), time.process_time()
        way()
        elapsed.append(time.perf_counter() - begin[0])
        cpu.append(time.process_time() - begin[1])
    return row.n / min(elapsed) / 1e6, row.n / min(cpu) / 1e6


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=50_000_000, help="values")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these in it")
    parser.add_argument("--slow", action="store_true", help="np.unique(a) of many values too, which takes minutes")
    args = parser.parse_args()
    cpu = backends.load(RunOptions(backend="cpu", threads=args.threads))
    versions = [f"{module.__name__} {module.__version__}" for module in (np, pandas, polars) if module]
    print(f"{processor()}, {args.threads} threads, n = {args.n:,}, {', '.join(versions)}")
    print("million values a second: elapsed / CPU time")
    data = inputs(args.n)
    for rows in (order_rows, distinct_rows, pass_rows, join_rows, graph_rows):
        for row in rows(cpu, data, args.n):
            if not any(word in row.name for word in args.only):
                continue
            print(f"{row.name:32}", end="", flush=True)
            for name, way in row.ways.items():
                if name == "numpy" and row.name in ("distinct u32", "distinct u64", "distinct f64") and not args.slow:
                    continue
                print("  {} {:.0f} / {:.0f}".format(name, *rates(row, way, args.repeats)), end="", flush=True)
            print()


if __name__ == "__main__":
    main()
