"""Read mass spectra of instruments: Mascot generic format and mzML."""

from __future__ import annotations

import re
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from debruijn_gpu.errors import FileAccessError, FormatError, ParameterError
from debruijn_gpu.io.opening import Block
from debruijn_gpu.io.peptides.mass_numbers import read_float
from debruijn_gpu.peptides.peaks import Charges, Peaks, neutral_spectrum
from debruijn_gpu.peptides.spectrum import Measured
from debruijn_gpu.run.plain_text import shorten

#: Lines that start so are comments
COMMENTS = ("#", ";", "!", "/")

BEGIN, END = "BEGIN IONS", "END IONS"

_PARAMETER = re.compile(r"[A-Za-z_][^=]*=")
_CHARGE = re.compile(r"([+-]?)([0-9]{1,3})([+-]?)")
_SPECTRUM = f"give spectra between {BEGIN} and {END}: lines of NAME=value, and of m/z, intensity and charge of peaks"


@dataclass
class _Record:
    """A spectrum that is being read."""

    line: int
    parameters: dict[str, str]
    mz: list[float] = field(default_factory=list)
    intensities: list[float] = field(default_factory=list)
    charges: list[int] = field(default_factory=list)

    def add_peak(self, line: str) -> None:
        words = line.split()
        numbers = [read_float(word) for word in words[:2]]
        if len(numbers) < 2 or numbers[0] is None or numbers[1] is None or numbers[0] <= 0 or numbers[1] < 0:
            raise ValueError(f"'{shorten(line, 60)}' is no peak of m/z above 0 and intensity")
        self.mz.append(numbers[0])
        self.intensities.append(numbers[1])
        self.charges.append(read_charge(words[2]) or 0 if len(words) > 2 else 0)

    def spectrum(self, charges: Charges) -> Measured:
        precursor_mz = None
        text = self.parameters.get("PEPMASS", "").split()
        if text:
            precursor_mz = read_float(text[0])
            if precursor_mz is None or precursor_mz <= 0:
                raise ValueError(f"PEPMASS={shorten(text[0])} is no m/z")
        charge = read_charge(self.parameters.get("CHARGE", ""))
        title = self.parameters.get("TITLE", "")
        peaks = Peaks(self.mz, self.intensities, self.charges, None, precursor_mz, charge, title)
        return neutral_spectrum(peaks, charges)


def starts_mgf(line: str) -> bool:
    """Whether the first line that is not empty and no comment is MGF."""
    return line.strip().upper() == BEGIN or _PARAMETER.match(line) is not None


def read_mgf(source: str, lines: Iterable[tuple[int, str]], charges: Charges) -> Iterator[Measured]:
    """Spectra of MGF, in order.

    What stands before the first spectrum holds for all. A precursor of several charges (``2+ and 3+``) has none that is
    known, and neither has one without.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    lines : iterable of (int, str)
        With their numbers; empty ones and comments are left out.
    charges : Charges
        What the user gives.

    Raises
    ------
    FormatError
        If a line is not MGF, or a spectrum does not end; says the line.
    """
    common: dict[str, str] = {}
    record: _Record | None = None
    n_spectra = 0
    for number, line in lines:
        mark = line.upper()
        try:
            if mark == BEGIN:
                if record is not None:
                    raise ValueError(f"{BEGIN} before the {END} of the spectrum in line {record.line}")
                record = _Record(number, dict(common))
            elif record is None:
                _set(common, line)
            elif mark == END:
                yield record.spectrum(charges)
                n_spectra += 1
                record = None
            elif line[0].isdigit():
                record.add_peak(line)
            else:
                _set(record.parameters, line)
        except ValueError as error:
            raise FormatError(f"{source}: line {number}: {error}", _SPECTRUM) from None
    if record is not None:
        raise FormatError(f"{source}: line {record.line}: a spectrum without {END}: is the file cut off?", _SPECTRUM)
    if not n_spectra:
        raise FormatError(f"{source}: MGF without a spectrum", _SPECTRUM)


def read_charge(text: str) -> int | None:
    """A charge like ``2+``, ``-1`` or ``3``; None if it is none, 0, or several."""
    match = _CHARGE.fullmatch(text.strip())
    if match is None or (match[1] and match[3]):
        return None
    return int(match[2]) * (-1 if "-" in (match[1], match[3]) else 1) or None


def _set(parameters: dict[str, str], line: str) -> None:
    if not _PARAMETER.match(line):
        raise ValueError(f"'{shorten(line, 60)}' is neither a parameter nor a peak")
    name, _, value = line.partition("=")
    parameters[name.strip().upper()] = value.strip()


