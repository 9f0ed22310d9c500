"""`dbg query`: count the k-mers of records that each sample of an index has."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    configure_log,
    format_option,
    run_options,
    take_fields,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.groups import excludes, option_rules
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile, note_standard_input, output_option, split_paths
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.opening import check_readable
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.querying.index_files import read_samples
from debruijn_gpu.io.querying.querying import QueryRun, expected_bytes
from debruijn_gpu.io.querying.writing import HitFormat, HitWriter
from debruijn_gpu.querying.options import FORMATS, POSITION_FORMATS, QueryOptions
from debruijn_gpu.querying.query import ColorQuery
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.plain_text import counted

#: Threads that count k-mers while a GPU looks them up; each holds some of its buffers
_THREADS_BESIDE_GPU = 8


@click.command("query")
@click.argument("index", type=InputFile(several=True))
@click.argument("reads", type=InputFile(), nargs=-1, metavar="[READS]...")
@click.option(
    "--min-ratio",
    default=QueryOptions.min_ratio,
    show_default=True,
    metavar="SHARE",
    help="Minimum share of the k-mers of a query that a sample must have, from 0 to 1; at least one k-mer.",
)
@click.option(
    "--per-record/--per-file",
    default=not QueryOptions.per_file,
    show_default=True,
    help="Query with each record, or with all records of a file together.",
)
@click.option(
    "--positions",
    metavar="|".join(POSITION_FORMATS),
    help="Write which k-mers a sample has, as runs: x31o2n15 is 31 in it, 2 not in it, 15 ambiguous.",
)
@format_option(FORMATS, QueryOptions.file_format)
@output_option
@run_options
@verbosity
@option_rules(
    excludes("--positions", "--per-file"),
    excludes("--positions", "--format matrix", remedy="choose --format tsv or jsonl"),
)
def command(index: str, reads: tuple[str, ...], per_record: bool, output: str | None, **options: Any) -> None:
    """Count the k-mers of each record of READS that each sample of INDEX has.

    INDEX is a colour index (.dbgc), or sets of k-mers (.dbgk, KFF) with commas between them; each set is a sample.
    READS are FASTA, FASTQ or plain sequences, compressed or not (default or -: standard input).
    """
    configure_log(options)
    run = take_run_options(options)
    options["file_format"] = choose_format(output, FORMATS, "tsv", options["file_format"], "--format")
    chosen = QueryOptions(per_file=not per_record, **take_fields(QueryOptions, options))
    if not reads:
        note_standard_input()
        reads = (STANDARD_STREAM,)
    indexes = split_paths(index)
    _check_files([*indexes, *reads], output)
    backend = backends.load_arrays(run, "reads", expected_bytes(reads))
    threads = run.n_threads
    threads = threads if backend.is_sequential else min(threads, _THREADS_BESIDE_GPU)
    with closing(ColorQuery(read_samples(indexes, run), run, backend)) as query, open_output(output) as stream:
        hit_format = HitFormat(chosen.file_format, query.names, chosen.positions is not None)
        writer = HitWriter(stream, hit_format)
        QueryRun(query, chosen, writer, run, backend, threads).query_files(reads)
    _log_counts(writer, chosen, query.k)


def _check_files(paths: list[str], output: str | None) -> None:
    """Raise the errors of files that cannot be read or written, before any work."""
    if paths.count(STANDARD_STREAM) > 1:
        raise UsageError("standard input (-) is given twice", "give a file for one of them")
    for path in paths:
        check_readable(path)
    check_writable(output)


def _log_counts(writer: HitWriter, options: QueryOptions, k: int) -> None:
    """Log the number of queries, of those with a hit, and of those without k-mers."""
    what = "file" if options.per_file else "record"
    share = f"{options.min_ratio} of the k-mers"
    log.report("%s; %s with %s in a sample", counted(writer.n_queries, what), f"{writer.n_hit:,}", share)
    if writer.n_without_kmers:
        log.report("%s without a %d-mer: too short, or ambiguous", counted(writer.n_without_kmers, what), k)
