"""Thresholds of cleaning by the depth of each round."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from debruijn_gpu.assembly.options import CleanOptions
from debruijn_gpu.assembly.thresholds import RoundCleaner
from tests.assembly.test_cleaning import CPU, A, graph_of
from tests.helpers import random_sequence

COPY = A[100:200] + random_sequence(np.random.default_rng(2), 21)


def counts_of(depth: float) -> Any:
    """Counts of a run whose k-mers have this depth at each k."""
    estimate = SimpleNamespace(peak=depth, depth=depth)
    return SimpleNamespace(
        estimate=estimate, choice=SimpleNamespace(ks=(21,)), spectrum=None, depth_at=lambda _k: depth
    )


@pytest.mark.parametrize(
    ("depth", "is_first", "n_tips"), [(7, False, 0), (15, False, 0), (16, False, 1), (7, True, 1), (60, True, 1)]
)
def test_dead_ends_are_errors_at_the_first_k_and_where_no_place_lacks_reads(depth, is_first, n_tips):
    """A copy of a repeat whose reads end: of nearly the depth of the path beside it."""
    cleaner = RoundCleaner(CleanOptions(haplotype_depth=100), counts_of(depth), None, CPU)
    assert cleaner.clean(graph_of({A: 10, COPY: 8})[0], is_first)[1].tips == n_tips


def test_the_depth_from_which_dead_ends_are_errors_is_an_option():
    cleaner = RoundCleaner(CleanOptions(haplotype_depth=100, later_tip_depth=5), counts_of(7), None, CPU)
    assert cleaner.clean(graph_of({A: 10, COPY: 8})[0], False)[1].tips == 1
