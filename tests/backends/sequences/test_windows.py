"""Operations on windows of sequences of symbols, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.sequences.containers import Windows
from tests.helpers import n_examples
from tests.naive import windows as naive

pytestmark = pytest.mark.cuda

LARGE = 60 if is_simulated() else 20_000
some = settings(
    deadline=None,
    max_examples=8 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def sequences(draw):
    """A few symbols and what they are: codes, n_bits, n_symbols, order."""
    n_bits = draw(st.sampled_from([0, 0, 1, 2]))
    n_symbols = 1 << n_bits if n_bits else draw(st.sampled_from([2, 3, 10, 257, 70_000]))
    order = draw(st.integers(1, {2: 9, 3: 6, 4: 5, 10: 3, 257: 2}.get(n_symbols, 1)))
    codes = draw(st.lists(st.integers(0, min(n_symbols - 1, 3)) | st.just(n_symbols - 1), min_size=order, max_size=40))
    return codes, n_bits, n_symbols, order


def on_device(backend, codes, n_bits, n_symbols, order):
    """The windows of a sequence."""
    dtype = np.uint8 if n_symbols <= 256 else np.uint16 if n_symbols <= 65536 else np.uint32
    symbols = naive.pack(codes, n_bits) if n_bits else np.array(codes, dtype)
    return Windows(backend.to_device(symbols), n_bits, len(codes) - order + 1, n_symbols, order)


@some
@given(first=sequences(), data=st.data())
def test_windows_are_marked(backend, first, data):
    codes, n_bits, n_symbols, order = first
    seen = backend.sequences.empty_bitmap(n_symbols**order)
    marked: set[int] = set()
    for again in (False, True):
        if again:
            codes = data.draw(st.permutations(codes))
        numbers = [naive.number_of(window, n_symbols) for window in naive.windows_of(codes, order)]
        n_new = len(set(numbers) - marked)
        marked |= set(numbers)
        windows = on_device(backend, codes, n_bits, n_symbols, order)
        assert backend.sequences.mark_windows(windows, seen) == len(numbers) - n_new
        np.testing.assert_array_equal(backend.to_host(seen), naive.bitmap_of(marked, n_symbols**order))


@some
@given(sequence=sequences(), n_before=st.integers(0, 30))
def test_first_repeats(backend, sequence, n_before):
    codes, n_bits, n_symbols, order = sequence
    before, codes = codes[:n_before], codes[n_before:]
    if len(codes) < order:
        before, codes = [], before + codes
    seen = backend.sequences.empty_bitmap(n_symbols**order)
    if len(before) >= order:
        backend.sequences.mark_windows(on_device(backend, before, n_bits, n_symbols, order), seen)
    expected = naive.first_repeat(naive.windows_of(codes, order), set(naive.windows_of(before, order)))
    found = backend.sequences.first_repeat(on_device(backend, codes, n_bits, n_symbols, order), seen)
    assert found == (-1 if expected is None else expected[0])


@pytest.mark.parametrize("n_bits", [0, 1, 2])
def test_many_windows(backend, n_bits):
    """More than one thread, block or run of windows takes; the first that repeats is where it is put."""
    order, n_symbols, rng = 16 // max(1, n_bits), 1 << max(1, n_bits), np.random.default_rng(1)
    codes = rng.integers(0, n_symbols, LARGE)
    codes[LARGE - 20 :] = codes[:20]
    numbers = np.zeros(LARGE - order + 1, np.int64)
    for i in range(order):
        numbers = numbers * n_symbols + codes[i : i + len(numbers)]
    windows = on_device(backend, codes.tolist(), n_bits, n_symbols, order)
    seen = backend.sequences.empty_bitmap(n_symbols**order)
    assert backend.sequences.mark_windows(windows, seen) == len(numbers) - len(set(numbers.tolist()))
    if not is_simulated():
        np.testing.assert_array_equal(
            np.flatnonzero(np.unpackbits(backend.to_host(seen).view(np.uint8), bitorder="little")),
            sorted({*numbers}),
        )
    first = naive.first_repeat([(number,) for number in numbers.tolist()])[0]
    assert backend.sequences.first_repeat(windows, backend.sequences.empty_bitmap(n_symbols**order)) == first


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_leading_symbols(backend, dtype):
    top = 5**6 if dtype == np.uint32 else 5**20
    words = np.random.default_rng(1).integers(0, 5 * top, LARGE, dtype)
    found = backend.sequences.leading_symbols(backend.to_device(words), top, np.dtype(np.uint8))
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(backend.to_host(found), words // dtype(top))


def test_nothing(backend):
    windows = Windows(backend.to_device(np.empty(0, np.uint8)), 0, 0, 2, 1)
    seen = backend.sequences.empty_bitmap(2)
    assert backend.sequences.mark_windows(windows, seen) == 0
    assert backend.sequences.first_repeat(windows, seen) == -1
    assert backend.to_host(seen).tolist() == [0]
    assert len(backend.sequences.leading_symbols(backend.to_device(np.empty(0, np.uint32)), 1, np.dtype(np.uint8))) == 0
