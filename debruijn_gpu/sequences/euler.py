"""De Bruijn sequences as Euler circuits of de Bruijn graphs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE, euler_circuits
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.sequences.sequence import StoredSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

_MOST_EDGES_LOG2 = 48  # beyond this, no machine holds the graph


class EulerSequence(StoredSequence):
    """The de Bruijn sequence whose windows are the edges of an Euler circuit of the de Bruijn graph, in order.

    The circuit is the one of `walks.circuits.euler_circuits`, which is the same on every backend; it begins with the
    edge 0, which is the window 0^n. (Good, J. London Math. Soc. 1946; de Bruijn 1946.)

    Parameters
    ----------
    n_symbols, order : int
    backend : SequenceBackend
        Finds the circuit and holds the sequence.
    memory : int, optional
        Bytes that this may take. A GPU says itself what it has.

    Raises
    ------
    OutOfMemoryError
        If the graph and its circuit do not fit.
    """

    def __init__(self, n_symbols: int, order: int, backend: SequenceBackend, memory: int | None = None) -> None:
        check_order(order)
        if order > _MOST_EDGES_LOG2 or order * math.log2(n_symbols) > _MOST_EDGES_LOG2:
            raise _too_large(n_symbols, order, "no machine has the memory for them")
        needed = bytes_needed(n_symbols, order)
        if memory is not None and needed > memory:
            left = f"{format_bytes(memory)} are left for it"
            raise _too_large(n_symbols, order, f"they need {format_bytes(needed)}, and {left}")
        try:
            codes = _find_sequence(n_symbols, order, backend)
        except OutOfMemoryError as error:
            raise _too_large(n_symbols, order, error.what) from error
        super().__init__(codes, n_symbols, order)


def bytes_needed(n_symbols: int, order: int) -> int:
    """About what the graph, its circuit and the sequence take."""
    n_vertices, n_edges = n_symbols ** (order - 1), n_symbols**order
    edge_bytes = (4 if n_vertices <= 1 << 32 else 8) + BYTES_PER_EDGE * (1 if n_edges <= 1 << 32 else 2)
    return int(8 * n_vertices + edge_bytes * n_edges)


def _find_sequence(n_symbols: int, order: int, backend: SequenceBackend) -> Array:
    """The codes of the sequence."""
    n_edges = n_symbols**order
    with log.stage("make graph", n_edges, "edges"):
        graph = de_bruijn_graph(n_symbols, order, backend)
        backend.synchronize()
    walks = euler_circuits(graph, backend)
    assert walks is not None, "as many edges lead into each word as out of it"
    del graph
    with log.stage("take symbols", n_edges, "symbols"):
        codes = backend.sequences.leading_symbols(walks.steps, n_symbols ** (order - 1), code_dtype(n_symbols))
        backend.synchronize()
    return codes


def _too_large(n_symbols: int, order: int, why: str) -> OutOfMemoryError:
    """The graph does not fit."""
    return OutOfMemoryError(
        f"Out of memory: --method euler holds a graph of {n_symbols}^{order} edges; {why}",
        "take --method lyndon, lfsr or crt, which write a sequence of any length in little memory",
    )
