"""Blocks of sorted k-mers: their bytes, and the damage that decoding finds."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu import backends
from tests.naive import kmer_sets as naive

KMERS = backends.host().kmers
BEHIND = 8


def words_of(codes, k):
    n_words = -(-k // 32)
    words = [[code >> 64 * i & (1 << 64) - 1 for code in codes] for i in range(n_words - 1, -1, -1)]
    return np.array(words, np.uint64).reshape(n_words, len(codes))


def first_bytes(k):
    return -(-2 * ((k - 1) % 32 + 1) // 8)


def decoded(blocks, sizes, count_bytes, k):
    """Result of decoding, codes and counts."""
    offsets, starts = np.cumsum([0, *map(len, blocks)]), np.cumsum([0, *sizes])
    codes, counts = np.empty((-(-k // 32), starts[-1]), np.uint64), np.empty(starts[-1], np.uint32)
    data = np.frombuffer(b"".join(blocks) + bytes([255] * BEHIND), np.uint8)
    widths = np.array(count_bytes, np.int64)
    found = KMERS.decode_blocks(data, offsets[:-1], starts, widths, first_bytes(k), codes, counts)
    return found, codes, counts


@given(
    st.integers(1, 255),
    st.integers(1, 40),
    st.sampled_from([1, 255, 256, 65535, 65536, 2**32 - 1]),
    st.integers(1, 45),
    st.data(),
)
def test_blocks_have_the_bytes_of_the_format_and_decode_to_what_was_encoded(k, n, largest, size, data):
    rng = random.Random(data.draw(st.integers(0, 1000)))
    codes = sorted({rng.randrange(4**k) for _ in range(n)} | {4**k - 1})
    counts = [rng.randint(1, largest if rng.random() < 0.2 else 1) for _ in codes[1:]] + [largest]
    words, numbers = words_of(codes, k), np.array(counts, np.uint32)
    blocks = KMERS.encode_blocks(words, numbers, first_bytes(k), size)
    starts = range(0, len(codes), size)
    contents = [naive.block(codes[i : i + size], counts[i : i + size], k) for i in starts]
    assert blocks.content.tobytes() == b"".join(contents)
    assert blocks.n_bytes.tolist() == list(map(len, contents))
    assert blocks.least.tolist() == [min(counts[i : i + size]) for i in starts]
    assert blocks.largest.tolist() == [max(counts[i : i + size]) for i in starts]
    assert blocks.n_occurrences.tolist() == [sum(counts[i : i + size]) for i in starts]
    sizes = [len(codes[i : i + size]) for i in starts]
    found, some_codes, some_counts = decoded(contents, sizes, blocks.count_bytes, k)
    assert found == -1
    assert np.array_equal(some_codes, words)
    assert np.array_equal(some_counts, numbers)


@pytest.mark.parametrize("k", [5, 21, 31, 33, 70])
@pytest.mark.parametrize(
    ("blocks", "wrong"),
    [
        ([[(1, 3), (2, 1)], [(5, 2)]], -1),
        ([[(1, 3), (2, 1)], [(2, 2)]], 1),
        ([[(1, 3), (2, 1)], [(5, 2), (4, 2)]], 1),
        ([[(1, 3), (1, 1)], [(5, 2)]], 0),
        ([[(1, 300), (2, 1)], [(5, 0)], [(1, 1)]], 1),
        ([[(1, 70000), (2, 0)], [(5, 1)]], 0),
        ([[(1, 1), (2, 1)], [(5, 1)]], -1),
    ],
)
def test_the_first_block_that_is_out_of_order_is_found(blocks, wrong, k):
    step = 4 ** (k - 2)  # in the first word
    encoded = [
        KMERS.encode_blocks(
            words_of([code * step for code, _ in block], k),
            np.array([n for _, n in block], np.uint32),
            first_bytes(k),
            len(block),
        )
        for block in blocks
    ]
    contents, widths = [one.content.tobytes() for one in encoded], [int(one.count_bytes[0]) for one in encoded]
    assert decoded(contents, list(map(len, blocks)), widths, k)[0] == wrong


def test_rows_of_a_larger_table_are_encoded():
    words = words_of([i * 4**30 + i for i in range(50)], 40)
    counts = np.arange(1, 51, dtype=np.uint32)
    whole = KMERS.encode_blocks(words[:, 7:20].copy(), counts[7:20].copy(), first_bytes(40), 5)
    some = KMERS.encode_blocks(words[:, 7:20], counts[7:20], first_bytes(40), 5)
    assert some.content.tobytes() == whole.content.tobytes()
