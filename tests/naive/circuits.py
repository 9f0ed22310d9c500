"""Euler circuits as `CircuitOperations` defines them, step by step."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core import scalars


def paired(row_ptr, col):
    """The edge before each edge, or None."""
    into = [[] for _ in range(len(row_ptr) - 1)]
    for edge, head in enumerate(col):
        into[head].append(edge)
    before = []
    for vertex, edges in enumerate(into):
        if len(edges) != row_ptr[vertex + 1] - row_ptr[vertex]:
            return None
        if edges:
            with np.errstate(over="ignore"):
                turn = int(scalars.rotation(np.uint64(vertex), np.uint64(len(edges))))
            before += edges[turn:] + edges[:turn]
    return before


def cycles(before):
    """Cycle of each edge, by its smallest edge."""
    cycle = [-1] * len(before)
    for first in range(len(before)):
        edge = first
        while cycle[edge] < 0:
            cycle[edge] = first
            edge = before[edge]
    return cycle


def spliced(row_ptr, before):
    """Splice cycles by ascending edge; return the new predecessors and the number of splices."""
    cycle, before, n_splices = cycles(before), list(before), 0
    tails = np.repeat(np.arange(len(row_ptr) - 1), np.diff(row_ptr))
    for edge in range(1, len(before)):
        a, b = cycle[edge - 1], cycle[edge]
        if tails[edge - 1] == tails[edge] and a != b:
            before[edge - 1], before[edge] = before[edge], before[edge - 1]
            cycle = [a if c == b else c for c in cycle]
            n_splices += 1
    return before, n_splices


def circuits(row_ptr, col):
    """One circuit of each component, from its smallest edge, in the order of these; None if there is none."""
    before = paired(row_ptr, col)
    if before is None:
        return None
    before, _ = spliced(row_ptr, before)
    found, done = [], set()
    for first in range(len(before)):
        if first in done:
            continue
        circuit, edge = [], first
        while edge not in done:
            done.add(edge)
            circuit.append(edge)
            edge = before[edge]
        found.append([first, *circuit[:0:-1]])
    return found
