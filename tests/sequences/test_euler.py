from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import OutOfMemoryError, ParameterError
from debruijn_gpu.sequences.euler import EulerSequence, bytes_needed
from debruijn_gpu.sequences.symbols import code_dtype

pytestmark = pytest.mark.cuda

#: All (k, n) with k^n up to a million, but few of the many for n below 4
SIZES = [(k, n) for n in range(4, 20) for k in range(2, 32) if k**n <= 10**6]
SIZES += [(k, 3) for k in (*range(2, 33), 50, 99, 100)]
SIZES += [(k, 2) for k in (2, 3, 4, 5, 6, 7, 10, 16, 100, 255, 256, 257, 1000)]
SIZES += [(k, 1) for k in (2, 3, 256, 257, 65536, 65537, 10**6)]


def is_de_bruijn(codes, k, n):
    """Whether all windows differ, going round, the first is zeros, and as many are there as words."""
    numbers = np.zeros(len(codes), np.int64)
    closed = np.concatenate((codes, codes[: n - 1]))
    for i in range(n):
        numbers = numbers * k + closed[i : i + len(codes)]
    return numbers[0] == 0 and len(codes) == k**n and (np.bincount(numbers, minlength=k**n) == 1).all()


@pytest.mark.slow
@pytest.mark.skipif(is_simulated(), reason="too many")
def test_sequences(backend):
    for k, n in SIZES:
        sequence = EulerSequence(k, n, backend, 1 << 30)
        codes = backend.to_host(sequence.codes)
        assert codes.dtype == code_dtype(k)
        assert (sequence.n_symbols, sequence.order, sequence.length) == (k, n, k**n)
        assert is_de_bruijn(codes, k, n), (k, n)


@pytest.mark.parametrize(("k", "n", "text"), [(2, 1, "01"), (2, 3, None), (3, 2, None), (5, 1, None)])
def test_small_sequences(backend, k, n, text):
    codes = backend.to_host(EulerSequence(k, n, backend).codes)
    assert is_de_bruijn(codes, k, n)
    assert text is None or "".join(map(str, codes)) == text


def test_blocks(backend):
    sequence = EulerSequence(2, 5, backend)
    whole = backend.to_host(sequence.codes).tolist()
    blocks = [backend.to_host(block).tolist() for block in sequence.blocks(3, 31, backend, block=8)]
    assert [len(block) for block in blocks] == [8, 8, 8, 4]
    assert [code for block in blocks for code in block] == whole[3:31]


@pytest.mark.parametrize(("k", "n"), [(4, 15), (2, 48), (2, 49), (1 << 24, 100_000)])
def test_too_large(backend, k, n):
    with pytest.raises(OutOfMemoryError) as caught:
        EulerSequence(k, n, backend, 1 << 30)
    assert "lyndon" in caught.value.fix
    assert f"{k}^{n} edges" in caught.value.what


def test_lack_of_memory_on_the_way(backend, monkeypatch):
    def fail(*_):
        raise OutOfMemoryError("Out of GPU memory: pair_edges needs 3 GiB")

    monkeypatch.setattr("debruijn_gpu.sequences.euler._find_sequence", fail)
    with pytest.raises(OutOfMemoryError, match=r"pair_edges needs 3 GiB") as caught:
        EulerSequence(2, 3, backend)
    assert "lyndon" in caught.value.fix


def test_room_for_the_sequence_is_asked_for_before_its_circuit_is_found():
    asked = []

    class Circuits:
        """Operations of GPUs that have no room; any other than this question fails."""

        def has_room(self, n_bytes):
            asked.append(n_bytes)
            return False

    circuits = SimpleNamespace(of_words=lambda n_edges: Circuits())
    with pytest.raises(OutOfMemoryError, match="the sequence needs 1024") as caught:
        EulerSequence(2, 40, SimpleNamespace(circuits=circuits))
    assert asked == [1 << 40]
    assert "lyndon" in caught.value.fix


def test_sizes_of_ids():
    assert bytes_needed(2, 32) == 8 * 2**31 + 28 * 2**32
    assert bytes_needed(2, 33) == 8 * 2**32 + 52 * 2**33
    assert bytes_needed(2, 34) == 8 * 2**33 + 56 * 2**34


def test_order_of_none(backend):
    with pytest.raises(ParameterError):
        EulerSequence(2, 0, backend)
