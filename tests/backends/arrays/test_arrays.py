"""Operations on arrays against their naive twins, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from hypothesis.extra import numpy as arrays

from debruijn_gpu import backends
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples, operation
from tests.naive import arrays as naive

pytestmark = pytest.mark.cuda

DTYPES = [np.dtype(name) for name in ("u4", "i4", "u8", "i8", "f4", "f8")]
INTEGERS = DTYPES[:4]
#: around sizes at which an implementation may change its ways
SIZES = [0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 65535, 65536, 65537, 200_000]

settings.register_profile(
    "arrays",
    deadline=None,
    max_examples=10 if is_simulated() else n_examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
few = settings(settings.get_profile("arrays"))


def numbers(dtypes=DTYPES, max_size=80):
    """Arrays of any bits, and of few values, so that some are equal."""

    def of(dtype):
        special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.5] if dtype.kind == "f" else [0, 1, 2, 5]
        if dtype.kind != "f":
            special += [np.iinfo(dtype).min, np.iinfo(dtype).max]
        size = st.integers(0, max_size)
        return arrays.arrays(dtype, size) | arrays.arrays(dtype, size, elements=st.sampled_from(special))

    return st.sampled_from(dtypes).flatmap(of)


def same(found, expected):
    """Equal in dtype and in every bit."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes()


def call(backend, name, *arguments):
    """Run an operation on NumPy arrays and check that it leaves them alone."""
    on_device = [
        [backend.to_device(a) for a in x]
        if isinstance(x, list)
        else backend.to_device(x)
        if isinstance(x, np.ndarray)
        else x
        for x in arguments
    ]
    result = operation(backend, name)(*on_device)
    for before, after in zip(arguments, on_device, strict=True):
        if isinstance(before, np.ndarray):
            assert backend.to_host(after).tobytes() == before.tobytes()
    if isinstance(result, tuple):
        return tuple(x if isinstance(x, int) else backend.to_host(x) for x in result)
    return result if isinstance(result, int | float) else backend.to_host(result)


def samples(dtype, n, seed=0):
    """Arrays of n numbers that are spread, clustered, few, sorted, falling, equal."""
    rng = np.random.default_rng(seed)
    spread = rng.integers(0, 256, n * dtype.itemsize, np.uint8).view(dtype)
    near = (rng.exponential(size=n) ** 6 * 100).astype(dtype)
    yield spread
    yield near
    yield rng.integers(0, 100, n).astype(dtype)
    yield np.sort(spread)
    yield np.sort(near)[::-1].copy()
    yield np.full(n, spread[0] if n else 0, dtype)
    if n:  # many that share their leading bits, and one far away
        clustered = rng.integers(0, 1 << 16, n).astype(dtype)
        clustered[n // 2] = np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max
        yield clustered
        far = -clustered if dtype.kind == "f" else np.iinfo(dtype).max - clustered
        yield np.where(rng.random(n) < 0.5, clustered, far)


def stable_order(keys):
    """Positions in stable order, by NumPy: -0.0 and 0.0 are equal to it, and NaNs."""
    return np.argsort(keys, kind="stable")


# order


@few
@given(keys=numbers())
def test_sort(backend, keys):
    same(call(backend, "sort", keys), naive.sort(keys))


@pytest.mark.parametrize("n_bytes", [4, pytest.param(8, marks=pytest.mark.slow)])
@few
@given(keys=numbers(), data=st.data())
def test_sort_pairs(backend, keys, n_bytes, data):
    values = np.arange(len(keys)).astype(data.draw(st.sampled_from([d for d in DTYPES if d.itemsize == n_bytes])))
    sorted_keys, sorted_values = call(backend, "sort_pairs", keys, values)
    same(sorted_keys, naive.sort(keys))
    same(sorted_values, values[np.array(naive.order_by([keys]), np.int64)])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_sort_sizes(backend, n, dtype):
    for keys in samples(dtype, n):
        order = stable_order(keys)
        same(call(backend, "sort", keys), naive.canonical(keys[order]))
        sorted_keys, values = call(backend, "sort_pairs", keys, np.arange(n))
        same(sorted_keys, naive.canonical(keys[order]))
        same(values, order)


@few
@given(data=st.data(), n=st.integers(0, 40), n_columns=st.integers(1, 4))
def test_order_by(backend, data, n, n_columns):
    dtypes = st.sampled_from(DTYPES)
    few_values = st.integers(0, 3)
    columns = [
        data.draw(arrays.arrays(dtype, n) | arrays.arrays(dtype, n, elements=few_values))
        for dtype in data.draw(st.lists(dtypes, min_size=n_columns, max_size=n_columns))
    ]
    same(call(backend, "order_by", columns), np.array(naive.order_by(columns), np.int64))


def test_order_by_many(backend):
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 50, 100_000), rng.normal(size=100_000).round(1), rng.integers(0, 9, 100_000, np.uint32)]
    same(call(backend, "order_by", columns), np.lexsort(columns[::-1]))


