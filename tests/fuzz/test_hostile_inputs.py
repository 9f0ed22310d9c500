"""Inputs of odd sizes, encodings and content, through the commands that read them."""

from __future__ import annotations

import ast
import gzip
import io
import lzma
import pickle
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io import reading_again
from debruijn_gpu.io.compression.inflating import zstd_library
from debruijn_gpu.io.gfa.contigs import read_gfa_contigs
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.peptides import mzml
from debruijn_gpu.io.peptides.peptides import read_peptides
from debruijn_gpu.io.peptides.spectra import read_spectra
from debruijn_gpu.io.symbols.word_lists import read_words
from debruijn_gpu.peptides.residues import residue_masses
from tests.fuzz import seeds
from tests.fuzz.commands import COMMANDS, Done, arguments, check_command

PACKAGE = Path(__file__).parents[2] / "debruijn_gpu"
LONG = 100_000_000
MANY = 1_000_000


@pytest.fixture
def run(dbg):
    """A function that runs a command, and checks that it ends in a result or in one error: exit code and messages."""

    def checked(*args):
        code, _out, err = dbg(*args)
        check_command(Done(code, err))
        return code, err

    return checked


# Encodings, binaries and line ends

TAKING_TEXT = set(COMMANDS) - {"color"}  # which is tried on its index


@pytest.mark.parametrize("name", sorted(TAKING_TEXT))
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_refused_in_one_line(run, tmp_path, name, encoding):
    path = tmp_path / "input"
    path.write_bytes(COMMANDS[name][1]()[0].decode().encode(encoding))
    code, _err = run(*arguments(name, path))
    assert code in (FormatError.exit_code, 67)


