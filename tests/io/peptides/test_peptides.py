"""Peptides of files and command lines, tables of masses."""

from __future__ import annotations

import gzip
from decimal import Decimal

import pytest

from debruijn_gpu.errors import FormatError, InputNotFoundError, ParameterError
from debruijn_gpu.io.peptides.peptides import read_arguments, read_peptides, read_residue_table
from debruijn_gpu.peptides.residues import residue_masses

MASSES = residue_masses()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "in.txt"


def read(path, content):
    path.write_bytes(content)
    return [(each.label, each.masses.tolist()) for each in read_peptides(str(path), MASSES)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"NQEL\n57-71\n", [("", [114, 128, 129, 113]), ("", [57, 71])]),
        (b"# comment\r\n\r\n  GA \r\nVal-Orn", [("", [57, 71]), ("", [99, 114])]),
        (b">one more\nGA\nG\n\n>two\n57-71-\n99\n", [("one", [57, 71, 57]), ("two", [57, 71, 99])]),
        (b">\nGA", [("", [57, 71])]),
    ],
)
def test_one_peptide_per_line_or_fasta(path, content, expected):
    assert read(path, content) == expected
    assert read(path, gzip.compress(content)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\n# nothing\n", "holds no peptide"),
        (b"GA\n\n GXA\n", "line 3, position 3: 'X' is any amino acid"),
        (b">a x\nGA\nGAB\n", "record a, line 3, position 3: 'B' is aspartic acid or asparagine, which differ in mass"),
        (b">a\n57-\nGA\n", "record a, line 3, position 1: 'GA': masses and names in one peptide"),
        (b">a\n57-\n71-\n", "record a, line 3, position 3: nothing behind this hyphen"),
        (b">a\n>b\nGA\n", "record a, line 1: the peptide is empty"),
        (b"GA\n>b\nGA\n", "line 2, position 1: '>' is no amino acid"),
        (b"\x00\xff\n", r"line 1, position 1: '\x00' is no amino acid"),
        (b"@r\nGA\n+\nII\n", "line 1, position 1: '@' is no amino acid"),
    ],
)
def test_faults_say_where(path, content, message):
    with pytest.raises(FormatError) as caught:
        read(path, content)
    assert caught.value.what == f"{path}: {message}"


def test_arguments_are_peptides_or_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "GA").write_text("57\n")
    (tmp_path / "in.fa").write_text(">a\nG\n>b\nA\n")
    (tmp_path / "list").write_text("58\n")
    (tmp_path / "list!").write_text("58\n")
    found = [each.masses.tolist() for each in read_arguments(["GA", "./GA", "in.fa", "99-1", "list!"], MASSES)]
    assert found == [[57, 71], [57], [57], [71], [99, 1], [58]]


@pytest.mark.parametrize("name", ["missing.fa", "no/such", "dir.d/missing"])
def test_a_missing_file_is_said_to_be_missing(name):
    with pytest.raises(InputNotFoundError):
        list(read_arguments([name], MASSES))


@pytest.mark.parametrize("text", ["GXA", "M[+1.x]", "57.5-", "\0/", "", "B" * 5000])
def test_an_argument_that_is_neither_is_a_bad_parameter(text):
    with pytest.raises(ParameterError):
        list(read_arguments([text], MASSES))


def test_a_table_of_masses(path):
    path.write_bytes(b"# name mass\nOrn\t114.07931 # ornithine\n\nX 100\r\nx 1.5\nMy_1 2\n")
    table = read_residue_table(str(path))
    assert table == {"Orn": Decimal("114.07931"), "X": 100, "x": Decimal("1.5"), "My_1": 2}
    assert residue_masses("integer", table).named("my_1") == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Orn\n", "line 1: 1 word, not a name and a mass"),
        (b"A 1\nOrn 114 x\n", "line 2: 3 words, not a name and a mass"),
        (b"Orn 0\n", "line 1: '0' is no mass"),
        (b"Orn -1\n", "line 1: '-1' is no mass"),
        (b"Orn 1e3\n", "line 1: '1e3' is no mass"),
        (b"Orn nan\n", "line 1: 'nan' is no mass"),
        (b"Orn 1.0000000001\n", "line 1: '1.0000000001' is no mass"),
        (b"Orn 9999999999999999999\n", "line 1: '9999999999999999999' is no mass"),
        (b"5 57\n", "line 1: '5' is no name"),
        (b"d-Phe 57\n", "line 1: 'd-Phe' is no name"),
        ("Ö 57\n".encode(), "line 1: 'Ö' is no name"),
        (b"\xff 57\n", "is no name"),
        (b"Orn 1\n\nORN 2\n", "line 3: 'ORN' is also in line 1"),
    ],
)
def test_faults_of_a_table_say_where(path, content, message):
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        read_residue_table(str(path))
    assert caught.value.what.startswith(f"{path}: ")
    assert message in caught.value.what
