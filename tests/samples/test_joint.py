"""Joint counts of samples, against Counters: whatever the ranges, threads, memory and formats."""

from __future__ import annotations

import os
import random
import resource
from itertools import pairwise

import pytest

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError, OutOfMemoryError, ParameterError
from debruijn_gpu.io.kmer_sets.files import write_table
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.tuning import tuned
from debruijn_gpu.samples import sequences
from debruijn_gpu.samples.joint import joint_counts
from debruijn_gpu.samples.options import SampleOptions
from debruijn_gpu.samples.sheet import Sample
from tests.helpers import first_quick, kmers_of, table_of
from tests.naive import kmers as naive_kmers, samples as naive

RUN = RunOptions(threads=2)


def random_genome(rng, length=120):
    return "".join(rng.choices("ACGT", k=length))


def write_fasta(path, reads):
    path.write_text("".join(f">r{i}\n{read}\n" for i, read in enumerate(reads)))
    return str(path)


def write_fastq(path, reads):
    path.write_text("".join(f"@r{i}\n{read}\n+\n{'I' * len(read)}\n" for i, read in enumerate(reads)))
    return str(path)


def write_set(path, counts, k, canonical=True, file_format="dbgk"):
    table = table_of(counts, k)
    with path.open("wb") as stream:
        write_table(stream, file_format, type(table)(k, table.codes, table.counts, canonical))
    return str(path)


def rows(samples, options, run=RUN, backend=None):
    found, k = {}, options.k or 31
    for part in joint_counts(samples, options, run, backend or backends.host()):
        entries = list(zip(part.samples.tolist(), part.counts.tolist(), strict=True))
        kmers = kmers_of(part.kmers, k)
        for kmer, (start, end) in zip(kmers, pairwise(part.row_ptr.tolist()), strict=True):
            assert not found or kmer > max(found)
            found[kmer] = entries[start:end]
    return found


@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("k", first_quick([1, 11, 33, 4, 32, 70], 3))
def test_rows_equal_counters(tmp_path, k, canonical):
    rng = random.Random(k)
    genome = random_genome(rng)
    reads = [
        [genome],
        [genome[30:100], genome[:50], genome[:50]],
        [random_genome(rng), "ACGTNACGT" * 20],
        ["AC"],
        ["ACGT" * 30],
    ]
    fastq = {1, 4}
    samples = [
        Sample(f"s{i}", ((write_fastq if i in fastq else write_fasta)(tmp_path / f"s{i}", some),))
        for i, some in enumerate(reads)
    ]
    counts = [naive_kmers.count(some, k, canonical) for some in reads]
    expected = naive.joined(counts, [2 if i in fastq else 1 for i in range(len(reads))])
    options = SampleOptions(k=k, canonical=canonical)
    assert rows(samples, options) == expected
    with tuned(range_kmers=7, held_samples_share=0.0):
        assert rows(samples, options, RunOptions(threads=1)) == expected


@pytest.mark.cuda
@pytest.mark.parametrize("k", [11, 33])
@pytest.mark.parametrize("share", [0.25, 0.0])
def test_samples_are_joined_where_they_were_counted(backend, tmp_path, k, share):
    rng = random.Random(k)
    genome = random_genome(rng, 60)
    reads = [[genome], [genome[5:50]], ["AC"], [genome[:40], genome[:40]]]
    samples = [Sample(f"s{i}", (write_fasta(tmp_path / f"s{i}.fa", some),)) for i, some in enumerate(reads)]
    expected = naive.joined([naive_kmers.count(some, k) for some in reads], [1] * len(reads))
    with tuned(held_samples_share=share):
        assert rows(samples, SampleOptions(k=k), backend=backend) == expected


def test_minimum_counts_are_those_of_samples_or_of_all(tmp_path):
    reads = ["ACGGT" * 3, "CCGGT" * 2]
    path = write_fastq(tmp_path / "a.fq", reads)
    samples = [Sample("a", (path,)), Sample("b", (path,), 1), Sample("c", (path,), 6)]
    counts = naive_kmers.count(reads, 4)
    assert rows(samples, SampleOptions(k=4)) == naive.joined([counts] * 3, [2, 1, 6])
    assert rows(samples, SampleOptions(k=4, hard_min=3)) == naive.joined([counts] * 3, [3, 1, 6])


