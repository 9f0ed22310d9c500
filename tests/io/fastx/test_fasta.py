"""Reading named sequences."""

from __future__ import annotations

import gzip
import io

import pytest
from Bio import SeqIO
from hypothesis import given, strategies as st

from debruijn_gpu.errors import FormatError, InputNotFoundError, OutOfMemoryError
from debruijn_gpu.io.fastx.fasta import read_fasta, read_parts
from debruijn_gpu.io.lines import read_lines


def read_contigs(path):
    """Name and sequence of each record, or segment."""
    found = []
    for part in read_parts(path):
        if part.is_first:
            found.append((part.name, b""))
        name, letters = found.pop()
        assert name == part.name
        found.append((name, letters + part.letters))
    return found


@pytest.fixture
def read(tmp_path):
    def read_text(text, reader=read_contigs):
        path = tmp_path / "in.txt"
        path.write_bytes(text)
        return list(reader(str(path)))

    return read_text


records = st.lists(st.tuples(st.text("abc|.", min_size=1, max_size=5), st.text("ACGTNacgtn", max_size=30)))


@given(records.filter(bool), st.integers(1, 40), st.sampled_from(["\n", "\r\n"]))
def test_fasta_is_what_biopython_reads(tmp_path_factory, records, width, newline):
    lines = []
    for name, sequence in records:
        lines += [f">{name} more", *(sequence[i : i + width] for i in range(0, len(sequence), width))]
    path = tmp_path_factory.getbasetemp() / "records.fa"
    path.write_bytes((newline.join(lines) + newline).encode())
    judge = SeqIO.parse(io.StringIO("\n".join(lines)), "fasta")
    assert list(read_fasta(str(path))) == [(record.id, bytes(record.seq).upper()) for record in judge]


def test_blank_lines_and_missing_newline_at_the_end(read):
    assert read(b"\n\n>a x\nAC\n\nGT\n>b\n>c\nTT") == [("a", b"ACGT"), ("b", b""), ("c", b"TT")]


def test_gzip_is_told_by_content(tmp_path):
    path = tmp_path / "dataset_1.dat"
    path.write_bytes(gzip.compress(b">a\nACGT\n"))
    assert list(read_fasta(str(path))) == [("a", b"ACGT")]


def test_segments_of_gfa(read):
    assert read(b"H\tVN:Z:1.0\nS\t1\tacgt\tLN:i:4\nL\t1\t+\t2\t-\t0M\nS\tx\tGG\n") == [
        ("1", b"ACGT"),
        ("x", b"GG"),
    ]
    assert read(b"S\t1\tACGT\n") == [("1", b"ACGT")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"@r\nACGT\n+\nIIII\n", "line 1: looks like FASTQ, so it is not FASTA or GFA"),
        (b"\nLorem ipsum\n", "line 2: begins with 'L', so it is not FASTA or GFA"),
        (b"ACGT.ACGT\nAC\n", "line 1: has '.' at position 5, so it is not FASTA or GFA"),
        (b">a\nACGT\n>b\nAC\nAELC\n", "record b, line 5: 'E' is not a base"),
        (b"S\t1\t*\tLN:i:4\n", "line 1: segment 1 has no sequence"),
        (b"S\t1\n", "line 1: expected a segment (S, name, sequence), got S\\t1"),
        (b"S\t1\tAC!T\n", "line 1: segment 1: '!' is not a base"),
        (b"H\tVN:Z:1.0\n", "GFA without a segment (S line)"),
    ],
)
def test_faults_say_where(read, tmp_path, text, message):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.what == f"{tmp_path / 'in.txt'}: {message}"


def test_gfa_is_no_fasta(read):
    with pytest.raises(FormatError, match=r"line 1: looks like GFA, so it is not FASTA$"):
        read(b"S\t1\tACGT\n", read_fasta)


def test_truncated_gzip(read):
    with pytest.raises(FormatError):
        read(gzip.compress(b">a\n" + bytes(range(65, 91)) * 500)[:-20])


@pytest.mark.parametrize("block_bytes", [1, 2, 5, 1000])
def test_size_of_blocks_changes_nothing(read, tune, block_bytes):
    tune(fasta_block_bytes=block_bytes)
    assert read(b">a x\r\nACG\r\nT\r\n>b\r\n\r\nTT") == [("a", b"ACGT"), ("b", b"TT")]


def test_missing_file():
    with pytest.raises(InputNotFoundError):
        list(read_fasta("/no/such/file"))


@pytest.mark.parametrize("block_bytes", [1, 7, 1000])
def test_one_sequence_per_line(read, tune, block_bytes):
    tune(fasta_block_bytes=block_bytes)
    expected = [("sequence_1", b"ACGT"), ("sequence_2", b"TTN"), ("sequence_3", b"A")]
    assert read(b"\nacgt\r\n\nTTN\nA") == expected
    with pytest.raises(FormatError, match=r"record sequence_2, line 2: '>' is not a base"):
        read(b"ACGT\n>a\nAC\n")


def test_counted_kmers_are_named_in_the_error(read):
    with pytest.raises(FormatError, match="k-mers with their counts"):
        read(b"ACGTA\t12\nACGTC\t1\n")


def test_sequences_come_in_parts(tmp_path):
    path = tmp_path / "genome.fa"
    path.write_bytes(b">a x y\n" + b"ACGTACGTAC\n" * 300_000 + b">b\n\nAC\n")
    parts = list(read_parts(str(path)))
    assert max(len(part.letters) for part in parts) <= 1 << 20
    assert [(part.name, part.description) for part in parts if part.is_first] == [("a", "x y"), ("b", "")]
    assert sum(len(part.letters) for part in parts) == 3_000_002


def test_sequences_beyond_the_memory_allowed_are_an_error(tmp_path):
    path = tmp_path / "genome.fa"
    path.write_bytes(b">a\nACGT\n>b\n" + b"ACGTACGTAC\n" * 1000)
    assert [len(sequence) for _name, sequence in read_fasta(str(path), 10_004)] == [4, 10_000]
    with pytest.raises(OutOfMemoryError, match=r"record b: .* and 9\.8 KiB are allowed for all sequences"):
        list(read_fasta(str(path), 10_003))


def test_a_line_without_end_is_an_error(tmp_path):
    path = tmp_path / "peptides.txt"
    path.write_bytes(b"NQEL\n" + b"A" * 5_000_000)
    with pytest.raises(FormatError, match=r"line 2: more than 1\.0 MiB without an end of line"):
        list(read_lines(str(path), 1 << 20))
