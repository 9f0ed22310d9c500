"""Windows beyond what 32 bits count, and sequences that are the same on both backends."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.sequences.containers import Windows
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sequences.euler import EulerSequence
from debruijn_gpu.sequences.verify import verify

pytestmark = pytest.mark.gpu

ORDER = 38  # a bitmap of 32 GiB, whose words need more than 32 bits


@pytest.mark.parametrize("n_bits", [0, 1])
def test_large_bitmaps(cuda, n_bits):
    """Windows of zeros and ones, with small and large numbers, and of random symbols."""
    rng = np.random.default_rng(1)
    codes = np.concatenate((np.zeros(ORDER), np.ones(ORDER), rng.integers(0, 2, 1 << 20))).astype(np.uint8)
    numbers = np.zeros(len(codes) - ORDER + 1, np.int64)
    for i in range(ORDER):
        numbers = 2 * numbers + codes[i : i + len(numbers)]
    symbols = cuda.to_device(np.packbits(codes) if n_bits else codes)
    windows = Windows(symbols, n_bits, len(numbers), 2, ORDER)
    seen = cuda.sequences.empty_bitmap(1 << ORDER)
    n_repeats = len(numbers) - len(set(numbers.tolist()))
    assert cuda.sequences.mark_windows(windows, seen) == n_repeats
    assert cuda.sequences.mark_windows(windows, seen) == len(numbers)
    for number in (*numbers[:50].tolist(), *numbers[:: len(numbers) // 50].tolist()):
        assert int(seen[number // 32]) >> number % 32 & 1


def test_the_same_sequence_on_both(cuda):
    host = backends.load(RunOptions(backend="cpu"))
    for k, n in [(4, 11), (10, 6), (3, 13), (300, 2)]:
        codes = cuda.to_host(EulerSequence(k, n, cuda).codes)
        np.testing.assert_array_equal(codes, EulerSequence(k, n, host).codes)
        assert verify(lambda codes=codes: iter([codes]), k, n, False, cuda).ok


def test_a_late_repeat(cuda):
    """The search for the first repeat goes through some ten thousand blocks of windows."""
    k, n = 4, 12
    codes = cuda.to_host(EulerSequence(k, n, cuda).codes).copy()
    codes[-100] ^= 1
    on_device = verify(lambda: iter([codes]), k, n, False, cuda)
    on_host = verify(lambda: iter([codes]), k, n, False, backends.load(RunOptions(backend="cpu")))
    assert not on_device.ok
    assert on_device.repeat is not None
    assert (on_device.repeat.position, on_device.repeat.earlier) == (on_host.repeat.position, on_host.repeat.earlier)
    assert on_device.n_missing == on_host.n_missing
    np.testing.assert_array_equal(on_device.missing, on_host.missing)


def test_lack_of_memory(cuda):
    with pytest.raises(OutOfMemoryError, match="empty_bitmap"):
        verify(lambda: iter([np.zeros(9, np.uint8)]), 2, 46, False, cuda)
    with pytest.raises(OutOfMemoryError, match=r"2\^40 edges") as caught:
        EulerSequence(2, 40, cuda)
    assert "lyndon" in caught.value.fix
