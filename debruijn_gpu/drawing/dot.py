"""Pictures as text in DOT, the language of graphviz. The same picture gives the same text."""

from __future__ import annotations

import html
import textwrap
from collections import Counter
from typing import TYPE_CHECKING, Any

from debruijn_gpu.drawing.layout import BOX_LAYOUTS, choose_layout, direction, width_of
from debruijn_gpu.plots.plot import BLUE, GREEN, ORANGE, PURPLE, RED, SKY, YELLOW

if TYPE_CHECKING:
    from debruijn_gpu.drawing.labels import LegendRow
    from debruijn_gpu.drawing.picture import Picture, PictureVertex
    from debruijn_gpu.drawing.picture_edges import PictureEdge

_DARK_GREEN = "#00573F"
_INK, _LINE, _FAINT = "#1A1A1A", "#5A5A5A", "#D4D4D4"
_CYCLE_COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, _INK)
_STYLES = ("solid", "dashed", "dotted")  # of cycles of the same colour
_FONT = "Helvetica,Arial,sans-serif"
_FILLS = {"": "#F3F5F7", "in": GREEN, "out": YELLOW, "both": SKY}

#: Where the first, second, ... loop of a vertex is, so that their labels do not overlap
_LOOP_SIDES: tuple[dict[str, str], ...] = ({}, *({"tailport": side, "headport": side} for side in "wns"))

_FONT_POINTS = 11  # of the legend
_MANY_EDGES = 400  # are drawn thinner
_LETTERS_IN_CIRCLE = 3
_NOTE_LETTERS = 64  # of a line
_TOOLTIP_LETTERS = 2000  # with escapes of up to five bytes for each; graphviz reads strings of at most 16,384 bytes
_NO_BOXES = "components are drawn apart, without boxes; a page (--format html) has them"


def dot_text(picture: Picture, layout: str | None = None) -> str:
    """The picture in DOT, whose attribute ``layout`` names the program of graphviz that is to draw it.

    Parameters
    ----------
    picture : Picture
    layout : str, optional
        That program; by default `choose_layout` chooses it.
    """
    from graphviz import Digraph

    layout = layout or choose_layout(picture)
    graph = Digraph(
        "graph", graph_attr=_graph_attributes(picture, layout), node_attr=_NODE, edge_attr=_edge_attributes(picture)
    )
    if picture.boxes and layout in BOX_LAYOUTS:
        _add_boxes(graph, picture)
    else:
        for number, vertex in enumerate(picture.vertices):
            graph.node(f"v{number}", **_vertex(vertex, picture))
    n_loops: Counter[int] = Counter()
    for edge in _in_order(picture.edges, layout):
        side = _LOOP_SIDES[n_loops[edge.tail] % len(_LOOP_SIDES)] if edge.tail == edge.head else {}
        n_loops[edge.tail] += edge.tail == edge.head
        graph.edge(f"v{edge.tail}", f"v{edge.head}", **_edge(edge), **(side if layout == "dot" else {}))
    return str(graph.source)


_NODE = {
    "shape": "box",
    "style": "filled,rounded",
    "fillcolor": _FILLS[""],
    "color": _LINE,
    "fontname": _FONT,
    "fontcolor": _INK,
    "fontsize": "12",
    "height": "0.36",
    "width": "0.36",
    "margin": "0.1,0.05",
}


def _edge_attributes(picture: Picture) -> dict[str, str]:
    attributes = {"color": _LINE, "fontname": _FONT, "fontcolor": _INK, "fontsize": "10", "arrowsize": "0.7"}
    if len(picture.edges) > _MANY_EDGES:
        attributes |= {"penwidth": "0.6", "arrowsize": "0.5"}
    return attributes if picture.is_directed else attributes | {"dir": "none"}


def _in_order(edges: list[PictureEdge], layout: str) -> list[PictureEdge]:
    """Edges as they are drawn: where they cross each other, those that stand out on top."""
    return edges if layout == "dot" else sorted(edges, key=lambda edge: edge.look not in ("", "washed"))


def _graph_attributes(picture: Picture, layout: str) -> dict[str, str]:
    attributes = {"layout": layout, "bgcolor": "white", "pad": "0.2", "fontname": _FONT, "fontcolor": _INK}
    size = _FONT_POINTS
    if layout == "dot":
        attributes |= {"rankdir": direction(picture), "nodesep": "0.3", "ranksep": "0.45"}
        if not picture.boxes and not any(edge.label for edge in picture.edges):  # which packing loses
            attributes["pack"] = "16"  # points between components, which else stand in one row
    else:
        attributes |= _spring_attributes(picture, layout)
        size = max(size, round(1.6 * len(picture.vertices) ** 0.5))  # to be read where all of it is seen
    caption = _caption(picture, [_NO_BOXES] if picture.boxes and layout not in BOX_LAYOUTS else [])
    attributes["fontsize"] = str(size)
    return attributes | {"label": caption, "labelloc": "b", "labeljust": "l"} if caption else attributes


def _spring_attributes(picture: Picture, layout: str) -> dict[str, str]:
    """Attributes of layouts that do not draw in rows."""
    if layout == "circo":
        return {"mindist": "0.4", "outputorder": "edgesfirst"}  # prism would bend its circles
    space = "+20" if any(edge.label for edge in picture.edges) else "+12"  # points
    attributes = {"splines": "line", "overlap": "prism", "sep": space, "outputorder": "edgesfirst"}
    return attributes | {"epsilon": "0.00001", "maxiter": "5000"} if layout == "neato" else attributes


