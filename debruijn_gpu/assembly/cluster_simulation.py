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
    rng = np.random.default_rng(disturbed.seed)
    slowness = rng.lognormal(0.0, disturbed.speed_spread, model.cluster.n_workers)
    slowness[rng.random(model.cluster.n_workers) < disturbed.slow_share] *= disturbed.slowness
    sizes = rng.lognormal(0.0, disturbed.partition_spread, model.n_partitions)
    sizes /= sizes.sum()
    return [_simulated(stage, model, slowness, sizes) for stage in model.stages()]


def _simulated(
    stage: ClusterStage, model: ClusterModel, slowness: NDArray[np.float64], sizes: NDArray[np.float64]
) -> SimulatedStage:
    """Simulate one stage; its traffic overlaps its tasks."""
    if stage.name in ("start", "glue"):
        return SimulatedStage(stage.name, stage.wall_s, 1.0 if stage.name == "start" else 1 / model.cluster.n_slots)
    wall_s, busy_s = max(_received(stage, model, sizes), stage.seconds["scheduler"]), 0.0
    if stage.cpu_s:
        shares = sizes if stage.n_tasks == len(sizes) else np.full(stage.n_tasks, 1 / stage.n_tasks)
        tasks_s, busy_s = _scheduled(stage, model, slowness, shares)
        wall_s = max(wall_s, tasks_s)
    return SimulatedStage(stage.name, wall_s, busy_s / max(wall_s * model.cluster.n_slots, 1e-9))


def _received(stage: ClusterStage, model: ClusterModel, sizes: NDArray[np.float64]) -> float:
    """Seconds until the worker with the largest partitions has received them."""
    owners = np.arange(len(sizes)) % model.cluster.n_workers
    largest = float(np.bincount(owners, weights=sizes).max())
    return stage.moved_bytes * largest / model.cluster.network


def _scheduled(
    stage: ClusterStage, model: ClusterModel, slowness: NDArray[np.float64], shares: NDArray[np.float64]
) -> tuple[float, float]:
    """Time until the last task of a stage ends, and the time in which slots work.

    Any worker takes any part of the input; a partition is worked on by its owner.
    """
    cluster = model.cluster
    task_s = cluster.task_s if cluster.n_workers > 1 else 0.0
    n_pools = 1 if stage.name == "read" else cluster.n_workers
    slots = [(0.0, slot) for slot in range(cluster.n_slots)]
    pools = [slots[pool::n_pools] for pool in range(n_pools)]  # slot s is of worker s % n_workers
    storage_free, end, busy_s = 0.0, 0.0, 0.0
    stored_s = stage.seconds["storage"]
    for number, share in enumerate(shares.tolist()):
        pool = pools[number % n_pools]
        free, slot = heapq.heappop(pool)
        start = max(free, (number + 1) * task_s)
        if stored_s:
            storage_free = max(storage_free, start) + stored_s * share
            start = storage_free
        worked_s = stage.cpu_s * share * float(slowness[slot % cluster.n_workers])
        busy_s += worked_s
        end = max(end, start + worked_s)
        heapq.heappush(pool, (start + worked_s, slot))
    return end, busy_s