_IN_MEMORY = 1 << 26  # bytes of text; what is longer goes to a temporary file
_HEAD_BYTES = 1 << 14  # in which the root element starts
_FAULTS = (ValueError, TypeError, LookupError, AttributeError, OverflowError, zlib.error)  # of a file that is odd
_OTHER = "convert it to mzML or MGF (msconvert)"


class _NoVocabulary:
    """In place of the vocabulary of terms, which pyteomics would download: what is read here needs no types."""

    def __getitem__(self, accession: str) -> SimpleNamespace:
        return SimpleNamespace(name=accession, relationship=())


def read_mzml(source: str, blocks: Iterable[Block], charges: Charges) -> Iterator[Measured]:
    """Spectra of MS level 2 and above in mzML, in order, titled by their title or else their id.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    blocks : iterable of Block
        The text.
    charges : Charges
        What the user gives.

    Raises
    ------
    ParameterError
        If pyteomics is not installed.
    FormatError
        If it is other XML or damaged, or has no such spectrum; or if one holds profiles, not peaks.
    """
    try:
        from lxml.etree import XMLSyntaxError
        from pyteomics.auxiliary import PyteomicsError
        from pyteomics.mzml import MzML
    except ImportError as error:
        fix = "pip install 'debruijn_gpu[spectra]', or convert it to MGF (msconvert)"
        raise ParameterError(f"{source}: mzML needs pyteomics and lxml ({error})", fix) from None
    faults = (PyteomicsError, XMLSyntaxError, *_FAULTS)
    n_read = n_found = 0
    with _spooled(source, blocks) as file:
        try:
            for spectrum in _parsed(MzML, file):
                n_read += 1
                if int(spectrum.get("ms level", 2)) > 1:
                    n_found += 1
                    yield neutral_spectrum(_peaks(spectrum), charges)
        except faults as error:
            what = " ".join(str(error).split())[:200] or type(error).__name__
            where = f"spectrum {n_found - 1}" if n_found else "before the first spectrum of fragments"
            raise FormatError(
                f"{source}: {where}: {what}", "check the file, or convert it again (msconvert)"
            ) from error
    if not n_found:
        raise FormatError(f"{source}: no spectrum of MS level 2 or above among {n_read:,}", "give spectra of fragments")


@contextmanager
def _spooled(source: str, blocks: Iterable[Block]) -> Iterator[IO[bytes]]:
    """The text as a file in which pyteomics can seek."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        head = b""
        for block in blocks:
            text = block.buffer.data[block.start : block.end]
            head = head or bytes(text[:_HEAD_BYTES])
            if b"<mzML" not in head and b"<indexedmzML" not in head:
                raise FormatError(f"{source}: XML, but not mzML", _OTHER)
            try:
                file.write(text)
            except OSError as error:
                what = f"{tempfile.gettempdir()}: {error.strerror or error}"
                raise FileAccessError(what, "free some space, or set TMPDIR") from error
        file.seek(0)
        yield file


def _parsed(reader: Callable[..., Iterator[dict[str, Any]]], file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the spectra that pyteomics parses, without its warnings."""
    end: dict[str, Any] = {}
    spectra = None
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if spectra is None:
                spectra = reader(file, use_index=False, iterative=True, cv=_NoVocabulary())
            spectrum = next(spectra, end)
        if spectrum is end:
            return
        yield spectrum


def _peaks(spectrum: Mapping[str, Any]) -> Peaks:
    if "profile spectrum" in spectrum:
        raise ValueError("profiles, not peaks: pick peaks first (msconvert --filter peakPicking)")
    mz = np.asarray(spectrum.get("m/z array", ()), np.float64)
    intensities = np.asarray(spectrum.get("intensity array", np.ones(len(mz))), np.float64)
    charges = np.rint(np.asarray(spectrum.get("charge array", np.zeros(len(mz))), np.float64)).astype(np.int64)
    if not len(mz) == len(intensities) == len(charges):
        raise ValueError(f"{len(mz):,} m/z, but {len(intensities):,} intensities and {len(charges):,} charges")
    ion = _precursor(spectrum)
    precursor_mz = float(ion["selected ion m/z"]) if "selected ion m/z" in ion else None
    charge = int(ion["charge state"]) if "charge state" in ion else None
    title = str(spectrum.get("spectrum title", spectrum.get("id", "")))
    return Peaks(mz, intensities, charges, None, precursor_mz, charge, title)


def _precursor(spectrum: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the precursor ion of a spectrum; empty if several are listed."""
    precursors = spectrum.get("precursorList", {}).get("precursor", [])
    ions = [ion for each in precursors for ion in each.get("selectedIonList", {}).get("selectedIon", [])]
    return ions[0] if len(ions) == 1 else {}
