"""Options of commands on peptides and mass spectra."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.paths import STANDARD_STREAM, InputFile
from debruijn_gpu.io.peptides.peptides import read_residue_table
from debruijn_gpu.peptides.residues import MASS_KINDS, residue_masses

if TYPE_CHECKING:
    from debruijn_gpu.peptides.residues import ResidueMasses

spectrum_argument = click.argument("source", type=InputFile(), metavar="[SPECTRUM]", default=STANDARD_STREAM)

#: Masses of residues; `take_residue_masses` takes them
mass_options = apply(
    click.option(
        "--mass",
        "kind",
        default="integer",
        show_default=True,
        metavar="|".join(MASS_KINDS),
        help="Masses of residues that are given by letters and names.",
    ),
    click.option(
        "--masses",
        "table",
        type=InputFile(),
        metavar="FILE",
        help="Table of residue masses: one letter or name and its mass per line.",
    ),
)


#: Of commands that read peptides; `take_residue_masses` takes it
lower_case_option = click.option(
    "--lower-case", is_flag=True, help="Read peptides in lower case (nqel) like those in capitals."
)


def take_residue_masses(options: dict[str, Any]) -> ResidueMasses:
    """Take the options of `mass_options` and `lower_case_option`, and read the table."""
    kind, table = options.pop("kind"), options.pop("table")
    masses = residue_masses(kind, None if table is None else read_residue_table(table))
    return replace(masses, lower_case=options.pop("lower_case", False))
