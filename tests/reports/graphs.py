"""Data of graphs for pages, and pages of them in the browser."""

from __future__ import annotations

import io

from PIL import Image

from debruijn_gpu.reports.graph_page import graph_page
from tests.browser import open_page


def unitigs(names, lengths, links=(), depths=None, circular=(), **more):
    """Unitigs of given lengths; all covered ten times unless said otherwise."""
    return {
        "kind": "unitigs",
        "k": 31,
        "names": list(names),
        "lengths": list(lengths),
        "depths": [10.0] * len(names) if depths is None else list(depths),
        "circular": [int(i in circular) for i in range(len(names))],
        "sequences": ["ACGT"] * len(names),
        "links": [list(link) for link in links],
        **more,
    }


def vertices(names, edges, **more):
    """A directed graph with given edges."""
    tails, heads = [tail for tail, _head in edges], [head for _tail, head in edges]
    return {
        "kind": "vertices",
        "names": list(names),
        "tails": tails,
        "heads": heads,
        "labels": None,
        "in": [heads.count(i) for i in range(len(names))],
        "out": [tails.count(i) for i in range(len(names))],
        **more,
    }


def open_graph(page, tmp_path, data, title="a graph"):
    """Open the page of a graph and wait until it is laid out."""
    path = tmp_path / "graph.html"
    path.write_bytes(graph_page(data, title))
    page.emulate_media(reduced_motion="reduce")
    open_page(page, path)
    page.evaluate("dbgGraph.ready.then(() => true)")
    assert page.problems == []


def colours_seen(page):
    """Number of colours in a picture of the canvas, what lies over it left out."""
    return len(_colours(page))


def has_red(page):
    """Whether there is the red of our theme in it."""
    return any(red > 180 and green < 120 and blue < 60 for _n, (red, green, blue) in _colours(page))


def _colours(page):
    page.evaluate("document.querySelectorAll('.buttons, .legend, .panel').forEach((part) => part.style.opacity = 0)")
    picture = Image.open(io.BytesIO(page.locator("canvas").screenshot()))
    return picture.convert("RGB").getcolors(1 << 24)
