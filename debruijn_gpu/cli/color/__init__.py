"""`dbg color`: coloured de Bruijn graphs."""

from __future__ import annotations

import click

from debruijn_gpu.cli.color import building, queries
from debruijn_gpu.cli.groups import DefaultGroup


@click.group("color", cls=DefaultGroup, default="build", of="sample file", unless="--")
def command() -> None:
    """Build the coloured de Bruijn graph of samples, and select from it.

    A colour set is the set of samples that hold a k-mer. Each distinct set is stored once; unitigs have the numbers of
    the sets along them.

    'dbg color SAMPLES...' is short for 'dbg color build SAMPLES...'.
    """


for _command in (building.build, queries.grep, queries.sets, queries.samples):
    command.add_command(_command)
