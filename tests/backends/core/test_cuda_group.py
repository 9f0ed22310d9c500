"""Ranks of one GPU, or of the simulator: work on each of them, and exchange between them."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.errors import CudaUnavailableError, DeviceLostError
from debruijn_gpu.run.options import RunOptions

pytestmark = pytest.mark.cuda


@pytest.fixture
def cuda():
    """The CUDA backend; without one, the test is left out."""
    problems = detection.cuda_problems()
    if problems:
        pytest.skip("; ".join(problems))
    return backends.load_cuda(RunOptions(backend="cuda"))


@pytest.fixture(params=[1, 2, 3, 5])
def ranks(cuda, request, tune):
    """Several ranks that share the GPU, as a group."""
    from debruijn_gpu.backends.core.cuda.group import group

    tune(ranks_per_gpu=request.param)
    found = group()
    assert len(found) == request.param
    return found


@pytest.mark.parametrize("n_words", [0, 1, 7])
def test_everybody_receives_what_was_sent(cuda, ranks, n_words):
    n = len(ranks)
    sent = [[np.arange((i + j) % 3 * n_words, dtype=np.uint64) + 100 * i + 10 * j for j in range(n)] for i in range(n)]
    received = ranks.exchange([[cuda.to_device(array) for array in row] for row in sent])
    assert len(received) == n
    for to, array in enumerate(received):
        assert array.dtype == np.uint64
        assert cuda.to_host(array).tolist() == [value for row in sent for value in row[to].tolist()]


def test_each_rank_is_called_once(ranks):
    assert ranks.each(lambda rank: rank * rank) == [rank * rank for rank in range(len(ranks))]


def test_results_are_in_the_order_of_items(cuda, ranks):
    def doubled(item):
        return cuda.to_host(cuda.here(cuda.to_device(np.array([2 * item])))).tolist()

    assert list(cuda.spread(doubled, range(11))) == [[2 * item] for item in range(11)]


def test_errors_of_ranks_are_raised(ranks):
    def fail(rank):
        if rank == len(ranks) - 1:
            raise CudaUnavailableError("no", "none")
        return rank

    with pytest.raises(CudaUnavailableError):
        ranks.each(fail)
    with pytest.raises(CudaUnavailableError):
        list(ranks.spread(fail, range(len(ranks))))


def test_ranks_of_one_gpu_divide_its_memory(cuda, tune):
    from debruijn_gpu.backends.core.cuda import memory

    alone = memory.left()
    tune(ranks_per_gpu=4)
    assert memory.left() == pytest.approx(alone / 4, rel=0.1)


def test_more_gpus_than_there_are(cuda):
    with pytest.raises(CudaUnavailableError, match=r"--gpus 99: .* visible") as caught:
        backends.load_cuda(RunOptions(backend="cuda", gpus="99"))
    assert caught.value.exit_code == 70


class HostArray:
    """A NumPy array that has an address as arrays of the GPU do."""

    def __init__(self, array):
        self.array = array
        self.nbytes = array.nbytes
        self.data = SimpleNamespace(ptr=array.ctypes.data)


class FakeNccl:
    """Stands in for `cupy.cuda.nccl`: copies memory of the host when a group of calls ends."""

    NCCL_UINT8 = 1

    class NcclError(Exception):
        pass

    def __init__(self, is_broken=False):
        self.is_broken = is_broken
        self.sent, self.received = {}, {}
        self.NcclCommunicator = SimpleNamespace(initAll=lambda ranks: [self._link(i) for i in range(len(ranks))])

    def _link(self, rank):
        return SimpleNamespace(
            send=lambda address, n, kind, peer, stream: self.sent.update({(rank, peer): (address, n, kind, stream)}),
            recv=lambda address, n, kind, peer, stream: self.received.update(
                {(peer, rank): (address, n, kind, stream)}
            ),
        )

    def get_version(self):
        return 22907

    def groupStart(self):  # noqa: N802
        assert not self.sent
        assert not self.received

    def groupEnd(self):  # noqa: N802
        if self.is_broken:
            raise self.NcclError("unhandled\nerror")
        assert self.sent.keys() == self.received.keys()
        for pair, (address, n, kind, stream) in self.sent.items():
            assert (n, kind, stream) == (self.received[pair][1], self.NCCL_UINT8, 0)
            ctypes.memmove(self.received[pair][0], address, n)


def test_calls_of_nccl_pair_up(cuda, monkeypatch):
    from debruijn_gpu.backends.core.cuda import links

    nccl = FakeNccl()
    monkeypatch.setattr(links, "find_nccl", lambda: nccl)
    ranks = (0, 0, 0)
    sizes = [[0, 3, 1], [2, 0, 0], [5, 4, 2]]
    sends = [[HostArray(np.full(n, 10 * i + j, np.uint64)) for j, n in enumerate(row)] for i, row in enumerate(sizes)]
    receives = [[HostArray(np.zeros(sizes[j][i], np.uint64)) for j in range(3)] for i in range(3)]
    found = links.NcclLinks(ranks, nccl)
    found.copy((sends, receives))
    assert found.name == "NCCL 2.29.7"
    for i in range(3):
        for j in range(3):
            assert receives[j][i].array.tolist() == sends[i][j].array.tolist()


def test_failure_of_nccl_is_one_line(cuda, monkeypatch):
    from debruijn_gpu.backends.core.cuda import links

    nccl = FakeNccl(is_broken=True)
    monkeypatch.setattr(links, "find_nccl", lambda: nccl)
    with pytest.raises(DeviceLostError, match="NCCL failed: unhandled error"):
        links.NcclLinks((0,), nccl).copy(([[]], [[]]))
