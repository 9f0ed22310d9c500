"""Ranks of one GPU, or of the simulator: work on each of them, and exchange between them."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.errors import CudaUnavailableError
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
