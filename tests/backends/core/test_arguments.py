"""Arguments and results of CPU kernels as words, and what compiled kernels make of them."""

from __future__ import annotations

import gc
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from debruijn_gpu.backends.core.cpu import arguments
from debruijn_gpu.backends.core.cpu.arguments import n_result_words, n_words, pack, signature_of, unpacker
from debruijn_gpu.backends.core.cpu.decorators import inlined_kernel, kernel, lean_kernel
from tests.helpers import first_quick

pytestmark = pytest.mark.usefixtures("module_store")

Pair = namedtuple("Pair", "first second")
Single = namedtuple("Single", "only")
NUMBERS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


def words_of(*args):
    words = []
    pack(args, words, [])
    return words


def key_of(*args):
    key = []
    pack(args, [], key)
    return tuple(key)


def round_trip(value):
    """A value that is no array, from the words that it is packed to."""
    words, text = words_of(value), signature_of([value])
    assert n_words(text) == n_result_words(text) == len(words)
    return unpacker(text)(iter(words), ())


@kernel
def same(x):
    return x


@lean_kernel
def copied(source, target):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@pytest.mark.parametrize("value", [0, 1, -1, 2**31, -(2**63), 2**63 - 1, 2**63, 2**64 - 1, True, False, None])
def test_integers_come_back(value):
    for found in (round_trip(value), same(value)):
        assert found == value
        assert type(found) is type(value)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, 5e-324, float("inf"), float("-inf"), float("nan")])
def test_floats_come_back_with_all_their_bits(value):
    for given in (value, np.float64(value)):
        for found in (round_trip(given), same(given)):
            assert type(found) is float
            assert np.float64(found).tobytes() == np.float64(value).tobytes()


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numpy_scalars_come_back(dtype):
    kind = np.dtype(dtype).type
    limits = [0, 1] if dtype == "?" else np.iinfo(dtype) if kind(0).dtype.kind in "iu" else np.finfo(dtype)
    for value in limits if isinstance(limits, list) else [limits.min, limits.max, 0, 1]:
        found = same(kind(value))
        assert found == kind(value)
        assert type(found) in (bool, int, float)
    assert signature_of([kind(1)]) == signature_of(np.ones((1, 1), dtype))[:2]


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 2**200])
def test_integers_of_more_than_a_word_are_refused(value):
    for refuse in (words_of, same):
        with pytest.raises(OverflowError, match="64 bits"):
            refuse(value)
    assert same(2**64 - 1) == 2**64 - 1


TUPLES = [(), (1,), (1, 2.5, True, None), ((1, 2), (3, ((4,), -5))), (None, None)]


@pytest.mark.parametrize("value", TUPLES)
def test_tuples_come_back(value):
    assert round_trip(value) == same(value) == value


def test_named_tuples_come_back_as_tuples():
    assert same(Pair(1, (2.5, 3))) == (1, (2.5, 3))
    assert round_trip(Pair(Pair(1, None), Single(2))) == ((1, None), (2,))
    text = signature_of([Pair(1, (2.5, True))])
    assert text == f"{__name__}.Pair(first=i8,second=(f8,b1))"
    assert arguments.tuple_type(text) == (f"{__name__}.Pair", ["i8", "(f8,b1)"])


@kernel
def difference(pair):
    return pair.first - pair.second[0]


def test_kernels_read_items_of_named_tuples_by_name():
    assert difference(Pair(7, (np.array([2, 3]))[::-1])) == 4
    assert difference(Pair(7.5, (2,))) == 5.5


@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
@pytest.mark.parametrize("dtype", [*NUMBERS, "c16"])
def test_arrays_of_all_types_and_layouts_come_back(dtype, n_dimensions):
    whole = (np.arange(4**n_dimensions).reshape((4,) * n_dimensions) % 5).astype(dtype)
    step = (slice(None, None, -2),) * n_dimensions
    for array in (whole, whole[step], whole.T, whole[1:1], whole[:1], np.asfortranarray(whole)[1:]):
        kind = "C" if array.flags.c_contiguous else "A"
        assert signature_of([array]) == f"{array.dtype.str[1:]}:{n_dimensions}{kind}"
        words = words_of(array)
        assert len(words) == n_words(signature_of([array]))
        found = unpacker(signature_of([array]))(iter([0, *words_in_64_bits(words)]), (array,))
        assert_same(found, array)
        assert np.shares_memory(found, array) == bool(array.size)


def words_in_64_bits(words):
    return [word % (1 << 64) for word in words]


def assert_same(found, array):
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", first_quick(NUMBERS, 3))
def test_kernels_read_and_write_arrays_of_all_types(dtype):
    source = (np.arange(24).reshape(4, 6) % 5).astype(dtype)
    for array in (source, source[::-1, ::2], source[:0]):
        target = np.zeros(array.shape, dtype)
        copied(array, target)
        assert_same(target, array)
    target = np.zeros((4, 12), dtype)
    copied(source, target[:, ::2])
    assert_same(target[:, ::2], source)
    assert not target[:, 1::2].any()


