"""How fast de Bruijn sequences are made, found in, and verified.

    python -m tests.benchmarks.sequences [--backend cuda] [--threads 1] [--repeats 3] [--huge] [--only lfsr]

Each row is the best of ``--repeats`` calls after one to warm up. Symbols stay where they are made, except in the rows
"to a pipe", which are whole processes from start to exit. ``--huge`` adds order 40 (128 GiB of bits through a checksum,
with windows of it located) and the verification of 2^32 symbols.
"""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.euler.circuits import euler_circuits
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sequences.euler import EulerSequence
from debruijn_gpu.sequences.lyndon import LyndonSequence
from debruijn_gpu.sequences.products import ProductSequence
from debruijn_gpu.sequences.registers import RegisterSequence
from debruijn_gpu.sequences.verify import verify

N_ASKED = 10_000  # windows that are located together
DEVICE_BLOCK = 1 << 33


@dataclass(frozen=True)
class Row:
    """What is measured: a name, the work, and how many items it is for."""

    name: str
    work: Callable[[], Any]
    n_items: int
    unit: str = "symbols"


def drained(blocks: Iterator[Any]) -> None:
    """Make all blocks, and forget them."""
    for _ in blocks:
        pass


def made_rows(backend: Any, on_gpu: bool) -> Iterator[Row]:
    """Symbols made where they stay."""
    order = 36 if on_gpu else 34
    bits = RegisterSequence(2, order)
    block = bits.length if on_gpu else 1 << 24
    yield Row(
        f"lfsr, 2 symbols, bits, order {order}",
        lambda: drained(bits.bit_blocks(0, bits.length, backend, block)),
        bits.length,
    )
    block = 1 << 28 if on_gpu else 1 << 24
    for name, sequence in (
        ("lfsr, 4 symbols, order 15", RegisterSequence(4, 15)),
        ("crt, 10 symbols, order 9", ProductSequence(10, 9)),
        ("lyndon, 4 symbols, order 15", LyndonSequence(4, 15)),
        ("lyndon, 10 symbols, order 9", LyndonSequence(10, 9)),
        ("lyndon, 2 symbols, order 30", LyndonSequence(2, 30)),
    ):
        letters = np.arange(48, 48 + sequence.n_symbols, dtype=np.uint8)
        blocks = functools.partial(sequence.blocks, 0, sequence.length, backend, letters, block)
        yield Row(f"{name}, text", lambda blocks=blocks: drained(blocks()), sequence.length)  # type: ignore[misc]


def euler_rows(backend: Any, on_gpu: bool) -> Iterator[Row]:
    """The method euler, and the circuit alone."""
    order = 15 if on_gpu else 12
    find = functools.partial(euler_circuits, de_bruijn_graph(4, order, backend), backend)
    yield Row(f"circuit of B(4, {order}) alone", find, 4**order, "edges")
    del find
    yield Row(f"euler, 4 symbols, order {order}", lambda: EulerSequence(4, order, backend), 4**order)


def located_rows() -> Iterator[Row]:
    """Windows found and written; on the CPU."""
    for name, sequence in (
        ("lyndon, 4 symbols, order 32", LyndonSequence(4, 32)),
        ("lfsr, 2 symbols, order 40", RegisterSequence(2, 40)),
        ("crt, 10 symbols, order 16", ProductSequence(10, 16)),
    ):
        rng = np.random.default_rng(1)
        positions = [int(rng.integers(1 << 63)) * 2 % sequence.length for _ in range(N_ASKED)]
        windows = sequence.windows_at(positions)
        assert sequence.positions_of(windows) == positions
        for verb, work in (("at", sequence.windows_at), ("locate", sequence.positions_of)):
            asked = positions if verb == "at" else windows
            call = functools.partial(work, asked)
            yield Row(f"{verb}, {name}", call, N_ASKED, "windows")


def verified_rows(backend: Any, order: int) -> Iterator[Row]:
    """Packed bits in host memory, verified."""
    host = backends.host()
    packed = list(RegisterSequence(2, order).bit_blocks(0, 1 << order, host))

    def work() -> None:
        assert verify(lambda: iter(packed), 2, order, False, backend, n_bits=1).ok

    yield Row(f"verify, 2 symbols, order {order}, bits", work, 1 << order)


def pipe_rows(threads: int) -> Iterator[Row]:
    """Whole processes that write to a pipe, whose reader throws all away."""
    for options, n_symbols in (
        ("--alphabet ACGT -n 16 --method lyndon --range 0:2^32", 1 << 32),
        ("--alphabet 10 -n 10 --method lyndon --range 0:4G", 4_000_000_000),
        ("-n 38 --method lfsr --format bits --range 0:2^38", 1 << 38),
    ):
        command = f"{sys.executable} -m debruijn_gpu debruijn -q -t {threads} {options} | cat > /dev/null"
        work = functools.partial(subprocess.run, ["bash", "-o", "pipefail", "-c", command], check=True)
        yield Row(f"to a pipe: {options}", work, n_symbols)


def checksum_of_order_40(backend: Any) -> None:
    """All of B(2, 40) through a checksum; windows of what was made are located where they are."""
    sequence = RegisterSequence(2, 40)
    rng = np.random.default_rng(1)
    total, position, n_located, located_s = 0, 0, 0, 0.0
    begin = time.perf_counter()
    for block in sequence.bit_blocks(0, sequence.length, backend, DEVICE_BLOCK):
        total += backend.sequences.checksum_bytes(block, position)
        asking = time.perf_counter()
        for at in rng.integers(0, len(block) - 8, 100).tolist():
            bits = np.unpackbits(backend.to_host(block[at : at + 5]))
            assert sequence.positions_of(bits[None, :])[0] == 8 * (position + at)
            n_located += 1
        located_s += time.perf_counter() - asking
        position += len(block)
    seconds = time.perf_counter() - begin - located_s
    print(
        f"order 40 to a checksum: {seconds:.2f} s, {sequence.length / seconds / 1e9:.0f} Gbit/s; checksum "
        f"{total % (1 << 64):016x}; {n_located} windows located where they are, in {located_s:.2f} s more"
    )


def best(row: Row, backend: Any, repeats: int) -> float:
    """Seconds of the fastest call after the first."""
    row.work()
    seconds = []
    for _ in range(repeats):
        backend.synchronize()
        begin = time.perf_counter()
        row.work()
        backend.synchronize()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def rows(backend: Any, on_gpu: bool, threads: int, huge: bool) -> Iterator[Row]:
    """All that is measured on a backend."""
    yield from made_rows(backend, on_gpu)
    yield from euler_rows(backend, on_gpu)
    if not on_gpu:
        yield from located_rows()
        yield from pipe_rows(threads)
    yield from verified_rows(backend, 32 if huge else 28)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--huge", action="store_true")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    options = parser.parse_args()
    run = RunOptions(backend=options.backend, threads=options.threads)
    host = backends.load(replace(run, backend="cpu"))
    backend = backends.load_cuda(run) if options.backend == "cuda" else host
    for row in rows(backend, options.backend == "cuda", options.threads, options.huge):
        if options.only in row.name:
            seconds = best(row, backend, options.repeats)
            rate, each = row.n_items / seconds, seconds / row.n_items
            shown = f"{rate / 1e9:8.2f} G {row.unit}/s" if rate > 1e7 else f"{each * 1e6:8.1f} us each"
            print(f"{row.name:60} {1000 * seconds:10.1f} ms {shown}", flush=True)
    if options.huge and options.backend == "cuda" and options.only in "order 40":
        checksum_of_order_40(backend)


if __name__ == "__main__":
    main()
