"""The format .dbgk: what is written is read again, by ranges too, and damage is found."""

from __future__ import annotations

import io
import itertools
import random
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets import layout
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.writing import SetWriter, write_set
from tests import helpers
from tests.helpers import kmers_of

BLOCK = 4


def table_of(counts, k, canonical=True):
    return replace(helpers.table_of(counts, k), canonical=canonical)


def counts_of(table):
    return dict(zip(kmers_of(table.codes, table.k), table.counts.tolist(), strict=True))


def some_counts(n, k, most_count=300, seed=1):
    """Counts of n random k-mers."""
    rng = random.Random(seed)
    n = min(n, 4**k)
    kmers = set()
    while len(kmers) < n:
        kmers.add("".join(rng.choices("ACGT", k=k)))
    return {kmer: rng.randint(1, most_count) for kmer in kmers}


def written(table, block_kmers=BLOCK, parts=1, threads=1):
    stream = io.BytesIO()
    writer = SetWriter(stream, table.k, table.canonical, block_kmers, threads)
    edges = [len(table) * i // parts for i in range(parts + 1)]
    for start, stop in itertools.pairwise(edges):
        writer.add(table.codes[:, start:stop], table.counts[start:stop])
    writer.finish()
    return stream.getvalue()


def opened(content):
    return KmerSetFile("x.dbgk", np.frombuffer(content, np.uint8))


@pytest.mark.parametrize("k", [1, 5, 12, 21, 27, 31, 32, 33, 48, 64, 101, 255])
@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_a_set_is_read_as_it_was_written(n, k):
    table = table_of(some_counts(n, k), k, canonical=bool(n % 2))
    found = opened(written(table))
    found.check()
    assert (len(found), found.k, found.canonical) == (len(table), k, table.canonical)
    assert counts_of(found.table()) == counts_of(table)
    assert [row for part in found.tables() for row in counts_of(part).items()] == list(counts_of(table).items())
    assert found.totals.n_occurrences == int(table.counts.sum())
    assert (found.totals.least, found.totals.largest) == (min(table.counts, default=0), max(table.counts, default=0))


@pytest.mark.parametrize("most_count", [1, 255, 256, 65535, 65536, 2**32 - 1])
def test_counts_of_any_size_are_kept(most_count):
    counts = some_counts(2 * BLOCK, 9)
    counts[min(counts)] = most_count
    table = table_of(counts, 9)
    assert counts_of(opened(written(table)).table()) == counts_of(table)


def test_counts_of_one_take_no_bytes():
    table = table_of(dict.fromkeys(some_counts(64, 16), 1), 16)
    n_bytes = 64 * 4 + layout.HEADER.size + layout.TRAILER.size + layout.BlockLayout(16, 64).index_entry.itemsize
    assert len(written(table, 64)) == n_bytes


@pytest.mark.parametrize("k", [3, 21, 33])
def test_any_range_of_codes_is_read(k):
    counts = some_counts(30, k)
    found = opened(written(table_of(counts, k)))
    bounds = sorted({code for code, _ in found.marks()} | {0, 1 << (2 * k), (1 << (2 * k)) // 3})
    letters = str.maketrans("ACGT", "0123")
    for low in bounds:
        for high in bounds:
            codes, some = found.read(low, high)
            assert codes.shape == (-(-k // 32), len(some))
            expected = {kmer: n for kmer, n in counts.items() if low <= int(kmer.translate(letters), 4) < high}
            assert len(some) == len(expected)
            assert sorted(some) == sorted(expected.values())


def test_bytes_are_independent_of_the_parts_that_are_added():
    table = table_of(some_counts(50, 31), 31)
    assert len({written(table, parts=parts) for parts in (1, 2, 7, 50)}) == 1
    larger = table_of(some_counts(40 * BLOCK + 3, 31), 31)  # several groups of blocks for each thread
    assert written(larger, threads=2) == written(larger, parts=3, threads=3) == written(larger)


def test_a_block_of_full_size_is_read(tmp_path):
    n = layout.BLOCK_KMERS + 1
    table = table_of({}, 31)
    codes = np.arange(n, dtype=np.uint64).reshape(1, n) << np.uint64(20)
    whole = type(table)(31, codes, np.ones(n, np.uint32))
    stream = io.BytesIO()
    write_set(stream, whole)
    found = opened(stream.getvalue())
    assert [size for _, size in found.marks()] == [layout.BLOCK_KMERS, 1]
    assert np.array_equal(found.table().codes, codes)


def read_whole(content):
    found = opened(content)
    found.check()
    return found.table()


def test_each_damaged_byte_is_found():
    content = written(table_of(some_counts(10, 21), 21))
    for i in range(len(content)):
        damaged = bytearray(content)
        damaged[i] ^= 0x10
        with pytest.raises(FormatError, match=r"^x.dbgk: "):
            read_whole(bytes(damaged))


def test_each_truncation_is_found():
    content = written(table_of(some_counts(10, 21), 21))
    for size in range(1, len(content)):
        with pytest.raises(FormatError, match=r"^x.dbgk: (the k-mer set is (truncated|damaged)|this is no k-mer set)"):
            read_whole(content[:size])


def resealed(record):
    return record[:-4] + zlib.crc32(record[:-4]).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("at", "form", "value"), [(16, "<I", 0), (16, "<I", 300), (20, "<I", 2), (24, "<I", 0), (24, "<I", 1 << 25)]
)
def test_impossible_headers_are_refused(at, form, value):
    content = bytearray(written(table_of(some_counts(10, 21), 21)))
    struct.pack_into(form, content, at, value)
    content[:64] = resealed(bytes(content[:64]))
    with pytest.raises(FormatError, match="impossible values"):
        read_whole(bytes(content))


@pytest.mark.parametrize(("at", "value"), [(8, 1 << 62), (8, 11), (32, 1 << 60), (40, 1 << 62), (40, 0)])
def test_impossible_trailers_are_refused_before_memory_is_taken(at, value):
    content = bytearray(written(table_of(some_counts(10, 21), 21)))
    struct.pack_into("<Q", content, len(content) - 64 + at, value)
    content[-64:] = resealed(bytes(content[-64:]))
    with pytest.raises(FormatError, match=r"damaged|truncated"):
        read_whole(bytes(content))


def test_other_byte_order_and_version_are_named():
    content = bytearray(written(table_of(some_counts(3, 5), 5)))
    swapped = content[:8] + content[8:12][::-1] + content[12:]
    with pytest.raises(FormatError, match="big-endian"):
        read_whole(bytes(swapped))
    struct.pack_into("<I", content, 12, 2)
    with pytest.raises(FormatError, match="version 2"):
        read_whole(bytes(content))


def test_blocks_out_of_order_are_refused():
    table = table_of(some_counts(3, 5), 5)
    shuffled = type(table)(5, table.codes[:, [0, 2, 1]], table.counts)
    with pytest.raises(FormatError, match="not in order"):
        read_whole(written(shuffled))
