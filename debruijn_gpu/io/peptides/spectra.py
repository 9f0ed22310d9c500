"""Measured spectra: numbers, MGF or mzML, told by their content."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, islice

from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.lines import FIRST_LINE
from debruijn_gpu.io.opening import display_name, read_blocks
from debruijn_gpu.io.peptides.mass_numbers import read_mass_numbers
from debruijn_gpu.io.peptides.mgf import COMMENTS, read_mgf, starts_mgf
from debruijn_gpu.io.peptides.mzml import read_mzml
from debruijn_gpu.io.text_start import numbered
from debruijn_gpu.peptides.peaks import Charges
from debruijn_gpu.peptides.spectrum import Measured

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
        If a charge is 0, or reading takes a library that is not installed.
    """
    source, given = display_name(path), charges or Charges()
    if 0 in (given.fragment, given.precursor):
        raise ParameterError("a charge of 0", "give charges like 1, 2 or -1")
    with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
        first = next(blocks)
        whole = chain([first], blocks)
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
