"""Read measured spectra in any format, and write theoretical ones as text, tables or arrays."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, OptionValueError, ParameterError
from debruijn_gpu.io.lines import FIRST_LINE, numbered
from debruijn_gpu.io.numbers.text import printed
from debruijn_gpu.io.opening import display_name, read_blocks
from debruijn_gpu.io.peptides.mass_numbers import read_mass_numbers
from debruijn_gpu.io.peptides.mgf import COMMENTS, read_mgf, starts_mgf
from debruijn_gpu.io.peptides.mzml import read_mzml
from debruijn_gpu.io.reading_again import within_budget
from debruijn_gpu.peptides.peaks import Charges
from debruijn_gpu.peptides.spectrum import Measured, Spectrum
from debruijn_gpu.run import progress

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend

Longs = NDArray[np.int64]

_AT_ONCE = 1 << 20  # masses
_NEWLINE, _BLANK = 10, 32


@dataclass(frozen=True)
class SpectrumFormat:
    """Options of the output of a spectrum.

    Attributes
    ----------
    to : str
        ``text``, a line of masses (with ``count`` a line for each); ``tsv``, a table with a head; or ``npy``.
    unique : bool
        Each mass once; else as often as it occurs.
    count : bool
        Each mass once, and how often it occurs.
    """

    to: str = "text"
    unique: bool = False
    count: bool = False


class SpectrumWriter:
    """Writes spectra, one after another, each in segments of ascending masses.

    Parameters
    ----------
    stream : binary file
    file_format : SpectrumForm
    backend : Backend
        Prints numbers.
    threads : int
    """

    def __init__(self, stream: BinaryIO, file_format: SpectrumFormat, backend: HostBackend, threads: int) -> None:
        self._stream = stream
        self._format = file_format
        self._backend = backend
        self._threads = threads
        self._begun = False
        self._n_written = self._n_masses = 0

    def write(self, segments: Iterable[Spectrum], label: str, is_labelled: bool) -> None:
        """Write a spectrum, in NumPy arrays.

        Parameters
        ----------
        segments : iterable of Spectrum
            For arrays, it must give them twice.
        label : str
            Of the peptide, in tables.
        is_labelled : bool
            Whether the label comes before text, as in FASTA.
        """
        self._n_written, self._n_masses = 0, self._count_lines(segments) if isinstance(segments, list) else 0
        if self._format.to == "tsv":
            self._write_table(segments, label)
        elif self._format.to == "npy":
            self._write_array(segments)
        else:
            if is_labelled:
                self._stream.write(f">{label}\n".encode())
            self._write_lines(segments) if self._format.count else self._write_line(segments)

    def _write_lines(self, segments: Iterable[Spectrum]) -> None:
        """A mass and its count a line."""
        for segment in segments:
            for text in self._printed((segment.masses, segment.counts), segment.decimals):
                self._stream.write(text.data)

    def _write_line(self, segments: Iterable[Spectrum]) -> None:
        """All masses in a line."""
        is_first = True
        for segment in segments:
            for masses in self._masses(segment):
                for text in self._printed((masses,), segment.decimals):
                    text[text == _NEWLINE] = _BLANK
                    if not is_first:
                        self._stream.write(b" ")
                    self._stream.write(text[:-1].data)
                    is_first = False
        self._stream.write(b"\n")

    def _write_table(self, segments: Iterable[Spectrum], label: str) -> None:
        """Rows of a peptide, a mass and, where asked for, its count."""
        counted = self._format.count
        if not self._begun:
            self._stream.write(b"peptide\tmass\tcount\n" if counted else b"peptide\tmass\n")
            self._begun = True
        name = label.encode() + b"\t"
        for segment in segments:
            parts = [(segment.masses, segment.counts)] if counted else ((masses,) for masses in self._masses(segment))
            for columns in parts:
                for text in self._printed(columns, segment.decimals):
                    lines = text.tobytes()
                    self._stream.write(name + lines[:-1].replace(b"\n", b"\n" + name) + b"\n")

    def _printed(self, columns: tuple[Longs, ...], decimals: int) -> Iterator[NDArray[np.uint8]]:
        """Lines of a mass, with all its decimals, and perhaps its count."""
        for text in printed(columns, b"\t", self._backend, self._threads, (decimals, 0)[: len(columns)]):
            self._n_written += int(np.count_nonzero(text == _NEWLINE))
            progress.update(self._n_written, self._n_masses, "masses")
            yield text

    def _count_lines(self, segments: list[Spectrum]) -> int:
        """Masses that are written."""
        once = self._format.count or self._format.unique
        return sum(len(segment) if once else int(segment.counts.sum()) for segment in segments)

    def _write_array(self, segments: Iterable[Spectrum]) -> None:
        """One row, or two with counts; float64 unless masses and counts are integers."""
        n_rows = n_masses = decimals = 0
        for segment in segments:  # the header comes first; segments that are not kept are computed again
            n_rows, n_masses = n_rows + len(segment), n_masses + int(segment.counts.sum())
            decimals = segment.decimals
        shape = (n_rows, 2) if self._format.count else (n_rows,) if self._format.unique else (n_masses,)
        dtype = np.dtype(np.float64 if decimals else np.int64).newbyteorder("<")
        header = {"descr": dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._stream, header)
        for segment in segments:
            parts = (
                [(segment.masses, segment.counts)]
                if self._format.count
                else ((each,) for each in self._masses(segment))
            )
            for masses, *counts in parts:
                rows = np.stack((in_da(masses, decimals), *counts), axis=1)
                self._stream.write(np.ascontiguousarray(rows, dtype).data)

    def _masses(self, segment: Spectrum) -> Iterator[Longs]:
        """Masses, once or as often as they occur, some at a time."""
        return iter([segment.masses]) if self._format.unique else repeated(segment.masses, segment.counts)


def in_da(masses: Longs, decimals: int) -> NDArray[Any]:
    """Masses in units of 10^-decimals Da as floats in Da; integers stay what they are."""
    return masses / 10**decimals if decimals else masses


def repeated(values: Longs, counts: Longs, n_at_once: int = _AT_ONCE) -> Iterator[Longs]:
    """Yield each value once per count, ``n_at_once`` at a time."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, n_at_once):
        end = min(begin + n_at_once, total)
        first, last = (int(np.searchsorted(ends, place, side="right")) for place in (begin, end - 1))
        times = counts[first : last + 1].copy()
        times[-1] -= ends[last] - end
        times[0] -= begin - (ends[first] - counts[first])
        yield np.repeat(values[first : last + 1], times)