@kernel
def doubled_item(array):
    return array[()] * 2


@kernel
def corner_and_sum(array):
    return array[0, 1, 2], array.sum()


def test_kernels_take_arrays_of_none_and_of_three_dimensions():
    assert signature_of([np.array(2.5)]) == "f8:0C"
    assert doubled_item(np.array(2.5)) == 5.0
    cube = np.arange(60).reshape(3, 4, 5)
    assert corner_and_sum(cube) == (7, cube.sum())
    assert corner_and_sum(cube[:, ::-1]) == (cube[0, -2, 2], cube.sum())


@kernel
def total(array):
    found = 0
    for i in range(array.size):
        found += array[i]
    return found


def test_memory_maps_subclasses_and_read_only_arrays(tmp_path):
    class Own(np.ndarray):
        pass

    values = np.arange(10)
    values.tofile(tmp_path / "values")
    read_only = np.frombuffer(values.tobytes(), values.dtype)
    assert not read_only.flags.writeable
    mapped = np.memmap(tmp_path / "values", values.dtype, "r")
    arrays = [values, read_only, mapped, mapped[2:], values.view(Own)]
    assert [total(array) for array in arrays] == [45, 45, 45, 44, 45]
    assert len({key_of(array) for array in arrays}) == len({signature_of([array]) for array in arrays}) == 1


REFUSED = {
    "unaligned": np.zeros(17, np.uint8)[1:].view(np.int64),
    "of the other byte order": np.zeros(2, np.dtype(np.int64).newbyteorder()),
    "of fields": np.zeros(2, [("a", "i8")]),
    "of text": np.zeros(2, "U3"),
    "of dates": np.zeros(2, "M8[s]"),
    "of objects": np.array([None]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arrays_that_no_kernel_is_made_for_are_refused(name):
    assert total(np.zeros(2, np.int64)) == 0  # the same kernel is loaded for the fitting type
    for _ in range(2):
        with pytest.raises(TypeError, match=r"kernels (do not )?take"):
            total(REFUSED[name])


@pytest.mark.parametrize("value", ["text", b"x", [1], {1: 2}, 1j, np.complex128(1), np.float16(1), object(), np.uint8])
def test_other_arguments_are_refused(value):
    with pytest.raises(TypeError, match="kernels do not take"):
        same(value)
    with pytest.raises(TypeError, match="kernels do not take"):
        same((1, (value,)))


def test_keys_differ_where_signatures_differ():
    array = np.zeros((4, 4))
    values = [True, 1, 1 << 63, 1.0, None, (), (1,), ((1,),), (1, 1), Pair(1, 1), array, array.T, array[0], (array,)]
    values += [np.zeros((4, 4), dtype) for dtype in NUMBERS if dtype != "f8"]
    values += [np.dtype(dtype).type(1) for dtype in NUMBERS if dtype not in ("?", "i8", "u8", "f8")]
    assert len({key_of(value) for value in values}) == len({signature_of([value]) for value in values}) == len(values)
    assert key_of((1, 2), 3) != key_of((1, 2, 3)) != key_of(1, (2, 3))


@pytest.mark.parametrize("text", ["", "i8", "i8,(f8,b1),-", "(),()", "m.C(a=i8,b=(u1:2A,-)),f8:0C", "((i8,i8),i8)"])
def test_a_split_signature_joins_to_itself(text):
    parts = arguments.split_signature(text)
    assert ",".join(parts) == text
    assert all(part.count("(") == part.count(")") for part in parts)


@inlined_kernel
def square(x):
    return x * x


@lean_kernel
def square_all(values, squares):
    for i in range(values.size):
        squares[i] = square(values[i])


@kernel
def sum_of_squares(values):
    squares = np.empty(values.size, np.int64)
    square_all(values, squares)
    return squares.sum(), squares


@kernel
def fill(values, number):
    values[:] = number


def test_kernels_call_lean_and_inlined_ones():
    values = np.arange(5)
    found, squares = sum_of_squares(values)
    assert (found, squares.tolist()) == (30, [0, 1, 4, 9, 16])
    assert square(np.uint64(1 << 33)) == 4 << 64 & (1 << 64) - 1
    assert square(1.5) == 2.25


def test_a_kernel_may_return_nothing():
    values = np.zeros(3)
    assert fill(values, 2) is None
    assert values.tolist() == [2, 2, 2]


def test_many_threads_call_a_kernel():
    def check(seed):
        values = np.arange(seed, seed + 1000)
        for _ in range(20):
            found, squares = sum_of_squares(values)
            assert found == (values**2).sum()
            assert np.array_equal(squares, values**2)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(check, range(32)))


def test_arguments_are_not_kept():
    values = np.zeros(3)
    before = sys.getrefcount(values)
    for _ in range(10):
        fill(values, 1)
    gc.collect()
    assert sys.getrefcount(values) == before
