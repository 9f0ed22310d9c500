"""Cycles of any length whose windows differ, by Euler circuits."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.sequences.cutdown_graph import CutDownCircuit, kept_words

CPU = backends.host()


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n", "step"), [(6, 1, 1), (6, 2, 1), (6, 3, 1), (10, 2, 1), (6, 4, 23), (12, 3, 31)])
def test_windows_differ_at_every_length(k, n, step):
    for length in [*range((k - 1) ** n + 1, k**n, step), k**n]:
        codes = CutDownCircuit(k, n, length, CPU, 1 << 30).codes.astype(np.int64)
        assert len(codes) == length
        around = np.concatenate((codes, np.resize(codes, n - 1)))
        numbers = np.zeros(length, np.int64)
        for i in range(n):
            numbers = numbers * k + around[i : i + length]
        numbers.sort()
        np.testing.assert_array_equal(numbers, kept_words(k, n, length, CPU))
        assert (np.diff(numbers) > 0).all()


def test_lack_of_memory_is_told_before():
    with pytest.raises(OutOfMemoryError, match=r"a graph of 10\^7 words"):
        CutDownCircuit(10, 7, 10**7 - 1, CPU, 1 << 20)
