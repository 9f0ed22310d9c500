"""`dbg graph`: what a graph is like, or the graph in another form."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends, log
from debruijn_gpu.cli.common import compute_options, configure_log, take_run_options, verbosity
from debruijn_gpu.cli.graph_input import graph_input, read_input
from debruijn_gpu.errors import UsageError
from debruijn_gpu.graph.degrees import summarise_degrees
from debruijn_gpu.graph_options import GRAPH_FORMS, check_graph_form
from debruijn_gpu.io.graphs import save_graph, write_graph
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.tables import aligned_table
from debruijn_gpu.resources import allowed_cpus

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.options import RunOptions


@click.command("graph")
@graph_input
@click.option("--convert", "form", metavar="|".join(GRAPH_FORMS), help="Write the graph itself, in this form.")
@click.option("-o", "--output", metavar="FILE", help="Write here instead of standard output.")
@compute_options
@verbosity
def command(form: str | None, output: str | None, **options: Any) -> None:
    """Tell about GRAPH, or write it in another form.

    GRAPH (- or nothing: standard input) is told by its content: lines 'a -> b, c' of a vertex and its successors; an
    edge a line in two columns (blanks, tabs or commas between), with a weight as a third; one column of integers, where
    vertex i leads; GFA; .npy and .npz of edges or of sparse matrices; what 'npz' and 'directory' wrote; or with -k
    reads. It may be compressed.
    """
    configure_log(options)
    run = take_run_options(options)
    if form is not None:
        check_graph_form(form)
        if form == "directory" and output in (None, "-"):
            raise UsageError("--convert directory needs a place", "name it with -o")
    if form != "directory":
        check_writable(output)
    graph = read_input(options, run)
    if form is not None:
        _convert(graph, form, output, run)
        return
    rows = [(name, f"{count:,}") for name, count in summarise_degrees(graph).rows()]
    with open_output(output) as stream:
        stream.write(aligned_table(rows).encode())


def _convert(graph: Graph, form: str, output: str | None, run: RunOptions) -> None:
    with log.stage("write", graph.n_edges, "edges"):
        if form == "directory":
            assert output is not None
            save_graph(output, graph)
            return
        backend = backends.load(replace(run, backend="cpu"))
        with open_output(output) as stream:
            write_graph(stream, graph, form, backend, run.threads or allowed_cpus())
