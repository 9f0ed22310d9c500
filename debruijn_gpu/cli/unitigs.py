"""`dbg unitigs`: the compacted de Bruijn graph of reads."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.assembly.options import GRAPH_FORMATS, TIGS, UnitigOptions
from debruijn_gpu.cli.common import (
    configure_log,
    dask_option,
    gpus_option,
    graph_options,
    read_inputs,
    run_options,
    take_clean_options,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.distributed.place import engine_at
from debruijn_gpu.io.fastx.bcalm import write_bcalm
from debruijn_gpu.io.fastx.reads import expected_bases
from debruijn_gpu.io.gfa.contigs import write_gfa
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.kmers.options import parse_min_count
from debruijn_gpu.pipeline import unitigs
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.plain_text import counted


@click.command("unitigs")
@read_inputs
@click.option("-k", default=UnitigOptions.k, show_default=True, metavar="K", help="k-mer length, odd, 3 to 255.")
@graph_options
@click.option(
    "--edge-centric",
    is_flag=True,
    help="Join k-mers only where the (k+1)-mer of both occurs in the reads (default: where they overlap).",
)
@click.option(
    "--tigs",
    default=UnitigOptions.tigs,
    show_default=True,
    metavar="|".join(TIGS),
    help="Unitigs, or a minimum set of strings that contains each k-mer exactly once (eulertigs).",
)
@click.option(
    "--format",
    "graph_format",
    metavar="|".join(GRAPH_FORMATS),
    help="FASTA with links in the format of BCALM 2, or GFA 1.0 (default: by file extension of -o, or FASTA).",
)
@output_option
@run_options
@gpus_option
@dask_option
@verbosity
def command(
    k: int,
    min_count: str,
    edge_centric: bool,
    tigs: str,
    graph_format: str | None,
    output: str | None,
    dask: str | None,
    **options: Any,
) -> None:
    """Write the unitigs of READS (FASTA, FASTQ or plain sequences), with counts and links.

    Without READS, or for -, standard input is read.

    Unitigs are the maximal unbranched paths; neighbours overlap by k - 1 bases. Eulertigs (Schmidt and Alanko 2023)
    continue through branches: they are a smallest set of strings, in bases, that contains each k-mer or its reverse
    complement exactly once. They have no links.

    --edge-centric joins k-mers, and links unitigs, only where the (k+1)-mer of both occurs in the reads, as Cuttlefish
    and GGCAT do. Eulertigs continue along these links only; there may be some more than the smallest set has.
    """
    configure_log(options)
    inputs, run = take_read_inputs(options), take_run_options(options)
    chosen = UnitigOptions(
        k=k,
        min_count=parse_min_count(min_count),
        clean=take_clean_options(options),
        edge_centric=edge_centric,
        tigs=tigs,
        graph_format=choose_format(output, GRAPH_FORMATS, UnitigOptions.graph_format, graph_format, "--format"),
    )
    check_writable(output)
    with engine_at(dask, run, expected_bases(inputs)) as (engine, own):
        found = unitigs(inputs, chosen, own, engine)
    with open_output(output) as stream:
        if chosen.graph_format == "gfa":
            write_gfa(stream, found, circular_overlap_bp=k - 1)
        else:
            write_bcalm(stream, found)
    links = f", {counted(len(found.links), 'link')}" if chosen.tigs == "unitigs" else ""
    strings = counted(len(found), chosen.tigs.removesuffix("s"))
    log.report("%s, %s bp%s", strings, f"{found.offsets[-1]:,}", links)
