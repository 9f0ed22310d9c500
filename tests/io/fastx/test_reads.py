"""Batches of all input files: order, mates, and the exact words of each error."""

from __future__ import annotations

import gzip
import logging
import os
import re
import subprocess
import sys
import threading
from contextlib import suppress
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import DbgError, FormatError, InputNotFoundError, UsageError
from debruijn_gpu.io.fastx import reads as reads_module
from debruijn_gpu.io.fastx.reads import check_distinct, check_inputs, read_batches
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.run import log
from tests.naive import parsing as naive


def fastq(records):
    return "".join(f"@{name}\n{bases}\n+\n{'I' * len(bases)}\n" for name, bases in records)


def fasta(records):
    return "".join(f">{name}\n{bases}\n" for name, bases in records)


def numbered(n, suffix="", start=0):
    """Reads that all differ, of different lengths."""
    return [(f"read{i}{suffix}", "ACGT"[i % 4] * (i % 50) + "GATTACA") for i in range(start, start + n)]


def sequences(records):
    return [bases.encode() for _name, bases in records]


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write


@pytest.mark.parametrize(
    ("n_bytes", "large", "expected"),
    [
        (0, 64 << 20, 16 << 20),
        (1 << 30, 64 << 20, 16 << 20),
        (2 << 30, 64 << 20, 32 << 20),
        (1 << 40, 64 << 20, 64 << 20),
        (1 << 40, 0, 16 << 20),
    ],
)
def test_large_files_have_large_blocks(n_bytes, large, expected):
    reads = SimpleNamespace(block_bytes=16 << 20, large_block_bytes=lambda: large)
    assert reads_module._block_bytes(n_bytes, reads) == expected


def read(block_bytes=1 << 20, **inputs):
    batches = list(read_batches(ReadInputs(**inputs), CPU, block_bytes))
    assert all(len(batch.offsets) > 1 for batch in batches)
    found = whole_reads(batches)
    assert len(found) == sum(batch.n_reads for batch in batches)
    assert sum(map(len, found)) == sum(batch.n_new_bases for batch in batches)
    return found


def whole_reads(batches):
    """The reads of all batches; split ones are merged."""
    found = []
    for batch in batches:
        reads = naive.unpack(batch)
        if batch.n_repeated:
            start = reads.pop(0)
            assert found[-1].endswith(start[: batch.n_repeated])
            found[-1] += start[batch.n_repeated :]
        found += reads
    return found


def failure(error=FormatError, block_bytes=1 << 20, **inputs):
    with pytest.raises(error) as caught:
        read(block_bytes, **inputs)
    assert caught.value.fix
    assert [thread.name for thread in threading.enumerate() if thread.name == "dbg-reader"] == []
    return caught.value.what


def single_failure(write, content, block_bytes=1 << 20):
    return failure(single=(write("reads.fq", content),), block_bytes=block_bytes)


@pytest.mark.slow
@given(st.integers(0, 30), st.integers(1, 64))
def test_block_size_changes_nothing(tmp_path_factory, n_reads, block_bytes):
    records = [*numbered(n_reads), ("last", "A" * 1000)]
    path = tmp_path_factory.getbasetemp() / "reads.txt"
    for format_ in (fastq, fasta):
        path.write_text(format_(records))
        assert read(block_bytes, single=(str(path),)) == sequences(records)


def test_files_come_in_order_whatever_their_format(write):
    one, two, three, five = (numbered(10, start=100 * i) for i in range(4))
    inputs = {
        "single": (write("1.fa", fasta(one)), write("2.fq.gz", fastq(two))),
        "first": (write("3.fq", fastq(three)),),
        "second": (write("4.fa.gz", fasta(numbered(10, start=200))),),
        "interleaved": (write("5.fq", fastq([r for pair in zip(five, five, strict=True) for r in pair])),),
    }
    expected = one + two + three + numbered(10, start=200) + [r for r in five for _ in range(2)]
    assert read(**inputs) == sequences(expected)


def test_batches_are_bounded(write):
    path = write("reads.fq", fastq(numbered(1000)))
    batches = list(read_batches(ReadInputs(single=(path,)), CPU, 5000))
    assert all(batch.n_bases <= 5000 + 100 for batch in batches)
    assert len(batches) > 10


