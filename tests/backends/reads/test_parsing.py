"""The parsing operation of each backend against its naive twin, Biopython and, to the last byte, the CPU's."""

from __future__ import annotations

import io
import threading
from dataclasses import replace

import numpy as np
import pytest
from Bio import SeqIO
from Bio.SeqIO.QualityIO import FastqGeneralIterator
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.reads.protocol import FaultKind
from debruijn_gpu.run.parallel import ordered_map
from tests.helpers import n_examples
from tests.naive import parsing as naive

pytestmark = pytest.mark.cuda

LETTERS = "ACGTacgtUuNnRYSWKMBDHVXI-.*"
NAMES = st.text("ab./_12 \t:", max_size=4 if is_simulated() else 12)
LINE_ENDS = st.sampled_from(["\n", "\r\n"])
MOST_RECORDS, MOST_BASES = (3, 12) if is_simulated() else (8, 150)
RECORDS = st.lists(st.tuples(NAMES, st.text(LETTERS, max_size=MOST_BASES)), max_size=MOST_RECORDS)
N_RECORDS = [0, 1, 3, 4, 5] if is_simulated() else [0, 1, 63, 64, 65, 255, 256, 257, 3000]
N_BASES = [0, 1, 31, 32, 33] if is_simulated() else [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 1000]
BLOCK_BYTES = st.integers(20, 64) if is_simulated() else st.integers(1, 64)
some = settings(
    deadline=None,
    max_examples=10 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
#: Records that the device parses itself, and such that it leaves to the CPU.
CUT_TEXTS = [
    b"@a 1\nACN\n+\nII@\n@b/2\nG\n+b\nI\n",
    b"@a\r\nAC\r\n+\r\nI@\r\n@b\r\n\r\n+\r\n\r\n",
    b"@a\nA\n+\nI\n\n@b\nC\nG\n+\nI\nI\n",
    b"@a\nACG\n+b\n@\nII\n\n\n@b/1\nA\n+b/2 x\n+\n",
    b"@\n+\n@b\n\n+\n@c\nA\n+\nI",
    b">a/1\nACN\nG\n\n>b\n>c",
    b">a 1\r\nAC\r\nG\r\n>\r\nT\r",
    b"\n>a\nA C\n >b\n",
]
too_large = pytest.mark.skipif(is_simulated(), reason="too much for the simulator")


def parse(backend, text: bytes, fastq: bool, final: bool):
    """Parse from a buffer of the backend, and fetch the arrays."""
    buffer = backend.host_buffer(len(text))
    buffer[:] = np.frombuffer(text, np.uint8)
    parsed = backend.reads.parse_reads(buffer, fastq, final)
    arrays = {name: backend.to_host(getattr(parsed, name)) for name in ("bases", "offsets", "ambiguous_positions")}
    return replace(parsed, **arrays)


def check_like_cpu(backend, text: bytes, fastq: bool, final: bool) -> None:
    """The result is the CPU's in each item."""
    found, expected = parse(backend, text, fastq, final), parse(CPU, text, fastq, final)
    for name in ("bases", "offsets", "ambiguous_positions", "names", "starts"):
        array, wanted = getattr(found, name), getattr(expected, name)
        assert isinstance(array, np.ndarray)
        assert array.dtype == wanted.dtype
        np.testing.assert_array_equal(array, wanted, name)
    for name in ("n_consumed", "n_lines", "fault", "empty_line", "other_name_line", "n_empty_lines"):
        assert getattr(found, name) == getattr(expected, name), name


def stream(backend, text: bytes, fastq: bool, block_bytes: int):
    """Parse in blocks, carrying over what is left; give reads, name hashes and the fault with its line."""
    sequences, names, n_lines, rest = [], [], 0, b""
    cuts = range(0, len(text) + 1, block_bytes)
    for start in cuts:
        rest += text[start : start + block_bytes]
        final = start + block_bytes > len(text)
        parsed = parse(backend, rest, fastq, final)
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


def check(backend, text: bytes, fastq: bool, block_bytes: int) -> None:
    """The stream gives what the naive twin gives, reads or fault."""
    shown = text[:100]
    sequences, names, fault = stream(backend, text, fastq, block_bytes)
    records, expected_fault = naive_parse(text, fastq)
    assert fault == expected_fault, shown
    if fault:
        return
    assert sequences == [record.sequence for record in records], shown
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
    for name, sequence in draw(
        st.lists(st.tuples(NAMES, st.text(LETTERS, max_size=MOST_BASES)), max_size=MOST_RECORDS)
    ):
        text += f">{name}{line_end}{wrap(sequence, width, line_end)}{line_end}"
        text += line_end * draw(st.integers(0, 2))
    return draw(st.sampled_from([text, text.removesuffix(line_end)])).encode()


@st.composite
def fastq_texts(draw: st.DrawFn, loose: bool = True) -> bytes:
    """With `loose`: something after +, empty lines after a record, qualities wrapped in another way than the bases, a
    last line without its end."""
    line_end, width = draw(LINE_ENDS), draw(st.sampled_from([1, 7, 60, 1000]))
    quality_width = draw(st.sampled_from([width, 5, 1000])) if loose else width
    text = ""
    for name, sequence in draw(
        st.lists(st.tuples(NAMES, st.text(LETTERS, max_size=MOST_BASES)), max_size=MOST_RECORDS)
    ):
        qualities = draw(st.text("@+!IJ#", min_size=len(sequence), max_size=len(sequence)))
        lines = [f"@{name}", wrap(sequence, width, line_end), "+", wrap(qualities, quality_width, line_end), ""]
        if loose:
            lines[2] += draw(NAMES)
            lines += [""] * draw(st.integers(0, 2))
        text += line_end.join(lines)
    return (draw(st.sampled_from([text, text.removesuffix(line_end)])) if loose else text).encode()


@some
@given(fasta_texts(), BLOCK_BYTES)
def test_fasta_is_what_naive_reads(backend, text, block_bytes):
    check(backend, text, False, block_bytes)


@some
@given(fastq_texts(), BLOCK_BYTES)
def test_fastq_is_what_naive_reads(backend, text, block_bytes):
    check(backend, text, True, block_bytes)


@some
@given(fastq_texts())
def test_oddities_of_fastq_are_noted(backend, text):
    try:
        records = naive.parse_fastq(text)
    except naive.RecordError:
        return  # an unlucky line of qualities
    parsed = parse(backend, text, True, True)
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    assert (parsed.other_name_line is not None) == any(record.has_other_name for record in records)
    if parsed.other_name_line is not None:
        assert lines[parsed.other_name_line].startswith(b"+")
    if not lines[0].startswith(b"@"):
        return
    assert (parsed.empty_line is not None) == any(record.is_after_empty_line for record in records)
    if parsed.empty_line is not None:
        assert lines[parsed.empty_line] == b""


WRAPPED = [
    (b"@a\nACGTACGT\n+\nIIII\nIIII\n@b\nAC\n+\nII\n", 2),
    (b"@a\nACGTACGT\n+\n@III\n@III\n@b\nAC\n+\nII\n", 2),
    (b"@a\nACGTACGT\n+\n+III\n+\n@II\n", 1),
    (b"@a\nACGT\nACGT\n+a\n@@@@@@@@\n@b\n\n+\n\n@c\n+\n", 3),
    (b"@a\r\nACGTACGT\r\n+\r\n@II\r\nIII\r\n+@\r\n\r\n@b\r\nA\r\n+\r\n@", 2),
]


@pytest.mark.parametrize(("text", "n_reads"), WRAPPED)
def test_wrapped_qualities_may_begin_like_other_lines(backend, text, n_reads):
    for block_bytes in (1, 5, 1000):
        check(backend, text, True, block_bytes)
    assert parse(backend, text, True, True).n_reads == n_reads
    check_like_cpu(backend, text, True, True)


@pytest.mark.parametrize(
    ("text", "line", "n_qualities"),
    [
        (b"@a\nACGTACGT\n+\nIIII\n@b\nAC\n+\nII\n", 3, 4),  # the next header fills up some of them
        (b"@a\nACGTACGT\n+\nIIII\n@bbb\nAC\n+\nII\n", 3, 4),  # or all, but no header follows
        (b"@a\nACGTACGT\n+\nIIII\nIII\n", 3, 4),
        (b"@a\nACGTACGT\n+\nIIII\nII I\n@b\nA\n+\nI\n", 3, 4),
        (b"@a\nACGTACGT\n+\n\n@b\nAC\n+\nII\n", 3, 0),
    ],
)
def test_missing_qualities_are_found_in_their_line(backend, text, line, n_qualities):
    for block_bytes in (1, 7, 1000):
        check(backend, text, True, block_bytes)
    fault = parse(backend, text, True, True).fault
    assert (fault.kind, fault.line, fault.n_qualities) == (FaultKind.LENGTHS, line, n_qualities)


@some
@given(fasta_texts(), st.data())
def test_damaged_fasta_has_naives_fault(backend, text, data):
    check(backend, _damage(text, data), False, data.draw(BLOCK_BYTES))


@some
@given(fastq_texts(), st.data())
def test_damaged_fastq_has_naives_fault(backend, text, data):
    check(backend, _damage(text, data), True, data.draw(BLOCK_BYTES))


def _damage(text: bytes, data: st.DataObject) -> bytes:
    """Cut something out, put something in, or end early."""
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    new = data.draw(st.text("\n\r>@+ACN!1 \t\x00\x7f\xff", max_size=5)).encode("latin-1")
    return text[:start] + new + text[data.draw(st.sampled_from([start, stop, len(text)])) :]


@some
@given(st.text("\n\n\r>@@+ACN!I ", max_size=40), st.booleans(), st.integers(1, 16))
def test_any_text_is_read_as_naive_reads_it(backend, text, fastq, block_bytes):
    check(backend, text.encode(), fastq, block_bytes)


@some
@given(fasta_texts() | fastq_texts(), st.data())
def test_each_item_is_the_cpus(backend, text, data):
    fastq = text.startswith(b"@")
    if data.draw(st.booleans()):
        text = _damage(text, data)
    check_like_cpu(backend, text[: data.draw(st.integers(0, len(text)))], fastq, data.draw(st.booleans()))


@some
@given(st.text("\n\n\r>@@+ACN!I ", max_size=40), st.booleans(), st.booleans())
def test_each_item_of_any_text_is_the_cpus(backend, text, fastq, final):
    check_like_cpu(backend, (("@" if fastq else ">") + text).encode(), fastq, final)


@pytest.mark.parametrize("text", CUT_TEXTS)
def test_text_cut_anywhere(backend, text):
    for n_bytes in range(len(text) + 1):
        for final in [n_bytes % 2 == 0] if is_simulated() else [False, True]:  # one is slow enough
            check_like_cpu(backend, text[:n_bytes], text.startswith(b"@"), final)


@pytest.mark.parametrize("n_records", N_RECORDS)
@pytest.mark.parametrize("final", [False, True])
def test_sizes(backend, n_records, final):
    fastq = b"".join(b"@%d/1\n%s\n+\n%s\n" % (i, b"ACN"[: i % 4], b"@!I"[: i % 4]) for i in range(n_records))
    check_like_cpu(backend, fastq, True, final)
    fasta = b"".join(b">%d/1\n%s\n" % (i, b"GT\nA"[: i % 5]) for i in range(n_records))
    check_like_cpu(backend, fasta, False, final)


@pytest.mark.parametrize("n_bases", N_BASES)
def test_word_boundaries(backend, n_bases):
    sequence = "".join("ACGT"[i * i % 7 % 4] for i in range(n_bases))
    for n_before in (0, 31, 33) if is_simulated() else range(34):
        check(backend, f">x\n{'G' * n_before}\n>y\n{sequence}\n>z\nTTT\n".encode(), False, 10_000)
        open_end = f"@x\n{'G' * n_before}\n+\n{'I' * n_before}\n@y\n{sequence}\n+\n{'I' * n_bases}".encode()
        check_like_cpu(backend, open_end, True, True)


@too_large
def test_more_records_and_ambiguous_bases_than_expected(backend):
    check(backend, b">\n" * 3000, False, 10_000)
    check(backend, b"@\n\n+\n\n" * 3000, True, 50_000)
    check(backend, b">x\nACGT\n>y\n" + b"NA" * 5000 + b"\nC\n>z\nG\n", False, 50_000)


@too_large
@pytest.mark.parametrize("length", [1 << 16, (1 << 16) + 1, 1 << 18])
def test_long_names(backend, length):
    name = b"n" * length
    check_like_cpu(backend, b">%s\nAC\n>%s/2\nG" % (name, name), False, True)
    check_like_cpu(backend, b"@%s\nAC\n+\nII\n@%s/2\nG\n+\nI\n" % (name, name), True, True)


@pytest.mark.parametrize(
    ("start", "fastq", "end"),
    [
        (b">x\nACGTA", False, b"CCCG\n"),
        (b"@x\nACGTA", True, b"CCCG\n+\nIIIIIIIIII\n"),
        (b"@x\nACGTA\n+\nIII", True, b"I\n"),
    ],
    ids=["FASTA", "FASTQ", "qualities"],
)
def test_every_byte_is_a_letter_a_blank_or_alien(backend, start, fastq, end):
    for byte in [*range(1, 128, 14), 255] if is_simulated() else range(256):
        check(backend, start + bytes([byte]) + end, fastq, 1000)


def test_wrong_length_that_ends_a_line_at_the_right_place(backend):
    """Nine qualities are missing, and the next header is nine bytes long with its line end."""
    text = b"@r1\n" + b"A" * 20 + b"\n+\n" + b"I" * 11 + b"\n@long-r2\n" + b"ACGT\n+\nIIII\n"
    parsed = parse(backend, text, True, True)
    assert parsed.fault is not None
    assert (parsed.fault.kind, parsed.fault.line) == (FaultKind.LENGTHS, 3)
    assert (parsed.fault.n_bases, parsed.fault.n_qualities) == (20, 11)


@some
@given(fasta_texts())
def test_fasta_is_what_biopython_reads(backend, text):
    records = SeqIO.parse(io.StringIO(text.decode().replace("\r\n", "\n")), "fasta")
    assert stream(backend, text, False, 10_000)[0] == [normal(str(record.seq)) for record in records]


@some
@given(fastq_texts(loose=False))
def test_fastq_is_what_biopython_reads(backend, text):
    records = FastqGeneralIterator(io.StringIO(text.decode().replace("\r\n", "\n")))
    assert stream(backend, text, True, 10_000)[0] == [normal(sequence) for _name, sequence, _qualities in records]


def normal(sequence: str) -> bytes:
    for letter in "RYSWKMBDHVXI-.*":
        sequence = sequence.upper().replace(letter, "N")
    return sequence.replace("U", "T").encode()


@pytest.mark.parametrize(("budget", "most"), [(0, 1), (1 << 40, 2)])
def test_texts_are_parsed_one_by_one_where_memory_is_short(cuda, monkeypatch, budget, most):
    """A thread waits within its parse for the other one, in vain where that may not begin."""
    from debruijn_gpu.backends.reads.cuda import parsing

    plain, both, at_once = parsing._parse, threading.Barrier(2), []

    def parse_beside(text, fastq, final):
        try:
            both.wait(0.3 if most == 1 else 60)
            at_once.append(2)
        except threading.BrokenBarrierError:
            at_once.append(1)
        return plain(text, fastq, final)

    monkeypatch.setattr(parsing.memory, "budget", lambda: budget)
    monkeypatch.setattr(parsing, "_parse", parse_beside)
    text = np.frombuffer(b">a\nACGT\n", np.uint8)
    found = list(ordered_map(lambda _: cuda.reads.parse_reads(text, False, True), range(2), 2))
    assert [parsed.n_reads for parsed in found] == [1, 1]
    assert at_once == [most] * 2
