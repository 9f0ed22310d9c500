"""`dbg euler`: find or count walks that use every edge of a graph once."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO

import click
import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    apply,
    compute_options,
    configure_log,
    format_option,
    gpus_option,
    take_fields,
    take_limit,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.graph_files import check_memory, graph_input, read_input
from debruijn_gpu.cli.groups import excludes, exclusive, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.errors import NotEulerianError
from debruijn_gpu.euler.all_walks import all_walks
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE
from debruijn_gpu.euler.counting import count_circuits
from debruijn_gpu.euler.listing import BYTES_PER_EDGE as LISTED_BYTES_PER_EDGE
from debruijn_gpu.euler.options import EULER_ALGORITHMS, WALK_FORMATS, EulerOptions
from debruijn_gpu.euler.paired import paired_strings
from debruijn_gpu.euler.trails import BYTES_PER_UNDIRECTED_EDGE, euler_walks, oriented
from debruijn_gpu.graph.graph import Walks, empty_ids
from debruijn_gpu.io.graphs.arrays import write_walk_arrays
from debruijn_gpu.io.graphs.pairs import read_pairs
from debruijn_gpu.io.graphs.printing import write_walks
from debruijn_gpu.io.graphs.spelling import write_spelled
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log
from debruijn_gpu.run.checks import check_range
from debruijn_gpu.run.file_formats import choose_format

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.run.options import RunOptions

_NOT_OF_PAIRS = (
    *("-k", "--forward", "--min-count", "--multiplicity", "--n-vertices", "--reverse", "--undirected", "--path"),
    *("--trails", "--single", "--start", "--algorithm", "--verify", "--count", "--format"),
)
_MOST_GAP = 999_999_999  # letters
_STEPS_AT_ONCE = 1 << 16  # edges of walks that are written together

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
@click.option("--all", "list_all", is_flag=True, help="List all Euler circuits, or paths with --path.")
@click.option("--limit", type=COUNT, metavar="N", help="Maximum number of circuits to list (with --all; default: all).")
@click.option(
    "--pairs",
    type=COUNT,
    metavar="D",
    help="GRAPH holds pairs of k-mers with D letters between them, one per line (ACC|ATA): write the string whose "
    "pairs they are.",
)
@format_option(
    WALK_FORMATS,
    "text",
    old=("--to",),
    text="text: names separated by ' -> ', one walk per line; sequence: what names that overlap spell; npy: edge "
    "numbers, in the order of 'dbg graph --convert csr'; npz: edge numbers and the offset of each walk (default: by "
    "file extension of -o, or text).",
)
@output_option
@compute_options
@gpus_option
@verbosity
@option_rules(
    *exclusive("--path", "--trails"),
    excludes(
        "--count", "--path", "--trails", "--single", "--start", "--algorithm", "--verify", "--undirected", "--format"
    ),
    excludes("--count", "--reverse"),
    excludes("--all", "--count", "--trails", "--undirected", "--algorithm", "--verify", "--format"),
    needs("--limit", "--all"),
    excludes("--pairs", *_NOT_OF_PAIRS),
    excludes("--algorithm hierholzer", "--backend cuda"),
    excludes("--gpus", "--algorithm hierholzer", "--count", "--all", "--pairs"),
)
def command(
    undirected: bool,
    count: bool,
    list_all: bool,
    pairs: int | None,
    file_format: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Find an Euler circuit of each connected component of GRAPH, or Euler paths or trails.

    GRAPH (default or -: standard input) has one of the formats of dbg graph, auto-detected: lines 'a -> b, c' or
    'a: b c', edges in two columns, GFA, .npy, .npz, output of dbg generate, or reads (with -k).
    """
    configure_log(options)
    run = take_run_options(options)
    chosen = EulerOptions(**take_fields(EulerOptions, options))
    file_format = (
        choose_format(output, ("tsv",) if count else ("text",), "tsv" if count else "text")
        if count or list_all or pairs is not None
        else choose_format(output, WALK_FORMATS, "text", file_format, "--format")
    )
    most = take_limit(options)
    check_writable(output)
    if pairs is not None:
        _write_strings(str(options["source"]), pairs, most if list_all else 1, output, run)
        return
    graph, threads = read_input(options, run), run.n_threads
    with open_output(output) as stream:
        if list_all:
            check_memory(graph, backends.host(), LISTED_BYTES_PER_EDGE * (graph.n_edges + graph.n_vertices), run)
            _write_all(stream, graph, chosen, most, threads)
            return
        if count:
            stream.write(_counted(graph).encode())
            return
        graph, walks, edges = _walked(graph, chosen, undirected, run)
        with log.stage("write", len(walks.steps), "edges"):
            if file_format == "sequence":
                write_spelled(stream, graph, walks)
            elif file_format == "text":
                write_walks(stream, graph, walks, backends.host(), threads=threads)
            else:
                write_walk_arrays(stream, edges, file_format)
    log.report(f"{walks.circular.sum():,} closed walks of {len(walks):,}, {len(walks.steps):,} edges")


def _write_strings(source: str, gap: int, limit: int | None, output: str | None, run: RunOptions) -> None:
    """Write strings of paired k-mers, one per line."""
    check_range("--pairs", gap, 0, _MOST_GAP)
    if run.backend == "cuda":
        backends.load_cuda(run)  # raises if there is no GPU, although strings are found on the CPU
    with log.stage("read", unit="pairs") as stage:
        pairs = read_pairs(source, gap)
        stage.items = len(pairs)
    with log.stage("find strings", len(pairs), "pairs"):
        found = paired_strings(pairs, gap)
        first = next(found, None)
    if first is None:
        raise NotEulerianError(
            f"no Euler path of the {len(pairs):,} pairs spells two strings that agree with a gap of {gap} letters",
            "check the gap (--pairs), and give all pairs of one string, each as often as it occurs",
        )
    with open_output(output) as stream:
        for text in islice(chain((first,), found), limit):
            stream.write(f"{text}\n".encode())


def _write_all(stream: BinaryIO, graph: Graph, options: EulerOptions, limit: int | None, threads: int) -> None:
    """Write Euler walks, one per line; if there are several components, an empty line between choices."""
    host = backends.host()
    with log.stage("list walks", unit="walks") as stage:
        kept: list[list[int]] = []
        n_steps = 0

        def flush() -> None:
            offsets = np.cumsum([0, *map(len, kept)], dtype=np.int64)
            steps = empty_ids(int(offsets[-1]), graph.n_edges)
            steps[:] = np.fromiter(chain.from_iterable(kept), np.int64, len(steps))
            write_walks(stream, graph, Walks(offsets, steps, np.zeros(len(kept), np.bool_)), host, threads=threads)
            kept.clear()

        for number, walks in enumerate(islice(all_walks(graph, host, options), limit)):
            is_single = len(walks) == 1
            if number and not is_single:
                stream.write(b"\n")
            kept += walks
            n_steps += graph.n_edges
            if n_steps >= _STEPS_AT_ONCE or not is_single:
                flush()
                n_steps = 0
            stage.items = number + 1
        flush()


def _walked(graph: Graph, chosen: EulerOptions, undirected: bool, run: RunOptions) -> tuple[Graph, Walks, Walks]:
    """Return the walked graph, its walks, and the walks with the edge numbers of the input graph."""
    if chosen.algorithm == "hierholzer" and run.backend == "auto":
        run = run.on_cpu()
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
