"""A graph as a page: the whole window is the view."""

from __future__ import annotations

from typing import Any

from debruijn_gpu.pages.page import html_page

_BODY = """\
<main id="view"></main>"""


def graph_page(graph_data: dict[str, Any], title: str) -> bytes:
    """A self-contained page to look around in a graph.

    Parameters
    ----------
    graph_data : dict
        Of `unitig_data` or `vertex_data`.
    title : str
        What the page is called; any text.

    Returns
    -------
    bytes
        HTML in UTF-8.
    """
    return html_page(title, _BODY, data=graph_data, scripts=["graph_view.js"])
