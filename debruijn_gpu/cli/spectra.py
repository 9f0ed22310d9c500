"""What the commands on peptides and spectra share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.paths import InputFile
from debruijn_gpu.io.peptides import read_residue_table
from debruijn_gpu.spectra.residues import MASS_KINDS, residue_masses

if TYPE_CHECKING:
    from debruijn_gpu.spectra.residues import ResidueMasses

#: What residues weigh; `take_residue_masses` takes them
mass_options = apply(
    click.option(
        "--mass",
        "kind",
        default="integer",
        show_default=True,
        metavar="|".join(MASS_KINDS),
        help="Which masses letters and names stand for.",
    ),
    click.option(
        "--masses",
        "table",
        type=InputFile(),
        metavar="FILE",
        help="Masses of your own: a letter or name and a mass per line.",
    ),
)


def take_residue_masses(options: dict[str, Any]) -> ResidueMasses:
    """Take the options of `mass_options`, and read the table."""
    kind, table = options.pop("kind"), options.pop("table")
    return residue_masses(kind, None if table is None else read_residue_table(table))


class DefaultGroup(click.Group):
    """A group that takes what is no name of a command for the arguments of one of them."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [self._default, *args]
        return super().parse_args(ctx, args)
