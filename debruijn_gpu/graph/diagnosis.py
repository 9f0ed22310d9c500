"""Decide whether a graph has Euler circuits and paths, and find the fault if it has none."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.graph.graph import shortened
from debruijn_gpu.graph.names import VertexNames

SHOWN = 10  # vertices or components
_SHOWN_LETTERS = 32  # of a name, so that ten fit into a message


class EulerKind(IntEnum):
    """The kind of Euler walk of a component, or of a graph."""

    NEITHER = 0
    PATH = 1  # uses every edge once, and ends elsewhere than it starts
    CIRCUIT = 2  # uses every edge once, and comes back

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Diagnosis:
    """Euler circuits and paths of a graph. All arrays are NumPy's.

    A component has a circuit if all its vertices have as many edges in as out, and a path if one of them has one more
    out, where the path starts, and one has one more in, where it ends.

    Attributes
    ----------
    component : ndarray, dtype=int64, shape=(n_vertices,)
        Smallest vertex of each vertex's weakly connected component.
    n_in, n_out : ndarray, dtype=int64, shape=(n_vertices,)
        Edges in and out.
    surplus : ndarray, dtype=int64, shape=(n_vertices,)
        Edges out less edges in.
    labels : ndarray, dtype=int64, shape=(n,)
        The components that have edges, by their smallest vertices, ascending.
    kinds : ndarray, dtype=int8, shape=(n,)
        `EulerKind` of each.
    starts, ends : ndarray, dtype=int64, shape=(n,)
        Where the path of each starts and ends; where there is none, its smallest vertex.
    """

    component: NDArray[np.int64]
    n_in: NDArray[np.int64]
    n_out: NDArray[np.int64]
    surplus: NDArray[np.int64]
    labels: NDArray[np.int64]
    kinds: NDArray[np.int8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @property
    def kind(self) -> EulerKind:
        """The Euler walk of the whole graph: an empty circuit without edges; neither with several components."""
        if len(self.labels) > 1:
            return EulerKind.NEITHER
        return EulerKind(int(self.kinds[0])) if len(self.kinds) else EulerKind.CIRCUIT

    def count(self, kind: EulerKind) -> int:
        """Components with edges that are of a kind."""
        return int(np.count_nonzero(self.kinds == kind))

    @property
    def is_walkable(self) -> bool:
        """Whether each component has a circuit or a path."""
        return not (self.kinds == EulerKind.NEITHER).any()

    @property
    def at_fault(self) -> NDArray[np.int64]:
        """The unbalanced vertices of the components that have neither circuit nor path, ascending."""
        unbalanced = np.flatnonzero(self.surplus)
        of = np.searchsorted(self.labels, self.component[unbalanced])
        faulty: NDArray[np.int64] = unbalanced[self.kinds[of] == EulerKind.NEITHER]
        return faulty

    def describe(self, names: VertexNames) -> str:
        """Describe the result in one sentence: the Euler walk, or the fault and its vertex."""
        if not len(self.labels):
            return "the graph has no edges"
        at_fault = self.at_fault
        if len(at_fault):
            some = "1 vertex is" if len(at_fault) == 1 else f"{len(at_fault)} vertices are"
            return f"the graph has no Euler walk, {some} unbalanced: {self._vertices(at_fault, names)}"
        if len(self.labels) == 1:
            return f"the graph has an Euler {self._walk(0, names)}"
        counts = ((kind, self.count(kind)) for kind in (EulerKind.CIRCUIT, EulerKind.PATH))
        found = " and ".join(f"{n} with an Euler {kind}" for kind, n in counts if n)
        return f"the graph has {len(self.labels)} components with edges, {found}: {self._walks(names)}"

    def _vertices(self, vertices: NDArray[np.int64], names: VertexNames) -> str:
        shown = (f"{short_name(names, v)}: {self.n_in[v]} in, {self.n_out[v]} out" for v in vertices[:SHOWN].tolist())
        return "; ".join(shown) + ("; ..." if len(vertices) > SHOWN else "")

    def _walks(self, names: VertexNames) -> str:
        shown = (self._walk(i, names) for i in range(min(SHOWN, len(self.labels))))
        return "; ".join(shown) + ("; ..." if len(self.labels) > SHOWN else "")

    def _walk(self, i: int, names: VertexNames) -> str:
        start, end = (short_name(names, int(vertices[i])) for vertices in (self.starts, self.ends))
        return f"circuit through {start}" if self.kinds[i] == EulerKind.CIRCUIT else f"path from {start} to {end}"


def short_name(names: VertexNames, vertex: int) -> str:
    """The name of a vertex, or its beginning, for a message."""
    return shortened(names.name(vertex), _SHOWN_LETTERS)


def diagnose_from(component: NDArray[np.int64], n_in: NDArray[np.int64], n_out: NDArray[np.int64]) -> Diagnosis:
    """Diagnose a graph from its components and degrees; see `Diagnosis`."""
    surplus = n_out - n_in
    is_label = (component == np.arange(len(component))) & (n_in + n_out > 0)  # the smallest vertex has edges if any has
    labels = np.flatnonzero(is_label)
    unbalanced = np.flatnonzero(surplus)
    of = np.searchsorted(labels, component[unbalanced])
    too_many = np.bincount(of, np.maximum(surplus[unbalanced], 0), len(labels))
    kinds = np.select([too_many == 0, too_many == 1], [EulerKind.CIRCUIT, EulerKind.PATH], EulerKind.NEITHER)
    starts, ends = labels.copy(), labels.copy()
    on_path = kinds[of] == EulerKind.PATH
    for places, wanted in ((starts, 1), (ends, -1)):
        chosen = on_path & (surplus[unbalanced] == wanted)
        places[of[chosen]] = unbalanced[chosen]
    return Diagnosis(component, n_in, n_out, surplus, labels, kinds.astype(np.int8), starts, ends)
