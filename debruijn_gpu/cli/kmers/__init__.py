"""`dbg kmers`: combine, compare and convert sets of k-mers."""

from __future__ import annotations

import click

from debruijn_gpu.cli.groups import CommandGroup
from debruijn_gpu.cli.kmers import combining, queries


@click.group("kmers", cls=CommandGroup)
def command() -> None:
    """Combine, compare and convert sets of counted k-mers.

    A set is a file of 'dbg count' (.dbgk), KFF 1.0, a KMC database, or text: k-mer and count per line, or FASTA with
    the count as the name. Formats are detected by content. Text does not say whether k-mers are canonical: see
    --forward.
    """


for _command in (*combining.COMMANDS, queries.info, queries.dump, queries.histogram, queries.compare):
    command.add_command(_command)
