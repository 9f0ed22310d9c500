"""Copy between the memories of several GPUs: by NCCL, or else by copies from peer to peer.

Measured on four H200 with NVLink: 345 GB/s out of each GPU by NCCL's grouped send and receive, 197 by peer copies.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol, TypeAlias

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import devices
from debruijn_gpu.backends.core.cuda.array_module import SIMULATED, find_nccl, xp
from debruijn_gpu.errors import DeviceLostError
from debruijn_gpu.run import log

#: What stands in for NCCL, in the log and in `dbg doctor`
PEER_COPIES = "peer copies"
_PAIR = 2
#: Arrays by sender and receiver, and by receiver and sender
Exchange: TypeAlias = tuple[list[list[Array]], list[list[Array]]]


class Links(Protocol):
    """Connections between the memories of ranks."""

    name: str

    def copy(self, *exchanges: Exchange) -> None:
        """Copy ``sends[i][j]``, on the GPU of rank i, to ``receives[j][i]``, on that of rank j, of some exchanges.

        Arrays are one-dimensional, contiguous, and of the same size in pairs. The copies follow what was asked of the
        GPUs before, and what is asked of them later follows the copies.
        """


class PeerLinks:
    """Copies by each receiver, on a stream of its own; several ranks may share a GPU.

    Parameters
    ----------
    ranks : tuple of int
        GPU of each rank.
    """

    name = PEER_COPIES

    def __init__(self, ranks: tuple[int, ...]) -> None:
        self._ranks = ranks
        self._streams: list[Any] = []
        self._pulling: list[Any] = []  # behind which pushes need not wait
        if not SIMULATED:
            for device in ranks:
                with devices.on(device):
                    self._streams.append(xp.cuda.Stream(non_blocking=True))
                    self._pulling.append(xp.cuda.Stream(non_blocking=True))

    def copy(self, *exchanges: Exchange) -> None:
        """See `Links.copy`."""
        n = len(self._ranks)
        self._wait()
        for sends, receives in exchanges:
            for i in range(n):  # at any time, each rank copies from another one
                for to in range(n):
                    source = (to + i) % n
                    self._copy_one(to, sends[source][to], receives[to][source])
        self._wait()

    def push(self, rank: int, source: Array, targets: Sequence[Array]) -> None:
        """Begin to copy an array of a rank to others of its size, after what its GPU was asked for before.

        What is asked of the GPU later does not wait for that; `finish` does. Before the first copy, the GPUs of the
        targets must have done what used their memory before.
        """
        if SIMULATED:
            for target in targets:
                target[:] = source
        elif source.nbytes:
            done = xp.cuda.Event(disable_timing=True)
            done.record()
            self._streams[rank].wait_event(done)
            for target in targets:
                target.data.copy_from_device_async(source.data, source.nbytes, self._streams[rank])

    def pull(self, rank: int, source: Array, target: Array) -> Any:
        """Begin to copy an array to a rank; return what `await_copy` waits for.

        Both GPUs must have done what they were asked for before.
        """
        if source.nbytes:
            target.data.copy_from_device_async(source.data, source.nbytes, self._pulling[rank])
        done = xp.cuda.Event(disable_timing=True)
        done.record(self._pulling[rank])
        return done

    def finish(self, rank: int) -> None:
        """Wait until what a rank has pushed is copied."""
        if not SIMULATED:
            self._streams[rank].synchronize()

    def _copy_one(self, rank: int, source: Array, target: Array) -> None:
        """Begin the copy of an array to a rank."""
        if SIMULATED:
            target[:] = source
        elif source.nbytes:
            with devices.on(self._ranks[rank]):
                target.data.copy_from_device_async(source.data, source.nbytes, self._streams[rank])

    def _wait(self) -> None:
        """Wait until all that was asked of the GPUs is done."""
        for device in () if SIMULATED else set(self._ranks):
            with devices.on(device):
                xp.cuda.runtime.deviceSynchronize()


class NcclLinks:
    """Grouped sends and receives of NCCL, on the null stream of each GPU; each rank has a GPU of its own.

    Parameters
    ----------
    ranks : tuple of int
        GPU of each rank.
    nccl : module
        `cupy.cuda.nccl`.

    Raises
    ------
    NcclError
        If NCCL does not start.
    """

    def __init__(self, ranks: tuple[int, ...], nccl: Any) -> None:
        self._ranks = ranks
        self._nccl = nccl
        os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # multicast, which takes time to set up and is not used here
        self._links = nccl.NcclCommunicator.initAll(list(ranks))
        self.name = means_of_exchange()

    def copy(self, *exchanges: Exchange) -> None:
        """See `Links.copy`."""
        try:
            self._nccl.groupStart()
            try:
                for sends, receives in exchanges:
                    for rank, device in enumerate(self._ranks):
                        with devices.on(device):
                            self._ask(rank, sends[rank], receives[rank])
            finally:
                self._nccl.groupEnd()
        except self._nccl.NcclError as error:
            what = " ".join(str(error).split())
            raise DeviceLostError(f"NCCL failed: {what}", "see dmesg and nvidia-smi, or run with --gpus 1") from error

    def _ask(self, rank: int, sends: list[Array], receives: list[Array]) -> None:
        """Ask for the sends and receives of a rank."""
        link, as_bytes = self._links[rank], self._nccl.NCCL_UINT8
        for peer, (sent, received) in enumerate(zip(sends, receives, strict=True)):
            if sent.nbytes:
                link.send(sent.data.ptr, sent.nbytes, as_bytes, peer, 0)
            if received.nbytes:
                link.recv(received.data.ptr, received.nbytes, as_bytes, peer, 0)


def await_copy(done: Any) -> None:
    """Let what the current GPU is asked for later wait for a copy; see `PeerLinks.pull`."""
    xp.cuda.Stream.null.wait_event(done)


def version_text(number: int) -> str:
    """Write the version number of NCCL: 22707 is 2.27.7."""
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def means_of_exchange() -> str:
    """Return how GPUs exchange arrays: NCCL and its version, or peer copies where it is missing."""
    nccl = find_nccl()
    return PEER_COPIES if nccl is None else f"NCCL {version_text(nccl.get_version())}"


@cache
def peer_links(ranks: tuple[int, ...]) -> PeerLinks:
    """Connect ranks by peer copies."""
    return PeerLinks(ranks)


@cache
def links_between(ranks: tuple[int, ...]) -> Links:
    """Connect ranks: by NCCL where it works and three or more have a GPU each, or else by peer copies.

    A pair of GPUs exchanges faster by peer copies: 393 GB/s, and NCCL takes a second to start.
    """
    nccl = find_nccl() if len(set(ranks)) == len(ranks) > _PAIR else None
    if nccl is not None:
        try:
            return NcclLinks(ranks, nccl)
        except nccl.NcclError as error:
            log.logger.info("NCCL does not start (%s): GPUs exchange k-mers by peer copies", error)
    return peer_links(ranks)
