"""`dbg draw` through its entry point."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.cli import draw as command
from debruijn_gpu.drawing import program
from tests.browser import open_page
from tests.cli.test_graph import READS
from tests.drawing.graphs import HOSTILE, needs_dot
from tests.golden_files import check_golden
from tests.helpers import RINGS

STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph", "html": b"<!DOCTYPE html>"}
GFA = (
    "H\tVN:Z:1.0\nS\t<script>alert(1)</script>\tACGTACGTAC\tDP:f:12.5\nS\tlong\t*\tLN:i:5000\tDP:f:3\n"
    "S\tround\tACGTTT\nL\t<script>alert(1)</script>\t+\tlong\t-\t4M\nL\tround\t+\tround\t+\t4M\n"
)


@pytest.fixture
def gfa(tmp_path: Path) -> Path:
    path = tmp_path / "graph.gfa"
    path.write_text(GFA)
    return path


def data_of(page: str) -> dict:
    """What is shown in a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


@pytest.mark.golden
def test_golden(dbg, rings: Path) -> None:
    code, out, err = dbg("draw", rings, "-q", "--euler", "--format", "dot")
    assert (code, err) == (0, "")
    check_golden("rings.dot", out.encode())


@needs_dot
@pytest.mark.parametrize("file_format", STARTS)
def test_formats(dbg, rings: Path, tmp_path: Path, file_format: str) -> None:
    for arguments in (["-o", tmp_path / f"x.{file_format.upper()}"], ["--format", file_format, "-o", tmp_path / "x"]):
        assert dbg("draw", rings, "-q", *arguments) == (0, "", "")
        assert arguments[-1].read_bytes().startswith(STARTS[file_format])


@needs_dot
@needs_dot
@pytest.mark.parametrize("layout", ["dot", "neato", "circo", "sfdp"])
@pytest.mark.parametrize("options", [[], ["--clusters", "--euler", "--edge-labels"], ["--collapse", "--undirected"]])
def test_layouts(dbg, rings: Path, layout: str, options: list[str]) -> None:
    code, out, _err = dbg("draw", rings, "--layout", layout, *options, "--format", "svg", "-q")
    assert code == 0
    assert out.count("<ellipse") + out.count('class="node"') > 1
    assert f"layout={layout}" in dbg("draw", rings, "--layout", layout, *options, "--format", "dot", "-q")[1]


def test_svg_is_the_default_and_may_be_compressed(dbg, rings: Path, tmp_path: Path) -> None:
    code, svg, _log = dbg("draw", rings)
    assert (code, svg[:5]) == (0, "<?xml")
    assert dbg("draw", rings, "-q", "-o", tmp_path / "x.svg.gz")[0] == 0
    assert gzip.decompress((tmp_path / "x.svg.gz").read_bytes()).decode() == svg


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["-o", "x.jpg"], 2, "let it end in"),
        (["--format", "jpg"], 2, "no such format"),
        (["--wash"], 2, "without --spanning-tree"),
        (["--stage", "spliced"], 2, "without --circuits"),
        (["--radius", "2"], 2, "--around"),
        (["--spanning-tree", "--circuits"], 2, "exclude each other"),
        (["--layout", "twopi"], 2, "choose one of dot, neato, circo, sfdp"),
        (["--layout", "circo", "--format", "html"], 2, "--layout has no effect in html"),
        (["--layout", "circo", "-o", "x.html"], 2, "--layout has no effect in html"),
        (["--undirected", "--in", "2"], 2, "exclude each other"),
        (["--undirected", "--reverse"], 2, "exclude each other"),
        (["--debruijn", "2,3"], 2, "--debruijn and GRAPH exclude each other"),
        (["--around", "<x>\n", "--format", "dot"], 67, "no such vertex"),
        (["--in", "-1"], 2, "0 or more"),
        (["--min-count", "2"], 2, "-k"),
    ],
)
def test_what_makes_no_sense_is_said(dbg, rings: Path, arguments: list[str], code: int, said: str) -> None:
    result = dbg("draw", rings, "-q", *arguments)
    assert result[:2] == (code, "")
    assert said in result[2]
    assert len(result[2].splitlines()) == 2


@pytest.mark.parametrize(
    "words",
    ["a,b,2", "2", "x", "2,x", ",3", "2,0", "0,2", "aa,2", "2,70", "2,99999999999", "2,-1", "-2,3", "+2,3", "1.5,3"],
)
def test_words_that_there_are_not(dbg, words: str) -> None:
    code, out, said = dbg("draw", "--debruijn", words, "-q", "--format", "dot")
    assert code in (2, 67)
    assert (out, len(said.splitlines())) == ("", 2)


@pytest.mark.parametrize(("words", "n_vertices"), [("2,3", 4), ("ACGT,2", 4), ("3,1", 1), ("a,4", 1), ("40,2", 40)])
def test_graphs_of_words(dbg, words: str, n_vertices: int) -> None:
    code, dot, _log = dbg("draw", "--debruijn", words, "-q", "--format", "dot", "--edge-labels")
    assert code == 0
    assert len(re.findall(r"^\tv\d+ \[", dot, re.MULTILINE)) == n_vertices


