"""Options of commands on sequences of symbols: alphabet and window length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.errors import UsageError
from debruijn_gpu.sequences.symbols import parse_symbols

if TYPE_CHECKING:
    from debruijn_gpu.sequences.symbols import Symbols

symbol_options = apply(
    click.option(
        "--alphabet",
        metavar="K|SYMBOLS",
        help="Number of symbols, or the symbols: 10, ACGT or red,green,blue (default: 2).",
    ),
    click.option("-n", "order", type=COUNT, metavar="N", help="Window length in symbols."),
)


def symbols_or(alphabet: str | None, default: str = "2") -> Symbols:
    """Parse the given alphabet, or a default."""
    return parse_symbols(default if alphabet is None else alphabet)


def needed_order(order: int | None) -> int:
    """Return the window length, or raise UsageError without one."""
    if order is None:
        raise UsageError("-n is missing", "give the length of a window: dbg debruijn --alphabet 10 -n 4")
    return order
