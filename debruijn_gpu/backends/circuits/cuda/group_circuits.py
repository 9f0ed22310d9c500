"""Euler circuits on several GPUs; see `GroupOperations`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.circuits.cuda.cycles import Cycles
from debruijn_gpu.backends.circuits.cuda.group_cycles import find_together, splice_together
from debruijn_gpu.backends.circuits.cuda.group_pairing import RowPairing, deal_rows
from debruijn_gpu.backends.circuits.cuda.group_writing import write_together
from debruijn_gpu.backends.circuits.cuda.pairing import buckets_of, is_shift_graph
from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.circuits.cuda.rows import Rows
from debruijn_gpu.backends.circuits.cuda.splices import Splices
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.devices import copy_here
from debruijn_gpu.backends.core.cuda.group import DeviceGroup, group
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import synchronize, xp
from debruijn_gpu.backends.core.cuda.staging import write_to_host
from debruijn_gpu.run import log
from debruijn_gpu.run.tuning import tuning


@dataclass(frozen=True)
class GroupPairing:
    """A pairing on each rank, and the rows of the graph that each has."""

    on_ranks: list[Pairing]
    rows: list[Rows]


class GroupSteps:
    """Steps of circuits in ranges, one on each rank; see `circuits.protocol.GroupSteps`."""

    def __init__(self, parts: list[Array], devices: DeviceGroup) -> None:
        self._parts = parts
        self._group = devices
        self.size = sum(int(part.size) for part in parts)
        self.dtype: np.dtype[Any] = parts[0].dtype

    def on_host(self) -> Any:
        """See `circuits.protocol.GroupSteps.on_host`."""
        steps = np.empty(self.size, self.dtype)
        ends = np.cumsum([0, *(part.size for part in self._parts)]).tolist()

        @guarded
        def download(rank: int) -> None:
            write_to_host(self._parts[rank], steps[ends[rank] : ends[rank + 1]])

        self._group.each(download)
        return steps

    @guarded
    def gathered(self) -> Array:
        """See `circuits.protocol.GroupSteps.gathered`."""
        if len(self._parts) == 1:
            return self._parts[0]
        whole = xp.empty(self.size, self.dtype)
        end = 0
        for part in self._parts:
            copy_here(part, whole[end : end + part.size])
            end += int(part.size)
        return whole


class GroupCircuits:
    """Find Euler circuits on some GPUs; see `GroupOperations`."""

    def __init__(self, devices: DeviceGroup) -> None:
        self._group = devices

    def pair_edges(self, row_ptr: Array, col: Array) -> GroupPairing | None:
        """See `GroupOperations.pair_edges`."""
        n_edges, n_vertices = col.size, row_ptr.size - 1
        if is_shift_graph(row_ptr, col):
            return self.pair_shifts(n_edges, n_vertices)
        buckets = buckets_of(n_edges, n_vertices)
        unit = 1 << buckets.top_bits if buckets is not None else 1
        rows = deal_rows(row_ptr, col, self._group, unit)
        whole = None if isinstance(col, np.ndarray) else Rows(0, 0, row_ptr, col)
        pairings = RowPairing(self._group, rows, n_edges, n_vertices, whole).pair()
        return None if pairings is None else GroupPairing(pairings, rows)

    def pair_shifts(self, n_edges: int, n_vertices: int) -> GroupPairing:
        """See `GroupOperations.pair_shifts`."""
        return GroupPairing(self._group.each(lambda _rank: Pairing.of_shift_graph(n_edges, n_vertices)), [])

    def find_cycles(self, pairing: GroupPairing) -> Cycles:
        """See `CircuitOperations.find_cycles`."""
        return find_together(pairing.on_ranks, self._group)

    def splice_cycles(self, pairing: GroupPairing, cycles: Cycles) -> Splices:
        """See `CircuitOperations.splice_cycles`."""
        return splice_together(pairing.on_ranks[0], cycles, pairing.rows, self._group)

    def write_circuits(self, pairing: GroupPairing, cycles: Cycles, splices: Splices) -> tuple[Array, GroupSteps]:
        """See `GroupOperations.write_circuits`."""
        offsets, parts = write_together(pairing.on_ranks, cycles, splices, self._group)
        return offsets, GroupSteps(parts, self._group)

    def write_symbols(
        self, pairing: GroupPairing, cycles: Cycles, splices: Splices, dtype: np.dtype[Any]
    ) -> GroupSteps:
        """See `GroupOperations.write_symbols`."""
        return GroupSteps(write_together(pairing.on_ranks, cycles, splices, self._group, dtype)[1], self._group)

    def has_room(self, n_bytes: int) -> bool:
        """See `GroupOperations.has_room`."""
        return n_bytes <= memory.left()

    def synchronize(self) -> None:
        """See `GroupOperations.synchronize`."""
        self._group.each(lambda _rank: synchronize())


def together(n_edges: int) -> GroupCircuits | None:
    """See `CircuitOperations.together`."""
    n_ranks, least = len(group()), tuning().edges_of_several
    if n_ranks == 1:
        return None
    if n_edges < least:
        log.logger.info("one GPU: several are faster from %s edges on, and these are %s", f"{least:,}", f"{n_edges:,}")
        return None
    return GroupCircuits(DeviceGroup(group().ranks, is_brief=True))


def of_words(n_edges: int) -> GroupCircuits:
    """See `CircuitOperations.of_words`."""
    return together(n_edges) or GroupCircuits(DeviceGroup(group().ranks[:1], is_brief=True))
