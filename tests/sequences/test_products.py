"""De Bruijn sequences of several shift registers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.products import ProductSequence
from debruijn_gpu.sequences.registers import RegisterSequence
from tests.helpers import n_examples
from tests.sequences.properties import bits_of, check_de_bruijn, symbols_of

MOST = 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("order", range(1, 20))
def test_every_window_is_there_once(order):
    sizes = (
        [k for k in range(2, 1001) if k**order <= MOST] if order > 1 else [*range(2, 100), 1000, 65535, 65536, 99_990]
    )
    for k in sizes:
        codes = symbols_of(ProductSequence(k, order))
        assert codes.dtype == (np.uint8 if k <= 256 else np.uint16 if k <= 65536 else np.uint32)
        check_de_bruijn(codes, k, order)


def test_symbols_leave_the_remainders_of_the_parts():
    codes = symbols_of(ProductSequence(60, 2))
    for q in (3, 4, 5):
        np.testing.assert_array_equal(codes % q, np.resize(symbols_of(RegisterSequence(q, 2)), 3600))


@pytest.mark.parametrize(
    ("k", "order"), [(2, 9), (6, 4), (10, 3), pytest.param(30, 3, marks=pytest.mark.slow), (36, 2), (300, 1), (7, 3)]
)
def test_ranges_are_parts_of_the_whole(k, order):
    sequence = ProductSequence(k, order)
    whole, letters = symbols_of(sequence), np.arange(k, dtype=np.uint8)[::-1].copy()
    rng = random.Random(1)
    for _ in range(20):
        start, stop = sorted(rng.choices(range(sequence.length + 1), k=2))
        block = rng.choice([64, 256, 1 << 12])
        np.testing.assert_array_equal(symbols_of(sequence, start, stop, block=block), whole[start:stop])
        if k <= 256:
            found = symbols_of(sequence, start, stop, letters=letters, block=block)
            np.testing.assert_array_equal(found, letters[whole[start:stop]])


def test_bits():
    sequence = ProductSequence(2, 9)
    np.testing.assert_array_equal(bits_of(sequence, 3, 500, block=64), symbols_of(sequence, 3, 500))


LARGE = {size: ProductSequence(*size) for size in [(6, 24), (10, 20), (12, 16), (30, 9), (36, 12), (256, 3)]}


@pytest.mark.slow
@settings(max_examples=n_examples(20))
@given(size=st.sampled_from(list(LARGE)), data=st.data())
def test_positions_of_windows(size, data):
    sequence = LARGE[size]
    start = data.draw(st.integers(0, sequence.length - 100))
    places = [start, start + 100 - size[1], 0, sequence.length - 1]
    windows, codes = sequence.windows_at(places), symbols_of(sequence, start, start + 100)
    np.testing.assert_array_equal(windows[0], codes[: size[1]])
    np.testing.assert_array_equal(windows[1], codes[100 - size[1] :])
    assert sequence.positions_of(windows) == places


def test_alphabets_without_registers():
    with pytest.raises(ParameterError, match="131,074") as caught:
        ProductSequence(2 * 65537, 2)
    assert "lyndon" in caught.value.fix
