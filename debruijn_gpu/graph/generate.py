"""Generate graphs for tests and benchmarks. The same options give the same graph on every backend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import packed_words
from debruijn_gpu.backends.core.array_types import id_dtype
from debruijn_gpu.backends.graphs.protocol import Cactus
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import ParameterError
from debruijn_gpu.graph.de_bruijn import EdgeCentricGraph, de_bruijn_graph, edge_centric
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import GraphBackend, HostBackend
    from debruijn_gpu.graph.options import GenerateOptions
    from debruijn_gpu.run.options import RunOptions

_BATCH_BASES = 1 << 20


def random_genome(options: GenerateOptions, backend: HostBackend) -> NDArray[np.uint8]:
    """Two-bit codes of a random sequence with repeats.

    The genome is cut into intervals as long as a repeat, which are taken in random order: the second becomes a copy of
    the first, the fourth one of the third, and so on. So there are just as many repeats as asked for, each with one
    copy.
    """
    bases: NDArray[np.uint8] = backend.to_host(backend.graphs.random_heads(options.n, 4, options.seed)).astype(np.uint8)
    length = options.repeat_bp
    order = backend.to_host(backend.graphs.permutation(options.n // length, options.seed)).astype(np.int64)
    for i in range(options.n_repeats):
        original, copy = (int(interval) * length for interval in order[2 * i : 2 * i + 2])
        bases[copy : copy + length] = bases[original : original + length]
    return bases


def genome_graph(options: GenerateOptions, run: RunOptions, backend: HostBackend) -> EdgeCentricGraph:
    """Edge-centric graph of one strand of a random genome: its k-mers, as often as they occur, between (k-1)-mers.

    A circular genome is an Euler circuit of the graph, a linear one (``options.path``) an Euler path.
    """
    bases = random_genome(options, backend)
    if not options.path:
        bases = np.concatenate((bases, bases[: options.k - 1]))
    counted = count_kmers(
        _batches(bases, options.k),
        CountOptions(k=options.k, canonical=False),
        run.on_cpu(),
        backend,
        n_bases_expected=len(bases),
    )
    assert counted.table is not None
    return edge_centric(counted.table, counted.table.counts, backend)


def _batches(bases: NDArray[np.uint8], k: int) -> Iterator[ReadBatch]:
    """Cut a sequence into reads that overlap by k - 1 bases."""
    for start in range(0, len(bases) - k + 1, _BATCH_BASES):
        segment = bases[start : start + _BATCH_BASES + k - 1]
        yield ReadBatch(packed_words(segment), np.array([0, len(segment)], np.int64), np.empty(0, np.int64))


def random_graph(n_vertices: int, max_degree: int, seed: int, backend: GraphBackend) -> Graph:
    """Any multigraph: the number of edges out of each vertex is uniform in 0..max_degree, so is the head of each."""
    row_ptr = backend.arrays.exclusive_scan(backend.graphs.random_degrees(n_vertices, 0, max_degree, seed))
    return Graph(row_ptr, backend.graphs.random_heads(_last(row_ptr, backend), n_vertices, seed))


def eulerian_graph(n_vertices: int, max_degree: int, seed: int, backend: GraphBackend) -> Graph:
    """A connected graph with an Euler circuit; plain pairing of its edges leaves few and long cycles.

    The number of edges out of each vertex, and into it, is uniform in 1..max_degree. One of them belongs to a random
    cycle through all vertices, which connects them; the others lead to a random one of the ends that are left (the
    configuration model of a random graph with given degrees). 4 n edges on average for ``max_degree`` 7.
    """
    extra_ptr = backend.arrays.exclusive_scan(backend.graphs.random_degrees(n_vertices, 0, max_degree - 1, seed))
    return Graph(*backend.graphs.cycle_and_shuffle(extra_ptr, seed))


def cactus_graph(n_edges: int, cycle_edges: int, seed: int, backend: GraphBackend) -> Graph:
    """A connected graph with an Euler circuit; plain pairing of its edges leaves very many short cycles.

    Cycles have 2 to 2 ``cycle_edges`` edges, ``cycle_edges`` on average. Each but the first shares one random vertex
    with an earlier one: a random recursive tree of cycles, and so of little depth. See `Cactus`.
    """
    n_cycles = min(max(1, round(n_edges / cycle_edges)), n_edges // 2)
    tree = Cactus(n_edges, n_cycles)
    return Graph(*backend.graphs.csr_from_edges(*backend.graphs.cactus_edges(tree, seed), tree.n_vertices))


def without_one_edge(graph: Graph, backend: GraphBackend) -> Graph:
    """A graph with an Euler circuit less the last edge of its last vertex that is no loop: it has an Euler path from
    that edge's head to that vertex. Takes the arrays of the graph for its own.

    Raises
    ------
    ParameterError
        If all edges of that vertex are loops.
    """
    last, n_edges = graph.n_vertices - 1, graph.n_edges
    begin = int(backend.to_host(graph.row_ptr[last : last + 1])[0])
    row = backend.to_host(graph.col[begin:])
    others = np.flatnonzero(row != last)
    if not len(others):
        raise ParameterError("a graph of loops has no Euler path but its circuits", "choose more vertices")
    removed = int(others[-1])
    graph.col[begin + removed : n_edges - 1] = backend.to_device(row[removed + 1 :])
    graph.row_ptr[last + 1 :] = n_edges - 1
    return Graph(graph.row_ptr, graph.col[: n_edges - 1], graph.names)


def generate(options: GenerateOptions, backend: GraphBackend) -> Graph:
    """The graph that options describe, but for genomes; see `genome_graph` for these."""
    if options.kind == "random":
        return random_graph(options.n, options.max_degree, options.seed, backend)
    if options.kind == "eulerian":
        graph = eulerian_graph(options.n, options.max_degree, options.seed, backend)
    elif options.kind == "cactus":
        graph = cactus_graph(options.n, options.cycle_edges, options.seed, backend)
    else:
        graph = de_bruijn_graph(options.letters or options.alphabet, options.n, backend)
    return without_one_edge(graph, backend) if options.path else graph


def size_of(options: GenerateOptions) -> tuple[int, int]:
    """Vertices and edges of the graph that options describe, on average."""
    n = options.n
    if options.kind == "random":
        return n, n * options.max_degree // 2
    if options.kind == "eulerian":
        return n, n * (options.max_degree + 1) // 2
    if options.kind == "debruijn":
        return options.alphabet ** (n - 1), options.alphabet**n
    return n, n


#: Bytes for each vertex besides its offset, and for each byte of the heads one more of these, while a graph is made
_WORKING = {"random": (4, 1), "eulerian": (12, 2), "cactus": (0, 5), "debruijn": (0, 1), "genome": (48, 1)}


def bytes_needed(options: GenerateOptions, working: bool = True) -> int:
    """Estimate the memory for the generation of the graph, or for the graph alone."""
    n_vertices, n_edges = size_of(options)
    for_vertex, times_heads = _WORKING[options.kind] if working else (0, 1)
    return (8 + for_vertex) * n_vertices + times_heads * id_dtype(n_vertices).itemsize * n_edges


def _last(row_ptr: Array, backend: GraphBackend) -> int:
    """The number of edges."""
    return int(backend.to_host(row_ptr[-1:])[0])
