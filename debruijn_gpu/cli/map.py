"""`dbg map`: map reads to a graph or to contigs."""

from __future__ import annotations

import os
from typing import Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    compute_options,
    configure_log,
    read_inputs,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.paths import InputFile, output_option
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.alignments.lines import AlignmentLines
from debruijn_gpu.io.alignments.mapping import write_alignments
from debruijn_gpu.io.alignments.targets import read_target
from debruijn_gpu.io.fastx.reads import check_inputs, expected_bases, read_texts
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.mapping.mapper import ANCHOR_BP, MapCounts, Mapper
from debruijn_gpu.mapping.options import ALIGNMENT_FORMATS, MapOptions
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.resources import calling_threads

#: File of an assembly directory that reads are mapped to, by output format
TARGET_FILES = {"gaf": "assembly_graph.gfa", "paf": "contigs.fasta", "": "assembly_graph.gfa"}


@click.command("map")
@read_inputs
@click.argument("target", type=InputFile(members=tuple(TARGET_FILES.values())), metavar="GRAPH|CONTIGS")
@click.option(
    "--min-share",
    default=MapOptions.min_share,
    show_default=True,
    metavar="SHARE",
    help="Minimum share of a read's bases that is aligned.",
)
@click.option(
    "--format",
    "alignment_format",
    metavar="|".join(ALIGNMENT_FORMATS),
    help="GAF with paths along the links of the graph, or PAF with single segments or contigs "
    "(default: by file extension of -o, or GAF for a graph and PAF for contigs).",
)
@output_option
@compute_options
@verbosity
def command(target: str, min_share: float, alignment_format: str | None, output: str | None, **options: Any) -> None:
    """Map READS to a graph (GFA 1) or to contigs (FASTA): where they align, one line per read.

    A read is placed by its first and its last 31-mer that occur once in the segments, and aligned without gaps along
    the links between these. Reads without such a 31-mer are left out, and insertions and deletions end an alignment.
    READS are FASTA, FASTQ or plain sequences, compressed or not (default or -: standard input). Of a directory of
    dbg assemble, the assembly graph is read, or for PAF the contigs.
    """
    configure_log(options)
    inputs, run = take_read_inputs(options), take_run_options(options)
    chosen = MapOptions(min_share=min_share)
    wanted = choose_format(output, ALIGNMENT_FORMATS, "", alignment_format, "--format")
    if target == STANDARD_INPUT and STANDARD_INPUT in inputs.paths:
        raise UsageError("standard input (-) is given as reads and as graph", "give a file for one of them")
    target = _file_of(target, wanted)
    check_readable(target)
    check_inputs(inputs)
    check_writable(output)
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    with log.stage("read segments", unit="segments") as stage:
        segments = read_target(target)
        stage.items = len(segments.names)
    wanted = wanted or ("gaf" if segments.is_graph else "paf")
    lines = AlignmentLines(segments, wanted)
    mapper = Mapper(segments if wanted == "gaf" else segments.without_links(), chosen, run, backend)
    threads = calling_threads(run.threads, backend.is_sequential)
    with open_output(output) as stream:
        texts = read_texts(inputs, backend, threads=run.threads, memory=run.memory)
        counts = write_alignments(stream, texts, mapper, lines, threads)
    _log_counts(counts, chosen)


def _file_of(target: str, alignment_format: str) -> str:
    """Return a path, or that of the graph or contigs in the directory of an assembly."""
    place = os.path.join(target, TARGET_FILES[alignment_format])
    return place if os.path.isfile(place) else target


def _log_counts(counts: MapCounts, options: MapOptions) -> None:
    """Log the number of reads that were placed, and why others were not."""
    share = 100 * counts.n_placed / max(1, counts.n_reads)
    log.report("%s of %s reads placed (%.2f %%)", f"{counts.n_placed:,}", f"{counts.n_reads:,}", share)
    reasons = (
        (counts.n_short, f"shorter than {ANCHOR_BP} bases"),
        (counts.n_unanchored, f"without a {ANCHOR_BP}-mer that occurs once in the segments"),
        (counts.n_partial, f"with less than {options.min_share:g} of their bases aligned"),
    )
    for n, reason in reasons:
        if n:
            log.report("%s not placed: %s", f"{n:,}", reason)
