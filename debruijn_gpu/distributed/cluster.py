"""Connect to the scheduler of a cluster, or start workers on this machine."""

from __future__ import annotations

import logging
import os
import pydoc
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import dask
from distributed import Client, LocalCluster

from debruijn_gpu.distributed.context import version_error
from debruijn_gpu.distributed.errors import ClusterError
from debruijn_gpu.distributed.place import LOCAL
from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.run import log
from debruijn_gpu.run.heaps import MOST_HEAPS
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.parallel import interruptible
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import LEAST_BUDGET, check_budget, format_bytes
from debruijn_gpu.version import __version__

_CONNECTING_S = 10.0
_WAITING_S = 0.2
_CLOSING_S = 1
_ASKED = 5
_REMEDY = "check the address and that the scheduler runs: dask scheduler prints its address when it starts"
#: Data that tasks leave are in scratch files of our own, and a busy machine may let a worker wait for a minute.
_SETTINGS = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.scheduler.worker-ttl": "120s",
    "distributed.worker.profile.enabled": False,  # which looks at every thread each 10 ms
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",  # each look costs a millisecond, in every process
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.nanny.pre-spawn-environ.MALLOC_ARENA_MAX": MOST_HEAPS,
}


@contextmanager
def cluster_of(place: str, run: RunOptions) -> Iterator[tuple[Client, RunOptions]]:
    """Yield a client of a cluster, and the options of what this process does beside it.

    Parameters
    ----------
    place : str
        Address of a scheduler, or ``local:N`` for N workers on this machine; see `place.check_place`.
    run : RunOptions
        Of the command; workers of this machine share its threads and half of its memory.

    Raises
    ------
    ClusterError
        If the scheduler cannot be reached, or has a worker with another version of this package.
    """
    for name in ("distributed", "tornado", "bokeh", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is raised, or logged as a line of ours
    with dask.config.set(_SETTINGS):
        if place.startswith(LOCAL):
            with _local(int(place.removeprefix(LOCAL)), run) as found:
                yield found
        else:
            with _remote(place) as client:
                yield client, run


@contextmanager
def _remote(address: str) -> Iterator[Client]:
    """Yield a client of a running scheduler."""
    try:
        client = interruptible(lambda: Client(address, timeout=_CONNECTING_S, set_as_default=False))
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(f"--dask {address}: no scheduler answers there", _REMEDY) from error
    try:
        _wait_for_workers(client, address)
        _check_versions(client)
        _log_cluster(client)
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_CLOSING_S)


def _wait_for_workers(client: Client, address: str) -> None:
    """Wait until there is a worker, as in a queue of jobs."""
    if not n_threads(client):
        log.logger.warning("--dask %s: the scheduler has no workers yet: waiting for them", address)
    while not n_threads(client):
        with suppress(TimeoutError):
            interruptible(lambda: client.wait_for_workers(1, timeout=_WAITING_S))


def n_threads(client: Client) -> int:
    """Number of threads of all workers."""
    return sum(client.nthreads().values())


def workers_of(client: Client) -> dict[str, Any]:
    """Describe the workers, by address.

    Every two seconds the client replaces what it knows of the scheduler by a description without workers, maybe between
    the question and the answer: then it is asked again.
    """
    found: dict[str, Any] = {}
    for _ in range(_ASKED):
        found = client.scheduler_info(n_workers=-1)["workers"]
        if found or not client.nthreads():
            break
    return found


def least_memory(client: Client) -> int:
    """Memory of the smallest worker, in bytes, for each of its threads."""
    workers = workers_of(client).values()
    limits = [int(worker["memory_limit"]) // worker["nthreads"] for worker in workers if worker["memory_limit"]]
    return min(limits, default=LEAST_BUDGET * 4)


def _check_versions(client: Client) -> None:
    """Raise an error if a worker has another version; Python's own function looks for it."""
    found = client.run(pydoc.locate, "debruijn_gpu.version.__version__")
    others = {name: version for name, version in found.items() if version != __version__}
    if others:
        raise version_error(others, __version__)


def _log_cluster(client: Client) -> None:
    n = len(client.nthreads())
    workers, threads = counted(n, "worker"), counted(n_threads(client), "thread")
    log.report("dask: %s with %s; dashboard: %s", workers, threads, client.dashboard_link)


@contextmanager
def _local(n: int, run: RunOptions) -> Iterator[tuple[Client, RunOptions]]:
    """Start workers on this machine, and end them in any case."""
    budget = check_budget(run.memory) // 2
    if budget // n < LEAST_BUDGET:
        raise OptionValueError(
            f"--dask {LOCAL}{n}: half of the memory, {format_bytes(budget)}, is for {counted(n, 'worker')}, and each "
            f"needs {format_bytes(LEAST_BUDGET)}",
            "start fewer workers, or allow more memory (-m)",
        )
    threads = max(1, run.n_threads // n)
    directory = Path(tempfile.mkdtemp(prefix=".dbg-dask-", dir=run.tmp_dir))
    cluster = None
    try:
        cluster = interruptible(lambda: _start(n, threads, budget // n, directory))
        client = Client(cluster, set_as_default=False)
        _log_cluster(client)
        yield client, replace(run, memory=str(budget))
        client.close(timeout=_CLOSING_S)
    finally:
        if cluster is not None:
            _end(cluster)
        shutil.rmtree(directory, ignore_errors=True)


def _start(n: int, threads: int, memory_bytes: int, directory: Path) -> LocalCluster:
    return LocalCluster(
        n_workers=n,
        threads_per_worker=threads,
        processes=True,
        memory_limit=memory_bytes,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        local_directory=str(directory),
        preload=["debruijn_gpu.distributed.preload"],
    )


def _end(cluster: LocalCluster) -> None:
    """Kill the workers: they hold nothing that is still needed, and would take a second to leave."""
    nannies: list[Any] = list(cluster.workers.values())
    for nanny in nannies:
        nanny.auto_restart = False
        process = getattr(nanny.process, "process", None)
        if process is not None and process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
    with suppress(Exception):
        cluster.close(timeout=_CLOSING_S)
