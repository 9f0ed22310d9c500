"""Labels of vertices and edges of a drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.names import KmerNames, OrientedNames, TextNames, WordNames
from debruijn_gpu.run.plain_text import one_line

if TYPE_CHECKING:
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