def test_a_record_of_fasta_longer_than_a_block_is_split(write):
    records = [("a", "ACGT" * 5), ("b", "ACGGTN" * 100_000), ("c", "AC")]
    path = write("genome.fa", fasta(records))
    batches = list(read_batches(ReadInputs(single=(path,)), CPU, 1000))
    assert max(batch.n_bases for batch in batches) < 2500
    assert whole_reads(batches) == sequences(records)


def test_a_record_of_fastq_longer_than_a_block_is_one_batch(write):
    path = write("long.fq", fastq([("a", "ACGT" * 5), ("b", "ACGGT" * 100_000), ("c", "AC")]))
    batches = list(read_batches(ReadInputs(single=(path,)), CPU, 1000))
    lengths = [length for batch in batches for length in (batch.offsets[1:] - batch.offsets[:-1]).tolist()]
    assert lengths == [20, 500_000, 2]


def test_a_file_given_twice_is_found_in_any_role(write, tmp_path):
    first, second, other = (write(name, fastq(numbered(3))) for name in ("r1.fq", "r2.fq", "other.fq"))
    (tmp_path / "link.fq").symlink_to(tmp_path / first)
    pair = {"first": (first,), "second": (second,)}
    check_distinct(ReadInputs(**pair, single=(other,)), ReadInputs(single=("-",)), ReadInputs(single=("-",)))
    for inputs, what in (
        (ReadInputs(single=(first, f"./{first}")), "r1.fq and ./r1.fq are the same file"),
        (ReadInputs(**pair, single=(second,)), "r2.fq is given twice"),
        (ReadInputs(**pair, interleaved=("link.fq",)), "r1.fq and link.fq are the same file"),
        (ReadInputs(first=(first, first), second=(second, second)), "r1.fq is given twice"),
        (ReadInputs(first=(first,), second=("link.fq",)), "r1.fq is given as both mates"),
    ):
        with pytest.raises(UsageError, match=f"^{re.escape(what)}$"):
            check_distinct(inputs)
    with pytest.raises(UsageError, match=r"^r1.fq is given twice$"):
        check_distinct(ReadInputs(**pair), ReadInputs(single=(first,)))


