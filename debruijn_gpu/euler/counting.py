"""Count the Euler circuits of a graph, and decide whether one is unique.

By the BEST theorem (van Aardenne-Ehrenfest and de Bruijn 1951, Smith and Tutte 1941), a connected graph with as many
edges into each vertex v as out of it, d(v), has

    ec = t * product over v of (d(v) - 1)!

Euler circuits, where t is the number of spanning trees directed towards any one vertex: a determinant. Circuits are
counted as cyclic sequences of edges: where to begin makes no difference, and parallel edges are different ones. A
vertex with one edge in and one out, other than a loop, is passed once and in one way: replacing it and its edges by
one edge leaves the number as it is, so only branching vertices take part.

*Parallel edges alike.* Let m be the multiplicities of the edges and D the product of m!. The permutations of parallel
edges move every sequence of all edges with a first one, so D of these give the same sequence of vertices. Each circuit
has E = sum of m beginnings, so there are ec E / D closed sequences of vertices with a first step. Cyclic ones are
these up to rotation. A sequence that rotation by E / r leaves as it is consists of r times a circuit of the graph with
multiplicities m / r; so by the Cauchy-Frobenius lemma, the number of cyclic sequences of vertices is

    sum over the divisors r of gcd(m) of  phi(r) / r * ec(m / r) / (product of (m / r)!)

with Euler's phi; ec(m / r) has t / r^(V - 1) in the place of t, and (d(v) / r - 1)!. Most graphs have gcd(m) = 1 and
just ec / D.

*Euler paths* are counted as circuits with one more edge from end to start. That edge marks where each begins: ec / D
sequences of vertices, with D of the edges given.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.arithmetic.integers import divisors, totient
from debruijn_gpu.euler.contraction import Component, contracted_components, skeleton
from debruijn_gpu.euler.determinant import exact_determinant, laplacian, log_determinant

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend
    from debruijn_gpu.graph.graph import Graph

_MOST_EXACT = 400  # branching vertices of a component; takes seconds
_MOST_DIGITS = 4300  # of a number; Python prints no longer ones
_MOST_WORKING_DIGITS = 100_000  # of one that is divided by another
_LOG_10 = math.log(10)


@dataclass(frozen=True)
class Count:
    """A number that may be very large.

    Attributes
    ----------
    log10 : float
    exact : int or None
        None where only the logarithm was computed, and for numbers of more than 4300 digits.
    """

    log10: float
    exact: int | None

    @staticmethod
    def of(number: int) -> Count:
        log10 = math.log10(number)
        return Count(log10, number if log10 < _MOST_DIGITS else None)

    def __str__(self) -> str:
        return str(self.exact) if self.exact is not None else f"10^{self.log10:.6g}"

    @property
    def is_one(self) -> bool:
        """Two is far enough from one for a logarithm to tell."""
        return self.exact == 1 if self.exact is not None else self.log10 < 0.15


@dataclass(frozen=True)
class CircuitCount:
    """The number of ways to choose an Euler circuit or path of each component.

    Attributes
    ----------
    edge_sequences : Count
        Parallel edges are different.
    vertex_sequences : Count
        They are alike: what can be told apart by the vertices that are passed.
    """

    edge_sequences: Count
    vertex_sequences: Count


@dataclass(frozen=True)
class Uniqueness:
    """Whether a graph's Euler circuit or path is the only one, as a sequence of edges and as one of vertices."""

    edges: bool
    vertices: bool


def count_circuits(graph: Graph, backend: GraphBackend) -> CircuitCount:
    """Count the Euler circuits of a graph, or Euler paths where a component has these; see above for what is counted.

    Exact up to some 400 branching vertices a component, else the logarithm.

    Parameters
    ----------
    graph : Graph
        Of this backend, or of NumPy arrays.
    backend : GraphBackend

    Raises
    ------
    NotEulerianError
        If a component has neither circuit nor path.
    ParameterError
        If a component has too many branching vertices.
    """
    counts = [_count(component) for component in contracted_components(graph, backend)]
    return CircuitCount(
        _product([count.edge_sequences for count in counts]), _product([count.vertex_sequences for count in counts])
    )


def is_unique(graph: Graph, backend: GraphBackend) -> Uniqueness:
    """Whether there is one Euler circuit (or path) alone; of an assembly, whether it is determined.

    As sequences of edges, without counting: see `_has_one_circuit`. As sequences of vertices this may hold although
    there are parallel edges, which is found out by counting.

    Raises
    ------
    NotEulerianError, ParameterError
        As `count_circuits`.
    """
    components = contracted_components(graph, backend)
    edges = [_has_one_circuit(component) for component in components]
    vertices = (
        one if one or max(component.multiplicities) == 1 else _has_one_vertex_sequence(component)
        for one, component in zip(edges, components, strict=True)
    )
    return Uniqueness(all(edges), all(vertices))