def _add_boxes(graph: Any, picture: Picture) -> None:
    """Vertices in a box for each component; those without edges in one that all share."""
    members: list[list[int]] = [[] for _ in picture.boxes]
    for number, vertex in enumerate(picture.vertices):
        members[vertex.component].append(number)
    lonely = [number for number, vertex in enumerate(picture.vertices) if vertex.is_isolated]
    apart = set(lonely) if len(lonely) > 1 else set()
    boxes = [
        (title, box)
        for title, box in zip(picture.boxes, members, strict=True)
        if not (len(box) == 1 and box[0] in apart)
    ]
    if apart:
        boxes.append((f"{len(lonely):,} vertices without edges", lonely))
    for rank, (title, box) in enumerate(boxes):
        with graph.subgraph(name=f"cluster_{rank}") as part:
            part.attr(label=title, color="#A0A0A0", style="rounded", fontcolor=_LINE, margin="12", labelloc="t")
            for number in box:
                part.node(f"v{number}", **_vertex(picture.vertices[number], picture))


def _vertex(vertex: PictureVertex, picture: Picture) -> dict[str, str]:
    label = vertex.label + ("\nstart" if vertex.is_start else "")
    attributes = {"label": _escaped(label), "tooltip": _tooltip(_about(vertex, picture))}
    if vertex.look:
        attributes["fillcolor"] = _FILLS[vertex.look]
    if vertex.is_start:
        attributes |= {"color": _DARK_GREEN, "penwidth": "3"} | ({} if vertex.look else {"fillcolor": GREEN})
    if vertex.n_vertices > 1:
        attributes |= {"style": "filled", "shape": "box", "peripheries": "2"}
    elif width_of(label) <= _LETTERS_IN_CIRCLE and "\n" not in label:
        attributes |= {"shape": "circle", "margin": "0.02"}
    if vertex.is_splice:
        attributes |= {"peripheries": "3" if vertex.n_vertices > 1 else "2", "color": RED}
    return attributes


def _about(vertex: PictureVertex, picture: Picture) -> str:
    """Tooltip of a vertex."""
    about = [vertex.name]
    if vertex.n_vertices > 1:
        about.append(f"{vertex.n_vertices:,} vertices")
    if picture.is_directed:
        about.append(f"edges in: {vertex.n_in:,}, out: {vertex.n_out:,}")
    return "\n".join(about)


def _edge(edge: PictureEdge) -> dict[str, str]:
    attributes = {"tooltip": _tooltip(edge.tooltip), "labeltooltip": _tooltip(edge.tooltip)}
    if edge.label:
        attributes["label"] = _escaped(f" {edge.label} ")
    return attributes | _line(edge.look)


def _line(look: str) -> dict[str, str]:
    """Colour and style of a line."""
    if look.startswith("c"):
        number = int(look[1:])
        colour, style = (
            _CYCLE_COLOURS[number % len(_CYCLE_COLOURS)],
            _STYLES[number // len(_CYCLE_COLOURS) % len(_STYLES)],
        )
        return {"color": colour, "fontcolor": colour if colour != "#E69F00" else "#9A6A00", "penwidth": "1.8"} | (
            {} if style == "solid" else {"style": style}
        )
    return {
        "": {},
        "tree": {"color": RED, "penwidth": "2.4"},
        "washed": {"color": _FAINT, "fontcolor": "#A0A0A0"},
        "added": {"color": "#A0A0A0", "style": "dashed", "arrowhead": "empty"},
    }[look]


def _escaped(text: str, n_times: int = 1) -> str:
    """A text that graphviz shows as it is: neither its escapes, nor its HTML, nor entities."""
    from graphviz import nohtml

    lines = text.replace("\\", "\\" * 2**n_times).replace("&", "&amp;").replace("\n", "\\n")
    escaped: str = nohtml(lines)
    return escaped


def _tooltip(text: str) -> str:
    """The same for what the mouse shows, in which graphviz looks for escapes twice; a long text is cut."""
    if len(text) > _TOOLTIP_LETTERS:
        text = f"{text[: _TOOLTIP_LETTERS // 2]}…{text[-_TOOLTIP_LETTERS // 2 :]}"
    return _escaped(text, 2)


def _caption(picture: Picture, more_notes: list[str]) -> str:
    """Format legend and notes as a table below the picture; empty without any."""
    has_looks = any(vertex.look for vertex in picture.vertices)
    lines = [_legend_row(row, has_looks) for row in picture.legend]
    for note in (*picture.notes, *more_notes):
        lines += map(html.escape, textwrap.wrap(note, _NOTE_LETTERS))
    rows = "".join(f'<TR><TD ALIGN="LEFT">{line}</TD></TR>' for line in lines)
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="1">{rows}</TABLE>>' if rows else ""


def _legend_row(row: LegendRow, has_looks: bool) -> str:
    """Format a sample of a style, and its meaning."""
    text = html.escape(row.text)
    if row.kind == "text":
        return text
    if row.kind == "edge":
        line = _line(row.look)
        sample, colour = {"solid": "━━━", "dashed": "╍╍╍", "dotted": "┅┅┅"}[line.get("style", "solid")], line["color"]
    elif row.look == "join":
        sample, colour = "◎", RED
    elif row.look == "start":
        sample, colour = ("▣", _DARK_GREEN) if has_looks else ("■", GREEN)
    else:
        sample, colour = "■", _FILLS[row.look]
    return f'<FONT COLOR="{colour}">{sample}</FONT>  {text}'
