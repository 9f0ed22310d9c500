"""Words as numbers, on each backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from tests.helpers import n_examples
from tests.naive import words as naive

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=5 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def word_sets(draw):
    """Alphabet, length and words; the longest words nearly fill 64 bits."""
    n_symbols = draw(st.sampled_from([2, 3, 4, 10, 256]))
    order = draw(st.integers(1, {2: 64, 3: 40, 4: 32, 10: 19, 256: 8}[n_symbols]))
    most = n_symbols**order - 1
    dtype = draw(st.sampled_from([np.uint32, np.uint64])) if most < 1 << 32 else np.uint64
    value = st.integers(0, most) | st.sampled_from([0, most, most // 2, 1])
    size = draw(st.sampled_from([0, 1, 5]) | st.integers(0, 20 if is_simulated() else 300))
    return n_symbols, order, np.array(draw(st.lists(value, min_size=size, max_size=size)), dtype)


@some
@given(case=word_sets())
def test_words_as_their_letters(backend, case):
    n_symbols, order, values = case
    words = backend.to_device(values)
    tuples = [naive.letters(int(value), n_symbols, order) for value in values]

    def check(found, wanted):
        found = backend.to_host(found)
        assert found.dtype == values.dtype
        assert found.tolist() == list(wanted)

    check(backend.sequences.digit_sums(words, n_symbols), map(sum, tuples))
    check(
        backend.sequences.least_rotations(words, n_symbols, order),
        (naive.number(min(naive.rotations(word)), n_symbols) for word in tuples),
    )
    for m in {0, order - 1, order // 2}:
        divisor = n_symbols**m
        check(backend.sequences.quotients(words, divisor), (value // divisor for value in values.tolist()))
        check(backend.sequences.remainders(words, divisor), (value % divisor for value in values.tolist()))


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("n_symbols", [2, 5])
@pytest.mark.parametrize("n", [0, 1, 4, 12])
def test_words_are_extended_in_order(backend, dtype, n_symbols, n):
    found = backend.to_host(
        backend.sequences.extend_words(backend.to_device(np.arange(3, 3 + n, dtype=dtype)), n_symbols)
    )
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.arange(3 * n_symbols, (3 + n) * n_symbols))
