"""Block sizes, table sizes and crossovers between algorithms. They change time and memory, never results.

Each was measured; users need not set them. Tests choose other values, so that small inputs take every branch. A context
variable holds them: threads that `parallel` starts see those of their caller. They are read on the host, at each call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Tuning:
    """Constants of the algorithms, by family of operations.

    Attributes
    ----------
    least_work : int
        Threads: least steps of a range. Handing a range to another thread takes up to 0.15 ms, a step of a kernel a
        few nanoseconds. Default: 131,072.
    shortest_sorted_run : int
        Arrays, CUDA: values of a run to be sorted and merged, at least. Default: 1024.
    pair_bytes : int
        Arrays, CUDA: bytes of device memory for each key that is counted: key and count, packed or by argsort, before
        and after. Default: 64.
    shared_counts : int
        Arrays, CUDA: counters that fit into the shared memory of a block, which has one more for values outside.
        Default and maximum: 12,287, of four bytes in 48 KiB.
    few_wanted_keys : int
        Arrays, CUDA: wanted keys of a semi-join up to which each multiprocessor caches the whole hash table.
        Default: 8192.
    long_row : int
        Graphs, CUDA: edges of a row up to which one thread visits them all; a block visits longer rows. Default: 64.
    few_edges : int
        Circuits, CUDA: edges up to which the cycles of all of them are noted at once, with short sublists.
        Default: 8,388,608.
    noted_edges : int
        Circuits, CUDA: edges whose cycles are noted, of more than ``few_edges``. Default: 1,048,576.
    splitter_bits : int
        Circuits, CUDA: log2 of the edges for each splitter, of more than ``few_edges``. Default: 6.
    packed_key_bits : int
        Circuits, CUDA: bits of a key with its payload up to which both are sorted in one word. Default and maximum: 64.
    reads_share : float
        Reads: share of the memory budget for packed reads; the others go to a scratch file. Default: 0.25.
    device_reads_share : float
        Reads, CUDA: share of the device's memory budget for packed reads; the others stay on the host. Default: 0.25.
    super_kmers_share : float
        K-mers: share of the memory budget for super-k-mers; the others go to a scratch file. Default: 0.4.
    distinct_kmers_share : float
        K-mers: share of the memory budget for the distinct k-mers; beyond it, counting ends with an error.
        Default: 0.5.
    shortest_kmer_run : int
        K-mers, CUDA: k-mers of a run to be sorted and merged, at least. Default: 65,536.
    hash_mask : int
        K-mers, CUDA: bits of the hash by which long k-mers are grouped. Default: all 64.
    """

    least_work: int = 1 << 17

    shortest_sorted_run: int = 1 << 10
    pair_bytes: int = 64
    shared_counts: int = (48 << 10) // 4 - 1
    few_wanted_keys: int = 1 << 13

    long_row: int = 64

    few_edges: int = 1 << 23
    noted_edges: int = 1 << 20
    splitter_bits: int = 6
    packed_key_bits: int = 64

    reads_share: float = 0.25
    device_reads_share: float = 0.25

    super_kmers_share: float = 0.4
    distinct_kmers_share: float = 0.5
    shortest_kmer_run: int = 1 << 16
    hash_mask: int = (1 << 64) - 1


_DEFAULT = Tuning()
_tuning: ContextVar[Tuning] = ContextVar("dbg_tuning", default=_DEFAULT)


def tuning() -> Tuning:
    """Return the constants of this context."""
    return _tuning.get()


@contextmanager
def tuned(**changes: Any) -> Iterator[None]:
    """Change some constants, given by the names of their fields, within this context."""
    token = _tuning.set(replace(_tuning.get(), **changes))
    try:
        yield
    finally:
        _tuning.reset(token)
