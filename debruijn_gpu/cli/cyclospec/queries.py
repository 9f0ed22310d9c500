"""`dbg cyclospec sequence`, `convolve` and `count`: find and count peptides."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.cli.common import apply, compute_options, configure_log, take_run_options, verbosity
from debruijn_gpu.cli.cyclospec.reading import read_measured, spectrum_options, tolerance_option
from debruijn_gpu.cli.groups import excludes, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.cli.spectra import mass_options, spectrum_argument, take_residue_masses
from debruijn_gpu.errors import NoPeptideError, OptionValueError, ParameterError, SearchLimitError, UsageError
from debruijn_gpu.io.numbers.text import printed
from debruijn_gpu.io.output import check_writable, open_output, write_lines
from debruijn_gpu.peptides.convolution import convolution, convolution_alphabet, frequent
from debruijn_gpu.peptides.counting import count_cyclopeptides, count_peptides
from debruijn_gpu.peptides.forms import LetterSpeller, all_forms
from debruijn_gpu.peptides.ideal import sequence_ideal
from debruijn_gpu.peptides.leaderboard import sequence_noisy
from debruijn_gpu.peptides.notation import spell_peptide
from debruijn_gpu.peptides.options import (
    IDEAL_STEPS,
    SEQUENCING_METHODS,
    ConvolutionOptions,
    LeaderboardOptions,
    check_method,
    parse_bounds,
    parse_mass_range,
    parse_tolerance,
)
from debruijn_gpu.peptides.residues import Alphabet, make_alphabet, range_alphabet
from debruijn_gpu.peptides.spectrum import MAX_DECIMALS, MAX_UNITS, Peptide, n_decimals, read_number, to_units
from debruijn_gpu.peptides.turnpike import sequence_linear
from debruijn_gpu.run import log
from debruijn_gpu.run.checks import check_range

if TYPE_CHECKING:
    from debruijn_gpu.peptides.residues import ResidueMasses
    from debruijn_gpu.peptides.spectrum import Measured

_ALPHABET_HELP = "Residue masses: standard ones, frequent differences within SPECTRUM, a range, or a list."

_OTHER_MASSES = {
    "--parent": "give it with the decimals of the spectrum",
    "MASS": "give another one, or other residues (--mass monoisotopic, --alphabet)",
}


def _alphabet(text: str, masses: ResidueMasses, measured: Measured | None, options: ConvolutionOptions) -> Alphabet:
    """Return the residues of ``--alphabet``."""
    if text == "standard":
        return make_alphabet(masses.standard, masses.decimals)
    if text == "spectrum" and measured is not None:
        return convolution_alphabet(measured.spectrum, options)
    ends = parse_mass_range(text)
    if ends is not None:
        return range_alphabet(*ends)
    numbers = [read_number(part.strip()) for part in text.split(",")]
    known = [number for number in numbers if number is not None]
    decimals = max(map(n_decimals, known), default=0)
    if len(known) < len(numbers) or decimals > MAX_DECIMALS:
        raise UsageError(
            f"--alphabet {text}: no alphabet",
            f"give standard, spectrum, a range (57:200) or masses of up to {MAX_DECIMALS} decimals (57,71.03711)",
        )
    return make_alphabet((to_units(number, decimals) for number in known), decimals)


def _mass(text: str, decimals: int, name: str) -> int:
    """A mass in units of 10^-decimals."""
    number = read_number(text.strip()) or Decimal(0)
    n_more = max(0, n_decimals(number) - decimals)
    scale: int = 10**n_more
    units, rest = divmod(to_units(number, decimals + n_more), scale)
    if rest or not 0 < units < MAX_UNITS:
        kind = f"mass of up to {decimals} decimals" if decimals else "whole mass"
        raise OptionValueError(f"{name} {text}: no {kind} above 0", _OTHER_MASSES[name])
    return units


@click.command("sequence", short_help="Find the peptides of a spectrum.")
@spectrum_argument
@apply(
    click.option(
        "--method",
        default="auto",
        show_default=True,
        metavar="|".join(SEQUENCING_METHODS),
        help="ideal: all peptides with exactly this spectrum; leaderboard: peptides that explain most masses.",
    ),
    click.option(
        "--alphabet",
        default="standard",
        show_default=True,
        metavar="standard|spectrum|57:200|57,71",
        help=_ALPHABET_HELP,
    ),
    click.option(
        "--frequent",
        type=COUNT,
        default=ConvolutionOptions.top,
        show_default=True,
        metavar="M",
        help="Number of most frequent differences, from 57 to 200 (with --alphabet spectrum).",
    ),
    mass_options,
    click.option(
        "--parent", metavar="MASS", help="Mass of the peptide (default: that of the precursor, or the greatest mass)."
    ),
    tolerance_option,
    click.option(
        "--keep",
        type=COUNT,
        default=LeaderboardOptions.keep,
        show_default=True,
        metavar="N",
        help="leaderboard: candidates kept in each round; ties are kept, too.",
    ),
    click.option(
        "--top",
        type=COUNT,
        default=LeaderboardOptions.top,
        show_default=True,
        metavar="N",
        help="leaderboard: number of peptides to write.",
    ),
    click.option(
        "--steps",
        type=COUNT,
        default=IDEAL_STEPS,
        show_default=True,
        metavar="N",
        help="ideal: million steps after which the search gives up (0: no limit); auto: leaderboard follows.",
    ),
    click.option("--linear", is_flag=True, help="Find linear peptides (default: cyclic)."),
    click.option(
        "--all-forms", is_flag=True, help="Write all rotations of each peptide, and both directions (linear: these)."
    ),
    click.option(
        "--letters",
        is_flag=True,
        help="Also write each peptide in letters: (I/L) where masses are equal, [99.5] if none.",
    ),
    spectrum_options,
    output_option,
)
@compute_options
@verbosity
@option_rules(
    needs("--frequent", "--alphabet spectrum"),
    needs("--tolerance", "--method auto", "--method leaderboard", "--alphabet spectrum", "--letters"),
    excludes("--steps", "--method leaderboard"),
    excludes("--keep", "--method ideal"),
    excludes("--top", "--method ideal"),
    needs("--mass", "--alphabet standard", "--letters"),
    needs("--masses", "--alphabet standard", "--letters"),
)
def sequence(source: str, output: str | None, **options: Any) -> None:
    """Find the cyclic peptides, or the linear ones, of SPECTRUM: numbers, MGF or mzML (default or -: standard input).

    Peptides are written as the masses of their residues, in the least rotation of either direction (linear: in the
    lesser direction). The leaderboard method writes the score, the number of explained masses, before each peptide.
    """
    configure_log(options)
    run, masses = take_run_options(options), take_residue_masses(options)
    tolerance = parse_tolerance(options.pop("tolerance"))
    linear = options.pop("linear")
    board = LeaderboardOptions(keep=options.pop("keep"), top=options.pop("top"), linear=linear, tolerance=tolerance)
    speller = LetterSpeller(masses, tolerance) if options.pop("letters") else None
    every_form, steps = options.pop("all_forms"), options.pop("steps")
    check_range("--steps", steps, 0)
    frequent = ConvolutionOptions(top=options.pop("frequent"), tolerance=tolerance)
    method = check_method(options.pop("method"))
    check_writable(output)
    alphabet_text, parent_text = options.pop("alphabet"), options.pop("parent")
    measured = read_measured(source, options)
    alphabet = _alphabet(alphabet_text, masses, measured, frequent)
    parent = None if parent_text is None else _mass(parent_text, measured.spectrum.decimals, "--parent")
    if method == "ideal" or (method == "auto" and not tolerance.value):
        peptides = _of_ideal(measured, alphabet, parent, method == "ideal", linear, steps)
        if peptides:
            lines = (
                _spelled(form, alphabet, speller)
                for peptide in peptides
                for form in _forms(peptide, linear, every_form)
            )
            write_lines(lines, output)
            return
    backend = backends.load_cuda(run) if run.backend == "cuda" else backends.load(run)
    found = sequence_noisy(measured, alphabet, backend, board, parent)
    scored = (
        f"{one.score}\t{_spelled(form, alphabet, speller)}"
        for one in found
        for form in _forms(one.peptide, linear, every_form)
    )
    write_lines(scored, output)


def _forms(peptide: Peptide, linear: bool, every_form: bool) -> list[Peptide]:
    """All forms of a peptide, or the one."""
    return all_forms(peptide, linear) if every_form else [peptide]


def _of_ideal(
    measured: Measured, alphabet: Alphabet, parent: int | None, must_be: bool, linear: bool, steps: int
) -> list[Peptide]:
    """Peptides with just the masses of a spectrum; none if it is not ideal, unless it must be."""
    try:
        sequence_spectrum = sequence_linear if linear else sequence_ideal
        return sequence_spectrum(measured.spectrum, alphabet, measured.precursor if parent is None else parent, steps)
    except SearchLimitError as error:
        if must_be:
            raise
        log.logger.warning("%s: what follows explains some of the spectrum", error.what)
    except ParameterError as error:
        if must_be:
            raise
        log.logger.info("not ideal, so by leaderboard: %s", error.what)
    except NoPeptideError as error:  # the spectrum is ideal: peptides of the leaderboard are hardly expected
        if must_be:
            raise
        log.logger.warning("%s: what follows explains some of it", error.what)
    return []


def _spelled(peptide: Peptide, alphabet: Alphabet, speller: LetterSpeller | None) -> str:
    """Spell a peptide by the masses of its residues, with as many decimals as the alphabet has, and by letters."""
    unit = 10 ** (peptide.decimals - alphabet.decimals)
    by_mass = Peptide(peptide.masses // unit, alphabet.decimals)
    return spell_peptide(by_mass) + ("" if speller is None else f"\t{speller.spell(by_mass)}")


@click.command("convolve", short_help="Count the differences between masses.")
@spectrum_argument
@apply(
    click.option("--between", default="1:", show_default=True, metavar="LOW:[HIGH]", help="Range of differences."),
    click.option("--top", type=COUNT, metavar="M", help="Write the M most frequent differences and ties, by count."),
    tolerance_option,
    spectrum_options,
    output_option,
    verbosity,
)
def convolve(source: str, between: str, top: int | None, output: str | None, **options: Any) -> None:
    """Write the positive differences between masses of SPECTRUM, one per line with its count."""
    configure_log(options)
    low, high = parse_bounds(between)
    if top is not None:
        check_range("--top", top, 1)
    chosen = ConvolutionOptions(low=low, high=high, tolerance=parse_tolerance(options.pop("tolerance")))
    check_writable(output)
    found = convolution(read_measured(source, options).spectrum, chosen)
    if top is not None:
        found = frequent(found, top)
    with open_output(output) as stream:
        for text in printed((found.masses, found.counts), b"\t", backends.host(), 1, (found.decimals, 0)):
            stream.write(text.data)


@click.command("count", short_help="Count the peptides of a mass.")
@click.argument("mass")
@apply(
    click.option("--cyclic", is_flag=True, help="Count cyclic peptides; rotations count as one."),
    click.option("--mirrored", is_flag=True, help="Count a peptide and its reversal as one (with --cyclic)."),
    click.option(
        "--alphabet",
        default="standard",
        show_default=True,
        metavar="standard|57:200|57,71",
        help="Residue masses: standard ones, a range, or a list.",
    ),
    mass_options,
    output_option,
    verbosity,
)
@option_rules(
    needs("--mirrored", "--cyclic"),
    needs("--mass", "--alphabet standard"),
    needs("--masses", "--alphabet standard"),
)
def count(mass: str, cyclic: bool, mirrored: bool, alphabet: str, output: str | None, **options: Any) -> None:
    """Count the peptides of MASS; residues of equal mass, such as I and L, count as one."""
    configure_log(options)
    residues = _alphabet(alphabet, take_residue_masses(options), None, ConvolutionOptions())
    units = _mass(mass, residues.decimals, "MASS")
    number = count_cyclopeptides(units, residues, mirrored=mirrored) if cyclic else count_peptides(units, residues)
    write_lines([digits_of(number)], output)
