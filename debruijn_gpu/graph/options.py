"""Options of graphs: reading, generating, PageRank."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.kmers.options import check_k, check_min_count
from debruijn_gpu.run.checks import Checked, at_least, between, check_range, excludes, needs, one_of, valid

COMPONENTS = ("weak", "strong")
#: Kinds of graphs that can be made
GENERATED = ("random", "eulerian", "cactus", "debruijn", "genome")
#: Formats in which a graph can be written
GRAPH_FORMATS = (
    "text",
    "tsv",
    "csv",
    "vector",
    "npy",
    "npz",
    "csr",
    "coo",
    "gfa",
    "dot",
    "graphml",
    "json",
    "directory",
)


_MOST_LETTERS = 63  # of a word that is an edge of a de Bruijn graph: that many bits number the edges
_MOST_N = (1 << 62) - 1
_MOST = (1 << 31) - 1  # of other numbers

_FOR_READS = "give -k, or leave it out: it is for reads"


@dataclass(frozen=True, kw_only=True)
class GraphInputOptions(Checked):
    """Options of reading a graph."""

    k: int | None = None  # the input is reads, and the graph that of their k-mers
    canonical: bool = True  # of reads: both strands
    min_count: int = 1  # of reads: rarer k-mers are left out
    multiplicity: bool = False  # of reads: as many edges as a k-mer occurs, not one
    overlap: int | None = None  # the vertices are sequences or k-mers, the edges overlaps by so many bases
    loops: bool = False  # of overlaps: also of a sequence with itself
    n_vertices: int | None = None  # the vertices are 0, 1, ... below this; None: those that occur
    undirected: bool = False  # each edge in both directions
    reverse: bool = False  # each edge turned round
    keep_gfa: bool = True  # keep sequences, overlaps, tags, paths and jumps of GFA, for writing the graph

    option_names: ClassVar = {"k": "-k", "canonical": "--forward"}
    checks = (
        needs("canonical", "k", remedy=_FOR_READS),
        needs("multiplicity", "k", remedy=_FOR_READS),
        needs("min_count", "k", remedy=_FOR_READS),
        valid("k", check_k),
        valid("min_count", check_min_count),
        between("overlap", 1, _MOST_N),
        needs("loops", "overlap"),
        excludes("overlap", "multiplicity", remedy="leave one out: in an overlap graph each k-mer is one vertex"),
        excludes("n_vertices", "overlap", remedy="leave one out: the vertices are sequences"),
        excludes("n_vertices", "k", remedy="leave it or -k out: the vertices of reads are k-mers"),
        at_least("n_vertices", 0),
    )


@dataclass(frozen=True, kw_only=True)
class PageRankOptions:
    """Options of PageRank; see `graph.analysis.page_rank`."""

    damping: float = 0.85
    tolerance: float = 1e-6
    max_iterations: int = 100
    unweighted: bool = False


def _check_size(options: GenerateOptions) -> None:
    check_range("-n", options.n, {"cactus": 2, "genome": options.k}.get(options.kind, 1), _MOST_N)


def _check_genome(options: GenerateOptions) -> None:
    if options.kind != "genome":
        return
    check_k(options.k)
    if 2 * options.n_repeats * options.repeat_bp > options.n:
        raise OptionValueError(
            f"{options.n_repeats} repeats of {options.repeat_bp} bases and their copies do not fit into {options.n}",
            "give fewer or shorter ones (--repeats, --repeat-length), or a greater -n",
        )


def _check_words(options: GenerateOptions) -> None:
    if options.kind != "debruijn":
        return
    graph = f"B({options.alphabet}, {options.n})"
    if options.n > _MOST_LETTERS:
        raise OptionValueError(f"{graph}: expected words of at most {_MOST_LETTERS} letters", "choose a smaller -n")
    if options.n * math.log2(options.alphabet) > 62:
        raise OptionValueError(f"{graph} has more than 2^62 edges", "choose a smaller -n or --alphabet")


@dataclass(frozen=True, kw_only=True)
class GenerateOptions(Checked):
    """Options of graph generation."""

    kind: str  # one of GENERATED
    n: int  # vertices (random, eulerian), edges (cactus), letters of a word (debruijn), or bases (genome)
    max_degree: int = 7  # random, eulerian
    cycle_edges: int = 34  # cactus: mean number of edges of a cycle; pairing merges about every second one with another
    alphabet: int = 2  # debruijn: number of symbols
    letters: str = ""  # debruijn: the symbols, one character each; empty: digits and letters, or numbers
    k: int = 31  # genome
    repeats: int | None = None  # genome: copies of other places in it; None: a twentieth of it
    repeat_bp: int = 1000  # genome
    path: bool = False  # an Euler path and no circuit
    seed: int = 1

    option_names: ClassVar = {
        "kind": "KIND",
        "n": "-n",
        "k": "-k",
        "repeat_bp": "--repeat-length",
    }
    checks = (
        one_of("kind", GENERATED, "graph"),
        excludes("path", "kind random", remedy="leave it out, or choose eulerian: random graphs have no Euler path"),
        _check_size,
        between("max_degree", 1, _MOST),
        between("cycle_edges", 2, _MOST),
        between("alphabet", 1, _MOST),
        between("repeats", 0, _MOST),
        between("repeat_bp", 1, _MOST),
        between("seed", 0, _MOST),
        _check_genome,
        _check_words,
    )

    @property
    def n_repeats(self) -> int:
        """Copies in a genome."""
        return self.n // (20 * self.repeat_bp) if self.repeats is None else self.repeats
