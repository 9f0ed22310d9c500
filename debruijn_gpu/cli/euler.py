"""`dbg euler`: find or count walks that use every edge of a graph once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    apply,
    compute_options,
    configure_log,
    format_option,
    take_fields,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.graph_files import check_memory, graph_input, read_input
from debruijn_gpu.cli.groups import excludes, exclusive, option_rules
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE
from debruijn_gpu.euler.counting import count_circuits
from debruijn_gpu.euler.options import EULER_ALGORITHMS, WALK_FORMATS, EulerOptions
from debruijn_gpu.euler.trails import BYTES_PER_UNDIRECTED_EDGE, euler_walks, oriented
from debruijn_gpu.graph.graph import Walks
from debruijn_gpu.io.graphs.arrays import write_walk_arrays
from debruijn_gpu.io.graphs.printing import write_walks
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.resources import allowed_cpus

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.run.options import RunOptions

_walk_options = apply(
    click.option("--path", is_flag=True, help="Accept components with an Euler path instead of a circuit."),
    click.option("--trails", is_flag=True, help="Cover any graph by the minimum number of trails."),
    click.option("--single", is_flag=True, help="Require a single walk."),
    click.option(
        "--start",
        metavar="NAME",
        help="Start vertex (default: the smallest vertex of each component, or the start of its path).",
    ),
    click.option(
        "--algorithm",
        default=EulerOptions.algorithm,
        show_default=True,
        metavar="|".join(EULER_ALGORITHMS),
        help="Algorithm; hierholzer is sequential, and runs on the CPU only.",
    ),
    click.option(
        "--verify", is_flag=True, help="Verify that every edge is used once and that consecutive edges share a vertex."
    ),
)


@click.command("euler")
@graph_input
@click.option("--undirected", is_flag=True, help="Treat edges as undirected: each is used once, in either direction.")
@_walk_options
@click.option("--count", is_flag=True, help="Count Euler circuits or paths, and report whether they are unique.")
@format_option(
    WALK_FORMATS,
    "text",
    old=("--to",),
    text="text: names separated by ' -> ', one walk per line; npy: edge numbers, in the order of "
    "'dbg graph --convert csr'; npz: edge numbers and the offset of each walk (default: by file extension of -o, or "
    "text).",
)
@output_option
@compute_options
@verbosity
@option_rules(
    *exclusive("--path", "--trails"),
    excludes(
        "--count", "--path", "--trails", "--single", "--start", "--algorithm", "--verify", "--undirected", "--format"
    ),
    excludes("--count", "--reverse"),
    excludes("--algorithm hierholzer", "--backend cuda"),
)
def command(undirected: bool, count: bool, file_format: str | None, output: str | None, **options: Any) -> None:
    """Find an Euler circuit of each connected component of GRAPH, or Euler paths or trails.

    GRAPH (default or -: standard input) has one of the formats of dbg graph, auto-detected: lines 'a -> b, c' or
    'a: b c', edges in two columns, GFA, .npy, .npz, output of dbg generate, or reads (with -k).
    """
    configure_log(options)
    run = take_run_options(options)
    chosen = EulerOptions(**take_fields(EulerOptions, options))
    file_format = (
        choose_format(output, ("tsv",), "tsv")
        if count
        else choose_format(output, WALK_FORMATS, "text", file_format, "--format")
    )
    check_writable(output)
    graph = read_input(options, run)
    with open_output(output) as stream:
        if count:
            stream.write(_counted(graph).encode())
            return
        graph, walks, edges = _walked(graph, chosen, undirected, run)
        with log.stage("write", len(walks.steps), "edges"):
            if file_format == "text":
                write_walks(stream, graph, walks, backends.host(), threads=run.threads or allowed_cpus())
            else:
                write_walk_arrays(stream, edges, file_format)
    numbers = (f"{n:,}" for n in (walks.circular.sum(), len(walks), len(walks.steps)))
    log.report("%s closed walks of %s, %s edges", *numbers)


def _walked(graph: Graph, chosen: EulerOptions, undirected: bool, run: RunOptions) -> tuple[Graph, Walks, Walks]:
    """Return the walked graph, its walks, and the walks with the edge numbers of the input graph."""
    if chosen.algorithm == "hierholzer" and run.backend == "auto":
        run = replace(run, backend="cpu")
    backend = backends.load_arrays(run, "euler", graph.row_ptr.nbytes + graph.col.nbytes)
    check_memory(graph, backend, BYTES_PER_EDGE * graph.n_edges, run)
    if not undirected:
        walks = euler_walks(graph, backend, chosen)
        return graph, walks, walks
    host = backends.host()
    check_memory(graph, host, BYTES_PER_UNDIRECTED_EDGE * graph.n_edges, run)
    directed = oriented(graph, host, any_graph=chosen.trails, start=chosen.start)
    walks = euler_walks(directed.graph, backend, chosen)
    return directed.graph, walks, Walks(walks.offsets, directed.original[walks.steps], walks.circular)


def _counted(graph: Graph) -> str:
    """Count Euler circuits or paths, and format the counts and their uniqueness as a table."""
    with log.stage("count circuits", graph.n_edges, "edges"):
        counts = count_circuits(graph, backends.host())
    rows = {
        "edge_sequences": counts.edge_sequences,
        "vertex_sequences": counts.vertex_sequences,
        "unique_edges": "yes" if counts.edge_sequences.is_one else "no",
        "unique_vertices": "yes" if counts.vertex_sequences.is_one else "no",
    }
    return "".join(f"{name}\t{value}\n" for name, value in rows.items())
