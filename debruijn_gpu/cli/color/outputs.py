"""Write a colour index in any format: unitigs are compacted and coloured where the format has them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from debruijn_gpu import backends
from debruijn_gpu.assembly.contigs import spell_unitigs
from debruijn_gpu.assembly.round_graphs import compact
from debruijn_gpu.cli.common import apply, run_options, verbosity
from debruijn_gpu.cli.groups import check_rules, needs
from debruijn_gpu.cli.paths import OutputFile
from debruijn_gpu.colors.index import ColorIndex
from debruijn_gpu.colors.options import COLOR_FORMATS, MATRIX_VALUES, ColorOutputOptions
from debruijn_gpu.colors.selection import count_kmers_of_sets
from debruijn_gpu.colors.splitting import split_by_color
from debruijn_gpu.colors.unitigs import ColoredUnitigs, check_graph_kmers, color_unitigs, graph_kmers
from debruijn_gpu.colors.walk_colors import color_walks
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.color_index.unitigs import (
    write_color_sets,
    write_colored_fasta,
    write_colored_gfa,
    write_colored_kmers,
    write_samples,
    write_unitig_matrix,
)
from debruijn_gpu.io.color_index.writing import write_color_index
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.whole_directory import make_directory
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import DIRECTORY, choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Index in a directory of results
INDEX_NAME = "colors.dbgc"
_NAMES = {"dbgc": INDEX_NAME, "fasta": "unitigs.fasta", "gfa": "graph.gfa", "tsv": "matrix.tsv"}
_MOST_THREADS = 8  # that encode k-mers: more wait for the file
_SETS_NAME, _SAMPLES_NAME = "color_sets.tsv", "samples.tsv"
RESULTS = (*_NAMES.values(), _SETS_NAME, _SAMPLES_NAME)
#: Formats with an index, whose colour sets are all in use
SAVED_FORMATS = ("dbgc", DIRECTORY)
#: Formats of unitigs
GRAPH_FORMATS = ("fasta", "gfa", "tsv", DIRECTORY)
_MATRIX_FORMATS = ("tsv", DIRECTORY)
_OF_FORMATS = (
    needs("--split-by-color", "unitigs", remedy="leave --split-by-color out, or choose --format fasta, gfa or tsv"),
    needs("--values", "a matrix", remedy="leave --values out, or choose --format tsv"),
)

color_output = apply(
    click.option(
        "--split-by-color",
        is_flag=True,
        help="Split unitigs where the colour set changes (default: unitigs have runs of colour sets).",
    ),
    click.option(
        "--values",
        default=ColorOutputOptions.values,
        show_default=True,
        metavar="|".join(MATRIX_VALUES),
        help="Cells of the matrix: share or number of a unitig's k-mers that a sample holds.",
    ),
    click.option(
        "--format",
        "file_format",
        metavar="|".join(COLOR_FORMATS),
        help="Unitigs (FASTA, GFA), unitig by sample matrix (TSV), k-mers, or index (default: by file extension of -o, "
        "or fasta).",
    ),
    click.option(
        "-o",
        "--output",
        type=OutputFile(members=RESULTS),
        metavar="FILE",
        help="Output file (default or -: standard output); a directory, with / at its end, gets all formats.",
    ),
    run_options,
    verbosity,
)


def take_output(options: dict[str, Any]) -> tuple[str | None, ColorOutputOptions]:
    """Take the options of `color_output` out of a command's options, and check that the output can be written."""
    output: str | None = options.pop("output")
    given = options.pop("file_format")
    if output is not None and os.path.isdir(output) and not output.endswith("/"):
        output += "/"
    is_directory = output is not None and output.endswith("/")
    if is_directory and given is not None:
        raise UsageError(f"-o {output}: a directory gets all formats", "leave --format out, or give a file")
    formats = (*COLOR_FORMATS, DIRECTORY) if is_directory else COLOR_FORMATS
    chosen = choose_format(output, formats, ColorOutputOptions.file_format, given, "--format")
    taken = ColorOutputOptions(
        file_format=chosen, values=options.pop("values"), split_by_color=options.pop("split_by_color")
    )
    facts = {"unitigs": chosen in GRAPH_FORMATS, "a matrix": chosen in _MATRIX_FORMATS}
    check_rules(click.get_current_context(), _OF_FORMATS, facts)
    if chosen != DIRECTORY:
        check_writable(output)
    return output, taken


