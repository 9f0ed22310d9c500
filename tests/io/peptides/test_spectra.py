"""Reading of measured spectra."""

from __future__ import annotations

import base64
import builtins
import bz2
import gzip
import io
import zlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.errors import FormatError, InputNotFoundError, ParameterError
from debruijn_gpu.io.peptides.spectra import read_spectra, read_spectrum
from debruijn_gpu.peptides.peaks import PROTON, Charges

pyteomics_mgf = pytest.importorskip("pyteomics.mgf")

MGF = b"""# made by hand
COM=two spectra
CHARGE=1+

BEGIN IONS
TITLE=the first, a=b
PEPMASS=415.2 1000
CHARGE=2+
113.084064 10
114.5 0
227.0 5.5e2 2+
300.25 1 3
END IONS
begin ions
title=second
PEPMASS=1000.5
57.5 1
57.5 2
end ions
BEGIN IONS
TITLE=negative
PEPMASS=500
CHARGE=2-
100 1
END IONS
BEGIN IONS
TITLE=several
PEPMASS=500
CHARGE=2+ and 3+
END IONS
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "in.dat"


def read(path, content, charges=None):
    path.write_bytes(content)
    return list(read_spectra(str(path), charges))


def one(path, content, charges=None):
    (found,) = read(path, content, charges)
    return found


def units(mz, charge=1):
    return round((mz * abs(charge) - charge * PROTON) * 1e6)


@pytest.mark.parametrize(
    "content",
    [
        b"0 113 114 128 129 227 242 242 257 355 356 370 371 484\n",
        b"0,113,114,128,129,227,\n242,242,257,355,356,370,371,484",
        b"\n# LEQN\n! too\n484 0 113\r\n114\t128 129 , 227 242 242 257 355\n\n356 370 371",
    ],
)
def test_the_textbook_s_spectrum(path, content):
    found = one(path, content)
    assert found.spectrum.masses.tolist() == [0, 113, 114, 128, 129, 227, 242, 257, 355, 356, 370, 371, 484]
    assert found.spectrum.counts.tolist() == [1] * 6 + [2] + [1] * 6
    assert found.spectrum.masses.dtype == found.spectrum.counts.dtype == np.int64
    assert (found.spectrum.decimals, found.intensities, found.precursor, found.title) == (0, None, None, "")


def test_masses_keep_their_decimals(path):
    found = one(path, b"57.02146 .5 71. 007")
    assert (found.spectrum.masses.tolist(), found.spectrum.decimals) == ([50_000, 700_000, 5_702_146, 7_100_000], 5)
    found = one(path, b"1.00000000050000001 1.0000000005 1.0000000015 2")
    assert (found.spectrum.masses.tolist(), found.spectrum.decimals) == ([10**9, 10**9 + 1, 10**9 + 2, 2 * 10**9], 9)


def test_columns_without_a_header_are_told_of(path, caplog):
    assert len(one(path, b"57 1\n71 2\n128 1\n").spectrum) == 5
    assert "a header" in caplog.messages[-1]
    caplog.clear()
    one(path, b"57 71 128\n57 71 113\n")
    assert not caplog.messages


def test_a_mark_before_the_text_is_no_mass(path):
    assert one(path, b"\xef\xbb\xbf57\n71\n").spectrum.masses.tolist() == [57, 71]


def test_columns_need_a_header(path):
    found = one(path, b"# x\nmass\tintensity\n57.5\t3\n10.25\t1e2\n57.5 .5\n")
    assert (found.spectrum.masses.tolist(), found.spectrum.decimals) == ([1025, 5750], 2)
    assert found.spectrum.counts.tolist() == [1, 2]
    assert found.intensities.tolist() == [100, 3.5]
    found = one(path, b"Mass,Count\n0,1\n57,3\n57,4000000000\n")
    assert (found.spectrum.masses.tolist(), found.spectrum.counts.tolist()) == ([0, 57], [1, 4_000_000_003])
    assert found.intensities is None
    found = one(path, b"m/z intensity\n57.5 3\n10.25 0\n")
    assert (found.spectrum.masses.tolist(), found.intensities.tolist()) == ([units(57.5)], [3])
    found = one(path, b"mz\n57.5\n10.25\n", Charges(fragment=2))
    assert (found.spectrum.masses.tolist(), found.spectrum.decimals) == ([units(10.25, 2), units(57.5, 2)], 6)
    assert one(path, b"m/z count\n57.5 3\n").spectrum.counts.tolist() == [3]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 3)), min_size=1), st.integers(0, 4))
def test_numbers_are_counted(tmp_path_factory, numbers, decimals):
    path = tmp_path_factory.getbasetemp() / "numbers.txt"
    texts = [f"{number / 10**decimals:.{decimals}f}" for number, count in numbers for _ in range(count)]
    path.write_text("\n".join(texts))
    (found,) = read_spectra(str(path))
    masses, counts = np.unique(np.repeat(*np.transpose(numbers)), return_counts=True)
    assert found.spectrum.masses.tolist() == masses.tolist()
    assert found.spectrum.counts.tolist() == counts.tolist()
    assert found.spectrum.decimals == decimals


def test_mgf(path):
    first, second, negative, several = read(path, MGF)
    assert first.title == "the first, a=b"
    assert first.spectrum.masses.tolist() == [units(113.084064), units(227, 2), units(300.25, 3)]
    assert first.intensities.tolist() == [10, 550, 1]
    assert (first.spectrum.decimals, first.precursor) == (6, units(415.2, 2))
    assert (second.title, second.precursor) == ("second", units(1000.5))
    assert (second.spectrum.counts.tolist(), second.intensities.tolist()) == ([2], [3])
    assert (negative.precursor, negative.spectrum.masses.tolist()) == (units(500, -2), [units(100, -1)])
    assert (several.precursor, len(several.spectrum)) == (None, 0)


def test_charges_that_the_user_gives_hold(path):
    first, _, negative, several = read(path, MGF, Charges(fragment=1, precursor=3))
    assert first.spectrum.masses.tolist() == [units(113.084064), units(227), units(300.25)]
    assert (first.precursor, several.precursor) == (units(415.2, 3), units(500, 3))
    assert negative.spectrum.masses.tolist() == [units(100)]


@given(
    st.lists(st.tuples(st.floats(2, 5000), st.floats(0.1, 1e6), st.sampled_from(["", "1+", "2+", "3+"])), max_size=20),
    st.floats(2, 5000),
    st.integers(1, 4),
)
def test_mgf_is_what_pyteomics_reads(tmp_path_factory, peaks, precursor, charge):
    lines = [f"{mz!r} {intensity!r} {charge}" for mz, intensity, charge in peaks]
    text = "\n".join(["BEGIN IONS", "TITLE=x", f"PEPMASS={precursor!r}", f"CHARGE={charge}+", *lines, "END IONS", ""])
    path = tmp_path_factory.getbasetemp() / "spectrum.mgf"
    path.write_text(text)
    (judge,) = pyteomics_mgf.MGF(io.StringIO(text))
    (found,) = read_spectra(str(path))
    charges = np.ma.filled(judge["charge array"], 1)
    masses = sorted(units(*peak) for peak in zip(judge["m/z array"].tolist(), charges.tolist(), strict=True))
    assert np.repeat(found.spectrum.masses, found.spectrum.counts) == pytest.approx(masses, abs=1)
    assert found.intensities.sum() == pytest.approx(judge["intensity array"].sum())
    assert found.precursor == pytest.approx(units(judge["params"]["pepmass"][0], charge), abs=1)


def test_one_spectrum_is_chosen_by_number_or_title(path):
    path.write_bytes(MGF)
    assert read_spectrum(str(path)).title == "the first, a=b"
    assert read_spectrum(str(path), 1).title == "second"
    assert read_spectrum(str(path), title="negative").title == "negative"
    for chosen, message in (
        ({"number": 4}, "there is no spectrum 4"),
        ({"number": -1}, "there is no spectrum -1"),
        ({"title": "Second"}, "none of 4 spectra has the title 'Second'"),
    ):
        with pytest.raises(ParameterError) as caught:
            read_spectrum(str(path), **chosen)
        assert caught.value.what == f"{path}: {message}"
    with pytest.raises(FormatError, match="spectrum 3 has no peaks"):
        read_spectrum(str(path), 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n# only this\n", "holds no masses"),
        (b"mass count\n", "holds no masses"),
        (b"0 113\n114 -5\n", "line 2: '-5' is no mass"),
        (b"0 nan", "line 1: 'nan' is no mass"),
        (b"0\n1e3", "line 2: '1e3' is no mass"),
        (b"NQEL\n", "line 1: 'NQEL' is no mass"),
        (b"0\n" + b"9" * 500, "line 2: a number of 500 digits"),
        (b"0\n" + b"9" * 100, "line 2: a mass beyond 2^62 Da"),
        (b"0.000000001\n\n9999999999", "line 3: a mass beyond 2^62 units of 10^-9 Da"),
        (b"\x93NUMPY\x01\x00", "is no mass"),
        (b"mass charge\n1 2\n", "line 1: 'mass charge' is no header that is known"),
        (b"mass intensity\n1\n", "line 2: 1 words, but columns are mass, intensity"),
        (b"mass intensity\n1 2 3\n", "line 2: 3 words, but columns are mass, intensity"),
        (b"mass intensity\n1 -2\n", "line 2: '-2' is no intensity"),
        (b"mass count\n1 0\n", "line 2: '0' is no count"),
        (b"mass count\n1 1.5\n", "line 2: '1.5' is no count"),
        (b"m/z\n57.5\n1\n", "m/z 1 with charge 1 is no mass above 0"),
        (b"m/z\n1" + b"0" * 300, "is no mass above 0 and below"),
        (b"BEGIN IONS\n57 1\n", "line 1: a spectrum without END IONS: is the file cut off?"),
        (b"BEGIN IONS\n57 1\nBEGIN IONS\n", "line 3: BEGIN IONS before the END IONS of the spectrum in line 1"),
        (b"BEGIN IONS\n57\nEND IONS\n", "line 2: '57' is no peak"),
        (b"BEGIN IONS\n57 nan\nEND IONS\n", "line 2: '57 nan' is no peak"),
        (b"BEGIN IONS\n57 1e999\nEND IONS\n", "line 2: '57 1e999' is no peak"),
        (b"BEGIN IONS\n57 -1\nEND IONS\n", "line 2: '57 -1' is no peak"),
        (b"BEGIN IONS\n-57 1\nEND IONS\n", "line 2: '-57 1' is neither a parameter nor a peak"),
        (b"BEGIN IONS\n0.5 1\nEND IONS\n", "line 3: m/z 0.5 with charge 1 is no mass above 0"),
        (b"BEGIN IONS\nPEPMASS=x\nEND IONS\n", "line 3: PEPMASS=x is no m/z"),
        (b"BEGIN IONS\nPEPMASS=1e12\nCHARGE=999\nEND IONS\n", "line 4: m/z 1e+12 with charge 999 is no mass"),
        (b"BEGIN IONS\nEND IONS\nEND IONS\n", "line 3: 'END IONS' is neither a parameter nor a peak"),
        (b"COM=nothing\n", "MGF without a spectrum"),
        (b"<html></html>", "XML, but not mzML"),
        (b'<?xml version="1.0"?><mzXML/>', "XML, but not mzML"),
    ],
)
def test_faults_say_where(path, content, message):
    with pytest.raises(FormatError) as caught:
        read(path, content)
    assert caught.value.what.startswith(f"{path}: ")
    assert message in caught.value.what
    assert caught.value.fix


@given(st.binary(max_size=200), st.sampled_from([b"", b"mass count\n", b"BEGIN IONS\n", b"<mzML>", b"m/z\n"]))
def test_any_bytes_are_spectra_or_an_error(tmp_path_factory, content, start):
    path = tmp_path_factory.getbasetemp() / "any.dat"
    path.write_bytes(start + content)
    try:
        found = list(read_spectra(str(path)))
    except FormatError:
        found = []
    assert all((spectrum.spectrum.masses >= 0).all() for spectrum in found)


def test_a_missing_file_and_a_charge_of_0():
    with pytest.raises(InputNotFoundError):
        read_spectrum("/no/such/file")
    with pytest.raises(ParameterError, match="a charge of 0"):
        read_spectrum("/no/such/file", charges=Charges(0))


def array(values, name, accession, compressed=True, doubles=True):
    content = np.asarray(values, np.float64 if doubles else np.float32).tobytes()
    text = base64.b64encode(zlib.compress(content) if compressed else content).decode()
    terms = [("MS:1000523", "64-bit float") if doubles else ("MS:1000521", "32-bit float")]
    terms += [("MS:1000574", "zlib compression") if compressed else ("MS:1000576", "no compression")]
    params = "".join(term(*each) for each in [*terms, (accession, name)])
    return f'<binaryDataArray encodedLength="{len(text)}">{params}<binary>{text}</binary></binaryDataArray>'


def term(accession, name, value=""):
    return f'<cvParam cvRef="MS" accession="{accession}" name="{name}" value="{value}"/>'


def mzml_spectrum(index, level=2, arrays="", precursor="", extra=""):
    return f"""<spectrum index="{index}" id="scan={index}" defaultArrayLength="0">
        {term("MS:1000511", "ms level", level)}{extra}{precursor}
        <binaryDataArrayList count="2">{arrays}</binaryDataArrayList></spectrum>"""


def ion(mz, charge=None):
    params = term("MS:1000744", "selected ion m/z", mz) + (
        term("MS:1000041", "charge state", charge) if charge is not None else ""
    )
    return (
        '<precursorList count="1"><precursor><selectedIonList count="1"><selectedIon>'
        f"{params}</selectedIon></selectedIonList></precursor></precursorList>"
    )


def mzml(*spectra):
    return f"""<?xml version="1.0" encoding="utf-8"?>
