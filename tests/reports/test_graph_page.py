"""Graphs as data of pages."""

from __future__ import annotations

import json

import numpy as np
import pytest

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.reports.graph_page import GRAPH_SCRIPTS, GRAPH_STYLES, graph_page, unitig_data
from debruijn_gpu.reports.page import environment, render_page, to_json
from tests.assembly.examples import contigs_of, fork
from tests.browser import open_page
from tests.reports.graphs import colours_seen, has_red, open_graph, unitigs, vertices
from tests.reports.test_page import HOSTILE


def test_unitigs_are_called_as_in_gfa():
    data = unitig_data(fork())
    assert json.loads(to_json(data)) == {
        "kind": "unitigs",
        "k": 5,
        "names": ["1", "2", "3", "4"],
        "lengths": [10, 7, 6, 10],
        "depths": [2.17, 2.0, 2.5, 10.0],
        "circular": [0, 0, 0, 1],
        "sequences": ["ACGTTGCATT", "CATTAGG", "TCAATG", "GACCTAGACC"],
        "links": [[0, 0, 1, 0], [0, 0, 2, 1]],
    }


def test_the_longest_are_kept_in_their_order_with_the_links_among_them():
    contigs = contigs_of(
        [b"ACGTA", b"ACGTACGT", b"ACG", b"ACGTACC", b"CCGTA"], 3, links=[(0, 2), (2, 7), (6, 4), (8, 1)]
    )
    data = unitig_data(contigs, ["a", "b", "c", "d", "e"], max_unitigs=3)
    assert data["names"] == ["a", "b", "d"]
    assert data["links"] == [[0, 0, 1, 0], [1, 0, 2, 1]]
    assert data["n_left_out"] == 2


def test_long_sequences_are_shortened():
    sixty, more = b"ACGTACGTAC" * 6, b"ACGTACGTAC" * 4 + b"G" + b"TTTTTTTTTT" * 2
    assert unitig_data(contigs_of([sixty, more], 3))["sequences"] == [
        sixty.decode(),
        "ACGTACGTAC" * 4 + "…" + "T" * 20,
    ]


def test_no_unitigs():
    data = unitig_data(contigs_of([], 31))
    assert (data["names"], data["links"], data["sequences"]) == ([], [], [])
    assert "n_left_out" not in data


def test_five_thousand_unitigs_are_little_data():
    rng = np.random.default_rng(1)
    n = 6000
    contigs = Contigs(
        k=31,
        text=np.frombuffer(b"ACGT", np.uint8)[rng.integers(0, 4, 100 * n)],
        offsets=np.arange(n + 1, dtype=np.int64) * 100,
        kmer_counts=rng.integers(0, 9000, n),
        n_kmers=np.full(n, 70),
        circular=np.zeros(n, np.bool_),
        links=rng.integers(0, 2 * n, (9000, 2)),
    )
    data = unitig_data(contigs)
    assert (len(data["names"]), data["n_left_out"]) == (5000, 1000)
    assert len(to_json(data)) < 1_000_000


CHAIN = unitigs(["a", "b", "ab", "x"], [5000, 300, 40, 100], [(0, 0, 1, 0), (1, 0, 2, 1)])
TRIANGLE = vertices(["u", "v", "w"], [(0, 1), (0, 1), (1, 2), (2, 0), (2, 2)])

NODE_CLASSES = {"node_class": ["in", "out", "both"], "start": [0], "sizes": [1, 40, 1], "components": [0, 0, 0]}
EDGE_CLASSES = {"edge_class": ["tree", "washed", "added", "c3", "c16"], "labels": ["1", "", "<b>", "4", "5"]}
LEGEND = [["node", "in", "in"], ["node", "start", "start"], ["edge", "tree", "tree"], ["edge", "c3", "circle"]]

