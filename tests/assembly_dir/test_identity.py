"""The identity of a run is that of its version, options and inputs, wherever these are."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.assembly.pair_options import PairOptions
from debruijn_gpu.assembly_dir import identity
from debruijn_gpu.assembly_dir.identity import identify
from debruijn_gpu.errors import FileAccessError, InputNotFoundError, ParameterError
from debruijn_gpu.reads.options import ReadInputs

OPTIONS = AssembleOptions()
BLOCK = identity._BLOCK_BYTES


@pytest.fixture
def reads(tmp_path):
    path = tmp_path / "reads.fa"
    path.write_bytes(b">r\nACGT\n")
    return path


def of(path, options=OPTIONS):
    return identify(ReadInputs(single=(str(path),)), options)


def test_copy_with_its_times_is_the_same(reads, tmp_path):
    shutil.copy2(reads, tmp_path / "other.fa")
    before, now = of(reads), of(tmp_path / "other.fa")
    assert (before.as_json(), before.digest) == (now.as_json(), now.digest)
    now.check(before.as_json(), "DIR")


@pytest.mark.parametrize("n_blocks", [1, 64, 65, 200])
def test_changes_of_the_first_and_last_bytes_are_seen(tmp_path, n_blocks):
    path = tmp_path / "large"
    path.write_bytes(b"x" * (n_blocks * BLOCK))
    os.utime(path, ns=(1, 1))
    found = {of(path).digest}
    for place in (0, n_blocks * BLOCK - 1):
        with open(path, "r+b") as file:
            file.seek(place)
            file.write(b"y")
        os.utime(path, ns=(1, 1))
        found.add(of(path).digest)
    assert len(found) == 3


@pytest.mark.parametrize("n_bytes", [0, 1, BLOCK, BLOCK + 1, 64 * BLOCK])
def test_small_files_are_hashed_as_a_whole(n_bytes):
    assert list(identity._starts(n_bytes)) == list(range(0, n_bytes, BLOCK))


@pytest.mark.parametrize("n_bytes", [64 * BLOCK + 1, 100 * BLOCK - 7, 10**12])
def test_blocks_of_large_files_are_spread_from_first_to_last(n_bytes):
    starts = list(identity._starts(n_bytes))
    assert (len(starts), starts[0], starts[-1] + BLOCK) == (64, 0, n_bytes)
    assert starts == sorted(set(starts))


@pytest.mark.parametrize(
    "options",
    [
        AssembleOptions(ks=(21,)),
        AssembleOptions(clean=None),
        AssembleOptions(clean=CleanOptions(tip_ratio=0.3)),
        AssembleOptions(pair_options=PairOptions(least_pairs=PairOptions().least_pairs + 1)),
        AssembleOptions(breaks=False),
        AssembleOptions(keep_variants=True),
        AssembleOptions(name="x"),
    ],
)
def test_each_option_is_part_of_it(reads, options):
    before, now = of(reads), of(reads, options)
    assert before.digest != now.digest
    with pytest.raises(ParameterError, match="DIR: its checkpoints are of other options: -"):
        now.check(before.as_json(), "DIR")
    with pytest.raises(ParameterError, match="DIR: its checkpoints are of other options: -"):
        before.check(now.as_json(), "DIR")


def test_genes_are_an_input(reads, tmp_path):
    genes = tmp_path / "genes.fa"
    genes.write_bytes(b">g\nACGT\n")
    found = of(reads, replace(OPTIONS, rotate=str(genes)))
    assert [one["role"] for one in found.inputs] == ["reads", "genes"]
    assert str(tmp_path) not in str(found.as_json())


def test_missing_files_are_reported(tmp_path):
    with pytest.raises(InputNotFoundError, match=r"missing: No such file"):
        of(tmp_path / "missing")
    with pytest.raises(FileAccessError, match="is a directory"):
        of(tmp_path)


def test_pipes_have_none(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert of(tmp_path / "pipe") is None  # and does not wait for a writer


def test_standard_input_from_a_file_is_known_from_its_start(reads, monkeypatch):
    with open(reads, "rb") as file:
        monkeypatch.setattr(
            os, "dup", lambda descriptor, dup=os.dup: dup(file.fileno() if descriptor == 0 else descriptor)
        )
        assert of("-").digest == of(reads).digest
        file.seek(3)
        assert of("-") is None