def test_pipes_are_not_compared(write, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    check_distinct(ReadInputs(single=(str(tmp_path / "pipe"),) * 2))


def test_input_is_checked_before_any_work(write):
    path = write("r1.fq", fastq(numbered(3)))
    for function in (check_inputs, lambda inputs: read_batches(inputs, CPU)):
        with pytest.raises(InputNotFoundError, match=r"^r2.fq: No such file or directory$"):
            function(ReadInputs(first=(path,), second=("r2.fq",)))
        with pytest.raises(FormatError, match=r"^none.fq: the file is empty$"):
            function(ReadInputs(single=(path, write("none.fq", ""))))
        with pytest.raises(UsageError, match=r"^r1.fq is given as both mates$"):
            function(ReadInputs(first=(path,), second=(f"./{path}",)))
        with pytest.raises(DbgError, match="is a directory"):
            function(ReadInputs(single=(".",)))


RECORD_7 = fastq([(f"r{i}", "ACGTACGTAC") for i in range(1, 7)])


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("@r7\nACGTAC\n+\nIIII\n@r8\nA\n+\nI\n", "line 28: 6 bases but 4 qualities"),
        ("@r7\nACGTAC\n+\nIIIIIIII\n@r8\nA\n+\nI\n", "line 28: 6 bases but 8 qualities"),
        ("@r7\nACGT\nAC\n+\nIIII\nI\n@r8\nA\n+\nI\n", "line 30: 6 bases but 5 qualities"),
        ("@r7\nACGTAC\nIIIIII\n@r8\nA\n+\nI\n", "line 28: '@' where the line that begins with + should be"),
        ("@r7\nACGTAC\n+\nIIII", "line 25: the file ends within this record"),
        ("@r7\nACGTAC\n+", "line 25: the file ends within this record"),
        ("@r7\nACGTAC", "line 25: the file ends within this record"),
        ("@r7", "line 25: the file ends within this record"),
        ("@r7\nACG7AC\n+\nIIIIII\n", "line 26: '7' is no nucleotide letter"),
        ("@r7\nACG\0AC\n+\nIIIIII\n", "line 26: byte 0x00 is no nucleotide letter"),
        ("@r7\nACGTAC\n+\nII II\n", "line 28: ' ' among the qualities"),
        ("r7\nACGTAC\n+\nIIIII\n", "line 25: 'r' where the next record's header should begin"),
    ],
)
def test_fastq_errors(write, text, what, block_bytes):
    assert single_failure(write, RECORD_7 + text, block_bytes) == f"reads.fq: record 7, {what}"


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1 << 20])
def test_fasta_error(write, block_bytes):
    text = ">a\nAC\n\n>b\nACGT\nAC!T\n"
    assert single_failure(write, text, block_bytes) == "reads.fq: record 2, line 6: '!' is no nucleotide letter"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("@HD\tVN:1.6\n@SQ\tSN:chr\n", "this is SAM, not FASTA or FASTQ"),
        (gzip.compress(b"BAM\x01" + bytes(20), mtime=0), "this is BAM, not FASTA or FASTQ"),
        (b"CRAM\x03\x00" + bytes(20), "this is CRAM, not FASTA or FASTQ"),
        ("H\tVN:Z:1.0\n", "this is an assembly graph (GFA), not FASTA or FASTQ"),
        (b"\x89PNG\r\n\x1a\n", "this is a picture or document, not FASTA or FASTQ"),
        (gzip.compress(gzip.compress(b">a\nACGT\n", mtime=0), mtime=0), "this is compressed twice, not FASTA or FASTQ"),
        ("jello\n", "begins with 'j', so it is neither FASTA (>) nor FASTQ (@) nor plain sequences"),
        (
            "ACGT.ACGT\nAC\n",
            "has '.' at position 5 of its first line, so it is neither FASTA (>) nor FASTQ (@) nor plain sequences",
        ),
        (b"\x00\x01", "begins with byte 0x00, so it is neither FASTA (>) nor FASTQ (@) nor plain sequences"),
        ("\n\r\n\n", "no records, only empty lines"),
    ],
)
def test_other_content(write, content, what):
    for block_bytes in (1, 1 << 20):
        assert single_failure(write, content, block_bytes) == f"reads.fq: {what}"


