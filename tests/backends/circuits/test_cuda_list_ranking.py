"""Ways of following lists that short ones do not take by themselves."""

from __future__ import annotations

import pytest

from debruijn_gpu.run.tuning import tuned
from tests.backends.circuits.test_list_ranking import SHAPES, check, random_lists

pytestmark = pytest.mark.cuda

EXAMPLES = [*(SHAPES[name].astype("u4") for name in ("lists of one", "bidirected", "a list and a cycle"))]
EXAMPLES += [random_lists(seed, 60, n_ends) for seed, n_ends in enumerate([0, 1, 3, 10, 30])]


@pytest.mark.parametrize("successor", EXAMPLES)
def test_long_sublists(cuda, successor):
    with tuned(few_edges=1, noted_edges=1):
        check(cuda, successor)


@pytest.mark.parametrize("successor", EXAMPLES[-3:])
def test_keys_that_do_not_fit_in_64_bits(cuda, successor):
    with tuned(packed_key_bits=4):
        check(cuda, successor)
