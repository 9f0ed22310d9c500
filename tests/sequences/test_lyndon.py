"""The least de Bruijn sequence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sequences.lyndon import LyndonSequence
from tests.helpers import as_device, first_quick, n_examples
from tests.naive.necklaces import sequence, windows

DIGITS = np.frombuffer(b"0123456789", np.uint8)


@pytest.fixture(scope="module")
def host():
    return backends.load(RunOptions(backend="cpu", threads=2))


def symbols(cyclic, start, stop, backend, letters=None, **options):
    blocks = list(cyclic.blocks(start, stop, backend, letters, **options))
    return np.concatenate(blocks) if blocks else np.empty(0, np.uint8)


@pytest.mark.parametrize(
    ("n_symbols", "order", "text"), [(2, 3, "00010111"), (2, 4, "0000100110101111"), (3, 1, "012")]
)
def test_known_ones(host, n_symbols, order, text):
    cyclic = LyndonSequence(n_symbols, order)
    assert cyclic.length == len(text)
    assert symbols(cyclic, 0, cyclic.length, host, DIGITS).tobytes().decode() == text


@pytest.mark.parametrize("n_symbols", first_quick([3, 5, 10, 2, 4, 6, 20], 3))
def test_windows_and_positions_of_all(host, n_symbols):
    """Both ways to count."""
    order = 1
    while n_symbols**order <= 1500:
        cyclic = LyndonSequence(n_symbols, order)
        expected = sequence(n_symbols, order)
        assert symbols(cyclic, 0, cyclic.length, host).tolist() == expected
        for both in (cyclic, uncompiled(cyclic)):
            found = both.windows_at(range(cyclic.length))
            assert found.tolist() == windows(expected, order)
            assert both.positions_of(found) == list(range(cyclic.length))
        order += 1


def uncompiled(cyclic):
    """The same sequence, as one of more than 2^64 symbols is treated."""
    copy = LyndonSequence(cyclic.n_symbols, cyclic.order)
    copy.is_compiled = False
    return copy


@pytest.mark.slow
def test_property_up_to_a_million(host):
    """All windows differ, for every number of symbols and order."""
    for order in range(1, 20):
        for n_symbols in range(2, 1001):
            length = n_symbols**order
            if length > 1_000_000:
                break
            if order <= 2 and n_symbols > 100 and n_symbols % 50:
                continue
            cyclic = LyndonSequence(n_symbols, order)
            found = symbols(cyclic, 0, length, host).astype(np.int64)
            assert len(found) == length
            rounded = np.concatenate([found, found[: order - 1]])
            numbers = np.zeros(length, np.int64)
            for i in range(order):
                numbers = numbers * n_symbols + rounded[i : i + length]
            assert np.bincount(numbers, minlength=length).max() == 1


@settings(max_examples=n_examples(60))
@given(data=st.data())
def test_locate_what_is_there(data):
    n_symbols = data.draw(st.sampled_from([2, 3, 4, 10, 255, 1 << 24]))
    order = data.draw(st.integers(1, 100 if n_symbols == 2 else 60))
    cyclic = LyndonSequence(n_symbols, order)
    positions = data.draw(st.lists(st.integers(0, cyclic.length - 1), max_size=3))
    found = cyclic.windows_at(positions)
    assert found.shape == (len(positions), order)
    assert cyclic.positions_of(found) == positions


@pytest.mark.slow
def test_locate_with_weights_beyond_32_bits():
    cyclic = LyndonSequence(1 << 24, 128)
    position = cyclic.length // 7
    assert cyclic.positions_of(cyclic.windows_at([position])) == [position]


@settings(max_examples=n_examples(60))
@given(data=st.data())
def test_what_is_located_is_there(data):
    """With windows of few different letters, whose necklaces have short roots and long ends."""
    n_symbols = data.draw(st.sampled_from([2, 3, 10]))
    order = data.draw(st.integers(1, 40))
    last = n_symbols - 1
    one = data.draw(st.lists(st.sampled_from([0, 1, last - 1, last, last]), min_size=1, max_size=order))
    window = np.array([(one * order)[:order]])
    cyclic = LyndonSequence(n_symbols, order)
    (position,) = cyclic.positions_of(window)
    np.testing.assert_array_equal(cyclic.windows_at([position]), window)


@settings(max_examples=n_examples(30))
@given(data=st.data())
def test_ranges_agree_with_windows(host, data):
    n_symbols, order = data.draw(st.sampled_from([(2, 64), (2, 70), (4, 40), (300, 9), (10, 20), (7, 5)]))
    cyclic = LyndonSequence(n_symbols, order)
    n = data.draw(st.integers(0, 500))
    start = data.draw(st.integers(0, cyclic.length - n) | st.just(cyclic.length - n))
    found = symbols(cyclic, start, start + n, host, block=64)
    assert len(found) == n
    for i in range(0, n - order + 1, 17):
        np.testing.assert_array_equal(cyclic.windows_at([start + i])[0], found[i : i + order])


@pytest.mark.parametrize(("n_symbols", "order"), [(2, 16), (5, 5), (2, 80)])
def test_blocks_and_threads_change_nothing(host, n_symbols, order):
    cyclic = LyndonSequence(n_symbols, order)
    start, stop = cyclic.length // 3, cyclic.length // 3 + 2000
    expected = symbols(cyclic, start, stop, host)
    for threads in (1, 2, 5):
        backend = backends.load(RunOptions(backend="cpu", threads=threads))
        for block in (64, 640, 1 << 20):
            np.testing.assert_array_equal(symbols(cyclic, start, stop, backend, block=block), expected)


def test_beyond_what_can_be_counted(host):
    cyclic = LyndonSequence(2, 20_000)
    assert symbols(cyclic, 0, 50_000, host).sum() == 3
    with pytest.raises(ParameterError, match="2\\^20000 are more"):
        cyclic.windows_at([1])
    with pytest.raises(ParameterError, match="2\\^20000 are more"):
        next(cyclic.blocks(1, 10, host))


def test_beyond_64_bits_on_a_gpu():
    with pytest.raises(ParameterError, match="2\\^65 are more"):
        next(LyndonSequence(2, 65).blocks(0, 10, as_device(CPU)))