@few
@given(keys=numbers(INTEGERS), data=st.data())
def test_split_by_bit(backend, keys, data):
    bit = data.draw(st.integers(0, 8 * keys.itemsize - 1))
    is_set = np.array([(int(key) >> bit) & 1 for key in keys], bool)
    result, n_clear = call(backend, "split_by_bit", keys, bit)
    same(result, np.concatenate((keys[~is_set], keys[is_set])))
    assert n_clear == np.count_nonzero(~is_set)


@pytest.mark.parametrize("n", SIZES)
def test_split_by_bit_sizes(backend, n):
    keys = np.random.default_rng(n).integers(0, 1 << 40, n)
    is_set = keys & 32 != 0
    result, n_clear = call(backend, "split_by_bit", keys, 5)
    same(result, np.concatenate((keys[~is_set], keys[is_set])))
    assert n_clear == np.count_nonzero(~is_set)


# scans


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_scan_integers(backend, n, dtype):
    for values in samples(dtype, n):
        wide = np.uint64 if dtype.kind == "u" else np.int64
        sums = np.concatenate((np.zeros(1, wide), np.cumsum(values, dtype=wide)))
        same(call(backend, "exclusive_scan", values), sums)
        same(call(backend, "inclusive_scan", values), sums[1:])
        assert call(backend, "reduce", values, "sum") == sums[-1]


@few
@given(values=numbers(INTEGERS))
def test_scan_exactly(backend, values):
    modulus = 1 << 64
    sums = call(backend, "exclusive_scan", values)
    assert [x % modulus for x in sums.tolist()] == [x % modulus for x in naive.scan(values)]


@pytest.mark.parametrize("dtype", DTYPES[4:], ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_scan_floats(backend, n, dtype):
    values = np.random.default_rng(n).random(n).astype(dtype)
    sums = np.array(naive.scan(values))
    found = call(backend, "exclusive_scan", values)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, sums, rtol=1e-9)
    np.testing.assert_allclose(call(backend, "inclusive_scan", values), sums[1:], rtol=1e-9)
    assert call(backend, "reduce", values, "sum") == pytest.approx(sums[-1])


def test_scan_of_infinities(backend):
    values = np.array([1, np.inf, -np.inf, 2])
    np.testing.assert_array_equal(call(backend, "inclusive_scan", values), [1, np.inf, np.nan, np.nan])
    assert np.isnan(call(backend, "reduce", values, "sum"))


@few
@given(values=numbers().filter(len))
@example(values=np.array([-np.nan], np.float32))
@example(values=np.array([1, -np.nan]))
def test_extremes(backend, values):
    ascending = naive.sort(values)
    same(np.array(call(backend, "reduce", values, "min"), values.dtype), ascending[0])
    same(np.array(call(backend, "reduce", values, "max"), values.dtype), ascending[-1])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reduce_nothing(backend, dtype):
    nothing = np.zeros(0, dtype)
    assert call(backend, "reduce", nothing, "sum") == 0
    for extreme in ("min", "max"):
        with pytest.raises(ValueError, match=extreme):
            call(backend, "reduce", nothing, extreme)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 100, 2048, 2049, 5_000_000])
def test_sum_of_a_mask(backend, n):
    mask = np.random.default_rng(n).random(n) < 0.7
    assert call(backend, "reduce", mask, "sum") == np.count_nonzero(mask)


# select


@few
@given(
    values=numbers(),
    comparison=st.sampled_from(["nonzero", ">", "<", ">=", "<=", "==", "!="]),
    threshold=st.integers(-(1 << 65), 1 << 65)
    | st.sampled_from(
        [0, 1, 2, (1 << 24) + 1, (1 << 53) + 1, (1 << 63) - 1, (1 << 64) - 1, -(1 << 63), 1 << 200, 1 << 1100]
    )
    | st.sampled_from([0.5, 1.5, -1.5, float("inf"), float("-inf"), float("nan"), 1e300, 2.0]),
)
def test_matches(backend, values, comparison, threshold):
    expected = np.array([naive.compare(value, comparison, threshold) for value in values], bool)
    same(call(backend, "matches", values, comparison, threshold), expected)


