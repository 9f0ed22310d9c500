"""Names from files are data: every command passes them on unharmed, and no page, picture or terminal obeys them."""

from __future__ import annotations

import json
import os
import pty
import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.browser import open_page
from tests.drawing.graphs import needs_dot

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
READS = [DATA / "phix174_R1.fastq.gz", DATA / "phix174_R2.fastq.gz"]

#: Names in graphs: UTF-8 without control characters; one word each, as in FASTA
NAMES = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "\"'/><img/src=x/onerror=alert(3)>",
    "--><svg/onload=alert(4)>",
    "]]><script>alert(5)</script>",
    "&lt;b&gt;&amp;&#60;",
    "javascript:alert(6)",
    "-rf",
    "--output=x",
    "=HYPERLINK(1)",
    "$(touch${IFS}pwned)`touch${IFS}pwned`",
    "\\N\\G\\l\\",
    "x%s%n{0}{{1}}",
    "constructor",
    "__proto__",
    "ünïcödé🧬",
    "*",
    "1:2-3",
    "x" * 100_000,
]
#: Names in FASTA and FASTQ, which may be any bytes
ANY_NAMES = [name.encode() for name in NAMES] + [
    b"\xff\xfe\x80",
    b"\x1b[2J\x1b]0;owned\x07",
    b"\xc2\x9b31m",
    "\u202egnp.exe".encode(),
    b"a\x7fb\x00c",
]
#: A name of a file: all but a slash and NUL
FILE_NAME = b"--<img src=x onerror=alert(7)>\n\t\x1b[2J\x1b]0;owned\x07\xff'\"&$(touch pwned);.fa"
#: What a terminal obeys
CONTROLS = ("\x1b[2J", "\x1b]0", "\x07", "\x9b", "\u202e")


def sequence(rng: random.Random, length: int) -> str:
    return "".join(rng.choices("ACGT", k=length))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty directory, in which no name may make a file."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    yield place
    assert not (place / "pwned").exists()


@pytest.fixture
def contigs(here) -> Path:
    rng = random.Random(1)
    records = (b">%b length=400 kmer_depth=9\n%b\n" % (name, sequence(rng, 400).encode()) for name in ANY_NAMES)
    (here / "contigs.fa").write_bytes(b"".join(records))
    return here / "contigs.fa"


@pytest.fixture
def gfa(here) -> Path:
    """A chain of segments. The format has no names that begin with ``*`` or ``=``, or hold ``+,`` or ``-,``."""
    rng = random.Random(2)
    names = graph_names()
    segments = (f"S\t{name}\t{sequence(rng, 60)}\tDP:f:3\n" for name in names)
    links = (f"L\t{a}\t+\t{b}\t-\t0M\n" for a, b in pairwise(names))
    (here / "graph.gfa").write_text("H\tVN:Z:1.0\n" + "".join([*segments, *links]))
    return here / "graph.gfa"


def graph_names() -> list[str]:
    return [name for name in NAMES if name[0] not in "*="]


@pytest.fixture
def edges(here) -> Path:
    (here / "edges.tsv").write_text(
        "source\ttarget\n" + "".join(f"{a}\t{b}\n" for a, b in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True))
    )
    return here / "edges.tsv"


def is_plain(text: str) -> bool:
    return not any(control in text for control in CONTROLS)


def check_page(page, path: Path) -> str:
    """Open a page; fail on dialogs, requests and elements that a name made; return its text."""
    open_page(page, path)
    assert page.locator("img, [onerror], [onload]").count() == 0
    assert page.locator("a[href^='javascript:']").count() == 0
    assert page.evaluate("[...document.scripts].filter((s) => s.textContent.startsWith('alert(')).length") == 0
    return page.evaluate("document.body.textContent")


def test_report_of_contigs(dbg, page, contigs, here):
    assert dbg("report", contigs, "-o", "page.html", "-q") == (0, "", "")
    shown = check_page(page, here / "page.html")
    for name in ANY_NAMES:
        text = name.decode(errors="replace")
        assert text[:90] in shown or not text.isprintable()  # the middle of longer ones is cut


