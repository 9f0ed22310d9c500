"""Results are whole or not there."""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys

import pytest

from debruijn_gpu.errors import FileAccessError, FormatError
from debruijn_gpu.io.outdir import FAILED_LOG, RESULTS, OutputDirectory
from debruijn_gpu.io.output import open_output


class FullDisk(io.BytesIO):
    def write(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class ClosedPipe(io.BytesIO):
    def write(self, data):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def names(path):
    return sorted(entry.name for entry in path.iterdir())


def test_file_appears_at_the_end(tmp_path):
    with open_output(tmp_path / "x.txt") as stream:
        stream.write(b"text")
        assert names(tmp_path) == [".x.txt.part"]
    assert (tmp_path / "x.txt").read_bytes() == b"text"
    assert names(tmp_path) == ["x.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("x"), FormatError("bad")])
def test_file_of_before_survives_a_failure(tmp_path, error):
    (tmp_path / "x.txt").write_bytes(b"before")
    with pytest.raises(type(error)), open_output(tmp_path / "x.txt"):
        raise error
    assert names(tmp_path) == ["x.txt"]
    assert (tmp_path / "x.txt").read_bytes() == b"before"


def test_gzip_holds_nothing_but_the_content(tmp_path):
    for name in ("a.gz", "b.gz"):
        with open_output(tmp_path / name) as stream:
            stream.write(b"text")
    packed = (tmp_path / "a.gz").read_bytes()
    assert packed == (tmp_path / "b.gz").read_bytes()
    assert packed[3:8] == bytes(5)  # no flags (so no name), no time
    assert gzip.decompress(packed) == b"text"


def test_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with open_output(tmp_path / "link") as stream:
        stream.write(b"text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"text"


def test_device_is_written_directly():
    with open_output("/dev/null") as stream:
        stream.write(b"text")
    assert not os.path.isfile("/dev/null")


def test_missing_directory(tmp_path):
    with (
        pytest.raises(FileAccessError, match="No such file or directory"),
        open_output(tmp_path / "no" / "x"),
    ):
        pass


def test_errors_of_other_files_are_not_blamed_on_the_output(tmp_path):
    with pytest.raises(FileNotFoundError), open_output(tmp_path / "x"):
        open(tmp_path / "other")  # noqa: SIM115


def test_full_disk_behind_standard_output(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(FullDisk()))
    with pytest.raises(FileAccessError, match="standard output: No space left"), open_output("-") as stream:
        stream.write(b"text")


def test_closed_pipe_stays_a_closed_pipe(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(ClosedPipe()))
    with pytest.raises(BrokenPipeError), open_output(None) as stream:
        stream.write(b"text")


def write_run(path, force=False, results=("contigs.fasta", "params.json"), text=b"text", fail=None):
    with OutputDirectory(path, force) as directory:
        directory.log_path.write_bytes(b"log " + text)
        for name in results:
            with directory.open(name) as stream:
                stream.write(text)
        if fail:
            raise fail


def test_directory_is_made_and_filled(tmp_path):
    path = tmp_path / "a" / "b"
    write_run(path)
    assert names(path) == ["contigs.fasta", "dbg.log", "params.json"]


def test_nothing_has_its_name_before_the_end(tmp_path):
    with OutputDirectory(tmp_path) as directory:
        with directory.open("contigs.fasta") as stream:
            stream.write(b"text")
        assert names(tmp_path) == [".contigs.fasta.part"]


def test_files_of_others_are_not_in_the_way(tmp_path):
    (tmp_path / "reads.fastq").write_bytes(b"reads")
    write_run(tmp_path)
    assert "reads.fastq" in names(tmp_path)


@pytest.mark.parametrize("name", RESULTS)
def test_earlier_results_are_not_touched_without_force(tmp_path, name):
    (tmp_path / name).write_bytes(b"before")
    with pytest.raises(FileAccessError, match=name) as caught:
        write_run(tmp_path)
    assert "--force" in caught.value.fix
    assert names(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"before"


def test_force_leaves_the_results_of_one_run(tmp_path):
    write_run(tmp_path, results=("contigs.fasta", "scaffolds.fasta", "params.json"), text=b"before")
    write_run(tmp_path, force=True)
    assert names(tmp_path) == ["contigs.fasta", "dbg.log", "params.json"]
    assert {(tmp_path / name).read_bytes() for name in ("contigs.fasta", "params.json")} == {b"text"}


@pytest.mark.parametrize("fail", [KeyboardInterrupt(), ValueError("x"), OSError(errno.ENOSPC, "full")])
def test_failure_keeps_the_log_and_what_was_before(tmp_path, fail):
    write_run(tmp_path, text=b"before")
    with pytest.raises(type(fail)):
        write_run(tmp_path, force=True, text=b"half", fail=fail)
    assert names(tmp_path) == ["contigs.fasta", FAILED_LOG, "dbg.log", "params.json"]
    assert (tmp_path / "contigs.fasta").read_bytes() == b"before"
    assert (tmp_path / FAILED_LOG).read_bytes() == b"log half"


def test_run_after_a_failure_needs_no_force(tmp_path):
    with pytest.raises(ValueError, match="x"):
        write_run(tmp_path, fail=ValueError("x"))
    assert names(tmp_path) == [FAILED_LOG]
    write_run(tmp_path)
    assert FAILED_LOG not in names(tmp_path)


def test_directories_made_for_nothing_go_again(tmp_path):
    with pytest.raises(ValueError, match="x"), OutputDirectory(tmp_path / "a" / "b"):
        raise ValueError("x")
    assert names(tmp_path) == []


def test_full_disk(tmp_path, monkeypatch):
    with (
        pytest.raises(FileAccessError, match=r"contigs\.fasta: No space left"),
        OutputDirectory(tmp_path) as directory,
        directory.open("contigs.fasta"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert names(tmp_path) == []


def test_file_in_place_of_the_directory(tmp_path):
    (tmp_path / "x").write_bytes(b"text")
    with pytest.raises(FileAccessError, match="Not a directory"):
        write_run(tmp_path / "x")
    with pytest.raises(FileAccessError, match="Not a directory"):
        write_run(tmp_path / "x" / "y")


def test_directory_in_place_of_a_file(tmp_path):
    (tmp_path / "contigs.fasta").mkdir()
    with pytest.raises(FileAccessError, match="in the way"):
        write_run(tmp_path, force=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_directory_that_cannot_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FileAccessError, match="Permission denied"):
        write_run(tmp_path)


def test_unknown_result_is_a_defect(tmp_path):
    with (
        OutputDirectory(tmp_path) as directory,
        pytest.raises(ValueError, match="known results"),
        directory.open("x"),
    ):
        pass
