"""Results are whole or not there."""

from __future__ import annotations

import errno
import gzip
import io
import os
import shutil
import sys

import numpy as np
import pytest

from debruijn_gpu.errors import FileAccessError, FormatError
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.io import whole_file
from debruijn_gpu.io.graphs.files import save_graph
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.publishing import publish_completed, published_together
from debruijn_gpu.io.staging import Staging, hidden_name
from debruijn_gpu.io.whole_directory import make_directory


class FullDisk(io.BytesIO):
    def write(self, data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class ClosedPipe(io.BytesIO):
    def write(self, data):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


@pytest.fixture(params=["nameless", "named", "without links"], autouse=True)
def file_system(request, monkeypatch):
    """What file systems can: hold a file without a name and name it later; only one of that; neither."""
    if request.param == "named":
        monkeypatch.setattr(whole_file, "_NAMELESS", None)
    if request.param == "without links":

        def fail(*args, **options):
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

        monkeypatch.setattr(os, "link", fail)
    return request.param


def names(path):
    return sorted(entry.name for entry in path.iterdir())


def test_file_appears_at_the_end(tmp_path, file_system):
    with open_output(tmp_path / "x.txt") as stream:
        stream.write(b"text")
        assert len(names(tmp_path)) == (file_system == "named")
        assert "x.txt" not in names(tmp_path)
    assert (tmp_path / "x.txt").read_bytes() == b"text"
    assert names(tmp_path) == ["x.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("x"), FormatError("bad")])
def test_file_of_before_survives_a_failure(tmp_path, error):
    (tmp_path / "x.txt").write_bytes(b"before")
    with pytest.raises(type(error)), open_output(tmp_path / "x.txt"):
        raise error
    assert names(tmp_path) == ["x.txt"]
    assert (tmp_path / "x.txt").read_bytes() == b"before"


@pytest.mark.parametrize("umask", [0o022, 0o027, 0o000])
def test_permissions_follow_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        with open_output(tmp_path / "x") as stream:
            stream.write(b"text")
        save_graph(tmp_path / "graph", graph_from_edges(np.array([0]), np.array([1])))
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o666 & ~umask
    assert (tmp_path / "graph").stat().st_mode & 0o777 == 0o777 & ~umask
    assert (tmp_path / "graph" / "col.npy").stat().st_mode & 0o777 == 0o666 & ~umask


def test_permissions_of_what_is_replaced_stay(tmp_path):
    graph = graph_from_edges(np.array([0]), np.array([1]))
    (tmp_path / "x").write_bytes(b"before")
    save_graph(tmp_path / "graph", graph)
    (tmp_path / "x").chmod(0o640)
    (tmp_path / "graph").chmod(0o750)
    write(tmp_path / "x", b"text")
    save_graph(tmp_path / "graph", graph)
    assert (tmp_path / "x").read_bytes() == b"text"
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("x", "graph")] == [0o640, 0o750]


def test_group_of_what_is_replaced_stays(tmp_path, monkeypatch):
    (tmp_path / "x").write_bytes(b"before")
    (tmp_path / "x").chmod(0o674)
    given = []
    monkeypatch.setattr(os, "chown", lambda _new, user, group: given.append((user, group)))
    write(tmp_path / "x", b"text")
    assert set(given) == {(-1, (tmp_path / "x").stat().st_gid)}
    assert (tmp_path / "x").stat().st_mode & 0o7777 == 0o674


def test_another_group_may_do_no_more_than_others(tmp_path, monkeypatch):
    def refuse(*_arguments):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "chown", refuse)
    for mode, left in ((0o674, 0o644), (0o660, 0o600), (0o604, 0o604)):
        (tmp_path / "x").write_bytes(b"before")
        (tmp_path / "x").chmod(mode)
        write(tmp_path / "x", b"text")
        assert (tmp_path / "x").stat().st_mode & 0o7777 == left


def test_directory_that_gives_its_group_to_files_stays_one(tmp_path):
    graph = graph_from_edges(np.array([0]), np.array([1]))
    save_graph(tmp_path / "graph", graph)
    (tmp_path / "graph").chmod(0o2770)
    save_graph(tmp_path / "graph", graph)
    assert (tmp_path / "graph").stat().st_mode & 0o7777 == 0o2770


def write(path, content):
    with open_output(path) as stream:
        stream.write(content)


def write_several(tmp_path):
    """Write two files, a graph, and a file in a new directory."""
    write(tmp_path / "x", b"text")
    write(tmp_path / "y.gz", b"text")
    save_graph(tmp_path / "graph", graph_from_edges(np.array([0, 1]), np.array([1, 0])))
    make_directory(tmp_path / "new" / "directory")
    write(tmp_path / "new" / "directory" / "z", b"text")


