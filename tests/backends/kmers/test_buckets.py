from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.kmers.table import kmer_text
from tests.naive.sequences import encode


def lines(kmers: list[str], counts: list[int], k: int, start: int, stop: int) -> str:
    codes = np.ascontiguousarray(np.array(encode(kmers, k), np.uint64).reshape(len(kmers), -(-k // 32)).T)
    return bytes(CPU.kmers.kmer_lines(codes, np.array(counts, np.uint32), k, start, stop)).decode()


@pytest.mark.parametrize("k", [3, 21, 31, 33, 63, 65, 95, 97, 127, 129, 255])
@given(data=st.data())
def test_kmer_lines(k: int, data: st.DataObject) -> None:
    kmers = data.draw(st.lists(st.text("ACGT", min_size=k, max_size=k), max_size=5))
    counts = [data.draw(st.integers(0, 2**32 - 1)) for _ in kmers]
    start = data.draw(st.integers(0, len(kmers)))
    stop = data.draw(st.integers(start, len(kmers)))
    expected = "".join(f"{kmer}\t{count}\n" for kmer, count in zip(kmers[start:stop], counts[start:stop], strict=True))
    assert lines(kmers, counts, k, start, stop) == expected


@pytest.mark.parametrize("count", [0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 2**32 - 1])
def test_counts_of_every_width(count: int) -> None:
    assert lines(["ACGTT"], [count], 5, 0, 1) == f"ACGTT\t{count}\n"


@given(st.text("ACGT", min_size=1, max_size=255))
def test_kmer_text(kmer: str) -> None:
    assert kmer_text(np.array(encode([kmer], len(kmer))[0], np.uint64), len(kmer)) == kmer
