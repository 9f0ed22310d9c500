"""De Bruijn sequences by the order of exits."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.sequences.euler import PreferSameSequence, RandomSequence
from debruijn_gpu.sequences.sequence import sequential_only


def test_sequences_are_kept():
    sequence = RandomSequence(4, 5, seed=2)
    assert (sequence.n_symbols, sequence.order, sequence.length) == (4, 5, 1024)
    parts = list(sequence.blocks(3, 1000, CPU, block=64))
    np.testing.assert_array_equal(np.concatenate(parts), sequence.codes[3:1000])
    letters = np.frombuffer(b"ACGT", np.uint8)
    assert next(sequence.blocks(0, 5, CPU, letters)).tobytes() == b"AAAAA"


def test_seeds_differ():
    codes = [RandomSequence(4, 4, seed).codes.tobytes() for seed in (0, 0, 1, -1, 2**70)]
    assert codes[0] == codes[1]
    assert len(set(codes)) == 4


def test_dtypes():
    assert PreferSameSequence(256, 1).codes.dtype == np.uint8
    assert PreferSameSequence(257, 1).codes.dtype == np.uint16


@pytest.mark.parametrize("order", [0, -3])
def test_no_windows(order):
    with pytest.raises(ParameterError, match="-n is"):
        PreferSameSequence(2, order)


@pytest.mark.parametrize(("k", "n"), [(2, 55), (2, 10**5), (1 << 24, 3), (10, 100)])
def test_too_large(k, n):
    for make in (lambda: PreferSameSequence(k, n), lambda: RandomSequence(k, n, 0)):
        with pytest.raises(OutOfMemoryError) as caught:
            make()
        assert "lyndon" in caught.value.fix
        assert len(caught.value.what) < 200


def test_memory_is_kept_within():
    with pytest.raises(OutOfMemoryError, match=r"4\^10 symbols by --method random need"):
        RandomSequence(4, 10, 0, n_bytes_allowed=1 << 20)
    with pytest.raises(OutOfMemoryError, match="--method prefer-same"):
        PreferSameSequence(4, 10, n_bytes_allowed=1 << 20)
    assert PreferSameSequence(4, 10, n_bytes_allowed=2 << 20).length == 1 << 20


def test_gpus_are_refused():
    error = sequential_only("random")
    assert error.what == "CUDA cannot be used: --method random is sequential"
    assert error.exit_code == 70
