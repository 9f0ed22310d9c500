"""What a user can set where graphs go in and out; as `options`, for the commands on graphs."""

from __future__ import annotations

from dataclasses import dataclass

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.options import check_k, check_min_count

EULER_ALGORITHMS = ("parallel", "hierholzer")
COMPONENTS = ("weak", "strong")
#: Forms in which walks can be written
WALK_FORMS = ("text", "npy", "npz")
#: Forms in which a graph can be written
GRAPH_FORMS = ("text", "tsv", "csv", "vector", "npy", "npz", "csr", "coo", "gfa", "directory")


@dataclass(frozen=True, kw_only=True)
class GraphInputOptions:
    """How a graph is read."""

    k: int | None = None  # the input is reads, and the graph that of their k-mers
    canonical: bool = True  # of reads: both strands
    min_count: int = 1  # of reads: rarer k-mers are left out
    multiplicity: bool = False  # of reads: as many edges as a k-mer occurs, not one
    n_vertices: int | None = None  # the vertices are 0, 1, ... below this; None: those that occur
    undirected: bool = False  # each edge in both directions
    reverse: bool = False  # each edge turned round

    def __post_init__(self) -> None:
        if self.k is None and (not self.canonical or self.multiplicity or self.min_count != 1):
            raise UsageError("--forward, --multiplicity and --min-count are for reads", "give -k, or leave them out")
        if self.k is not None:
            check_k(self.k)
            check_min_count(self.min_count)
            if self.n_vertices is not None:
                raise UsageError("--n-vertices is not for reads, whose vertices are k-mers", "leave it or -k out")
        if self.n_vertices is not None and self.n_vertices < 0:
            raise ParameterError(f"--n-vertices is {self.n_vertices}", "give 0 or more")


@dataclass(frozen=True, kw_only=True)
class EulerOptions:
    """What Euler walks are wanted."""

    algorithm: str = "parallel"
    path: bool = False  # a component may have a path instead of a circuit
    trails: bool = False  # any graph, in the fewest walks that use every edge once
    single: bool = False  # one walk, or an error
    start: str | None = None  # name of the vertex from which to go; None: the smallest edge
    verify: bool = False

    def __post_init__(self) -> None:
        if self.algorithm not in EULER_ALGORITHMS:
            raise UsageError(
                f"--algorithm {self.algorithm}: no such algorithm", f"choose one of {', '.join(EULER_ALGORITHMS)}"
            )
        if self.path and self.trails:
            raise UsageError("--path and --trails exclude each other", "--trails takes paths and circuits, too")


@dataclass(frozen=True, kw_only=True)
class PageRankOptions:
    """How vertices are ranked; see `graph.analysis.page_rank`."""

    damping: float = 0.85
    tolerance: float = 1e-6
    max_iterations: int = 100
    unweighted: bool = False
