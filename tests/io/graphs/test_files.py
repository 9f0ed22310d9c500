"""Graphs from and into files of every format."""

from __future__ import annotations

import gzip
import io
import json
import re
import warnings
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import DbgError, FileAccessError, FormatError, OutOfMemoryError, ParameterError, UsageError
from debruijn_gpu.graph.build import dict_of, graph_from_dict, graph_from_edges
from debruijn_gpu.graph.convert import edges_of, networkx_from, scipy_from
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph, edge_centric
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.names import KmerNames, Labels, Numbers, OrientedNames, TextNames
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.gfa.graph_reading import read_gfa
from debruijn_gpu.io.graphs import text
from debruijn_gpu.io.graphs.files import read_graph, save_graph, write_graph
from debruijn_gpu.io.opening import Block
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples, table_of
from tests.naive import graphs as naive

BLOCKS = [1, 3, 17, 64, 1 << 22]
ANY_CASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
RUN = RunOptions(threads=2)

#: Anything but what separates, in the middle; no blanks at the ends
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters=",\ufeff")
WORDS = st.text(LETTERS, min_size=1, max_size=5).map(lambda word: word.strip(" ").replace("->", "-"))
NAMES = WORDS.filter(lambda word: word and word[0] not in "#%")
NUMBERS = st.integers(0, 12).map(str) | st.sampled_from(["123456", "99999999999"])
SMALL = st.integers(0, 5).map(str)
CASES = st.sampled_from([NAMES, NUMBERS, SMALL, NAMES | NUMBERS])


@pytest.fixture
def read(tmp_path: Path):
    def read_content(content: bytes | str, block_bytes: int = 1 << 22, run: RunOptions = RUN, **options) -> Graph:
        path = tmp_path / "graph"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_graph(str(path), GraphInputOptions(**options), run, CPU, block_bytes)

    return read_content


def written(graph: Graph, file_format: str, threads: int = 2) -> bytes:
    stream = io.BytesIO()
    write_graph(stream, graph, file_format, CPU, threads)
    return stream.getvalue()


def same(a: Graph, b: Graph) -> bool:
    """Whether two graphs are the same, names and weights included."""
    if (a.weights is None) != (b.weights is None) or a.row_ptr.tolist() != b.row_ptr.tolist():
        return False
    names = [[graph.names.name(v) for v in range(graph.n_vertices)] for graph in (a, b)]
    weights_agree = a.weights is None or np.array_equal(a.weights, b.weights, equal_nan=True)
    return names[0] == names[1] and a.col.tolist() == b.col.tolist() and weights_agree


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(**arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def named(kind: str, n_vertices: int = 2, **parts) -> bytes:
    """A saved ring whose names have these parts: arrays of the file, and what describes them."""
    arrays = {key: part for key, part in parts.items() if isinstance(part, np.ndarray)}
    called = {"kind": kind} | {key: part for key, part in parts.items() if key not in arrays}
    meta = {"schema_version": 1, "n_vertices": n_vertices, "names": called}
    ring = {"row_ptr": np.arange(n_vertices + 1), "col": np.roll(np.arange(n_vertices), -1)}
    return npz(meta=np.frombuffer(json.dumps(meta).encode(), np.uint8), **ring, **arrays)


# text


@ANY_CASE
@given(data=st.data())
def test_rows(read, data: st.DataObject) -> None:
    name = data.draw(CASES)
    blank = st.sampled_from(["", " ", "\t", "  "])
    row = st.tuples(name, st.lists(name, max_size=4)).map(
        lambda row: (
            f"{row[0]}{data.draw(blank)}->{data.draw(blank)}" + f"{data.draw(blank)},{data.draw(blank)}".join(row[1])
        )
    )
    first = data.draw(row)
    lines = [first, *data.draw(st.lists(row | st.sampled_from(["", "  ", "# a -> b", "\t# x"]), max_size=6))]
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines) + data.draw(st.sampled_from(["", end]))
    expected = naive.parse_rows(text)
    graph = read(text, data.draw(st.sampled_from(BLOCKS)))
    assert list(graph) == list(expected.items())
    assert graph.col.dtype == np.uint32
    assert written(graph, "text").decode() == naive.row_text(expected)
    assert same(read(written(graph, "text")), graph)


@ANY_CASE
@given(data=st.data())
def test_rows_with_colons(read, data: st.DataObject) -> None:
    """Successors separated by blanks, commas or both; names may hold colons, but not at their ends."""
    plain = st.sampled_from([SMALL, NUMBERS, st.sampled_from(["a", "b:c", "chr1:100", "::x", "-", "é"])])
    name = data.draw(plain)
    between = st.sampled_from([" ", ",", ", ", "\t", " ,  "])
    rows = data.draw(st.lists(st.tuples(name, st.lists(name, max_size=4)), min_size=1, max_size=6))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    lines = [
        f"{tail}{data.draw(st.sampled_from([':', ' :']))}"
        + (f"{data.draw(st.sampled_from([' ', chr(9)]))}{data.draw(between).join(heads)}" if heads else "")
        + data.draw(st.sampled_from(["", " "]))
        for tail, heads in rows
    ]
    text = end.join(lines) + data.draw(st.sampled_from(["", end]))
    graph = read(text, data.draw(st.sampled_from(BLOCKS)))
    assert list(graph) == list(naive.collect(rows).items())


