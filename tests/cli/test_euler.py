"""`dbg euler` through its entry point."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.backends.core import detection
from tests.cli.test_graph import READS, TEXT
from tests.helpers import RINGS

PATH = "1 2\n2 3\n3 1\n3 4\n"

#: A circuit, a path, a vertex on its own and a circuit
MIXED = "a -> b, a\nb -> a\nc -> d\nd -> e, c\nf ->\ng -> h\nh -> g\n"
STAR = "a -> b\nc -> a\nd -> a\n"
RING = "a -> b\nb -> c\nc -> a\n"


@pytest.fixture
def euler(dbg, tmp_path: Path):
    """A function that walks a graph given as text: exit code, standard output and standard error."""

    def run(text: str, *options: object) -> tuple[int, str, str]:
        path = tmp_path / "graph"
        path.write_text(text)
        return dbg("euler", path, "-q", *options)

    return run


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
    for file_format in ("npy", "npz"):
        assert dbg("euler", rings, "--format", file_format, "-o", tmp_path / file_format, "-q") == (0, "", "")
    steps = np.load(tmp_path / "npy")
    assert (steps.dtype, sorted(steps.tolist())) == (np.uint32, list(range(6)))
    with np.load(tmp_path / "npz") as walks:
        assert (walks["steps"] == steps).all()
        assert (walks["offsets"].tolist(), walks["circular"].tolist()) == ([0, 6], [True])


def test_arrays_of_undirected_graphs_number_the_edges_that_were_read(dbg, tmp_path: Path) -> None:
    (tmp_path / "star.txt").write_text("5 1\n1 7\n7 5\n9 9\n")
    assert dbg("euler", tmp_path / "star.txt", "--undirected", "--format", "npy", "-o", tmp_path / "w", "-q")[0] == 0
    assert sorted(np.load(tmp_path / "w").tolist()) == [0, 1, 2, 3]


def test_count(dbg, rings: Path) -> None:
    table = "edge_sequences\t2\nvertex_sequences\t1\nunique_edges\tno\nunique_vertices\tyes\n"
    assert dbg("euler", rings, "--count", "-q") == (0, table, "")


def test_nothing(dbg, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert dbg("euler", tmp_path / "empty", "--verify", "-q") == (0, "", "")


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (TEXT, "", "0 -> 3 -> 2 -> 6 -> 8 -> 7 -> 9 -> 6 -> 5 -> 4 -> 2 -> 1 -> 0\n"),
        ("", "", ""),
        ("a ->\n", "--single", ""),
        ("a -> a\n", "", "a -> a\n"),
        ("a -> b\n", "--path", "a -> b\n"),
        (RING, "--start c", "c -> a -> b -> c\n"),
        (RING, "--reverse", "a -> c -> b -> a\n"),
        (MIXED, "--path", "a -> b -> a -> a\nd -> c -> d -> e\ng -> h -> g\n"),
        (MIXED, "--path --start h", "a -> b -> a -> a\nd -> c -> d -> e\nh -> g -> h\n"),
        (STAR, "--trails", "c -> a -> b\nd -> a\n"),
        ("a -> b\n", "--undirected --path", "a -> b\n"),
        ("a -> b\n", "--undirected --path --start b", "b -> a\n"),
        ("a -> b\nc -> b\nc -> a\n", "--undirected", "a -> b -> c -> a\n"),
        (STAR, "--undirected --trails", "a -> b\nc -> a -> d\n"),
    ],
)
def test_walks(euler, text: str, options: str, expected: str) -> None:
    for threads in (1, 2, 8):
        assert euler(text, *options.split(), "--verify", "-t", threads) == (0, expected, "")


@pytest.mark.parametrize("options", ["", "--start 6", "--undirected", "--reverse", "--trails", "--path --single"])
def test_either_algorithm_walks_it_all(euler, options: str) -> None:
    """Both walk the whole textbook example, from the same vertex."""
    for algorithm in ("parallel", "hierholzer"):
        code, out, _ = euler(TEXT, *options.split(), "--algorithm", algorithm, "--verify")
        assert code == 0
        (line,) = out.splitlines()
        vertices = line.split(" -> ")
        assert len(vertices) == 13
        assert vertices[0] == vertices[-1] == ("6" if "--start" in options else "0")


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("", "", "1 1 yes yes"),
        (RING, "", "1 1 yes yes"),
        ("a -> b\n", "", "1 1 yes yes"),
        ("a -> a, a, a\n", "", "2 1 no yes"),
        ("a -> b, c\nb -> a\nc -> a\n", "", "1 1 yes yes"),
        ("a -> b, c, d\nb -> a\nc -> a\nd -> a\n", "", "2 2 no no"),
        ("a -> b, b\nb -> a, a\n", "", "2 1 no yes"),
        ("a -> b, b\nb -> a, c\nc -> b\n", "", "4 2 no no"),
    ],
)
def test_counts(euler, text: str, options: str, expected: str) -> None:
    names = ("edge_sequences", "vertex_sequences", "unique_edges", "unique_vertices")
    lines = [f"{name}\t{value}\n" for name, value in zip(names, expected.split(), strict=True)]
    assert euler(text, "--count", *options.split()) == (0, "".join(lines), "")


def test_arrays_of_several_walks(euler, tmp_path: Path) -> None:
    for file_format in ("npy", "npz"):
        assert euler(MIXED, "--path", "--format", file_format, "-o", tmp_path / file_format) == (0, "", "")
    tails, heads = "aabcddgh", "baadechg"  # in the order of the lines
    steps = np.load(tmp_path / "npy")
    assert [tails[step] + heads[step] for step in steps] == ["ab", "ba", "aa", "dc", "cd", "de", "gh", "hg"]
    with np.load(tmp_path / "npz") as file:
        assert file["steps"].tolist() == steps.tolist()
        assert file["offsets"].tolist() == [0, 3, 6, 8]
        assert file["circular"].tolist() == [True, False, True]


def test_reads(dbg, tmp_path: Path) -> None:
    """Both strands of a circular genome, with errors left out: every k-mer once."""
    options = ("--min-count", 3, "--trails", "--verify", "--format", "npy", "-o", tmp_path / "e")
    code, out, _log = dbg("euler", READS, "-k", 31, *options)
    assert (code, out) == (0, "")
    assert sorted(np.load(tmp_path / "e").tolist()) == list(range(2 * 5386))
    code, out, err = dbg("euler", READS, "-k", 31, "--min-count", 10**6, "-q")
    assert (code, out, err) == (0, "", "[dbg] warning: no 31-mer occurs 1000000 times: the graph is empty\n")


@pytest.mark.process
@pytest.mark.parametrize("text", ["0: 3\n1: 0\n2: 1\n3: 2", "0 → 3\n1 → 0\n2 → 1\n3→2", "0->3\n1->0\n2->1\n3->2"])
def test_every_adjacency_format_is_read(dbg, tmp_path: Path, text: str) -> None:
    (tmp_path / "graph").write_text(text)
    assert dbg("euler", tmp_path / "graph", "-q") == (0, "0 -> 3 -> 2 -> 1 -> 0\n", "")
    code, drawn, _err = dbg("draw", tmp_path / "graph", "--format", "dot", "-q")
    assert code == 0
    assert "0:" not in drawn
    done = subprocess.run(
        [sys.executable, "-m", "debruijn_gpu", "graph", "--convert", "text", "-q"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"0 -> 3\n1 -> 0\n2 -> 1\n3 -> 2\n"


def test_log_names_the_stages(dbg, tmp_path: Path) -> None:
    (tmp_path / "graph").write_text(TEXT)
    code, _out, log = dbg("euler", tmp_path / "graph", "--verify", "-v")
    assert code == 0
    for stage in (
        "read: 12 edges",
        "pair edges: 12 edges",
        "find cycles",
        "splice cycles",
        "verify",
        "write: 12 edges",
    ):
        assert stage in log


@pytest.mark.parametrize(
    ("graph", "arguments", "code", "message"),
    [
        (PATH, [], 69, "no Euler circuit: the graph has an Euler path from 3 to 4"),
        ("1 2\n1 3\n", ["--path"], 69, "3 vertices are unbalanced: 1: 0 in, 2 out; 2: 1 in, 0 out; 3: 1 in, 0 out"),
        ("1 2\n1 3\n1 4\n", ["--undirected", "--path"], 69, "4 vertices have an odd number of edges"),
        ("1 1\n2 2\n", ["--single"], 69, "it takes 2 walks"),
        (RINGS, ["--start", "z"], 67, "--start z: the graph has no such vertex"),
        (RINGS, ["--algorithm", "fast"], 2, "choose one of parallel, hierholzer"),
        (RINGS, ["--format", "xml"], 2, "choose one of text, npy, npz"),
        (RINGS, ["--path", "--trails"], 2, "exclude each other"),
        (RINGS, ["--count", "--trails"], 2, "exclude each other"),
        (RINGS, ["--count", "--undirected"], 2, "exclude each other"),
        (RINGS, ["--count", "--start", "a"], 2, "exclude each other"),
        (RINGS, ["--count", "--format", "npy"], 2, "exclude each other"),
        (RINGS, ["-o", "/no/such/directory/x"], 66, "No such file"),
        (MIXED, ["--path", "--start", "c"], 69, "no walk that uses every edge starts at c"),
        (MIXED, ["--path", "--start", "f"], 67, "no edge leads out of it"),
        (STAR, ["--count"], 69, "no Euler walk"),
        (RING, ["--algorithm", "hierholzer", "--backend", "cuda"], 2, "exclude each other"),
        (RING, ["-t", "-1"], 2, "-t/--threads is -1"),
        (RING, ["-m", "1M"], 137, "Out of memory"),
        (RING, ["-o", "/dev/full"], 66, "No space left"),
        (RING, ["second"], 2, "unexpected extra argument"),
        ("a b c d\n", [], 64, "no graph that is known"),
        ("0: 1\n1 -> 0\n", [], 64, "line 2: expected a vertex, : and its successors"),
        ("0 1\n1: 0\n", [], 64, "line 2: expected 2 columns as in the first line, got '1: 0'"),
        ("a -> b -> c\n", [], 64, "line 1: expected one ->, got a second one"),
    ],
)
def test_errors(dbg, tmp_path: Path, graph: str, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "graph.txt").write_text(graph)
    found, out, err = dbg("euler", tmp_path / "graph.txt", *arguments, "-q")
    assert (found, out) == (code, "")
    assert message in err
    assert len(err.splitlines()) == 2


@pytest.mark.process
def test_standard_input() -> None:
    command = [sys.executable, "-m", "debruijn_gpu", "euler", "--path", "-q"]
    done = subprocess.run(command, input=PATH.encode(), capture_output=True, check=True)
    assert done.stdout == b"3 -> 1 -> 2 -> 3 -> 4\n"


@pytest.mark.skipif(not detection.cuda_problems(), reason="there is a GPU")
def test_cuda_without_a_gpu(euler) -> None:
    code, out, err = euler("this is not even a graph\n", "--backend", "cuda")
    assert (code, out) == (70, "")
    assert "CUDA cannot be used" in err


@pytest.mark.process
@pytest.mark.parametrize("file_format", ["text", "npz"])
def test_pipes(file_format: str) -> None:
    """A graph comes from standard input, in text or packed; a reader that has seen enough is no error."""
    dbg = f"{sys.executable} -m debruijn_gpu"
    made = f"{dbg} generate debruijn -n 10 --format {file_format} -q"
    script = f"{made} | {dbg} euler -q | head -c 13; exit ${{PIPESTATUS[1]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"000000000 -> ", b"")


def test_walks_that_do_not_fit(euler, monkeypatch) -> None:
    monkeypatch.setattr("debruijn_gpu.cli.graph_files.memory_left", lambda memory: 3 * 30)
    assert euler(RING)[0] == 0
    code, out, err = euler(RING, "--undirected")
    assert (code, out) == (137, "")
    assert "this takes about 120 B for 3 vertices and 3 edges, and 90 B are left" in err
