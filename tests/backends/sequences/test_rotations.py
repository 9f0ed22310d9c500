from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from tests.naive import sequences as naive


def rotated(text: str) -> str:
    start = int(CPU.sequences.smallest_rotation(np.frombuffer(text.encode(), np.uint8).copy()))
    return text[start:] + text[:start]


@given(st.text("AC", max_size=12) | st.text("ACGT", max_size=60))
def test_smallest_rotation(text: str) -> None:
    assert rotated(text) == naive.smallest_rotation(text)


@pytest.mark.parametrize("text", ["", "A", "AA", "CA", "ACAC", "CACA", "AAAAAAAAAB" * 3, "BAAAAAAAAA" * 3])
def test_smallest_rotation_of_periodic_text(text: str) -> None:
    assert rotated(text) == naive.smallest_rotation(text)


def test_smallest_rotation_is_linear() -> None:
    text = np.full(2_000_000, ord("A"), np.uint8)
    text[1_000_000] = ord("C")
    assert CPU.sequences.smallest_rotation(text) == 1_000_001