GRAPHS = {
    "unitigs of an assembly": unitig_data(fork()),
    "one unitig": unitigs(["1"], [31]),
    "one circle": unitigs(["1"], [5386], circular=[0]),
    "circle with its link": unitigs(["1"], [5386], [(0, 0, 0, 0)], circular=[0]),
    "circle by its link alone": unitigs(["1"], [5386], [(0, 1, 0, 1)]),
    "turns round at its end": unitigs(["1"], [900], [(0, 0, 0, 1)]),
    "turns round at its start": unitigs(["1"], [900], [(0, 1, 0, 0)]),
    "all ways at once": unitigs(["1"], [900], [(0, 0, 0, 0), (0, 0, 0, 1), (0, 1, 0, 0)]),
    "circle in a chain": unitigs(["1", "2"], [900, 50], [(0, 0, 1, 0), (0, 0, 0, 0)], circular=[0]),
    "depth not known": unitigs(["1", "2"], [900, 50], depths=[float("nan"), float("nan")]),
    "some depth not known": unitigs(["1", "2", "3"], [90, 50, 40], depths=[float("nan"), 7.0, 0.0]),
    "no sequences": unitigs(["1"], [10], sequences=[""], note="Only <b>lengths</b>", n_left_out=3),
    "one vertex": vertices(["a"], []),
    "one loop": vertices(["a"], [(0, 0)]),
    "two vertices": vertices(["a", "b"], []),
    "two vertices, many edges": vertices(["a", "b"], [(0, 1)] * 30 + [(1, 0)] * 3),
    "every class": {**TRIANGLE, **NODE_CLASSES, **EDGE_CLASSES, "legend": LEGEND, "note": "a note"},
    "without directions": {**TRIANGLE, "undirected": True},
    "dots": vertices([f"v{i}" for i in range(500)], [(i, (i + 1) % 500) for i in range(500)]),
}


def test_graphs_are_drawn(page, tmp_path):
    for name, graph in GRAPHS.items():
        open_graph(page, tmp_path, graph, name)
        for i in range(min(3, len(graph["names"]))):
            page.evaluate("(i) => dbgGraph.goTo(i)", i)
            assert page.locator(".panel h2").inner_text() == graph["names"][i], name
        page.evaluate("dbgGraph.fit()")
        assert colours_seen(page) > 5, name


@pytest.mark.parametrize("data", [unitigs([], []), vertices([], [])], ids=["unitigs", "vertices"])
def test_empty_graph_says_so(page, tmp_path, data):
    open_graph(page, tmp_path, data)
    assert page.get_by_text("The graph is empty.").is_visible()
    page.keyboard.press("Tab")
    page.locator("canvas").press("+")
    page.get_by_label("Zoom in").click()
    page.get_by_label("Show everything").click()


def test_search_goes_from_hit_to_hit(page, tmp_path):
    open_graph(page, tmp_path, CHAIN)
    search, status = page.get_by_role("searchbox"), page.locator(".status")
    search.fill("A")
    assert status.inner_text() == "2 found"
    assert page.evaluate("dbgGraph.hits") == [0, 2]  # the name itself before names that begin so
    search.press("Enter")
    search.press("Enter")
    assert status.inner_text() == "2 of 2"
    assert page.locator(".panel h2").inner_text() == "ab"
    page.get_by_label("Next hit").click()
    page.get_by_label("Previous hit").click()
    search.press("Shift+Enter")
    assert (status.inner_text(), page.locator(".panel h2").inner_text()) == ("1 of 2", "a")
    search.fill("nobody")
    assert status.inner_text() == "no such name"
    search.press("Enter")
    search.press("Escape")
    assert (search.input_value(), status.inner_text()) == ("", "")


def test_zoom_by_buttons_keys_and_wheel(page, tmp_path):
    open_graph(page, tmp_path, CHAIN)
    scales = [page.evaluate("dbgGraph.transform.k")]
    fitted = page.evaluate("String(dbgGraph.transform)")

    def step(act, wait_ms=0):
        act()
        page.wait_for_timeout(wait_ms)
        scales.append(page.evaluate("dbgGraph.transform.k"))

    canvas = page.locator("canvas")
    step(page.get_by_label("Zoom in").click)
    step(lambda: canvas.press("+"))
    canvas.hover()
    step(lambda: page.mouse.wheel(0, -300), 100)
    assert scales == sorted(set(scales))
    step(page.get_by_label("Zoom out").click)
    step(lambda: canvas.press("-"))
    assert scales[-1] < scales[-2] < scales[-3]
    before = page.evaluate("dbgGraph.transform.x")
    canvas.press("ArrowLeft")
    assert page.evaluate("dbgGraph.transform.x") == pytest.approx(before + 70)
    canvas.press("0")
    assert page.evaluate("String(dbgGraph.transform)") == fitted


def test_hover_and_click_tell_about_what_is_there(page, tmp_path):
    open_graph(page, tmp_path, CHAIN)
    box = page.locator("canvas").bounding_box()
    at = "(i) => {const b = dbgGraph.painter.boxes[i]; return dbgGraph.toScreen(b.x + b.width / 2, b.y + b.height / 2)}"
    x, y = page.evaluate(at, 3)
    page.mouse.move(box["x"] + x, box["y"] + y)
    tip = page.locator(".tip").inner_text()
    assert all(part in tip for part in ("x", "100 bp", "10×", "0 links at the start, 0 at the end", "2 of 2", "ACGT"))
    page.mouse.click(box["x"] + x, box["y"] + y)
    assert page.locator(".panel h2").inner_text() == "x"
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    assert page.locator(".panel").is_hidden()


