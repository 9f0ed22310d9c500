"""Ways of following lists that short ones do not take by themselves."""

from __future__ import annotations

import pytest

from tests.backends.circuits.test_list_ranking import SHAPES, check, random_lists

pytestmark = pytest.mark.cuda

EXAMPLES = [*(SHAPES[name].astype("u4") for name in ("lists of one", "bidirected", "a list and a cycle"))]
EXAMPLES += [random_lists(seed, 60, n_ends) for seed, n_ends in enumerate([0, 1, 3, 10, 30])]


@pytest.mark.parametrize("successor", EXAMPLES)
def test_long_sublists(cuda, monkeypatch, successor):
    from debruijn_gpu.backends.circuits.cuda import cycles

    monkeypatch.setattr(cycles, "_FEW_EDGES", 1)
    monkeypatch.setattr(cycles, "_NOTED_OF_MANY", 1)
    check(cuda, successor)


@pytest.mark.parametrize("successor", EXAMPLES[-3:])
def test_keys_that_do_not_fit_in_64_bits(cuda, monkeypatch, successor):
    from debruijn_gpu.backends.circuits.cuda import segments

    monkeypatch.setattr(segments, "KEY_BITS", 4)
    check(cuda, successor)
