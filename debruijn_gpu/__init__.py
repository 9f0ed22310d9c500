"""Genome assembly, Euler circuits and de Bruijn sequences on GPUs and CPUs.

The names below are imported when they are first used, so that ``import debruijn_gpu`` costs nothing.
"""

from __future__ import annotations

import sys

from debruijn_gpu.version import __version__ as __version__

TYPE_CHECKING = False  # what type checkers take for true; importing it would take the most time of all
if TYPE_CHECKING:
    from typing import Any

    from debruijn_gpu.assembly.clean_options import CleanOptions
    from debruijn_gpu.assembly.contigs import Contigs
    from debruijn_gpu.assembly.options import AssembleOptions, UnitigOptions
    from debruijn_gpu.assembly.pair_options import PairOptions
    from debruijn_gpu.assembly.result import Assembly
    from debruijn_gpu.binning.self_organizing_map import SelfOrganizingMap
    from debruijn_gpu.errors import DbgError
    from debruijn_gpu.euler.options import EulerOptions
    from debruijn_gpu.euler.trails import euler_walks
    from debruijn_gpu.graph.build import graph_from_edges
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.kmers.options import CountOptions
    from debruijn_gpu.kmers.table import KmerTable
    from debruijn_gpu.notebook import draw
    from debruijn_gpu.pipeline import assemble, unitigs
    from debruijn_gpu.reads.options import ReadInputs
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.sequences.making import de_bruijn_sequence


_HOMES = {
    "AssembleOptions": "assembly.options",
    "Assembly": "assembly.result",
    "CleanOptions": "assembly.clean_options",
    "Contigs": "assembly.contigs",
    "CountOptions": "kmers.options",
    "DbgError": "errors",
    "EulerOptions": "euler.options",
    "Graph": "graph.graph",
    "KmerTable": "kmers.table",
    "PairOptions": "assembly.pair_options",
    "ReadInputs": "reads.options",
    "RunOptions": "run.options",
    "SelfOrganizingMap": "binning.self_organizing_map",
    "UnitigOptions": "assembly.options",
    "assemble": "pipeline",
    "de_bruijn_sequence": "sequences.making",
    "draw": "notebook",
    "euler_walks": "euler.trails",
    "graph_from_edges": "graph.build",
    "unitigs": "pipeline",
}

#: The public names; docs/reference/python.md documents each, and says how they change
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
    "PairOptions",
    "ReadInputs",
    "RunOptions",
    "SelfOrganizingMap",
    "UnitigOptions",
    "__version__",
    "assemble",
    "de_bruijn_sequence",
    "draw",
    "euler_walks",
    "graph_from_edges",
    "unitigs",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'debruijn_gpu' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"debruijn_gpu.{_HOMES[name]}"), name)


def load_ipython_extension(shell: Any) -> None:
    """Register the display of graphs, contigs and spectra: ``%load_ext debruijn_gpu``."""
    from debruijn_gpu.notebook import register

    register(shell)


if "IPython" in sys.modules:
    from debruijn_gpu.notebook import register_if_running

    register_if_running()
