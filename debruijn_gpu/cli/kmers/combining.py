"""`dbg kmers union, intersect, subtract, difference, symmetric` and `expr`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.common import apply, configure_log, format_option, run_options, take_run_options, verbosity
from debruijn_gpu.cli.groups import exclusive, option_rules
from debruijn_gpu.cli.kmers.reading import (
    canonical_option,
    load_backend,
    name_of,
    opened_sets,
    sets_argument,
    take_paths,
)
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.io.kmer_sets.files import write_kmers
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.sets.combine import combine_sets
from debruijn_gpu.sets.expression import parse_expression
from debruijn_gpu.sets.options import (
    COUNT_RULES,
    SET_FORMATS,
    CombineOptions,
    CountLimits,
    check_named,
    split_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from debruijn_gpu.backends.core.array_types import Codes, Counts
    from debruijn_gpu.backends.kmers.set_programs import SetProgram

limit_options = apply(
    click.option(
        "--min-count",
        type=COUNT,
        default=CountLimits.min_count,
        show_default=True,
        metavar="N",
        help="Minimum count of a k-mer in the result.",
    ),
    click.option(
        "--max-count", type=COUNT, metavar="N", help="Maximum count of a k-mer in the result (default: none)."
    ),
)

set_output = apply(
    format_option(SET_FORMATS, "tsv"),
    output_option,
    run_options,
    verbosity,
)

_membership_options = apply(
    click.option(
        "--count",
        metavar="|".join(COUNT_RULES),
        help="Count of a k-mer of several sets (default: sum for union, min for intersect).",
    ),
    click.option("--at-least", type=COUNT, metavar="N", help="Keep k-mers of at least N of the sets."),
    click.option("--exactly", type=COUNT, metavar="N", help="Keep k-mers of exactly N of the sets."),
    option_rules(*exclusive("--at-least", "--exactly")),
)


def write_combined(
    paths: Sequence[str],
    program: SetProgram,
    output: str | None,
    file_format: str | None,
    canonical: bool,
    run: RunOptions,
) -> None:
    """Combine sets by a program, and write the result."""
    chosen = choose_format(output, SET_FORMATS, "tsv", file_format, "--format")
    check_writable(output)
    backend = load_backend(run)
    n_kept = 0

    def counted(parts: Iterator[tuple[Codes, Counts]]) -> Iterator[tuple[Codes, Counts]]:
        nonlocal n_kept
        for codes, counts in parts:
            n_kept += len(counts)
            yield codes, counts

    with opened_sets(paths, run, canonical) as opened:
        sets = [one.kmers for one in opened]
        parts = combine_sets(sets, program, run, backend)
        with log.stage("combine", sum(map(len, sets)), "k-mers"), open_output(output) as stream:
            write_kmers(stream, chosen, sets[0].k, sets[0].canonical, counted(parts))
        log.report("%s of %s k-mers in %s sets", f"{n_kept:,}", f"{sum(map(len, sets)):,}", len(sets))


def _run(operation: str, options: dict[str, Any]) -> None:
    """Run an operation on any number of sets."""
    configure_log(options)
    run = take_run_options(options)
    paths = take_paths(options.pop("paths"))
    others = {name: options.pop(name) for name in ("output", "file_format", "canonical")}
    chosen = CombineOptions(operation=operation, **options)
    write_combined(paths, chosen.program(len(paths)), run=run, **others)


@click.command("union", short_help="Keep the k-mers of any set.")
@sets_argument()
@_membership_options
@limit_options
@canonical_option
@set_output
def union(**options: Any) -> None:
    """Write the k-mers that are in any of the SETs, or in enough of them."""
    _run("union", options)


@click.command("intersect", short_help="Keep the k-mers of all sets.")
@sets_argument()
@_membership_options
@limit_options
@canonical_option
@set_output
def intersect(**options: Any) -> None:
    """Write the k-mers that are in all of the SETs, or in enough of them."""
    _run("intersect", options)


def _plain(name: str, short_help: str, text: str) -> click.Command:
    """Make the command of an operation without a choice of membership."""

    def function(**options: Any) -> None:
        _run(name, options)

    function.__doc__ = text
    decorated: Callable[..., None] = apply(sets_argument(), limit_options, canonical_option, set_output)(function)
    return click.command(name, short_help=short_help)(decorated)


subtract = _plain(
    "subtract",
    "Keep the k-mers of the first set that no other has.",
    "Write the k-mers of the first SET that none of the others has, with their counts.",
)
difference = _plain(
    "difference",
    "Subtract the counts of the other sets from the first.",
    "Write the k-mers of the first SET, with their counts less those in the others; only counts above 0 are kept.",
)
symmetric = _plain(
    "symmetric",
    "Keep the k-mers that only one set has.",
    "Write the k-mers that are in exactly one of the SETs, with their counts in it.",
)


@click.command("expr", short_help="Combine sets by an expression.")
@click.argument("expression", metavar="EXPRESSION")
@sets_argument(may_have_name=True, required=True)
@limit_options
@canonical_option
@set_output
def expr(expression: str, **options: Any) -> None:
    """Write the set that EXPRESSION describes, such as '(a + b) * c - d' with a=FILE b=FILE c=FILE d=FILE.

    \b
    a * b   intersection, the smaller count    a * max b, sum, min, left, right, diff
    a + b   union, the sum of the counts       a + max b, and so on
    a - b   k-mers of a that b lacks
    a ~ b   counts of a less those of b, if above 0

    The intersection binds tighter; the others are applied from left to right. A word behind + or * is the rule for the
    count of a k-mer of both. Without NAME=, a set is called like its file, without extension.
    """
    configure_log(options)
    run = take_run_options(options)
    limits = CountLimits(min_count=options.pop("min_count"), max_count=options.pop("max_count"))
    named = [split_name(text) for text in options.pop("paths")]
    names = tuple(name or name_of(path) for name, path in named)
    check_named(names)
    program = parse_expression(expression, {name: i for i, name in enumerate(names)}, limits)
    write_combined([path for _, path in named], program, run=run, **options)


COMMANDS = (union, intersect, subtract, difference, symmetric, expr)
