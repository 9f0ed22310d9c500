"""`dbg join`: keep the records whose key is in a file (semi-join)."""

from __future__ import annotations

from typing import Any

import click

from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.cli.tables import Filter, input_argument, table_options
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.primitives.filter import join_records
from debruijn_gpu.primitives.options import JoinOptions, parse_keys


@click.command("join")
@click.argument("wanted", type=InputFile(), metavar="KEYS")
@input_argument
@click.option("--key", default="1", show_default=True, metavar="1[,2...]", help="Columns of INPUT to look up in KEYS.")
@table_options
def command(wanted: str, source: str, key: str, **options: Any) -> None:
    """Keep the records of INPUT whose key is in the file KEYS, in order.

    INPUT (default or -: standard input) and KEYS are text or .npy, auto-detected, or raw (with --dtype). The key
    columns of INPUT are compared in order with the first columns of KEYS; numbers of different types may be equal.
    """
    if wanted == source == STANDARD_INPUT:
        raise UsageError("standard input cannot be both KEYS and INPUT", "name a file for one of them")
    chosen = JoinOptions(keys=parse_keys(key, may_descend=False))
    filtering = Filter(options)
    keys = filtering.read(wanted, "read keys")
    filtering.run(source, "join", lambda columns, backend: join_records(columns, keys, chosen, backend))
