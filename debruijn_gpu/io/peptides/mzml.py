"""Read mass spectra in mzML."""

from __future__ import annotations

import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import IO, Any
from xml.parsers import expat

import numpy as np

from debruijn_gpu.errors import FileAccessError, FormatError, OutOfMemoryError, ParameterError
from debruijn_gpu.io.opening import Block
from debruijn_gpu.peptides.peaks import Charges, Peaks, neutral_spectrum
from debruijn_gpu.peptides.spectrum import Measured
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import available_memory, format_bytes

_IN_MEMORY = 1 << 26  # bytes of text; what is longer goes to a temporary file
_ROOTS = ("mzML", "indexedmzML")
_ZLIB = "zlib compression"  # in pyteomics
_SHOWN = 200  # letters of what a parser reports
_INFLATED_SHARE = 4  # of the available memory, for one array: it is there compressed, as bytes, and as numbers
_FAULTS = (ValueError, TypeError, LookupError, AttributeError, OverflowError, zlib.error)  # of a file that is odd
_OTHER = "convert it to mzML or MGF (msconvert)"
_FED_BYTES = 1 << 14  # to Expat at once


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
            for spectrum in _parsed(_limited(MzML, source), file):
                n_read += 1
                if int(spectrum.get("ms level", 2)) > 1:
                    n_found += 1
                    yield neutral_spectrum(_peaks(spectrum), charges)
        except faults as error:
            what = " ".join(str(error).split())[:_SHOWN] or type(error).__name__
            where = f"spectrum {n_found - 1}" if n_found else "before the first spectrum of fragments"
            raise FormatError(
                f"{source}: {where}: {what}", "check the file, or convert it again (msconvert)"
            ) from error
    if not n_found:
        raise FormatError(f"{source}: no spectrum of MS level 2 or above among {n_read:,}", "give spectra of fragments")


@contextmanager
def _spooled(source: str, blocks: Iterable[Block]) -> Iterator[IO[bytes]]:
    """The text as a file in which pyteomics can seek."""
    prolog = _Prolog(source)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        for block in blocks:
            text = block.buffer.data[block.start : block.end]
            prolog.feed(text, block.final)
            try:
                file.write(text)
            except OSError as error:
                what = f"{tempfile.gettempdir()}: {error.strerror or error}"
                raise FileAccessError(what, "free some space, or set TMPDIR") from error
        file.seek(0)
        yield file


class _Prolog:
    """Checks what precedes the root element of XML, and its name.

    Entities can make a small file large, and name other files; only a document type declaration defines them, and mzML
    has none. Expat finds it in any encoding that it reads, and text in other encodings is refused.

    Parameters
    ----------
    source : str
        Name of the file in messages.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._root = ""
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._take_root

    def feed(self, text: memoryview, final: bool) -> None:
        """Take the next bytes; those behind the start of the root element are ignored.

        Raises
        ------
        FormatError
            If the text is no XML, or other XML.
        """
        for start in range(0, len(text), _FED_BYTES):
            if self._root:
                return
            try:
                self._parser.Parse(bytes(text[start : start + _FED_BYTES]))
            except (expat.ExpatError, ValueError, LookupError) as error:  # ValueError and LookupError of its encoding
                if not self._root:
                    raise FormatError(f"{self._source}: {shorten(str(error), _SHOWN)}", _OTHER) from None
        if final and not self._root:
            raise self._other()

    def _refuse(self, *_declaration: Any) -> None:
        raise FormatError(
            f"{self._source}: XML with a document type declaration (DOCTYPE), which mzML does not have", _OTHER
        )

    def _take_root(self, name: str, _attributes: Any) -> None:
        self._root = self._root or name
        if self._root.rpartition(":")[2] not in _ROOTS:
            raise self._other()

    def _other(self) -> FormatError:
        return FormatError(f"{self._source}: XML, but not mzML", _OTHER)


def _inflate(source: str, data: bytes) -> bytes:
    """Inflate an array of a file; it may be small and still exceed the memory."""
    most = available_memory() // _INFLATED_SHARE
    inflater = zlib.decompressobj()
    inflated = inflater.decompress(data, most)
    if len(inflated) == most:
        raise OutOfMemoryError(
            f"Out of memory: {source}: an array of {format_bytes(len(data))} "
            f"inflates to more than {format_bytes(most)}",
            "check the file, or give the job more memory",
        )
    if not inflater.eof:
        raise ValueError("the compressed data of an array are truncated")
    return inflated


def _limited(reader: type[Any], source: str) -> type[Any]:
    """Derive a reader that inflates arrays of a file within the available memory."""
    known = {**reader.compression_type_map, _ZLIB: partial(_inflate, source)}
    for name, decode in reader.compression_type_map.items():  # as MS-Numpress
        if f"{name} followed by {_ZLIB}" in known:
            known[f"{name} followed by {_ZLIB}"] = lambda data, decode=decode: decode(_inflate(source, data))
    return type(reader.__name__, (reader,), {"compression_type_map": known})


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
