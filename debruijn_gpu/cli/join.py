"""`dbg join`: keep the records whose key is in a file (semi-join), or is not (anti-join)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.cli.tables import Filter, chosen_keys, input_argument, key_options, table_options
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.primitives.filter import join_records
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.primitives.options import JoinOptions

if TYPE_CHECKING:
    from debruijn_gpu.io.numbers.text_tables import Table


@click.command("join")
@click.argument("wanted", type=InputFile(), metavar="KEYS")
@input_argument
@key_options("1[,2...]", "Columns of INPUT to look up in KEYS; t: as text, n: as numbers.", "1[,1][nt]")
@click.option("--unmatched", is_flag=True, help="Keep the records whose key is not in KEYS (anti-join).")
@table_options
def command(
    wanted: str, sources: tuple[str, ...], key: str, sort_keys: tuple[str, ...], unmatched: bool, **options: Any
) -> None:
    """Keep the records of INPUT whose key is in the file KEYS, in order.

    INPUT (default or -: standard input) and KEYS are text or .npy, auto-detected, or raw (with --dtype). The key
    columns of INPUT are compared in order with the first columns of KEYS; numbers of different types may be equal, and
    text is compared bytewise. With --header, KEYS may have a header, too. Several files of INPUT are one table.
    """
    if wanted == STANDARD_INPUT and (not sources or STANDARD_INPUT in sources):
        raise UsageError("standard input cannot be both KEYS and INPUT", "name a file for one of them")
    own = chosen_keys(key, sort_keys, may_descend=False)
    chosen = JoinOptions(keys=own, unmatched=unmatched)
    filtering = Filter(options)
    first_columns = [replace(each, column=i, listed=each.column) for i, each in enumerate(own)]
    keys = filtering.read([wanted], first_columns, "read keys", finds_header=filtering.has_header)
    typed = [_as_in(keys, i, each) for i, each in enumerate(own)]
    columns, known = filtering.ranked(filtering.read_records(sources, typed), keys)
    filtering.finish(columns, "join", lambda columns, backend: join_records(columns, known, chosen, backend))


def _as_in(keys: Table, i: int, key: Key) -> Key:
    """A key of INPUT that is text if the column of KEYS is, and numbers if that has numbers."""
    return replace(key, is_text=i in keys.words) if len(keys.columns) else key