def run_to_error(kind, function, match=None):
    with pytest.raises(kind, match=match), published_together():
        function()


def contents(path):
    return {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}


@pytest.fixture
def before(tmp_path):
    """Contents of a directory in which results are to be replaced."""
    (tmp_path / "x").write_bytes(b"before")
    save_graph(tmp_path / "graph", graph_from_edges(np.array([0]), np.array([1])))
    return contents(tmp_path)


def test_results_of_a_command_are_published_together(tmp_path, before):
    with published_together():
        write_several(tmp_path)
        assert contents(tmp_path).items() >= before.items()
        assert not (tmp_path / "y.gz").exists()
    assert names(tmp_path) == ["graph", "new", "x", "y.gz"]
    assert (tmp_path / "x").read_bytes() == b"text"
    assert gzip.decompress((tmp_path / "y.gz").read_bytes()) == b"text"
    assert (tmp_path / "graph" / "col.npy").read_bytes() != before[tmp_path / "graph" / "col.npy"]
    assert names(tmp_path / "new" / "directory") == ["z"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("x"), FormatError("bad")])
def test_failure_leaves_all_results_as_they_were(tmp_path, before, error):
    def fail():
        write_several(tmp_path)
        raise error

    run_to_error(type(error), fail)
    assert contents(tmp_path) == before
    assert names(tmp_path) == ["graph", "x"]


def test_result_that_cannot_get_its_name_leaves_the_others_as_they_were(tmp_path, before):
    (tmp_path / "away").mkdir()

    def write_where_a_directory_vanishes():
        write(tmp_path / "x", b"text")
        write(tmp_path / "away" / "y", b"text")
        shutil.rmtree(tmp_path / "away")

    run_to_error(FileAccessError, write_where_a_directory_vanishes, "away/y: No such file or directory")
    assert contents(tmp_path) == before


def test_answer_before_an_error_is_published(tmp_path):
    def answer():
        write(tmp_path / "answer", b"no")
        publish_completed()
        write(tmp_path / "other", b"text")
        raise FormatError("no")

    run_to_error(FormatError, answer)
    assert names(tmp_path) == ["answer"]


def test_what_a_killed_run_left_is_removed(tmp_path, file_system):
    left = Staging(tmp_path / "x")
    (left.path / "file").write_bytes(b"half")
    with open_output(tmp_path / "x"):
        assert left.path.exists()  # the run lives
    os.close(left._descriptor)
    with open_output(tmp_path / "x"):
        assert left.path.exists() == (file_system != "named")
    save_graph(tmp_path / "x.d", graph_from_edges(np.array([0]), np.array([1])))
    assert names(tmp_path) == (["x", "x.d"] if file_system != "nameless" else [left.path.name, "x", "x.d"])


def test_long_names(tmp_path):
    for name in ("x" * 255, "é" * 127):
        with open_output(tmp_path / name) as stream:
            stream.write(b"text")
    assert len(names(tmp_path)) == 2


@pytest.mark.parametrize("kind", ["link", "file", "directory"])
def test_a_temporary_name_that_is_taken_is_not_followed(tmp_path, monkeypatch, kind):
    """Names are random; if one is guessed all the same, what has it stays as it is."""
    monkeypatch.setattr(os, "urandom", bytes)
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "precious").write_bytes(b"precious")
    for name in ("x", "graph"):
        taken = hidden_name(tmp_path / name)
        if kind == "link":
            taken.symlink_to(victim / "precious" if name == "x" else victim)
        elif kind == "file":
            taken.write_bytes(b"precious")
        else:
            taken.mkdir()
            (taken / "precious").touch()
    before = names(tmp_path)
    with pytest.raises(FileAccessError, match="File exists"), open_output(tmp_path / "x") as stream:
        stream.write(b"text")
    with pytest.raises(FileAccessError):
        save_graph(tmp_path / "graph", graph_from_edges(np.array([0]), np.array([1])))
    assert names(tmp_path) == before
    assert names(victim) == ["precious"]
    assert (victim / "precious").read_bytes() == b"precious"


def test_descriptors_are_written_directly(tmp_path):
    """``-o >(gzip > x.gz)`` is a pipe, and ``-o /dev/stderr 2>> log`` goes to the end of the log."""
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    with open(log, "ab") as file:
        (tmp_path / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        for name in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}", tmp_path / "link"):
            check_writable(name)
            with open_output(name) as stream:
                stream.write(b"text\n")
    assert log.read_bytes() == b"before\n" + 3 * b"text\n"
    with pytest.raises(FileAccessError, match="Bad file descriptor"):
        check_writable("/dev/fd/999999")


def test_standard_output_by_its_path(capfdbinary):
    with open_output("/dev/stdout") as stream:
        stream.write(b"text")
    assert capfdbinary.readouterr().out == b"text"


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
