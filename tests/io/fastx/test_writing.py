from __future__ import annotations

import io

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.io.fastx import writing
from debruijn_gpu.run.tuning import tuned
from tests.naive import counting
from tests.naive.euler import table_of

READS = ["ACGTACGTTGCAGTCATTGCAGGTACGTCCAT", "TTTTTTTTTTTT"]


@pytest.mark.parametrize("block", [1, 2, 3, 1000])
def test_lines_do_not_depend_on_blocks(block: int) -> None:
    counts = counting.count(READS, 5)
    stream = io.BytesIO()
    with tuned(kmers_at_once=block):
        writing.write_kmer_lines(stream, table_of(counts.elements(), 5, canonical=True), CPU)
    assert stream.getvalue().decode() == counting.kmer_lines(counts)


def test_arrays_are_the_table_and_always_the_same_bytes() -> None:
    table = table_of(counting.count(READS, 5, canonical=False).elements(), 5, canonical=False)
    first, second = io.BytesIO(), io.BytesIO()
    writing.write_kmer_arrays(first, table)
    writing.write_kmer_arrays(second, table)
    assert first.getvalue() == second.getvalue()
    first.seek(0)
    with np.load(first) as arrays:
        assert (arrays["codes"] == table.codes).all()
        assert (arrays["counts"] == table.counts).all()
        assert (int(arrays["k"]), bool(arrays["canonical"])) == (5, False)


def test_empty_table() -> None:
    stream = io.BytesIO()
    writing.write_kmer_lines(stream, table_of([], 5, canonical=True), CPU)
    assert stream.getvalue() == b""