def test_report_of_files_with_hostile_names(dbg, page, contigs, here):
    name = os.fsdecode(FILE_NAME)
    other = os.fsdecode(b"./<b>" + FILE_NAME)
    for place in (name, other):
        Path(place).write_bytes(contigs.read_bytes())
    code, out, err = dbg("report", "-q", "-o", "page.html", "--", name, other)
    assert (code, out, err) == (0, "", "")
    assert "onerror=alert(7)" in check_page(page, here / "page.html")
    code, out, err = dbg("stats", "--json", "--", name)
    assert (code, json.loads(out)["assemblies"][0]["name"].encode(errors="surrogateescape")) == (0, FILE_NAME)
    for options in (["--tsv"], []):
        code, out, err = dbg("stats", *options, "--", name)
        assert (code, err) == (0, "")
        assert is_plain(out)
        assert len({line.count("\t") for line in out.splitlines()}) == 1


def test_simulated_reads_have_four_lines(dbg, contigs):
    code, out, err = dbg("simulate", contigs, "--depth", 2, "-o", "reads.fastq")
    assert (code, out) == (0, "")
    assert is_plain(err)
    lines = Path("reads.fastq").read_bytes().split(b"\n")
    assert {line[:1] for line in lines[:-1:4]} == {b"@"}
    assert {line[:1] for line in lines[2::4]} == {b"+"}
    code, out, err = dbg("map", "reads.fastq", contigs, "-o", "map.paf")
    assert (code, out) == (0, "")
    assert is_plain(err)
    rows = [line.split(b"\t") for line in Path("map.paf").read_bytes().splitlines()]
    assert len(rows) == len(lines) // 4
    assert {len(row) for row in rows} == {len(rows[0])}
    assert {row[5] for row in rows} == set(ANY_NAMES)


@pytest.mark.parametrize("file_format", ["gfa", "npz", "directory"])
def test_graph_keeps_names(dbg, gfa, file_format):
    assert dbg("graph", gfa, "--convert", file_format, "-q", "-o", f"out.{file_format}") == (0, "", "")
    code, out, err = dbg("graph", f"out.{file_format}", "--convert", "gfa", "-q")
    assert (code, err) == (0, "")
    segments = [line.split("\t")[:3] for line in gfa.read_text().splitlines() if line[0] == "S"]
    assert [line.split("\t")[:3] for line in out.splitlines() if line[0] == "S"] == segments


@pytest.mark.parametrize("file_format", ["tsv", "text"])
def test_text_keeps_names_or_refuses_them(dbg, edges, file_format):
    """A format in which some name would mean something else is refused, and nothing is written."""
    code, out, err = dbg("graph", edges, "--convert", file_format, "-q", "-o", "out.txt")
    assert out == ""
    if code:
        assert (code, is_plain(err), Path("out.txt").exists()) == (67, True, False)
        return
    code, out, err = dbg("graph", "out.txt", "--components", "weak", "-q")
    assert (code, err) == (0, "")
    assert {row.split("\t")[0] for row in out.splitlines()} >= set(NAMES)


@pytest.mark.parametrize(
    "line",
    ["graph", "graph --json", "graph --components weak", "graph --pagerank", "euler", "graph --tsv"],
)
def test_vertex_names_in_results(dbg, edges, line):
    command, *options = line.split()
    code, out, err = dbg(command, edges, *options)
    assert code == 0, err
    assert is_plain(out + err)
    if options == ["--json"]:
        json.loads(out)
    if line in ("graph --components weak", "graph --pagerank"):
        assert {row.split("\t")[0] for row in out.splitlines()} >= set(NAMES)


