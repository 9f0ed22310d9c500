"""Estimate how long a cluster takes from reads to unitigs, and what limits each stage."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debruijn_gpu.assembly.cluster_needs import ClusterModel, ClusterStage, ReadLoad
from debruijn_gpu.assembly.cluster_options import ClusterOptions
from debruijn_gpu.assembly.cluster_simulation import SimulatedStage, simulate_cluster
from debruijn_gpu.assembly.stage_rates import DEFAULT_RATES, StageRates
from debruijn_gpu.backends.core.cache_place import cache_root
from debruijn_gpu.errors import FileAccessError, FormatError
from debruijn_gpu.io.json_reading import parse_json
from debruijn_gpu.io.whole_file import whole_file

_FILE = "stage_rates.json"


@dataclass(frozen=True)
class ClusterEstimate:
    """Times of the stages on a cluster.

    Attributes
    ----------
    model : ClusterModel
    stages : list of ClusterStage
    simulated : list of SimulatedStage
        Of the same stages, with slow workers and uneven partitions.
    """

    model: ClusterModel
    stages: list[ClusterStage]
    simulated: list[SimulatedStage]

    @property
    def wall_s(self) -> float:
        """Simulated time of all stages."""
        return sum(stage.wall_s for stage in self.simulated)

    @property
    def limit(self) -> ClusterStage:
        """Stage that takes most of the least time."""
        return max(self.stages, key=lambda stage: stage.wall_s)

    def as_json(self) -> dict[str, Any]:
        """Return members for JSON."""
        model, cluster = self.model, self.model.cluster
        return {
            "workers": cluster.n_workers,
            "worker_threads": cluster.threads,
            "worker_memory_bytes": cluster.memory,
            "network_bytes_per_s": cluster.network,
            "storage_bytes_per_s": cluster.storage,
            "k": model.load.k,
            "partitions": model.n_partitions,
            "worker_stored_bytes": model.worker_bytes,
            "glue_memory_bytes": model.glue_memory,
            "fits": model.fits,
            "least_wall_s": model.wall_s,
            "wall_s": self.wall_s,
            "limit": {"stage": self.limit.name, "by": self.limit.limit},
            "stages": [
                {
                    "name": stage.name,
                    "tasks": stage.n_tasks,
                    "cpu_s": stage.cpu_s,
                    "moved_bytes": round(stage.moved_bytes),
                    "least_s": stage.seconds,
                    "limit": stage.limit,
                    "wall_s": simulated.wall_s,
                    "busy_share": simulated.busy_share,
                }
                for stage, simulated in zip(self.stages, self.simulated, strict=True)
            ],
            "rates": model.rates.as_json(),
        }


def estimate_cluster(load: ReadLoad, options: ClusterOptions) -> ClusterEstimate:
    """Estimate the stages of a load on a cluster.

    Raises
    ------
    DbgError
        A size or the file of rates is invalid.
    """
    rates = load_rates(options.rates) if options.rates is not None else calibrated_rates()
    model = ClusterModel(load, options.cluster(), rates)
    return ClusterEstimate(model, model.stages(), simulate_cluster(model))


def load_rates(path: str) -> StageRates:
    """Read rates from a JSON file.

    Raises
    ------
    FormatError, FileAccessError
    """
    try:
        found = parse_json(Path(path).read_bytes())
    except OSError as error:
        raise FileAccessError(f"{path}: {error.strerror or error}", "look at the file") from error
    except ValueError as error:
        raise FormatError(f"{path}: expected JSON: {error}", "measure rates with dbg doctor --calibrate") from None
    return StageRates.from_json(found, path)


def calibrated_rates() -> StageRates:
    """Return the rates that `save_rates` keeps, or those of the package if there are none, or damaged ones."""
    root = cache_root()
    try:
        return DEFAULT_RATES if root is None else load_rates(str(root / _FILE))
    except (FileAccessError, FormatError):
        return DEFAULT_RATES


def save_rates(rates: StageRates) -> str:
    """Keep measured rates beside the compiled code; return the file.

    Raises
    ------
    FileAccessError
        If there is no such place, or it cannot be written.
    """
    root = cache_root()
    if root is None:
        raise FileAccessError("there is no home directory to keep the calibration in", "set DBG_CACHE_DIR")
    try:
        root.mkdir(parents=True, exist_ok=True)
        with whole_file(root / _FILE) as file:
            file.write((json.dumps(rates.as_json(), indent=2) + "\n").encode())
    except OSError as error:
        raise FileAccessError(f"{root / _FILE}: {error.strerror}", "set DBG_CACHE_DIR") from error
    return str(root / _FILE)
