"""`dbg draw`: draw a graph as a picture, or as an interactive page."""

from __future__ import annotations

import sys
from pathlib import PurePath
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
from debruijn_gpu.cli.generate import check_memory as check_memory_of_generated
from debruijn_gpu.cli.graph_files import check_memory, graph_input, read_input
from debruijn_gpu.cli.groups import excludes, exclusive, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT, RenamedOption
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.drawing import program
from debruijn_gpu.drawing.graph import draw
from debruijn_gpu.drawing.options import (
    DRAWING_FORMATS,
    LAYOUTS,
    MAX_PAGE_VERTICES,
    MAX_VERTICES,
    RADIUS,
    STAGES,
    DrawOptions,
)
from debruijn_gpu.drawing.picture import center_of
from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.io.gfa.contigs import read_gfa_contigs
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.reading_again import readable_again
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.plain_text import one_line
from debruijn_gpu.sequences.symbols import refuse_other_numbers

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import Backend
    from debruijn_gpu.graph.graph import Graph
    from debruijn_gpu.run.options import RunOptions

_BINARY = ("png", "pdf")
_BYTES = 64  # for each edge and each vertex, to choose what is drawn

_marks = apply(
    click.option("--in", "in_degree", type=COUNT, metavar="N", help="Colour vertices of in-degree at least N green."),
    click.option(
        "--out",
        "out_degree",
        type=COUNT,
        metavar="N",
        help="Colour vertices of out-degree at least N yellow; blue: both.",
    ),
    click.option("--clusters", is_flag=True, help="Draw a box around each weakly connected component."),
    click.option("--euler", is_flag=True, help="Number the edges along Euler circuits, paths or trails."),
    click.option(
        "--edge-labels", is_flag=True, help="Label edges with words (of de Bruijn graphs), weights or numbers."
    ),
    click.option("--spanning-tree", is_flag=True, help="Colour the edges of a spanning tree of each component red."),
    click.option("--wash", is_flag=True, help="Fade edges outside of the spanning tree (with --spanning-tree)."),
    click.option(
        "--circuits", is_flag=True, help="Show how an Euler circuit is found: each cycle of edges in its own colour."
    ),
    click.option(
        "--stage",
        cls=RenamedOption,
        old_values={"joined": "spliced"},
        metavar="|".join(STAGES),
        help="Cycles before (matched, default) or after (spliced) splicing at shared vertices (with --circuits).",
    ),
)

_drawn_part = apply(
    click.option("--around", metavar="NAME", help="Draw only the neighbourhood of this vertex."),
    click.option(
        "--radius",
        type=COUNT,
        metavar="R",
        help=f"Maximum distance in edges, in either direction (with --around; default: {RADIUS}).",
    ),
    click.option("--collapse", is_flag=True, help="Draw each unbranched path as one vertex."),
    click.option(
        "--max-vertices",
        type=COUNT,
        metavar="N",
        help="Maximum number of drawn vertices; larger graphs are collapsed, then cut "
        f"(default: {MAX_VERTICES}, or {MAX_PAGE_VERTICES} in a page).",
    ),
)


