"""Results of a run appear together, also beside other runs and after one that was killed."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from debruijn_gpu import backends
from debruijn_gpu.assembly_dir.directory import FAILED_LOG, RESULTS, OutputDirectory, clear_leftovers
from debruijn_gpu.errors import FileAccessError
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io import staging, whole_directory
from debruijn_gpu.io.graphs import directories
from debruijn_gpu.io.graphs.files import read_graph, save_graph
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

ALL = tuple(name for name in RESULTS if name != "dbg.log")


def names(path):
    return sorted(entry.name for entry in path.iterdir())


@pytest.fixture
def without_locks(monkeypatch):
    """A file system that has no locks."""

    def fail(descriptor, operation):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", fail)


def write_run(path, force=False, results=("contigs.fasta", "params.json"), text=b"text", fail=None):
    with OutputDirectory(path, force) as directory:
        directory.log_path.write_bytes(b"log " + text)
        assert directory.staging.parent == path
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
        assert all(name.startswith(".dbg.") for name in names(tmp_path))
    assert names(tmp_path) == ["contigs.fasta"]


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


def test_permissions_of_earlier_results_stay(tmp_path):
    write_run(tmp_path)
    (tmp_path / "contigs.fasta").chmod(0o640)
    write_run(tmp_path, force=True)
    assert (tmp_path / "contigs.fasta").stat().st_mode & 0o777 == 0o640


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


def test_second_run_fails_at_once(tmp_path):
    path = tmp_path / "out"
    with OutputDirectory(path) as directory:
        for force in (False, True):
            with pytest.raises(FileAccessError, match="another run is writing there"):
                write_run(path, force)
        with directory.open("contigs.fasta") as stream:
            stream.write(b"first")
    assert names(path) == ["contigs.fasta"]
    assert (path / "contigs.fasta").read_bytes() == b"first"


@pytest.mark.usefixtures("without_locks")
def test_without_locks_the_second_to_end_fails(tmp_path):
    path = tmp_path / "out"
    slow = OutputDirectory(path).__enter__()
    with slow.open("contigs.fasta") as stream:
        stream.write(b"slow")
    write_run(path)
    with pytest.raises(FileAccessError, match="holds results already"):
        slow.__exit__(None, None, None)
    assert names(path) == ["contigs.fasta", "dbg.log", "params.json"]
    assert (path / "contigs.fasta").read_bytes() == b"text"


def test_lock_file_that_was_removed_while_it_was_opened(tmp_path, monkeypatch):
    first, second, third = (staging.DirectoryLock(tmp_path) for _ in range(3))
    assert first.acquire()
    try_lock = staging.try_lock

    def after_the_end_of_the_first(descriptor):
        first.release()
        return try_lock(descriptor)

    monkeypatch.setattr(staging, "try_lock", after_the_end_of_the_first)
    assert second.acquire()
    assert not third.acquire()
    second.release()
    assert names(tmp_path) == []


def test_lock_file_of_a_killed_run(tmp_path):
    (tmp_path / ".dbg.lock").touch(0o444)
    write_run(tmp_path)
    assert names(tmp_path) == ["contigs.fasta", "dbg.log", "params.json"]


def test_link_in_place_of_the_lock_file(tmp_path):
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / ".dbg.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(FileAccessError):
        write_run(tmp_path)
    assert (tmp_path / "victim").read_bytes() == b"precious"


def test_directory_that_a_failed_run_removes_meanwhile(tmp_path, monkeypatch):
    path = tmp_path / "a" / "out"
    acquire, tries = staging.DirectoryLock.acquire, []

    def after_removal(lock):
        if not tries:
            path.rmdir()
        tries.append(lock)
        return acquire(lock)

    monkeypatch.setattr(staging.DirectoryLock, "acquire", after_removal)
    write_run(path)
    assert len(tries) == 2
    assert names(path) == ["contigs.fasta", "dbg.log", "params.json"]


KILLED = """
import os, signal, sys
from pathlib import Path
from debruijn_gpu.assembly_dir.directory import OutputDirectory

path, last, names = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
n_calls = 0


def counted(function):
    def call(*args, **options):
        global n_calls
        n_calls += 1
        if n_calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)
    return call


with OutputDirectory(path, force=True) as directory:
    directory.log_path.write_bytes(b"new")
    for name in names:
        with directory.open(name) as stream:
            stream.write(b"new")
    for name in ("replace", "rename", "unlink", "rmdir", "fsync"):
        setattr(os, name, counted(getattr(os, name)))