def test_truncated_file(write):
    packed = gzip.compress(fastq(numbered(10_000)).encode())
    what = single_failure(write, packed[: len(packed) // 2], 1000)
    assert what.startswith("reads.fq: the compressed data are truncated after ")


PAIRED_STYLES = [
    ("r{i}/1", "r{i}/2"),
    ("r{i} 1:N:0:ACGT", "r{i} 2:N:0:ACGT"),
    ("r{i}", "r{i}"),
    ("SRR1.{i}.1 {i} length=9", "SRR1.{i}.2 {i} length=9"),
    ("r{i}_1", "r{i}_2"),
    ("r{i}\t1", "r{i}\t2"),
    ("", ""),
    ("", "r{i}"),
]


@pytest.mark.parametrize("styles", PAIRED_STYLES)
@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_names_of_mates(write, styles, block_bytes):
    mates = [[(style.format(i=i), "ACGT" * n) for i in range(30)] for n, style in enumerate(styles, start=1)]
    paths = [write(f"{n}.fq", fastq(records)) for n, records in enumerate(mates)]
    reads = read(block_bytes, first=(paths[0],), second=(paths[1],))
    assert sorted(reads) == sorted(sequences(mates[0] + mates[1]))
    turns = [record for couple in zip(*mates, strict=True) for record in couple]
    assert read(block_bytes, interleaved=(write("12.fq", fastq(turns)),)) == sequences(turns)


@pytest.mark.parametrize("block_bytes", [16, 500, 1 << 20])
def test_mates_that_differ(write, block_bytes):
    first, second = numbered(100, "/1"), numbered(100, "/2")
    second[70] = ("other/2 x", "ACGT")
    paths = (write("r1.fq.gz", fastq(first)),), (write("r2.fa", fasta(second)),)
    what = failure(first=paths[0], second=paths[1], block_bytes=block_bytes)
    expected = "record 71: the names of the mates differ: read70/1 and other/2"
    assert what == f"r1.fq.gz and r2.fa: {expected}"


@pytest.mark.parametrize("block_bytes", [16, 500, 1 << 20])
def test_mates_of_unequal_number(write, block_bytes):
    long, short = write("long.fq", fastq(numbered(100))), write("short.fq", fastq(numbered(60)))
    what = "short.fq ends after 60 records, but long.fq continues"
    assert failure(first=(long,), second=(short,), block_bytes=block_bytes) == what
    assert failure(first=(short,), second=(long,), block_bytes=block_bytes) == what


@pytest.mark.parametrize("block_bytes", [16, 500, 1 << 20])
def test_interleaved_errors(write, block_bytes):
    turns = [record for i in range(20) for record in numbered(1, "/1", i) + numbered(1, "/2", i)]
    path = write("odd.fq", fastq(turns[:-1]))
    what = failure(interleaved=(path,), block_bytes=block_bytes)
    assert what == "odd.fq: 39 records, an odd number, cannot be pairs"
    path = write("shifted.fq", fastq(turns[:10] + turns[11:]))
    what = failure(interleaved=(path,), block_bytes=block_bytes)
    assert what == "shifted.fq: records 11 and 12: the names of the mates differ: read5/2 and read6/1"


@given(st.lists(st.sampled_from(["a", "b/1", "b/2", "", "c.1"]), max_size=8), st.integers(1, 40))
def test_interleaved_names_are_compared_two_by_two(tmp_path_factory, names, block_bytes):
    path = tmp_path_factory.getbasetemp() / "interleaved.fq"
    path.write_text(fastq([(name, "ACGT") for name in names]) or "\n")
    keys = [naive.pair_name(name.encode()) for name in names]
    couples = zip(keys[0::2], keys[1::2], strict=False)
    if names and len(names) % 2 == 0 and all(a == b or not a or not b for a, b in couples):
        assert len(read(block_bytes, interleaved=(str(path),))) == len(names)
    else:
        failure(interleaved=(str(path),), block_bytes=block_bytes)


def test_mates_from_pipes_differ_without_names(write, tmp_path):
    path = write("r1.fq", fastq(numbered(3)))
    os.mkfifo("r2.fq")
    writer = threading.Thread(target=(tmp_path / "r2.fq").write_text, args=(fastq(numbered(3, start=5)),))
    writer.start()
    what = failure(first=(path,), second=("r2.fq",))
    writer.join()
    assert what == "r1.fq and r2.fq: record 1: the names of the mates differ"


def test_leaving_early_ends_the_threads(write):
    paths = [write(name, fastq(numbered(5000))) for name in ("r1.fq", "r2.fq")]
    batches = read_batches(ReadInputs(first=(paths[0],), second=(paths[1],)), CPU, 1000)
    next(batches)
    del batches
    assert [thread.name for thread in threading.enumerate() if thread.name == "dbg-reader"] == []


def test_importing_the_reader_does_not_import_numba():
    code = "import sys, debruijn_gpu.io.fastx.reads; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.fixture
def warnings():
    """Warnings of the log, as they come."""
    found: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: found.append(record.getMessage())
    log.logger.addHandler(handler)
    yield found
    log.logger.removeHandler(handler)


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
@pytest.mark.parametrize("styles", [("r{i}/1", "r{i}/2"), ("r{i} 1:N:0:ACGT", "r{i} 2:Y:18:ACGT"), ("a/1 x", "a/2 y")])
def test_mates_named_as_the_others_are_a_warning(write, warnings, styles, block_bytes):
    first, second = ([(style.format(i=i), "ACGT") for i in range(9)] for style in styles)
    paths = [write("1.fq", fastq(first)), write("2.fa", fasta(second))]
    turns = [write(name, fastq([first[0], second[0]][::step])) for name, step in (("12.fq", 1), ("21.fq", -1))]
    read(block_bytes, first=(paths[0],), second=(paths[1],), interleaved=(turns[0],))
    assert warnings == []
    read(block_bytes, first=(paths[1],), second=(paths[0],), interleaved=(turns[1],))
    assert [warning.split(":")[0] for warning in warnings] == ["2.fa", "1.fq", "21.fq"]
    assert "given as first mates (-1), but the first read is named as a second one" in warnings[0]
    assert "given as second mates (-2), but the first read is named as a first one" in warnings[1]


def test_names_that_do_not_show_the_mate_are_no_warning(write, warnings):
    for names in (("r.2", "r.1"), ("r_2", "r_1"), ("r 2", "r 1"), ("r 2:3", "r 1:3"), ("", "/1x"), ("/21", "/11")):
        paths = [write(f"{i}.fq", fastq([(name, "ACGT")])) for i, name in enumerate(names)]
        with suppress(FormatError):
            read(first=(paths[0],), second=(paths[1],))
    assert warnings == []


def warnings_of(caplog, **inputs):
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        found = read(**inputs)
    return found, [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1 << 20])
def test_empty_lines_between_records_are_warned_of_once(write, caplog, block_bytes):
    text = "\n\n@a\nAC\n+\nII\n@b\nA\n+\nI\n\n\n@c\nA\n+\nI\n\n@d\nA\n+\nI\n\n"
    found, warnings = warnings_of(caplog, single=(write("reads.fq", text),), block_bytes=block_bytes)
    assert found == [b"AC", b"A", b"A", b"A"]
    assert warnings == ["reads.fq: line 11: empty lines between records are skipped"]


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1 << 20])
def test_empty_lines_at_the_end_are_not_warned_of(write, caplog, block_bytes):
    text = "@a\nAC\n+\nII\n@b\n\n+\n\n@c\nA\n+\nI\n\n\n"
    assert warnings_of(caplog, single=(write("reads.fq", text),), block_bytes=block_bytes)[1] == []


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1 << 20])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_other_names_behind_plus_are_warned_of_once_per_file(write, caplog, block_bytes, line_end):
    same = "@a x\nA\n+a x\nI\n@ab\nA\n+ab\nI\n@b x\nA\n+b y\nI\n@abcdefghi 1\nA\n+abcdefghi 2\nI\n@c x\nA\n+ \nI\n"
    for other in ("ab", "a.2", "abcdefgh"):
        odd = (same + f"@a.1\nA\n+{other}\nI\n@y\nA\n+z\nI\n").replace("\n", line_end)
        paths = (write("reads.fq", odd), write("same.fq", same.replace("\n", line_end)), write("other.fq", odd))
        found, warnings = warnings_of(caplog, single=paths, block_bytes=block_bytes)
        assert len(found) == 19
        assert warnings == [
            f"{name}: line 23: the name behind + is not that of the record, and is ignored"
            for name in ("reads.fq", "other.fq")
        ]


