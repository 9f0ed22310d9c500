"""`dbg cyclospec sequence`, `score`, `convolve` and `count`: find, score and count peptides."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from debruijn_gpu import backends
from debruijn_gpu.arithmetic.long_numbers import digits_of
from debruijn_gpu.cli.common import apply, compute_options, configure_log, take_run_options, verbosity
from debruijn_gpu.cli.groups import excludes, exclusive, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import output_option
from debruijn_gpu.cli.spectra import lower_case_option, mass_options, spectrum_argument, take_residue_masses
from debruijn_gpu.errors import NoPeptideError, OptionValueError, ParameterError, UsageError
from debruijn_gpu.io.numbers.text import printed
from debruijn_gpu.io.output import check_writable, open_output, write_lines
from debruijn_gpu.io.peptides.spectra import read_spectrum
from debruijn_gpu.peptides.convolution import convolution, convolution_alphabet, frequent
from debruijn_gpu.peptides.counting import count_cyclopeptides, count_peptides
from debruijn_gpu.peptides.ideal import sequence_ideal
from debruijn_gpu.peptides.leaderboard import sequence_noisy
from debruijn_gpu.peptides.notation import parse_peptide, spell_peptide
from debruijn_gpu.peptides.options import (
    SEQUENCING_METHODS,
    ConvolutionOptions,
    LeaderboardOptions,
    check_method,
    parse_bounds,
    parse_mass_range,
    parse_tolerance,
)
from debruijn_gpu.peptides.peaks import Charges
from debruijn_gpu.peptides.residues import Alphabet, make_alphabet, range_alphabet
from debruijn_gpu.peptides.scoring import score as score_of
from debruijn_gpu.peptides.spectrum import MAX_DECIMALS, MAX_UNITS, Peptide, n_decimals, read_number, to_units
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

#: Number or title of the spectrum in a file, and charges
_spectrum_options = apply(
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

_tolerance = click.option(
    "--tolerance", default="0", show_default=True, metavar="DA|PPMppm", help="Maximum difference of matching masses."
)


def _read(path: str, options: dict[str, Any]) -> Measured:
    """Take the options of `_spectrum_options`, and read the spectrum."""
    charges = Charges(fragment=options.pop("fragment_charge"), precursor=options.pop("charge"))
    with log.stage("read", unit="peaks") as stage:
        check_range("--number", options["number"], 0)
        measured = read_spectrum(path, options.pop("number"), options.pop("title"), charges)
        stage.items = len(measured.spectrum)
    return measured


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


@click.command("sequence", short_help="Find the cyclic peptides of a spectrum.")
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
    _tolerance,
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
    _spectrum_options,
    output_option,
)
@compute_options
@verbosity
@option_rules(
    needs("--frequent", "--alphabet spectrum"),
    needs("--tolerance", "--method auto", "--method leaderboard", "--alphabet spectrum"),
    excludes("--keep", "--method ideal"),
    excludes("--top", "--method ideal"),
    needs("--mass", "--alphabet standard"),
    needs("--masses", "--alphabet standard"),
)
def sequence(source: str, output: str | None, **options: Any) -> None:
    """Find the cyclic peptides of SPECTRUM: numbers, MGF or mzML (default or -: standard input).

    Peptides are written as the masses of their residues, in the least rotation of either direction. The leaderboard
    method writes the score, the number of explained masses, before each peptide.
    """
    configure_log(options)
    run, masses = take_run_options(options), take_residue_masses(options)
    tolerance = parse_tolerance(options.pop("tolerance"))
    board = LeaderboardOptions(keep=options.pop("keep"), top=options.pop("top"), tolerance=tolerance)
    frequent = ConvolutionOptions(top=options.pop("frequent"), tolerance=tolerance)
    method = check_method(options.pop("method"))
    check_writable(output)
    alphabet_text, parent_text = options.pop("alphabet"), options.pop("parent")
    measured = _read(source, options)
    alphabet = _alphabet(alphabet_text, masses, measured, frequent)
    parent = None if parent_text is None else _mass(parent_text, measured.spectrum.decimals, "--parent")
    if method == "ideal" or (method == "auto" and not tolerance.value):
        peptides = _of_ideal(measured, alphabet, parent, method == "ideal")
        if peptides:
            write_lines((_spelled(peptide, alphabet) for peptide in peptides), output)
            return
    backend = backends.load_cuda(run) if run.backend == "cuda" else backends.load(run)
    found = sequence_noisy(measured, alphabet, backend, board, parent)
    write_lines((f"{one.score}\t{_spelled(one.peptide, alphabet)}" for one in found), output)


def _of_ideal(measured: Measured, alphabet: Alphabet, parent: int | None, must_be: bool) -> list[Peptide]:
    """Peptides with just the masses of a spectrum; none if it is not ideal, unless it must be."""
    try:
        return sequence_ideal(measured.spectrum, alphabet, measured.precursor if parent is None else parent)
    except ParameterError as error:
        if must_be:
            raise
        log.logger.info("not ideal, so by leaderboard: %s", error.what)
    except NoPeptideError as error:  # the spectrum is ideal: peptides of the leaderboard are hardly expected
        if must_be:
            raise
        log.logger.warning("%s: what follows explains some of it", error.what)
    return []


def _spelled(peptide: Peptide, alphabet: Alphabet) -> str:
    """A peptide by the masses of its residues, with as many decimals as the alphabet has."""
    unit = 10 ** (peptide.decimals - alphabet.decimals)
    return spell_peptide(Peptide(peptide.masses // unit, alphabet.decimals))


@click.command("score", short_help="Count the masses of a peptide that a spectrum has.")
@click.argument("peptide")
@spectrum_argument
@apply(
    click.option("--linear", is_flag=True, help="Treat the peptide as linear (default: cyclic)."),
    mass_options,
    lower_case_option,
    _tolerance,
    _spectrum_options,
    output_option,
    verbosity,
)
def score(peptide: str, source: str, output: str | None, **options: Any) -> None:
    """Count the masses of the theoretical spectrum of PEPTIDE that are in SPECTRUM, with multiplicity."""
    configure_log(options)
    parsed = parse_peptide(peptide, take_residue_masses(options))
    linear, allowed = options.pop("linear"), parse_tolerance(options.pop("tolerance"))
    check_writable(output)
    found = score_of(parsed, _read(source, options).spectrum, linear=linear, tolerance=allowed)
    write_lines([str(found)], output)


@click.command("convolve", short_help="Count the differences between masses.")
@spectrum_argument
@apply(
    click.option("--between", default="1:", show_default=True, metavar="LOW:[HIGH]", help="Range of differences."),
    click.option("--top", type=COUNT, metavar="M", help="Write the M most frequent differences and ties, by count."),
    _tolerance,
    _spectrum_options,
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
    found = convolution(_read(source, options).spectrum, chosen)
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
