"""Text cut at ends of records: what is parsed by several threads is what one finds."""

from __future__ import annotations

import gzip
import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.reads.protocol import REPEATED_BASES
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.io.fastx.record_blocks import end_of_records
from debruijn_gpu.io.fastx.records import read_records
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.reads.mates import pairs_of
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run.options import RunOptions
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


RUN = RunOptions(backend="cpu", threads=2)


def genome(n, seed=1):
    """Random bases with a few ambiguous ones."""
    return "".join(random.Random(seed).choices("ACGTN", [50, 50, 50, 50, 1], k=n))


def wrapped(sequence, width):
    return "\n".join(sequence[i : i + width] for i in range(0, len(sequence), width))


def texts():
    """The same records in files of several styles."""
    records = [("a", genome(50)), ("b", genome(20_000)), ("c", genome(254)), ("d", ""), ("e", genome(3000, 2))]
    fasta = "".join(f">{name} x\n{sequence}\n" for name, sequence in records)
    lines = "".join(f"{sequence}\n" for _name, sequence in records if sequence)
    return {
        "one line": fasta,
        "wrapped": "".join(f">{name}\n{wrapped(sequence, 60)}\n" for name, sequence in records),
        "crlf": fasta.replace("\n", "\r\n"),
        "blank lines": "\n\n" + "".join(f">{name}\n\n{wrapped(s, 9)}\n\n" for name, s in records),
        "lines": lines,
        "lines without an end": lines.replace("\n", "\n\r\n")[:-3],
    }


def counted(path, block_bytes, k):
    meter = LengthMeter(CPU.to_host)
    batches = meter.through(read_batches(ReadInputs(single=(str(path),)), CPU, block_bytes, threads=8))
    result = count_kmers(batches, CountOptions(k=k), RUN, CPU)
    lengths = (meter.lengths.lengths.tolist(), meter.lengths.numbers.tolist())
    table = (result.table.codes.tolist(), result.table.counts.tolist())
    return result.n_reads, result.n_bases, result.n_kmers, lengths, table


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 31, 127, 255])
@pytest.mark.parametrize("style", texts())
def test_counts_are_independent_of_block_size(tmp_path, style, k):
    path = tmp_path / "genome"
    path.write_text(texts()[style])
    whole = counted(path, 1 << 20, k)
    assert whole[1] == 50 + 20_000 + 254 + 3000
    for block_bytes in (100, 1500, 5000):
        assert counted(path, block_bytes, k) == whole


def test_batches_repeat_only_what_a_cut_makes_necessary(tmp_path):
    path = tmp_path / "genome.fa"
    path.write_text(">a\n" + wrapped(genome(100_000), 70) + "\n")
    batches = list(read_batches(ReadInputs(single=(str(path),)), CPU, 5000))
    assert [batch.n_reads for batch in batches] == [1] + [0] * (len(batches) - 1)
    assert {batch.n_repeated for batch in batches[1:]} == {REPEATED_BASES}
    assert max(batch.n_bases for batch in batches) < 5000 + REPEATED_BASES


@pytest.mark.slow
@pytest.mark.parametrize("block_bytes", [1, 64, 1000, 5000, 1 << 20])
@pytest.mark.parametrize("fault", [0, 253, 254, 999, 4000, 9999])
@pytest.mark.parametrize("style", ["fasta", "wrapped", "lines"])
def test_a_fault_in_a_split_record_is_where_it_is(tmp_path, style, fault, block_bytes):
    sequence = genome(10_000)
    faulty = sequence[:fault] + "!" + sequence[fault + 1 :]
    width = 50 if style == "wrapped" else len(sequence)
    header = "" if style == "lines" else ">r x\n"
    path = tmp_path / "reads"
    path.write_text(f"{header}ACGT\n{header}{wrapped(faulty, width)}\n{header}A\n")
    line = 1 + 1 + fault // width + (2 if header else 0)
    with pytest.raises(FormatError) as caught:
        list(read_records(str(path), CPU, block_bytes, 2))
    assert caught.value.what == f"{path}: record 2, line {line}: '!' is no nucleotide letter"


def test_names_and_pairs_are_independent_of_block_size(tmp_path):
    first = [(f"r{i}/1", genome(500 * i + 40, i)) for i in range(8)]
    second = [(f"r{i}/2", genome(900 * (8 - i) + 40, i + 50)) for i in range(8)]
    paths = [tmp_path / name for name in ("1.fa", "2.fa", "12.fa")]
    for path, records in zip(
        paths, (first, second, [r for pair in zip(first, second, strict=True) for r in pair]), strict=True
    ):
        path.write_text("".join(f">{name}\n{sequence}\n" for name, sequence in records))
    one, two, both = map(str, paths)
    found = []
    for block_bytes in (300, 2000, 1 << 20):
        inputs = ReadInputs(first=(one,), second=(two,), interleaved=(both,))
        found.append(list(pairs_of(read_batches(inputs, CPU, block_bytes))))
    n_pairs = [
        {number: sum(len(some.rows[0]) for some in pairs if some.number == number) for number in (0, 1)}
        for pairs in found
    ]
    assert n_pairs[0] == {0: 8, 1: 8}
    assert all(one == other for one, other in pairwise(n_pairs))


def test_a_long_record_of_fastq_is_an_error_of_memory(tmp_path):
    path = tmp_path / "long.fq"
    short = "@a\nA\n+\nI\n" * 3
    path.write_text(short + "@long x\n" + "A" * 50_000 + "\n+\n" + "I" * 50_000 + "\n" + short)
    assert sum(reads.n_reads for reads in read_records(str(path), CPU, 1000, 2, 200_000)) == 7
    with pytest.raises(OutOfMemoryError, match=r"long\.fq: record 4 \(long\), line 13: .* and 19\.5 KiB are allowed"):
        list(read_records(str(path), CPU, 1000, 2, 20_000))


def test_a_long_header_is_an_error_of_memory(tmp_path):
    path = tmp_path / "long.fa"
    path.write_text(">a\nACGT\n>b " + "x" * 50_000 + "\nACGT\n")
    assert [reads.name(0) for reads in read_records(str(path), CPU, 1000, 2, 200_000)] == ["a", "b"]
    with pytest.raises(OutOfMemoryError, match=r"record 2 \(b\), line 3: .* and 19\.5 KiB are allowed for one record"):
        list(read_records(str(path), CPU, 1000, 2, 20_000))


def test_segments_are_parsed_by_threads(tmp_path):
    path = tmp_path / "genome.fa"
    path.write_text(">a\n" + genome(20_000) + "\n")
    batches = list(read_batches(ReadInputs(single=(str(path),)), CPU, 3000, threads=32))
    again = list(read_batches(ReadInputs(single=(str(path),)), CPU, 3000, threads=1))
    for one, other in zip(batches, again, strict=True):
        assert np.array_equal(one.bases, other.bases)
        assert one.n_repeated == other.n_repeated