def _refuse_f(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Raise UsageError where a format is given as in version 0.1."""
    if value is not None:
        raise UsageError(f"-f {value}: -f is not the format", f"write --format {value}, or -o FILE.{value}")


@click.command("draw")
@graph_input
@click.option("--undirected", is_flag=True, help="Treat edges as undirected.")
@click.option(
    "--debruijn",
    "words",
    metavar="K,N",
    help="Draw the de Bruijn graph of all words of N symbols of an alphabet of K, or of given symbols (ACGT,3).",
)
@_marks
@_drawn_part
@click.option(
    "--layout",
    metavar="|".join(LAYOUTS),
    help="Program of Graphviz that lays the drawing out (default: by the shape of the graph).",
)
@format_option(DRAWING_FORMATS, "svg")
@click.option("-f", hidden=True, expose_value=False, callback=_refuse_f, help="The format in version 0.1.")
@output_option
@compute_options
@verbosity
@option_rules(
    excludes("--debruijn", "GRAPH", "-k", "--forward", "--min-count", "--multiplicity", "--overlap", "--n-vertices"),
    needs("--wash", "--spanning-tree"),
    needs("--stage", "--circuits"),
    needs("--radius", "--around"),
    *exclusive("--spanning-tree", "--circuits"),
    excludes("--undirected", "--in", "--out"),
)
def command(file_format: str | None, output: str | None, **options: Any) -> None:
    """Draw GRAPH.

    GRAPH (default or -: standard input) has one of the formats of dbg graph, auto-detected: lines 'a -> b, c' or
    'a: b c', edges in two columns, GFA, .npy, .npz, output of dbg generate, or reads (with -k). svg, png and pdf
    require the program dot of Graphviz; dot (the input of that program) and html (a page with zoom and search) do not.
    """
    configure_log(options)
    run = take_run_options(options)
    words = options.pop("words")
    reverse, undirected = options.pop("reverse"), options.pop("undirected")
    marks = take_fields(DrawOptions, options)
    chosen = DrawOptions(reverse=reverse, undirected=undirected, **marks)
    file_format = _check_format(file_format, output)
    if chosen.layout is not None and file_format == "html":
        raise UsageError("--layout has no effect in html: a page has a layout of its own", "leave --layout out")
    if words is not None:
        graph = _graph_of_words(words, run)
        _write(output, _drawn(graph, chosen, file_format, run, f"de Bruijn graph {words}", None))
        return
    with readable_again(options["source"], needed=file_format == "html") as source:
        graph = read_input(options | {"source": source, "reverse": False}, run)
        _write(output, _drawn(graph, chosen, file_format, run, display_name(options["source"]), source))


def _write(output: str | None, drawn: bytes) -> None:
    with open_output(output) as stream:
        stream.write(drawn)


def _check_format(file_format: str | None, output: str | None) -> str:
    """Return the format of the drawing, or raise before work that may take long."""
    file_format = choose_format(output, DRAWING_FORMATS, "svg", file_format, "--format")
    if file_format in _BINARY and output in (None, "-") and sys.stdout is not None and sys.stdout.isatty():
        raise UsageError(
            f"--format {file_format}: refusing to write {file_format.upper()} to a terminal", "use -o FILE, or a pipe"
        )
    if file_format not in ("dot", "html"):
        program.check(f"--format {file_format}")
    check_writable(output)
    return file_format


def _graph_of_words(words: str, run: RunOptions) -> Graph:
    """Build the graph of --debruijn."""
    symbols, _, length = words.rpartition(",")
    if not symbols or "," in symbols or not (length.isascii() and length.isdigit()):
        raise UsageError(f"--debruijn {words}: not a number of symbols and a length", "give two such as 2,4 or ACGT,3")
    refuse_other_numbers(symbols, f"--debruijn {words}")
    alphabet = int(symbols) if symbols.isascii() and symbols.isdigit() and len(symbols) < 10 else symbols
    n_symbols = alphabet if isinstance(alphabet, int) else len(alphabet)
    n = int(length[:18])
    try:
        wanted = GenerateOptions(kind="debruijn", n=n, alphabet=n_symbols)
    except OptionValueError as error:
        raise OptionValueError(f"--debruijn {words}: {error.what}", "choose other numbers, such as 2,4") from None
    check_memory_of_generated(wanted, run)
    with log.stage("generate", unit="edges") as stage:
        graph = de_bruijn_graph(alphabet, n)
        stage.items = graph.n_edges
    return graph


def _backend(graph: Graph, options: DrawOptions, run: RunOptions) -> Backend:
    """Load the backend for walks, cycles and trees, after a check of memory."""
    check_memory(graph, backends.host(), _BYTES * (graph.n_edges + graph.n_vertices), run)
    backend = backends.load_arrays(run, "euler", graph.row_ptr.nbytes + graph.col.nbytes)
    if options.colours_edges:
        check_memory(graph, backend, BYTES_PER_EDGE * graph.n_edges, run)
    return backend


def _drawn(
    graph: Graph, options: DrawOptions, file_format: str, run: RunOptions, title: str, source: str | None
) -> bytes:
    """Draw a graph in a format; ``source`` is the file that it was read from, if any."""
    backend = _backend(graph, options, run)
    with log.stage("draw", graph.n_edges, "edges"):
        if file_format == "html":
            return _page(graph, options, backend, title, source)
        drawing = draw(graph, options, backend)
        for note in drawing.notes:
            log.report("%s", note)
        return drawing.in_format(file_format)


def _page(graph: Graph, options: DrawOptions, backend: Backend, title: str, source: str | None) -> bytes:
    from debruijn_gpu.drawing.graph import vertex_data
    from debruijn_gpu.reports.graph_page import graph_page
    from debruijn_gpu.reports.segment_data import is_plain_assembly, segment_data

    title = one_line(PurePath(title).name)
    if source is None or not is_plain_assembly(graph, options):
        return graph_page(vertex_data(graph, options, backend), title)
    segments = read_gfa_contigs(source, needs_sequences=False)
    return graph_page(segment_data(segments, graph, center_of(graph, options.around), options), title)
