"""Genome assembly, Euler circuits and de Bruijn sequences on GPUs and CPUs.

The names below are imported when they are first used, so that ``import debruijn_gpu`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # what type checkers take for true; importing it would take the most time of all
if TYPE_CHECKING:
    from typing import Any

    from debruijn_gpu.assembly.contigs import Contigs
    from debruijn_gpu.errors import DbgError
    from debruijn_gpu.euler.trails import euler_walks
    from debruijn_gpu.graph.build import graph_from_edges
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.graph.options import EulerOptions
    from debruijn_gpu.kmers.table import KmerTable
    from debruijn_gpu.pipeline import Assembly, assemble, unitigs
    from debruijn_gpu.run.options import (
        AssembleOptions,
        CleanOptions,
        CountOptions,
        ReadInputs,
        RunOptions,
        UnitigOptions,
    )
    from debruijn_gpu.sequences.methods import de_bruijn_sequence

__version__ = "0.1.0"

_HOMES = {
    "AssembleOptions": "options",
    "Assembly": "pipeline",
    "CleanOptions": "options",
    "Contigs": "contigs.contigs",
    "CountOptions": "options",
    "DbgError": "errors",
    "EulerOptions": "graph_options",
    "Graph": "graph.graph",
    "KmerTable": "kmers.table",
    "ReadInputs": "options",
    "RunOptions": "options",
    "UnitigOptions": "options",
    "assemble": "pipeline",
    "de_bruijn_sequence": "sequences.methods",
    "euler_walks": "walks.euler",
    "graph_from_edges": "graph.build",
    "unitigs": "pipeline",
}

__all__ = [
    "AssembleOptions",
    "Assembly",
    "CleanOptions",
    "Contigs",
    "CountOptions",
    "DbgError",
    "EulerOptions",
    "Graph",
    "KmerTable",
    "ReadInputs",
    "RunOptions",
    "UnitigOptions",
    "assemble",
    "de_bruijn_sequence",
    "euler_walks",
    "graph_from_edges",
    "unitigs",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'debruijn_gpu' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"debruijn_gpu.{_HOMES[name]}"), name)
