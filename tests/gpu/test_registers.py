"""Sequences of shift registers on the GPU: large blocks against the CPU, at some places."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.sequences.products import ProductSequence
from debruijn_gpu.sequences.registers import RegisterSequence

pytestmark = pytest.mark.gpu

SEGMENT = 1 << 16


@pytest.mark.parametrize("order", [34, 36, 40, 64])
@pytest.mark.parametrize("start", [0, 123_456_789])
def test_bits(cuda, order, start):
    sequence, n = RegisterSequence(2, order), (1 << 33) + 77
    (packed,) = sequence.bit_blocks(start, start + n, cuda, block=1 << 34)
    assert packed.size == -(-n // 8)
    for begin in [*range(0, packed.size, 99_999_991), packed.size - SEGMENT]:
        stop = min(begin + SEGMENT, packed.size)
        (expected,) = sequence.bit_blocks(start + 8 * begin, start + min(8 * stop, n), CPU, block=1 << 24)
        np.testing.assert_array_equal(cuda.to_host(packed[begin:stop]), expected)


@pytest.mark.parametrize(
    ("q", "order"), [(3, 40), (4, 31), (5, 20), (9, 16), (256, 6), (257, 5), (4096, 4), (65536, 3)]
)
def test_symbols(cuda, q, order):
    sequence, start, n = RegisterSequence(q, order), 1_000_003, (1 << 26) + 5
    (found,) = sequence.blocks(start, start + n, cuda, block=1 << 27)
    (expected,) = sequence.blocks(start, start + n, CPU, block=1 << 27)
    np.testing.assert_array_equal(cuda.to_host(found), expected)


@pytest.mark.parametrize(("k", "order"), [(10, 9), (30, 6), (300, 4)])
def test_products(cuda, k, order):
    sequence, start, n = ProductSequence(k, order), 12_345_678, 100_000_000
    letters = np.arange(k, dtype=np.uint8) + 48 if k < 100 else None
    found = [cuda.to_host(block) for block in sequence.blocks(start, start + n, cuda, letters)]
    expected = list(sequence.blocks(start, start + n, CPU, letters))
    np.testing.assert_array_equal(np.concatenate(found), np.concatenate(expected))