def test_without_graphviz(dbg, rings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program.shutil, "which", lambda _name: None)
    code, out, said = dbg("draw", rings)
    assert (code, out) == (67, "")
    assert "apt install graphviz" in said
    for file_format in ("dot", "html"):
        assert dbg("draw", rings, "-q", "--format", file_format)[0] == 0


def test_nothing_binary_goes_to_a_terminal(dbg, rings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command.sys.stdout, "isatty", lambda: True, raising=False)
    code, _out, said = dbg("draw", rings, "--format", "png")
    assert code == 2
    assert "refusing to write PNG to a terminal" in said


def test_reads(dbg) -> None:
    code, dot, _log = dbg("draw", READS, "-k", 15, "--min-count", 5, "--edge-labels", "-q", "--format", "dot")
    assert code == 0
    assert dot.count("5,386 vertices") == 4  # both strands of a circular contig, each in label and tooltip
    assert dot.count("\n\tv0 -> v0 [") == 1


def test_notes_are_said(dbg, tmp_path: Path) -> None:
    path = tmp_path / "star.txt"
    path.write_text("hub -> " + ", ".join(f"leaf{i}" for i in range(1000)) + "\n")
    code, dot, log = dbg("draw", path, "--format", "dot")
    assert code == 0
    assert "701 vertices of 1,001 left out: shown is what is nearest to hub" in log
    assert "701 vertices of 1,001" in dot
    assert dot.count("\n\tv") == 300 + 299


def test_segments_are_drawn_in_both_directions(dbg, gfa: Path) -> None:
    code, dot, _log = dbg("draw", gfa, "-q", "--format", "dot", "--around", "long", "--radius", 1)
    assert code == 0
    assert 'label="long+"' in dot
    assert "reverse-complemented" in dot


def test_pages_of_segments_tell_length_depth_and_sequence(dbg, gfa: Path) -> None:
    code, page, _log = dbg("draw", gfa, "-q", "--format", "html")
    data = data_of(page)
    assert (code, data["kind"], data["lengths"], data["circular"]) == (0, "unitigs", [10, 5000, 6], [0, 0, 1])
    assert data["names"] == ["<script>alert(1)</script>", "long", "round"]
    assert data["depths"][:2] == pytest.approx([12.5, 3], rel=0.1)
    assert data["sequences"] == ["ACGTACGTAC", "", "ACGTTT"]
    assert data["links"] == [[0, 0, 1, 1]]
    near = data_of(dbg("draw", gfa, "-q", "--format", "html", "--around", "long", "--radius", 1)[1])
    assert (near["names"], near["links"]) == (["<script>alert(1)</script>", "long"], [[0, 0, 1, 1]])
    assert near["note"].startswith("2 of 3 segments")
    assert data_of(dbg("draw", gfa, "-q", "--format", "html", "--max-vertices", 1)[1])["n_left_out"] == 2
    assert data_of(dbg("draw", gfa, "-q", "--format", "html", "--euler")[1])["kind"] == "vertices"


def test_pages_tell_depths_as_the_file_does(dbg, tmp_path: Path) -> None:
    (tmp_path / "x.gfa").write_text("S\ta\tACGTA\tDP:f:1.4\nS\tb\tACGTA\tdp:i:3\nL\ta\t+\tb\t+\t4M\n")
    for options in ((), ("--around", "b")):
        page = dbg("draw", tmp_path / "x.gfa", "-q", "--format", "html", *options)[1]
        assert data_of(page)["depths"] == [1.4, 3]


@pytest.mark.process
@pytest.mark.parametrize("text", [RINGS, GFA])
def test_pages_from_pipes(dbg, tmp_path: Path, text: str) -> None:
    path = tmp_path / "graph"
    path.write_text(text)
    arguments = [sys.executable, "-m", "debruijn_gpu", "draw", "-q", "--format", "html"]
    piped = subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout
    assert data_of(piped) == data_of(dbg("draw", path, "-q", "--format", "html")[1])
    assert "<title>standard input</title>" in piped
    broken = subprocess.run(arguments, input=f"{text}L\tx\t+\ty\t+\t*\n", capture_output=True, text=True, check=False)
    assert "standard input: line" in broken.stderr


@needs_dot
def test_hostile_names(dbg, tmp_path: Path) -> None:
    names = [name for name in HOSTILE if name.isprintable() and name.strip() and name != "-->"]
    path = tmp_path / "<b>&.txt"
    path.write_text("".join(f"{name} -> x{i}\n" for i, name in enumerate(names)))
    for file_format in STARTS:
        code, _out, said = dbg("draw", path, "--format", file_format, "-q", "--clusters", "-o", tmp_path / "out")
        assert (code, said) == (0, "")


def test_a_page_in_a_browser(dbg, page, tmp_path: Path) -> None:
    path = tmp_path / "hostile.txt"
    path.write_text("<script>alert(1)</script> -> b, c\nb -> <script>alert(1)</script>\n")
    assert dbg("draw", path, "-q", "--euler", "--clusters", "--in", 1, "-o", tmp_path / "x.html")[0] == 0
    open_page(page, tmp_path / "x.html")
    assert page.evaluate("dbgGraph.ready.then(() => true)")
    page.get_by_role("searchbox").fill("script")
    assert page.evaluate("dbgGraph.hits.length") == 1
    assert page.problems == []


def test_there_is_a_program_or_a_reason() -> None:
    assert program.is_there() == (shutil.which("dot") is not None)