<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0"><run id="r"><spectrumList count="{len(spectra)}">
{"".join(spectra)}</spectrumList></run></mzML>""".encode()


def peaks(mz, intensities, **how):
    return array(mz, "m/z array", "MS:1000514", **how) + array(intensities, "intensity array", "MS:1000515", **how)


MZML = mzml(
    mzml_spectrum(0, 1, peaks([100, 200], [1, 1])),
    mzml_spectrum(1, 2, peaks([100.5, 200.25, 300], [3, 0, 1]), ion(450.5, 2)),
    mzml_spectrum(
        2,
        2,
        peaks([100.5], [3], compressed=False, doubles=False),
        ion(450.5),
        term("MS:1000796", "spectrum title", "t"),
    ),
    mzml_spectrum(3, 3),
)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
def test_mzml(path, compress):
    first, second, third = read(path, compress(MZML))
    assert (first.title, first.precursor) == ("scan=1", units(450.5, 2))
    assert (first.spectrum.masses.tolist(), first.intensities.tolist()) == ([units(100.5), units(300)], [3, 1])
    assert (second.title, second.precursor) == ("t", None)
    assert second.spectrum.masses.tolist() == [units(100.5)]
    assert len(third.spectrum) == 0


def test_charges_of_mzml(path):
    first, second, _ = read(path, MZML, Charges(2, 3))
    assert (first.precursor, second.precursor) == (units(450.5, 3),) * 2
    assert second.spectrum.masses.tolist() == [units(100.5, 2)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (MZML[:900], "before the first spectrum of fragments: "),
        (MZML[:-20], ""),
        (mzml(), "no spectrum of MS level 2 or above among 0"),
        (mzml(mzml_spectrum(0, 1)), "no spectrum of MS level 2 or above among 1"),
        (mzml(mzml_spectrum(0, 2, peaks([1], [1, 2]))), "spectrum 0: 1 m/z, but 2 intensities and 1 charges"),
        (mzml(mzml_spectrum(0, 2, peaks([0.5], [1]))), "spectrum 0: m/z 0.5 with charge 1 is no mass above 0"),
        (mzml(mzml_spectrum(0, 2, peaks([float("nan")], [1]))), "spectrum 0: m/z nan with charge 1 is no mass"),
        (mzml(mzml_spectrum(0, "x")), "before the first spectrum of fragments: "),
        (mzml(mzml_spectrum(0, 2, "", "", term("MS:1000128", "profile spectrum"))), "spectrum 0: profiles, not peaks"),
        (mzml(mzml_spectrum(0, 2, peaks([1], [1]).replace("<binary>", "<binary>!"))), ""),
        (mzml(mzml_spectrum(0, 2, "", ion("x"))), "spectrum 0: "),
        (mzml(mzml_spectrum(0, 2, peaks([99], [1]), ion(9, 10**30))), "spectrum 0: "),
    ],
)
def test_faults_of_mzml(path, content, message):
    with pytest.raises(FormatError) as caught:
        read(path, content)
    assert caught.value.what.startswith(f"{path}: {message}")


def test_mzml_without_pyteomics_says_how_to_get_it(path, monkeypatch):
    real = builtins.__import__

    def without(name, *args):
        if name.startswith("pyteomics"):
            raise ImportError(f"No module named {name!r}")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ParameterError) as caught:
        read(path, MZML)
    assert "debruijn_gpu[spectra]" in caught.value.fix
    assert len(read(path, MGF)) == 4
