"""What the model of clusters predicts for loads beyond any machine at hand, by number of workers.

    python -m tests.benchmarks.cluster_plans [--rates stage_rates.json] [--output plans.json]

A human-sized genome of 3 Gbp at 50x, and 10 Tbp of a metagenome with a distinct solid k-mer for every
twentieth base. For each number of workers: least time of the stages, simulated time with slow workers and uneven
partitions, the largest stage and its limit, and the memory that gluing takes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from debruijn_gpu.assembly.cluster_needs import ClusterModel, ReadLoad
from debruijn_gpu.assembly.cluster_options import ClusterOptions
from debruijn_gpu.assembly.cluster_simulation import simulate_cluster
from debruijn_gpu.assembly.stage_rates import DEFAULT_RATES
from debruijn_gpu.cluster_estimation import load_rates

_READ_BP, _K = 150, 31
_BYTES_PER_BASE = 0.5  # of compressed FASTQ
_WORKERS = (1, 10, 100, 1000, 10_000)


def load(n_bases: float, n_kept: float) -> ReadLoad:
    """Describe compressed reads of 150 bp."""
    n_kmers = n_bases * (_READ_BP - _K + 1) / _READ_BP
    return ReadLoad(n_bases, n_bases * _BYTES_PER_BASE, 1.0, _READ_BP, _K, n_kmers, n_kept)


LOADS = {
    "3 Gbp genome at 50x": load(150e9, 2.8e9),
    "10 Tbp of a metagenome": load(10e12, 5e11),
}


def rows_of(name: str, reads: ReadLoad, options: argparse.Namespace) -> list[dict[str, object]]:
    """Plan a load on clusters of all sizes."""
    rates = DEFAULT_RATES if options.rates is None else load_rates(options.rates)
    rows: list[dict[str, object]] = []
    for n in _WORKERS:
        chosen = ClusterOptions(
            workers=n, worker_memory=options.worker_memory, network=options.network, storage=options.storage
        )
        model = ClusterModel(reads, chosen.cluster(), rates)
        stages, simulated = model.stages(), simulate_cluster(model)
        largest = max(stages, key=lambda stage: stage.wall_s)
        rows.append(
            {
                "load": name,
                "workers": n,
                "partitions": model.n_partitions,
                "least_wall_s": model.wall_s,
                "wall_s": sum(stage.wall_s for stage in simulated),
                "stages": {stage.name: round(stage.wall_s, 1) for stage in simulated},
                "limit": f"{largest.name}: {largest.limit}",
                "worker_bytes": model.worker_bytes,
                "glue_bytes": model.glue_memory,
            }
        )
    return rows


def print_rows(rows: list[dict[str, object]]) -> None:
    """Print a table in Markdown."""
    print("| load | workers | start | read | shuffle | count | compact | glue | all, minutes | limit |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        stages, wall_s = row["stages"], row["wall_s"]
        assert isinstance(stages, dict)
        assert isinstance(wall_s, float)
        minutes = (f"{seconds / 60:.1f}" for seconds in stages.values())
        print(f"| {row['load']} | {row['workers']:,} | {' | '.join(minutes)} | {wall_s / 60:,.0f} | {row['limit']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rates", help="JSON file of measured rates")
    parser.add_argument("--worker-memory", default="16G")
    parser.add_argument("--network", default=ClusterOptions.network)
    parser.add_argument("--storage", default=ClusterOptions.storage)
    parser.add_argument("--output", type=Path, help="write JSON, too")
    options = parser.parse_args()
    rows = [row for name, reads in LOADS.items() for row in rows_of(name, reads, options)]
    print_rows(rows)
    if options.output:
        options.output.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
