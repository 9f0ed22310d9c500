"""The parsing operation against its naive twin and Biopython."""

from __future__ import annotations

import io

import numpy as np
import pytest
from Bio import SeqIO
from Bio.SeqIO.QualityIO import FastqGeneralIterator
from hypothesis import given
from hypothesis import strategies as st

from debruijn_gpu.backends import cpu
from debruijn_gpu.backends.read_interface import FaultKind
from tests.naive import parsing as naive

LETTERS = "ACGTacgtUuNnRYSWKMBDHVXI-.*"
NAMES = st.text("ab./_12 \t:", max_size=12)
LINE_ENDS = st.sampled_from(["\n", "\r\n"])


def stream(text: bytes, fastq: bool, block_bytes: int):
    """Parse in blocks, carrying over what is left; give reads, name hashes and the fault with its line."""
    sequences, names, n_lines, rest = [], [], 0, b""
    cuts = range(0, len(text) + 1, block_bytes)
    for start in cuts:
        rest += text[start : start + block_bytes]
        final = start + block_bytes > len(text)
        parsed = cpu.parse_reads(np.frombuffer(rest, np.uint8), fastq, final)
        sequences += naive.unpack(parsed)
        names += parsed.names.tolist()
        assert all(rest[at : at + 1] == (b"@" if fastq else b">") for at in parsed.starts)
        if parsed.fault:
            fault = parsed.fault
            lengths = (fault.n_bases, fault.n_qualities) if fault.kind == FaultKind.LENGTHS else (0, 0)
            return sequences, names, (fault.kind, len(names) + 1, n_lines + fault.line + 1, lengths)
        n_lines += parsed.n_lines
        rest = rest[parsed.n_consumed :]
    assert not rest
    return sequences, names, None


def naive_parse(text: bytes, fastq: bool):
    try:
        return (naive.parse_fastq if fastq else naive.parse_fasta)(text), None
    except naive.RecordError as error:
        return [], error.args


def check(text: bytes, fastq: bool, block_bytes: int) -> None:
    """The stream gives what the naive twin gives, reads or fault."""
    sequences, names, fault = stream(text, fastq, block_bytes)
    records, expected_fault = naive_parse(text, fastq)
    assert fault == expected_fault
    if fault:
        return
    assert sequences == [record.sequence for record in records]
    keys = [naive.pair_name(record.name) for record in records]
    assert [key == b"" for key in keys] == [name == 0 for name in names]
    assert len(set(keys)) == len(set(names))
    assert len(set(zip(keys, names, strict=True))) == len(set(keys))


def wrap(sequence: str, width: int, line_end: str) -> str:
    lines = [sequence[i : i + width] for i in range(0, len(sequence), width)] or [""]
    return line_end.join(lines)


@st.composite
def fasta_texts(draw: st.DrawFn) -> bytes:
    line_end, width = draw(LINE_ENDS), draw(st.integers(1, 100))
    text = ""
    for name, sequence in draw(st.lists(st.tuples(NAMES, st.text(LETTERS, max_size=150)), max_size=8)):
        text += f">{name}{line_end}{wrap(sequence, width, line_end)}{line_end}"
        text += line_end * draw(st.integers(0, 2))
    return draw(st.sampled_from([text, text.removesuffix(line_end)])).encode()


@st.composite
def fastq_texts(draw: st.DrawFn, loose: bool = True) -> bytes:
    """With `loose`: something after +, empty lines after a record, a last line without its end."""
    line_end, width = draw(LINE_ENDS), draw(st.sampled_from([1, 7, 60, 1000]))
    text = ""
    for name, sequence in draw(st.lists(st.tuples(NAMES, st.text(LETTERS, max_size=150)), max_size=8)):
        qualities = draw(st.text("@+!IJ#", min_size=len(sequence), max_size=len(sequence)))
        lines = [f"@{name}", wrap(sequence, width, line_end), "+", wrap(qualities, width, line_end), ""]
        if loose:
            lines[2] += draw(NAMES)
            lines += [""] * draw(st.integers(0, 2))
        text += line_end.join(lines)
    return (draw(st.sampled_from([text, text.removesuffix(line_end)])) if loose else text).encode()


