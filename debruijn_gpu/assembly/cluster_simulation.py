"""Simulate the stages of a cluster task by task: slow workers, uneven partitions, queues of storage and scheduler.

A discrete simulation: each slot of a worker takes the next task when it is free. The scheduler hands out one task after
another, and the shared file system serves one request after another, both at their rates. Random numbers have a fixed
seed, so that the same cluster gives the same times.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.cluster_needs import ClusterModel, ClusterStage


@dataclass(frozen=True)
class Disturbances:
    """Unevenness of workers and partitions.

    Attributes
    ----------
    speed_spread : float
        Standard deviation of the logarithm of a worker's time.
    slow_share, slowness : float
        Share of the workers that are slowed by others, and by how much.
    partition_spread : float
        Standard deviation of the logarithm of a partition's size.
    seed : int
    """

    speed_spread: float = 0.1
    slow_share: float = 0.01
    slowness: float = 3.0
    partition_spread: float = 0.3
    seed: int = 1


NONE = Disturbances(0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class SimulatedStage:
    """Time of a stage in the simulation.

    Attributes
    ----------
    name : str
    wall_s : float
    busy_share : float
        Share of the slots' time in which they work.
    """

    name: str
    wall_s: float
    busy_share: float


def simulate_cluster(model: ClusterModel, disturbances: Disturbances | None = None) -> list[SimulatedStage]:
    """Simulate all stages, one after another.

    Parameters
    ----------
    model : ClusterModel
    disturbances : Disturbances, optional
    """
    disturbed = Disturbances() if disturbances is None else disturbances
    # Numbers of their own for each purpose, so that worker i is the same one among any number of workers
    speeds, slowed, partitions = (np.random.default_rng([disturbed.seed, i]) for i in range(3))
    slowness = speeds.lognormal(0.0, disturbed.speed_spread, model.used.n_workers)
    slowness[slowed.random(model.used.n_workers) < disturbed.slow_share] *= disturbed.slowness
    found = []
    for stage in model.stages():
        spread = disturbed.partition_spread * (stage.name != "read")
        sizes = partitions.lognormal(0.0, spread, stage.n_tasks)
        found.append(_simulated(stage, model, slowness, sizes / sizes.sum()))
    return found


def _simulated(
    stage: ClusterStage, model: ClusterModel, slowness: NDArray[np.float64], shares: NDArray[np.float64]
) -> SimulatedStage:
    """Simulate one stage."""
    if stage.name == "start":
        return SimulatedStage(stage.name, stage.wall_s, 1.0)
    if stage.name in ("shuffle", "glue"):
        return SimulatedStage(stage.name, stage.wall_s, (stage.name == "glue") / model.used.n_slots)
    tasks_s, busy_s = _scheduled(stage, model, slowness, shares)
    wall_s = max(tasks_s, stage.seconds["scheduler"])
    return SimulatedStage(stage.name, wall_s, busy_s / max(wall_s * model.used.n_slots, 1e-9))


def _scheduled(
    stage: ClusterStage, model: ClusterModel, slowness: NDArray[np.float64], shares: NDArray[np.float64]
) -> tuple[float, float]:
    """Time until the last task of a stage ends, and the time in which slots work; any worker takes any task."""
    cluster = model.used
    task_s = stage.seconds["scheduler"] / stage.n_tasks
    slots = [(0.0, slot) for slot in range(cluster.n_slots)]
    storage_free, end, busy_s = 0.0, 0.0, 0.0
    stored_s = stage.seconds["storage"]
    for number, share in enumerate(shares.tolist()):
        free, slot = heapq.heappop(slots)
        start = max(free, (number + 1) * task_s)
        if stored_s:
            storage_free = max(storage_free, start) + stored_s * share
            start = storage_free
        worked_s = stage.cpu_s * share * float(slowness[slot % cluster.n_workers])
        busy_s += worked_s
        end = max(end, start + worked_s)
        heapq.heappush(slots, (start + worked_s, slot))
    return end, busy_s
