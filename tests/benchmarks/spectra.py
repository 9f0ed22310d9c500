"""How fast theoretical spectra of cyclic peptides are made, beside NumPy's outer difference and sort.

    python -m tests.benchmarks.spectra [--sorted 20000] [--counted 100000] [--threads 2] [--backend cuda]

Prints seconds, the best of ``--repeats`` after one call to warm up, and million subpeptides a second; on a GPU, with
the spectrum left there. NumPy takes 32 bytes and more for each subpeptide: it has a peptide of its own size
(``--numpy``), which we take beside it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.peptides.spectrum import Peptide
from debruijn_gpu.peptides.theoretical import count_subpeptides, make_ladder, spectrum
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import peak_memory
from tests.naive.spectra import spectrum_of_numpy

LEAST, MOST = 57, 186
DECIMALS = 5


def peptide_of(n: int, decimals: int) -> Peptide:
    """Random masses from glycine's to tryptophan's."""
    unit = 10**decimals
    return Peptide(np.random.default_rng(1).integers(LEAST * unit, MOST * unit + 1, n), decimals)


def rows(backend: Any, args: argparse.Namespace) -> Iterator[tuple[str, int, Callable[[], Any]]]:
    """What is measured: name, number of residues, work."""
    spread, whole = peptide_of(args.sorted, DECIMALS), peptide_of(args.counted, 0)
    yield "sorted, 5 decimals", args.sorted, lambda: spectrum(spread, backend)
    yield "counted, integers", args.counted, lambda: spectrum(whole, backend)
    ladder = make_ladder(whole, backend)
    yield "counted, one by one", args.counted, lambda: backend.spectra.count_masses(ladder, 1, ladder.last + 1)
    yield "counted, by transform", args.counted, lambda: backend.spectra.correlate_masses(ladder)
    for decimals in (DECIMALS, 0):
        masses = peptide_of(args.numpy, decimals).masses
        ours = Peptide(masses, decimals)
        yield f"{decimals} decimals", args.numpy, lambda ours=ours: spectrum(ours, backend)
        yield f"{decimals} decimals, NumPy", args.numpy, lambda masses=masses: spectrum_of_numpy(masses)


def best_time(backend: Any, work: Callable[[], Any], repeats: int) -> float:
    work()
    seconds = []
    for _ in range(repeats):
        backend.synchronize()
        begin = time.perf_counter()
        work()
        backend.synchronize()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sorted", type=int, default=20_000, help="residues")
    parser.add_argument("--counted", type=int, default=100_000, help="residues")
    parser.add_argument("--numpy", type=int, default=5_000, help="residues")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these in it")
    args = parser.parse_args()
    run = RunOptions(backend=args.backend, threads=args.threads)
    backend = backends.load_cuda(run) if args.backend == "cuda" else backends.load(run)
    print(f"{args.backend}, {args.threads} threads: seconds, and million subpeptides a second")
    for name, n, work in rows(backend, args):
        if any(word in name for word in args.only):
            seconds = best_time(backend, work, args.repeats)
            rate = count_subpeptides(n) / seconds / 1e6
            print(f"{name:24}{n:9,} residues {seconds:9.4f} {rate:10,.0f}", flush=True)
    print(f"peak memory {peak_memory() / 2**30:.1f} GiB")


if __name__ == "__main__":
    main()
