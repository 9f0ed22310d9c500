"""Operations on the GPU against NumPy, at sizes from nothing to 10^8 and one beyond 2^31."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.gpu

DTYPES = ["u4", "i4", "u8", "i8", "f4", "f8"]
INTEGERS = DTYPES[:4]
SIZES = [0, 1, 255, 256, 257, 2047, 2048, 2049, 65_537, 1_000_003, 100_000_000]
WITH_POSITIONS = SIZES[:-1]  # NumPy takes minutes to sort more with positions
BEYOND = (1 << 31) + 12_345


def numbers(dtype, n, n_values=0, seed=0):
    """Random bits, or one of 0..n_values - 1."""
    rng = np.random.default_rng(seed)
    if n_values:
        return rng.integers(0, n_values, n, np.int32).astype(dtype)
    dtype = np.dtype(dtype)
    values = rng.integers(0, 256, n * dtype.itemsize, np.uint8).view(dtype)
    if dtype.kind == "f":
        values[np.isnan(values)] = np.nan
        values[values == 0] = 0
    return values


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_values", [0, 1000])
def test_order(cuda, dtype, n, n_values):
    keys = numbers(dtype, n, n_values)
    expected = np.sort(keys)
    on_device = cuda.to_device(keys)
    np.testing.assert_array_equal(cuda.to_host(cuda.arrays.sort(on_device)), expected)
    values = np.arange(n, dtype=np.uint32)
    sorted_keys, order = map(cuda.to_host, cuda.arrays.sort_pairs(on_device, cuda.to_device(values)))
    np.testing.assert_array_equal(sorted_keys, expected)
    np.testing.assert_array_equal(keys[order], expected)
    same = (expected[1:] == expected[:-1]) | np.isnan(expected[:-1])
    assert (order[1:] > order[:-1])[same].all()


@pytest.mark.parametrize("n", WITH_POSITIONS)
def test_order_by(cuda, n):
    columns = [numbers("i8", n, 50), numbers("f8", n, seed=1), numbers("u4", n, 9, seed=2)]
    found = cuda.to_host(cuda.arrays.order_by([cuda.to_device(column) for column in columns]))
    np.testing.assert_array_equal(found, np.lexsort(columns[::-1]))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_split_by_bit(cuda, dtype, n):
    keys = numbers(dtype, n)
    is_set = (keys >> np.dtype(dtype).type(7)) & 1 == 1
    parts, n_clear = cuda.arrays.split_by_bit(cuda.to_device(keys), 7)
    np.testing.assert_array_equal(cuda.to_host(parts), np.concatenate((keys[~is_set], keys[is_set])))
    assert n_clear == np.count_nonzero(~is_set)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_scans(cuda, dtype, n):
    values = numbers(dtype, n, 1000)
    wide = {"u": np.uint64, "i": np.int64, "f": np.float64}[values.dtype.kind]
    sums = np.concatenate((np.zeros(1, wide), np.cumsum(values, dtype=wide)))
    on_device = cuda.to_device(values)
    np.testing.assert_array_equal(cuda.to_host(cuda.arrays.exclusive_scan(on_device)), sums)
    np.testing.assert_array_equal(cuda.to_host(cuda.arrays.inclusive_scan(on_device)), sums[1:])
    assert cuda.arrays.reduce(on_device, "sum") == sums[-1]
    if n:
        spread = numbers(dtype, n)
        on_device = cuda.to_device(spread)
        assert cuda.arrays.reduce(on_device, "min") == np.fmin.reduce(spread)
        np.testing.assert_equal(cuda.arrays.reduce(on_device, "max"), np.maximum.reduce(spread).item())


@pytest.mark.parametrize("share", [0.01, 0.5])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_select(cuda, dtype, n, share):
    values = numbers(dtype, n, 1000)
    mask = values < 1000 * share
    on_device = cuda.to_device(values)
    found = cuda.arrays.matches(on_device, "<", 1000 * share)
    np.testing.assert_array_equal(cuda.to_host(found), mask)
    kept, positions = map(cuda.to_host, cuda.arrays.compact(on_device, found))
    np.testing.assert_array_equal(kept, values[mask])
    np.testing.assert_array_equal(positions, np.flatnonzero(mask))


def test_mask_at_any_address(cuda):
    values, mask = np.arange(100_000), np.random.default_rng(0).random(100_000) < 0.3
    for start in range(9):
        kept, _ = cuda.arrays.compact(cuda.to_device(values)[start:], cuda.to_device(mask)[start:])
        np.testing.assert_array_equal(cuda.to_host(kept), values[start:][mask[start:]])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_values", [0, 1000, 3_000_000])
def test_distinct(cuda, dtype, n, n_values):
    values = numbers(dtype, n, n_values)
    ascending = np.sort(values)
    heads = np.ones(n, bool)
    heads[1:] = (ascending[1:] != ascending[:-1]) & ~np.isnan(ascending[:-1])
    starts = np.flatnonzero(heads)
    on_device = cuda.to_device(values)
    np.testing.assert_array_equal(cuda.to_host(cuda.arrays.distinct(on_device)), ascending[starts])
    found, counts = map(cuda.to_host, cuda.arrays.distinct_counts(on_device))
    np.testing.assert_array_equal(found, ascending[starts])
    np.testing.assert_array_equal(counts, np.diff(starts, append=n))
    found, first = map(cuda.to_host, cuda.arrays.distinct_first(on_device))
    np.testing.assert_array_equal(found, ascending[starts])
    np.testing.assert_array_equal(values[first], found)
    if n in WITH_POSITIONS:
        np.testing.assert_array_equal(first, np.unique(values, return_index=True)[1])
    runs, lengths = map(cuda.to_host, cuda.arrays.run_lengths(cuda.to_device(ascending)))
    np.testing.assert_array_equal(runs, found)
    np.testing.assert_array_equal(lengths, counts)


@pytest.mark.parametrize("n_wanted", [0, 1, 4000, 100_000, 3_000_000])
@pytest.mark.parametrize("n", [0, 257, 1_000_003])
@pytest.mark.parametrize("dtype", DTYPES)
def test_joins(cuda, dtype, n, n_wanted):
    for n_values in (0, 50_000_000):
        wanted = numbers(dtype, n_wanted, n_values, seed=1)
        keys = np.concatenate((numbers(dtype, n, n_values), wanted[::3]))
        table = np.sort(wanted)
        positions = np.searchsorted(table, keys)
        there = np.concatenate((table, table[:1]))[np.minimum(positions, n_wanted)] if n_wanted else keys
        is_in = (positions < n_wanted) & ((there == keys) | (np.isnan(there) & np.isnan(keys)))
        on_device = cuda.to_device(keys)
        np.testing.assert_array_equal(cuda.to_host(cuda.arrays.semi_join(on_device, cuda.to_device(wanted))), is_in)
        found = cuda.to_host(cuda.arrays.lookup(cuda.to_device(table), on_device))
        np.testing.assert_array_equal(found, np.where(is_in, positions, -1))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("n_values", [1, 1000, 5_000_000])
def test_counts(cuda, dtype, n, n_values):
    values = numbers(dtype, n, n_values)
    found = cuda.to_host(cuda.arrays.count_integers(cuda.to_device(values), n_values))
    np.testing.assert_array_equal(found, np.bincount(values.astype(np.int64), minlength=n_values))


@pytest.mark.parametrize("n", [0, 257, 1_000_003])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("low", "high", "n_bins"), [(0, 1000, 1000), (0.1, 0.7, 13), (-7, 1e6, 100_000)])
def test_histogram(cuda, dtype, n, low, high, n_bins):
    values = numbers(dtype, n, 1_000_000) if dtype[0] != "f" else (np.random.default_rng(1).random(n) * 5).astype(dtype)
    found = cuda.to_host(cuda.arrays.histogram(cuda.to_device(values), low, high, n_bins))
    np.testing.assert_array_equal(found, np.histogram(values, n_bins, (low, high))[0])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    ("n_vertices", "n_edges"), [(1, 5000), (50_000, 400_000), (70_001, 3), (10_000_000, 31_400_000)]
)
@pytest.mark.parametrize("skewed", [False, True])
def test_csr(cuda, dtype, n_vertices, n_edges, skewed):
    rng = np.random.default_rng(n_edges)
    ends = rng.random((2, n_edges)) ** (20 if skewed else 1) * n_vertices
    tails, heads = np.minimum(ends.astype(np.int64), n_vertices - 1).astype(dtype)
    row_ptr, col = cuda.graphs.csr_from_edges(cuda.to_device(tails), cuda.to_device(heads), n_vertices)
    degrees = np.bincount(tails.astype(np.int64), minlength=n_vertices)
    np.testing.assert_array_equal(cuda.to_host(row_ptr), np.concatenate(([0], np.cumsum(degrees))))
    np.testing.assert_array_equal(cuda.to_host(cuda.graphs.out_degrees(row_ptr)), degrees)
    np.testing.assert_array_equal(cuda.to_host(cuda.graphs.csr_tails(row_ptr, col)), np.sort(tails))
    if n_edges < 1_000_000:
        np.testing.assert_array_equal(cuda.to_host(col), heads[np.argsort(tails, kind="stable")])
    in_degrees = np.bincount(heads.astype(np.int64), minlength=n_vertices)
    np.testing.assert_array_equal(cuda.to_host(cuda.graphs.in_degrees(col, n_vertices)), in_degrees)
    back_ptr, back_col = cuda.graphs.csr_reverse(row_ptr, col)
    np.testing.assert_array_equal(cuda.to_host(back_ptr), np.concatenate(([0], np.cumsum(in_degrees))))
    pairs = np.sort(heads.astype(np.int64) * n_vertices + tails)
    np.testing.assert_array_equal(cuda.to_host(back_col), (pairs % n_vertices).astype(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 1_000_003), (1_000_003, 2), (17, 1001), (3001, 2999)])
def test_transpose(cuda, shape, dtype):
    matrix = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    np.testing.assert_array_equal(cuda.to_host(cuda.arrays.transpose(cuda.to_device(matrix))), matrix.T)


@pytest.mark.whole_gpu
def test_beyond_32_bits(cuda):
    keys = np.random.default_rng(5).integers(0, 1 << 32, BEYOND, np.uint32)
    total = int(keys.sum(dtype=np.uint64))
    on_device = cuda.to_device(keys)
    found = cuda.to_host(cuda.arrays.sort(on_device))
    assert (found[1:] >= found[:-1]).all()
    assert int(found.sum(dtype=np.uint64)) == total == cuda.arrays.reduce(on_device, "sum")
    assert found[0] == keys.min() == cuda.arrays.reduce(on_device, "min")
    found = cuda.arrays.exclusive_scan(on_device)
    assert int(cuda.to_host(found[-1:])[0]) == total
    assert int(cuda.to_host(found[BEYOND - 9 : BEYOND - 8])[0]) == total - int(keys[-9:].sum(dtype=np.uint64))
    del found
    mask = cuda.arrays.matches(on_device, ">", 1 << 30)
    kept, positions = map(cuda.to_host, cuda.arrays.compact(on_device, mask))
    expected = np.flatnonzero(keys > 1 << 30)
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_array_equal(kept, keys[expected])
