"""A graph as a page: the whole window is the view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from debruijn_gpu.reports.page import render_page

#: What a page with a graph in it needs; ``graphView(element, graph, options)`` draws
GRAPH_SCRIPTS = (
    "graph_model.js",
    "graph_layout.js",
    "graph_unitigs.js",
    "graph_vertices.js",
    "graph_panel.js",
    "graph_canvas.js",
    "graph_view.js",
)
GRAPH_STYLES = ("graph_view.css",)


def graph_page(graph_data: Mapping[str, Any], title: str) -> bytes:
    """A self-contained page to look around in a graph.

    Parameters
    ----------
    graph_data : mapping
        Of kind "unitigs" (`unitig_data`) or "vertices".
    title : str
        What the page is called; any text.

    Returns
    -------
    bytes
        HTML in UTF-8.
    """
    scripts = (*GRAPH_SCRIPTS, "graph_page.js")
    return render_page("graph.html", {}, title=title, data=graph_data, scripts=scripts, styles=GRAPH_STYLES)