@pytest.mark.parametrize("block_bytes", [1, 64, 1 << 20])
def test_wrapped_fastq_is_read(write, caplog, block_bytes):
    text = "@a\nACGT\nACGT\nAC\n+\n@III\n+III\nII\n@b\nACGTAC\n+\n@@\n++\nII\n@c\nAC\n+\n@@"
    found, warnings = warnings_of(caplog, single=(write("reads.fq.gz", text),), block_bytes=block_bytes)
    assert (found, warnings) == ([b"ACGTACGTAC", b"ACGTAC", b"AC"], [])


@pytest.mark.parametrize("mark", [">", "@"])
def test_carriage_returns_alone_are_refused_in_blocks_of_any_size(write, mark):
    """The first line decides, however many blocks it takes."""
    name = write("reads", f"{mark}a long name of a read\rACGT\r{mark}b\rACGT\r")
    for block_bytes in (1, 16, 1000):
        with pytest.raises(FormatError, match="lines end with a carriage return alone"):
            list(read_batches(ReadInputs(single=(name,)), CPU, block_bytes))


def test_a_binary_file_with_carriage_returns_is_refused_by_its_first_byte(write):
    name = write("reads", "\x7fELF\x02\x01\r\x00\r\nACGT\n")
    with pytest.raises(FormatError, match="begins with byte 0x7f, so it is neither FASTA"):
        list(read_batches(ReadInputs(single=(name,)), CPU))
