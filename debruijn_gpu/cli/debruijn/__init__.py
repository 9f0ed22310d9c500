"""`dbg debruijn`: de Bruijn sequences and their variants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.cli.common import (
    apply,
    compute_options,
    configure_log,
    format_option,
    gpus_option,
    take_limit,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.debruijn import queries
from debruijn_gpu.cli.debruijn.other_forms import write_all, write_export
from debruijn_gpu.cli.debruijn.positional import SequenceGroup
from debruijn_gpu.cli.groups import excludes, exclusive, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, output_option
from debruijn_gpu.cli.symbols import symbol_options, symbols_or
from debruijn_gpu.errors import OptionValueError, ParameterError, UsageError
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.symbols.word_lists import read_words
from debruijn_gpu.io.symbols.writing import CyclicInterval, check_format, write_symbols
from debruijn_gpu.run import log
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import print_message
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.sequences.counts import shown
from debruijn_gpu.sequences.making import Made, make_sequence
from debruijn_gpu.sequences.options import (
    EXPORTS,
    METHODS,
    SYMBOL_FORMATS,
    SequenceOptions,
    SymbolOutputOptions,
    parse_position,
    parse_span,
)
from debruijn_gpu.sequences.symbols import parse_symbols

_which = apply(
    click.option("--method", metavar="|".join(METHODS), help="Construction of the sequence (default: lyndon)."),
    click.option(
        "--seed",
        default=SequenceOptions.seed,
        show_default=True,
        metavar="N",
        help="Random seed (with --method random).",
    ),
    click.option("--cut-down", type=COUNT, metavar="L", help="Cyclic sequence of L symbols without repeated windows."),
    click.option(
        "--both-strands", is_flag=True, help="DNA sequence that contains each word or its reverse complement."
    ),
    click.option(
        "--forbid", "forbidden", multiple=True, metavar="WORD", help="Exclude words that contain WORD; repeatable."
    ),
    click.option("--max-run", type=COUNT, metavar="M", help="Maximum run of equal symbols in a word."),
    click.option("--words", type=InputFile(), metavar="FILE", help="Use only the words of FILE, one word per line."),
    click.option("--multiplicity", is_flag=True, help="Use each word as often as it occurs in FILE (with --words)."),
)

_output = apply(
    click.option(
        "--cyclic/--linear",
        "cyclic",
        default=True,
        show_default=True,
        help="Cyclic sequence, or linear: with the first N-1 symbols repeated at the end.",
    ),
    click.option("--length", "only_length", is_flag=True, help="Write only the number of symbols."),
    click.option(
        "--export",
        metavar="|".join(EXPORTS),
        help="Write the shift register instead: a module, a program, or its taps (methods lfsr and crt; default: crt).",
    ),
    click.option("--all", "list_all", is_flag=True, help="Write all sequences, one per line, in lexicographic order."),
    click.option("--limit", type=COUNT, metavar="N", help="Maximum number of sequences (with --all; default: all)."),
    click.option(
        "--offset", default="0", show_default=True, metavar="P", help="Start the cyclic sequence at symbol P."
    ),
    click.option("--range", "span", default=":", metavar="A:B", help="Write only symbols A to B-1."),
    format_option(SYMBOL_FORMATS, "text", old=("--to",)),
    output_option,
)


@click.group("debruijn", cls=SequenceGroup, invoke_without_command=True)
@symbol_options
@_which
@_output
@compute_options
@gpus_option
@verbosity
@option_rules(
    needs("--seed", "--method random"),
    needs("--gpus", "--method euler"),
    needs("--multiplicity", "--words"),
    *exclusive("--method", "--words", "--both-strands", "--cut-down", "--forbid"),
    excludes("--max-run", "--method", "--words", "--both-strands", "--cut-down"),
    excludes("--length", "--offset", "--range", "--format"),
    excludes("--all", "--method", "--words", "--both-strands", "--cut-down", "--forbid", "--max-run"),
    excludes("--all", "--length", "--offset", "--range", "--format"),
    needs("--limit", "--all"),
    excludes("--export", "--all", "--words", "--both-strands", "--cut-down", "--forbid", "--max-run"),
    excludes("--export", "--length", "--offset", "--range", "--format", "--linear"),
)
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """Write a de Bruijn sequence, in which each word of N symbols occurs once.

    'dbg debruijn K N' is short for 'dbg debruijn --alphabet K -n N'.

    \b
    lyndon       the lexicographically smallest; any size
    grandmama    Lyndon words in co-lexicographic order; any size
    euler        Euler circuit of the de Bruijn graph
    lfsr         shift register; 2, 3, 4, 5, 7, 8, 9, ... symbols (prime powers)
    crt          shift registers, for any number of symbols
    random       uniformly random de Bruijn sequence
    prefer-same  repeats the last symbol where possible

    The alphabet is a number of symbols (digits, then letters, then numbers) or a list: ACGT, 01, or red,green,blue.
    Sizes may be written as 10k, 1,000 or 2^40.
    """
    if context.invoked_subcommand is not None:
        _pass_options_on(context, context.invoked_subcommand)
        return
    quiet = options["quiet"]
    configure_log(options)
    run = take_run_options(options)
    only_length, path = options.pop("only_length"), options.pop("output")
    list_all, limit = options.pop("list_all"), take_limit(options)
    export = options.pop("export")
    formats = ("text",) if only_length or list_all or export else SYMBOL_FORMATS
    options["file_format"] = choose_format(
        path, formats, SymbolOutputOptions.file_format, options["file_format"], "--format"
    )
    check_writable(path)
    chosen, output = _take_options(options)
    if export is not None:
        write_export(chosen, symbols_or(options.pop("alphabet")), export, path)
        return
    if list_all:
        write_all(chosen, symbols_or(options.pop("alphabet")), limit, run, path, quiet)
        return
    made = _make(chosen, options.pop("alphabet"), run)
    if only_length:
        with open_output(path) as stream:
            stream.write(f"{digits_of(made.total(chosen.linear))}\n".encode())
        return
    check_format(output.file_format, made.symbols)
    interval = _interval(made, made.total(chosen.linear), output)
    if not quiet:
        print_message(f"[dbg] {made.describe(chosen.linear)}")
    _write(made, interval, output.file_format, run, path)


def _pass_options_on(context: click.Context, name: str) -> None:
    """Pass options given before the name of a subcommand on to it."""
    known = {parameter.name for parameter in command.commands[name].params}
    given = {}
    for parameter in command.params:
        if context.get_parameter_source(str(parameter.name)) is not click.core.ParameterSource.COMMANDLINE:
            continue
        if parameter.name not in known:
            raise UsageError(
                f"{parameter.opts[-1]} does not go with {name}", f"'dbg debruijn {name} --help' lists its options"
            )
        given[str(parameter.name)] = context.params[str(parameter.name)]
    context.default_map = {name: given}


def _take_options(options: dict[str, Any]) -> tuple[SequenceOptions, SymbolOutputOptions]:
    """Split the options into those of the sequence and those of the output."""
    start, stop = parse_span(options.pop("span"))
    offset = parse_position(options.pop("offset"), "--offset")
    output = SymbolOutputOptions(start=start, stop=stop, offset=offset, file_format=options.pop("file_format"))
    chosen = SequenceOptions(
        linear=not options.pop("cyclic"),
        forbidden=tuple(options.pop("forbidden")),
        **{
            name: options.pop(name)
            for name in ("order", "method", "seed", "cut_down", "both_strands", "words", "multiplicity", "max_run")
        },
    )
    return chosen, output


def _make(chosen: SequenceOptions, alphabet: str | None, run: RunOptions) -> Made:
    """Build the sequence on the given alphabet, or on that of the words."""
    symbols = None if alphabet is None else parse_symbols(alphabet)
    words = None
    if chosen.words is not None:
        found = read_words(chosen.words, symbols, memory_left(run.memory))
        symbols, words = found.symbols, found.codes
        if chosen.order not in (None, words.shape[1]):
            raise ParameterError(
                f"-n is {chosen.order}, and the words of {chosen.words} have {words.shape[1]} symbols", "leave -n out"
            )
        chosen = replace(chosen, order=words.shape[1])
    return make_sequence(chosen, symbols, words, run)


def _interval(made: Made, total: int, output: SymbolOutputOptions) -> CyclicInterval:
    """Return the requested part of a sequence."""
    length = made.sequence.length
    if output.offset and (made.in_row or output.offset >= length):
        raise OptionValueError(
            f"--offset {shown(output.offset)}: "
            f"{'the sequence is linear' if made.in_row else f'there are {shown(length)} symbols'}",
            "give a smaller one" if not made.in_row else "leave it out",
        )
    stop = total if output.stop is None else output.stop
    if max(stop, output.start) > total:
        raise OptionValueError(
            f"--range goes to {shown(max(stop, output.start))}, and there are {shown(total)} symbols",
            "give one within them",
        )
    return CyclicInterval((output.offset + output.start) % length, stop - output.start)


def _write(made: Made, interval: CyclicInterval, file_format: str, run: RunOptions, path: str | None) -> None:
    """Write a part of a sequence."""
    ahead = run.n_threads > 1
    with log.stage("write", interval.n_symbols, "symbols"), open_output(path) as stream:
        write_symbols(stream, made.sequence, made.symbols, interval, file_format, made.backend, ahead)


for _query in (queries.locate, queries.at, queries.verify, queries.count):
    command.add_command(_query)
