"""Labels of vertices and edges of a drawing, and its legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.names import KmerNames, OrientedNames, TextNames, WordNames
from debruijn_gpu.run.plain_text import counted, one_line

if TYPE_CHECKING:
    from debruijn_gpu.drawing.marks import Cycles, MarkedGraph
    from debruijn_gpu.drawing.options import DrawOptions
    from debruijn_gpu.drawing.view import View
    from debruijn_gpu.graph.graph import Graph

Longs = NDArray[np.int64]

_LETTERS = 21  # of a name
_LETTERS_OF_WORD = 8  # longer words are told by the letter that an edge adds


def short(name: str, n_letters: int = _LETTERS) -> str:
    """Shorten a name to a maximum length by cutting its middle."""
    shown = one_line(name)
    if len(shown) <= n_letters:
        return shown
    n_last = (n_letters - 1) // 2
    return f"{shown[: n_letters - 1 - n_last]}…{shown[len(shown) - n_last :]}"


def edge_words(graph: Graph, edges: Longs, tails: Longs, heads: Longs, reverse: bool) -> list[str] | None:
    """The word that each edge of a de Bruijn graph stands for; None if the graph is not seen to be one.

    Parameters
    ----------
    graph : Graph
        In NumPy arrays.
    edges, tails, heads : ndarray, dtype=int64, shape=(n,)
        Some of its edges.
    reverse : bool
        Whether edges were turned round: words go from head to tail.
    """
    names = graph.names
    if isinstance(names, WordNames) and names.length == 0:
        return [names.symbols[edge] for edge in edges.tolist()]
    if isinstance(names, OrientedNames) or not len(edges) or (isinstance(names, KmerNames) and names.k == 0):
        return None
    if reverse:
        tails, heads = heads, tails
    vertices = np.unique(np.concatenate((tails, heads)))
    if not isinstance(names, (KmerNames, WordNames)):
        if not isinstance(names, TextNames) or len(np.unique(np.diff(names.offsets)[vertices])) != 1:
            return None
    called = {vertex: names.name(vertex) for vertex in vertices.tolist()}
    pairs = [(called[tail], called[head]) for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)]
    if not isinstance(names, (KmerNames, WordNames)):
        if len(pairs[0][0]) < 2 or any(tail[1:] != head[:-1] for tail, head in pairs):
            return None
    return [tail + head[-1] for tail, head in pairs]


def natural_labels(graph: Graph, edges: Longs, words: Sequence[str] | None) -> list[str]:
    """What tells an edge from others: its word or the last letter of that, its weight, or else its number; nothing of
    edges that were added, which are called -1."""
    parts: list[list[str]] = []
    if words is not None:
        parts.append([word if len(word) <= _LETTERS_OF_WORD else word[-1] for word in map(one_line, words)])
    if graph.weights is not None:
        weights = graph.weights[np.maximum(edges, 0)] if len(graph.weights) else np.zeros(len(edges))
        parts.append([f"{weight:.6g}" for weight in weights.tolist()])
    if not parts:
        parts.append([str(edge) for edge in edges.tolist()])
    labels = [" ".join(found) for found in zip(*parts, strict=True)]
    return ["" if edge < 0 else label for edge, label in zip(edges.tolist(), labels, strict=True)]


def place_label(walk: int, place: int, n_walks: int, n_parallel: int) -> str:
    """Where on which walk an edge is."""
    if place == 0:
        return ""
    label = f"{place}" if n_walks == 1 else f"{walk + 1}.{place}"
    return label if n_parallel == 1 else f"{label}, …"


def path_label(first: str, last: str, n_vertices: int) -> str:
    """Label of a path that is drawn as one vertex, on two lines."""
    ends = short(first, _LETTERS // 2 + 1), short(last, _LETTERS // 2 + 1)
    return f"{ends[0]} … {ends[1]}\n{n_vertices:,} vertices"


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
    is_spliced = options.stage == "spliced"
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
