"""`dbg count`: k-mers and how often each occurs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from debruijn_gpu import backends, log
from debruijn_gpu.cli.common import (
    configure_log,
    read_inputs,
    run_options,
    take_read_inputs,
    take_run_options,
    verbosity,
    warn_of_no_kmers,
)
from debruijn_gpu.io.kmers import write_kmer_arrays, write_kmer_lines
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.reads import expected_bases, read_batches
from debruijn_gpu.io.tables import write_histogram
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.options import CountOptions


@click.command("count")
@read_inputs
@click.option("-k", default=CountOptions.k, show_default=True, metavar="K", help="Odd, 3 to 127.")
@click.option(
    "--canonical/--forward",
    default=CountOptions.canonical,
    show_default=True,
    help="A k-mer and its reverse complement are one (the smaller), or two.",
)
@click.option(
    "--min-count",
    default=CountOptions.min_count,
    show_default=True,
    metavar="N",
    help="Leave out k-mers that occur less often.",
)
@click.option(
    "--histogram",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write how many k-mers occur how often, whatever --min-count.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write here instead of standard output; as NumPy arrays if it ends in .npz.",
)
@run_options
@verbosity
def command(histogram: Path | None, output: str | None, **options: Any) -> None:
    """Count the k-mers of READS (FASTA, FASTQ or plain sequences, compressed or not; -: standard input).

    Writes lines of a k-mer, a tab and its count, in alphabetic order.
    """
    configure_log(options)
    inputs, run = take_read_inputs(options), take_run_options(options)
    check_writable(output)
    check_writable(histogram)
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    counted = count_kmers(
        read_batches(inputs, backend, threads=run.threads, memory=run.memory),
        CountOptions(**options),
        run,
        backend,
        n_bases_expected=expected_bases(inputs),
    )
    assert counted.table is not None
    warn_of_no_kmers(counted)
    table = counted.table.moved(backend.to_host)
    with log.stage("write"), open_output(output) as stream:
        if output is not None and output.endswith(".npz"):
            write_kmer_arrays(stream, table)
        else:
            write_kmer_lines(stream, table, backends.host())
    if histogram is not None:
        with open_output(histogram) as stream:
            write_histogram(stream, counted.multiplicities, counted.numbers)
