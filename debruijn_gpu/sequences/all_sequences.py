"""All de Bruijn sequences of an order, in lexicographic order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.euler.listing import BYTES_PER_EDGE, edge_classes, euler_circuits_from
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.sequences.sequence import check_order
from debruijn_gpu.sequences.symbols import code_dtype

_MOST_BITS = 40  # of the number of words: beyond all memory


def all_sequences(n_symbols: int, order: int, memory: int) -> Iterator[NDArray[Any]]:
    """Yield all de Bruijn sequences B(k, n), each once, from its window of n zeros.

    They are the Euler circuits of the de Bruijn graph: k!^(k^(n-1)) / k^n of them (van Aardenne-Ehrenfest and
    de Bruijn 1951). Memory is taken for the graph and one sequence.

    Parameters
    ----------
    n_symbols, order : int
        k and n.
    memory : int
        Bytes that the graph may take.

    Yields
    ------
    ndarray, dtype=`symbols.code_dtype`, shape=(n_symbols**order,)

    Raises
    ------
    OutOfMemoryError
        If the graph does not fit.
    """
    check_order(order)
    is_huge = order * (n_symbols.bit_length() - 1) > _MOST_BITS
    n_words = 0 if is_huge else n_symbols**order
    if is_huge or 2 * BYTES_PER_EDGE * n_words > memory:
        needed = "more than there is anywhere" if is_huge else format_bytes(2 * BYTES_PER_EDGE * n_words)
        raise OutOfMemoryError(
            f"Out of memory: --all holds a graph of {n_symbols}^{order} edges, which needs {needed}; "
            f"{format_bytes(memory)} are left for it",
            "choose a smaller -n, or allow more (-m)",
        )
    dtype = code_dtype(n_symbols)
    if order == 1:  # all edges are loops of one vertex, and differ by their symbols only
        for rest in permutations(range(1, n_symbols)):
            yield np.array((0, *rest), dtype)
        return
    classes = edge_classes(de_bruijn_graph(n_symbols, order))
    shift = n_symbols ** (order - 1)
    for trail in euler_circuits_from(classes, n_words, 0):
        yield (np.array(trail) // shift).astype(dtype)