@ANY_CASE
@given(data=st.data())
def test_edge_lists(read, data: st.DataObject) -> None:
    name = data.draw(CASES)
    separator = data.draw(st.sampled_from(["\t", ",", " , ", " ", "  \t"]))
    if separator in (" ", "  \t"):
        name = name.map(lambda word: "".join(word.split()) or "x").filter(lambda word: word[0] not in "#%")
    n_columns = data.draw(st.sampled_from([2, 3]))
    weight = st.floats(allow_nan=False).map(repr) | st.integers(-5, 10**25).map(float).map(int).map(str)
    line = st.tuples(name, name).map(
        lambda ends: separator.join([*ends, data.draw(weight)] if n_columns == 3 else ends)
    )
    lines = data.draw(st.lists(line | st.sampled_from(["", "# c", "% c"]), max_size=6))
    title = ["source", "target", "weight"][:n_columns]
    text = "\n".join([separator.join(title), *lines])
    split = None if separator in (" ", "  \t") else separator.strip(" ")
    expected = naive.parse_edges("\n".join(lines), split)
    graph = read(text, data.draw(st.sampled_from(BLOCKS)))
    assert list(graph) == list(expected.items())
    assert (graph.weights is None) == (n_columns == 2 or not expected)
    for file_format in ("tsv", "csv") if expected else ():
        again = read(written(graph, file_format))
        assert sorted(naive.edges(dict_of(again))) == sorted(naive.edges(expected))
        assert (again.weights is None) == (graph.weights is None)
        if graph.weights is not None:
            assert np.array_equal(np.sort(again.weights), np.sort(graph.weights))
            kept = [(w, *ends) for w, ends in zip(graph.weights, naive.edges(expected), strict=True)]
            assert kept == [(w, *ends) for w, ends in zip(again.weights, naive.edges(dict_of(again)), strict=True)] or (
                sorted(kept) == sorted((w, *e) for w, e in zip(again.weights, naive.edges(dict_of(again)), strict=True))
            )


@ANY_CASE
@given(rows=st.dictionaries(NAMES, st.lists(NAMES, max_size=3), min_size=1, max_size=6), data=st.data())
def test_any_first_edge_is_told_for_one(read, rows: dict[str, list[str]], data: st.DataObject) -> None:
    """Whatever the first names are, what is written as edges is read as edges."""
    odd = st.sampled_from(
        [
            "S",
            "L",
            "H",
            "source",
            "from",
            "a:b",
            "a:",
            "x: y",
            "a→b",
            ">x",
            "@r",
            "+",
            "1",
            "2",
            "ACGT",
            "*",
            "a b",
            "BZh9",
        ]
    )
    rows = {data.draw(odd): [data.draw(odd)], **rows}
    graph = graph_from_dict(rows)
    for file_format in ("tsv", "csv"):
        assert sorted(naive.edges(dict_of(read(written(graph, file_format))))) == sorted(naive.edges(dict_of(graph)))
    assert dict_of(read(written(graph, "text"))) == dict_of(graph)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source,target\n0,1\n", {"0": ["1"], "1": []}),
        ("a b\n1 2\n", {"1": ["2"], "2": []}),
        ("x y\ny z\n", {"x": ["y"], "y": ["z"], "z": []}),
        ("Source\tTarget\n", {}),
        ("u v w\na b 0.5\n", {"a": ["b"], "b": []}),
        ("\ufeffa -> b\n", {"a": ["b"], "b": []}),
        ("\ufeff1,2\n", {"1": ["2"], "2": []}),
        ("a b nan\nb a 2\n", {"a": ["b"], "b": ["a"]}),
        ("a b -Infinity\nb a 2\n", {"a": ["b"], "b": ["a"]}),
        ("%% x\n% x\n1 2\n", {"1": ["2"], "2": []}),
        ("007 1\n", {"007": ["1"], "1": []}),
        ("9999999999999999999 1\n", {"9999999999999999999": ["1"], "1": []}),
        ("123456789012345678 5\n", {"5": [], "123456789012345678": ["5"]}),
        ("2\n0\n1\n", {"0": ["2"], "1": ["0"], "2": ["1"]}),
        ("", {}),
        ("\n\n# nothing\n", {}),
        ("0 -> 1\n0 -> 2\n0 -> 1", {"0": ["1", "2", "1"], "1": [], "2": []}),
        ("a->b-c,d>e , f - > g\n", {"a": ["b-c", "d>e", "f - > g"], "b-c": [], "d>e": [], "f - > g": []}),
        ("@a -> x\nb -> x\n+c -> x\n", {"@a": ["x"], "b": ["x"], "+c": ["x"], "x": []}),
        ("a -> z, c\nb -> y\nc -> a\n", {"a": ["z", "c"], "b": ["y"], "c": ["a"], "z": [], "y": []}),
        ("BZhang -> Li\n", {"BZhang": ["Li"], "Li": []}),
        ("0: 3\n2: 1 6\n", {"0": ["3"], "1": [], "2": ["1", "6"], "3": [], "6": []}),
        ("# course\n0:\n1: 0,2, 0 ,\t2\r\n", {"0": [], "1": ["0", "2", "0", "2"], "2": []}),
        ("AGG: GGG\nGGG:\n", {"AGG": ["GGG"], "GGG": []}),
        ("0 : 1\n1:\t0", {"0": ["1"], "1": ["0"]}),
        ("chr1:100: chr2:5\n", {"chr1:100": ["chr2:5"], "chr2:5": []}),
        ("chr1:100 -> chr2:5, x: y\n", {"chr1:100": ["chr2:5", "x: y"], "chr2:5": [], "x: y": []}),
        ("a:b c:d\n", {"a:b": ["c:d"], "c:d": []}),
        ("gene: a,gene: b\n", {"gene: a": ["gene: b"], "gene: b": []}),
        ("source target\na: b\nc -> 0.5\n", None),
        ("source target\na: b\nx a->b\n", {"a:": ["b"], "x": ["a->b"], "b": [], "a->b": []}),
        ("a → b, c→\nb→c\n", None),
        ("a → b, c\nb→c\n", {"a": ["b", "c"], "b": ["c"], "c": []}),
        ("0→1,2\n", {"0": ["1", "2"], "1": [], "2": []}),
        ("a -> b→c\n", {"a": ["b→c"], "b→c": []}),
    ],
)
def test_spellings(read, text: str, expected: dict[str, list[str]] | None) -> None:
    for block_bytes in (1, 1 << 20):
        if expected is None:
            with pytest.raises(FormatError):
                read(text, block_bytes)
            continue
        assert list(read(text, block_bytes)) == list(expected.items())


