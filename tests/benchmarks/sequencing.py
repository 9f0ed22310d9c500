"""How fast cyclic peptides are found.

    python -m tests.benchmarks.sequencing [--threads 2] [--backend cuda] [--only leaderboard]

Prints seconds, the best of ``--repeats`` after one call to warm up: leaderboards on the spectrum of Tyrocidine B1 with
10 % of its masses missing and as many false ones, and branch and bound on ideal spectra.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.peptides.ideal import sequence_ideal
from debruijn_gpu.peptides.leaderboard import sequence_noisy
from debruijn_gpu.peptides.options import LeaderboardOptions
from debruijn_gpu.peptides.residues import range_alphabet
from debruijn_gpu.run.options import RunOptions
from tests.naive.sequencing import cyclic_masses
from tests.peptides.spectrum_data import STANDARD, noisy_tyrocidine, spectrum_of


def rows(backend: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is measured."""
    measured = noisy_tyrocidine(0)
    for name, alphabet in (("standard", STANDARD), ("57..200", range_alphabet(57, 200))):
        for keep in (1_000, 10_000, 100_000):
            options = LeaderboardOptions(keep=keep)
            yield (
                f"leaderboard, {name}, N = {keep:,}",
                lambda alphabet=alphabet, options=options: sequence_noisy(measured, alphabet, backend, options),
            )
    for n in (10, 20, 40):
        ideal = spectrum_of(cyclic_masses(np.random.default_rng(n).choice(STANDARD.masses, n).tolist()))
        yield f"ideal, {n} residues", lambda ideal=ideal: sequence_ideal(ideal, STANDARD)


def best_seconds(work: Callable[[], object], repeats: int) -> float:
    work()
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose name has one of these in it")
    args = parser.parse_args()
    run = RunOptions(backend=args.backend, threads=args.threads)
    backend = backends.load_cuda(run) if args.backend == "cuda" else backends.load(run)
    for name, work in rows(backend):
        if any(word in name for word in args.only):
            print(f"{name:40}{best_seconds(work, args.repeats):10.4f} s", flush=True)


if __name__ == "__main__":
    main()
