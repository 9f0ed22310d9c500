"""De Bruijn sequences by shift registers."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.arithmetic.integers import prime_power
from debruijn_gpu.backends.core.cpu import threads as pool
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.sequences.registers import RegisterSequence
from tests.helpers import n_examples
from tests.sequences.properties import bits_of, check_de_bruijn, symbols_of

MOST = 1_000_000
POWERS = [q for q in range(2, 1001) if prime_power(q)]
#: Orders from 2 on of all alphabets; of order 1 some, since there are 78,734 of them.
BY_ORDER = {order: [q for q in POWERS if q**order <= MOST] for order in range(2, 20)}
ORDER_1 = [q for q in range(2, 130) if prime_power(q)] + [243, 256, 257, 65521, 65536]


@pytest.mark.slow
@pytest.mark.parametrize("order", range(1, 20))
def test_every_window_is_there_once(order):
    for q in BY_ORDER.get(order, ORDER_1):
        codes = symbols_of(RegisterSequence(q, order))
        assert codes.dtype == (np.uint8 if q <= 256 else np.uint16)
        check_de_bruijn(codes, q, order)


@pytest.mark.parametrize(
    ("q", "order"),
    [(2, 1), (2, 2), (2, 9), pytest.param(2, 14, marks=pytest.mark.slow), (3, 5), (4, 4), (9, 3), (31, 2), (343, 1)],
)
def test_ranges_are_parts_of_the_whole(q, order):
    sequence = RegisterSequence(q, order)
    whole, letters = symbols_of(sequence), np.arange(q, dtype=np.uint8)[::-1].copy()
    rng = random.Random(1)
    for _ in range(30):
        start, stop = sorted(rng.choices(range(sequence.length + 1), k=2))
        block = rng.choice([64, 128, 1 << 12])
        np.testing.assert_array_equal(symbols_of(sequence, start, stop, block=block), whole[start:stop])
        if q <= 256:
            np.testing.assert_array_equal(
                symbols_of(sequence, start, stop, letters=letters, block=block), letters[whole[start:stop]]
            )
        if q == 2:
            np.testing.assert_array_equal(bits_of(sequence, start, stop, block=block), whole[start:stop])


def test_known_sequences():
    assert "".join(map(str, symbols_of(RegisterSequence(2, 3)))) == "00010111"
    assert "".join(map(str, symbols_of(RegisterSequence(2, 4)))) == "0000100110101111"


def test_threads_change_nothing():
    sequence, start = RegisterSequence(2, 36), 123_456_789
    expected = list(sequence.bit_blocks(start, start + (1 << 26), CPU, block=1 << 26))
    threads = pool.n_threads()
    try:
        pool.configure(3)
        (found,) = sequence.bit_blocks(start, start + (1 << 26), CPU, block=1 << 26)
    finally:
        pool.configure(threads)
    np.testing.assert_array_equal(found, expected[0])


@pytest.mark.parametrize(("q", "order"), [(2, 10), (3, 6), (4, 4), (9, 3), (16, 2), (257, 1)])
def test_windows_and_their_positions(q, order):
    sequence = RegisterSequence(q, order)
    whole, places = symbols_of(sequence), list(range(sequence.length))
    expected = whole[(np.arange(sequence.length)[:, np.newaxis] + np.arange(order)) % sequence.length]
    np.testing.assert_array_equal(sequence.windows_at(places), expected)
    assert sequence.positions_of(expected) == places


LARGE = {size: RegisterSequence(*size) for size in [(2, 36), (2, 40), (2, 64), (3, 40), (4, 16), (5, 27), (256, 8)]}


@settings(max_examples=n_examples(30))
@given(size=st.sampled_from(list(LARGE)), data=st.data())
def test_positions_of_windows_at_large_orders(size, data):
    sequence = LARGE[size]
    places = data.draw(st.lists(st.integers(0, sequence.length - 1), max_size=4))
    places += [0, 1, sequence.length - 1]
    assert sequence.positions_of(sequence.windows_at(places)) == places


@settings(max_examples=n_examples(30))
@given(size=st.sampled_from([*LARGE, (2, 61), (2, 127), (3, 70)]), data=st.data())
def test_windows_at_are_those_of_blocks(size, data):
    sequence = LARGE.get(size) or RegisterSequence(*size)
    start = data.draw(st.integers(0, sequence.length - 300))
    codes = symbols_of(sequence, start, start + 300)
    windows = sequence.windows_at([start, start + 7, start + 300 - size[1]])
    for place, window in zip((0, 7, 300 - size[1]), windows, strict=True):
        np.testing.assert_array_equal(codes[place : place + size[1]], window)


def test_positions_beyond_64_bits():
    sequence = RegisterSequence(2, 72)
    places = [0, 1, 1 << 70, sequence.length - 1]
    assert sequence.positions_of(sequence.windows_at(places)) == places


def test_nothing_to_find():
    sequence = RegisterSequence(2, 8)
    assert sequence.windows_at([]).shape == (0, 8)
    assert sequence.positions_of(np.zeros((0, 8), np.uint8)) == []


def test_logarithms_out_of_reach():
    sequence = RegisterSequence(2, 61)
    with pytest.raises(ParameterError, match="2,305,843,009,213,693,951") as caught:
        sequence.positions_of(sequence.windows_at([5]))
    assert "lyndon" in caught.value.fix


@pytest.mark.parametrize(
    ("q", "order", "fix"), [(6, 3, "crt"), (10, 1, "crt"), (65537, 1, "lyndon"), (2, 0, "from 1 to")]
)
def test_registers_that_are_not(q, order, fix):
    with pytest.raises(ParameterError) as caught:
        RegisterSequence(q, order)
    assert fix in caught.value.fix
