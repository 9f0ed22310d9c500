"""`dbg cyclospec score` and `trim`: score peptides against a spectrum, and select the best."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu.cli.common import apply, configure_log, verbosity
from debruijn_gpu.cli.cyclospec.reading import read_measured, spectrum_options, tolerance_option
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, note_standard_input, output_option
from debruijn_gpu.cli.spectra import (
    is_peptide,
    is_peptide_file,
    lower_case_option,
    mass_options,
    spectrum_argument,
    take_residue_masses,
)
from debruijn_gpu.errors import UsageError
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.io.output import check_writable, write_lines
from debruijn_gpu.io.peptides.peptides import read_arguments
from debruijn_gpu.peptides.notation import spell_peptide
from debruijn_gpu.peptides.options import parse_tolerance
from debruijn_gpu.peptides.scoring import Scorer, best_with_ties
from debruijn_gpu.run.checks import check_range

if TYPE_CHECKING:
    from debruijn_gpu.peptides.spectrum import Peptide

_AT_ONCE = 1 << 14  # peptides

_peptides_and_spectrum = apply(
    click.argument("peptides", type=InputFile(is_path=is_peptide_file), nargs=-1, metavar="[PEPTIDE]..."),
    spectrum_argument,
    click.option("--linear", is_flag=True, help="Treat peptides as linear (default: cyclic)."),
    mass_options,
    lower_case_option,
    tolerance_option,
    spectrum_options,
    output_option,
    verbosity,
)


@click.command("score", short_help="Count the masses of peptides that a spectrum has.")
@_peptides_and_spectrum
def score(peptides: tuple[str, ...], source: str, output: str | None, **options: Any) -> None:
    """Count the masses of the theoretical spectrum of each PEPTIDE that are in SPECTRUM, with multiplicity.

    PEPTIDE is letters, names, masses, or a file with one of these per line or in FASTA. What is not given is read from
    standard input: SPECTRUM after peptides, or the peptides before a file. The score of one peptide is written alone;
    those of several, or of a file, as lines of score and peptide.
    """
    found, scorer, is_alone = _read(peptides, source, output, options)

    def lines() -> Iterator[str]:
        while batch := list(islice(found, _AT_ONCE)):
            for number, peptide in zip(scorer.scores(batch).tolist(), batch, strict=True):
                yield str(number) if is_alone else f"{number}\t{peptide.label or spell_peptide(peptide)}"

    write_lines(lines(), output)


@click.command("trim", short_help="Select the peptides that score highest.")
@click.option(
    "--top",
    type=COUNT,
    required=True,
    metavar="N",
    help="Number of peptides to keep; those that score as much as the last one are kept, too.",
)
@_peptides_and_spectrum
def trim(peptides: tuple[str, ...], source: str, top: int, output: str | None, **options: Any) -> None:
    """Write the peptides that score highest against SPECTRUM, the best one first, one per line.

    For PEPTIDE, standard input, and the score, see 'dbg cyclospec score'.
    """
    check_range("--top", top, 1)
    found, scorer, _ = _read(peptides, source, output, options)
    kept = list(found)
    best = [kept[place] for place in best_with_ties(scorer.scores(kept), top).tolist()]
    lines = (
        f">{peptide.label}\n{spell_peptide(peptide)}" if peptide.label else spell_peptide(peptide) for peptide in best
    )
    write_lines(lines, output)


def _read(
    peptides: tuple[str, ...], source: str, output: str | None, options: dict[str, Any]
) -> tuple[Iterator[Peptide], Scorer, bool]:
    """Take the options of `_peptides_and_spectrum`: peptides, what scores them, and whether there is just one."""
    configure_log(options)
    masses = take_residue_masses(options)
    if source != STANDARD_INPUT and not os.path.exists(source) and is_peptide(source, masses):
        peptides, source = (*peptides, source), STANDARD_INPUT
        note_standard_input()
    elif not peptides:
        note_standard_input()
    if source == STANDARD_INPUT and STANDARD_INPUT in (peptides or (STANDARD_INPUT,)):
        raise UsageError("peptides and spectrum are both standard input", "give a file for one of them")
    linear, tolerance = options.pop("linear"), parse_tolerance(options.pop("tolerance"))
    check_writable(output)
    is_alone = len(peptides) == 1 and not is_peptide_file(peptides[0])
    found = read_arguments(peptides or (STANDARD_INPUT,), masses)
    return found, Scorer(read_measured(source, options).spectrum, linear=linear, tolerance=tolerance), is_alone