def test_neighbours_are_named_by_strand_and_lead_on(page, tmp_path):
    open_graph(page, tmp_path, CHAIN)
    page.evaluate("dbgGraph.goTo(1)")
    assert page.locator(".panel li").all_inner_texts() == ["a+", "ab−"]
    page.get_by_role("button", name="ab−").click()
    # Read forward, it is left at its end for the reverse complement of b: L b + ab - is L ab + b -.
    assert page.locator(".panel h3").all_inner_texts() == ["Sequence", "After (1)"]
    assert page.locator(".panel li").all_inner_texts() == ["b−"]
    assert page.evaluate("document.activeElement.textContent") == "ab"


def test_colours_can_be_chosen_where_there_is_a_choice(page, tmp_path):
    open_graph(page, tmp_path, CHAIN)
    legend = page.locator(".legend")
    assert "depth" in legend.inner_text()
    page.get_by_label("Colour").select_option("component")
    assert "component 1: 3 unitigs" in legend.inner_text()
    page.get_by_label("Colour").select_option("plain")
    assert legend.is_hidden()
    open_graph(page, tmp_path, GRAPHS["depth not known"])
    assert page.get_by_label("Colour").locator("option").all_inner_texts() == ["component", "plain"]


def test_edges_that_stand_out_are_drawn_last(page, tmp_path):
    looks = ["tree", "", "c1", "washed", "tree"]
    open_graph(page, tmp_path, {**TRIANGLE, "edge_class": looks})
    page.evaluate("""() => {
        window.drawn = [];
        const {context} = dbgGraph, stroke = context.stroke;
        context.stroke = function (...path) {
            drawn.push(this.globalAlpha + this.strokeStyle);
            return stroke.apply(this, path);
        };
        dbgGraph.drawNow();
    }""")
    drawn = page.evaluate("drawn.slice(0, 5)")
    assert drawn[1].startswith("0.25")
    assert [drawn[2] == drawn[4], drawn[2] in drawn[:2], drawn[3] in drawn[:2]] == [True, False, False]


def test_long_names_are_shortened_in_their_middle(page, tmp_path):
    open_graph(page, tmp_path, TRIANGLE)
    names = [["short", 5], ["NODE_1_length_300_cov_12+", 18], ["🧬" * 9, 9], ["🧬" * 99, 6]]
    shown = page.evaluate("(names) => names.map((name) => shortText(...name))", names)
    assert shown == ["short", "NODE_1_le…_cov_12+", "🧬" * 9, "🧬🧬🧬…🧬🧬"]


def test_short_circular_unitigs_of_high_depth_keep_their_hole(page, tmp_path):
    data = unitigs(["1", "2"], [9000, 600], [(0, 0, 0, 0)], depths=[10.0, 900.0], circular=[0, 1])
    open_graph(page, tmp_path, data)
    assert "2 unitigs · 2 links" in page.locator(".summary").inner_text()
    page.evaluate("dbgGraph.goTo(1)")
    middle = "(i) => {const b = dbgGraph.painter.boxes[i]; return [b.x + b.width / 2, b.y + b.height / 2]}"
    assert page.evaluate(f"dbgGraph.painter.hit(...({middle})(1), 0, dbgGraph)") is None


def test_where_cycles_are_spliced_is_seen(page, tmp_path):
    legend = [["edge", "c0", "circle"], ["text", "", "and more"], ["node", "join", "joined here"]]
    open_graph(page, tmp_path, {**TRIANGLE, "join": [2], "legend": legend, "n_edges": 17})
    assert "3 vertices · 17 edges" in page.locator(".summary").inner_text()
    rows = page.locator(".legend .row")
    assert [rows.nth(i).locator(".sample").count() for i in range(3)] == [1, 0, 1]
    assert rows.nth(2).locator(".sample").evaluate("(at) => getComputedStyle(at).borderStyle") == "double"
    assert has_red(page)
    page.evaluate("dbgGraph.goTo(2)")
    assert "meet here" in page.locator(".panel dl").inner_text()
    open_graph(page, tmp_path, TRIANGLE)
    assert not has_red(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(page, tmp_path, scheme):
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme=scheme)
    open_graph(page, tmp_path, CHAIN)
    page.evaluate("dbgGraph.goTo(0)")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("dbgGraph.theme.name") == scheme
    assert colours_seen(page) > 5