"""


@pytest.mark.process
def test_kill_while_publishing(tmp_path):
    """At any call that changes files: parameters are never beside results of another run."""
    new = [name for name in ALL if name != "scaffolds.fasta"]
    n_killed = 0
    for last in range(1, 200):
        path = tmp_path / str(last)
        write_run(path, results=ALL, text=b"old")
        (path / "dbg.log").write_bytes(b"old")
        done = subprocess.run([sys.executable, "-c", KILLED, path, str(last), *new], check=False, timeout=60)
        assert done.returncode in (0, -signal.SIGKILL)
        found = {name: (path / name).read_bytes() for name in RESULTS if (path / name).exists()}
        if "params.json" in found:
            assert len(set(found.values())) == 1
            assert set(found) == set(RESULTS if found["params.json"] == b"old" else {*new, "dbg.log"})
        if done.returncode == 0:
            break
        n_killed += 1
        write_run(path, force=True)
        assert names(path) == ["contigs.fasta", "dbg.log", "params.json"]
    assert n_killed > len(RESULTS)
    assert done.returncode == 0


@pytest.mark.process
def test_run_after_a_kill_while_publishing_needs_no_force(tmp_path):
    """Results without parameters are of the run that was killed, but if no run was killed."""
    n_partial = 0
    for last in range(1, 60, 3):
        path = tmp_path / str(last)
        done = subprocess.run([sys.executable, "-c", KILLED, path, str(last), *ALL], check=False, timeout=60)
        if done.returncode == 0:
            break
        if "params.json" not in names(path):
            n_partial += "contigs.fasta" in names(path)
            write_run(path)
            assert names(path) == ["contigs.fasta", "dbg.log", "params.json"]
    assert n_partial > 3


def test_file_in_place_of_the_checkpoints_is_refused_at_once(tmp_path):
    (tmp_path / ".dbg").touch()
    with pytest.raises(FileAccessError, match=r"\.dbg: a file is in the way"), OutputDirectory(tmp_path, force=True):
        pass
    assert names(tmp_path) == [".dbg"]


def test_second_run_names_the_process_of_the_first(tmp_path):
    with OutputDirectory(tmp_path):
        with pytest.raises(FileAccessError, match=rf"writing there \(process {os.getpid()} on .+\)"):
            write_run(tmp_path)
        (tmp_path / ".dbg.lock").write_bytes(b"")
        with pytest.raises(FileAccessError, match=r"writing there$"):
            write_run(tmp_path)


@pytest.mark.usefixtures("without_locks")
def test_missing_locks_are_warned_of(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(log.logger, "propagate", True)
    with OutputDirectory(tmp_path):
        pass
    assert "the file system has no locks" in caplog.text


#: Content of the lock in a directory of unpublished results, and whether it is of a killed run of this machine
MARKS = {
    "host": (os.uname().nodename.encode, True),
    "other host, same boot": (lambda: b"container\n" + staging._BOOT.read_bytes().strip(), True),
    "other host": (lambda: b"other\n0123", False),
    "killed before it was written": (lambda: b"", True),
}


@pytest.mark.parametrize("name", MARKS)
def test_unpublished_results_of_killed_runs_are_removed(tmp_path, name):
    content, is_removed = MARKS[name]
    left = tmp_path / ".dbg.0123456789ab.part"
    left.mkdir()
    (left / ".lock").write_bytes(content())
    (left / "contigs.fasta").write_bytes(b"half")
    write_run(tmp_path)
    assert left.exists() != is_removed
    clear_leftovers(tmp_path)
    assert left.exists() != is_removed


def test_leftovers_of_a_run_that_lives_are_kept(tmp_path):
    with OutputDirectory(tmp_path) as directory:
        (tmp_path / ".dbg").mkdir()
        (tmp_path / ".dbg" / "000_kmers.checkpoint").touch()
        clear_leftovers(tmp_path)
        assert directory.staging.exists()
        assert (tmp_path / ".dbg" / "000_kmers.checkpoint").exists()
    assert names(tmp_path) == []


REPLACED = """
import os, signal, sys
import numpy as np
from debruijn_gpu.graph.build import graph_from_edges
from debruijn_gpu.io import whole_directory
from debruijn_gpu.io.graphs import directories
from debruijn_gpu.io.graphs.files import save_graph

last, n_calls = int(sys.argv[2]), 0
graph = graph_from_edges(np.array([0, 1, 2]), np.array([1, 2, 0]))
directories.parts_of(graph)


def counted(function):
    def call(*args, **options):
        global n_calls
        n_calls += 1
        if n_calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)
    return call


for name in ("replace", "rename", "unlink", "rmdir", "mkdir"):
    setattr(os, name, counted(getattr(os, name)))
