"""The beginning of files of reads, and what it says of the whole."""

from __future__ import annotations

import gzip
import os

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError, InputNotFoundError, UsageError
from debruijn_gpu.io.fastx import sampling
from debruijn_gpu.io.fastx.sampling import ReadSample
from debruijn_gpu.reads.options import ReadInputs
from tests.helpers import random_sequence

N_READS = 4_000


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(sampling, "_BLOCK_BYTES", 1 << 12)


def fastq(n: int, seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    text = random_sequence(rng, 100 * n)
    qualities = rng.integers(33, 74, (n, 100), np.uint8)
    parts = [f"@r{i}\n{text[100 * i : 100 * i + 100]}\n+\n".encode() + qualities[i].tobytes() + b"\n" for i in range(n)]
    return b"".join(parts)


def sampled(inputs: ReadInputs, n_bytes: int) -> tuple[int, ReadSample]:
    """Bases that were read, and the sample."""
    sample = ReadSample(inputs, n_bytes, CPU)
    return sum(batch.n_new_bases for batch in sample.batches()), sample


@pytest.mark.parametrize("ending", ["fq", "fq.gz", "fa"])
def test_a_part_tells_the_size_of_the_whole(tmp_path, ending):
    path = tmp_path / f"reads.{ending}"
    text = fastq(N_READS, 1)
    if ending == "fa":
        text = b"".join(b">r\n%s\n" % line for line in text.splitlines()[1::4])
    path.write_bytes(gzip.compress(text) if ending == "fq.gz" else text)
    n_bases, sample = sampled(ReadInputs(single=(str(path),)), len(text) // 2)
    assert not sample.is_whole
    assert 0.4 * 100 * N_READS < n_bases < 0.7 * 100 * N_READS
    assert n_bases * sample.scale == pytest.approx(100 * N_READS, rel=0.25 if ending == "fq.gz" else 0.03)
    assert sample.n_compressed == (sample.file_bytes if ending == "fq.gz" else 0)
    assert sample.file_bytes == os.path.getsize(path)


def test_small_files_are_read_whole(tmp_path):
    mates = tmp_path / "1.fq.gz", tmp_path / "2.fq"
    mates[0].write_bytes(gzip.compress(fastq(50, 1)))
    mates[1].write_bytes(fastq(50, 2))
    n_bases, sample = sampled(ReadInputs(first=(str(mates[0]),), second=(str(mates[1]),)), 1 << 20)
    assert (n_bases, sample.scale, sample.is_whole) == (10_000, 1.0, True)
    assert sample.n_compressed == os.path.getsize(mates[0])


def test_files_share_the_sample_by_their_sizes(tmp_path):
    paths = tmp_path / "1.fq", tmp_path / "2.fq"
    for path, n in zip(paths, (N_READS, N_READS // 4), strict=True):
        path.write_bytes(fastq(n, n))
    sample = ReadSample(ReadInputs(single=tuple(map(str, paths))), os.path.getsize(paths[0]), CPU)
    list(sample.batches())
    read = [sample._read[str(path)] for path in paths]
    assert read[0] == pytest.approx(4 * read[1], rel=0.1)


def test_damage_behind_the_sample_is_not_seen(tmp_path):
    path = tmp_path / "reads.fq"
    path.write_bytes(fastq(N_READS, 3) + b"@r\nACGT\n+\nII\n")
    assert sampled(ReadInputs(single=(str(path),)), 1 << 14)[0] > 0
    with pytest.raises(FormatError):
        sampled(ReadInputs(single=(str(path),)), 1 << 30)


def test_pipes_and_missing_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), "-"):
        with pytest.raises(UsageError, match="cannot be estimated"):
            ReadSample(ReadInputs(single=(path,)), 1 << 20, CPU)
    with pytest.raises(InputNotFoundError):
        ReadSample(ReadInputs(single=(str(tmp_path / "none"),)), 1 << 20, CPU)