@pytest.mark.parametrize("kind", ["unitigs", "vertices"])
def test_hostile_names_do_nothing(page, tmp_path, kind):
    n = len(HOSTILE)
    data = unitigs(HOSTILE, [50] * n, chain(n))
    if kind == "vertices":
        edges = [(i, i + 1) for i in range(n - 1)]
        legend = [["node", "in", HOSTILE[0]]]
        data = vertices(HOSTILE, edges, labels=HOSTILE[1:], note=HOSTILE[1], legend=legend, node_class=[HOSTILE[1]] * n)
    open_graph(page, tmp_path, data, HOSTILE[0])
    elements = page.evaluate("document.querySelectorAll('*').length")
    for i, name in enumerate(HOSTILE):
        page.evaluate("(i) => dbgGraph.goTo(i)", i)
        assert page.evaluate("document.querySelector('.panel h2').textContent")[:20] == name[:20]
        page.evaluate("(i) => dbgGraph.setHovered({thing: i}, 10, 10)", i)
        page.evaluate("(name) => dbgGraph.find(name)", name)
        assert i in page.evaluate("dbgGraph.hits")
    page.evaluate("dbgGraph.drawNow(), dbgGraph.pin(null), dbgGraph.setHovered(null)")
    assert page.locator("img, main script").count() == 0
    assert page.evaluate("document.querySelectorAll('*').length") < elements + 40


def test_picture_can_be_saved(page, tmp_path):
    open_graph(page, tmp_path, CHAIN)
    with page.expect_download() as download:
        page.get_by_label("Save as PNG").click()
    saved = tmp_path / "saved.png"
    download.value.save_as(saved)
    assert saved.read_bytes().startswith(b"\x89PNG")


def test_print_is_light(page, tmp_path):
    page.emulate_media(color_scheme="dark")
    open_graph(page, tmp_path, CHAIN)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("dbgGraph.theme.name") == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("dbgGraph.theme.name") == "dark"


def test_layout_is_the_same_each_time(page, tmp_path):
    places = []
    for _ in range(2):
        open_graph(page, tmp_path, GRAPHS["every class"])
        places.append(page.evaluate("dbgGraph.painter.boxes"))
    assert places[0] == places[1]


def test_same_input_same_bytes():
    assert graph_page(CHAIN, "t") == graph_page(CHAIN, "t")


def test_wheel_scrolls_a_page_around_the_graph_until_it_has_the_focus(page, tmp_path):
    path = tmp_path / "report.html"
    body = '<div id="graph" style="height: 480px"></div><p style="height: 3000px">'
    template = environment().from_string(f'{{% extends "page.html" %}}{{% block body %}}{body}{{% endblock %}}')
    path.write_bytes(render_page(template, {}, title="t", data={}, scripts=GRAPH_SCRIPTS, styles=GRAPH_STYLES))
    open_page(page, path)
    page.evaluate(
        "(graph) => graphView(document.getElementById('graph'), graph, {embedded: true}).ready.then(() => 1)", CHAIN
    )
    fitted = page.evaluate("dbgGraph.transform.k")
    page.locator("canvas").hover()
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(100)
    assert (page.evaluate("dbgGraph.transform.k"), page.evaluate("scrollY > 0")) == (fitted, True)
    page.locator("canvas").focus()
    page.mouse.wheel(0, -100)
    page.wait_for_timeout(100)
    assert page.evaluate("dbgGraph.transform.k") > fitted


def many(n):
    """A long chain with links across it."""
    across = [(i, 0, (7 * i + 1) % n, i % 2) for i in range(0, n, 20)]
    return unitigs([f"u{i}" for i in range(n)], [100 + i % 977 for i in range(n)], chain(n) + across)


def chain(n):
    return [(i, 0, i + 1, 0) for i in range(n - 1)]


def test_only_what_is_in_view_is_drawn(page, tmp_path):
    open_graph(page, tmp_path, many(1000))
    assert page.evaluate("dbgGraph.drawNow(), dbgGraph.nDrawn") == 1000
    page.evaluate("dbgGraph.goTo(700)")
    assert 0 < page.evaluate("dbgGraph.drawNow(), dbgGraph.nDrawn") < 900


def test_five_thousand_unitigs_make_a_small_file():
    assert len(graph_page(many(5000), "many")) < 2_000_000
