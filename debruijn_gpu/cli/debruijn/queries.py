"""`dbg debruijn locate`, `at`, `verify` and `count`: queries on de Bruijn sequences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import click
import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.cli.common import (
    apply,
    compute_options,
    configure_log,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, note_standard_input, output_option
from debruijn_gpu.cli.symbols import needed_order, symbol_options, symbols_or
from debruijn_gpu.errors import FormatError, ParameterError, UsageError
from debruijn_gpu.io.lines import split_lines
from debruijn_gpu.io.opening import STANDARD_INPUT, check_readable, display_name, read_blocks
from debruijn_gpu.io.output import check_writable, write_lines
from debruijn_gpu.io.publishing import publish_completed
from debruijn_gpu.io.reading_again import readable_again
from debruijn_gpu.io.symbols.reading import check_read_format, letters_of, open_symbols
from debruijn_gpu.run.checks import check_range
from debruijn_gpu.run.plain_text import counted, shorten
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.sequences.counts import (
    count_lyndon_words,
    count_necklaces,
    count_sequences,
    count_symbols,
    shown,
)
from debruijn_gpu.sequences.faults import Faults, find_faults
from debruijn_gpu.sequences.making import ranked_sequence
from debruijn_gpu.sequences.options import MOST_ORDER, RANKED_METHODS, READ_FORMATS, parse_position
from debruijn_gpu.sequences.symbols import Symbols, numbered_symbols
from debruijn_gpu.sequences.verify import verify as verify_blocks

_BATCH = 1 << 14  # queries of a batch
_BLOCK_BYTES = 1 << 20

_QUESTIONS = InputFile(is_path=STANDARD_INPUT.__eq__)  # - is standard input
_ranked_method = click.option(
    "--method",
    default="lyndon",
    show_default=True,
    metavar="|".join(RANKED_METHODS),
    help="Construction of the sequence.",
)
_threads = apply(
    click.option("-t", "--threads", default=0, metavar="N", help="Number of threads (default: 0, all allowed CPUs)."),
    verbosity,
)


def _asked(given: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield queries of the command line, or of the lines of standard input, in batches."""
    if not given:
        note_standard_input()
    given = () if given == (STANDARD_INPUT,) else given
    questions = iter(given) if given else _lines_of_input()
    while batch := tuple(itertools.islice(questions, _BATCH)):
        yield batch


def _lines_of_input() -> Iterator[str]:
    """Yield the lines of standard input that are not empty."""
    with closing(read_blocks(STANDARD_INPUT, _BLOCK_BYTES, may_be_empty=True)) as blocks:
        for number, line in enumerate(split_lines(blocks, "standard input"), 1):
            try:
                text = line.decode().strip()
            except UnicodeDecodeError:
                raise FormatError(f"standard input, line {number}: not text in UTF-8", "give one per line") from None
            if text:
                yield text


def _set_up(options: dict[str, Any]) -> str | None:
    """Take the log's options, the threads and the output, which is returned."""
    configure_log(options)
    output: str | None = options.pop("output")
    check_writable(output)
    backends.load(take_run_options(options))
    return output


@click.command("locate", short_help="Locate windows in a sequence.")
@click.argument("windows", type=_QUESTIONS, nargs=-1, metavar="[WINDOW]...")
@symbol_options
@_ranked_method
@output_option
@_threads
def locate(windows: tuple[str, ...], alphabet: str | None, order: int | None, method: str, **options: Any) -> None:
    """Write the 0-based position of each WINDOW in a de Bruijn sequence.

    A window is N symbols, separated by commas if they have several letters (default or -: one window per line of
    standard input).
    """
    output = _set_up(options)
    write_lines(map(digits_of, _located(windows, symbols_or(alphabet), order, method)), output)


def _located(windows: tuple[str, ...], symbols: Symbols, order: int | None, method: str) -> Iterator[int]:
    """Yield the positions of windows; the first one gives their length if it is None."""
    sequence = None
    if order is not None:
        check_range("-n", order, 1, MOST_ORDER)
    for batch in _asked(windows):
        codes = [symbols.encode(window) for window in batch]
        order = len(codes[0]) if order is None else order
        for window, found in zip(batch, codes, strict=True):
            if len(found) != order:
                raise ParameterError(
                    f"{shorten(window)}: a window of {len(found)} symbols, not {order}", "give windows of -n"
                )
        sequence = sequence or ranked_sequence(method, len(symbols), order)
        yield from sequence.positions_of(np.stack(codes))


@click.command("at", short_help="Write the windows at positions.")
@click.argument("positions", type=_QUESTIONS, nargs=-1, metavar="[POSITION]...")
@symbol_options
@_ranked_method
@output_option
@_threads
def at(positions: tuple[str, ...], alphabet: str | None, order: int | None, method: str, **options: Any) -> None:
    """Write the window at each 0-based POSITION of a de Bruijn sequence.

    Positions may be written as 10k, 1,000 or 2^40 (default or -: one position per line of standard input).
    """
    output = _set_up(options)
    write_lines(_windows_at(positions, symbols_or(alphabet), needed_order(order), method), output)


def _windows_at(positions: tuple[str, ...], symbols: Symbols, order: int, method: str) -> Iterator[str]:
    """Yield the windows at positions as text."""
    sequence = ranked_sequence(method, len(symbols), order)
    for batch in _asked(positions):
        places = [parse_position(text, "position") for text in batch]
        if max(places) >= sequence.length:
            raise ParameterError(
                f"position {shown(max(places))} is beyond the {len(symbols)}^{order} symbols", "give a smaller one"
            )
        yield from map(symbols.spell, sequence.windows_at(places))


