"""`dbg euler` through its entry point."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

RINGS = "a -> b, c\nb -> d\nc -> d\nd -> a, a\n"
PATH = "1 2\n2 3\n3 1\n3 4\n"


@pytest.fixture
def rings(tmp_path: Path) -> Path:
    path = tmp_path / "rings.txt"
    path.write_text(RINGS)
    return path


@pytest.fixture
def open_path(tmp_path: Path) -> Path:
    path = tmp_path / "path.txt"
    path.write_text(PATH)
    return path


@pytest.mark.parametrize("algorithm", ["parallel", "hierholzer"])
def test_circuit(dbg, rings: Path, algorithm: str) -> None:
    code, out, log = dbg("euler", rings, "--verify", "--algorithm", algorithm)
    assert code == 0
    assert out in ("a -> b -> d -> a -> c -> d -> a\n", "a -> c -> d -> a -> b -> d -> a\n")
    assert "verified: every edge is used once" in log


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--path"], "3 -> 1 -> 2 -> 3 -> 4\n"),
        (["--trails"], "3 -> 1 -> 2 -> 3 -> 4\n"),
        (["--path", "--start", "3", "--single"], "3 -> 1 -> 2 -> 3 -> 4\n"),
        (["--path", "--reverse"], "4 -> 3 -> 2 -> 1 -> 3\n"),
    ],
)
def test_paths(dbg, open_path: Path, arguments: list[str], expected: str) -> None:
    assert dbg("euler", open_path, *arguments, "-q") == (0, expected, "")


def test_undirected(dbg, open_path: Path) -> None:
    code, out, _log = dbg("euler", open_path, "--undirected", "--path")
    vertices = out.strip().split(" -> ")
    walked = sorted(sorted(pair) for pair in itertools.pairwise(vertices))
    assert (code, walked) == (0, [["1", "2"], ["1", "3"], ["2", "3"], ["3", "4"]])


def test_start(dbg, rings: Path) -> None:
    code, out, _log = dbg("euler", rings, "--start", "d")
    assert (code, out[:4], out[-5:]) == (0, "d ->", "-> d\n")


def test_arrays(dbg, rings: Path, tmp_path: Path) -> None:
    """Edges are numbered as in the CSR of the graph: a-b, a-c, b-d, c-d, d-a, d-a."""
    for form in ("npy", "npz"):
        assert dbg("euler", rings, "--to", form, "-o", tmp_path / form, "-q") == (0, "", "")
    steps = np.load(tmp_path / "npy")
    assert (steps.dtype, sorted(steps.tolist())) == (np.uint32, list(range(6)))
    with np.load(tmp_path / "npz") as walks:
        assert (walks["steps"] == steps).all()
        assert (walks["offsets"].tolist(), walks["circular"].tolist()) == ([0, 6], [True])


def test_arrays_of_undirected_graphs_number_the_edges_that_were_read(dbg, tmp_path: Path) -> None:
    (tmp_path / "star.txt").write_text("5 1\n1 7\n7 5\n9 9\n")
    assert dbg("euler", tmp_path / "star.txt", "--undirected", "--to", "npy", "-o", tmp_path / "w", "-q")[0] == 0
    assert sorted(np.load(tmp_path / "w").tolist()) == [0, 1, 2, 3]


def test_count(dbg, rings: Path) -> None:
    table = "edge_sequences\t2\nvertex_sequences\t1\nunique_edges\tno\nunique_vertices\tyes\n"
    assert dbg("euler", rings, "--count", "-q") == (0, table, "")


def test_nothing(dbg, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert dbg("euler", tmp_path / "empty", "--verify", "-q") == (0, "", "")


@pytest.mark.parametrize(
    ("graph", "arguments", "code", "message"),
    [
        (PATH, [], 69, "no Euler circuit: the graph has an Euler path from 3 to 4"),
        ("1 2\n1 3\n", ["--path"], 69, "3 vertices are unbalanced: 1: 0 in, 2 out; 2: 1 in, 0 out; 3: 1 in, 0 out"),
        ("1 2\n1 3\n1 4\n", ["--undirected", "--path"], 69, "4 vertices have an odd number of edges"),
        ("1 1\n2 2\n", ["--single"], 69, "it takes 2 walks"),
        (RINGS, ["--start", "z"], 67, "--start z: the graph has no such vertex"),
        (RINGS, ["--algorithm", "fast"], 2, "choose one of parallel, hierholzer"),
        (RINGS, ["--to", "xml"], 2, "choose one of text, npy, npz"),
        (RINGS, ["--path", "--trails"], 2, "exclude each other"),
        (RINGS, ["--count", "--trails"], 2, "--count is for all circuits and paths"),
        (RINGS, ["--count", "--undirected"], 2, "--count is for all circuits and paths"),
        (RINGS, ["--count", "--start", "a"], 2, "--count is for all circuits and paths"),
        (RINGS, ["--count", "--to", "npy"], 2, "--count is for all circuits and paths"),
        (RINGS, ["-o", "/no/such/directory/x"], 66, "No such file"),
    ],
)
def test_errors(dbg, tmp_path: Path, graph: str, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "graph.txt").write_text(graph)
    found, out, err = dbg("euler", tmp_path / "graph.txt", *arguments, "-q")
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


def test_standard_input() -> None:
    command = [sys.executable, "-m", "debruijn_gpu", "euler", "--path", "-q"]
    done = subprocess.run(command, input=PATH.encode(), capture_output=True, check=True)
    assert done.stdout == b"3 -> 1 -> 2 -> 3 -> 4\n"