def test_match_what_a_float_does_not_hold(backend):
    values = np.array([1 << 24, (1 << 24) + 2, np.inf, np.nan], np.float32)
    threshold = (1 << 24) + 1
    assert call(backend, "matches", values, ">", threshold).tolist() == [False, True, True, False]
    assert call(backend, "matches", values, "<", threshold).tolist() == [True, False, False, False]
    assert not call(backend, "matches", values, "==", threshold).any()
    assert call(backend, "matches", values, "!=", threshold).all()


@few
@given(values=numbers(), data=st.data())
def test_compact(backend, values, data):
    mask = data.draw(arrays.arrays(bool, len(values)))
    kept, positions = call(backend, "compact", values, mask)
    same(kept, values[mask])
    same(positions, np.flatnonzero(mask))


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 1])
@pytest.mark.parametrize("n", SIZES)
def test_compact_sizes(backend, n, share):
    rng = np.random.default_rng(n)
    values, mask = rng.random(n), rng.random(n) < share
    kept, positions = call(backend, "compact", values, mask)
    same(kept, values[mask])
    same(positions, np.flatnonzero(mask))


@few
@given(values=numbers())
def test_distinct(backend, values):
    expected, counts, first = naive.distinct(values)
    same(call(backend, "distinct", values), expected)
    for name, what in (("distinct_counts", counts), ("distinct_first", first)):
        found, numbers_of = call(backend, name, values)
        same(found, expected)
        same(numbers_of, what)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_distinct_sizes(backend, n, dtype):
    if is_simulated() and dtype not in (np.int64, np.float32):
        pytest.skip("an integer and a float are enough for the simulator")
    for values in samples(dtype, n):
        expected, first, counts = np.unique(naive.canonical(values), return_index=True, return_counts=True)
        same(call(backend, "distinct", values), expected)
        found, numbers_of = call(backend, "distinct_counts", values)
        same(found, expected)
        same(numbers_of, counts)
        found, positions = call(backend, "distinct_first", values)
        same(found, expected)
        same(positions, first)


@few
@given(values=numbers())
def test_run_lengths(backend, values):
    runs, lengths = call(backend, "run_lengths", values)
    expected, expected_lengths = naive.run_lengths(values)
    same(runs, expected)
    same(lengths, expected_lengths)


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3, 70_000])
@pytest.mark.parametrize("n", SIZES)
def test_run_lengths_sizes(backend, n, length):
    values = np.arange(n) // length
    runs, lengths = call(backend, "run_lengths", values)
    expected, expected_lengths = naive.run_lengths(values)
    same(runs, expected)
    same(lengths, expected_lengths)


# joins


@few
@given(keys=numbers(), data=st.data())
def test_joins(backend, keys, data):
    wanted = data.draw(arrays.arrays(keys.dtype, st.integers(0, 40)))
    wanted = np.concatenate((wanted, data.draw(st.sampled_from([keys[:0], keys[::2], keys]))))
    table = naive.sort(wanted)
    positions = naive.lookup(table, keys)
    same(call(backend, "lookup", table, keys), positions)
    same(call(backend, "semi_join", keys, wanted), positions >= 0)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n", SIZES)
