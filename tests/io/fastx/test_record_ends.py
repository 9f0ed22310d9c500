"""Text cut at ends of records: what is parsed by several threads is what one finds."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.record_ends import end_of_records
from debruijn_gpu.io.fastx.records import read_records
from tests.helpers import with_operations

SEGMENTS = [
    b"@r1\n",
    b">r1\n",
    b"ACGT\n",
    b"AC\r\n",
    b"+\n",
    b"+r1\n",
    b"IIII\n",
    b"@@@@\n",
    b"+@>!\n",
    b"II\r\n",
    b"\n",
    b"NNA",
]
FASTQ = b"@r1 x\nACGT\n+\n@@@@\n"


def records(path, block_bytes, threads):
    """Everything that is said of a file: its records, or the error that ends it."""
    try:
        found = list(read_records(str(path), CPU, block_bytes, threads))
    except FormatError as error:
        return str(error)
    names = [reads.name(i) for reads in found for i in range(reads.n_reads)]
    lengths: list[int] = []
    for reads in found:
        new = np.diff(reads.parsed.offsets).tolist()
        if reads.n_repeated:
            lengths[-1] += new.pop(0) - reads.n_repeated
        lengths += new
    return names, lengths


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("reads") / "reads"


@given(
    st.sampled_from([b"@r0\nAC\n+\nII\n", b">r0\nAC\n", b"ACGT\n"]),
    st.lists(st.sampled_from(SEGMENTS), max_size=40),
    st.integers(1, 60) | st.integers(1000, 1300),
)
@example(b"@r0\nAC\n+\nII\n", [b"\n"] * 30 + [FASTQ], 8)
@example(b"", [FASTQ] * 30, 50)
@example(b"", [b"@r1\nAC\nGT\n+\nII\n@I\n"] * 20, 50)
@example(b">r0\nAC\n", [b">r\n", b"\n", b"ACGT\n\n"] * 15 + [b"!"], 30)
@example(b">r0\n", [b"ACGT\n"] * 600 + [b"AC\r\n"] * 600 + [b"!"], 50)
@example(b">r0\n", [b"AC\r\n", b"\n", b"NNA"] * 600, 1000)
@example(b">r0\n", [b"ACGT"] * 999 + [b">r1\n", b"ACGT\n"], 1000)
@example(b">r0\n", [b"ACGT"] * 999 + [b"\n>r1\n", b"ACGT\n"], 1000)
@example(b"ACGT\n", [b"ACGT"] * 999 + [b"\n", b"AC\r\n", b"\n"], 1000)
@example(b"\n\nACGT\n", [b"ACGT"] * 999 + [b"\n", b"AC\r\n", b"\n", b"A!\n"], 1000)
@example(b"ACGT\n", [b"ACGT"] * 999 + [b"\n", b">r1\n", b"AC\n"], 1000)
def test_threads_find_what_one_finds(path, start, segments, block_bytes):
    path.write_bytes(start + b"".join(segments) or b"\n")
    assert records(path, block_bytes, 4) == records(path, 1 << 20, 1)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (FASTQ, 0),  # no line before it: it may be cut
        (FASTQ + FASTQ, 2 * len(FASTQ)),
        (FASTQ + FASTQ[:-1], 0),
        (FASTQ + FASTQ + FASTQ[:-1], 2 * len(FASTQ)),
        (FASTQ + FASTQ + FASTQ[:3], 2 * len(FASTQ)),
        (b"@r\nAC\nGT\n+\nIIII\n" * 3, 0),
        (b"@r\r\nAC\r\n+\r\nII\r\n" * 3, 3 * 15),
        (b"", 0),
    ],
)
def test_ends(text, end):
    assert end_of_records(np.frombuffer(text, np.uint8)) == end


def test_long_records_and_many_blocks(path):
    rng = np.random.default_rng(1)
    long = b"@long\n" + b"A" * 300_000 + b"\n+\n" + b"I" * 300_000 + b"\n"
    path.write_bytes(b"".join(long if n == 0 else FASTQ * n for n in rng.integers(0, 2000, 60).tolist()))
    assert records(path, 10_000, 4) == records(path, 1 << 28, 1)


@pytest.mark.parametrize("n_empty", [65_535, 65_536, 70_000])
def test_many_empty_lines_before_fastq(path, n_empty):
    path.write_bytes(b"\n" * n_empty + b"@r\nAC\n+\n>I\n" * 3)
    for block_bytes in (20_000, 1 << 16, 1 << 20):
        assert records(path, block_bytes, 4) == (["r"] * 3, [2] * 3)


def test_a_long_record_of_fasta_makes_the_others_no_slower(path):
    path.write_bytes(b">long\n" + b"A" * 30_000 + b"\n" + b">r\nACGT\n" * 10_000)
    n_parsed = 0

    def parse_reads(text, fastq, final):
        nonlocal n_parsed
        n_parsed += len(text)
        return CPU.reads.parse_reads(text, fastq, final)

    watched = with_operations(CPU, "reads", parse_reads=parse_reads)
    assert sum(reads.n_reads for reads in read_records(str(path), watched, 10_000, 1)) == 10_001
    assert n_parsed < 1.5 * path.stat().st_size


def test_the_first_of_two_faults_is_named(path):
    text = b"".join(b"@r\nACGT\n+\n%04d\n" % (i * i % 9973) for i in range(5000))
    path.write_bytes(gzip.compress(b"@bad\nACGT\n+\nII\n" + text)[:-2000])
    one = records(path, 10_000, 1)
    assert "record 1, line 4: 4 bases but 2 qualities" in one
    assert records(path, 10_000, 16) == one
