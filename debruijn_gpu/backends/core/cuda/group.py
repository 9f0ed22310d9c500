"""Run work on all GPUs of a run, a thread for each, and exchange arrays between them."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import devices
from debruijn_gpu.backends.core.cuda.array_module import SIMULATED, xp
from debruijn_gpu.backends.core.cuda.links import Links, PeerLinks, links_between, peer_links
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.run.parallel import ordered_map

Item = TypeVar("Item")
Result = TypeVar("Result")


class DeviceGroup:
    """Ranks, each with a GPU; kernels and copies of a rank are on the null stream of its GPU.

    Parameters
    ----------
    ranks : tuple of int
        GPU of each rank, by its number in CUDA. In tests, several ranks share a GPU, so that a machine with one checks
        how work is divided.
    is_brief : bool
        Whether work is done before NCCL would have started: ranks exchange arrays by peer copies.
    """

    def __init__(self, ranks: tuple[int, ...], is_brief: bool = False) -> None:
        self.ranks = ranks
        self._is_brief = is_brief

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def links(self) -> Links:
        """Connections between the ranks, made when first needed."""
        return (peer_links if self._is_brief else links_between)(self.ranks)

    @property
    def pushes(self) -> PeerLinks:
        """Peer copies that go on while the GPUs work."""
        return peer_links(self.ranks)

    def each(self, function: Callable[[int], Result]) -> list[Result]:
        """Call a function of each rank, in threads whose current GPU is that of the rank; wait for all."""

        def call(rank: int) -> Result:
            with devices.on(self.ranks[rank]):
                return function(rank)

        return list(ordered_map(call, range(len(self)), self._n_threads))

    def spread(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Call a function of each item on whichever GPU is free; yield results in the order of items.

        Results must not be arrays of a GPU.
        """
        free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for device in self.ranks:
            free.put(device)

        def call(item: Item) -> Result:
            device = free.get()
            try:
                with devices.on(device):
                    return function(item)
            finally:
                free.put(device)

        return ordered_map(call, items, self._n_threads)

    def exchange(self, sends: list[list[Array]]) -> list[Array]:
        """Send arrays from each rank to each other.

        Parameters
        ----------
        sends : list of list of array
            ``sends[i][j]`` is on the GPU of rank i, for rank j: one-dimensional, contiguous, all of one dtype.

        Returns
        -------
        list of array
            To each rank, what was for it, in the order of the senders.
        """
        return self.exchange_all([sends])[0]

    @guarded
    def exchange_all(self, exchanges: list[list[list[Array]]]) -> list[list[Array]]:
        """Send arrays of several dtypes at once; see `exchange`."""
        if len(self) == 1:
            return [sends[0] for sends in exchanges]
        with_room = [(sends, *self._room(sends)) for sends in exchanges]
        self.links.copy(*((sends, receives) for sends, _, receives in with_room))
        return [gathered for _, gathered, _ in with_room]

    def _room(self, sends: list[list[Array]]) -> tuple[list[Array], list[list[Array]]]:
        """An array on each rank for what it receives, and its parts by sender."""
        gathered, receives = [], []
        for to, device in enumerate(self.ranks):
            sizes = [row[to].size for row in sends]
            ends = np.cumsum([0, *sizes]).tolist()
            with devices.on(device):
                whole = xp.empty(ends[-1], sends[0][0].dtype)
            gathered.append(whole)
            receives.append([whole[ends[i] : ends[i + 1]] for i in range(len(sizes))])
        return gathered, receives

    @property
    def _n_threads(self) -> int:
        """Threads: the simulator of kernels has to have one."""
        return 1 if SIMULATED else len(self)


def group() -> DeviceGroup:
    """Return the GPUs that this run uses."""
    return DeviceGroup(devices.ranks())


def spread(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    at_once: int = 1,
) -> Iterator[Result]:
    """See `CoreOperations.spread`."""
    if len(devices.ranks()) == 1:
        return map(function, items)
    return group().spread(function, items)