@click.command("verify", short_help="Verify that a file is a de Bruijn sequence.")
@click.argument("source", type=InputFile(), metavar="[FILE]", default=STANDARD_INPUT)
@symbol_options
@click.option("--cyclic/--linear", "cyclic", default=True, show_default=True, help="Cyclic or linear sequence.")
@click.option(
    "--from", "file_format", default="text", show_default=True, metavar="|".join(READ_FORMATS), help="Format of FILE."
)
@click.option(
    "--limit",
    type=COUNT,
    default=30,
    show_default=True,
    metavar="N",
    help="Maximum number of repeated and of missing words to list; 0: none.",
)
@output_option
@compute_options
@verbosity
def verify(
    source: str,
    alphabet: str | None,
    order: int | None,
    cyclic: bool,
    file_format: str,
    limit: int,
    output: str | None,
    **options: Any,
) -> None:
    """Verify that FILE (default or -: standard input) is a de Bruijn sequence, or report where it fails.

    By default, the alphabet is the letters that occur in FILE, and N follows from its length. If FILE is not a de
    Bruijn sequence, writes a line for each repeated word (the word, its number of occurrences, and the 0-based
    positions of the first ten) and for each missing word, and exits with 64.
    """
    configure_log(options)
    check_range("--limit", limit, 0)
    run = take_run_options(options)
    check_read_format(file_format)
    check_readable(source)
    check_writable(output)
    with readable_again(source, needed=alphabet is None and file_format == "text") as again:
        symbols = _alphabet_of(again, alphabet, file_format, order)
        file = open_symbols(again, symbols, file_format, memory_left(run.memory))
        if order is None:
            order = _order_of(sum(map(len, file.blocks())) * file.per_element, file.per_element, len(symbols), cyclic)
        backend = backends.load_cuda(run) if run.backend == "cuda" else backends.load(run)
        memory = backend.memory_limit(memory_left(run.memory))
        verification = verify_blocks(file.blocks, len(symbols), order, not cyclic, backend, memory, file.n_bits)
        if not verification.ok:
            linear = not cyclic
            faults = (
                find_faults(file.blocks, len(symbols), order, linear, limit, memory_left(run.memory), file.n_bits)
                if limit
                else None
            )
    if not verification.ok:
        totals = "" if faults is None else _list_faults(faults, symbols, output)
        publish_completed()
        raise FormatError(f"{display_name(source)}: {verification.describe(symbols)}", totals)
    write_lines([verification.describe(symbols)], output)


def _list_faults(faults: Faults, symbols: Symbols, output: str | None) -> str:
    """Write repeated and missing words; return their totals."""
    repeated = (
        f"repeated\t{symbols.spell(each.word)}\t{each.count}\t{','.join(map(str, each.positions))}"
        for each in faults.repeated
    )
    missing = (f"missing\t{symbols.spell(word)}" for word in faults.missing)
    write_lines(itertools.chain(repeated, missing), output)
    totals = f"in all, {counted(faults.n_repeated, 'word is', 'words are')} repeated, and {faults.n_missing:,} missing"
    is_cut = max(faults.n_repeated - len(faults.repeated), faults.n_missing - len(faults.missing)) > 0
    return totals + ("; --limit N lists more" if is_cut else "")


def _alphabet_of(source: str, alphabet: str | None, file_format: str, order: int | None) -> Symbols:
    """Return the given alphabet, or that of the file."""
    if alphabet is not None:
        return symbols_or(alphabet)
    if file_format in ("bits", "2bit"):
        return numbered_symbols(2 if file_format == "bits" else 4)
    if file_format == "bytes":
        raise UsageError("--alphabet is missing", "give it: only text shows its symbols")
    letters = letters_of(source)
    if len(letters) < (2 if order is None else 1):
        raise FormatError(f"{source}: has {len(letters) or 'no'} symbols", "give --alphabet, and the format (--from)")
    return Symbols(tuple(letters))


def _order_of(n_found: int, per_element: int, n_symbols: int, cyclic: bool) -> int:
    """Compute the window length from the number of symbols, which may be up to ``per_element - 1`` less."""
    if n_symbols == 1:
        raise UsageError("-n is missing", "give it: sequences of one symbol have the same length for every -n")
    order = 1
    while (n_needed := n_symbols**order + (0 if cyclic else order - 1)) <= n_found - per_element:
        order += 1
    if n_needed > n_found:
        raise FormatError(
            f"{n_found:,} symbols are not a power of {n_symbols}{'' if cyclic else ', and n - 1'}",
            "give -n, and the --alphabet, --linear or --from that it takes",
        )
    return order


@click.command("count", short_help="Count de Bruijn sequences.")
@symbol_options
@output_option
@verbosity
def count(alphabet: str | None, order: int | None, output: str | None, **options: Any) -> None:
    """Count de Bruijn sequences, their symbols, necklaces and Lyndon words."""
    configure_log(options)
    k, n = len(symbols_or(alphabet)), needed_order(order)
    counts = {
        "sequences": str(count_sequences(k, n)),
        "symbols_of_each": str(count_symbols(k, n)),
        "necklaces": str(count_necklaces(k, n)),
        "lyndon_words": str(count_lyndon_words(k, n)),
    }
    write_lines((f"{name}\t{number}" for name, number in counts.items()), output)
