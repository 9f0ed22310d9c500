"""`dbg screen`: filter, trim or mask reads that match references."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    compute_options,
    configure_log,
    gpus_option,
    read_inputs,
    take_fields,
    take_read_inputs,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.groups import check_rules, excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, OutputFile, output_option, split_paths
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.fastx.mate_files import find_mates, look_alikes
from debruijn_gpu.io.fastx.reads import check_inputs, expected_bases, read_texts
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.screening.index_files import write_index
from debruijn_gpu.io.screening.references import read_references
from debruijn_gpu.io.screening.report import REPORT_FORMATS, write_report
from debruijn_gpu.io.screening.screening import ScreenCounts, screen_reads
from debruijn_gpu.io.screening.writing import RecordStream, ScreenWriter
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format, compression_of
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.screening.options import DEFAULT_K, ENDS, KEPT, PAIR_RULES, ScreenOptions
from debruijn_gpu.screening.screener import Screener
from debruijn_gpu.screening.sequences import ReferenceSequences

#: Threads that count matches and edit records while a GPU finds them; each holds some of its buffers
_THREADS_BESIDE_GPU = 8

#: Where k-mers are removed or masked one by one
_MIN_HITS_OF_READS = needs(
    "--min-hits",
    "--keep",
    "--report",
    remedy="leave --min-hits out, or choose reads by it with --keep: all matched k-mers are removed or masked",
)


@click.command("screen")
@read_inputs
@click.option(
    "--against",
    type=InputFile(several=True),
    multiple=True,
    required=True,
    metavar="REF",
    help="Read references: FASTA, FASTQ, one sequence per line, sets of k-mers (.dbgk, KFF), or an index of "
    "--save-index; repeatable.",
)
@click.option(
    "-k",
    "k",
    type=click.INT,
    metavar="K",
    help=f"Length of the k-mers (default: {DEFAULT_K}, or that of an index or set).",
)
@click.option(
    "--min-hits",
    default=ScreenOptions.min_hits,
    show_default=True,
    metavar="SHARE|N",
    help="Minimum k-mers of a read in the references, for it to match: a share with a decimal point, or a number.",
)
@click.option(
    "--keep",
    metavar="|".join(KEPT),
    help="Reads to write (default: unmatched, or all with --trim or --mask).",
)
@click.option(
    "--pair",
    default=ScreenOptions.pair,
    show_default=True,
    metavar="|".join(PAIR_RULES),
    help="Mates that must match for their pair to match; with --trim, that must be too short for it to be dropped.",
)
@click.option("--trim", is_flag=True, help="Remove matched ends of reads, such as adapters.")
@click.option(
    "--ends",
    default=ScreenOptions.ends,
    show_default=True,
    metavar="|".join(ENDS),
    help="Ends to remove: both keeps the longest part without a match, right what is before the first match, left what "
    "is behind the last one.",
)
@click.option(
    "--min-length",
    type=COUNT,
    default=ScreenOptions.min_length,
    show_default=True,
    metavar="BP",
    help="Minimum length of a trimmed read; shorter ones are dropped.",
)
@click.option("--mask", is_flag=True, help="Write N over bases of matched k-mers.")
@click.option("--per-record", is_flag=True, help="Treat each record of a reference file as a reference of its own.")
@output_option
@click.option(
    "-o1", "--output-1", type=OutputFile(), metavar="FILE", help="Output file of first mates (default: with -o)."
)
@click.option(
    "-o2", "--output-2", type=OutputFile(), metavar="FILE", help="Output file of second mates (default: with -o)."
)
@click.option(
    "--report",
    type=OutputFile(),
    metavar="FILE",
    help="Write reads, bases and k-mers that match each reference: TSV, or JSON by extension.",
)
@click.option(
    "--save-index", type=OutputFile(), metavar="FILE", help="Write the references as an index (.npz) for --against."
)
@compute_options
@gpus_option
@verbosity
@option_rules(
    excludes("--trim", "--mask"),
    needs("--ends", "--trim"),
    needs("--min-length", "--trim"),
    needs("--output-1", "--output-2"),
    needs("--output-2", "--output-1"),
)
def command(against: tuple[str, ...], **options: Any) -> None:
    """Filter READS by their k-mers in references: remove contamination, or keep what matches.

    A read matches if enough of its k-mers are in the references, in either strand; nothing else is in a match by
    chance. Records are written as they are and in their order. Mates stay together: in two outputs, or interleaved.
    READS are FASTA, FASTQ or plain sequences, compressed or not (default or -: standard input).
    """
    configure_log(options)
    pairs, others = find_mates(options["reads"])
    for pair in (*pairs, *look_alikes(others)):
        log.logger.warning("%s and %s: mates by their names; -1 and -2 keep pairs together", *pair)
    inputs, run = take_read_inputs(options), take_run_options(options)
    chosen = ScreenOptions(**take_fields(ScreenOptions, options))
    if chosen.trim or chosen.mask:
        check_rules(click.get_current_context(), [_MIN_HITS_OF_READS])
    if chosen.pair != ScreenOptions.pair and not inputs.n_paired:
        raise UsageError("--pair has no effect without -1 or --12", "name mates with -1 and -2, or with --12")
    paths = [path for value in against for path in split_paths(value)]
    _check_files(paths, inputs, options)
    report_format = choose_format(options["report"], REPORT_FORMATS, "tsv", of="--report")
    sequences = read_references(paths, chosen, run)
    if options["save_index"] is not None:
        with open_output(options["save_index"]) as stream:
            write_index(stream, sequences)
    counts = _screen(inputs, sequences, chosen, run, options)
    if options["report"] is not None:
        with open_output(options["report"]) as stream:
            write_report(stream, report_format, counts, sequences.names, sequences.k, chosen)
    _log_counts(counts)


def _check_files(paths: list[str], inputs: ReadInputs, options: dict[str, Any]) -> None:
    """Raise the errors of files that cannot be read or written, before any work."""
    if paths.count(STANDARD_INPUT) + inputs.paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) is given as reads and as reference", "give a file for one of them")
    if options["output_1"] is not None and not inputs.n_paired:
        raise UsageError("--output-1 has no effect without -1 or --12", "name mates with -1 and -2, or with --12")
    outputs = [options[name] for name in ("output", "output_1", "output_2", "report", "save_index")]
    if [path or "-" for path in (outputs[0], *filter(None, outputs[1:]))].count("-") > 1:
        raise UsageError("two outputs go to standard output", "give a file for one of them")
    for path in paths:
        check_readable(path)
    check_inputs(inputs)
    if options["save_index"] is not None:
        choose_format(options["save_index"], ("npz",), "npz", of="--save-index")
        if compression_of(options["save_index"]):
            raise UsageError(f"--save-index {options['save_index']}: an index is not compressed", "let it end in .npz")
    for path in outputs:
        check_writable(path)


def _screen(
    inputs: ReadInputs, sequences: ReferenceSequences, chosen: ScreenOptions, run: RunOptions, options: dict[str, Any]
) -> ScreenCounts:
    """Index the references, and screen all reads."""
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    screener = Screener(sequences, chosen.rule, run, backend)
    with ExitStack() as stack:

        def opened(path: str | None) -> RecordStream:
            return RecordStream(stack.enter_context(open_output(path)), path or "-")

        single = opened(options["output"])
        paired = None
        if options["output_1"] is not None:
            paired = opened(options["output_1"]), opened(options["output_2"])
        texts = read_texts(inputs, backend, threads=run.threads, memory=run.memory)
        writer = ScreenWriter(chosen, single, paired)
        threads = run.n_threads
        threads = threads if backend.is_sequential else min(threads, _THREADS_BESIDE_GPU)
        return screen_reads(texts, screener, chosen, writer, threads, backend.is_sequential)


def _log_counts(counts: ScreenCounts) -> None:
    """Log the number of reads that match, that were changed, and that were written."""
    written = counts.written
    share = 100 * written.n_matched_reads / max(1, counts.n_reads)
    log.report("%s of %s reads match (%.2f %%)", f"{written.n_matched_reads:,}", f"{counts.n_reads:,}", share)
    if written.n_pairs:
        log.report("%s of %s pairs match", f"{written.n_matched_pairs:,}", f"{written.n_pairs:,}")
    if counts.n_reads_without_kmers:
        log.report("%s reads have no k-mer, and match nothing", f"{counts.n_reads_without_kmers:,}")
    if counts.edited.n_reads:
        log.report("%s reads changed, %s bases", f"{counts.edited.n_reads:,}", f"{counts.edited.n_bases:,}")
    if written.n_short_reads:
        log.report("%s reads dropped: too short", f"{written.n_short_reads:,}")
    log.report("%s reads written", f"{written.n_written_reads:,}")