def test_numbers_that_are_not_dense_are_labels(read) -> None:
    assert isinstance(read("0 -> 1,2\n").names, Numbers)
    assert isinstance(read("1 -> 2\n").names, Labels)
    assert isinstance(read("1 -> 2, 4000000\n").names, Labels)
    assert isinstance(read("1 -> x\n").names, TextNames)
    graph = read("1 -> 2\n", n_vertices=4)
    assert list(graph) == [("0", []), ("1", ["2"]), ("2", []), ("3", [])]
    with pytest.raises(FormatError, match="vertex 2 is not below --n-vertices 2"):
        read("1 -> 2\n", n_vertices=2)
    with pytest.raises(UsageError, match="vertex 'a' is not a number"):
        read("a -> 2\n", n_vertices=2)
    assert read("", n_vertices=3).n_vertices == 3


def test_options(read) -> None:
    assert dict_of(read("a -> b, a\n", undirected=True)) == {"a": ["b", "a"], "b": ["a"]}
    assert dict_of(read("a -> b, a\n", reverse=True)) == {"a": ["a"], "b": ["a"]}
    for wrong in ({"multiplicity": True}, {"canonical": False}, {"min_count": 2}, {"k": 5, "n_vertices": 7}):
        with pytest.raises(UsageError):
            GraphInputOptions(**wrong)
    for wrong in ({"k": 0}, {"k": 256}, {"n_vertices": -1}, {"k": 5, "min_count": 0}):
        with pytest.raises(ParameterError):
            GraphInputOptions(**wrong)


