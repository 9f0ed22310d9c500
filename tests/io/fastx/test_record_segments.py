"""FASTA records longer than a block: split records give the k-mers, lengths and errors of whole ones."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.reads.protocol import REPEATED_BASES
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.fastx.reads import read_batches
from debruijn_gpu.io.fastx.records import read_records
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.reads.lengths import LengthMeter
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.pairs import PairSample
from debruijn_gpu.run.options import RunOptions

RUN = RunOptions(backend="cpu", threads=2)


def genome(n, seed=1):
    """Random bases with a few ambiguous ones."""
    return "".join(random.Random(seed).choices("ACGTN", [50, 50, 50, 50, 1], k=n))


def wrapped(sequence, width):
    return "\n".join(sequence[i : i + width] for i in range(0, len(sequence), width))


def texts():
    """The same records in files of several styles."""
    records = [("a", genome(50)), ("b", genome(20_000)), ("c", genome(126)), ("d", ""), ("e", genome(3000, 2))]
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
@pytest.mark.parametrize("k", [3, 31, 127])
@pytest.mark.parametrize("style", texts())
def test_counts_are_independent_of_block_size(tmp_path, style, k):
    path = tmp_path / "genome"
    path.write_text(texts()[style])
    whole = counted(path, 1 << 20, k)
    assert whole[1] == 50 + 20_000 + 126 + 3000
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
@pytest.mark.parametrize("fault", [0, 125, 126, 999, 4000, 9999])
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
        sample = PairSample(CPU.to_host, 2)
        inputs = ReadInputs(first=(one,), second=(two,), interleaved=(both,))
        list(read_batches(inputs, CPU, block_bytes, pairs=sample))
        found.append([[mates.tolist() for mates in pair] for pair in sample.pairs()])
    assert len(found[0][0][0]) == 8
    assert all(one == other for one, other in pairwise(found))


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
