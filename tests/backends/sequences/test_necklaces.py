"""Symbols of the least de Bruijn sequence, on each backend."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.sequences import necklace_words, scalars
from tests.helpers import n_examples
from tests.naive.necklaces import sequence

pytestmark = pytest.mark.cuda

# words of 64 bits and less, of more, letters of more than 8 and of more than 16 bits
SHAPES = [(2, 1), (2, 5), (3, 4), (4, 3), (10, 3), (300, 1), (300, 2), (66_000, 1)]
some = settings(
    max_examples=25 if is_simulated() else n_examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
MOST = 60 if is_simulated() else 3000


@pytest.mark.parametrize(
    ("n_symbols", "order"),
    [pytest.param(*shape, marks=pytest.mark.slow) if shape[0] > 256 else shape for shape in SHAPES],
)
def test_is_made_of_sorted_lyndon_words(backend, n_symbols, order):
    expected = sequence(n_symbols, order)[-50:] if n_symbols**order < 10_000 else None
    length = n_symbols**order
    start = max(0, length - 50)
    found = backend.to_host(backend.sequences.lyndon_symbols(n_symbols, order, start, length, None))
    assert found.dtype == (np.uint8 if n_symbols <= 256 else np.uint16 if n_symbols <= 65_536 else np.uint32)
    assert found.tolist() == (expected or last_symbols(n_symbols, order, 50))


def last_symbols(n_symbols, order, n):
    """The sequence ends with the necklaces c d of c < d, and with the letters c, when n is 2 or 1."""
    first = n_symbols - 50
    symbols = []
    for c in range(first, n_symbols):
        symbols += [c] if order == 1 else [c, *(letter for d in range(c + 1, n_symbols) for letter in (c, d))]
    return symbols[-n:]


@some
@given(data=st.data())
def test_ranges_in_sequences_of_up_to_64_bits(backend, data):
    """Compared with the roots that Python's integers find, in long words and at the ends as well."""
    n_symbols, order = data.draw(st.sampled_from([(2, 64), (4, 32), (3, 40), (10, 19), (2, 31), (1000, 6), (16, 16)]))
    length = n_symbols**order
    n = data.draw(st.integers(0, MOST))
    start = data.draw(st.integers(0, length - n) | st.just(0) | st.just(length - n))
    letters = np.arange(n_symbols, dtype=np.uint8)[::-1].copy() if n_symbols <= 256 else None
    found = backend.to_host(backend.sequences.lyndon_symbols(n_symbols, order, start, start + n, letters)).astype(
        np.int64
    )
    expected = symbols_from(start, n, n_symbols, order)
    assert found.tolist() == (expected if letters is None else [n_symbols - 1 - symbol for symbol in expected])


def symbols_from(start, n, n_symbols, order):
    """Symbols at start..start + n, by the plain Python functions."""
    word, weights, sums = [0] * order, [0] * (order + 1), [0] * (order + 1)
    if not n:
        return []
    period, offset = scalars.place_root(n_symbols**order, start, order, n_symbols - 1, word, weights, sums)
    symbols = word[offset:period]
    while len(symbols) < n:
        period = necklace_words.next_necklace(word, order, n_symbols - 1)
        symbols += word[:period]
    return symbols[:n]


@pytest.mark.skipif(is_simulated(), reason="many symbols")
@pytest.mark.parametrize(("n_symbols", "order"), [(2, 20), (4, 10), (7, 7), (100, 3), (260, 2)])
def test_whole_in_segments(backend, n_symbols, order):
    length = n_symbols**order
    whole = backend.to_host(backend.sequences.lyndon_symbols(n_symbols, order, 0, length, None))
    edges = [0, 1, 7, 64, length // 3, length - 100, length]
    segments = [
        backend.to_host(backend.sequences.lyndon_symbols(n_symbols, order, start, stop, None))
        for start, stop in pairwise(edges)
    ]
    np.testing.assert_array_equal(np.concatenate(segments), whole)
    rounded = np.concatenate([whole, whole[: order - 1]]).astype(np.int64)
    windows = sum(rounded[i : i + length] * n_symbols ** (order - 1 - i) for i in range(order))
    np.testing.assert_array_equal(np.sort(windows), np.arange(length))


@pytest.mark.skipif(is_simulated(), reason="of the host")
def test_functions_agree_in_64_bits_and_in_pythons_integers():
    host = backends.host()
    for n_symbols, order in [(2, 64), (4, 32), (256, 8), (3, 40), (1 << 24, 2), (2, 1)]:
        length = n_symbols**order
        positions = [0, 1, length - 1, length // 2, length // 3, length - min(order, length)]
        windows = host.sequences.lyndon_windows(n_symbols, order, np.array(positions, np.uint64))
        room = [0] * order, [0] * (order + 1), [0] * (order + 1)
        for position, window in zip(positions, windows.tolist(), strict=True):
            expected = [0] * order
            scalars.find_window(length, position, order, n_symbols - 1, expected, *room)
            assert window == expected
        assert host.sequences.lyndon_positions(n_symbols, order, windows).tolist() == positions
