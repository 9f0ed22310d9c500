"""`dbg color grep, sets` and `samples`: select from a colour index, and list what it holds."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from debruijn_gpu.cli.color.outputs import SAVED_FORMATS, color_output, load_backend, take_output, write_index_as
from debruijn_gpu.cli.color.reading import index_argument, index_path
from debruijn_gpu.cli.common import apply, configure_log, memory_option, take_fields, take_run_options, verbosity
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.colors.options import ColorPredicate
from debruijn_gpu.colors.selection import count_kmers_of_sets, matching_sets, select_kmers
from debruijn_gpu.io.color_index.reading import read_color_index
from debruijn_gpu.io.color_index.unitigs import write_color_sets, write_samples
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log

_names: dict[str, Any] = {"multiple": True, "metavar": "NAME[,NAME...]"}


@click.command("grep", short_help="Write the unitigs of k-mers in chosen samples.")
@index_argument
@click.option("--any-of", **_names, help="Keep k-mers of any of these samples; repeatable.")
@click.option("--all-of", **_names, help="Keep k-mers that all of these samples hold; repeatable.")
@click.option("--none-of", **_names, help="Keep k-mers that none of these samples holds; repeatable.")
@click.option("--min-samples", type=COUNT, metavar="N", help="Keep k-mers of at least N samples.")
@click.option("--max-samples", type=COUNT, metavar="N", help="Keep k-mers of at most N samples.")
@color_output
def grep(path: str, **options: Any) -> None:
    """Write the unitigs of the k-mers in INDEX (.dbgc), or that in DIR, whose samples meet all conditions.

    The conditions are tested once per colour set. Unitigs are those of the graph of the kept k-mers alone, so that they
    continue through branches to other k-mers; the numbers of colour sets are those of INDEX. --format kmers writes the k-mers, with the number of samples that hold
    each; -o FILE.dbgc and -o DIR/ an index of them, with colour sets numbered anew.
    """
    configure_log(options)
    run = take_run_options(options)
    output, chosen = take_output(options)
    predicate = ColorPredicate(**take_fields(ColorPredicate, options))
    with closing(read_color_index(index_path(path))) as index:
        with log.stage("select k-mers", len(index), "k-mers"):
            is_kept = matching_sets(index.color_sets, index.names, predicate)
            selected = select_kmers(index, is_kept, renumber=chosen.file_format in SAVED_FORMATS)
        log.report(
            "%s of %s k-mers are kept, of %s of %s colour sets",
            f"{len(selected):,}",
            f"{len(index):,}",
            f"{int(is_kept.sum()):,}",
            f"{len(is_kept):,}",
        )
        write_index_as(selected, output, chosen, run, load_backend(run))


_table_output = apply(output_option, memory_option, verbosity)


@click.command("sets", short_help="List the colour sets.")
@index_argument
@_table_output
def sets(path: str, output: str | None, **options: Any) -> None:
    """List the colour sets of INDEX (.dbgc), or that in DIR: number, k-mers, samples, and names of these."""
    configure_log(options)
    take_run_options(options)
    check_writable(output)
    with closing(read_color_index(index_path(path))) as index, open_output(output) as stream:
        write_color_sets(stream, index, count_kmers_of_sets(index))


@click.command("samples", short_help="List the samples.")
@index_argument
@_table_output
def samples(path: str, output: str | None, **options: Any) -> None:
    """List the samples of INDEX (.dbgc), or that in DIR, with their numbers of distinct k-mers."""
    configure_log(options)
    take_run_options(options)
    check_writable(output)
    with closing(read_color_index(index_path(path))) as index, open_output(output) as stream:
        write_samples(stream, index)
