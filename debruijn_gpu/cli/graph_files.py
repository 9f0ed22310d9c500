"""Input and output options of commands on graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, refuse_default_terminal
from debruijn_gpu.errors import OutOfMemoryError, UsageError
from debruijn_gpu.graph.options import GraphInputOptions
from debruijn_gpu.io.graphs.directories import check_directory, write_directory
from debruijn_gpu.io.graphs.files import read_graph, write_graph
from debruijn_gpu.io.graphs.saved import GRAPH_FILES
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes, memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.run.options import RunOptions

#: The input and its options; `read_input` takes them
graph_input = apply(
    option_rules(
        excludes("--overlap", "--multiplicity"),  # before what each needs
        needs("--forward", "-k"),
        needs("--min-count", "-k"),
        needs("--multiplicity", "-k"),
        needs("--loops", "--overlap"),
        excludes("--n-vertices", "-k", "--overlap"),
        excludes("--reverse", "--undirected"),
    ),
    click.argument(
        "source", type=InputFile(members=GRAPH_FILES, may_be_unused=True), metavar="[GRAPH]", default=STANDARD_INPUT
    ),
    click.option(
        "-k",
        type=int,
        metavar="K",
        help="Build the graph of the k-mers of reads: GRAPH is FASTA, FASTQ or plain sequences.",
    ),
    click.option("--forward", is_flag=True, help="Count k-mers of the forward strand only (with -k)."),
    click.option(
        "--min-count",
        type=COUNT,
        default=GraphInputOptions.min_count,
        show_default=True,
        metavar="N",
        help="Minimum count of a k-mer (with -k).",
    ),
    click.option("--multiplicity", is_flag=True, help="Add one edge per occurrence of a k-mer (with -k)."),
    click.option(
        "--overlap",
        type=COUNT,
        metavar="N",
        help="Build the overlap graph of sequences, or with -k of their k-mers: an edge where the last N bases of one "
        "are the first N of another.",
    ),
    click.option(
        "--loops", is_flag=True, help="Let a sequence of more than N bases overlap itself, too (with --overlap)."
    ),
    click.option(
        "--n-vertices",
        type=COUNT,
        metavar="N",
        help="Vertices are 0 to N - 1 (default: all that occur; in arrays, 0 to the largest).",
    ),
    click.option("--reverse", is_flag=True, help="Reverse each edge."),
)


def read_input(options: dict[str, Any], run: RunOptions, undirected: bool = False, keep_gfa: bool = False) -> Graph:
    """Take the options of `graph_input` and read the graph into NumPy arrays.

    Parameters
    ----------
    options : dict
        Of the command; those of `graph_input` are removed.
    run : RunOptions
    undirected : bool
        Whether each edge has both directions.
    keep_gfa : bool
        Whether sequences, overlaps, tags and paths of GFA are kept, for writing the graph.
    """
    refuse_default_terminal("source")
    if run.backend == "cuda":
        backends.load_cuda(run)  # raises before a long file is read
    chosen = GraphInputOptions(
        k=options.pop("k"),
        canonical=not options.pop("forward"),
        undirected=undirected,
        keep_gfa=keep_gfa,
        **{
            name: options.pop(name)
            for name in ("min_count", "multiplicity", "overlap", "loops", "n_vertices", "reverse")
        },
    )
    backend = backends.load(run.on_cpu())  # reads and writes
    return read_graph(options.pop("source"), chosen, run, backend)


def check_memory(graph: Graph, backend: GraphBackend, needed: int, run: RunOptions) -> None:
    """Raise if an operation on a graph exceeds memory; a GPU raises by itself."""
    left = backend.memory_limit(memory_left(run.memory))
    if left is not None and needed > left:
        raise OutOfMemoryError(
            f"Out of memory: this takes about {format_bytes(needed)} for {graph.n_vertices:,} vertices and "
            f"{graph.n_edges:,} edges, and {format_bytes(left)} are left for it",
            "allow more (-m)",
        )


def check_format(option: str, file_format: str, output: str | None) -> None:
    """Raise unless the output can be written in the format, one of `GRAPH_FORMATS`."""
    if file_format != "directory":
        check_writable(output)
    elif output in (None, "-"):
        raise UsageError(f"{option} directory needs a place", "name it with -o")
    else:
        check_directory(Path(str(output)))


def write_format(graph: Graph, file_format: str, output: str | None, run: RunOptions) -> None:
    """Write a graph in a format that `check_format` has accepted."""
    with log.stage("write", graph.n_edges, "edges"):
        if file_format == "directory":
            assert output is not None
            write_directory(Path(output), graph)
            return
        backend = backends.load(run.on_cpu())
        with open_output(output) as stream:
            write_graph(stream, graph, file_format, backend, run.n_threads)
