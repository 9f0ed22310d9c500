"""`dbg generate`: generate graphs for tests and benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import compute_options, configure_log, format_option, take_run_options, verbosity
from debruijn_gpu.cli.graph_files import check_format, write_format
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT, RenamedOption
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.errors import OutOfMemoryError, UsageError
from debruijn_gpu.graph.generate import bytes_needed, generate, genome_graph, size_of
from debruijn_gpu.graph.options import GENERATED, GRAPH_FORMATS, GenerateOptions
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import format_bytes, memory_left
from debruijn_gpu.sequences.symbols import parse_symbols

if TYPE_CHECKING:
    from debruijn_gpu.graph.graph import Graph

_MOST_DIGITS = 12  # of a number of symbols


#: Kinds of version 0.1: what they are called now
_OLD_KINDS = {"shallow": "cactus"}


def _kind_now(_context: click.Context, _parameter: click.Parameter, kind: str) -> str:
    return _OLD_KINDS.get(kind, kind)


@click.command("generate")
@click.argument("kind", metavar="|".join(GENERATED), callback=_kind_now)
@click.option(
    "-n",
    "n",
    type=COUNT,
    required=True,
    metavar="N",
    help="Number of vertices (random, eulerian), edges (cactus), symbols of an edge label (debruijn) or bases "
    "(genome); suffixes k, M and G.",
)
@click.option(
    "--max-degree",
    type=COUNT,
    default=GenerateOptions.max_degree,
    show_default=True,
    metavar="N",
    help="random, eulerian: maximum out-degree.",
)
@click.option(
    "--cycle-edges",
    cls=RenamedOption,
    old=("--ring",),
    type=COUNT,
    default=GenerateOptions.cycle_edges,
    show_default=True,
    metavar="N",
    help="cactus: mean number of edges of a cycle.",
)
@click.option(
    "--alphabet",
    default=str(GenerateOptions.alphabet),
    show_default=True,
    metavar="K|SYMBOLS",
    help="debruijn: number of symbols of the alphabet, or the symbols: ACGT.",
)
@click.option("-k", default=GenerateOptions.k, show_default=True, metavar="K", help="genome: k-mer length.")
@click.option(
    "--repeats",
    type=COUNT,
    metavar="N",
    help="genome: number of sequences that occur twice (default: as many as make up 5% of the genome).",
)
@click.option(
    "--repeat-length",
    "repeat_bp",
    type=COUNT,
    default=GenerateOptions.repeat_bp,
    show_default=True,
    metavar="BP",
    help="genome: length of each repeat.",
)
@click.option(
    "--path", is_flag=True, help="Generate a graph with an Euler path instead of an Euler circuit; not for random."
)
@click.option("--seed", default=GenerateOptions.seed, show_default=True, metavar="N", help="Random seed.")
@format_option(GRAPH_FORMATS, "text", old=("--to",))
@output_option
@compute_options
@verbosity
@option_rules(
    needs("--max-degree", "KIND random", "KIND eulerian"),
    needs("--cycle-edges", "KIND cactus"),
    needs("--alphabet", "KIND debruijn"),
    needs("-k", "KIND genome"),
    needs("--repeats", "KIND genome"),
    needs("--repeat-length", "KIND genome"),
    excludes("--path", "KIND random"),
    excludes("--seed", "KIND debruijn"),
)
def command(kind: str, n: int, file_format: str | None, output: str | None, **options: Any) -> None:
    """Generate a graph of KIND; the same options give the same graph on every machine.

    \b
    random    random multigraph: random degrees and heads
    eulerian  connected, with an Euler circuit; random degrees; few, long cycles
    cactus    cycles that share vertices, not edges, with an Euler circuit; many short cycles
    debruijn  de Bruijn graph of all words of N symbols
    genome    k-mers of one strand of a random circular genome with repeats
    """
    configure_log(options)
    run = take_run_options(options)
    alphabet = _alphabet(options.pop("alphabet"))
    chosen = GenerateOptions(kind=kind, n=n, **alphabet, **options)
    file_format = choose_format(output, GRAPH_FORMATS, "text", file_format, "--format")
    check_format("--format", file_format, output)
    check_memory(chosen, run)
    graph = make(chosen, run)
    write_format(graph, file_format, output, run)
    log.report("%s graph: %s vertices, %s edges", kind, f"{graph.n_vertices:,}", f"{graph.n_edges:,}")


def _alphabet(text: str) -> dict[str, Any]:
    """Return the options that ``--alphabet`` sets: a number of any size, or the symbols and their number."""
    if text.isascii() and text.isdigit() and text[:1] != "0" and len(text) < _MOST_DIGITS:
        return {"alphabet": int(text)}
    symbols = parse_symbols(text)
    if symbols.separator:
        raise UsageError(
            f"--alphabet {shorten(text)}: symbols of one character are needed, as vertices are called by words of them",
            "give the number of symbols, or one character for each",
        )
    return {"alphabet": len(symbols), "letters": "".join(symbols.names)}


def check_memory(options: GenerateOptions, run: RunOptions) -> None:
    """Raise OutOfMemoryError if the graph does not fit into the memory that is allowed; what a GPU needs, it says
    itself."""
    allowed, needed = memory_left(run.memory), bytes_needed(options, working=run.backend != "cuda")
    if needed > allowed:
        n_vertices, n_edges = size_of(options)
        raise OutOfMemoryError(
            f"Out of memory: {n_vertices:,} vertices and {n_edges:,} edges need {format_bytes(needed)}, "
            f"{format_bytes(allowed)} are allowed",
            "choose a smaller -n, or allow more (-m)",
        )


def make(options: GenerateOptions, run: RunOptions) -> Graph:
    """The graph, on the host. It is written afterwards, which takes far longer: ``auto`` does not start a GPU."""
    backend = backends.load_cuda(run) if run.backend == "cuda" else backends.load(run)
    if options.kind == "genome":
        with log.stage("generate", unit="edges") as stage:
            graph = genome_graph(options, run, backends.load(run.on_cpu())).graph
            stage.items = graph.n_edges
        return graph
    with log.stage("generate", unit="edges") as stage:
        graph = generate(options, backend)
        backend.synchronize()
        stage.items = graph.n_edges
    return graph.on_host()
