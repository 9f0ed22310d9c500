"""The grandmama sequence."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import CudaUnavailableError
from debruijn_gpu.sequences.lyndon import GrandmamaSequence
from tests.helpers import as_device
from tests.naive.necklaces import sequence


def symbols(cyclic, start, stop, **options):
    blocks = list(cyclic.blocks(start, stop, backends.host(), **options))
    return np.concatenate(blocks) if blocks else np.empty(0, np.uint8)


def test_known_one():
    letters = np.frombuffer(b"01", np.uint8)
    assert symbols(GrandmamaSequence(2, 4), 0, 16, letters=letters).tobytes() == b"0000101001101111"


@pytest.mark.parametrize("n_symbols", [2, 3, 4, 5, 6, 10, 20])
def test_is_made_of_necklaces_in_colexicographic_order(n_symbols):
    order = 1
    while n_symbols**order <= 2000:
        expected = sequence(n_symbols, order, colex=True)
        assert symbols(GrandmamaSequence(n_symbols, order), 0, n_symbols**order).tolist() == expected
        order += 1


@pytest.mark.slow
def test_property_up_to_a_million():
    """All windows differ, for every number of symbols and order."""
    for order in range(1, 20):
        for n_symbols in range(2, 1001):
            length = n_symbols**order
            if length > 1_000_000:
                break
            if order <= 2 and n_symbols > 100 and n_symbols % 50:
                continue
            found = symbols(GrandmamaSequence(n_symbols, order), 0, length).astype(np.int64)
            rounded = np.concatenate([found, found[: order - 1]])
            numbers = np.zeros(length, np.int64)
            for i in range(order):
                numbers = numbers * n_symbols + rounded[i : i + length]
            assert np.bincount(numbers, minlength=length).max() == 1


@pytest.mark.parametrize(("n_symbols", "order"), [(2, 13), (3, 8), (300, 2), (2, 70)])
def test_ranges_are_those_of_the_whole(n_symbols, order):
    cyclic = GrandmamaSequence(n_symbols, order)
    stop = min(cyclic.length, 10_000)
    whole = symbols(cyclic, 0, stop)
    for start in (0, 1, order - 1, 777, stop - 1, stop):
        for block in (64, 1 << 20):
            np.testing.assert_array_equal(symbols(cyclic, start, stop, block=block), whole[start:])


def test_on_a_gpu():
    with pytest.raises(CudaUnavailableError, match="grandmama is sequential"):
        next(GrandmamaSequence(2, 5).blocks(0, 10, as_device(CPU)))
