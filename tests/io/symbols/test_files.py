"""Sequences of symbols, written and read in every format."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.errors import FormatError, UsageError
from debruijn_gpu.io.symbols.reading import letters_of, open_symbols
from debruijn_gpu.io.symbols.writing import CyclicInterval, write_symbols
from debruijn_gpu.sequences.sequence import StoredSequence
from debruijn_gpu.sequences.symbols import parse_symbols

CPU = backends.host()


def sequence_of(codes, symbols):
    return StoredSequence(np.array(codes, symbols.dtype), len(symbols), 1)


def written(codes, alphabet, file_format, interval=None, ahead=False):
    symbols = parse_symbols(alphabet)
    stream = io.BytesIO()
    interval = interval or CyclicInterval(0, len(codes))
    write_symbols(stream, sequence_of(codes, symbols), symbols, interval, file_format, CPU, ahead)
    return stream.getvalue()


def read(path, alphabet, file_format):
    file = open_symbols(str(path), parse_symbols(alphabet), file_format)
    first, again = (np.concatenate(list(file.codes())).tolist() for _ in range(2))
    assert first == again
    return first


@pytest.mark.parametrize("ahead", [False, True])
def test_text(ahead):
    assert written([0, 1, 3, 2], "ACGT", "text", ahead=ahead) == b"ACTG\n"
    assert written([0, 1, 2], "red,green,blue", "text", ahead=ahead) == b"red green blue\n"
    assert written([0, 1, 0], "αβ", "text", ahead=ahead) == "αβα\n".encode()
    assert written([0, 40, 7], "41", "text", ahead=ahead) == b"0 40 7\n"
    assert written([0, 1], "2", "text", CyclicInterval(0, 0), ahead=ahead) == b"\n"


def test_bytes():
    assert written([0, 1, 255], "256", "bytes") == b"\0\1\xff"
    assert written([0, 1, 256], "257", "bytes") == b"\0\0\1\0\0\1"
    assert written([1, 0, 1], "2", "bytes") == b"\1\0\1"


def test_packed():
    assert written([1, 0, 1, 1, 0, 0, 0, 1, 1], "2", "bits") == b"\xb1\x80"
    assert written([3, 0, 1, 2, 2], "ACGT", "2bit") == b"\xc6\x80"
    assert written([1, 0, 1], "2", "2bit") == b"\x44"


def test_npy():
    found = np.load(io.BytesIO(written([0, 300, 7], "400", "npy")))
    assert found.dtype == np.uint16
    assert found.tolist() == [0, 300, 7]


def test_formats_for_too_many_symbols():
    for alphabet, file_format in (("3", "bits"), ("5", "2bit")):
        with pytest.raises(UsageError, match=f"--format {file_format}"):
            written([0, 1], alphabet, file_format)


@given(
    codes=st.lists(st.integers(0, 1), min_size=1, max_size=40),
    data=st.data(),
    file_format=st.sampled_from(["text", "bytes", "2bit", "bits", "npy", "checksum"]),
)
def test_intervals_go_round(codes, data, file_format):
    """An interval of several rounds is written as the repeated sequence, in every format."""
    start = data.draw(st.integers(0, len(codes) - 1))
    n = data.draw(st.integers(0, 3 * len(codes)))
    around = (codes * 5)[start : start + n]
    if n:
        assert written(codes, "2", file_format, CyclicInterval(start, n)) == written(around, "2", file_format)


@given(
    codes=st.lists(st.integers(0, 2), min_size=1, max_size=200),
    alphabet=st.sampled_from(["3", "red,green,blue", "xyz", "αβγ"]),
    file_format=st.sampled_from(["text", "bytes"]),
)
def test_what_is_written_is_read(tmp_path_factory, codes, alphabet, file_format):
    path = tmp_path_factory.mktemp("symbols") / "file"
    path.write_bytes(written(codes, alphabet, file_format))
    assert read(path, alphabet, file_format) == codes


@pytest.mark.parametrize(("alphabet", "file_format", "per_byte"), [("2", "bits", 8), ("ACGT", "2bit", 4)])
def test_packed_symbols_are_read_with_what_fills_the_last_byte(tmp_path, alphabet, file_format, per_byte):
    path = tmp_path / "file"
    path.write_bytes(written([1] * 9, alphabet, file_format))
    assert read(path, alphabet, file_format) == [1] * 9 + [0] * (-9 % per_byte)


def test_wide_codes_are_read(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(written([0, 300, 7], "400", "bytes"))
    assert read(path, "400", "bytes") == [0, 300, 7]
    path.write_bytes(b"\0\0\1")
    with pytest.raises(FormatError, match="ends within a symbol"):
        read(path, "400", "bytes")


def test_blanks_and_line_ends_and_fasta_and_compression(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(gzip.compress(b">a name, ACGT\nACG\r\nT A\n\nC"))
    assert read(path, "ACGT", "text") == [0, 1, 2, 3, 0, 1]
    assert letters_of(str(path)) == "ACGT"
    path.write_bytes(b"red,green\nblue red\n")
    assert read(path, "red,green,blue", "text") == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("content", "alphabet", "file_format", "message"),
    [
        (b"ACGN", "ACGT", "text", "symbol 3 .from 0., 'N', is not in the alphabet"),
        (b"A C\nx", "ACGT", "text", "symbol 2 .from 0., 'x'"),
        (b"red blau", "red,green,blue", "text", "symbol 1 .from 0., 'blau'"),
        (b"\xff\xfe", "red,green,blue", "text", "not text"),
        (b"\0\1\2", "2", "bytes", "symbol 2 .from 0., '2'"),
        (b"", "3", "text", "empty"),
    ],
)
def test_what_is_no_symbol_is_told(tmp_path, content, alphabet, file_format, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read(path, alphabet, file_format)


def test_formats_that_are_not_read(tmp_path):
    with pytest.raises(UsageError, match="--from npy: no such format"):
        open_symbols(str(tmp_path), parse_symbols("2"), "npy")
    with pytest.raises(UsageError, match="--from bits is for up to 2 symbols"):
        open_symbols(str(tmp_path), parse_symbols("3"), "bits")
