"""Balance graphs whose walks are not circuits, by edges at which these are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.euler.circuits import BalancedGraph, closing_edges, with_edges
from debruijn_gpu.graph.analysis import diagnose
from debruijn_gpu.run import log

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend
    from debruijn_gpu.euler.options import EulerOptions
    from debruijn_gpu.graph.diagnosis import Diagnosis
    from debruijn_gpu.graph.graph import Graph

_FIX = "--trails walks any graph, in as few walks as it takes"


def balanced(graph: Graph, backend: GraphBackend, options: EulerOptions) -> tuple[BalancedGraph, int]:
    """Return the graph with edges that balance it, as far as options allow, and their number.

    Raises
    ------
    NotEulerianError
        If the graph has no walks of the requested kind.
    """
    with log.stage("balance") as stage:
        diagnosis = diagnose(graph, backend)
        if not options.trails:
            check_walkable(diagnosis, graph, options)
        tails, heads = closing_edges(diagnosis.component, diagnosis.surplus)
        closed = with_edges(graph, tails, heads, backend)
        stage.items, stage.unit = len(tails), "edges added"
    return closed, len(tails)


def check_walkable(diagnosis: Diagnosis, graph: Graph, options: EulerOptions) -> None:
    """Raise NotEulerianError unless every component has a circuit, or a path where that will do."""
    if not diagnosis.is_walkable:
        raise NotEulerianError(diagnosis.describe(graph.names), _FIX)
    if not options.path:
        raise NotEulerianError(f"no Euler circuit: {diagnosis.describe(graph.names)}", "--path takes paths, too")
