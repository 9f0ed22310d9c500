"""Drawings of graphs."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest

from debruijn_gpu import notebook
from debruijn_gpu.drawing import program
from debruijn_gpu.drawing.graph import draw, vertex_data
from debruijn_gpu.drawing.labels import short
from debruijn_gpu.drawing.options import LAYOUTS, DrawOptions
from debruijn_gpu.drawing.picture import make_picture
from debruijn_gpu.errors import DbgError, ParameterError, UsageError
from debruijn_gpu.graph.build import graph_from_dict, graph_from_edges
from debruijn_gpu.graph.convert import edges_of
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.notebook import graph_svg
from debruijn_gpu.run.plain_text import one_line
from tests.drawing.graphs import HOSTILE, MIXED, RINGS, needs_dot
from tests.golden_files import check_golden

SVG = "{http://www.w3.org/2000/svg}"
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b'digraph "graph" {'}

#: One of each option, alone
OPTIONS = [
    {"in_degree": 2},
    {"out_degree": 2},
    {"clusters": True},
    {"euler": True},
    {"edge_labels": True},
    {"spanning_tree": True},
    {"spanning_tree": True, "wash": True},
    {"circuits": True},
    {"circuits": True, "stage": "spliced"},
    {"reverse": True},
    {"undirected": True},
    {"around": "a", "radius": 1},
    {"collapse": True},
    {"max_vertices": 2},
]


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "graph", "options"),
    [
        ("rings", RINGS, {"euler": True}),
        ("mixed", MIXED, {"clusters": True, "circuits": True, "in_degree": 2, "out_degree": 2}),
        ("words", de_bruijn_graph("ab", 3), {"spanning_tree": True, "wash": True, "edge_labels": True}),
        ("hostile", graph_from_dict({name: ["node"] for name in HOSTILE}), {}),
    ],
)
def test_golden(name, graph, options):
    check_golden(f"{name}.dot", draw(graph, DrawOptions(**options)).dot.encode())


def is_undirected_but_not(options):
    return "undirected" in options and bool({"reverse", "in_degree", "out_degree"} & options.keys())


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), list(product(OPTIONS, OPTIONS)))
def test_every_option_goes_with_every_other_or_says_why_not(first, second):
    if {"spanning_tree", "circuits"} <= first.keys() | second.keys() or is_undirected_but_not(first | second):
        with pytest.raises(UsageError, match="--") as caught:
            DrawOptions(**(first | second))
        assert caught.value.fix
        return
    options = DrawOptions(**(first | second))
    drawing = draw(MIXED, options)
    assert drawing == draw(MIXED, options)
    assert drawing.dot.startswith('digraph "graph" {')
    vertex_data(MIXED, options)


@needs_dot
@pytest.mark.parametrize("options", OPTIONS)
def test_dot_draws_it(options):
    svg = draw(MIXED, DrawOptions(**options)).svg()
    assert "<!--" not in svg
    names = {text.text.strip() for text in ElementTree.fromstring(svg.encode()).iter(f"{SVG}text") if text.text}
    if len(options) == 1 and "max_vertices" not in options and "around" not in options:
        assert {"a", "g", "i"} - names <= ({"a", "g", "i"} if "collapse" in options else set())


@needs_dot
@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("file_format", ["svg", "png", "pdf", "dot"])
def test_small_graphs(n, file_format, tmp_path):
    graph = Graph(np.zeros(n + 1, np.int64), np.zeros(0, np.uint32))
    drawing = draw(graph, DrawOptions(clusters=True, euler=True, circuits=True, edge_labels=True, in_degree=0))
    drawing.save(tmp_path / f"x.{file_format}")
    content = (tmp_path / f"x.{file_format}").read_bytes()
    assert content.startswith(STARTS[file_format])
    assert content == drawing.in_format(file_format)


@needs_dot
def test_hostile_names_are_shown_as_they_are():
    names = HOSTILE[:-3]
    graph = graph_from_dict({name: [f"{name}!"] for name in names})
    svg = draw(graph, DrawOptions(euler=True, around=names[0], radius=1)).svg() + draw(graph).svg()
    tree = ElementTree.fromstring(draw(graph).svg().encode())
    shown = {"".join(text.itertext()) for text in tree.iter(f"{SVG}text")}
    assert {short(name) for name in names} <= shown
    titles = [link.get("{http://www.w3.org/1999/xlink}title") for link in tree.iter(f"{SVG}a")]
    assert {one_line(name) for name in names} <= {title.split("\n")[0] for title in titles}
    assert "<script" not in svg
    assert "<b>" not in svg


@needs_dot
def test_any_name_can_be_drawn():
    graph = graph_from_dict({name: ["node"] for name in HOSTILE})
    groups = ElementTree.fromstring(draw(graph, DrawOptions(clusters=True, edge_labels=True)).svg()).iter(f"{SVG}g")
    drawn = Counter(group.get("class") for group in groups)
    assert (drawn["node"], drawn["edge"]) == (graph.n_vertices, graph.n_edges)


def test_long_names_are_shortened_in_their_middle():
    name = "contig_" + "1" * 50 + "_end"
    assert short(name) == "contig_111…111111_end"
    assert f'tooltip="{name}' in draw(graph_from_dict({name: []})).dot


@pytest.mark.parametrize("graph", [RINGS, MIXED, de_bruijn_graph(3, 3), de_bruijn_graph(2, 1)])
@pytest.mark.parametrize("undirected", [False, True])
def test_numbers_are_those_of_walks(graph, undirected):
    picture = make_picture(graph, DrawOptions(euler=True, undirected=undirected))
    walks = {}
    for edge in picture.edges:
        walk, _, place = edge.label.rpartition(".")
        walks.setdefault(walk, {})[int(place)] = edge
    assert len(picture.edges) == graph.n_edges
    for walk in walks.values():
        assert sorted(walk) == list(range(1, len(walk) + 1))
        assert all(walk[place].head == walk[place + 1].tail for place in range(1, len(walk)))
        assert picture.vertices[walk[1].tail].is_start


@pytest.mark.parametrize("graph", [RINGS, MIXED, de_bruijn_graph(2, 5), de_bruijn_graph(3, 1)])
@pytest.mark.parametrize("stage", ["matched", "spliced"])
def test_cycles_are_balanced_and_use_every_edge(graph, stage):
    picture = make_picture(graph, DrawOptions(circuits=True, stage=stage))
    added = [edge for edge in picture.edges if edge.look == "added"]
    assert len(picture.edges) - len(added) == graph.n_edges
    if not added:
        for look in {edge.look for edge in picture.edges}:
            cycle = [edge for edge in picture.edges if edge.look == look]
            assert sorted(edge.tail for edge in cycle) == sorted(edge.head for edge in cycle)
    n_looks = len({edge.look for edge in picture.edges} - {"added"})
    assert n_looks == {"matched": n_looks}.get(stage, 1 if graph is not MIXED else 3)


def test_trees_span():
    picture = make_picture(MIXED, DrawOptions(spanning_tree=True, wash=True))
    tree = [(edge.tail, edge.head) for edge in picture.edges if edge.look == "tree"]
    assert tree == [(0, 1), (0, 2), (2, 3), (7, 8)]
    assert {edge.look for edge in picture.edges} == {"tree", "washed"}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("alphabet", "n"), [("ACGT", 3), ("ab", 2), ("xyz", 1)])
def test_edges_of_de_bruijn_graphs_are_called_by_their_words(alphabet, n, reverse):
    picture = make_picture(de_bruijn_graph(alphabet, n), DrawOptions(edge_labels=True, reverse=reverse))
    assert sorted(edge.label for edge in picture.edges) == sorted(map("".join, product(alphabet, repeat=n)))
    for edge in picture.edges:
        tail, head = picture.vertices[edge.tail].name, picture.vertices[edge.head].name
        assert n == 1 or edge.label == (head + tail[-1] if reverse else tail + head[-1])


def test_edges_are_called_by_their_weights_or_numbers():
    ends = np.array([0, 1, 2]), np.array([1, 2, 0])
    weighted = graph_from_edges(*ends, weights=np.array([0.5, 2.0, 7e10]))
    labels = [
        [edge.label for edge in make_picture(graph, DrawOptions(edge_labels=True)).edges]
        for graph in (weighted, graph_from_edges(*ends))
    ]
    assert labels == [["0.5", "2", "7e+10"], ["0", "1", "2"]]


def test_degrees_give_colours_and_are_written():
    picture = make_picture(RINGS, DrawOptions(in_degree=2, out_degree=1))
    assert [vertex.look for vertex in picture.vertices] == ["both", "out", "out", "both"]
    assert [vertex.label for vertex in picture.vertices] == ["a\n2 in, 2 out", "b\n1 out", "c\n1 out", "d\n2 in, 2 out"]
    assert [row.text for row in picture.legend] == ["1 or more out", "2 or more in, and 1 or more out"]


def test_reversed_and_undirected():
    tails, heads = edges_of(MIXED)
    picture = make_picture(MIXED, DrawOptions(reverse=True))
    assert sorted((edge.head, edge.tail) for edge in picture.edges) == sorted(zip(tails, heads, strict=True))
    assert "dir=none" in draw(MIXED, DrawOptions(undirected=True)).dot
    assert "dir=none" not in draw(MIXED, DrawOptions(undirected=True, euler=True)).dot


@pytest.mark.parametrize(
    "options",
    [
        {"in_degree": -1},
        {"max_vertices": 0},
        {"around": "a", "radius": -1},
        {"radius": 1},
        {"wash": True},
        {"stage": "spliced"},
        {"circuits": True, "stage": "matching"},
        {"undirected": True, "reverse": True},
    ],
)
def test_options_that_make_no_sense(options):
    with pytest.raises(DbgError) as caught:
        DrawOptions(**options)
    assert caught.value.fix


def test_there_must_be_such_a_vertex():
    with pytest.raises(ParameterError, match="--around z: the graph has no such vertex"):
        draw(MIXED, DrawOptions(around="z"))


def test_without_graphviz(monkeypatch):
    monkeypatch.setattr(program.shutil, "which", lambda _name: None)
    assert graph_svg(RINGS) is None
    with pytest.raises(ParameterError, match="dot of graphviz") as caught:
        draw(RINGS).svg()
    assert "apt install graphviz" in caught.value.fix
    assert "--format html" in caught.value.fix
    assert draw(RINGS).in_format("dot").startswith(STARTS["dot"])


@needs_dot
def test_what_dot_says_is_told(monkeypatch):
    with pytest.raises(ParameterError, match="syntax error"):
        program.render("digraph {", "svg")
    monkeypatch.setattr(program, "_SECONDS", 0.001)
    with pytest.raises(ParameterError, match="within"):
        draw(MIXED).svg()


@needs_dot
def test_graphs_draw_themselves(tmp_path):
    drawing = notebook.draw(MIXED, euler=True, in_degree=2)
    assert drawing == draw(MIXED, DrawOptions(euler=True, in_degree=2))
    assert drawing._repr_svg_() == drawing.svg()
    assert graph_svg(MIXED) == draw(MIXED).svg()
    with pytest.raises(TypeError, match="colour"):
        notebook.draw(MIXED, colour="red")
    with pytest.raises(ParameterError, match="no name of a drawing"):
        drawing.save(tmp_path / "x.jpg")


def test_only_small_graphs_draw_themselves_unasked(monkeypatch):
    monkeypatch.setattr("debruijn_gpu.notebook.MOST_DRAWN", 5)
    assert graph_svg(RINGS) is None


def test_data_of_a_page():
    data = vertex_data(MIXED, DrawOptions(euler=True, clusters=True, out_degree=3))
    assert data["names"] == list("abcdefghi")
    assert data["node_class"][3] == "out"
    assert data["start"] == [0, 3, 6, 7]
    assert data["components"] == [0, 0, 0, 0, 1, 2, 3, 4, 4]
    assert len(data["tails"]) == len(data["heads"]) == len(data["labels"]) == len(data["edge_class"]) == MIXED.n_edges
    plain_data = vertex_data(RINGS, DrawOptions())
    assert set(plain_data) == {"kind", "names", "tails", "heads", "labels", "in", "out"}


def test_pages_count_the_edges_of_the_graph():
    assert vertex_data(graph_from_dict({"a": ["b"] * 20}), DrawOptions(circuits=True))["n_edges"] == 20
    assert vertex_data(MIXED, DrawOptions(circuits=True))["n_edges"] == MIXED.n_edges


def test_tangles_are_not_drawn_in_rows():
    layouts = [re.search(r"layout=(\w+)", draw(de_bruijn_graph("01", n), DrawOptions()).dot)[1] for n in (6, 7)]
    assert layouts == ["dot", "sfdp"]


def cycle(n: int, first: int = 0) -> list[tuple[int, int]]:
    return [(first + i, first + (i + 1) % n) for i in range(n)]


@pytest.mark.parametrize(
    ("pairs", "layout"),
    [
        (cycle(6), "dot"),
        (cycle(60), "circo"),
        (cycle(200), "circo"),
        ([(i + 60, i + 61) for i in range(8)] + [(68, 0)] + cycle(60), "circo"),
        ([*cycle(60), (0, 60), *[(60 + i, 61 + i) for i in range(9)], (69, 0)], "circo"),
        ([*cycle(60), (10, 40)], "neato"),
        ([*cycle(250), (10, 40)], "sfdp"),
        ([(i, i + 1) for i in range(60)], "dot"),
        ([(i // 2, i) for i in range(1, 60)], "dot"),
        ([(i, j) for i in range(8) for j in range(8)], "dot"),
        ([], "dot"),
    ],
)
def test_the_layout_follows_the_shape_of_the_graph(pairs, layout):
    tails, heads = np.array(pairs, np.int64).reshape(-1, 2).T
    graph = graph_from_edges(tails, heads, max(heads.max(initial=0), tails.max(initial=0)) + 1)
    assert f"layout={layout} " in draw(graph, DrawOptions()).dot.replace("\n", " ")
    for asked in LAYOUTS:
        assert f"layout={asked} " in draw(graph, DrawOptions(layout=asked)).dot.replace("\n", " ")
    boxed = draw(graph, DrawOptions(clusters=True)).dot.replace("\n", " ")
    assert re.search(r"layout=(dot|s?fdp) ", boxed)


@needs_dot
def test_a_long_cycle_is_no_ribbon():
    tails, heads = np.array(cycle(60)).T
    svg = draw(graph_from_edges(tails, heads, 60)).svg()
    width, height = map(int, re.search(r'width="(\d+)pt" height="(\d+)pt"', svg).groups())
    assert 0.8 < width / height < 1.25


def test_vertices_without_names_are_found_by_number():
    graph = graph_from_edges(np.arange(4), np.arange(1, 5), 5)
    assert notebook.draw(graph, around=1, radius=1).dot == notebook.draw(graph, around="1", radius=1).dot


def test_many_components_are_not_drawn_in_one_row():
    pairs = graph_from_dict({f"{i}": [f"{i}'"] for i in range(20)})
    assert [draw(pairs, DrawOptions(euler=euler)).dot.count("layout=sfdp") for euler in (False, True)] == [0, 1]


def test_options_have_a_line_in_the_help():
    from debruijn_gpu.cli.draw import command

    assert {field.name for field in dataclasses.fields(DrawOptions)} <= {parameter.name for parameter in command.params}


@needs_dot
def test_same_bytes_without_times():
    for file_format in STARTS:
        content = draw(RINGS).in_format(file_format)
        assert content == draw(RINGS).in_format(file_format)
        assert not re.search(rb"\(D:20\d\d", content)
        assert b"raphviz version" not in content