def test_joins_sizes(backend, n, dtype):
    for keys in samples(dtype, n):
        for wanted in (
            keys[:3],
            keys[::2],
            np.concatenate((keys[: n // 2], keys[: n // 3])),
            np.arange(n).astype(dtype),
        ):
            table = naive.canonical(np.sort(wanted))
            positions = np.searchsorted(table, keys)
            padded = np.concatenate((table, table[:1], np.zeros(1, dtype)))[np.minimum(positions, len(table))]
            there = (padded == keys) | (np.isnan(padded) & np.isnan(keys))
            there &= positions < len(table)
            same(call(backend, "lookup", table, keys), np.where(there, positions, -1))
            same(call(backend, "semi_join", keys, wanted), there)


# counting


@few
@given(
    values=numbers(),
    low=st.integers(-10, 10) | st.floats(-100, 100, width=32),
    width=st.integers(1, 100) | st.sampled_from([0.5, 0.1, 1e6, 1e19]),
    n_bins=st.integers(1, 50),
)
def test_histogram(backend, values, low, width, n_bins):
    expected = np.histogram(values, n_bins, (low, low + width))[0]
    same(call(backend, "histogram", values, low, low + width, n_bins), expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("n_bins", [1, 10, 1000])
def test_histogram_at_edges(backend, dtype, n_bins):
    rng = np.random.default_rng(n_bins)
    for low, high in ((0, 1), (0, 1000), (0.1, 0.7), (3, 500)):
        values = np.linspace(low, high, n_bins + 1).astype(dtype)
        values = np.concatenate((values, rng.uniform(low, high, 50_000).astype(dtype)))
        if dtype.kind == "f":
            values = np.concatenate((values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)))
        expected = np.histogram(values, n_bins, (low, high))[0]
        same(call(backend, "histogram", values, low, high, n_bins), expected)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("n", [1, 10, 1000, 300_000])
@pytest.mark.parametrize("name", ["count_integers", "in_degrees"])
def test_count_integers(backend, name, n, dtype):
    for n_values in SIZES:
        values = np.random.default_rng(n_values).integers(0, n, n_values).astype(dtype)
        same(call(backend, name, values, n), np.bincount(values.astype(np.int64), minlength=n))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("n", [0, 1, 10])
def test_count_integers_outside(backend, n, dtype):
    for outside in {n, np.iinfo(dtype).max, np.iinfo(dtype).min if dtype.kind == "i" else n}:
        with pytest.raises(ValueError, match="not in"):
            call(backend, "count_integers", np.array([0] * (n > 0) + [outside], dtype), n)


# graphs


@pytest.mark.slow
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize(("n_vertices", "n_edges"), [(0, 0), (1, 0), (1, 5), (7, 3), (50, 400), (100_000, 70_000)])
def test_csr(backend, n_vertices, n_edges, dtype):
    rng = np.random.default_rng(n_edges)
    tails, heads = rng.integers(0, max(1, n_vertices), (2, n_edges)).astype(dtype)
    row_ptr, col = call(backend, "csr_from_edges", tails, heads, n_vertices)
    expected = naive.csr_from_edges(tails, heads, n_vertices)
    same(row_ptr, expected[0])
    same(col, expected[1])
    csr_tails = call(backend, "csr_tails", row_ptr, col)
    same(csr_tails, np.sort(tails))
    same(call(backend, "out_degrees", row_ptr), np.diff(row_ptr))
    row_ptr, col = call(backend, "csr_reverse", row_ptr, col)
    expected = naive.csr_from_edges(expected[1], csr_tails, n_vertices)
    same(row_ptr, expected[0])
    same(col, expected[1])


@pytest.mark.parametrize("outside", [-1, 3])
def test_csr_of_no_such_vertex(backend, outside):
    with pytest.raises(ValueError, match="not in"):
        call(backend, "csr_from_edges", np.array([0, outside, 1]), np.array([0, 1, 2]), 3)


# layout


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (31, 33), (1000, 2), (3, 1000), (300, 257)])
def test_transpose(backend, shape, dtype):
    matrix = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    result = call(backend, "transpose", matrix)
    same(result, matrix.T)
    assert result.flags.c_contiguous


# every operation


def test_strided_input(backend):
    keys = np.random.default_rng(1).integers(0, 100, (500, 3))
    same(call(backend, "sort", keys[:, 1]), np.sort(keys[:, 1]))
    same(call(backend, "distinct", keys[::-2, 2]), np.unique(keys[::-2, 2]))
    same(call(backend, "transpose", keys[::2]), keys[::2].T)


@pytest.mark.parametrize("name", ["sort", "distinct", "distinct_counts", "distinct_first", "run_lengths"])
def test_other_dtypes(backend, name):
    with pytest.raises(TypeError):
        operation(backend, name)(backend.to_device(np.zeros(3, np.int16)))


def test_threads_change_nothing():
    rng = np.random.default_rng(5)
    values, keys = rng.normal(size=300_000).astype(np.float32), rng.integers(0, 1 << 62, 300_000)
    results = []
    for threads in (1, 2, 7):
        cpu = backends.load(RunOptions(backend="cpu", threads=threads))
        results.append(
            [
                cpu.arrays.inclusive_scan(values),
                np.array(cpu.arrays.reduce(values, "sum")),
                *cpu.arrays.sort_pairs(values.round(1), keys),
                *cpu.arrays.distinct_first(keys % 70_000),
                *cpu.arrays.distinct_first(keys % 300 * 10**9),
                *cpu.arrays.compact(keys, values > 0.3),
                *cpu.arrays.run_lengths(values.round(0)),
                *cpu.graphs.csr_from_edges(keys % 1000, keys, 1000),
            ]
        )
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            same(other, one)