def test_files_of_a_sample_are_counted_together(tmp_path):
    first, second = write_fasta(tmp_path / "a.fa", ["ACGGTTA"]), write_fastq(tmp_path / "b.fq", ["CGGTTACC"])
    found = rows([Sample("x", (first, second))], SampleOptions(k=4))
    assert found == naive.joined([naive_kmers.count(["ACGGTTA", "CGGTTACC"], 4)], [2])


@pytest.mark.parametrize("file_format", ["dbgk", "kff", "tsv", "fasta"])
def test_sets_of_kmers_are_samples(tmp_path, file_format):
    one, other = {"AAC": 4, "ACC": 1}, {"AAC": 1, "CCC": 7}
    first = write_set(tmp_path / "a", one, 3, file_format=file_format)
    second = write_set(tmp_path / "b", other, 3, file_format=file_format)
    reads = write_fasta(tmp_path / "c", ["AACC"])
    samples = [Sample("a", (first,)), Sample("c", (reads,)), Sample("ab", (first, second)), Sample("b", (second,), 2)]
    sum_of_both = {"AAC": 5, "ACC": 1, "CCC": 7}
    expected = naive.joined([one, naive_kmers.count(["AACC"], 3), sum_of_both, other], [1, 1, 1, 2])
    for options in (SampleOptions(), SampleOptions(k=3)):
        assert rows(samples, SampleOptions(k=3) if options.k is None else options) == expected
    with tuned(held_samples_share=0.0):
        assert rows(samples, SampleOptions(k=3)) == expected


def test_samples_beyond_memory_are_sorted_in_temporary_files(tmp_path, monkeypatch):
    rng = random.Random(3)
    genome = random_genome(rng, 400)
    samples = [Sample("a", (write_fasta(tmp_path / "a", [genome]),))]

    def refuse(*_args):
        raise OutOfMemoryError("too small")

    monkeypatch.setattr(sequences.SequenceCounter, "_table", refuse)
    assert rows(samples, SampleOptions(k=21)) == naive.joined([naive_kmers.count([genome], 21)], [1])


def test_sets_that_do_not_fit_together_are_refused(tmp_path):
    canonical = Sample("a", (write_set(tmp_path / "a.dbgk", {"AAC": 1}, 3),))
    forward = Sample("b", (write_set(tmp_path / "b.dbgk", {"AAC": 1}, 3, canonical=False),))
    longer = Sample("c", (write_set(tmp_path / "c.dbgk", {"AACC": 1}, 4),))
    reads = Sample("d", (write_fasta(tmp_path / "d.fa", ["ACGT"]),))
    mixed = Sample("e", (*canonical.files, *reads.files))
    for samples, options, error, message in (
        ([canonical, forward], SampleOptions(), ParameterError, "canonical"),
        ([canonical, longer], SampleOptions(), ParameterError, "k is 4"),
        ([canonical], SampleOptions(k=5), ParameterError, "-k is 5"),
        ([forward, reads], SampleOptions(), ParameterError, "those of sequences are counted as canonical ones"),
        ([mixed], SampleOptions(), FormatError, "sample e"),
    ):
        with pytest.raises(error, match=message):
            rows(samples, options)


def test_truncated_sets_are_refused(tmp_path):
    path = tmp_path / "a.dbgk"
    write_set(path, {"AAC": 1, "ACC": 2}, 3)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FormatError, match="truncated"):
        rows([Sample("a", (str(path),))], SampleOptions())


def test_many_samples_need_few_descriptors(tmp_path):
    path = write_set(tmp_path / "a.dbgk", {"AAC": 1, "ACC": 2}, 3)
    reads = write_fasta(tmp_path / "b.fa", ["AACC"])
    samples = [Sample(str(i), (path if i % 10 else reads,)) for i in range(300)]
    highest = max(int(number) for number in os.listdir("/proc/self/fd"))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 40, limits[1]))
    try:
        with tuned(held_samples_share=0.0):
            found = rows(samples, SampleOptions(k=3))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert [sample for sample, _ in found["AAC"]] == list(range(300))
