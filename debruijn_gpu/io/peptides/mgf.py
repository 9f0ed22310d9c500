"""Read mass spectra in Mascot generic format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from debruijn_gpu.errors import FormatError
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
