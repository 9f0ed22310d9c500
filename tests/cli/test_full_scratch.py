"""A disk of temporary files that becomes full at any write, in each stage of the commands that have some."""

from __future__ import annotations

import errno
import os
from types import SimpleNamespace

import numpy as np
import pytest

from debruijn_gpu.run import scratch
from tests.helpers import random_sequence

SPILL_ALL = {
    "reads_share": 0.0,
    "super_kmers_share": 0.0,
    "held_kmers_share": 0.0,
    "held_samples_share": 0.0,
    "held_columns_share": 0.0,
    "partitions": 3,
    "partitions_share": 0.0,
    "query_parts": 2,
    "query_share": 0.0,
    "sorted_bases": 0,
    "range_kmers": 2000,
    "waiting_colors": 1,
}
#: Command, name of the result, and writes that fail, about
COMMANDS = [
    ("count -k 21 s0.fa", "x.tsv", 3),
    ("unitigs -k 21 --min-count 1 s0.fa", "x.gfa", 6),
    ("assemble -1 r_R1.fq -2 r_R2.fq -k 21,41 --min-contig 50", "x", 24),
    ("matrix -k 21 s0.fa s1.fa", "x.npz", 6),
    ("color -k 21 s0.fa s1.fa", "x.gfa", 6),
    ("query s0.dbgk r_R1.fq", "x.txt", 6),
]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Two related genomes."""
    place = tmp_path_factory.mktemp("full")
    rng = np.random.default_rng(5)
    shared = random_sequence(rng, 15_000)
    for i in range(2):
        (place / f"s{i}.fa").write_text(f">x\n{random_sequence(rng, 5000)}{shared}\n")
    return place


class Disk:
    """Counts writes to scratch files, and refuses all from one on."""

    def __init__(self) -> None:
        self.n = 0
        self.refused: int | None = None

    def pwrite(self, descriptor: int, data: memoryview, offset: int) -> int:
        self.n += 1
        if self.refused is not None and self.n > self.refused:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.pwrite(descriptor, data, offset)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "name", "n_tried"), COMMANDS, ids=[line.split()[0] for line, *_ in COMMANDS])
def test_full_disk_of_temporary_files_ends_each_stage(dbg, tune, inputs, tmp_path, monkeypatch, line, name, n_tried):
    monkeypatch.chdir(inputs)
    if not (inputs / "r_R1.fq").exists():
        assert dbg("simulate", "s0.fa", "--paired", "--depth", 20, "-o", "r.fq", "-q")[0] == 0
        assert dbg("count", "-k", 21, "s0.fa", "-o", "s0.dbgk", "-q")[0] == 0
    disk, out, tmp = Disk(), tmp_path / "out", tmp_path / "tmp"
    monkeypatch.setattr(scratch, "os", SimpleNamespace(pwrite=disk.pwrite, preadv=os.preadv))
    tune(**SPILL_ALL)
    out.mkdir()
    tmp.mkdir()
    args = (*line.split(), "-o", out / name, "--tmp-dir", tmp, "-t", 2, "-q")
    assert dbg(*args)[0] == 0
    n_writes, tried = disk.n, {int(i) for i in np.linspace(0, disk.n - 1, n_tried)}
    assert n_writes
    for refused in sorted(tried):
        for path in sorted(out.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        disk.n, disk.refused = 0, refused
        code, _text, err = dbg(*args)
        assert (code, err.count("\n")) == (66, 2), err
        assert "No space left on device" in err
        assert "--tmp-dir" in err
        assert not list(tmp.iterdir())
        assert {path.name for path in out.rglob("*") if path.is_file()} <= {"dbg.failed.log", ".dbg.lock"}