whole_directory._exchange = counted(whole_directory._exchange)
save_graph(sys.argv[1], graph)
"""


@pytest.mark.process
def test_kill_while_a_graph_is_replaced(tmp_path):
    """The directory holds the graph of before or the new one, whole."""
    path, sizes = tmp_path / "graph", []
    backend = backends.load(RunOptions(threads=1))
    for last in range(1, 40):
        save_graph(path, graph_from_edges(np.array([0]), np.array([1])))
        assert names(tmp_path) == ["graph"]
        done = subprocess.run([sys.executable, "-c", REPLACED, path, str(last)], check=False, timeout=60)
        sizes.append(read_graph(str(path), GraphInputOptions(), RunOptions(), backend).n_edges)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert sizes == sorted(sizes)
    assert {1, 3} == set(sizes)
    assert len(sizes) > 6


@pytest.mark.parametrize("can_exchange", [True, False])
def test_directory_that_is_filled_meanwhile_is_not_replaced(tmp_path, monkeypatch, can_exchange):
    path = tmp_path / "graph"
    save_graph(path, graph_from_edges(np.array([0]), np.array([1])))
    fill = directories._fill

    def beside_others(*args):
        (path / "precious").touch()
        fill(*args)

    monkeypatch.setattr(directories, "_fill", beside_others)
    if not can_exchange:
        monkeypatch.setattr(whole_directory, "_exchange", lambda one, other: False)
    with pytest.raises(FileAccessError, match="other than a graph"):
        save_graph(path, graph_from_edges(np.array([0, 1]), np.array([1, 0])))
    assert names(tmp_path) == ["graph"]
    assert "precious" in names(path)


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("is_there", [True, False])
def test_another_run_is_quicker(tmp_path, monkeypatch, can_exchange, is_there):
    """It gives its graph the name between two steps."""
    path, rename, written = tmp_path / "graph", os.rename, []
    first, second = (graph_from_edges(np.array([0] * n), np.arange(n)) for n in (2, 3))
    if is_there:
        save_graph(path, graph_from_edges(np.array([0]), np.array([1])))

    def renamed(one, other):
        if str(other) == str(path) and not written:
            written.append(1)
            save_graph(path, first)
        rename(one, other)

    monkeypatch.setattr(os, "rename", renamed)
    if not can_exchange:
        monkeypatch.setattr(whole_directory, "_exchange", lambda one, other: False)
    save_graph(path, second)
    assert names(tmp_path) == ["graph"]
    found = read_graph(str(path), GraphInputOptions(), RunOptions(), backends.load(RunOptions(threads=1)))
    assert found.n_edges == 3


def test_directory_of_a_run_that_lives_is_no_leftover(tmp_path):
    first = staging.Staging(tmp_path / "x")
    second = staging.Staging(tmp_path / "x")
    assert len(names(tmp_path)) == 2
    first.remove()
    second.remove()
    assert names(tmp_path) == []


@pytest.mark.parametrize("lock", [None, b"another host", b""])
def test_leftovers_are_told_by_the_lock_file_and_the_host(tmp_path, lock):
    left = tmp_path / ".x.0123456789ab.part"
    left.mkdir()
    (left / "col.npy").touch()
    if lock is not None:
        (left / ".lock").write_bytes(lock)
    staging.Staging(tmp_path / "x").remove()
    assert (left / "col.npy").exists()
    (left / ".lock").write_bytes(staging._host())
    staging.Staging(tmp_path / "x").remove()
    assert names(tmp_path) == []


def test_leftovers_are_never_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / ".lock").write_bytes(staging._host())
    (tmp_path / ".x.0123456789ab.part").symlink_to(victim)
    staging.Staging(tmp_path / "x").remove()
    assert names(victim) == [".lock"]


def test_results_are_stored_before_those_of_an_earlier_run_go(tmp_path, monkeypatch):
    stored = []

    def store(path):
        assert path.is_file()
        assert (tmp_path / "contigs.fasta").read_bytes() == b"old"
        stored.append(path.name)

    (tmp_path / "contigs.fasta").write_bytes(b"old")
    monkeypatch.setattr("debruijn_gpu.assembly_dir.directory.sync_path", store)
    with OutputDirectory(tmp_path, force=True) as results:
        with results.open("contigs.fasta") as stream:
            stream.write(b">new")
        results.log_path.write_text("by another way")
    assert {"contigs.fasta", "dbg.log"} <= set(stored)
    assert (tmp_path / "contigs.fasta").read_bytes() == b">new"


def test_a_disk_that_does_not_store_a_result_keeps_the_earlier_ones(tmp_path, monkeypatch):
    def fail(path):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (tmp_path / "contigs.fasta").write_bytes(b"old")
    monkeypatch.setattr("debruijn_gpu.assembly_dir.directory.sync_path", fail)
    with (
        pytest.raises(FileAccessError, match=os.strerror(errno.EIO)),
        OutputDirectory(tmp_path, force=True) as results,
        results.open("contigs.fasta") as stream,
    ):
        stream.write(b">new")
    assert (tmp_path / "contigs.fasta").read_bytes() == b"old"
