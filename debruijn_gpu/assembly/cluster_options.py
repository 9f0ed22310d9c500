"""Options of a plan for a cluster. Each default is defined here once; the command line reads it from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.run.checks import Checked, at_least
from debruijn_gpu.run.resources import memory_budget

if TYPE_CHECKING:
    from debruijn_gpu.assembly.cluster_needs import Cluster

#: Workers of a plan, at most: the simulation holds a record of each task
_MOST_WORKERS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class ClusterOptions(Checked):
    """Workers of a cluster, and what they share.

    Attributes
    ----------
    workers, worker_threads : int
        Processes, and threads of each.
    worker_memory : str
        Size, such as 16G.
    network, storage : str
        Sizes per second: into and out of each worker; of the file system that all workers read from.
    rates : str or None
        JSON file of measured rates; None: those of ``dbg doctor --calibrate``, or those of the package.
    """

    workers: int
    worker_threads: int = 1
    worker_memory: str = "16G"
    network: str = "1G"
    storage: str = "5G"
    rates: str | None = None

    checks: ClassVar = (
        at_least("workers", 1, "give the number of processes of the cluster"),
        at_least("worker_threads", 1, "give the number of threads of each worker"),
    )

    def cluster(self) -> Cluster:
        """Parse the sizes.

        Raises
        ------
        OptionValueError
            If one is none, or there are more threads in sum than can be simulated.
        """
        from debruijn_gpu.assembly.cluster_needs import Cluster  # seldom needed

        if self.workers * self.worker_threads > _MOST_WORKERS:
            n = self.workers * self.worker_threads
            raise OptionValueError(
                f"--workers {self.workers} of {self.worker_threads} threads: {n:,} threads",
                f"give at most {_MOST_WORKERS:,} in sum",
            )
        sizes = ("worker_memory", "network", "storage")
        found = (memory_budget(getattr(self, name), 0, self.option_name(name)) for name in sizes)
        return Cluster(self.workers, self.worker_threads, *found)