@pytest.mark.parametrize("source", ["gfa", "edges"])
def test_page_of_a_graph(dbg, page, request, here, source):
    path = request.getfixturevalue(source)
    assert dbg("draw", path, "-q", "--format", "html", "-o", "graph.html") == (0, "", "")
    open_page(page, here / "graph.html")
    assert page.evaluate("dbgGraph.ready.then(() => true)")
    assert page.locator("img, [onerror], [onload]").count() == 0
    names = page.evaluate("JSON.parse(document.getElementById('data').textContent).names")
    assert sorted(names) == sorted(graph_names() if source == "gfa" else NAMES)
    for name in names[:4]:
        page.get_by_role("searchbox").fill(name)
        assert page.evaluate("dbgGraph.hits.length") >= 1


@needs_dot
@pytest.mark.parametrize("source", ["gfa", "edges"])
def test_picture_of_a_graph(dbg, page, request, here, source):
    path = request.getfixturevalue(source)
    code, _out, err = dbg("draw", path, "-q", "--format", "svg", "-o", "graph.svg")
    assert (code, err) == (0, "")
    for element in ElementTree.parse("graph.svg").iter():
        assert element.tag.rpartition("}")[2] not in ("script", "image", "foreignObject")
        assert not [name for name in element.attrib if name.lower().startswith("on") or name.endswith("href")]
    open_page(page, here / "graph.svg")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "\"'/><img/src=x/onerror=alert(3)>", "-rf;$(touch${IFS}pwned)"]
)
def test_assembly_with_hostile_names(dbg, page, here, name):
    """Names of the assembly, its directory, its reads and a gene."""
    genome = "".join((DATA / "phix174_J02482.fa").read_text().splitlines()[1:])
    Path("genes.fa").write_text(f">{name}\n{genome[2000:2400]}\n")
    directory = os.fsdecode(b"out" + FILE_NAME[:-3])
    reads = [os.fsdecode(b"%d" % mate + FILE_NAME[:-3] + b".dat") for mate in (1, 2)]
    for read, source in zip(reads, READS, strict=True):
        Path(read).write_bytes(source.read_bytes())
    options = ["-k", 31, "--rotate", "genes.fa", "--name", name, "-o", directory]
    code, out, err = dbg("assemble", "-1", reads[0], "-2", reads[1], *options)
    assert (code, out) == (0, "")
    assert is_plain(err)
    for path in Path(directory).iterdir():
        text = path.read_text("utf-8")
        if path.suffix in (".json", ".log"):
            assert is_plain(text)
        if path.suffix == ".json":
            json.loads(text)
        if path.suffix == ".tsv":
            assert len({row.count("\t") for row in text.splitlines()}) == 1
    assert name in json.loads((Path(directory) / "params.json").read_text())["used"]["genes"]
    (header,) = [line for line in (Path(directory) / "contigs.fasta").read_text().split("\n") if line[:1] == ">"]
    assert f"rotated_to={name}" in header
    check_page(page, here / directory / "report.html")
    assert dbg("report", directory, "-q", "-o", "again.html") == (0, "", "")
    check_page(page, here / "again.html")


@pytest.mark.process
@pytest.mark.parametrize(
    "line", ["stats", "report -o page.html", "count -k 31 -o out.tsv", "graph -k 31", "map -o out.paf"]
)
def test_terminal_obeys_no_name(here, contigs, line):
    """On a terminal, where bars and colours are drawn, too."""
    name = os.fsdecode(FILE_NAME)
    Path(name).write_bytes(contigs.read_bytes())
    leader, follower = pty.openpty()
    files = [name] * (2 if line.startswith("map") else 1)
    command = [sys.executable, "-m", "debruijn_gpu", *line.split(), "-v", "--", *files]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    with subprocess.Popen(command, env=environment, stdin=follower, stdout=follower, stderr=follower) as process:
        os.close(follower)
        said = b""
        while block := read_of(leader):
            said += block
    os.close(leader)
    assert process.returncode in (0, 64)
    assert is_plain(said.decode(errors="replace"))


def read_of(leader: int) -> bytes:
    try:
        return os.read(leader, 1 << 16)
    except OSError:  # as Linux says that nobody has the terminal open any more
        return b""
