"""`dbg cyclospec`: mass spectra of cyclic peptides, and peptides from spectra."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from debruijn_gpu import backends
from debruijn_gpu.cli.common import (
    apply,
    compute_options,
    configure_log,
    format_option,
    take_run_options,
    verbosity,
)
from debruijn_gpu.cli.cyclospec import queries, scores
from debruijn_gpu.cli.figures import plot_option, take_plot
from debruijn_gpu.cli.groups import DefaultGroup, excludes, exclusive, needs, option_rules
from debruijn_gpu.cli.option_types import COUNT
from debruijn_gpu.cli.paths import InputFile, note_standard_input, output_option
from debruijn_gpu.cli.spectra import is_peptide_file, lower_case_option, mass_options, take_residue_masses
from debruijn_gpu.errors import OutOfMemoryError, UsageError
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.io.output import check_writable, open_output
from debruijn_gpu.io.peptides.peptides import read_arguments
from debruijn_gpu.io.peptides.spectra import SpectrumFormat, SpectrumWriter, read_spectrum
from debruijn_gpu.peptides.ions import Ion, fragment_ions, ion_spectrum, parse_ions
from debruijn_gpu.peptides.notation import spell_peptide
from debruijn_gpu.peptides.options import SPECTRUM_FORMATS, SpectrumOptions, Tolerance, parse_tolerance
from debruijn_gpu.peptides.spectrum import Spectrum, format_units
from debruijn_gpu.peptides.theoretical import (
    SpectrumSegments,
    concatenated,
    count_subpeptides,
    most_frequent,
    spectrum,
    spectrum_segments,
)
from debruijn_gpu.plots.mass_spectrum import PlotOptions, draw_spectrum
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.file_formats import choose_format
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import memory_left

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SpectrumBackend
    from debruijn_gpu.peptides.spectrum import Peptide

_MOST_SPELLED = 50  # residues
#: Larger spectra are built in parts on the CPU: allocating that much memory takes longer than finding each mass twice.
_WHOLE_BYTES, _SEGMENT_BYTES = 1 << 30, 1 << 28


@click.group("cyclospec", cls=DefaultGroup, default="spectrum", of="peptide", unless="--lower-case")
def command() -> None:
    """Compute mass spectra of cyclic peptides, and find the peptides of a spectrum.

    'dbg cyclospec PEPTIDE...' is short for 'dbg cyclospec spectrum PEPTIDE...'.
    """


@click.command("spectrum", short_help="Compute the masses of all subpeptides.")
@click.argument("peptides", type=InputFile(is_path=is_peptide_file), nargs=-1, metavar="[PEPTIDE]...")
@apply(
    click.option("--linear", is_flag=True, help="Treat peptides as linear (default: cyclic)."),
    mass_options,
    lower_case_option,
    click.option("--unique", is_flag=True, help="Write each mass once (default: once per occurrence)."),
    click.option("--count", is_flag=True, help="Write each mass once, with its multiplicity."),
    click.option(
        "--ions",
        metavar="b,y",
        help="Write the b and y ions of linear peptides instead: m/z at charge 1 (with --linear).",
    ),
    click.option(
        "--top", type=COUNT, metavar="N", help="Write the N most frequent masses, in descending order of multiplicity."
    ),
    format_option(SPECTRUM_FORMATS, "text", "to", old=("--to",)),
    output_option,
    plot_option,
    click.option(
        "--against", type=InputFile(), metavar="SPECTRUM", help="Also plot this measured spectrum (with --plot)."
    ),
    click.option(
        "--tolerance",
        default="0",
        metavar="DA|PPMppm",
        help="Maximum difference of matching masses: 0.5 (Da) or 20ppm.",
    ),
)
@compute_options
@verbosity
@option_rules(
    *exclusive("--unique", "--count"),
    excludes("--ions", "--unique", "--count", "--top"),
    needs("--ions", "--linear"),
    needs("--against", "--plot"),
    needs("--tolerance", "--against"),
)
def write_spectra(peptides: tuple[str, ...], **options: Any) -> None:
    """Write the sorted masses of all subpeptides of cyclic peptides, with 0 and the total mass, one line per peptide.

    With --ions, those of the fragment ions; as a table (--format tsv), with their names.

    PEPTIDE is letters (NQEL, M[+15.995]EL), names (Val-Orn-Leu), masses (57-71-113), or a file with one of these per
    line or in FASTA (default: standard input).
    """
    configure_log(options)
    run = take_run_options(options)
    if not options["lower_case"]:
        _refuse_mistyped(peptides)
    masses = take_residue_masses(options)
    to = choose_format(options["output"], SPECTRUM_FORMATS, SpectrumOptions.to, options.pop("to"), "--format")
    chosen = SpectrumOptions(to=to, **{name: options.pop(name) for name in ("linear", "unique", "count", "top")})
    output, plot, against = (options.pop(name) for name in ("output", "plot", "against"))
    tolerance, ions = parse_tolerance(options.pop("tolerance")), parse_ions(options.pop("ions"))
    file_format = take_plot(plot)
    check_writable(output)
    measured = None if against is None else read_spectrum(against)
    if not peptides:
        note_standard_input()
    found = read_arguments(peptides or (STANDARD_INPUT,), masses)
    if plot is not None or chosen.to == "npy":
        found = _only(found)
    with open_output(output) as stream:
        threads = run.n_threads
        host = backends.load(replace(run, backend="cpu"))
        writer = SpectrumWriter(stream, SpectrumFormat(chosen.to, chosen.unique, chosen.count), host, threads)
        for number, peptide in enumerate(found, 1):
            named = fragment_ions(peptide, ions, masses)
            segments = [ion_spectrum(named, peptide.decimals)] if ions else _segments(peptide, chosen, run)
            if plot is not None:
                segments = [concatenated(segments)]
            name = peptide.label or _spelled(peptide, number)
            with progress.running("write"):
                if ions and chosen.to == "tsv":
                    _write_ions(stream, named, peptide, name, is_first=number == 1)
                else:
                    writer.write(segments, name, bool(peptide.label))
            if plot is not None:
                with log.stage("draw"), open_output(plot) as drawing:
                    draw_spectrum(
                        drawing, str(file_format), concatenated(segments), measured, plot_options(tolerance, name)
                    )


def _write_ions(stream: BinaryIO, ions: list[Ion], peptide: Peptide, name: str, is_first: bool) -> None:
    """Write rows of a table of ions."""
    if is_first:
        stream.write(b"peptide\tion\tmass\n")
    stream.writelines(f"{name}\t{ion.name}\t{format_units(ion.mass, peptide.decimals)}\n".encode() for ion in ions)


def _refuse_mistyped(peptides: tuple[str, ...]) -> None:
    """Raise UsageError if an argument is rather a command of the group than a peptide."""
    group = click.get_current_context().parent
    if group is not None and isinstance(group.command, DefaultGroup):
        group.command.refuse_mistyped(group, peptides)


def _only(peptides: Iterator[Peptide]) -> Iterator[Peptide]:
    """The peptide, if it is the only one."""
    first = list(islice(peptides, 2))
    if len(first) > 1:
        raise UsageError("--plot and --format npy are for one peptide", "give one, or another format")
    return iter(first)


def _spelled(peptide: Peptide, number: int) -> str:
    """A peptide without a label; a long one, which would be in each row of a table, by its number."""
    return spell_peptide(peptide) if len(peptide) <= _MOST_SPELLED else f"peptide_{number}"


def plot_options(tolerance: Tolerance, title: str) -> PlotOptions:
    """The same tolerance for a plot."""
    value = float(tolerance.value)
    return PlotOptions(0.0 if tolerance.ppm else value, value if tolerance.ppm else 0.0, title)


def _segments(peptide: Peptide, chosen: SpectrumOptions, run: RunOptions) -> Iterable[Spectrum]:
    """Compute the spectrum of a peptide in NumPy arrays, in segments if it does not fit into memory as a whole."""
    n_masses = count_subpeptides(len(peptide), chosen.linear)
    backend = backends.load_arrays(run, "cyclospec", 8 * n_masses)
    memory = backend.memory_limit(min(memory_left(run.memory), _WHOLE_BYTES))
    segments: Iterable[Spectrum]
    try:
        with log.stage("spectrum", n_masses, "masses"):
            segments = [_on_host(spectrum(peptide, backend, chosen.linear, memory), backend)]
    except OutOfMemoryError:
        segments = SpectrumSegments(lambda: _made_in_segments(peptide, backend, chosen.linear, run))
    return segments if chosen.top is None else [most_frequent(segments, chosen.top)]


def _made_in_segments(peptide: Peptide, backend: SpectrumBackend, linear: bool, run: RunOptions) -> Iterator[Spectrum]:
    for segment in spectrum_segments(peptide, backend, linear, _segment_bytes(run)):
        yield _on_host(segment, backend)


def _segment_bytes(run: RunOptions) -> int:
    return max(1 << 20, min(memory_left(run.memory) // 4, _SEGMENT_BYTES))


def _on_host(found: Spectrum, backend: SpectrumBackend) -> Spectrum:
    return Spectrum(backend.to_host(found.masses), backend.to_host(found.counts), found.decimals)


for _command in (write_spectra, queries.sequence, scores.score, scores.trim, queries.convolve, queries.count):
    command.add_command(_command)
