"""De Bruijn sequences as Euler circuits, and by a walk that takes the exits of each word in an order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE, euler_circuits
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.run import log
from debruijn_gpu.run.parallel import interruptible
from debruijn_gpu.run.resources import available_memory, format_bytes
from debruijn_gpu.sequences.sequence import StoredSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.circuits.protocol import GroupOperations
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
    circuits = backend.circuits.of_words(n_edges)
    if circuits is not None:
        return _find_without_graph(n_edges, n_edges // n_symbols, code_dtype(n_symbols), circuits)
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


def _find_without_graph(n_edges: int, n_vertices: int, dtype: np.dtype[Any], circuits: GroupOperations) -> Array:
    """The codes of the sequence, found by GPUs without a graph in memory, on the first one.

    Room for the codes is needed last, and asked for first: to find the cycles of a sequence that is too long takes
    minutes.
    """
    n_bytes = n_edges * dtype.itemsize
    if not circuits.has_room(n_bytes):
        raise OutOfMemoryError(f"Out of GPU memory: the sequence needs {format_bytes(n_bytes)}")
    pairing = circuits.pair_shifts(n_edges, n_vertices)
    with log.stage("find cycles", n_edges, "edges"):
        cycles = circuits.find_cycles(pairing)
    with log.stage("splice cycles", cycles.n_cycles, "cycles"):
        splices = circuits.splice_cycles(pairing, cycles)
    with log.stage("write symbols", n_edges, "symbols"):
        codes = circuits.write_symbols(pairing, cycles, splices, dtype).gathered()
        circuits.synchronize()
    return codes


def _too_large(n_symbols: int, order: int, why: str) -> OutOfMemoryError:
    """The graph does not fit."""
    return OutOfMemoryError(
        f"Out of memory: --method euler holds a graph of {n_symbols}^{order} edges; {why}",
        "take --method lyndon, lfsr or crt, which write a sequence of any length in little memory",
    )


_MOST_BITS = 62  # of a length that is computed


class PreferSameSequence(StoredSequence):
    """The sequence in which each symbol s is followed by the first of s, s + 1, ... (mod k) that makes a new window.

    Parameters
    ----------
    n_symbols, order : int
    n_bytes_allowed : int, optional
        Memory that it may take; by default all that there is.

    Raises
    ------
    OutOfMemoryError
        If it takes more.
    """

    def __init__(self, n_symbols: int, order: int, n_bytes_allowed: int | None = None) -> None:
        codes = _room("prefer-same", n_symbols, order, code_dtype(n_symbols).itemsize, n_bytes_allowed)
        interruptible(lambda: backends.host().sequences.walk_prefer_same(n_symbols, order, codes))
        super().__init__(codes, n_symbols, order)


class RandomSequence(StoredSequence):
    """One of all de Bruijn sequences, each with the same probability.

    Parameters
    ----------
    n_symbols, order : int
    seed : int
        Any integer; the same one gives the same sequence everywhere.
    n_bytes_allowed : int, optional
        Memory that it may take; by default all that there is.

    Raises
    ------
    OutOfMemoryError
        If it takes more.
    """

    def __init__(self, n_symbols: int, order: int, seed: int, n_bytes_allowed: int | None = None) -> None:
        for_vertex = n_symbols / 8 + 16 if n_symbols > 57 else n_symbols / 4 + 1
        codes = _room("random", n_symbols, order, for_vertex, n_bytes_allowed)
        interruptible(lambda: backends.host().sequences.walk_at_random(n_symbols, order, seed, codes))
        super().__init__(codes, n_symbols, order)


def _room(
    method: str, n_symbols: int, order: int, bytes_for_vertex: float, n_bytes_allowed: int | None
) -> NDArray[Any]:
    """An array for the codes, if they and the tables of vertices fit into memory."""
    check_order(order)
    allowed = available_memory() if n_bytes_allowed is None else n_bytes_allowed
    dtype = code_dtype(n_symbols)
    is_huge = order * (n_symbols.bit_length() - 1) > _MOST_BITS
    needed = 0 if is_huge else (dtype.itemsize * n_symbols + bytes_for_vertex) * n_symbols ** (order - 1)
    if is_huge or needed > allowed:
        amount = "more than 2^60 bytes" if is_huge else format_bytes(needed)
        raise OutOfMemoryError(
            f"Out of memory: {n_symbols}^{order} symbols by --method {method} need {amount}, "
            f"{format_bytes(allowed)} are allowed",
            "choose a smaller -n, allow more (-m), or use --method lyndon, lfsr or crt, which keep nothing",
        )
    return np.empty(n_symbols**order, dtype)
