"""What a user can set of graphs: made, read, walked, ranked and written; as `options`, for the commands on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, DecimalException

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.run.options import check_k, check_min_count

EULER_ALGORITHMS = ("parallel", "hierholzer")
COMPONENTS = ("weak", "strong")
#: Kinds of graphs that can be made
GENERATED = ("random", "eulerian", "shallow", "debruijn", "genome")
#: Forms in which walks can be written
WALK_FORMS = ("text", "npy", "npz")
#: Forms in which a graph can be written
GRAPH_FORMS = ("text", "tsv", "csv", "vector", "npy", "npz", "csr", "coo", "gfa", "directory")


_MOST_LETTERS = 63  # of a word that is an edge of a de Bruijn graph: that many bits number the edges
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_number_of(text: str, name: str) -> int:
    """``1500`` and ``1.5k`` give 1500, ``10M`` and ``2G`` ten million and two billion."""
    number = text.rstrip("kKmMgGtT")
    unit = text[len(number) :].lower()
    try:
        value = Decimal(number) * 1000 ** _POWERS[unit]
    except (DecimalException, KeyError):
        value = Decimal("NaN")
    if not value.is_finite() or value != value.to_integral_value() or abs(value) >= 1 << 62:
        raise UsageError(f"{name} {text}: not a number", "give an integer such as 1500, 10k, 1.5M or 2G")
    return int(value)


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
    keep_gfa: bool = True  # keep sequences, overlaps, tags and paths of GFA, for writing the graph

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


@dataclass(frozen=True, kw_only=True)
class GenerateOptions:
    """Which graph is made."""

    kind: str  # one of GENERATED
    n: int  # vertices (random, eulerian), edges (shallow), letters of a word (debruijn), or bases (genome)
    max_degree: int = 7  # random, eulerian
    ring_edges: int = 34  # shallow: edges of a ring, on average; pairing joins about every second one to another
    alphabet: int = 4  # debruijn: letters there are
    k: int = 31  # genome
    repeats: int | None = None  # genome: copies of other places in it; None: a twentieth of it
    repeat_bp: int = 1000  # genome
    path: bool = False  # an Euler path and no circuit
    seed: int = 1

    def __post_init__(self) -> None:
        if self.kind not in GENERATED:
            raise UsageError(f"{self.kind}: no such graph", f"choose one of {', '.join(GENERATED)}")
        if self.kind == "random" and self.path:
            raise UsageError("--path: random graphs have no Euler path", "leave it out, or choose eulerian")
        least = {"shallow": 2, "genome": self.k}.get(self.kind, 1)
        if self.n < least:
            raise ParameterError(f"-n is {self.n}", f"give {least} or more")
        for name, value, bound in (
            ("--max-degree", self.max_degree, 1),
            ("--ring", self.ring_edges, 2),
            ("--alphabet", self.alphabet, 1),
            ("--repeats", self.repeats or 0, 0),
            ("--repeat-length", self.repeat_bp, 1),
            ("--seed", self.seed, 0),
        ):
            if not bound <= value < 1 << 31:
                raise ParameterError(f"{name} is {value}", f"give a number from {bound} to {(1 << 31) - 1}")
        if self.kind == "genome":
            check_k(self.k)
            if 2 * self.n_repeats * self.repeat_bp > self.n:
                raise ParameterError(
                    f"{self.n_repeats} repeats of {self.repeat_bp} bases and their copies do not fit into {self.n}",
                    "give fewer or shorter ones (--repeats, --repeat-length), or a greater -n",
                )
        if self.kind == "debruijn" and self.n > _MOST_LETTERS:
            raise ParameterError(
                f"B({self.alphabet}, {self.n}): expected words of at most {_MOST_LETTERS} letters",
                "choose a smaller -n",
            )
        if self.kind == "debruijn" and self.n * math.log2(self.alphabet) > 62:
            raise ParameterError(
                f"B({self.alphabet}, {self.n}) has more than 2^62 edges", "choose a smaller -n or --alphabet"
            )

    @property
    def n_repeats(self) -> int:
        """Copies in a genome."""
        return self.n // (20 * self.repeat_bp) if self.repeats is None else self.repeats
