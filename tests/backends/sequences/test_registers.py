"""Operations that write sequences of shift registers, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.sequences.registers import Register
from tests.helpers import n_examples
from tests.naive import fields as naive

pytestmark = pytest.mark.cuda

LARGE = 120 if is_simulated() else 2000
some = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(25),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
#: Trinomials, pentanomials, terms near to one another, and few and many symbols.
BINARY = [(2, 1), (2, 2), (2, 3), (2, 4), (2, 8), (2, 12), (2, 36), (2, 40), (2, 64)]
SYMBOLS = [(2, 5), (3, 1), (3, 2), (3, 7), (4, 3), (5, 4), (8, 3), (9, 2), (9, 4), (16, 5), (27, 12), (256, 2)]
MANY = [(257, 2), (343, 2), (512, 1), (512, 3), (65536, 2)]


def expected(register, state, n, is_cleared):
    recurrence = register.recurrence
    terms = list(zip(recurrence.lags, recurrence.products.tolist(), strict=True))
    codes = naive.recurrent(state, terms, recurrence.p, _digits(recurrence), n)
    return [0, *codes[1:]] if is_cleared else codes


def _digits(recurrence):
    m = 1
    while recurrence.p**m < recurrence.q:
        m += 1
    return m


def drawn_state(data, q, n):
    return data.draw(st.lists(st.integers(0, q - 1), min_size=n, max_size=n))


@some
@given(data=st.data(), size=st.sampled_from(BINARY), is_cleared=st.booleans())
def test_bits(backend, data, size, is_cleared):
    register, state = Register(*size), drawn_state(data, *size)
    n = data.draw(st.integers(1, 10_000 if size[1] > 1 else 64))
    packed = backend.sequences.register_bits(register.recurrence, np.array(state, np.uint8), n, is_cleared)
    assert packed.dtype == np.uint8
    codes = np.array(expected(register, state, n, is_cleared), np.uint8)
    np.testing.assert_array_equal(backend.to_host(packed), np.packbits(codes))


@pytest.mark.parametrize("order", [5, 36])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 128, 5 * 64, 5 * 64 + 1, 36 * 128, 36 * 128 + 1, 36 * 256])
def test_bits_around_rows(backend, order, n):
    register, state = Register(2, order), [1] * order
    packed = backend.sequences.register_bits(register.recurrence, np.array(state, np.uint8), n, False)
    codes = np.array(expected(register, state, n, False), np.uint8)
    np.testing.assert_array_equal(backend.to_host(packed), np.packbits(codes))


@some
@given(data=st.data(), size=st.sampled_from(SYMBOLS + MANY), is_cleared=st.booleans())
def test_symbols(backend, data, size, is_cleared):
    register, state = Register(*size), drawn_state(data, *size)
    n = data.draw(st.integers(1, LARGE))
    found = backend.sequences.register_symbols(register.recurrence, np.array(state), n, is_cleared)
    assert found.dtype == (np.uint8 if size[0] <= 256 else np.uint16)
    np.testing.assert_array_equal(backend.to_host(found), expected(register, state, n, is_cleared))


@pytest.mark.parametrize(("of_codes", "dtypes"), [("B", "B"), pytest.param("BH", "BHI", marks=pytest.mark.slow)])
@some
@given(data=st.data(), sizes=st.lists(st.integers(1, 40), min_size=2, max_size=2))
def test_combining(backend, data, sizes, of_codes, dtypes):
    dtype = data.draw(st.sampled_from(dtypes))
    sequences = [np.array(drawn_state(data, 5, size), data.draw(st.sampled_from(of_codes))) for size in sizes]
    starts = [data.draw(st.integers(0, size - 1)) for size in sizes]
    table, n = np.arange(25)[::-1].astype(dtype), data.draw(st.integers(0, LARGE))
    on_device = [backend.to_device(sequence) for sequence in sequences]
    found = backend.sequences.combine_symbols(on_device[0], starts[0], on_device[1], starts[1], n, 5, table)
    assert found.dtype == np.dtype(dtype)
    places = [(start + np.arange(n)) % size for start, size in zip(starts, sizes, strict=True)]
    codes = sequences[0][places[0]].astype(int) * 5 + sequences[1][places[1]]
    np.testing.assert_array_equal(backend.to_host(found), table[codes])


def test_joining(backend):
    parts = [np.arange(3, dtype=np.uint16), np.arange(5, dtype=np.uint16)]
    found = backend.to_host(backend.sequences.concatenate_symbols(*map(backend.to_device, parts)))
    np.testing.assert_array_equal(found, [0, 1, 2, 0, 1, 2, 3, 4])