_MOST_CHARGE = 10_000
_BLOCK_BYTES = 1 << 20
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")


def read_spectra(path: str, charges: Charges | None = None) -> Generator[Measured, None, None]:
    """All spectra of a file, or of standard input (``-``), in order.

    - Numbers are one spectrum: neutral masses with blanks, commas or newlines between; or columns with a header,
      ``mass`` or ``m/z`` and ``intensity`` or ``count``.
    - MGF; in both, lines that start with ``#``, ``;``, ``!`` or ``/`` are comments.
    - mzML: the spectra of fragments (MS level 2 and above). Needs the extra ``spectra``.

    m/z become neutral masses in units of 10^-6 Da.

    Parameters
    ----------
    path : str
    charges : Charges, optional
        What the user gives; by default what the file says.

    Raises
    ------
    InputNotFoundError, FileAccessError
        If the file is not there or cannot be read.
    FormatError
        If its content is not as it should be.
    ParameterError
        If a charge is 0 or above 10,000, or reading takes a library that is not installed.
    """
    source, given = display_name(path), charges or Charges()
    for charge in (given.fragment, given.precursor):
        if charge is not None and not 1 <= abs(charge) <= _MOST_CHARGE:
            raise OptionValueError(f"a charge of {charge}", "give charges like 1, 2 or -1")
    with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
        first = next(blocks)
        whole = within_budget(chain([first], blocks), source)
        if _XML.match(first.buffer[first.start : first.end].tobytes()):
            yield from read_mzml(source, whole, given)
            return
        lines = _decoded(numbered(whole, source, "".join(COMMENTS).encode()))
        head = list(islice(lines, 1))
        text = chain(head, lines)
        if head and starts_mgf(head[0][1]):
            yield from read_mgf(source, text, given)
        else:
            yield read_mass_numbers(source, text, given)


def read_spectrum(path: str, number: int = 0, title: str | None = None, charges: Charges | None = None) -> Measured:
    """Read one spectrum of a file: the first with a title, or by 0-based number.

    Raises
    ------
    ParameterError
        If there is none.
    FormatError
        If it has no peaks, or as `read_spectra`.
    """
    source = display_name(path)
    n_spectra = 0
    with closing(read_spectra(path, charges)) as spectra:
        for spectrum in spectra:
            if number == n_spectra if title is None else spectrum.title == title:
                if not len(spectrum.spectrum):
                    raise FormatError(f"{source}: spectrum {n_spectra} has no peaks", "choose another one")
                return spectrum
            n_spectra += 1
    if title is not None:
        raise ParameterError(f"{source}: none of {n_spectra:,} spectra has the title {title!r}", "choose another one")
    raise ParameterError(f"{source}: there is no spectrum {number}", f"give a number from 0 to {n_spectra - 1}")


def _decoded(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, str]]:
    """Lines that are neither empty nor comments, with their numbers."""
    for number, line in lines:
        text = line.decode(FIRST_LINE if number == 1 else "utf-8", "replace").strip()
        if text and not text.startswith(COMMENTS):
            yield number, text
