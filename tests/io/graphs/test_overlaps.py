"""Overlap graphs of strings and of k-mers, compared with all pairs."""

from __future__ import annotations

import gzip
import random

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError, OutOfMemoryError, ParameterError, UsageError
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.graphs.files import read_graph
from debruijn_gpu.run.options import RunOptions
from tests.naive.kmers import reverse_complement, windows

RUN = RunOptions(backend="cpu", threads=2)
FEW = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def read(tmp_path_factory):
    place = tmp_path_factory.mktemp("strings")

    def read_text(text: str, suffix: str = ".fa", **options):
        path = place / f"strings{suffix}"
        path.write_bytes(gzip.compress(text.encode()) if suffix.endswith(".gz") else text.encode())
        return read_graph(str(path), GraphInputOptions(**options), RUN, CPU)

    return read_text


def overlaps(strings: dict[str, str], n: int, loops: bool = False) -> dict[str, list[str]]:
    """All overlaps by n known bases, by trying all pairs."""
    return {
        a: [
            b
            for b, other in strings.items()
            if len(string) >= n
            and len(other) >= n
            and string[-n:] == other[:n]
            and set(other[:n]) <= set("ACGT")
            and (a != b or (loops and len(string) > n))
        ]
        for a, string in strings.items()
    }


string = st.text("ACGTN", min_size=1, max_size=9) | st.text("AC", min_size=1, max_size=7)
strings = st.lists(string, min_size=1, max_size=12)


@FEW
@given(sequences=strings, n=st.integers(1, 8), loops=st.booleans(), prefix=st.sampled_from(["", "ACGT" * 7, "A" * 65]))
def test_overlaps_of_records(read, sequences, n, loops, prefix):
    """A common start and end, longer than a word of 32 bases, moves the bases that differ."""
    named = {f"r{i}": prefix[::-1] + sequence + prefix for i, sequence in enumerate(sequences)}
    for length in {n, n + len(prefix)}:
        text = "".join(f">{name} x\n{sequence}\n" for name, sequence in named.items())
        assert dict(read(text, overlap=length, loops=loops)) == overlaps(named, length, loops)


@FEW
@given(sequences=strings, n=st.integers(1, 8))
def test_plain_sequences_are_called_by_themselves(read, sequences, n):
    distinct = {sequence: sequence for sequence in sequences}
    assert dict(read("\n".join(sequences) + "\n", overlap=n)) == overlaps(distinct, n)


@pytest.mark.parametrize(
    ("k", "n"), [(2, 1), (3, 2), (4, 2), (4, 4), (5, 6), (33, 32), (40, 33), (65, 33), (70, 1), (97, 64)]
)
@pytest.mark.parametrize("canonical", [False, True])
def test_overlaps_of_kmers(read, k, n, canonical):
    rng = random.Random(k)
    sequence = "".join(rng.choices("ACGT", k=k + 40))
    sequence += reverse_complement(sequence)[: k + 5]
    kmers = set(windows(sequence, k))
    if canonical:
        kmers |= set(map(reverse_complement, kmers))
    found = read(f">a\n{sequence}\n", k=k, overlap=n, canonical=canonical)
    assert dict(found) == overlaps({kmer: kmer for kmer in sorted(kmers)}, n)


def test_fastq_gzip_and_records_without_a_name(read):
    named = {"a": "ACGTA", "sequence_2": "TACC", "b/1": "CCAC"}
    text = "@a\nACGTA\n+\nIIIII\n@\nTACC\n+\nIIII\n@b/1\nCCAC\n+\nIIII\n"
    assert dict(read(text, ".fq.gz", overlap=2)) == overlaps(named, 2)
    assert dict(read(">a\nacg\nta\n>\nTACC\n>b/1 x\nCC\nAC\n", overlap=2)) == overlaps(named, 2)


def test_reversed_and_undirected(read):
    text = "ACG\nCGT\n"
    assert dict(read(text, overlap=2, reverse=True)) == {"ACG": [], "CGT": ["ACG"]}
    assert dict(read(text, overlap=2, undirected=True)) == {"ACG": ["CGT"], "CGT": ["ACG"]}
    assert dict(read(text, overlap=9)) == {"ACG": [], "CGT": []}


def test_faults(read, monkeypatch):
    with pytest.raises(FormatError, match="got a in records 1 and 3"):
        read(">a\nACG\n>b\nACG\n>a\nT\n", overlap=2)
    with pytest.raises(FormatError, match=r"is empty|no records"):
        read("", overlap=2)
    with pytest.raises(ParameterError, match="--overlap is 0"):
        read("ACG\n", overlap=0)
    with pytest.raises(UsageError, match="--loops has no effect without --overlap"):
        read("a b\n", loops=True)
    with pytest.raises(UsageError, match="exclude each other"):
        read("ACG\n", overlap=2, k=3, multiplicity=True)
    monkeypatch.setattr("debruijn_gpu.io.graphs.overlaps.memory_left", lambda _memory: 1_000_000)
    with pytest.raises(OutOfMemoryError, match="overlaps take about"):
        read("".join(f">{i}\nAAAA\n" for i in range(400)), overlap=3)


def test_names_that_are_not_text(tmp_path):
    (tmp_path / "a.fa").write_bytes(b">a\nACG\n>\xff\nACG\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_graph(str(tmp_path / "a.fa"), GraphInputOptions(overlap=2), RUN, CPU)
