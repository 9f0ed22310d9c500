"""Arrays of symbols on each backend: translated, packed, unpacked, summed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated

pytestmark = pytest.mark.cuda

some = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SIZES = (0, 1, 3, 4, 7, 8, 9, 31, 64) if is_simulated() else (0, 1, 3, 4, 7, 8, 9, 31, 64, 255, 256, 257, 100_003)


def codes_of(n, k, dtype=np.uint8):
    return np.random.default_rng(n).integers(0, k, n).astype(dtype)


def twin_packed(codes, n_bits):
    bits = "".join(f"{code:0{n_bits}b}" for code in codes.tolist())
    return [int(bits[i : i + 8].ljust(8, "0"), 2) for i in range(0, len(bits), 8)]


@pytest.mark.parametrize("n_bits", [1, 2])
@pytest.mark.parametrize("n", SIZES)
def test_packed_and_unpacked(backend, n, n_bits):
    codes = codes_of(n, 1 << n_bits)
    packed = backend.sequences.pack_symbols(backend.to_device(codes), n_bits)
    assert backend.to_host(packed).tolist() == twin_packed(codes, n_bits)
    letters = np.frombuffer(b"acgt", np.uint8)[: 1 << n_bits]
    unpacked = backend.to_host(backend.sequences.unpack_symbols(packed, n_bits, n, letters))
    np.testing.assert_array_equal(unpacked, letters[codes])


def test_three_symbols_take_two_bits(backend):
    codes = np.array([0, 1, 2, 2, 1], np.uint8)
    packed = backend.sequences.pack_symbols(backend.to_device(codes), 2)
    letters = np.frombuffer(b"xyz", np.uint8)
    assert backend.to_host(backend.sequences.unpack_symbols(packed, 2, 5, letters)).tobytes() == b"xyzzy"


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n", SIZES)
def test_translated(backend, n, dtype):
    codes = codes_of(n, 26, dtype)
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8)
    found = backend.to_host(backend.sequences.translate_symbols(backend.to_device(codes), letters))
    np.testing.assert_array_equal(found, letters[codes])


@some
@given(data=st.binary(max_size=60), cut=st.integers(0, 7))
def test_checksums_of_segments_add_up(backend, data, cut):
    whole = backend.to_device(np.frombuffer(data, np.uint8))
    at = min(8 * cut, len(data) // 8 * 8)
    parts = backend.sequences.checksum_bytes(whole[:at], 16) + backend.sequences.checksum_bytes(whole[at:], 16 + at)
    assert parts % (1 << 64) == backend.sequences.checksum_bytes(whole, 16)


def test_checksums_know_place_and_content(backend):
    data = codes_of(64, 256)
    sums = [backend.sequences.checksum_bytes(backend.to_device(data), position) for position in (0, 8, 1 << 40)]
    data[3] ^= 1
    sums.append(backend.sequences.checksum_bytes(backend.to_device(data), 0))
    assert len(set(sums)) == 4
    assert sums[0] == 14701127674334482224


def test_segments_that_do_not_begin_where_words_may(backend):
    data = codes_of(64, 2)
    moved = backend.to_device(data)
    for begin in range(1, 9):
        copy = backend.to_device(data[begin:].copy())
        assert backend.sequences.checksum_bytes(moved[begin:], 0) == backend.sequences.checksum_bytes(copy, 0)
        packed = backend.to_host(backend.sequences.pack_symbols(moved[begin:], 1))
        assert packed.tolist() == twin_packed(data[begin:], 1)
