"""First lines of edge lists: names of columns, or edges."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.graph.build import dict_of, graph_from_dict
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.graphs.files import read_graph, write_graph
from debruijn_gpu.io.graphs.headers import COLUMN_NAMES
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.stages import SUMMARY
from tests.naive import graphs as naive

ANY_CASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
KNOWN = [name.decode() for names in COLUMN_NAMES for name in names]


@pytest.fixture
def read(tmp_path: Path):
    def read_content(content: str, block_bytes: int = 1 << 22) -> Graph:
        path = tmp_path / "graph"
        path.write_text(content)
        return read_graph(str(path), GraphInputOptions(), RunOptions(threads=2), CPU, block_bytes)

    return read_content


def written(graph: Graph, file_format: str) -> str:
    stream = io.BytesIO()
    write_graph(stream, graph, file_format, CPU)
    return stream.getvalue().decode()


@pytest.mark.parametrize(
    "text",
    [
        "u v\nv w\nw u\n",  # vertices of the first line in others
        "start end\nend start\n",
        "source target\na source\n",
        "from,to\n1,2\nto,1\n",
        "source\tsource\na\tb\n",  # one name twice
        "target source\na b\n",  # another order
        "source to\na b\n",
        "u v 3\na b 1\n",  # a weight
        "X Y 5\n1 2 3\n",
        "X Y\n1 2\n2 X\nY 1\n",  # not all others are integers
        "X Y\n1 2\n2 Z\n",
        "X X\n1 2\n",
        "1 X\n1 2\n",
    ],
)
def test_a_first_line_that_others_show_to_be_an_edge_is_one(read, text: str) -> None:
    separator = "," if "," in text else None
    for block_bytes in (1, 1 << 20):
        assert list(read(text, block_bytes)) == list(naive.parse_edges(text, separator).items())


@pytest.mark.parametrize(
    ("text", "level", "message"),
    [
        ("source target\na b\n", SUMMARY, "line 1 names the columns: source target"),
        ("# c\nSource,Target\na,source\n", SUMMARY, "line 2 names the columns: Source,Target"),
        ("u v\n", SUMMARY, "line 1 names the columns: u v"),
        ("u v w\nu b 0.5\n", logging.INFO, "line 1 names the columns: u v w"),
        ("x y weight\na b 1e5\n", logging.INFO, "line 1 names the columns: x y weight"),
        ("a\tb\n1\t007\n", logging.WARNING, "line 1 names the columns, as all other names are integers: a\\tb; if"),
        (",b\n1,2\n", logging.WARNING, "line 1 names the columns, as all other names are integers: ,b; if"),
    ],
)
def test_a_header_is_left_out_and_logged(read, caplog, text: str, level: int, message: str) -> None:
    with caplog.at_level(logging.DEBUG):
        graph = read(text)
    lines = text.removeprefix("# c\n").split("\n", 1)[1]
    separator = "," if "," in text else "\t" if "\t" in text else None
    assert list(graph) == list(naive.parse_edges(lines, separator).items())
    (record,) = [record for record in caplog.records if " names the columns" in record.getMessage()]
    assert record.levelno == level
    assert message in record.getMessage()


@pytest.mark.parametrize("names", ["target source", "to from", "head tail", "from target", "v u"])
def test_names_of_columns_in_another_order_are_an_edge_with_a_warning(read, caplog, names: str) -> None:
    graph = read(f"{names}\na b\n")
    assert list(graph) == [*list(naive.parse_edges(f"{names}\na b\n", None).items())]
    (record,) = [record for record in caplog.records if " is an edge" in record.getMessage()]
    assert record.levelno == logging.WARNING
    assert f"line 1 is an edge; its names do not name the columns: {names}; if they do" in record.getMessage()


def test_a_first_edge_that_could_be_a_header_is_logged(read, caplog) -> None:
    with caplog.at_level(SUMMARY):
        read("u v\nv w\n")
        read("X Y\n1 2\n2 X\n")
    same, none = [record.getMessage() for record in caplog.records if "is an edge" in record.getMessage()]
    assert "line 1 is an edge, not names of columns, as other lines have the same vertices: u v" in same
    assert "as other lines have vertices that are no integers: X Y" in none


def test_lines_of_other_formats_are_edges_behind_a_header_only(read) -> None:
    assert dict_of(read("source target\na: b\n")) == {"a:": ["b"], "b": []}
    for block_bytes in (1, 1 << 20):
        with pytest.raises(FormatError, match="line 2: expected 2 columns as in the first line, got 'a: source'"):
            read("source target\na: source\nb: c\n", block_bytes)
        with pytest.raises(FormatError, match="line 3: 3 columns, but 2 in the first line"):
            read("source target\na: b\na b c\n", block_bytes)


@ANY_CASE
@given(data=st.data())
def test_edges_between_vertices_called_like_columns_read_as_written(read, data: st.DataObject) -> None:
    name = st.sampled_from([*KNOWN, "1", "2", "a:", "X"])
    rows = data.draw(st.dictionaries(name, st.lists(name, min_size=1, max_size=3), min_size=1, max_size=6))
    graph = graph_from_dict(rows)
    vertices = {*rows, *(head for heads in rows.values() for head in heads)}
    assume(any(vertices.isdisjoint(KNOWN[i : i + 2]) for i in range(0, len(KNOWN), 2)))
    for file_format in ("tsv", "csv"):
        again = read(written(graph, file_format), data.draw(st.sampled_from([1, 17, 1 << 22])))
        assert sorted(naive.edges(dict_of(again))) == sorted(naive.edges(dict_of(graph)))


def test_a_header_that_would_be_an_edge_is_not_written(read) -> None:
    assert written(graph_from_dict({"a:": ["source"]}), "tsv") == "from\tto\na:\tsource\n"
    with pytest.raises(ParameterError, match="vertices have all names that a header could have"):
        written(graph_from_dict({"a:": KNOWN[::2]}), "tsv")
