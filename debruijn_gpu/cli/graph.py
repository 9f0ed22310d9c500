"""`dbg graph`: analyse a graph, or convert it to another format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.cli.common import apply, compute_options, configure_log, take_fields, take_run_options, verbosity
from debruijn_gpu.cli.figures import FIGURE_FORMATS, figure_options, take_figure_format
from debruijn_gpu.cli.gfa_results import gfa_results, take_gfa_result
from debruijn_gpu.cli.graph_files import check_format, check_memory, graph_input, read_input, write_format
from debruijn_gpu.cli.groups import excludes, exclusive, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import OutputFile
from debruijn_gpu.graph.analysis import page_rank, summarise
from debruijn_gpu.graph.options import COMPONENTS, GRAPH_FORMATS, PageRankOptions
from debruijn_gpu.graph.paths import nonbranching_paths
from debruijn_gpu.io.graphs.printing import write_walks
from debruijn_gpu.io.graphs.report import summary_json, summary_text, summary_tsv, write_components, write_ranks
from debruijn_gpu.io.graphs.saved import GRAPH_FILES
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.checks import check_choice
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import GraphBackend
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.run.options import RunOptions

#: Bytes for each vertex and each edge that the CPU takes beside the graph, measured with 20 million of either
_SUMMARY_BYTES, _WEAK_BYTES, _STRONG_BYTES, _RANK_BYTES = (80, 12), (16, 4), (60, 0), (24, 12)
_PATH_BYTES = (18, 48)

#: Formats that hold the sequences, overlaps, tags and paths of GFA
_KEEP_GFA = ("gfa", "npz", "directory")

_results = apply(
    figure_options,
    click.option(
        "--components",
        metavar="|".join(COMPONENTS),
        help="Write each vertex and its connected component, named by its smallest vertex.",
    ),
    click.option("--pagerank", is_flag=True, help="Write each vertex and its PageRank, in descending order."),
    click.option(
        "--paths",
        is_flag=True,
        help="Write all maximal non-branching paths, and isolated cycles, one per line: 1 -> 2 -> 3.",
    ),
    click.option("--convert", "file_format", metavar="|".join(GRAPH_FORMATS), help="Write the graph in this format."),
)

_rank_options = apply(
    click.option(
        "--damping", default=PageRankOptions.damping, show_default=True, metavar="F", help="PageRank: damping factor."
    ),
    click.option(
        "--tolerance",
        default=PageRankOptions.tolerance,
        show_default=True,
        metavar="F",
        help="PageRank: maximum change of a rank at convergence.",
    ),
    click.option(
        "--iterations",
        "max_iterations",
        type=COUNT,
        default=PageRankOptions.max_iterations,
        show_default=True,
        metavar="N",
        help="PageRank: maximum number of iterations.",
    ),
    click.option("--unweighted", is_flag=True, help="PageRank: ignore edge weights."),
)


@click.command("graph")
@graph_input
@click.option("--undirected", is_flag=True, help="Treat edges as undirected: each counts in both directions.")
@_results
@gfa_results
@_rank_options
@click.option(
    "-o",
    "--output",
    type=OutputFile(members=GRAPH_FILES),
    metavar="FILE",
    help="Output file (default or -: standard output); extensions .csv, .npy, .npz and .gfa write the graph.",
)
@compute_options
@verbosity
@option_rules(
    *exclusive("--json", "--tsv", "--components", "--pagerank", "--paths", "--convert", "--check", "--spell-paths"),
    excludes("--format", "--components", "--pagerank", "--paths", "--convert", "--check", "--spell-paths"),
    excludes("--components", "--reverse"),
    excludes("--components weak", "--undirected"),
    excludes("--paths", "--undirected"),
    needs("--damping", "--pagerank"),
    needs("--tolerance", "--pagerank"),
    needs("--iterations", "--pagerank"),
    needs("--unweighted", "--pagerank"),
)
def command(undirected: bool, output: str | None, **options: Any) -> None:
    """Report degrees, components and Euler circuits of GRAPH, rank its vertices, or convert it to another format.

    The format of GRAPH (default or -: standard input) is auto-detected: lines 'a -> b, c' or 'a: b c' of a vertex and
    its successors; one edge per line in two columns (separated by blanks, tabs or commas), with an optional weight as
    the third; one column of integers, the successors of vertices 0, 1, ...; GFA; .npy and .npz of edges or of sparse
    matrices; output of --convert npz and --convert directory; or reads (with -k or --overlap). It may be compressed.
    An overlap graph is written as text unless another result is asked for.
    """
    configure_log(options)
    run = take_run_options(options)
    components, pagerank, paths = (options.pop(name) for name in ("components", "pagerank", "paths"))
    ranking = PageRankOptions(**take_fields(PageRankOptions, options))
    if components is not None:
        check_choice("--components", components, COMPONENTS, "kind")
    if take_gfa_result(options, output, run):
        return
    lines = "text" if paths else "tsv" if pagerank or components is not None else None
    file_format = _take_format(options, output, lines)
    if file_format.of_graph:
        check_format("--convert", file_format.name, output)
    else:
        check_writable(output)
    graph = read_input(options, run, undirected, keep_gfa=file_format.of_graph and file_format.name in _KEEP_GFA)
    if file_format.of_graph:
        write_format(graph, file_format.name, output, run)
        return
    with open_output(output) as stream:
        if components is not None:
            _write_components(stream, graph, components, run)
        elif pagerank:
            _write_ranks(stream, graph, ranking, run)
        elif paths:
            _write_paths(stream, graph, run)
        else:
            stream.write(_summary(graph, file_format.name, run))


@dataclass(frozen=True)
class _Format:
    """A format, and whether it holds the graph, not figures of it."""

    name: str
    of_graph: bool


def _take_format(options: dict[str, Any], output: str | None, lines: str | None) -> _Format:
    """Take --convert and --format out of the options, and choose the format by them or by file extension.

    ``lines`` is the only format of vertices or paths, if these are written.
    """
    converted = options.pop("file_format")
    if converted is not None:
        return _Format(choose_format(output, GRAPH_FORMATS, "text", converted, "--convert"), True)
    if lines is not None:
        return _Format(choose_format(output, (lines,), lines), False)
    others = tuple(name for name in GRAPH_FORMATS if name not in FIGURE_FORMATS)
    name = take_figure_format(options, output, others)
    return _Format(name, name in others or (name == "text" and options["overlap"] is not None))


def _on_backend(graph: Graph, run: RunOptions, n_bytes: tuple[int, int]) -> tuple[Graph, GraphBackend]:
    """Copy a graph to the backend that suits it, after a check for ``n_bytes`` per vertex and per edge."""
    backend = backends.load_arrays(run, "graph", graph.row_ptr.nbytes + graph.col.nbytes)
    check_memory(graph, backend, n_bytes[0] * graph.n_vertices + n_bytes[1] * graph.n_edges, run)
    return graph.moved(backend.to_device), backend


def _summary(graph: Graph, file_format: str, run: RunOptions) -> bytes:
    moved, backend = _on_backend(graph, run, _SUMMARY_BYTES)
    with log.stage("analyse", graph.n_edges, "edges"):
        summary = summarise(moved, backend)
    if file_format == "json":
        return summary_json(summary, graph.names)
    return summary_tsv(summary, graph.names) if file_format == "tsv" else summary_text(summary, graph.names).encode()


def _write_components(stream: BinaryIO, graph: Graph, kind: str, run: RunOptions) -> None:
    moved, backend = _on_backend(graph, run, _WEAK_BYTES if kind == "weak" else _STRONG_BYTES)
    with log.stage(f"{kind} components", graph.n_vertices, "vertices"):
        find = backend.graphs.weak_components if kind == "weak" else backend.graphs.strong_components
        component = backend.to_host(find(moved.row_ptr, moved.col))
    with progress.running("write"):
        write_components(stream, component, graph.names)


def _write_paths(stream: BinaryIO, graph: Graph, run: RunOptions) -> None:
    moved, backend = _on_backend(graph, run, _PATH_BYTES)
    with log.stage("non-branching paths", graph.n_edges, "edges"):
        walks = nonbranching_paths(moved, backend).moved(backend.to_host)
    n_cycles = int(np.count_nonzero(walks.circular))
    log.report("%s, %s", counted(len(walks) - n_cycles, "path"), counted(n_cycles, "isolated cycle"))
    with log.stage("write", graph.n_edges, "edges"):
        write_walks(stream, graph, walks, backends.host(), threads=run.n_threads)


def _write_ranks(stream: BinaryIO, graph: Graph, options: PageRankOptions, run: RunOptions) -> None:
    moved, backend = _on_backend(graph, run, _RANK_BYTES)
    weights = None if options.unweighted else moved.weights
    with log.stage("PageRank", graph.n_edges, "edges") as stage:
        ranks = page_rank(moved, backend, weights, options.damping, options.tolerance, options.max_iterations)
        stage.name = f"PageRank, {ranks.n_iterations} iterations"
    with progress.running("write"):
        write_ranks(stream, backend.to_host(ranks.scores), graph.names)
