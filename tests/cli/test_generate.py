"""`dbg generate` through its entry point."""

from __future__ import annotations

import numpy as np
import pytest


def test_text(dbg):
    code, out, err = dbg("generate", "debruijn", "-n", 3, "--alphabet", 2, "-q")
    assert (code, err) == (0, "")
    assert out == "00 -> 00, 01\n01 -> 10, 11\n10 -> 00, 01\n11 -> 10, 11\n"


def test_the_same_graph_for_ever(dbg):
    """Seeds stand for graphs in reports and tests: a change to these bytes is a change for users."""
    made = {
        "random -n 4 --max-degree 3": "0 ->\n1 ->\n2 -> 2, 3\n3 ->\n",
        "eulerian -n 5": "0 -> 2\n1 -> 3, 2\n2 -> 1, 2, 2, 2, 4\n3 -> 4, 1\n4 -> 0, 3\n",
        "cactus -n 9 --cycle-edges 4 --format csv": "0,3\n1,3\n2,1\n3,5\n3,7\n4,6\n5,4\n6,0\n7,2\n",
        "genome -n 8 -k 5 --path": "ATAT -> TATC\nATCA ->\nGTAT -> TATA\nTATA -> ATAT\nTATC -> ATCA\n",
    }
    for options, text in made.items():
        assert dbg("generate", *options.split(), "-q") == (0, text, "")


@pytest.mark.parametrize("kind", ["random", "eulerian", "cactus", "genome"])
def test_file_is_standard_output(dbg, tmp_path, kind):
    options = ("generate", kind, "-n", "1k", "--seed", 7)
    code, out, _ = dbg(*options, "-q")
    assert code == 0
    code, nothing, err = dbg(*options, "-o", tmp_path / "graph.txt")
    assert (code, nothing) == (0, "")
    assert (tmp_path / "graph.txt").read_text() == out
    assert f"{kind} graph: " in err
    assert dbg("generate", kind, "-n", "1k", "--seed", 8, "-q")[1] != out


def test_formats(dbg, tmp_path):
    assert dbg("generate", "eulerian", "-n", 50, "--format", "npz", "-o", tmp_path / "graph.npz", "-q")[0] == 0
    with np.load(tmp_path / "graph.npz") as file:
        assert len(file["row_ptr"]) == 51
    assert dbg("generate", "eulerian", "-n", 50, "--format", "directory", "-o", tmp_path / "graph", "-q")[0] == 0
    assert (tmp_path / "graph" / "col.npy").exists()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("tree", "-n", 5), 2, "tree: no such graph"),
        (("random",), 2, "Missing option"),
        (("random", "-n", "many"), 2, "-n many: not a number"),
        (("random", "-n", 5, "--format", "picture"), 2, "--format picture: no such format"),
        (("random", "-n", 5, "--format", "directory"), 2, "needs a place"),
        (("random", "-n", 5, "--path"), 2, "--path and KIND random exclude each other"),
        (("random", "-n", 5, "-o", "/nowhere/graph"), 66, "/nowhere/graph"),
        (("cactus", "-n", 1), 2, "-n is 1"),
        (("debruijn", "-n", 1, "--path"), 67, "a graph of loops"),
        (("eulerian", "-n", "900G"), 137, "Out of memory: 900,000,000,000 vertices"),
    ],
)
def test_errors(dbg, options, code, message):
    found, out, err = dbg("generate", *options)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