@pytest.mark.slow
def test_many_names_over_many_blocks(read) -> None:
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 10_000, (15_000, 2)).tolist()
    numbers = "".join(f"{a} {b}\n" for a, b in ends)
    names = "".join(f"v{a} v{b}\n" for a, b in ends)
    expected = naive.parse_edges(names, None)
    graph = read(names, 10_000)
    assert list(graph) == list(expected.items())
    assert graph["v17"] == expected["v17"]
    assert all(graph.names.number(name) == i for i, name in enumerate(expected))
    for threads in (1, 3):
        assert written(graph, "text", threads).decode() == naive.row_text(expected)
        assert written(graph, "tsv", threads).decode().split("\n")[:-1] == ["\t".join(e) for e in naive.edges(expected)]
    mixed = read(numbers + "x y\n", 10_000)
    assert list(mixed) == list(naive.parse_edges(numbers + "x y\n", None).items())
    assert list(read(numbers, 10_000)) == list(naive.parse_edges(numbers, None).items())


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("a -> b\nc d\n", 2, "expected -> after the first name, got 'c d'"),
        ("a -> b\n\n a, b -> c\n", 3, "expected -> after the first name, got 'a, b -> c'"),
        ("a -> b -> c\n", 1, "expected one ->, got a second one"),
        ("0 -> 1\n2: 3\n", 2, "expected -> after the first name, got '2: 3'"),
        ("0 -> 1\n2 → 3\n", 2, "expected -> after the first name, got '2 → 3'"),
        ("0 → 1\n2 -> 3\n", 2, "expected → after the first name, got '2 -> 3'"),
        ("0: 1\n2 -> 3\n", 2, "expected a vertex, : and its successors as in the first line, got '2 -> 3'"),
        ("0: 1\n2: 3 → 4\n", 2, "expected a vertex, : and its successors as in the first line, got '2: 3 → 4'"),
        ("0: 1\n2 3\n", 2, "expected : after the first name, got '2 3'"),
        ("0: 1\n2:3\n", 2, "expected : after the first name, got '2:3'"),
        ("0: 1\n1: 2: 3\n", 2, "expected one :, got a second one"),
        ("0: 1\n1: 2,,3\n", 2, "a name is missing"),
        ("0: 1\n1: 2,\n", 2, "a name is missing"),
        ("0: 1\n: 2\n", 2, "a name is missing"),
        ("0 1\n2: 3\n", 2, "expected 2 columns as in the first line, got '2: 3'"),
        ("0 1\n2:\n", 2, "expected 2 columns as in the first line, got '2:'"),
        ("0 1\n# a: b\n2: 3 4\n", 3, "expected 2 columns as in the first line, got '2: 3 4'"),
        ("0 1 0.5\n2 -> 3\n", 2, "expected 3 columns as in the first line, got '2 -> 3'"),
        ("a,b\nc -> d, e\n", 2, "expected 2 columns as in the first line, got 'c -> d, e'"),
        ("a\tb\n0:\t1\n", 2, "expected 2 columns as in the first line, got '0:\\t1'"),
        ("a -> b,,c\n", 1, "a name is missing"),
        ("a -> b,\n", 1, "a name is missing"),
        ("0 -> 1\n-> b\n", 2, "a name is missing"),
        ("0 -> 1,\n", 1, "a name is missing"),
        ("a -> b\x00c\n", 1, "byte 0x00 in a name"),
        ("a -> b\rc\n", 1, "byte 0x0d in a name"),
        ("a b\nc d e\n", 2, "3 columns, but 2 in the first line"),
        ("a b 1\nc d\n", 2, "2 columns, but 3 in the first line"),
        ("a b 1\nc d e\n", 2, "'e' is not a weight"),
        ("a b 1\nc d 1e400\n", 2, "weight 1e400 is beyond the range of floats"),
        ("1 2 1\n2 3 -1e400\n", 2, "weight -1e400 is beyond the range of floats"),
        ("1 2 0.5\n2 3 9007199254740993\n", 2, "weights are floats, and none equals the integer 9007199254740993"),
        ("1 2 12345678901234567890\n", 1, "weights are floats, and none equals the integer 12345678901234567890"),
        (f"1 2 {'9' * 300}\n", 1, "weights are floats, and none equals the integer 999"),
        (f"1 2 {'9' * 5000}\n", 1, f"weight {'9' * 40}... is beyond the range of floats"),
        ("a b 1e400\nc d e\n", 1, "weight 1e400 is beyond the range of floats"),
        ("1 2\n3\n", 2, "1 column, but 2 in the first line"),
        ("a,b\n,c\n", 2, "a name is missing"),
        ("a\tb\n\tc\n", 2, "a name is missing"),
        ("a b c d\n", 1, "4 columns, so this is no graph that is known"),
        ("word\n", 1, "1 column, so this is no graph that is known"),
    ],
)
@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_faults_have_a_line(read, content: str, line: int, message: str, block_bytes: int) -> None:
    with pytest.raises(FormatError) as caught:
        read(content, block_bytes)
    assert f"graph: line {line}: {message}" in caught.value.what
    assert caught.value.fix


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a -> \xff\xfe\n", "the name \\xff\\xfe is not UTF-8"),
        (b"a -> \xc3, \xbc\n", "the name \\xc3 is not UTF-8"),
        (b"\xff\xfea\x00", "UTF-16"),
        (b"1\n7\n", "entry 2 is 7, but there are 2 entries"),
        (b"1\nx\n", "one column, but not of integers"),
        (b"PK\x03\x04 and no more", "this .npz is damaged"),
        (b"\x93NUMPY", "this .npy is damaged"),
        (npy(np.array([[0, -1]])), "vertex -1 is below 0"),
        (npy(np.array([0.5])), "shape (1,)"),
        (npy(np.array([[0.5, 1]])), "no integer"),
        (npy(np.array([[np.nan, 1]])), "no integer"),
        (npy(np.array([[np.inf, 1]])), "no integer"),
        (npy(np.zeros((4, 4))), "shape (4, 4)"),
        (npy(np.array([["a", "b"]])), "<U1"),
        (npy(np.array([5, 0])), "vertex 5"),
        (npz(x=np.zeros(3)), "this .npz holds x"),
        (npz(row_ptr=np.array([0, 2]), col=np.array([0])), "make no graph"),
        (npz(row_ptr=np.array([0, 2, 1]), col=np.array([0])), "make no graph"),
        (npz(row_ptr=np.array([0, 1]), col=np.array([1])), "make no graph"),
        (npz(row_ptr=np.array([0, 1]), col=np.array([-1])), "make no graph"),
        (npz(row_ptr=np.array([0.0, 1]), col=np.array([0])), "make no graph"),
        (npz(row_ptr=np.array(3), col=np.array(0)), "make no graph"),
        (npz(tails=np.array([0]), heads=np.array([1, 2])), "differ in number"),
        (npz(format=b"csr", shape=np.array([2, 3]), data=np.ones(0)), "shape (2, 3)"),
        (npz(format=b"bsr", shape=np.array([2, 2]), data=np.ones(0)), "layout 'bsr'"),
        (npz(format=b"csr", shape=np.array([2, 2]), data=np.ones(0)), "damaged"),
        (npz(meta=np.frombuffer(b"{}", np.uint8)), "not all of a graph is there"),
        (npz(meta=np.frombuffer(b"[", np.uint8)), "damaged"),
        (npz(meta=np.array([{}], object)), "meta: an array of Python objects"),
        (b"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0.5\n", "Matrix Market"),
        (npz(row=np.array([0]), col=np.array([1]), weights=np.array([1j])), "weights of dtype complex128"),
        (npz(row=np.array([0]), col=np.array([1]), weights=np.array(["a"])), "weights of dtype <U1"),
        (npz(row=np.array([0]), col=np.array([1]), weights=np.ones((1, 1))), "weights of shape (1, 1)"),
        (npz(row=np.array(["a"]), col=np.array(["b"])), "vertices of dtype <U1"),
        (npz(format=b"csr", shape=np.array([1, 1]), data=np.array([1j])), "weights of dtype complex128"),
        (npz(format=b"coo", shape=np.array([1, 1]), data=np.ones((1, 1))), "weights of shape (1, 1)"),
        (named("text", name_offsets=np.array([0, 1, 2]), name_letters=np.array([97, 255], np.uint8)), "names do not"),
        (named("text", name_offsets=np.array([0, 1, 2]), name_letters=np.array([195, 188], np.uint8)), "names do not"),
        (named("oriented", 3, name_offsets=np.array([0, 1]), name_letters=np.array([97], np.uint8)), "names do not"),
        (named("labels", labels=np.array([-1, 3])), "labels do not"),
        (named("words", symbols=["aa", "b"], length=1), "words do not"),
        (named("words", symbols=["\ud800", "b"], length=1), "one half of a surrogate pair"),
    ],
)
def test_hostile_content(read, content: bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(content)
    assert message in caught.value.what


def test_half_precision(read) -> None:
    with warnings.catch_warnings(action="error"):
        assert read(npy(np.array([[0, 1], [1, 0]], np.float16))).n_edges == 2


def test_graphs_that_know_their_size(read) -> None:
    ring = npz(row_ptr=np.array([0, 1, 2]), col=np.array([1, 0]))
    for content in (ring, npy(np.array([1, 0])), "1\n0\n", "S\ta\tACGT\n", named("numbers")):
        assert read(content, n_vertices=2).n_vertices == 2
        for wrong in (1, 3):
            with pytest.raises(ParameterError, match=f"--n-vertices {wrong}"):
                read(content, n_vertices=wrong)


@ANY_CASE
@given(content=st.binary(max_size=40) | st.text("ab01 \t\n,->#SLH+*@", max_size=30).map(str.encode))
def test_anything_gives_a_graph_or_an_error(read, content: bytes) -> None:
    try:
        graph = read(content)
    except DbgError:
        return
    assert graph.row_ptr[-1] == graph.n_edges
    assert all(isinstance(name, str) for name, _heads in graph)


def is_consistent(graph: Graph) -> bool:
    """Whether the rows cover all edges in order, and every edge ends at a vertex."""
    row_ptr = graph.row_ptr
    rows_fit = row_ptr[0] == 0 and row_ptr[-1] == graph.n_edges and bool((np.diff(row_ptr) >= 0).all())
    return rows_fit and bool((graph.col < graph.n_vertices).all())


@settings(ANY_CASE, max_examples=n_examples(200))
@given(data=st.data())
def test_damaged_files(read, data: st.DataObject) -> None:
    graph = graph_from_dict({"a": ["b", "c"], "c": ["a"]})
    content = bytearray(written(graph, data.draw(st.sampled_from(["npz", "npy", "coo", "csr"]))))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    with suppress(DbgError, MemoryError):
        # a damaged number of vertices may be large
        assert is_consistent(read(bytes(content), run=replace(RUN, memory="2G")))


def test_places_before_the_file(read) -> None:
    content = bytearray(npz(row_ptr=np.array([0, 1]), col=np.array([0])))
    for byte in range(len(content) - 22, len(content)):  # of the end of the directory of files
        with suppress(DbgError):
            assert is_consistent(read(bytes(content[:byte] + bytes([content[byte] ^ 255]) + content[byte + 1 :])))


def test_sequences_need_a_k(read) -> None:
    for content in (">a\nACGT\n", "@a\nACGT\n+\nIIII\n"):
        with pytest.raises(UsageError, match="these are sequences"):
            read(content)


def test_memory_is_minded(read, tmp_path: Path) -> None:
    with pytest.raises(OutOfMemoryError):
        read(npy(np.array([[0, 1 << 50]])))
    with pytest.raises(OutOfMemoryError):
        read("0 1\n", n_vertices=1 << 50)
    assert read("0 1000000000000\n").n_vertices == 2


@pytest.mark.parametrize("separator", [",", " ", "\t", ", "])
def test_a_long_line_of_more_names_than_memory_suffices_for_is_not_parsed(monkeypatch, read, separator) -> None:
    monkeypatch.setattr(text, "_LONG_LINE", 1000)
    monkeypatch.setattr(text, "_BYTES_PER_NAME", 1000)
    monkeypatch.setattr(text.CollectedRows, "parse", None)
    with pytest.raises(OutOfMemoryError, match="the input takes more than"):
        read("a -> " + f"b{separator}" * 100_000, run=replace(RUN, memory="256M"))


# arrays


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """With numbers, labels, texts or words as names, with and without weights."""
    n_vertices = draw(st.integers(1, 9))
    vertex = st.integers(0, n_vertices - 1)
    edges = np.array(draw(st.lists(st.tuples(vertex, vertex), max_size=20)), np.int64).reshape(-1, 2)
    weights = draw(st.lists(st.floats(), min_size=len(edges), max_size=len(edges))) if draw(st.booleans()) else None
    names = draw(
        st.sampled_from(
            [
                Numbers(),
                Labels(np.arange(n_vertices) * 7 + 3),
                TextNames.of([f"{'ü' * v}, -> {v}" for v in range(n_vertices)]),
                KmerNames(np.arange(n_vertices, dtype=np.uint64)[None], 5),
            ]
        )
    )
    return graph_from_edges(*edges.T, n_vertices, names, None if weights is None else np.array(weights))


@ANY_CASE
@given(graph=graphs())
def test_saved_graphs_come_back(read, tmp_path_factory, graph: Graph) -> None:
    assert same(read(written(graph, "npz")), graph)
    place = tmp_path_factory.mktemp("saved")
    for path in (place / "graph", place / "graph.npz", place / "graph"):
        save_graph(path, graph)
        again = read_graph(str(path), GraphInputOptions(), RUN, CPU)
        assert same(again, graph)
        assert type(again.names) is type(graph.names)
        assert again.in_degrees.tolist() == graph.in_degrees.tolist()
    assert written(graph, "npz") == written(graph, "npz")
    assert sorted(path.name for path in place.iterdir()) == ["graph", "graph.npz"]


def test_other_names_are_saved_too(read) -> None:
    for graph in (
        de_bruijn_graph("αβ", 4),
        Graph(np.array([0, 1, 1, 2, 2]), np.array([2, 3], np.uint32), OrientedNames(TextNames.of(["s", "ü"]))),
        edge_centric(table_of({"A" * 20 + "CTTGG" + "A" * 10: 3}, 35), np.array([3], np.uint32), CPU).graph,
    ):
        again = read(written(graph, "npz"))
        assert same(again, graph)
        assert type(again.names) is type(graph.names)


@ANY_CASE
@given(graph=graphs())
def test_arrays_of_edges_come_back(read, graph: Graph) -> None:
    plain = Graph(graph.row_ptr, graph.col)
    tails, heads = (ends.astype(np.int64) for ends in edges_of(graph))
    n = graph.n_vertices
    contents = [written(graph, "npy"), written(plain, "coo"), written(plain, "csr")]
    contents += [npz(row=tails, col=heads), npz(tails=tails, heads=heads), npz(row_ptr=plain.row_ptr, col=heads)]
    if len(tails) > 3:
        contents += [npy(np.stack((tails, heads))), npy(np.stack((tails, heads), axis=1).astype(np.float64))]
    for content in contents:
        again = read(content)
        assert sorted(zip(*edges_of(again), strict=True)) == sorted(zip(*edges_of(plain), strict=True))
        assert again.weights is None
    assert read(npy(np.stack((tails, heads), axis=1)), n_vertices=n + 2).n_vertices == n + 2
    if len(tails) > 3:
        weighted = read(npy(np.stack((tails, heads, tails / 2), axis=1)))
        assert weighted.weights.tolist() == (tails / 2).tolist()


def test_files_of_scipy(read, tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    graph = graph_from_edges(np.array([0, 0, 2]), np.array([1, 2, 0]), 4, weights=np.array([0.5, 2, 3]))
    matrix = scipy_from(graph)
    for layout in ("csr", "csc", "coo"):
        sparse.save_npz(tmp_path / "m.npz", matrix.asformat(layout))
        again = read((tmp_path / "m.npz").read_bytes())
        assert sorted(networkx_from(again).edges(data="weight")) == sorted(networkx_from(graph).edges(data="weight"))
        assert again.n_vertices == 4
    for file_format in ("csr", "coo"):
        (tmp_path / "w.npz").write_bytes(written(graph, file_format))
        assert (sparse.load_npz(tmp_path / "w.npz").toarray() == matrix.toarray()).all()


def test_compressed_files(read) -> None:
    graph = graph_from_dict({"a": ["b"], "b": ["a"]})
    for file_format in ("text", "tsv", "npz", "gfa"):
        assert read(gzip.compress(written(graph, file_format))).n_edges == read(written(graph, file_format)).n_edges
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("tails.npy", npy(np.array([0])))
        packed.writestr("heads.npy", npy(np.array([0])))
    assert read(stream.getvalue()).n_edges == 1


def test_vectors(read) -> None:
    graph = read(npy(np.array([2, 0, 1], np.int8)))
    assert dict_of(graph) == {"0": ["2"], "1": ["0"], "2": ["1"]}
    assert np.load(io.BytesIO(written(graph, "vector"))).tolist() == [2, 0, 1]
    with pytest.raises(ParameterError):
        written(graph_from_dict({"a": []}), "vector")


def test_directories(tmp_path: Path) -> None:
    graph = graph_from_dict({"a": ["b"], "b": []})
    other = tmp_path / "other"
    other.mkdir()
    save_graph(other, graph)  # an empty one is taken
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    for _ in range(2):
        with pytest.raises(DbgError, match="something other than a graph"):
            save_graph(tmp_path / "full", graph)
        assert (tmp_path / "full" / "thesis.tex").exists()
        (tmp_path / "full" / "meta.json").write_text("{}")

    def read() -> Graph:
        return read_graph(str(other), GraphInputOptions(), RUN, CPU)

    assert same(read(), graph)
    read().col[:] = 0  # what is mapped can be changed, and the file stays
    assert same(read(), graph)
    meta = json.loads((other / "meta.json").read_text())
    for key, value in (("n_vertices", 3), ("names", {}), ("schema_version", 9), ("names", {"kind": "kmers", "k": 3})):
        (other / "meta.json").write_text(json.dumps(meta | {key: value}))
        with pytest.raises(FormatError):
            read()
    (other / "meta.json").write_text(json.dumps(meta))
    (other / "name_letters.npy").write_bytes(b"junk")
    with pytest.raises(FormatError):
        read()
    (other / "name_letters.npy").unlink()
    with pytest.raises(FormatError):
        read()
    (other / "meta.json").unlink()
    with pytest.raises(FormatError, match="directory without a graph"):
        read()


def test_the_current_directory_stays(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph = graph_from_dict({"a": ["b"], "b": []})
    for place in (".", tmp_path):
        with pytest.raises(FileAccessError, match="is the current directory"):
            save_graph(place, graph)
    (tmp_path / "link").symlink_to("real", target_is_directory=True)
    for _ in range(2):
        save_graph("link", graph)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


# GFA

GFA = (
    "H\tVN:Z:1.0\n"
    "S\ta\tACGT\tLN:i:4\tDP:f:2.50\tKC:i:7\tcl:Z:red\n"
    "S\tb\t*\tLN:i:7\n"
    "L\ta\t+\tb\t-\t3M\n"
    "L\tb\t+\ta\t-\t3M\n"
    "L\tb\t+\ta\t+\t1M1D1M\tMQ:i:9\n"
    "L\ta\t+\ta\t-\t0M\n"
    "P\tp\ta+,b-\t3M\n"
)
#: Lines of GFA 1.0, by its specification
GFA_LINES = re.compile(
    r"H\tVN:Z:1\.0|S\t[!-)+-<>-~][!-~]*\t(\*|[A-Za-z=.]+)(\t[A-Za-z][A-Za-z0-9]:[AifZJHB]:[ -~]+)*"
    r"|L\t\S+\t[+-]\t\S+\t[+-]\t(\*|([0-9]+[MIDNSHPX=])+)(\t[A-Za-z][A-Za-z0-9]:[AifZJHB]:[ -~]+)*"
    r"|P\t\S+\t\S+[+-](,\S+[+-])*\t(\*|\S+)"
)


def test_gfa(read) -> None:
    for block_bytes in (1, 1 << 20):
        graph = read(GFA, block_bytes)
        assert dict_of(graph) == {"a+": ["a-", "b-"], "a-": ["b-"], "b+": ["a+", "a-"], "b-": []}
    # a link and its reverse complement are one; the order is that of the edges
    assert written(graph, "gfa").decode().splitlines() == [
        *GFA.splitlines()[:3],
        "L\ta\t+\ta\t-\t0M",
        "L\ta\t+\tb\t-\t3M",
        "L\tb\t+\ta\t+\t1M1D1M\tMQ:i:9",
        "P\tp\ta+,b-\t3M",
    ]
    assert same(read(written(graph, "gfa")), graph)
    assert dict_of(read("S\tx\tAC\nL\tx\t+\tx\t+\t*\n")) == {"x+": ["x+"], "x-": ["x-"]}
    assert dict_of(read("H\n")) == {}


def test_parallel_links_of_gfa_count_once_and_are_warned_of(read, caplog) -> None:
    segments = "S\ta\t*\nS\tb\t*\nL\ta\t+\tb\t+\t*\n"
    assert dict_of(read(f"{segments}L\tb\t-\ta\t-\t*\n"))["a+"] == ["b+"]
    assert [record for record in caplog.records if record.levelname == "WARNING"] == []  # a link in both directions
    assert dict_of(read(f"{segments}L\ta\t+\tb\t+\t*\nL\ta\t+\tb\t+\t1M\n"))["a+"] == ["b+"]
    (record,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert record.getMessage().endswith("graph: 2 parallel links are left out: a link counts once")


def test_gfa_text_outlives_other_formats(read, tmp_path: Path) -> None:
    graph = read(GFA)
    expected = written(graph, "gfa")
    assert written(read(expected), "gfa") == expected
    assert written(read(written(graph, "npz")), "gfa") == expected
    save_graph(tmp_path / "saved", graph)
    assert written(read_graph(str(tmp_path / "saved"), GraphInputOptions(), RUN, CPU), "gfa") == expected
    without = written(read(GFA, keep_gfa=False), "gfa").decode()
    assert without.startswith("H\tVN:Z:1.0\nS\ta\t*\nS\tb\t*\nL\ta\t+\ta\t-\t*\n")
    meta = named("oriented", 2, name_offsets=np.array([0, 1]), name_letters=np.array([97], np.uint8))
    with np.load(io.BytesIO(meta)) as arrays:
        for lines in (b"S\tb\tA\n", b"S\ta\tA\tLN:i:7\n", b""):
            with pytest.raises(FormatError):
                written(read(npz(**arrays, gfa=np.frombuffer(lines, np.uint8))), "gfa")
        with pytest.raises(FormatError, match="GFA lines do not fit"):
            read(npz(**arrays, gfa=np.zeros(3)))


def test_edges_that_gfa_does_not_have_get_no_overlap(read) -> None:
    """Turned round, an edge is between other ends of the segments: its overlap is not known, and paths end."""
    turned = written(read(GFA, reverse=True), "gfa").decode().splitlines()
    assert turned[1:3] == GFA.splitlines()[1:3]
    assert turned[3:] == ["L\ta\t+\tb\t+\t*", "L\ta\t-\ta\t+\t*", "L\ta\t-\tb\t+\t*"]
    both = written(read(GFA, undirected=True), "gfa").decode().splitlines()
    assert set(written(read(GFA), "gfa").decode().splitlines()) < set(both)


TAGS = st.sampled_from(["", "\tLN:i:4", "\tKC:i:12\tDP:f:3", "\tdp:i:7\tco:Z:a b", "\tfoo", "\t"])


@ANY_CASE
@given(
    segments=st.lists(st.tuples(st.sampled_from(["ACGT", "nnac", "*", ""]), TAGS), min_size=1, max_size=4),
    data=st.data(),
)
def test_gfa_becomes_sound_gfa(read, segments: list[tuple[str, str]], data: st.DataObject) -> None:
    """Output keeps to the specification, and reading and writing it again changes nothing."""
    end = st.tuples(st.integers(0, len(segments) - 1), st.sampled_from("+-"))
    overlap = st.sampled_from(["0M", "3M", "*", "2M1I1M", "4M\tNM:i:0", "1M\tx"])
    links = data.draw(st.lists(st.tuples(end, end, overlap), max_size=8))
    paths = data.draw(st.lists(st.lists(end, min_size=1, max_size=4), max_size=2))
    text = "H\n" + "".join(f"S\ts{i}\t{sequence}{tags}\n" for i, (sequence, tags) in enumerate(segments))
    text += "".join(f"L\ts{a}\t{s}\ts{b}\t{t}\t{overlap}\n" for (a, s), (b, t), overlap in links)
    text += "".join(f"P\tp{i}\t{','.join(f's{a}{s}' for a, s in path)}\t*\n" for i, path in enumerate(paths))
    options = data.draw(st.sampled_from([{}, {"reverse": True}, {"undirected": True}]))
    once = written(read(text, **options), "gfa")
    lines = once.decode().splitlines()
    assert all(GFA_LINES.fullmatch(line) for line in lines), lines
    assert [line.split("\t")[2] for line in lines if line[0] == "S"] == [s or "*" for s, _tags in segments]
    assert len(once.splitlines()) == len(set(lines)) or paths
    assert written(read(once), "gfa") == once
    if not options:
        assert sum(line[0] == "P" for line in lines) == len(paths)


@ANY_CASE
@given(links=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_gfa_comes_back(read, links: list[tuple[int, int]]) -> None:
    segments = "".join(f"S\ts{i}\tACGT\n" for i in range(4))
    lines = "".join(f"L\ts{a // 2}\t{'+-'[a % 2]}\ts{b // 2}\t{'+-'[b % 2]}\t1M\n" for a, b in links)
    graph = read("H\tVN:Z:1.0\n" + segments + lines)
    assert set(zip(*(ends.tolist() for ends in edges_of(graph)), strict=True)) == {
        edge for a, b in links for edge in ((a, b), (b ^ 1, a ^ 1))
    }
    assert same(read(written(graph, "gfa")), graph)


@pytest.mark.parametrize(
    ("lines", "message"), [("S\t\xff\t*\n", "not UTF-8"), ("H\tVN:Z:2.0\nS\ta\t4\tACGT\n", "this is GFA 2")]
)
def test_gfa_faults(read, lines: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(("H\tVN:Z:1.0\n" + lines).encode("latin-1"))


def test_gfa_minds_memory(read) -> None:
    text = "".join(f"S\ts{i}\tACGT\n" for i in range(1000))
    with pytest.raises(OutOfMemoryError):
        list(read_gfa("x", [Block(np.frombuffer(text.encode(), np.uint8), 0, len(text), True)], 1, True, 100_000))


def test_a_long_path_of_gfa_minds_memory() -> None:
    text = "S\ta\tACGT\nP\tp\t" + "a+," * 5000 + "a+\t*\n"
    blocks = [Block(np.frombuffer(text.encode(), np.uint8), 0, len(text), True)]
    with pytest.raises(OutOfMemoryError):
        list(read_gfa("x", blocks, 1, False, 200_000))
    assert read_gfa("x", blocks, 1, False, 400_000).n_vertices == 2


def test_gfa_of_kmers() -> None:
    graph = edge_centric(table_of({"ACA": 1}, 3), np.array([1], np.uint32), CPU).graph
    assert written(graph, "gfa").decode() == (
        "H\tVN:Z:1.0\nS\tAC\tAC\nS\tCA\tCA\nS\tGT\tGT\nS\tTG\tTG\nL\tAC\t+\tCA\t+\t1M\nL\tTG\t+\tGT\t+\t1M\n"
    )


# names that a format cannot hold


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("", ["text", "tsv", "csv", "gfa"]),
        (" a", ["text", "tsv", "csv", "gfa"]),
        ("a\t", ["text", "tsv", "csv", "gfa"]),
        ("#a", ["text", "tsv", "csv"]),
        ("%a", ["text", "tsv", "csv"]),
        ("a,b", ["text", "csv"]),
        ("a->b", ["text"]),
        ("a\tb", ["tsv", "gfa"]),
        ("a b", ["gfa"]),
        ("a\nb", ["text", "tsv", "csv", "gfa"]),
    ],
)
def test_names_that_do_not_fit(read, name: str, formats: list[str]) -> None:
    graph = graph_from_dict({"x-": [name], name: [">y"]})
    for file_format in ("text", "tsv", "csv", "gfa"):
        if file_format in formats:
            with pytest.raises(ParameterError) as caught:
                written(graph, file_format)
            assert repr(name) in caught.value.what
        elif file_format != "gfa":
            assert sorted(naive.edges(dict_of(read(written(graph, file_format))))) == sorted(
                naive.edges(dict_of(graph))
            )


def test_reads(read) -> None:
    genome = "ACGTTGCATGTCGA"
    record = f">g\n{genome}\n"
    graph = read(record, k=5, canonical=False, multiplicity=True)
    judge = [(genome[i : i + 4], genome[i + 1 : i + 5]) for i in range(len(genome) - 4)]
    assert sorted(naive.edges(dict_of(graph))) == sorted(judge)
    assert read(record + record, k=5, canonical=False, multiplicity=True).n_edges == 2 * len(judge)
    assert read(record + record, k=5, canonical=False).n_edges == len(set(judge))
    assert read(record + record, k=5, canonical=False, min_count=3).n_edges == 0
    assert read(record, k=5).n_edges == 2 * len(set(judge))
    with pytest.raises(FormatError):
        read("a -> b\n", k=5)


@pytest.mark.parametrize("content", [b"\x0c", b"\x0b\n", b"\x1f", b"\x85\n"])
def test_a_line_of_control_characters_is_no_graph(tmp_path, content):
    path = tmp_path / "graph.txt"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"so this is no graph that is known"):
        read_graph(str(path), GraphInputOptions(), RunOptions(), CPU)


def test_long_names_are_cut_in_messages(tmp_path):
    path = tmp_path / "graph.tsv"
    path.write_text("source\ttarget\n" + "<a>" * 2000 + ",\tb\n")
    graph = read_graph(str(path), GraphInputOptions(), RunOptions(), CPU)
    with pytest.raises(ParameterError, match="cannot be written as csv: it holds ','") as caught:
        write_graph(io.BytesIO(), graph, "csv", CPU)
    assert len(caught.value.what) < 200