def write_index_as(
    index: ColorIndex, output: str | None, chosen: ColorOutputOptions, run: RunOptions, backend: AssemblyBackend
) -> None:
    """Write an index, or the coloured graph of it."""
    unitigs = None
    if chosen.file_format in GRAPH_FORMATS:
        check_graph_kmers(index.k, index.canonical)
        unitigs = _colored_unitigs(index, chosen.split_by_color, run, backend)
    writers = _writers(index, unitigs, chosen, min(_MOST_THREADS, run.n_threads))
    with log.stage("write"):
        if chosen.file_format == DIRECTORY:
            assert output is not None
            _write_directory(output, writers)
        else:
            with open_output(output) as stream:
                writers[chosen.file_format](stream)
    found = [counted(len(index), f"{index.k}-mer") + f" of {counted(len(index.names), 'sample')}"]
    if unitigs is not None:
        found = [counted(len(unitigs), "unitig"), counted(len(unitigs.contigs.links), "link"), *found]
    log.report("%s", ", ".join(found))


def _colored_unitigs(index: ColorIndex, split: bool, run: RunOptions, backend: AssemblyBackend) -> ColoredUnitigs:
    """Compact the graph of an index, and colour its unitigs."""
    graph = compact(graph_kmers(index, run, backend), run, backend, keeps_walks=backend.is_sequential)
    with log.stage("spell unitigs"):
        spelled = spell_unitigs(graph, backend)
    walks = graph.walks
    del graph
    if walks is None:  # in partitions; and a GPU looks k-mers up faster than the host gathers colours
        unitigs = color_unitigs(spelled.contigs, index, run, backend)
    else:
        unitigs = color_walks(spelled, walks, index, run, backend)
    del spelled, walks
    if not split:
        return unitigs
    with log.stage("split unitigs"):
        return split_by_color(unitigs, index.color_sets, backend)


def _writers(
    index: ColorIndex, unitigs: ColoredUnitigs | None, chosen: ColorOutputOptions, threads: int
) -> dict[str, Callable[[BinaryIO], None]]:
    """Functions that write each format; those of unitigs need them."""
    found: dict[str, Callable[[BinaryIO], None]] = {
        "dbgc": lambda stream: write_color_index(stream, index, threads),
        "kmers": lambda stream: write_colored_kmers(stream, index),
    }
    if unitigs is not None:
        found["fasta"] = lambda stream: write_colored_fasta(stream, unitigs)
        found["gfa"] = lambda stream: write_colored_gfa(stream, unitigs)
        found["tsv"] = lambda stream: write_unitig_matrix(stream, unitigs, index, chosen.values == "count")
        found[_SETS_NAME] = lambda stream: write_color_sets(stream, index, count_kmers_of_sets(index))
        found[_SAMPLES_NAME] = lambda stream: write_samples(stream, index)
    return found


def _write_directory(path: str, writers: dict[str, Callable[[BinaryIO], None]]) -> None:
    """Write all results into a directory, which is made if it is missing."""
    make_directory(Path(path))
    for name, writer in writers.items():
        file = _NAMES.get(name, name)
        if file in RESULTS:
            with open_output(os.path.join(path, file)) as stream:
                writer(stream)


def load_backend(run: RunOptions, n_bytes: int) -> AssemblyBackend:
    """Load the backend of a command, by the size of its input."""
    return backends.load_arrays(run, "reads", n_bytes)
