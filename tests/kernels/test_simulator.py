"""Blocks of the simulator: order of threads, barriers, shared memory."""

import numpy as np
import pytest

from debruijn_gpu.backends.core.detection import is_simulated

if not is_simulated():
    pytest.skip("only in the simulator of kernels", allow_module_level=True)

from debruijn_gpu.backends.core.cuda.runtime import cuda, kernel, uint32

pytestmark = pytest.mark.cuda


@kernel
def note_order(order, position):
    for _ in range(2):
        order[cuda.atomic.add(position, 0, 1)] = cuda.grid(1)
        cuda.syncthreads()


@kernel
def rotate_without_barrier(values):
    shared = cuda.shared.array(4, uint32)
    shared[cuda.threadIdx.x] = values[cuda.grid(1)]
    values[cuda.grid(1)] = shared[(cuda.threadIdx.x + 1) % 4]


@kernel
def vote(found):
    i = cuda.grid(1)
    found[i, 0] = cuda.syncthreads_or(i == 1)
    found[i, 1] = cuda.syncthreads_and(i == 1)
    found[i, 2] = cuda.syncthreads_count(i != 1)


@kernel
def leave_before_barrier(values):
    if cuda.threadIdx.x:
        cuda.syncthreads()
    values[0] = 1


@kernel
def fail(values):
    cuda.syncthreads()
    values[cuda.grid(1)] = 1


def test_order_reverses_at_barriers_and_between_blocks():
    order, position = np.zeros(12, np.int64), np.zeros(1, np.int64)
    note_order[2, 3](order, position)
    assert order.tolist() == [0, 1, 2, 2, 1, 0, 5, 4, 3, 3, 4, 5]


def test_missing_barrier_shows():
    values = np.arange(4, dtype=np.uint32)
    rotate_without_barrier[1, 4](values)
    assert values.tolist() == [0xA5A5A5A5, 0xA5A5A5A5, 0xA5A5A5A5, 0]


def test_votes_reach_all_threads():
    found = np.zeros((3, 3), np.int64)
    vote[1, 3](found)
    assert found.tolist() == [[1, 0, 2]] * 3


def test_barrier_that_some_threads_do_not_reach_is_an_error():
    with pytest.raises(RuntimeError, match="leave_before_barrier: 1 threads end before a barrier"):
        leave_before_barrier[1, 4](np.zeros(1))


def test_launches_go_on_after_a_failed_one():
    with pytest.raises(IndexError):
        fail[1, 4](np.zeros(2))
    values = np.zeros(4)
    fail[1, 4](values)
    assert values.tolist() == [1, 1, 1, 1]
