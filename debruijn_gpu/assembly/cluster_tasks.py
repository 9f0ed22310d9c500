"""How many tasks a cluster is given: `distributed` cuts its work by these numbers, and plans count them.

The scheduler hands out tasks one after another, and more than some for each thread only even out slow ones. So their
number grows with the threads until handing them out takes as long as working on them: beyond that, more workers would
make a run slower.
"""

from __future__ import annotations

import math

#: Partitions are numbered in 16 bits
MOST_PARTITIONS = (1 << 16) - 1
#: K-mers of a partition that is compacted: graphs of some millions take half as much time again for each
CACHED_KMERS = 1 << 19
PARTITIONS_PER_THREAD = 3  # so that threads end at about the same time
_RANGES_PER_THREAD, _FEWER_RANGES_PER_THREAD, _ENOUGH_RANGES = 8, 3, 64
_FEWEST = 64
_TASKS_PER_ROOT = 0.004


def most_tasks(n_bases: float) -> int:
    """Compute how many tasks of one kind pay, for a number of bases of reads.

    Reading, counting and compacting take t = 45 ns for each of n bases, and the scheduler s = 1 ms for each of the six
    tasks of a part or partition. With p of them, 3 for each thread, that is n t / (p / 3) seconds, and 6 p s to hand
    them out: the sum is least where p is the root of n t / 2 s, or 0.0047 times that of n.
    """
    return max(_FEWEST, int(_TASKS_PER_ROOT * math.sqrt(n_bases)))


def n_partitions(n_threads: int, by_memory: int, n_bases: float) -> int:
    """Choose a number of partitions: as many as memory asks for, and more by threads as long as these pay."""
    by_threads = min(PARTITIONS_PER_THREAD * n_threads, most_tasks(n_bases))
    return max(1, min(MOST_PARTITIONS, max(by_memory, by_threads)))


def n_ranges(n_threads: int, n_bases: float) -> int:
    """Choose a number of parts of the reads."""
    wanted = max(_FEWER_RANGES_PER_THREAD * n_threads, min(_RANGES_PER_THREAD * n_threads, _ENOUGH_RANGES))
    return min(wanted, most_tasks(n_bases))