BINARIES = {
    "random": random.Random(1).randbytes(5000),
    "zeros": bytes(5000),
    "program": b"\x7fELF\x02\x01\x01" + bytes(9) + random.Random(2).randbytes(500),
    "picture": b"\x89PNG\r\n\x1a\n" + random.Random(3).randbytes(500),
    "bam": gzip.compress(b"BAM\x01" + random.Random(4).randbytes(500)),
    "pickle": pickle.dumps(Path("x")),
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("content", BINARIES.values(), ids=BINARIES)
def test_binaries_are_refused_in_one_line(run, tmp_path, name, content):
    path = tmp_path / "input"
    path.write_bytes(content)
    code, _err = run(*arguments(name, path))
    assert code in (FormatError.exit_code, 67)


@pytest.mark.parametrize("name", sorted(TAKING_TEXT - {"report"}))
def test_windows_line_ends_change_no_result(dbg, tmp_path, name):
    path = tmp_path / "input"
    results = []
    for end in (b"\n", b"\r\n"):
        path.write_bytes(COMMANDS[name][1]()[0].replace(b"\n", end))
        results.append(dbg(*arguments(name, path))[:2])
    assert results[0] == results[1]
    assert results[0][0] in (0, 69)


# Odd reads

READS = {
    "all N": ("N" * 100 + "\n") * 30,
    "all A": ("A" * 100 + "\n") * 30,
    "identical": (seeds.genome()[:100] + "\n") * 30,
    "shorter than k": "ACGTACGTAC\n" * 30,
    "one base each": "A\nC\nG\n",
    "two letters": ("AC" * 50 + "\n") * 30,
    "palindromes": ("ACGT" * 25 + "\n") * 30,
}


@pytest.mark.parametrize("command", ["assemble", "unitigs", "count", "spectrum", "graph", "euler"])
@pytest.mark.parametrize("reads", READS.values(), ids=READS)
def test_odd_reads_end_in_a_result_or_a_known_error(run, tmp_path, command, reads):
    path = tmp_path / "reads.txt"
    path.write_text(reads)
    code, err = run(command, "-k", 31, path)
    assert code in (0, 67, 69)
    if max(map(len, reads.split())) < 31:
        assert code == 67
        assert "k is 31" in err


# Long lines and many records


def _long(start: bytes, letter: bytes, end: bytes = b"\n"):
    return lambda path: path.write_bytes(start + letter * (LONG // len(letter)) + end)


#: A file with a line of 10^8 letters, the commands that read it, and the exit codes that are right
LONG_LINES = {
    "sequence": (_long(b">a\n", b"ACGGTCA"), ["stats {}", "count -k 21 {} -m 512M"], (0,)),
    "header": (_long(b">", b"a", b"\nACGT\n"), ["stats {}", "count -k 3 {} -m 512M"], (0, 137)),
    "plain sequence": (_long(b"", b"A"), ["stats {}", "count -k 21 {} -m 512M"], (0,)),
    "quality": (_long(b"@a\nACGT\n+\n", b"I"), ["count -k 3 {} -m 512M"], (64, 137)),
    "segment": (_long(b"S\ta\t", b"ACGT"), ["stats {}", "graph {} -m 512M"], (0, 137)),
    "number": (_long(b"", b"7"), ["sort {} -m 512M", "graph {} -m 512M", "cyclospec convolve {}"], (64, 137)),
    "numbers": (_long(b"", b"7 "), ["sort {} -m 512M", "graph {} -m 512M"], (64, 137)),
    "name": (_long(b"a -> ", b"b"), ["graph {} -m 512M"], (0, 64, 137)),
    "names": (_long(b"a -> ", b"b,"), ["graph {} -m 512M"], (0, 64, 137)),
    "peptide": (_long(b"", b"G"), ["cyclospec {}"], (64, 67, 137)),
    "blanks": (_long(b"", b" "), ["stats {}", "sort {}", "graph {}", "count {}", "cyclospec convolve {}"], (0, 64, 69)),
    "comment": (_long(b"#", b"#"), ["sort {}", "graph {}", "stats {}", "cyclospec convolve {}"], (0, 64, 137)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_LINES)
def test_lines_of_a_hundred_million_letters(run, tmp_path, name):
    write, commands, codes = LONG_LINES[name]
    path = tmp_path / "input"
    write(path)
    for command in commands:
        code, err = run(*command.format(path).split())
        assert code in codes, (command, err)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("record", "commands", "codes"),
    [
        (b">\n", ["stats {}", "count -k 21 {}", "assemble {}"], (0, 67, 69)),
        (b">a\n\n", ["stats {}", "unitigs -k 21 {}"], (0, 67, 69)),
        (b"@\n\n+\n\n", ["count -k 21 {}", "spectrum {}"], (67, 69)),
        (b"\n", ["stats {}", "count {}", "sort {}", "graph {}", "cyclospec convolve {}"], (0, 64, 69)),
        (b"#\n", ["sort {}", "graph {}", "cyclospec convolve {}"], (0, 64)),
        (b"BEGIN IONS\nEND IONS\n", ["cyclospec convolve {}"], (64,)),
        (b"S\t\n", ["stats {}", "graph {}"], (0, 64)),
        (b"\t\n", ["sort {}", "graph {}"], (0, 64)),
    ],
    ids=repr,
)
def test_a_million_empty_records(run, tmp_path, record, commands, codes):
    path = tmp_path / "input"
    path.write_bytes(record * MANY)
    for command in commands:
        code, err = run(*command.format(path).split())
        assert code in codes, (command, err)


# Decompression bombs

BOMBS = {
    "gz": lambda member: gzip.compress(member, 9),
    "xz": lzma.compress,
    "zst": lambda member: zstd_library().compress(member, 3),
}
_MEMBER_BYTES = 1 << 24


def bomb(start: bytes, repeated: bytes, n_bytes: int, name: str = "gz") -> bytes:
    """A compressed text of about as many bytes."""
    member = BOMBS[name](repeated * (_MEMBER_BYTES // len(repeated)))
    return BOMBS[name](start) + member * (n_bytes // _MEMBER_BYTES)


@pytest.mark.slow
@pytest.mark.parametrize("compression", BOMBS)
@pytest.mark.parametrize(
    ("start", "repeated", "command"),
    [
        (b"@a\n", b"A", "count -k 21 {} -m 256M"),
        (b">", b"a", "count -k 21 {} -m 256M"),
        (b"", b"1\n", "sort {} -m 256M"),
        (b"", b"1 2\n", "graph {} -m 256M"),
        (b"a -> ", b"b,", "graph {} -m 256M"),
        (b"S\ta\t", b"A", "graph {} -m 256M"),
        (b"", b"2", "debruijn verify --alphabet 2 -n 4 {} -m 256M"),
        (b"0", b"1", "cyclospec sequence {} -m 256M"),
    ],
    ids=["read", "header", "numbers", "edges", "successors", "segment", "symbols", "mass"],
)
def test_bombs_of_text_end_at_the_budget(run, tmp_path, start, repeated, command, compression):
    path = tmp_path / "bomb"
    path.write_bytes(bomb(start, repeated, 1 << 29, compression))
    assert path.stat().st_size < 1 << 20
    code, err = run(*command.format(path).split())
    assert code in (64, 67, OutOfMemoryError.exit_code), err


@pytest.fixture
def _small_budget(monkeypatch):
    """As little as 64 MiB are left of the budget."""
    monkeypatch.setattr(reading_again, "memory_left", lambda _memory: 64 << 20)


def _all_of(iterator) -> int:
    kept = list(iterator)
    return len(kept)


@pytest.mark.slow
@pytest.mark.usefixtures("_small_budget")
@pytest.mark.parametrize(
    ("start", "repeated", "read"),
    [
        (b"", b"1 2\n", lambda path: _all_of(read_spectra(path))),
        (b"BEGIN IONS\n", b"57.5 1\n", lambda path: _all_of(read_spectra(path))),
        (b">a\n", b"NQEL\n", lambda path: _all_of(read_peptides(path, residue_masses()))),
        (b"S\ta\tACGT\n", b"L\ta\t+\ta\t+\t*\n", read_gfa_contigs),
        (b"", b"\n", lambda path: _all_of(read_lines(path))),
        (b"a\n", b"bc\n", lambda path: read_words(path, None, 64 << 20)),
    ],
    ids=["masses", "peaks", "peptide", "links", "lines", "words"],
)
def test_bombs_of_records_end_at_the_budget(tmp_path, start, repeated, read):
    path = tmp_path / "bomb"
    path.write_bytes(bomb(start, repeated, 1 << 27))
    with pytest.raises(OutOfMemoryError, match=r"Out of memory: .* are allowed"):
        read(str(path))


def npz_bomb() -> bytes:
    """An .npz whose array takes 512 MiB."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("row_ptr.npy", "w") as member,
    ):
        header = {"descr": "<i8", "fortran_order": False, "shape": (1 << 26,)}
        np.lib.format.write_array_header_1_0(member, header)
        for _ in range(1 << 5):
            member.write(bytes(1 << 24))
    return packed.getvalue()


@pytest.mark.slow
def test_bombs_of_arrays_end_at_the_budget(run, tmp_path):
    path = tmp_path / "bomb.npz"
    path.write_bytes(npz_bomb())
    assert path.stat().st_size < 1 << 22
    for packed in (path.read_bytes(), gzip.compress(path.read_bytes(), 1)):
        path.write_bytes(packed)
        code, err = run("graph", path, "-m", "256M")
        assert code == OutOfMemoryError.exit_code, err


# XML


def test_entities_of_xml_are_not_resolved(tmp_path):
    secret, path = tmp_path / "secret", tmp_path / "spectra.mzML"
    secret.write_text("a secret")
    (sound,) = seeds.mzml()
    for declared in (f'SYSTEM "file://{secret}"', '"a secret"'):
        doctype = f"?><!DOCTYPE x [<!ENTITY c {declared}>]>".encode()
        for hidden in (b"", b"<!-- <mzML -->" + b" " * 70_000):
            text = sound.replace(b"?>", b"?>" + hidden + doctype[2:], 1).replace(b'id="scan=1"', b'id="&c;"')
            path.write_bytes(text)
            with pytest.raises(FormatError, match="document type declaration") as caught:
                list(read_spectra(str(path)))
            assert "a secret" not in caught.value.what


@pytest.mark.parametrize("encoding", ["UTF-7", "no-such-encoding", "hex"])
def test_encodings_that_could_hide_a_declaration_are_refused(tmp_path, encoding):
    path = tmp_path / "spectra.mzML"
    path.write_bytes(seeds.mzml()[0].replace(b"utf-8", encoding.encode()))
    with pytest.raises(FormatError):
        list(read_spectra(str(path)))


def test_arrays_of_xml_inflate_within_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "spectra.mzML"
    path.write_bytes(seeds.mzml()[0])
    assert len(list(read_spectra(str(path)))) == 2
    monkeypatch.setattr(mzml, "available_memory", lambda: 4 * 24)
    with pytest.raises(OutOfMemoryError, match=r"spectra.mzML: an array of .* inflates to more than 24 B"):
        list(read_spectra(str(path)))


# Pickles


def test_no_array_is_read_with_pickles():
    """Arrays are read by our own functions, or by NumPy with `allow_pickle=False`."""
    found = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text if "pickle" in text or ".load(" in text else "")):
            if not isinstance(node, ast.Call):
                continue
            allowed = [word.value for word in node.keywords if word.arg == "allow_pickle"]
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            owner = getattr(getattr(node.func, "value", None), "id", "")
            needs = owner in ("np", "numpy", "npy") and name in ("load", "read_array")
            if (needs and not allowed) or any(not isinstance(v, ast.Constant) or v.value is not False for v in allowed):
                found.append(f"{path}:{node.lineno}")
    assert found == []
