"""Legend of a drawing: meaning of colours, lines and numbers, and notes on omitted parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from debruijn_gpu.drawing.labels import short
from debruijn_gpu.graph.names import OrientedNames
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.drawing.marks import Cycles, MarkedGraph
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.drawing.view import View
    from debruijn_gpu.graph.graph import Graph

_MOST_ROWS = 8  # of cycles


class LegendRow(NamedTuple):
    """Meaning of a style."""

    kind: str  # node or edge, or text
    look: str
    text: str


def legend_of(marked: MarkedGraph, options: DrawOptions, vertices: set[str], edges: set[str]) -> list[LegendRow]:
    """The meaning of the looks that vertices and edges of a picture have."""
    texts = {
        "in": f"{options.in_degree} or more in",
        "out": f"{options.out_degree} or more out",
        "both": f"{options.in_degree} or more in, and {options.out_degree} or more out",
    }
    rows = [LegendRow("node", look, texts[look]) for look in ("in", "out", "both") if look in vertices]
    if options.euler:
        rows += _of_walks(marked)
    if "tree" in edges:
        rows.append(LegendRow("edge", "tree", "spanning tree"))
    if marked.cycles is not None:
        rows += _of_cycles(marked, marked.cycles, options, edges)
    if "added" in edges:
        rows.append(LegendRow("edge", "added", "added, so that as many edges lead into a vertex as out of it"))
    return rows


def _of_walks(marked: MarkedGraph) -> list[LegendRow]:
    n, n_circular = marked.n_walks, marked.n_circular
    if n == 0:
        return []
    kind = "circuit" if n_circular == n else "trail" if n_circular == 0 and n > 1 else "path"
    kind = "circuit or trail" if 0 < n_circular < n else kind
    return [LegendRow("node", "start", f"start; {_numbers(n, f'Euler {kind}')}")]


def _numbers(n_walks: int, kind: str) -> str:
    """Meaning of the numbers at edges."""
    return f"1, 2, 3, ... along the {kind}" if n_walks == 1 else f"2.3: third edge of the second {kind} of {n_walks:,}"


def _of_cycles(marked: MarkedGraph, cycles: Cycles, options: DrawOptions, edges: set[str]) -> list[LegendRow]:
    is_spliced = options.stage == "joined"
    shown = [number for number in range(len(cycles.sizes)) if f"c{number}" in edges]
    what = "circuit" if is_spliced else "circle"
    rows = []
    for number in shown[:_MOST_ROWS]:
        n_added = int(np.count_nonzero((cycles.of_edge == number) & (marked.original < 0)))
        size = counted(int(cycles.sizes[number]), "edge") + (f", {n_added:,} of them added" if n_added else "")
        rows.append(
            LegendRow("edge", f"c{number}", f"{what} of {size}" if is_spliced else f"c{number + 1}: {what} of {size}")
        )
    n_more = len(cycles.sizes) - len(rows)
    if n_more:
        rows.append(LegendRow("text", "", f"and {n_more:,} more {what}{'s' if n_more > 1 else ''}"))
    if is_spliced and not options.euler and len(cycles.sizes):
        rows.append(LegendRow("text", "", _numbers(len(cycles.sizes), what)))
    if len(cycles.splices):
        rows.append(
            LegendRow("node", "join", "circles were joined here" if is_spliced else "circles can be joined here")
        )
    return rows


def notes_of(graph: Graph, view: View, options: DrawOptions) -> list[str]:
    """Notes on the omitted and collapsed parts of a view."""
    notes = []
    n_shown = len(view.members)
    if options.around is not None:
        name = short(options.around)
        notes.append(
            f"{n_shown:,} of {counted(graph.n_vertices, 'vertex', 'vertices')}: "
            f"those up to {counted(options.chosen_radius, 'edge')} from {name}"
        )
    if view.is_collapsed:
        notes.append("paths without branches are one vertex each")
    if view.center is not None:
        name = short(graph.names.name(view.center))
        where = "left out" if options.around is not None else f"of {graph.n_vertices:,} left out"
        notes.append(f"{counted(view.n_left_out, 'vertex', 'vertices')} {where}: shown is what is nearest to {name}")
    if isinstance(graph.names, OrientedNames) and graph.n_vertices:
        notes.append("each segment is there forward (+) and reverse-complemented (-)")
    return notes
