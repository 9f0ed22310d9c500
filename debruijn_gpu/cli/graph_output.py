"""Output of commands that write graphs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from debruijn_gpu import backends
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.graphs.directories import check_directory, write_directory
from debruijn_gpu.io.graphs.files import write_graph
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import allowed_cpus

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.run.options import RunOptions


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
        backend = backends.load(replace(run, backend="cpu"))
        with open_output(output) as stream:
            write_graph(stream, graph, file_format, backend, run.threads or allowed_cpus())
