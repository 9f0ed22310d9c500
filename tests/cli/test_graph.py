"""`dbg graph` through its entry point."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from debruijn_gpu.backends.core import detection
from tests.helpers import first_quick
from tests.naive import counting as naive_counting, euler as naive_euler
from tests.naive.sequences import reverse_complement

ROOT = Path(__file__).parents[2]
READS = ROOT / "data" / "phix174_R1.fastq.gz"

#: The example of many textbooks, and the same in other formats
TEXT = "0 -> 3\n1 -> 0\n2 -> 1, 6\n3 -> 2\n4 -> 2\n5 -> 4\n6 -> 5, 8\n7 -> 9\n8 -> 7\n9 -> 6\n"
TSV = "0\t3\n1\t0\n2\t1\n2\t6\n3\t2\n4\t2\n5\t4\n6\t5\n6\t8\n7\t9\n8\t7\n9\t6\n"


@pytest.fixture
def textbook(tmp_path: Path) -> Path:
    path = tmp_path / "textbook.txt"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--convert", "text"], TEXT),
        (["--convert", "tsv"], TSV),
        (["--convert", "csv"], TSV.replace("\t", ",")),
        (["--convert", "text", "--reverse", "-t", "3"], None),
        (["--convert", "tsv", "--undirected"], None),
    ],
)
def test_convert(dbg, textbook: Path, arguments: list[str], expected: str | None) -> None:
    code, out, log = dbg("graph", textbook, *arguments, "-v")
    assert code == 0
    assert "read: 12 edges" in log
    edges = {tuple(line.split("\t")) for line in TSV.splitlines()}
    if "--reverse" in arguments:
        assert {
            (head, row.split(" ->")[0]) for row in out.splitlines() for head in row.split(" -> ")[1].split(", ")
        } == edges
    elif "--undirected" in arguments:
        assert {tuple(line.split("\t")) for line in out.splitlines()} == edges | {(head, tail) for tail, head in edges}
    else:
        assert out == expected


@pytest.mark.parametrize("file_format", ["text", "tsv", "csv", "npy", "npz", "csr", "coo", "directory"])
def test_every_format_comes_back(dbg, textbook: Path, tmp_path: Path, file_format: str) -> None:
    for _ in range(2):
        assert dbg("graph", textbook, "--convert", file_format, "-o", tmp_path / "out")[:2] == (0, "")
    assert dbg("graph", tmp_path / "out", "--convert", "text", "-q") == (0, TEXT, "")


#: A loop, two parallel edges, a vertex alone; of weights 1, 1, 2 and 4
SMALL = "a a 1\na b 1\na b 2\nc b 4\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text(SMALL)
    return path


def test_figures(dbg, small: Path) -> None:
    code, out, _log = dbg("graph", small, "--tsv")
    figures = dict(line.split("\t") for line in out.splitlines())
    assert code == 0
    expected = {"n_vertices": 3, "n_edges": 4, "n_loops": 1, "n_parallel": 1, "n_sources": 1, "out_degree_maximum": 3}
    assert {name: int(figures[name]) for name in expected} == expected
    code, out, _log = dbg("graph", small, "--json")
    found = json.loads(out)["graph"]
    assert {name: found[name] for name in ("n_weak", "n_strong", "is_acyclic", "euler")} == {
        "n_weak": 1,
        "n_strong": 3,
        "is_acyclic": False,
        "euler": "neither",
    }
    code, out, _log = dbg("graph", small)
    assert out.splitlines()[-1].startswith("The graph has no Euler walk, 3 vertices are unbalanced: a: 1 in, 3 out; ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--components", "weak"], "a\ta\nc\ta\nb\ta\n"),
        (["--components", "strong"], "a\ta\nc\tc\nb\tb\n"),
        (["--components", "strong", "--undirected"], "a\ta\nc\ta\nb\ta\n"),
    ],
)
def test_components(dbg, small: Path, arguments: list[str], expected: str) -> None:
    assert dbg("graph", small, *arguments, "-q") == (0, expected, "")


@pytest.mark.parametrize("weighted", [True, False])
def test_ranks(dbg, small: Path, weighted: bool) -> None:
    judge = nx.MultiDiGraph()
    for tail, head, weight in (line.split() for line in SMALL.splitlines()):
        judge.add_edge(tail, head, weight=float(weight) if weighted else 1.0)
    code, out, _log = dbg("graph", small, "--pagerank", "--tolerance", "1e-9", *([] if weighted else ["--unweighted"]))
    found = {name: float(rank) for name, rank in (line.split("\t") for line in out.splitlines())}
    assert code == 0
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found == pytest.approx(nx.pagerank(judge, tol=1e-9), abs=1e-6)


@pytest.mark.parametrize("graph", ["", "a ->\n", "a -> a\n", "0 -> 1, 1\n"])
@pytest.mark.parametrize(
    "options",
    [[], ["--json"], ["--tsv"], ["--pagerank"], ["--components", "weak"], ["--components", "strong"]]
    + [["--convert", file_format] for file_format in ("text", "tsv", "csv", "npz", "gfa")],
)
def test_small_graphs(dbg, tmp_path: Path, graph: str, options: list[str]) -> None:
    (tmp_path / "graph").write_text(graph)
    assert dbg("graph", tmp_path / "graph", *options, "-o", tmp_path / "out", "-q") == (0, "", "")
    assert (tmp_path / "out").exists()


def test_reads(dbg, tmp_path: Path) -> None:
    code, out, _log = dbg("graph", READS, "-k", "31", "--min-count", "3", "--convert", "npy", "-o", tmp_path / "e.npy")
    assert (code, out) == (0, "")
    assert np.load(tmp_path / "e.npy").shape == (2 * 5386, 2)


def test_vector(dbg, tmp_path: Path) -> None:
    (tmp_path / "v").write_text("1\n2\n0\n")
    assert dbg("graph", tmp_path / "v", "--convert", "vector", "-o", tmp_path / "v.npy")[0] == 0
    assert np.load(tmp_path / "v.npy").tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["/no/such/file"], 65, "No such file"),
        (["{text}", "--convert", "gml"], 2, "choose one of text, tsv"),
        (["{text}", "--convert", "directory"], 2, "name it with -o"),
        (["{text}", "--pagerank", "--tolerance", "nan"], 2, "tolerance: nan"),
        (["{text}", "--pagerank", "--iterations", "1"], 67, "allow more iterations"),
        (["{text}", "{text}"], 2, "unexpected extra argument: "),
        (["{text}", "-o", "/dev/full"], 66, "No space left"),
        (["{text}", "-o", "{dir}"], 66, "Is a directory"),
        (["{text}", "--convert", "directory", "-o", "{text}"], 2, "is the same file as the input"),
        (["{text}", "--convert", "directory", "-o", "/dev/null"], 66, "is there already"),
        (["/no/such/file", "--convert", "directory", "-o", "/etc"], 66, "other than a graph"),
        (["{text}", "--components", "loose"], 2, "choose one of weak, strong"),
        (["{text}", "--tsv", "--pagerank"], 2, "exclude each other"),
        (["{text}", "--paths", "--undirected"], 2, "exclude each other"),
        (["{text}", "--paths", "--convert", "tsv"], 2, "exclude each other"),
        (["{text}", "--paths", "-o", "paths.json"], 2, "this command writes text"),
        (["{text}", "--pagerank", "--damping", "2"], 2, "damping: 2 is not between 0 and 1"),
        (["{text}", "--pagerank", "--iterations", "1"], 67, "after 1 iterations"),
        (["{text}", "--convert", "vector"], 67, "vertex 2 has 2 edges out"),
        (["{text}", "--n-vertices", "3"], 64, "vertex 9 is not below"),
        (["{text}", "--n-vertices", "-3"], 2, "--n-vertices is -3"),
        (["{text}", "-k", "31"], 64, "neither FASTA"),
        (["{text}", "-k", "256"], 2, "k is 256"),
        (["{text}", "--check", "--limit", "0"], 2, "--limit is 0"),
        (["{text}", "--limit", "3"], 2, "--limit has no effect without --check"),
        (["{text}", "--check", "--spell-paths"], 2, "exclude each other"),
        (["{text}", "--check", "--convert", "tsv"], 2, "exclude each other"),
        (["{text}", "--check", "--reverse"], 2, "exclude each other"),
        (["{text}", "--spell-paths", "-k", "3"], 2, "exclude each other"),
        (["{text}", "--spell-paths", "--overlap", "3"], 2, "exclude each other"),
        (["{text}", "--check", "--undirected"], 2, "exclude each other"),
        (["{text}", "--check", "-o", "x.json"], 2, "this command writes text"),
        (["{text}", "--spell-paths", "-o", "x.gfa"], 2, "this command writes fasta"),
        (["/no/such/file", "--check"], 65, "No such file"),
        (["{dir}", "--check"], 66, "is a directory"),
        (["{text}", "--overlap", "3"], 64, "neither FASTA"),
        (["{text}", "--overlap", "0"], 2, "--overlap is 0"),
        (["{text}", "--overlap", "x"], 2, "--overlap"),
        (["{text}", "--loops"], 2, "--loops has no effect without --overlap"),
        (["{text}", "--overlap", "3", "--n-vertices", "3"], 2, "exclude each other"),
        (["{text}", "--overlap", "3", "-k", "4", "--multiplicity"], 2, "exclude each other"),
        (["{text}", "--forward"], 2, "--forward has no effect without -k"),
        (["{text}", "-o", "/no/such/directory/x"], 66, "No such file"),
        ([str(READS)], 2, "-k 31"),
        (["{dir}"], 64, "directory without a graph"),
        (["{text}", "-m", "1M"], 137, "Out of memory"),
    ],
)
def test_errors(dbg, textbook: Path, arguments: list[str], code: int, message: str) -> None:
    places = {"{text}": str(textbook), "{dir}": str(textbook.parent)}
    found, out, err = dbg("graph", *(places.get(argument, argument) for argument in arguments), "-q")
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.process
@pytest.mark.parametrize("file_format", ["text", "npz", "gfa"])
def test_standard_input(dbg, textbook: Path, tmp_path: Path, file_format: str) -> None:
    dbg("graph", textbook, "--convert", file_format, "-o", tmp_path / "g")
    command = [sys.executable, "-m", "debruijn_gpu", "graph", "--convert", "tsv", "-q"]
    done = subprocess.run(command, input=(tmp_path / "g").read_bytes(), capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == (24 if file_format == "gfa" else 12)


@pytest.mark.skipif(not detection.cuda_problems(), reason="there is a GPU")
@pytest.mark.parametrize("options", [[], ["--convert", "tsv"], ["--pagerank"]])
def test_cuda_without_a_gpu(dbg, tmp_path: Path, options: list[str]) -> None:
    """Said before a file is read, which may take long."""
    (tmp_path / "graph").write_text("neither graph nor reads\n")
    code, out, err = dbg("graph", tmp_path / "graph", "--backend", "cuda", *options)
    assert (code, out) == (70, "")
    assert "CUDA cannot be used" in err


@pytest.mark.parametrize("options", first_quick([["--pagerank"], [], ["--components", "strong"]]))
def test_what_takes_more_memory_than_the_graph(dbg, tmp_path: Path, monkeypatch, options: list[str]) -> None:
    """A small file may tell of very many vertices: they are read, and what is known of each is counted in."""
    np.savez(tmp_path / "graph.npz", row_ptr=np.zeros(1_000_001, np.int64), col=np.empty(0, np.uint32))
    monkeypatch.setattr("debruijn_gpu.cli.graph_files.memory_left", lambda memory: 20_000_000)
    assert dbg("graph", tmp_path / "graph.npz", "--components", "weak", "-o", tmp_path / "out")[0] == 0
    code, out, err = dbg("graph", tmp_path / "graph.npz", *options, "-q")
    assert (code, out) == (137, "")
    assert "for 1,000,000 vertices and 0 edges, and 19.1 MiB are left" in err


SOUND = "H\tVN:Z:1.0\nS\ta\tACGTT\nS\tb\tTTGCA\nL\ta\t+\tb\t+\t2M\nP\tp\ta+,b+\t2M\nP\tq\tb-,a-\t*\n"
FAULTY = "S\ta\tACGTT\tLN:i:4\nL\ta\t+\tx\t+\t2M\nP\tp\ta+,a+\t*\n"


def test_gfa_is_checked(dbg, tmp_path: Path) -> None:
    path = tmp_path / "graph.gfa"
    path.write_text(SOUND)
    told = f"{path}: no defects: 2 segments, 1 link, 2 paths\n"
    assert dbg("graph", "--check", path, "-q") == (0, told, "")
    path.write_text(FAULTY)
    defects = [
        f"{path}: line 1, field 4 (tag LN): expected 5 by the sequence, got 4",
        f"{path}: line 2, field 4 (To): expected a segment of the file, got x",
        f"{path}: line 3, field 3 (SegmentNames): expected a link a+ a+ in the file, found none",
    ]
    code, out, err = dbg("graph", "--check", path, "-q")
    assert (code, out.splitlines()) == (64, defects)
    assert err.splitlines()[0] == f"dbg: {path}: 3 defects"
    code, out, err = dbg("graph", "--check", path, "-q", "--limit", 2, "-o", tmp_path / "defects.txt")
    assert (code, out) == (64, "")
    assert (tmp_path / "defects.txt").read_text().splitlines() == defects[:2]
    assert "3 defects, the first 2 are listed" in err
    path.with_suffix(".gfa.gz").write_bytes(gzip.compress(FAULTY.encode()))
    assert dbg("graph", "--check", path.with_suffix(".gfa.gz"), "-q")[0] == 64


def test_paths_of_gfa_are_spelled(dbg, tmp_path: Path) -> None:
    path = tmp_path / "graph.gfa"
    path.write_text(SOUND)
    expected = ">p length=8\nACGTTGCA\n>q length=8\nTGCAACGT\n"
    assert dbg("graph", "--spell-paths", path, "-q") == (0, expected, "")
    assert dbg("graph", "--spell-paths", path, "-q", "-o", tmp_path / "p.fa.gz") == (0, "", "")
    assert gzip.decompress((tmp_path / "p.fa.gz").read_bytes()).decode() == expected
    path.write_text(FAULTY)
    code, out, err = dbg("graph", "--spell-paths", path, "-q")
    assert (code, out) == (64, "")
    assert "line 3, field 3 (SegmentNames): expected a link a+ a+" in err
    path.write_text("S\ta\tACGTT\n")
    code, out, err = dbg("graph", "--spell-paths", path)
    assert (code, out) == (0, "")
    assert "the result is empty" in err


@pytest.mark.process
@pytest.mark.parametrize("option", ["--check", "--spell-paths"])
def test_gfa_from_standard_input(option: str) -> None:
    command = [sys.executable, "-m", "debruijn_gpu", "graph", option, "-q"]
    done = subprocess.run(command, input=SOUND.encode(), capture_output=True, check=True)
    assert b"no defects" in done.stdout or done.stdout.startswith(b">p length=8")


@pytest.mark.slow
def test_graphs_of_assemblies_are_sound_and_spell_their_sequences(dbg, tmp_path: Path) -> None:
    mates = READS.with_name("phix174_R2.fastq.gz")
    assert dbg("assemble", READS, mates, "-k", 31, "--no-clean", "-o", tmp_path / "raw", "-q")[0] == 0
    graph = tmp_path / "raw" / "assembly_graph.gfa"
    assert dbg("graph", "--check", graph, "-q")[0] == 0
    spelled = dbg("graph", "--spell-paths", graph, "-q")[1].splitlines()
    contigs = (tmp_path / "raw" / "contigs.fasta").read_text().splitlines()
    assert spelled[1::2] == contigs[1::2]
    assert [line.split()[0] for line in spelled[::2]] == [line.split()[0] for line in contigs[::2]]
    for options in (["--edge-centric"], []):
        unitigs = ["unitigs", READS, mates, "--no-clean", *options, "-o", tmp_path / "unitigs.gfa", "-q"]
        assert dbg(*unitigs)[0] == 0
        assert dbg("graph", "--check", tmp_path / "unitigs.gfa", "-q")[0] == 0


GRPH = ">R_0498\nAAATAAA\n>R_2391\nAAATTTT\n>R_2323\nTTTTCCC\n>R_0442\nAAATCCC\n>R_5013\nGGGTGGG\n"


def test_overlap_graphs(dbg, tmp_path: Path) -> None:
    """The sample data sets of Rosalind GRPH and BA3C."""
    (tmp_path / "strings.fa").write_text(GRPH)
    edges = "R_0498\tR_2391\nR_0498\tR_0442\nR_2391\tR_2323\n"
    assert dbg("graph", tmp_path / "strings.fa", "--overlap", 3, "--convert", "tsv", "-q") == (0, edges, "")
    (tmp_path / "kmers").write_text("ATGCG\nGCATG\nCATGC\nAGGCA\nGGCAT\n")
    rows = "ATGCG ->\nGCATG -> CATGC\nCATGC -> ATGCG\nAGGCA -> GGCAT\nGGCAT -> GCATG\n"
    assert dbg("graph", tmp_path / "kmers", "--overlap", 4, "-q") == (0, rows, "")
    assert dbg("graph", tmp_path / "kmers", "--overlap", 4, "-q", "-o", tmp_path / "rows.txt") == (0, "", "")
    assert (tmp_path / "rows.txt").read_text() == rows
    figures = dict(
        line.split("\t") for line in dbg("graph", tmp_path / "kmers", "--overlap", 4, "--tsv")[1].splitlines()
    )
    assert (figures["n_vertices"], figures["n_edges"]) == ("5", "4")
    path = "AGGCA -> GGCAT -> GCATG -> CATGC -> ATGCG\n"
    assert dbg("graph", tmp_path / "kmers", "--overlap", 4, "--paths", "-q") == (0, path, "")
    assert dbg("graph", tmp_path / "kmers", "-k", 5, "--forward", "--overlap", 4, "--paths", "-q") == (0, path, "")
    gfa = dbg("graph", tmp_path / "kmers", "-k", 5, "--forward", "--overlap", 4, "--convert", "gfa", "-q")[1]
    assert "L\tAGGCA\t+\tGGCAT\t+\t4M\n" in gfa
    gfa = dbg("graph", tmp_path / "kmers", "-k", 5, "--forward", "--overlap", 3, "--convert", "gfa", "-q")[1]
    assert {line.split("\t")[5] for line in gfa.splitlines() if line[0] == "L"} == {"*"}


def test_paths(dbg, tmp_path: Path) -> None:
    """The sample data set of Rosalind BA3M, a loop, a vertex alone, and parallel edges."""
    path = tmp_path / "graph"
    path.write_text("1 -> 2\n2 -> 3\n3 -> 4, 5\n6 -> 7\n7 -> 6\n8 -> 8\n9 ->\n10 -> 11, 11\n")
    expected = "1 -> 2 -> 3\n3 -> 4\n3 -> 5\n10 -> 11\n10 -> 11\n6 -> 7 -> 6\n8 -> 8\n"
    assert dbg("graph", path, "--paths", "-q") == (0, expected, "")
    assert dbg("graph", path, "--paths", "-q", "-o", tmp_path / "paths.txt") == (0, "", "")
    assert (tmp_path / "paths.txt").read_text() == expected
    reverse = dbg("graph", path, "--paths", "--reverse", "-q")[1].splitlines()
    turned = [" -> ".join(reversed(line.split(" -> "))) for line in expected.splitlines()]
    assert sorted(reverse) == sorted([*turned[:5], "6 -> 7 -> 6", "8 -> 8"])


def test_paths_of_a_forward_strand_graph(dbg, tmp_path: Path) -> None:
    """The sample data set of Rosalind BA3K."""
    path = tmp_path / "kmers"
    path.write_text("ATG\nATG\nTGT\nTGG\nCAT\nGGA\nGAT\nAGA\n")
    code, out, _err = dbg("graph", path, "-k", 3, "--forward", "--multiplicity", "--paths")
    assert code == 0
    contigs = [
        words[0] + "".join(word[-1] for word in words[1:])
        for words in map(str.split, out.replace(" -> ", " ").splitlines())
    ]
    assert sorted(contigs) == sorted(["AGA", "ATG", "ATG", "CAT", "GAT", "TGGA", "TGT"])


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 3, 4, 32, 64])
@pytest.mark.parametrize("strands", [[], ["--forward"]])
@pytest.mark.parametrize("multiplicity", [[], ["--multiplicity"]])
def test_graphs_of_reads_at_any_k(dbg, tmp_path, k, strands, multiplicity):
    half = "".join(random.Random(k).choices("ACGT", k=60))
    read = half + reverse_complement(half) + half[:20]
    path = tmp_path / "reads.fa"
    path.write_text(f">a\n{read}\n>b\nACGTNACGT\n")
    counted = naive_counting.count([read, "ACGTNACGT"], k, not strands)
    if not multiplicity:
        counted = Counter(dict.fromkeys(all_strands(counted, not strands), 1))
    edges = naive_euler.edges_of(counted, canonical=bool(multiplicity and not strands))
    code, out, _log = dbg("graph", path, "-k", k, *strands, *multiplicity, "--convert", "tsv")
    assert code == 0
    assert Counter(tuple(line.split("\t")) for line in out.splitlines()) == edges
    for command in (
        ["euler", path, "--trails", "--verify"],
        ["draw", path, "--format", "dot"],
        ["graph", path, "--json"],
    ):
        assert dbg(*command, "-k", k, *strands, *multiplicity)[0] == 0
    for file_format in ("gfa", "npz", "text"):
        output = tmp_path / f"graph.{file_format}"
        assert dbg("graph", path, "-k", k, *strands, *multiplicity, "--convert", file_format, "-o", output)[0] == 0
        read_again = dbg("graph", output, "--json")
        assert (read_again[0], '"n_vertices"' in read_again[1]) == (0, True)


def all_strands(kmers, canonical):
    """The k-mers, and their reverse complements where they stand for them."""
    return {strand for kmer in kmers for strand in ((kmer, reverse_complement(kmer)) if canonical else (kmer,))}
