"""`dbg spectrum`: compute the k-mer spectrum of reads, and estimates of it."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    configure_log,
    dask_option,
    format_option,
    gpus_option,
    read_inputs,
    run_options,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.figures import plot_option, take_plot
from debruijn_gpu.cli.paths import OutputFile
from debruijn_gpu.distributed.place import engine_at
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.fastx.read_source import measured_reads
from debruijn_gpu.io.fastx.reads import Blocks, check_inputs, expected_bases
from debruijn_gpu.io.kmer_histogram import find_rows, is_row, read_histogram
from debruijn_gpu.io.lines import TextStart, find_text
from debruijn_gpu.io.opening import STANDARD_INPUT, display_name, read_blocks
from debruijn_gpu.io.output import check_writable, is_standard_output, open_output
from debruijn_gpu.io.tables import to_json, write_histogram
from debruijn_gpu.kmers.choose_k import KChoice, choose_k
from debruijn_gpu.kmers.count import count_kmers, warn_of_no_kmers
from debruijn_gpu.kmers.evenness import is_uneven
from debruijn_gpu.kmers.options import HISTOGRAM_FORMATS, CountOptions
from debruijn_gpu.kmers.ploidy import PloidyEstimate, estimate_ploidy
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate, estimate, is_saturated, n_possible_kmers
from debruijn_gpu.kmers.spectrum_model import fit
from debruijn_gpu.plots.kmer_spectrum import draw_kmer_spectrum
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter, ReadLengths
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.file_formats import SEPARATORS, choose_format
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.kmers.engine import KmerEngine

_SNIFFED_BYTES = 1 << 20


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
    help="Write the estimates as JSON to standard output, or to -o FILE.json; and the spectrum only to -o.",
)
@plot_option
@run_options
@gpus_option
@dask_option
@verbosity
def command(
    file_format: str | None, output: str | None, as_json: bool, plot: str | None, dask: str | None, **options: Any
) -> None:
    """Compute the k-mer spectrum of READS (FASTA, FASTQ or plain sequences; default or -: standard input).

    Instead of reads, the only file may be a histogram: two columns, multiplicity and number of k-mers, as jellyfish
    histo, KMC and this command write it. Give its k by -k.

    Writes one multiplicity per line with its frequency, the number of distinct k-mers, in the format of GenomeScope.
    Logs estimates of error rate, k-mer depth, genome size, ploidy and heterozygosity to standard error.
    """
    configure_log(options)
    inputs, run = take_read_inputs(options), take_run_options(options)
    outputs = _outputs(output, file_format, as_json)
    check_writable(output)
    plot_format = take_plot(plot)
    counted = _counted(inputs, CountOptions(k=options["k"]), run, dask)
    spectrum = counted.spectrum
    found = estimate(spectrum)
    model = fit(spectrum, found)
    ploidy = estimate_ploidy(spectrum, found, model)
    choice = None if counted.lengths is None else choose_k(counted.lengths, found, is_uneven(spectrum, found))
    for path, written in outputs:
        with open_output(path) as stream:
            if written == "json":
                stream.write(to_json(_figures(counted, found, ploidy, choice)))
            else:
                write_histogram(stream, spectrum.multiplicity, spectrum.frequency, SEPARATORS[written])
    for line in _sentences(spectrum, found, ploidy, choice) if spectrum.n_total else []:
        log.report("%s", line)
    if plot is not None and plot_format is not None:
        with log.stage("draw"), open_output(plot) as stream:
            draw_kmer_spectrum(stream, plot_format, spectrum, found, _title(inputs, options["k"]))


@dataclass(frozen=True)
class _Counted:
    """A k-mer spectrum, and numbers of reads and bases and read lengths, which a histogram does not have."""

    spectrum: Spectrum
    n_reads: int | None = None
    n_bases: int | None = None
    lengths: ReadLengths | None = None


def _outputs(output: str | None, given: str | None, as_json: bool) -> list[tuple[str | None, str]]:
    """Return the files to write and their formats; None and ``-`` are standard output.

    Raises
    ------
    UsageError
        If the spectrum and the estimates would both go to standard output, or the extension has no format.
    """
    on_standard_output = is_standard_output(output)
    default = "json" if as_json and on_standard_output else "histogram"
    written = choose_format(output, (*HISTOGRAM_FORMATS, "json"), default, given, "--format")
    if not as_json or written == "json":
        return [(output, written)]
    if on_standard_output:
        raise UsageError(
            f"--json and --format {written}: two outputs go to standard output", "name a file for the spectrum with -o"
        )
    return [(output, written), (None, "json")]


def _figures(
    counted: _Counted, found: SpectrumEstimate, ploidy: PloidyEstimate, choice: KChoice | None
) -> dict[str, Any]:
    """Return the members of JSON."""
    figures = {"n_reads": counted.n_reads, "n_bases": counted.n_bases, "n_kmers": counted.spectrum.n_total}
    figures |= {"n_distinct": counted.spectrum.n_distinct, **asdict(found)}
    figures["assembly_k"] = None if choice is None else choice.k
    return figures | {name: value for name, value in asdict(ploidy).items() if name != "why"}


def _counted(inputs: ReadInputs, options: CountOptions, run: RunOptions, dask: str | None) -> _Counted:
    """Read a histogram, or count the k-mers of reads."""
    check_inputs(inputs)
    path = inputs.single[0] if len(inputs.paths) == len(inputs.single) == 1 else None
    if path is not None and os.path.isfile(path):
        with closing(read_blocks(path, _SNIFFED_BYTES)) as blocks:
            start = find_rows(blocks)
            if is_row(_first_line(start)):
                return _from_histogram(path, start, options.k)
    with engine_at(dask, run, expected_bases(inputs)) as (engine, own):
        return _count_reads(inputs, path, options, own, engine)


def _count_reads(
    inputs: ReadInputs, path: str | None, options: CountOptions, run: RunOptions, engine: KmerEngine | None
) -> _Counted:
    """Count the k-mers of reads, or read a histogram from the pipe ``path``."""
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    opened = {}
    if path is not None and not os.path.isfile(path):
        blocks = read_blocks(path, backend.reads.block_bytes, allocate=backend.host_buffer, threads=run.threads or 1)
        start = find_text(blocks)
        if is_row(_first_line(start)) or start.head.startswith(b"#"):
            with closing(blocks):
                return _from_histogram(path, find_rows(start.blocks), options.k)
        opened[path] = _continued(start, blocks)
    meter = LengthMeter(backend.to_host)
    batches = measured_reads(inputs, meter, run, backend, engine, opened)
    expected = expected_bases(inputs)
    counted = count_kmers(batches, options, run, backend, keep_table=False, n_bases_expected=expected, engine=engine)
    warn_of_no_kmers(counted, options.k)
    spectrum = Spectrum(options.k, counted.multiplicity, counted.frequency)
    return _Counted(spectrum, counted.n_reads, counted.n_bases, meter.lengths)


def _first_line(start: TextStart) -> bytes:
    return start.head.split(b"\n", 1)[0]


def _from_histogram(path: str, start: TextStart, k: int) -> _Counted:
    """Read the spectrum of a text that begins with a row."""
    with progress.running(f"read {display_name(path)}"):
        found = read_histogram(path, start)
    context = click.get_current_context()
    if context.get_parameter_source("k") is ParameterSource.DEFAULT:
        log.logger.warning(
            "%s: a histogram does not name its k, and %d is taken (give it by -k)", display_name(path), k
        )
    return _Counted(Spectrum(k, found.multiplicity, found.frequency))


def _continued(start: TextStart, blocks: Blocks) -> Blocks:
    """Yield the blocks of a text whose start was looked at."""
    with closing(blocks):
        yield from start.blocks


def _title(inputs: ReadInputs, k: int) -> str:
    """The files without their directories, and k, which is seen even where the names are cut off."""
    names = [display_name(path if path == STANDARD_INPUT else Path(path).name) for path in inputs.paths]
    return f"{k}-mers of {', '.join(names)}"


def _sentences(
    spectrum: Spectrum, found: SpectrumEstimate, ploidy: PloidyEstimate, choice: KChoice | None
) -> list[str]:
    """Describe the estimates, in one line each."""
    genome = f"genome: {found.genome_bp:,} distinct k-mers from --min-count on"
    if found.peak is None and is_saturated(found.k, found.genome_bp):
        share = f"{found.genome_bp:,} of {n_possible_kmers(found.k):,} possible {found.k}-mers occur"
        depth = f"k-mer depth: no peak; k is too small, {share}"
    elif found.peak is None:
        depth = f"k-mer depth: no peak; half of the k-mers occur at {found.depth:.0f}x or less"
    else:
        depth = f"k-mer depth: {found.peak:.1f}x for single-copy sequence"
        genome = f"genome: about {found.genome_bp:,} bp"
    if ploidy.ploidy == 2:
        depth = f"k-mer depth: {ploidy.haplotype_depth:.1f}x for each of two haplotypes"
        genome = f"genome: about {ploidy.haploid_genome_bp:,} bp (haploid)"
    return [
        f"{spectrum.n_total:,} k-mers, {spectrum.n_distinct:,} distinct; errors: in {found.error_fraction:.2%} of the "
        f"k-mers, {found.error_rate:.3%} of the bases",
        depth,
        genome,
        _ploidy_sentence(ploidy),
        f"for assembly: --min-count {found.cutoff} at this k" + (f"; {choice.why}" if choice else ""),
    ]


def _ploidy_sentence(ploidy: PloidyEstimate) -> str:
    if ploidy.ploidy is None:
        return f"ploidy: cannot be estimated, {ploidy.why}"
    rate = f", heterozygosity {ploidy.heterozygosity:.3%}" if ploidy.heterozygosity is not None else ""
    return f"ploidy: {ploidy.ploidy}{rate} ({ploidy.why})"
