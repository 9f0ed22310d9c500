"""Options that choose a measured spectrum, for commands that read one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.common import apply
from debruijn_gpu.cli.groups import exclusive, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.io.peptides.spectra import read_spectrum
from debruijn_gpu.peptides.peaks import Charges
from debruijn_gpu.run import log
from debruijn_gpu.run.checks import check_range

if TYPE_CHECKING:
    from debruijn_gpu.peptides.spectrum import Measured

#: Number or title of the spectrum in a file, and charges
spectrum_options = apply(
    option_rules(*exclusive("--number", "--title")),
    click.option(
        "--number",
        type=COUNT,
        default=0,
        show_default=True,
        metavar="N",
        help="0-based number of the spectrum in the file.",
    ),
    click.option("--title", metavar="TEXT", help="Title of the spectrum in the file."),
    click.option("--charge", type=int, metavar="Z", help="Charge of the precursor (default: from the file)."),
    click.option(
        "--fragment-charge", type=int, metavar="Z", help="Charge of the peaks (default: from the file, or 1)."
    ),
)

tolerance_option = click.option(
    "--tolerance", default="0", show_default=True, metavar="DA|PPMppm", help="Maximum difference of matching masses."
)


def read_measured(path: str, options: dict[str, Any]) -> Measured:
    """Take the options of `spectrum_options`, and read the spectrum."""
    charges = Charges(fragment=options.pop("fragment_charge"), precursor=options.pop("charge"))
    with log.stage("read", unit="peaks") as stage:
        check_range("--number", options["number"], 0)
        measured = read_spectrum(path, options.pop("number"), options.pop("title"), charges)
        stage.items = len(measured.spectrum)
    return measured
