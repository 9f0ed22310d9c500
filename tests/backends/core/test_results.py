"""Arrays that CPU kernels return, their memory, and errors that kernels raise."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.backends.core import kernel_store
from debruijn_gpu.backends.core.cpu.decorators import kernel

pytestmark = pytest.mark.usefixtures("module_store")

MEBIBYTE = 1 << 20


@kernel
def allocate(n):
    made = np.empty(n, np.uint8)
    made[:] = 7
    return made


@kernel
def allocate_twice(n):
    made = np.arange(n)
    return made, (made, 5, np.arange(n, 2 * n))


@kernel
def allocate_slices(n):
    made = np.arange(n)
    return made[1:], made[::-2], made[:0]


@kernel
def allocate_table(n, m):
    made = np.zeros((n, m), np.int32)
    made[n - 1, m - 1] = 3
    return made, made.T


@kernel
def views(array):
    return array, array[1:], array[::-1], array[1:1]


@kernel
def one_of(array, is_new):
    if is_new:
        return array.copy()
    return array


@kernel
def allocate_and_fail(n):
    made = np.ones(n)
    if made.sum() == n:
        raise ValueError("all are one", 5)
    return made


@kernel
def scratch(n):
    made = np.ones(n, np.uint8)
    return made[:10].copy().sum()


@kernel
def of_all_types():
    return (
        np.ones(1, np.bool_), np.ones(1, np.int8), np.ones(1, np.uint16), np.ones(1, np.float32), np.ones(1, np.uint64)
    )  # fmt: skip


def references(array) -> int:
    """Number of references to the block of memory of an array; 0 if it belongs to an argument."""
    block = array.base._block
    return ctypes.c_int64.from_address(block).value if block else 0


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def error_of(function, *args) -> BaseException:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of any kind
        function(*args)
    return caught.value


def test_an_allocated_array_has_one_owner():
    made = allocate(1000)
    assert made.tolist() == [7] * 1000
    assert references(made) == 1
    part = made[10:]
    owner = made.base
    del made
    assert part.tolist() == [7] * 990
    assert ctypes.c_int64.from_address(owner._block).value == 1


def test_allocated_arrays_are_aligned_writable_and_may_be_empty():
    for n in (0, 1, 3, 1000):
        made = allocate(n)
        assert made.size == n
        assert made.flags.writeable
        assert made.ctypes.data % 32 == 0
    assert [array.dtype.str[1:] for array in of_all_types()] == ["b1", "i1", "u2", "f4", "u8"]


def test_an_array_returned_twice_is_freed_with_the_last():
    first, (second, number, other) = allocate_twice(5)
    assert (first.tolist(), second.tolist(), number, other.tolist()) == ([*range(5)], [*range(5)], 5, [*range(5, 10)])
    assert np.shares_memory(first, second)
    assert (references(first), references(second), references(other)) == (2, 2, 1)
    del first
    assert references(second) == 1
    assert second.tolist() == [*range(5)]


def test_slices_share_a_block():
    rest, every_second, none = allocate_slices(10)
    assert rest.tolist() == [*range(1, 10)]
    assert every_second.tolist() == [9, 7, 5, 3, 1]
    assert none.size == 0
    assert references(rest) == 3
    del rest, none
    assert references(every_second) == 1
    assert every_second.tolist() == [9, 7, 5, 3, 1]


def test_tables_and_their_transposes():
    made, transposed = allocate_table(3, 5)
    assert (made.shape, transposed.shape, made.dtype) == ((3, 5), (5, 3), np.int32)
    assert made[2, 4] == transposed[4, 2] == 3
    assert made.sum() == 3


def test_views_of_arguments_keep_them():
    array = np.arange(5)
    found = views(array)
    assert [view.tolist() for view in found] == [[0, 1, 2, 3, 4], [1, 2, 3, 4], [4, 3, 2, 1, 0], []]
    assert [references(view) for view in found] == [0] * 4
    before = sys.getrefcount(array)
    array[0] = 9
    assert found[0][0] == found[2][-1] == 9
    del found
    gc.collect()
    assert sys.getrefcount(array) < before
    last = views(np.arange(5))[2]
    gc.collect()
    assert last.tolist() == [4, 3, 2, 1, 0]  # the argument has no other name


def test_a_kernel_returns_an_argument_or_an_array_of_its_own():
    array = np.arange(3)
    assert references(one_of(array, False)) == 0
    own = one_of(array, True)
    assert references(own) == 1
    assert not np.shares_memory(own, array)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "call",
    [
        lambda: allocate(8 * MEBIBYTE),
        lambda: allocate_twice(MEBIBYTE),
        lambda: allocate_slices(MEBIBYTE),
        lambda: scratch(8 * MEBIBYTE),
        lambda: error_of(allocate_and_fail, MEBIBYTE),
    ],
    ids=["one", "twice", "slices", "scratch", "error"],
)
def test_memory_is_freed(call):
    call()
    before = resident_bytes()
    for _ in range(30):
        call()
    assert resident_bytes() - before < 100 * MEBIBYTE  # of 240 or more


def test_threads_free_what_others_allocated():
    def check(n):
        first, (second, _, other) = allocate_twice(n)
        return first, second, other

    with ThreadPoolExecutor(8) as pool:
        for n, (first, second, other) in enumerate(pool.map(check, range(300))):
            assert np.array_equal(first, second)
            assert np.array_equal(other, np.arange(n, 2 * n))


@pytest.mark.parametrize("n", [1 << 62, (1 << 63) - 1, (1 << 63) - 80])
def test_impossible_allocations_raise_memory_errors(n):
    with pytest.raises(MemoryError):
        allocate(n)


@pytest.mark.parametrize(("n", "m"), [(-1, 2), (2, -1), (1 << 40, 1 << 40)])
def test_impossible_shapes_raise_value_errors(n, m):
    with pytest.raises(ValueError, match=r"negative dimensions|too big"):
        allocate_table(n, m)
    with pytest.raises(ValueError, match="negative dimensions"):
        allocate(-1)


@kernel
def fail(kind):
    if kind == 1:
        raise KeyError
    if kind == 2:
        raise OSError(5, "text")
    if kind == 3:
        return (1, 2)[kind]
    return kind


@pytest.mark.parametrize(
    ("kind", "expected"), [(1, KeyError()), (2, OSError(5, "text")), (3, IndexError("tuple index out of range"))]
)
def test_errors_come_out_as_they_were_raised(kind, expected):
    found = error_of(fail, kind)
    assert (type(found), found.args) == (type(expected), expected.args)
    assert fail(0) == 0


@kernel
def fail_within(array):
    allocate_and_fail(array.size)
    return array


def test_errors_of_called_kernels_come_out():
    assert repr(error_of(fail_within, np.zeros(3))) == "ValueError('all are one', 5)"


@kernel
def returns_a_list(n):
    return [n]


@kernel
def returns_a_complex_number(x):
    return x * 1j


@kernel
def needs_more_than_memory(n):
    return len([i for i in range(n)] + [n])  # noqa: C416


@kernel
def none_or_number(n):
    return n if n else None


@pytest.mark.slow
def test_kernels_whose_code_cannot_be_kept_are_compiled_in_the_process(monkeypatch):
    noted = set()
    monkeypatch.setattr(kernel_store, "on_not_kept", lambda function, error: noted.add(function.py_func.__name__))
    for _ in range(2):
        assert returns_a_list(3) == [3]
        assert returns_a_complex_number(3) == 3j
        assert needs_more_than_memory(3) == 4
        assert (none_or_number(3), none_or_number(0)) == (3, None)
    assert noted >= {"returns_a_list", "returns_a_complex_number", "needs_more_than_memory"}
