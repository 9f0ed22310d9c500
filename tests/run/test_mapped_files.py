"""Mapped files that are truncated: one line and exit code 66, instead of SIGBUS; other bus errors end the process."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.helpers import RINGS

#: Truncates an array of a graph after it was mapped
PROGRAM = """
import os, sys
from debruijn_gpu.cli import main
from debruijn_gpu.io.graphs import saved
path, thread = sys.argv[1:]
checked = saved.checked_graph
def checked_graph(name, graph, *args):
    os.truncate(path + "/col.npy", 0)
    if thread == "yes":
        import threading
        reader = threading.Thread(target=graph.col.sum)
        reader.start()
        reader.join()
    return checked(name, graph, *args)
saved.checked_graph = checked_graph
main(["euler", path, "-q"])
"""

#: Reads behind the end of a file that nobody noted, with and without a file that was noted and is whole
UNKNOWN = """
import mmap, os, pathlib, sys
from debruijn_gpu.run.mapped_files import note_mapped_file
note_mapped_file(pathlib.Path(sys.argv[1]))
with open(sys.argv[2], "r+b") as file:
    mapped = mmap.mmap(file.fileno(), 0)
    os.truncate(sys.argv[2], 0)
mapped[0]
"""


def run(*arguments):
    return subprocess.run([sys.executable, "-c", *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("thread", ["no", "yes"])
@pytest.mark.process
def test_truncation_of_a_mapped_graph_is_an_error(tmp_path, thread):
    (tmp_path / "rings.txt").write_text(RINGS)
    command = ["graph", tmp_path / "rings.txt", "--convert", "directory", "-o", tmp_path / "graph"]
    subprocess.run([sys.executable, "-m", "debruijn_gpu", *map(str, command)], check=True, capture_output=True)
    done = run(PROGRAM, tmp_path / "graph", thread)
    assert done.returncode == 66
    assert done.stdout == ""
    first, second = done.stderr.splitlines()
    assert first == f"dbg: {tmp_path / 'graph' / 'col.npy'}: the file changed while it was read"
    assert second == "     run again when it is whole"


@pytest.mark.process
def test_other_bus_errors_end_the_process(tmp_path):
    for name in "ab":
        (tmp_path / name).write_bytes(bytes(5000))
    done = run(UNKNOWN, tmp_path / "a", tmp_path / "b")
    assert done.returncode == -signal.SIGBUS
    assert done.stderr == ""
