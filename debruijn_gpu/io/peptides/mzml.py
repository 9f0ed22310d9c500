"""mzML: mass spectra as XML, read with pyteomics."""

from __future__ import annotations

import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from debruijn_gpu.errors import FileAccessError, FormatError, ParameterError
from debruijn_gpu.io.opening import Block
from debruijn_gpu.peptides.peaks import Charges, Peaks, neutral_spectrum
from debruijn_gpu.peptides.spectrum import Measured

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
