"""Model of the stages from reads to unitigs on many workers: time, traffic, memory, and what limits each stage.

Workers read parts of the input; each partition of super-k-mers by minimizer is fetched from all of them and counted,
its k-mers are fetched by their ends and compacted; one process glues the segments. (Chikhi et al. 2016, BCALM 2.)
The model knows sums and maxima; `cluster_simulation` knows single tasks, slow workers and queues.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from debruijn_gpu.alphabet import words_per_kmer
from debruijn_gpu.assembly import cluster_tasks
from debruijn_gpu.assembly.stage_rates import StageRates
from debruijn_gpu.backends.kmers.minimizers import minimizer_length
from debruijn_gpu.run.tuning import tuning

_GRAPH_BYTES = 72  # of a partition that is compacted, per k-mer; see `needs`
_PARTITION_SHARE = 0.3  # of a worker's memory, for the partitions that its threads have under way
_LOADED_BYTES = 192 << 20
_SEGMENT_BYTES, _GLUED_BYTES_PER_BASE = 40, 0.5  # see `SegmentStore.glue_bytes`
_TWO_PARTITIONS = 1.08  # partitions of a k-mer, on average
_TEXT_PER_BASE = 2.2  # bytes of FASTQ: bases, qualities, headers
_START_S = 1.0  # of a worker: loads Python, libraries and kernels
_MESSAGE_S = 2e-3  # of workers: one asks, and the other one answers
_TALLIED, _COUNTED = 2, 3  # tasks of a part of the input (split, sum), and of a partition (count, spectrum, scatter)


@dataclass(frozen=True)
class Cluster:
    """Workers, and what they share.

    Attributes
    ----------
    n_workers, threads : int
        Processes, and threads of each.
    memory : int
        Bytes of each worker.
    network : float
        Bytes per second into and out of each worker.
    storage : float
        Bytes per second of the file system that all workers read from.
    task_s : float
        Seconds of the scheduler for each task.
    """

    n_workers: int
    threads: int
    memory: int
    network: float
    storage: float
    task_s: float = 1e-3

    @property
    def n_slots(self) -> int:
        """Tasks that run at once."""
        return self.n_workers * self.threads


@dataclass(frozen=True)
class ReadLoad:
    """What is to be compacted.

    Attributes
    ----------
    n_bases, file_bytes : float
        Of the input.
    compressed_share : float
    read_bp : float
    k : int
    n_kmers : float
        Occurrences.
    n_kept : float
        Distinct k-mers that are kept.
    """

    n_bases: float
    file_bytes: float
    compressed_share: float
    read_bp: float
    k: int
    n_kmers: float
    n_kept: float

    @property
    def shuffle_bytes(self) -> float:
        """Size of the super-k-mers: two bits for each base, and a byte for the length of each.

        Random minimizers of w windows change every (w + 1) / 2 k-mers (Schleimer et al. 2003), and with each read.
        """
        windows = self.k - minimizer_length(self.k) + 1
        per_kmer = 2 / (windows + 1) + 1 / max(1.0, self.read_bp - self.k + 1)
        return self.n_kmers * ((1 + (self.k - 1) * per_kmer) / 4 + per_kmer)

    @property
    def scatter_bytes(self) -> float:
        """Size of the k-mers that are kept, each in the partitions of its ends."""
        return self.n_kept * _TWO_PARTITIONS * (8 * words_per_kmer(self.k) + 4)


@dataclass(frozen=True)
class ClusterStage:
    """A stage on a cluster.

    Attributes
    ----------
    name : str
    n_tasks : int
    cpu_s : float
        Seconds of one core, of all tasks.
    moved_bytes : float
        Between workers.
    seconds : dict of str to float
        Least time by each limit: CPU, storage, network, messages, scheduler, one process. They overlap: the largest
        counts.
    """

    name: str
    n_tasks: int
    cpu_s: float
    moved_bytes: float
    seconds: dict[str, float]

    @property
    def wall_s(self) -> float:
        """Least time of the stage."""
        return max(self.seconds.values())

    @property
    def limit(self) -> str:
        """What takes that time."""
        return max(self.seconds, key=lambda name: self.seconds[name])


@dataclass(frozen=True)
class ClusterModel:
    """Stages of a load on a cluster.

    Attributes
    ----------
    load : ReadLoad
    cluster : Cluster
    rates : StageRates
    """

    load: ReadLoad
    cluster: Cluster
    rates: StageRates

    @cached_property
    def used(self) -> Cluster:
        """The workers that get tasks; more are idle, see `cluster_tasks`."""
        n_tasks = max(cluster_tasks.most_tasks(self.load.n_bases), self._partitions_by_memory)
        n_workers = math.ceil(n_tasks / cluster_tasks.PARTITIONS_PER_THREAD / self.cluster.threads)
        return replace(self.cluster, n_workers=min(self.cluster.n_workers, n_workers))

    @property
    def _partitions_by_memory(self) -> int:
        room = _PARTITION_SHARE * max(1, self.cluster.memory - _LOADED_BYTES)
        return math.ceil(_GRAPH_BYTES * self.load.n_kept * _TWO_PARTITIONS * self.cluster.threads / room)

    @cached_property
    def n_partitions(self) -> int:
        """Partitions that are counted: so many that those under way fit into each worker, and slow ones even out."""
        return cluster_tasks.n_partitions(self.used.n_slots, self._partitions_by_memory, self.load.n_bases)

    @property
    def n_compacted(self) -> int:
        """Partitions that are compacted: so many that their graphs fit into the caches, too."""
        in_cache = min(int(self.load.n_kept / cluster_tasks.CACHED_KMERS), cluster_tasks.MOST_PARTITIONS)
        return max(self.n_partitions, in_cache)

    @property
    def n_reading_tasks(self) -> int:
        """Tasks that read a part of a file each."""
        most = math.ceil(_TEXT_PER_BASE * self.load.n_bases / tuning().range_bytes)
        return max(1, min(cluster_tasks.n_ranges(self.used.n_slots, self.load.n_bases), most))

    @property
    def n_segments(self) -> float:
        """Segments of unitigs that are glued."""
        return self.load.n_kept * self.rates.segments_per_kmer

    @property
    def glue_memory(self) -> int:
        """Memory of the process that glues."""
        n_bases = self.load.n_kept + (self.load.k - 1) * self.n_segments
        return int(_LOADED_BYTES + _SEGMENT_BYTES * self.n_segments + _GLUED_BYTES_PER_BASE * n_bases)

    @property
    def worker_bytes(self) -> int:
        """Super-k-mers, and then k-mers by partition, that each worker keeps in memory or on its disk."""
        return int(max(self.load.shuffle_bytes, self.load.scatter_bytes) / self.used.n_workers)

    @property
    def fits(self) -> bool:
        """Whether the process that glues has memory for it, if that is as much as a worker's."""
        return self.glue_memory <= self.cluster.memory

    def stages(self) -> list[ClusterStage]:
        """Compute the stages in their order."""
        load, rates = self.load, self.rates
        reading = load.n_bases * (rates.read_s_per_base + load.compressed_share * rates.inflate_s_per_base)
        gluing = self.n_segments * rates.glue_s_per_segment
        glued = self._away * self._segment_bytes
        return [
            ClusterStage("start", 0, _START_S * self.cluster.n_workers, 0.0, {"CPU": _START_S}),
            self._stage("read", self.n_reading_tasks, reading, _TALLIED, load.file_bytes / self.cluster.storage),
            self._shuffle(),
            self._stage("count", self.n_partitions, load.n_kmers * rates.count_s_per_kmer, _COUNTED),
            self._stage("compact", self.n_compacted, load.n_kept * rates.compact_s_per_kmer),
            ClusterStage("glue", 1, gluing, glued, {"one process": gluing, "network": glued / self.cluster.network}),
        ]

    @property
    def _away(self) -> float:
        """Share of the data that another worker holds than works on it."""
        return 1 - 1 / self.used.n_workers

    @property
    def _segment_bytes(self) -> float:
        """Size of all segments: bases, lengths, counts, and the keys and vertices of their ends."""
        n_bases = self.load.n_kept + (self.load.k - 1) * self.n_segments
        return n_bases / 4 + self.n_segments * (16 + 16 * (1 + words_per_kmer(self.load.k)))

    def _shuffle(self) -> ClusterStage:
        """Compute the traffic: a task that counts or compacts asks each worker that has pieces of its partition."""
        used = self.used
        moved = self._away * (self.load.shuffle_bytes + self.load.scatter_bytes)
        n_asked = self.n_partitions * min(used.n_workers, self.n_reading_tasks)
        n_asked += self.n_compacted * min(used.n_workers, self.n_partitions)
        seconds = {
            "network": moved / used.n_workers / used.network,
            "messages": self._away * n_asked * _MESSAGE_S / used.n_workers,
        }
        return ClusterStage("shuffle", 0, 0.0, moved, seconds)

    def _stage(self, name: str, n_tasks: int, cpu_s: float, n_steps: int = 1, storage: float = 0.0) -> ClusterStage:
        """Compute a stage whose tasks, of so many steps each, all workers share."""
        used = self.used
        seconds = {
            "CPU": cpu_s / max(1, min(n_tasks, used.n_slots)),
            "storage": storage,
            "scheduler": n_tasks * n_steps * used.task_s * (used.n_workers > 1),
        }
        return ClusterStage(name, n_tasks, cpu_s, 0.0, seconds)

    @property
    def wall_s(self) -> float:
        """Least time of all stages, one after another."""
        return sum(stage.wall_s for stage in self.stages())
