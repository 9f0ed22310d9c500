"""The seed of hash tables."""

from __future__ import annotations

import subprocess
import sys

import pytest

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run.hash_seed import hash_seed, use_hash_seed
from debruijn_gpu.run.parallel import ordered_map


def test_seed_is_drawn_once_per_process():
    program = "from debruijn_gpu.run.hash_seed import hash_seed; print(hash_seed()); print(hash_seed())"
    seeds = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
        for _ in range(2)
    ]
    assert all(one == other for one, other in seeds)
    assert seeds[0] != seeds[1]


def test_seed_is_odd_and_of_64_bits():
    assert hash_seed() & 1
    assert 0 < hash_seed() < 1 << 64


def test_seed_of_another_process_is_used_by_all_threads_until_the_end_of_its_context():
    own = hash_seed()
    with use_hash_seed(12345):
        assert set(ordered_map(lambda _: hash_seed(), range(20), 2)) == {12345}
    assert hash_seed() == own


@pytest.mark.parametrize("seed", [0, 2, -1, 1 << 64, (1 << 64) + 1])
def test_seed_that_is_none_is_refused(seed):
    with pytest.raises(ParameterError, match="odd integer"), use_hash_seed(seed):
        pass
