"""Format the summary of a graph as text, tables and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.analysis import Degrees, GraphSummary
from debruijn_gpu.graph.diagnosis import EulerKind
from debruijn_gpu.graph.names import Text, VertexNames
from debruijn_gpu.io.tables import SCHEMA_VERSION, aligned_table, to_json
from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.run.tuning import tuning

_TITLES = {
    "n_vertices": "vertices",
    "n_edges": "edges",
    "n_isolated": "isolated vertices",
    "n_sources": "sources",
    "n_sinks": "sinks",
    "n_loops": "loops",
    "n_parallel": "parallel edges",
    "in_degree": "edges in, least / mean / most",
    "out_degree": "edges out, least / mean / most",
    "n_weak": "weakly connected components",
    "n_weak_with_edges": "  with edges",
    "largest_weak": "  vertices of the largest",
    "n_strong": "strongly connected components",
    "largest_strong": "  vertices of the largest",
    "n_forest": "edges of a spanning forest",
    "is_acyclic": "acyclic",
    "n_circuits": "components with an Euler circuit",
    "n_paths": "components with an Euler path",
    "n_unbalanced": "unbalanced vertices",
}


def summary_dict(summary: GraphSummary, names: VertexNames) -> dict[str, Any]:
    """Collect figures by name for JSON; ``euler`` is circuit, path or neither, and ``euler_text`` the reason."""
    figures = {field.name: getattr(summary, field.name) for field in fields(summary) if field.name != "diagnosis"}
    figures["euler"] = str(summary.euler)
    return {**figures, "euler_text": one_line(summary.diagnosis.describe(names))}


def summary_json(summary: GraphSummary, names: VertexNames) -> bytes:
    """The figures of a graph as JSON."""
    return to_json({"schema_version": SCHEMA_VERSION, "graph": summary_dict(summary, names)})


def summary_tsv(summary: GraphSummary, names: VertexNames) -> bytes:
    """The figures of a graph, one a line: name and value. Degrees take three lines each."""
    rows = []
    for name, value in summary_dict(summary, names).items():
        if isinstance(value, Degrees):
            rows += [(f"{name}_{field.name}", getattr(value, field.name)) for field in fields(value)]
        else:
            rows.append((name, int(value) if isinstance(value, bool) else value))
    return "".join(f"{name}\t{value}\n" for name, value in rows).encode()


def summary_text(summary: GraphSummary, names: VertexNames) -> str:
    """Format the figures of a graph as an aligned table, with its Euler circuits and paths."""
    rows = [[title, _shown(getattr(summary, name))] for name, title in _TITLES.items()]
    sentence = one_line(summary.diagnosis.describe(names))
    if summary.euler == EulerKind.CIRCUIT and not summary.n_edges:
        return aligned_table(rows)
    return f"{aligned_table(rows)}\n{sentence[0].upper()}{sentence[1:]}.\n"


def _shown(value: int | bool | Degrees) -> str:
    if isinstance(value, Degrees):
        return f"{value.minimum:,} / {value.mean:.2f} / {value.maximum:,}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}"


def write_components(stream: BinaryIO, component: NDArray[np.int64], names: VertexNames) -> None:
    """Lines ``vertex<TAB>component`` in the order of the vertices; a component is called by its smallest vertex.

    Parameters
    ----------
    stream : binary file
    component : ndarray, dtype=int64, shape=(n_vertices,)
        Smallest vertex of each vertex's component.
    names : VertexNames
    """
    for vertices in _blocks(len(component)):
        stream.write(_lines([names.text(vertices), names.text(component[vertices])]))


def write_ranks(stream: BinaryIO, scores: NDArray[np.float64], names: VertexNames) -> None:
    """Lines ``vertex<TAB>score``, the highest score first, equal ones in the order of the vertices.

    Parameters
    ----------
    stream : binary file
    scores : ndarray, dtype=float64, shape=(n_vertices,)
    names : VertexNames
    """
    order = np.argsort(-scores, kind="stable")
    for block in _blocks(len(scores)):
        vertices = order[block]
        stream.write(_lines([names.text(vertices), _words(map(repr, scores[vertices].tolist()))]))


def _blocks(n: int) -> Iterator[NDArray[np.int64]]:
    """The numbers 0..n, some at a time."""
    for start in range(0, n, tuning().lines_at_once):
        progress.update(start, n, "vertices")
        yield np.arange(start, min(start + tuning().lines_at_once, n))


def _words(words: Iterator[str]) -> Text:
    encoded = [word.encode() for word in words]
    return np.cumsum([0, *map(len, encoded)]), np.frombuffer(b"".join(encoded), np.uint8)


def _lines(columns: Sequence[Text]) -> bytes:
    """Lines with a word of each column, tabs between them."""
    lengths = [np.diff(offsets) for offsets, _ in columns]
    ends = np.cumsum(sum(lengths) + len(columns))  # each word has a tab or a newline after it
    text = np.full(ends[-1], ord("\t"), np.uint8)
    text[ends - 1] = ord("\n")
    starts = np.append(0, ends[:-1])
    for (offsets, letters), length in zip(columns, lengths, strict=True):
        text[np.arange(len(letters)) + np.repeat(starts - offsets[:-1], length)] = letters
        starts = starts + length + 1
    return text.tobytes()