def _has_one_vertex_sequence(component: Component) -> bool:
    """Whether a component has one Euler circuit, as a sequence of vertices.

    Where no sequence can repeat itself and the trees that are known at once make for two sequences, the others need not
    be counted.
    """
    log_least = _log_factorials(component.degrees, 1, 1) - _log_factorials(component.multiplicities, 1, 0)
    log_least += math.fsum(times * math.log(number) for number, times in component.merged.items() if times)
    if _repetitions(component) == [1] and log_least > 0.5:
        return False
    return _count(component).vertex_sequences.is_one


def _product(counts: list[Count]) -> Count:
    log10 = math.fsum(count.log10 for count in counts)
    factors = [count.exact for count in counts if count.exact is not None]
    if len(factors) < len(counts) or log10 > _MOST_DIGITS:
        return Count(log10, None)
    return Count.of(math.prod(factors))


def _count(component: Component) -> CircuitCount:
    left = skeleton(component)
    entries = laplacian(left.tails, left.heads, left.n)
    n_out = np.bincount(left.tails, minlength=left.n)[:-1]
    log_merged = math.fsum(times * math.log(number) for number, times in left.merged.items())
    log_bound = log_merged + _log_factorials(component.degrees, 1, 1) + float(np.log(n_out).sum())
    n_rows = max(0, left.n - 1)
    if left.n <= _MOST_EXACT and log_bound < _MOST_WORKING_DIGITS * _LOG_10:
        trees = exact_determinant(entries, n_rows, math.prod(map(int, n_out)))
        return _exact(component, trees * math.prod(number**times for number, times in left.merged.items()))
    return _logarithms(component, log_determinant(entries, n_rows) + log_merged)


def _repetitions(component: Component) -> list[int]:
    """Number of repetitions that a sequence may have: divisors of the greatest common divisor of the multiplicities."""
    return divisors(1 if component.is_path else math.gcd(*component.multiplicities))


def _exact(component: Component, trees: int) -> CircuitCount:
    total = Fraction(0)
    for r in _repetitions(component):
        circuits = trees // r ** (component.n_vertices - 1) * _factorials(component.degrees, r, 1)
        if r == 1:
            of_edge_sequences = Count.of(circuits)
        total += Fraction(totient(r) * circuits, r * _factorials(component.multiplicities, r, 0))
    return CircuitCount(of_edge_sequences, Count.of(int(total)))


def _factorials(numbers: Counter[int], r: int, less: int) -> int:
    """Product of (number / r - less)!."""
    return math.prod(math.factorial(number // r - less) ** times for number, times in numbers.items())


def _log_factorials(numbers: Counter[int], r: int, less: int) -> float:
    """Its natural logarithm."""
    return math.fsum(times * math.lgamma(number / r + 1 - less) for number, times in numbers.items())


def _logarithms(component: Component, log_trees: float) -> CircuitCount:
    terms = []
    for r in _repetitions(component):
        log_circuits = log_trees - (component.n_vertices - 1) * math.log(r) + _log_factorials(component.degrees, r, 1)
        if r == 1:
            log_edge_sequences = log_circuits
        terms.append(math.log(totient(r) / r) + log_circuits - _log_factorials(component.multiplicities, r, 0))
    log_vertex_sequences = terms[0] + math.log(math.fsum(math.exp(term - terms[0]) for term in terms))
    return CircuitCount(Count(log_edge_sequences / _LOG_10, None), Count(log_vertex_sequences / _LOG_10, None))


def _has_one_circuit(component: Component) -> bool:
    """Whether a component has one Euler circuit, as a sequence of edges.

    A vertex that is passed three times or more gives (d - 1)! > 1 in the BEST theorem. If all are passed twice, then a
    vertex with a loop is passed by way of it: removing the vertex and merging the other edge into it with the other
    out of it leaves the number of circuits as it is. Repeat this until one vertex with two loops is left, which has
    one circuit, or none has a loop. In the latter case there are two circuits or more: take any one. If two vertices v
    and u take turns in it, as in v A u B v C u D, then v C u B v A u D is another one. If no two do, then between the
    two visits of some vertex no other vertex is there twice, nor once, since it would take turns: so there is nothing,
    which is a loop.
    """
    n_left = component.n_branching
    if max(component.degrees) > 2 or any(number > 1 for number in +component.merged):
        return False
    tails, heads = component.tails.tolist(), component.heads.tolist()
    out_of: list[list[int]] = [[] for _ in range(n_left)]
    into: list[list[int]] = [[] for _ in range(n_left)]
    for edge, (tail, head) in enumerate(zip(tails, heads, strict=True)):
        out_of[tail].append(edge)
        into[head].append(edge)
    loops = [edge for edge, tail in enumerate(tails) if tail == heads[edge]]
    while loops and n_left > 1:
        loop = loops.pop()
        vertex = tails[loop]
        (before,), (after,) = ([edge for edge in some[vertex] if edge != loop] for some in (into, out_of))
        head = heads[before] = heads[after]
        into[head] = [before if edge == after else edge for edge in into[head]]
        n_left -= 1
        if tails[before] == head:
            loops.append(before)
    return n_left <= 1