@given(fasta_texts(), st.integers(1, 64))
def test_fasta_is_what_naive_reads(text, block_bytes):
    check(text, False, block_bytes)


@given(fastq_texts(), st.integers(1, 64))
def test_fastq_is_what_naive_reads(text, block_bytes):
    check(text, True, block_bytes)


@given(fasta_texts(), st.data())
def test_damaged_fasta_has_naives_fault(text, data):
    check(_damage(text, data), False, data.draw(st.integers(1, 64)))


@given(fastq_texts(), st.data())
def test_damaged_fastq_has_naives_fault(text, data):
    check(_damage(text, data), True, data.draw(st.integers(1, 64)))


def _damage(text: bytes, data: st.DataObject) -> bytes:
    """Cut something out, put something in, or end early."""
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    new = data.draw(st.text("\n\r>@+ACN!1 \t\x00\x7f\xff", max_size=5)).encode("latin-1")
    return text[:start] + new + text[data.draw(st.sampled_from([start, stop, len(text)])) :]


@given(st.text("\n\n\r>@@+ACN!I ", max_size=40), st.booleans(), st.integers(1, 16))
def test_any_text_is_read_as_naive_reads_it(text, fastq, block_bytes):
    check(text.encode(), fastq, block_bytes)


@pytest.mark.parametrize("n_bases", [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1000])
def test_word_boundaries(n_bases):
    sequence = "".join("ACGT"[i * i % 7 % 4] for i in range(n_bases))
    for n_before in range(34):
        check(f">x\n{'G' * n_before}\n>y\n{sequence}\n>z\nTTT\n".encode(), False, 10_000)


def test_more_records_and_breaks_than_expected():
    check(b">\n" * 3000, False, 10_000)
    check(b"@\n\n+\n\n" * 3000, True, 50_000)
    check(b">x\nACGT\n>y\n" + b"NA" * 5000 + b"\nC\n>z\nG\n", False, 50_000)


def test_every_byte_is_a_letter_a_blank_or_alien():
    for byte in range(256):
        check(b">x\nACGTA" + bytes([byte]) + b"CCCGGGG\n", False, 1000)
        check(b"@x\nACGTA" + bytes([byte]) + b"CCCGGGG\n+\nIIIIIIIIIIIII\n", True, 1000)
        check(b"@x\nACGTA\n+\nIII" + bytes([byte]) + b"I\n", True, 1000)


def test_wrong_length_that_ends_a_line_at_the_right_place():
    """Nine qualities are missing, and the next header is nine bytes long with its line end."""
    text = b"@r1\n" + b"A" * 20 + b"\n+\n" + b"I" * 11 + b"\n@long-r2\n" + b"ACGT\n+\nIIII\n"
    parsed = cpu.parse_reads(np.frombuffer(text, np.uint8), True, True)
    assert parsed.fault is not None
    assert (parsed.fault.kind, parsed.fault.line) == (FaultKind.LENGTHS, 3)
    assert (parsed.fault.n_bases, parsed.fault.n_qualities) == (20, 11)


@given(fasta_texts())
def test_fasta_is_what_biopython_reads(text):
    records = SeqIO.parse(io.StringIO(text.decode().replace("\r\n", "\n")), "fasta")
    assert stream(text, False, 10_000)[0] == [normal(str(record.seq)) for record in records]


@given(fastq_texts(loose=False))
def test_fastq_is_what_biopython_reads(text):
    records = FastqGeneralIterator(io.StringIO(text.decode().replace("\r\n", "\n")))
    assert stream(text, True, 10_000)[0] == [normal(sequence) for _name, sequence, _qualities in records]


def normal(sequence: str) -> bytes:
    for letter in "RYSWKMBDHVXI-.*":
        sequence = sequence.upper().replace(letter, "N")
    return sequence.replace("U", "T").encode()
