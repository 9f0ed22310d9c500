"""Repeated and missing words, against brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.sequences import faults
from debruijn_gpu.sequences.faults import find_faults
from debruijn_gpu.sequences.symbols import code_dtype
from tests.helpers import n_examples
from tests.naive import windows as naive


@given(
    codes=st.lists(st.integers(0, 2), max_size=40),
    order=st.integers(1, 5),
    linear=st.booleans(),
    cut=st.integers(0, 40),
    limit=st.sampled_from([1, 3, 1000]),
    at_once=st.sampled_from([1, 7, 1 << 20]),
)
@settings(max_examples=n_examples(150), deadline=None)
def test_faults_are_those_of_all_windows(codes, order, linear, cut, limit, at_once):
    array = np.array(codes, code_dtype(3))
    before, faults._WINDOWS_AT_ONCE = faults._WINDOWS_AT_ONCE, at_once
    try:
        found = find_faults(lambda: iter([array[:cut], array[cut:]]), 3, order, linear, limit)
    finally:
        faults._WINDOWS_AT_ONCE = before
    windows = naive.windows_of(codes, order, linear)
    counts = Counter(windows)
    repeated = sorted(word for word, count in counts.items() if count > 1)
    assert found.n_repeated == len(repeated)
    assert [tuple(each.word) for each in found.repeated] == repeated[:limit]
    for each in found.repeated:
        places = [i for i, window in enumerate(windows) if window == tuple(each.word)]
        assert (each.count, each.positions) == (len(places), places[:10])
    missing = [word for word in range(3**order) if word not in {naive.number_of(window, 3) for window in windows}]
    assert found.n_missing == len(missing)
    assert [naive.number_of(word, 3) for word in found.missing] == missing[:limit]


def test_bitmaps_are_kept_within_memory():
    with pytest.raises(OutOfMemoryError, match="two bits for each of 1,048,576 words"):
        find_faults(lambda: iter([]), 2, 20, False, 5, memory=1 << 17)
