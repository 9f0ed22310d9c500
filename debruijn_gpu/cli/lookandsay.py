"""`dbg lookandsay`: terms of the look-and-say sequence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.cli.common import (
    compute_options,
    configure_log,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, output_option
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.opening import STANDARD_INPUT, display_name, read_blocks
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.run import progress
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.resources import memory_left
from debruijn_gpu.sequences.look_and_say import digit_fault, length_after, made_digits, term_after
from debruijn_gpu.sequences.options import LookAndSayOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import SequenceBackend

_BLOCK = 1 << 24  # bytes that are read or written at once


@click.command("lookandsay")
@click.argument("seed", type=InputFile(is_path=STANDARD_INPUT.__eq__), metavar="[SEED]", default=STANDARD_INPUT)
@click.option("-n", "n_steps", type=COUNT, required=True, metavar="N", help="Number of steps.")
@click.option(
    "--length", "only_length", is_flag=True, help="Write the number of digits of the term instead of the term."
)
@output_option
@compute_options
@verbosity
def command(seed: str, output: str | None, **options: Any) -> None:
    """Write the look-and-say term N steps after SEED: 1, 11, 21, 1211, 111221, ...

    SEED is a number of any length (default or -: read from standard input). Terms grow by about 30% at each step.
    Memory must hold the last two terms. --length builds only short terms, and computes the length of longer ones from
    Conway's elements, for at most 10 million steps.
    """
    configure_log(options)
    run = take_run_options(options)
    chosen = LookAndSayOptions(**options)
    choose_format(output, ("text",), "text")
    check_writable(output)
    allowed = memory_left(run.memory)
    digits = _read_seed(seed, allowed)
    expected = made_digits(len(digits), chosen.n_steps, chosen.only_length)
    backend = backends.load_arrays(run, "lookandsay", expected)
    n_bytes_allowed = backend.memory_limit(allowed)
    term = backend.to_device(digits)
    if chosen.only_length:
        n_digits = length_after(term, chosen.n_steps, backend, n_bytes_allowed)
        text: Iterable[Any] = (f"{digits_of(n_digits)}\n".encode(),)
    else:
        term = term_after(term, chosen.n_steps, backend, n_bytes_allowed)
        text = chain(_blocks(term, backend), (b"\n",))
    with progress.running("write"), open_output(output) as stream:
        stream.writelines(text)


def _read_seed(seed: str, n_bytes_allowed: int) -> NDArray[np.uint8]:
    """The digits of SEED, or of standard input without the blanks around them."""
    text = seed.encode(errors="replace") if seed != STANDARD_INPUT else _read_all(n_bytes_allowed).strip()
    digits = np.frombuffer(text, np.uint8)
    fault = digit_fault(digits)
    if fault:
        where, error = ("SEED", ParameterError) if seed != STANDARD_INPUT else (display_name(seed), FormatError)
        raise error(f"{where}: {fault}", "give a number, such as 1 or 3113322113")
    return digits


def _read_all(n_bytes_allowed: int) -> bytes:
    """All of standard input."""
    parts, n_bytes = [], 0
    with progress.running("read"), closing(read_blocks(STANDARD_INPUT, _BLOCK)) as blocks:
        for block in blocks:
            parts.append(block.buffer[block.start : block.end].tobytes())
            n_bytes += len(parts[-1])
            check_size(n_bytes, n_bytes_allowed)
    return b"".join(parts)


def _blocks(term: Array, backend: SequenceBackend) -> Iterator[NDArray[np.uint8]]:
    """Yield a term in blocks, on the host."""
    for start in range(0, len(term), _BLOCK):
        progress.update(start, len(term), "digits")
        yield backend.to_host(term[start : start + _BLOCK])
