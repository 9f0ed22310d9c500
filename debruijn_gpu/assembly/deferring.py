"""What cleaning leaves to the next k."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import finders
from debruijn_gpu.assembly.situation import Situation
from debruijn_gpu.assembly.unitig_graph import UnitigGraph

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


@dataclass(frozen=True)
class Deferred:
    """Unitigs of a cleaned graph that the thresholds of the last k would remove, and that are left to the next k.

    Attributes
    ----------
    bubbles, erroneous_connections : int
    """

    bubbles: int = 0
    erroneous_connections: int = 0


def count_deferred(
    graph: UnitigGraph, options: CleanOptions, backend: AssemblyBackend, situation: Situation
) -> Deferred:
    """Count the unitigs that are left to the next k.

    Parameters
    ----------
    graph : UnitigGraph
        Cleaned by the ratios before the last k.
    options : CleanOptions
        Thresholds of the last k.
    backend, situation
        See `clean`.
    """
    found = finders(options, backend, replace(situation, is_early=False))
    kinds = "bubbles", "erroneous_connections"
    return Deferred(*(len(graph) - int(backend.arrays.reduce(found[kind](graph), "sum")) for kind in kinds))
