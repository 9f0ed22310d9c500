"""What the commands on sequences of symbols share: their alphabet and the length of their windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.errors import UsageError
from debruijn_gpu.sequences.symbols import parse_symbols

if TYPE_CHECKING:
    from debruijn_gpu.sequences.symbols import Symbols

symbol_options = apply(
    click.option(
        "--alphabet",
        metavar="K|SYMBOLS",
        help="How many symbols, or which: 10, ACGT or red,green,blue; 2 if not given.",
    ),
    click.option("-n", "order", type=int, metavar="N", help="Symbols of a window."),
)


def symbols_or(alphabet: str | None, default: str = "2") -> Symbols:
    """The alphabet that is given, or a default."""
    return parse_symbols(default if alphabet is None else alphabet)


def needed_order(order: int | None) -> int:
    """The length of a window, which must be given."""
    if order is None:
        raise UsageError("-n is missing", "give the length of a window: dbg debruijn --alphabet 10 -n 4")
    return order
