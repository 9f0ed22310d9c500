"""`dbg spectrum`: compute the k-mer spectrum of reads, and estimates of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    configure_log,
    format_option,
    read_inputs,
    run_options,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.figures import plot_option, take_plot
from debruijn_gpu.cli.paths import OutputFile
from debruijn_gpu.io.fastx.reads import expected_bases, read_batches
from debruijn_gpu.io.opening import STANDARD_INPUT, display_name
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.tables import to_json, write_histogram
from debruijn_gpu.kmers.choose_k import KChoice, choose_k
from debruijn_gpu.kmers.count import count_kmers, warn_of_no_kmers
from debruijn_gpu.kmers.options import HISTOGRAM_FORMATS, CountOptions
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate, estimate, is_saturated, n_possible_kmers
from debruijn_gpu.plots.kmer_spectrum import draw_kmer_spectrum
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import SEPARATORS, choose_format


@click.command("spectrum")
@read_inputs
@click.option("-k", default=CountOptions.k, show_default=True, metavar="K", help="k-mer length, 1 to 255.")
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="Output file of the spectrum (default or -: standard output); extension .json: the estimates instead.",
)
@format_option(
    (*HISTOGRAM_FORMATS, "json"),
    "histogram",
    text="Format of the output: columns separated by a blank or a tab, or the estimates (default: by file extension of "
    "-o, or histogram).",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Write the estimates as JSON to standard output, and the spectrum only with -o.",
)
@plot_option
@run_options
@verbosity
def command(file_format: str | None, output: str | None, as_json: bool, plot: str | None, **options: Any) -> None:
    """Compute the k-mer spectrum of READS (FASTA, FASTQ or plain sequences; default or -: standard input).

    Writes one multiplicity per line with its frequency, the number of distinct k-mers, in the format of GenomeScope.
    Logs estimates of error rate, k-mer depth and genome size to standard error.
    """
    configure_log(options)
    inputs, run = take_read_inputs(options), take_run_options(options)
    default = "json" if as_json and output in (None, "-") else "histogram"
    written = choose_format(output, (*HISTOGRAM_FORMATS, "json"), default, file_format, "--format")
    check_writable(output)
    plot_format = take_plot(plot)
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    meter = LengthMeter(backend.to_host)
    batches = meter.through(read_batches(inputs, backend, threads=run.threads, memory=run.memory))
    counted = count_kmers(
        batches, CountOptions(k=options["k"]), run, backend, keep_table=False, n_bases_expected=expected_bases(inputs)
    )
    warn_of_no_kmers(counted, options["k"])
    spectrum = Spectrum(options["k"], counted.multiplicity, counted.frequency)
    found = estimate(spectrum)
    choice = choose_k(meter.lengths, found)
    if written != "json":
        with open_output(output) as stream:
            write_histogram(stream, spectrum.multiplicity, spectrum.frequency, SEPARATORS[written])
    if as_json or written == "json":
        figures = {"n_reads": counted.n_reads, "n_bases": counted.n_bases, "n_kmers": spectrum.n_total}
        figures |= {"n_distinct": spectrum.n_distinct, **asdict(found), "assembly_k": choice.k}
        with open_output(output if written == "json" else None) as stream:
            stream.write(to_json(figures))
    for line in _sentences(spectrum, found, choice) if counted.n_kmers else []:
        log.report("%s", line)
    if plot is not None and plot_format is not None:
        with log.stage("draw"), open_output(plot) as stream:
            draw_kmer_spectrum(stream, plot_format, spectrum, found, _title(inputs, options["k"]))


def _title(inputs: ReadInputs, k: int) -> str:
    """The files without their directories, and k, which is seen even where the names are cut off."""
    names = [display_name(path if path == STANDARD_INPUT else Path(path).name) for path in inputs.paths]
    return f"{k}-mers of {', '.join(names)}"


def _sentences(spectrum: Spectrum, found: SpectrumEstimate, choice: KChoice) -> list[str]:
    """Describe the estimates, in one line each."""
    if found.peak is None and is_saturated(found.k, found.genome_bp):
        share = f"{found.genome_bp:,} of {n_possible_kmers(found.k):,} possible {found.k}-mers occur"
        depth = f"k-mer depth: no peak; k is too small, {share}"
        genome = f"genome: {found.genome_bp:,} distinct k-mers from --min-count on"
    elif found.peak is None:
        depth = f"k-mer depth: no peak; half of the k-mers occur at {found.depth:.0f}x or less"
        genome = f"genome: {found.genome_bp:,} distinct k-mers from --min-count on"
    else:
        depth = f"k-mer depth: {found.peak:.1f}x for single-copy sequence"
        genome = f"genome: about {found.genome_bp:,} bp"
    return [
        f"{spectrum.n_total:,} k-mers, {spectrum.n_distinct:,} distinct",
        depth,
        genome,
        f"errors: in {found.error_fraction:.2%} of the k-mers, {found.error_rate:.3%} of the bases",
        f"for assembly: --min-count {found.cutoff} at this k; {choice.why}",
    ]
