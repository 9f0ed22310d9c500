"""Columns of numbers from and into files."""

from __future__ import annotations

import gzip
import io
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.errors import FormatError, InputNotFoundError, OutOfMemoryError, ParameterError, UsageError
from debruijn_gpu.io.numbers.files import read_columns, write_columns
from debruijn_gpu.primitives.columns import Columns, NumberFormat
from debruijn_gpu.primitives.options import TableOptions
from tests.naive import numbers as naive

DTYPES = {"u32": np.uint32, "i32": np.int32, "u64": np.uint64, "i64": np.int64, "f32": np.float32, "f64": np.float64}
BLOCKS = [1, 3, 7, 64, 1 << 22]
ANY_CASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

WORDS = (
    st.integers(-(2**63), 2**63 - 1).map(str)
    | st.floats().map(repr)
    | st.sampled_from(["+7", "007", "1.", ".5", "1E5"])
)
JUNK = st.sampled_from(["", "  ", "# a comment", "\t# 1 2"])
#: Integers that a float would round, and their lines
INEXACT = [
    ("9007199254740993\n9007199254740992\n0.5\n", 1),
    ("0.5\n\n-9007199254740993\n", 3),
    ("1\n9223372036854775807\n1e3\n", 2),
    ("nan\n18446744073709551615\n", 2),
    ("-1\n18446744073709551615\n0.5\n", 2),
    ("9" * 30 + "\n1\n1e3\n", 1),
    ("1e3\n1\n-000" + "9" * 30 + "\n", 3),
]


@pytest.fixture
def read(tmp_path, backend):
    def read_content(
        content: bytes | str, block_bytes: int = 1 << 22, allowed: int | None = None, as_read: bool = False, **options
    ) -> Columns:
        path = tmp_path / "numbers.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_columns(str(path), TableOptions(**options), backend, 2, allowed, block_bytes, as_read)

    return read_content


@pytest.fixture
def write(backend):
    def written(columns: Columns, **options) -> bytes:
        stream = io.BytesIO()
        write_columns(stream, columns, TableOptions(**options), backend, 2)
        return stream.getvalue()

    return written


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def rows(columns: Columns) -> list[tuple[float, ...]]:
    return list(zip(*(array.tolist() for array in columns.arrays), strict=True))


@ANY_CASE
@given(data=st.data())
def test_text(read, write, data: st.DataObject) -> None:
    n_columns = data.draw(st.integers(1, 3))
    separator = data.draw(st.sampled_from([" ", "\t", ",", ";", " , ", " ;", "  \t"]))
    lines = data.draw(st.lists(st.lists(WORDS, min_size=n_columns, max_size=n_columns).map(separator.join) | JUNK))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines) + data.draw(st.sampled_from(["", end]))
    block_bytes = data.draw(st.sampled_from(BLOCKS))
    try:
        expected = naive.parse(text)
    except ValueError:
        with pytest.raises(FormatError, match=r"above 2\^53"):
            read(text, block_bytes)
        return
    columns = read(text, block_bytes)
    assert repr(rows(columns)) == repr(expected)
    assert repr(rows(read(write(columns)))) == repr(expected)
    integers = [value for array in columns.arrays if array.dtype.kind != "f" for value in array.tolist()]
    has_floats = any(array.dtype.kind == "f" for array in columns.arrays)
    if has_floats and any(int(float(value)) != value for value in integers):
        with pytest.raises(ParameterError, match="one type would round them"):
            write(columns, to="npy")
        return
    for array, same in zip(read(write(columns, to="npy")).arrays, columns.arrays, strict=True):
        np.testing.assert_array_equal(array, same.astype(array.dtype))  # integers beside floats become floats


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize("end", ["", "\n", "\r\n\r\n"])
def test_blocks(read, block_bytes: int, end: str) -> None:
    text = "# head\n\n" + "\n".join(f"{i} {i / 8}" for i in range(100)) + end
    first, second = read(text, block_bytes).arrays
    assert first.tolist() == list(range(100))
    assert second.tolist() == [i / 8 for i in range(100)]


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("1\n-2\n", np.int64),
        ("1\n18446744073709551615\n3\n", np.uint64),
        ("1\n-2\n3.5\n", np.float64),
        ("-1\n9223372036854775808\n18446744073709549568\n0.5\n", np.float64),
        ("1" + "0" * 22 + "\n-1\n9007199254740994\n1e3\n", np.float64),
        ("nan\n1\n", np.float64),
    ],
)
def test_dtypes(read, block_bytes: int, text: str, dtype: type) -> None:
    (array,) = read(text, block_bytes).arrays
    assert array.dtype == dtype
    np.testing.assert_array_equal(
        array,
        np.array([float(word) for word in text.split()]).astype(dtype)
        if dtype == np.float64
        else [int(word) for word in text.split()],
    )


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\n\n2\nabc\n", "line 4: 'abc' is not a number"),
        ("1\n" * 20 + "1e\n", "line 21: '1e' is not a number"),
        ("1\n" + "x" * 100, f"line 2: '{'x' * 40}...' is not a number"),
        ("# c\n1 2\n3\n", "line 3: 1 column, but 2 in line 2"),
        ("1,2\n3,4,5", "line 2: 3 columns, but 2 in line 1"),
        ("1,2\n3,\n", "line 2: '' is not a number"),
        ("1\n18446744073709551616\n-1\n", "line 2: an integer beyond 64 bits in column 1"),
        ("1 -9223372036854775809", "line 1: an integer beyond 64 bits in column 2"),
        ("-1\n\n9223372036854775808\n", r"line 3: an integer above 2\^63 - 1 in column 1, which also has neg"),
        ("9223372036854775808\n-1\n", r"line 1: an integer above 2\^63 - 1 in column 1, which also has neg"),
        ("1\n\x00\x01\n", r"line 2: '\\x00\\x01' is not a number"),
        ("1\n1e400\n", "line 2: 1e400 is beyond the range of floats"),
        ("1 2\n\n1 -1.8e308\n1 x\n", "line 3: -1.8e308 is beyond the range of floats"),
        ("0.5\n" + "9" * 400 + "\n", f"line 2: {'9' * 40}... is beyond the range of floats"),
        *((text, f"line {line}: an integer above 2\\^53 in column 1, which also has floats") for text, line in INEXACT),
    ],
)
def test_what_is_wrong_with_text(read, block_bytes: int, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=r"numbers\.txt: " + message.replace("...", r"\.\.\.")):
        read(text, block_bytes)


def test_binary_content_asks_for_its_type(read) -> None:
    with pytest.raises(FormatError) as caught:
        read(np.arange(1000, 2000).tobytes())
    assert "--dtype" in caught.value.fix


@pytest.mark.parametrize("content", ["", "\n", "# nothing\n", " \r\n#"])
@pytest.mark.parametrize("block_bytes", BLOCKS)
def test_nothing(read, write, content: str, block_bytes: int) -> None:
    columns = read(content, block_bytes)
    assert rows(columns) == []
    assert write(columns) == b""
    assert np.load(io.BytesIO(write(columns, to="npy"))).shape == (0,)


def test_compressed_nothing(read) -> None:
    assert rows(read(gzip.compress(b""))) == []
    assert rows(read(b"", dtype="u32")) == []


@pytest.mark.parametrize(
    ("text", "separator"), [("1", b"\t"), ("1, 2", b","), ("1 ,2", b","), ("# 3,4\n1  2", b" "), ("1\t2", b"\t")]
)
def test_separator_is_kept(read, write, text: str, separator: bytes) -> None:
    columns = read(text)
    assert columns.file_format == NumberFormat("text", separator)
    assert write(columns) == separator.join([b"1", b"2"][: len(columns.arrays)]) + b"\n"


def test_fields(read, write) -> None:
    columns = read("1 2.5 3\n4 5 6\n")
    assert write(columns, fields=(2, 0)) == b"3 1\n6 4\n"
    with pytest.raises(ParameterError, match="column 4"):
        write(columns, fields=(3,))


SMALL_WORDS = st.integers(-99, 99).map(str) | st.floats(-99, 99).map(repr)
ODD_WORDS = st.sampled_from(
    ["+7", "007", "-0", "-0.0", "1.", ".5", "1E5", "1e3", "0.50", "nan", "NaN", "-inf", "Infinity", "1e-400", "2.5e-7"]
) | st.sampled_from(["0.1000000000000000055511151231257827", "12345678901234567", "+9007199254740992", "00"])


@ANY_CASE
@given(data=st.data())
def test_records_are_written_as_they_were_read(read, write, data: st.DataObject) -> None:
    n_columns = data.draw(st.integers(1, 3))
    words = data.draw(st.sampled_from([SMALL_WORDS, SMALL_WORDS | ODD_WORDS, st.integers(0, 9).map(str)]))
    separator = st.just(data.draw(st.sampled_from([" ", "\t", ",", ";"]))) | st.sampled_from(
        [" , ", "  ", "\t", ", ", "; "]
    )
    rows_of_words = data.draw(st.lists(st.lists(words, min_size=n_columns, max_size=n_columns), min_size=1))
    blanks = st.sampled_from(["", "", " ", "\t "])
    records = [data.draw(blanks) + data.draw(separator).join(row) + data.draw(blanks) for row in rows_of_words]
    lines = [junk for record in records for junk in (*data.draw(st.lists(JUNK, max_size=1)), record)]
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    try:
        naive.parse("\n".join(records))
    except ValueError:
        return
    columns = read(end.join(lines), data.draw(st.sampled_from(BLOCKS)), as_read=True)
    assert write(columns).decode() == "".join(f"{record}\n" for record in records)
    order = np.array(data.draw(st.permutations(range(len(records)))), np.int64)
    assert write(columns.taken(order)).decode() == "".join(f"{records[i]}\n" for i in order)
    fields = data.draw(st.lists(st.integers(0, n_columns - 1), min_size=1, max_size=4))
    chosen = [
        "".join([columns.file_format.separator.decode().join(row[f] for f in fields), "\n"]) for row in rows_of_words
    ]
    assert write(columns, fields=tuple(fields)).decode() == "".join(chosen)
    counted = columns.with_column(np.arange(len(records)), b"number")
    assert write(counted).decode() == "".join(
        f"{record}{columns.file_format.separator.decode()}{i}\n" for i, record in enumerate(records)
    )


def test_text_is_kept_only_where_it_is_needed(read) -> None:
    plain = "".join(f"{i} {i / 7!r} {-i}\n" for i in range(1, 1000))
    for text in (plain, plain.replace("\n", "\r\n"), "# comment\n\n" + plain, plain.rstrip()):
        assert read(text, 64, as_read=True).places is None
    columns = read(plain + "007 0.5 1\n", 64, as_read=True)
    assert columns.places is not None
    assert np.flatnonzero(columns.places >= 0).tolist() == [999]
    assert columns.spelling is not None
    assert columns.spelling.lines.tobytes() == b"007 0.5 1\n"


def test_text_counts_as_memory(read) -> None:
    text = ("0" * 1000 + "1\n") * 1000
    read(text, 1 << 12, 1_180_000, as_read=True)
    with pytest.raises(OutOfMemoryError, match="takes more than 1"):
        read(text, 1 << 12, 1_100_000, as_read=True)
    read(text, 1 << 12, 1_100_000)


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("name", DTYPES)
def test_raw(read, write, name: str, compress, block_bytes: int) -> None:
    matrix = np.random.default_rng(1).integers(0, 1000, (50, 3)).astype(DTYPES[name])
    columns = read(compress(matrix.tobytes()), block_bytes, dtype=name, n_columns=3)
    assert columns.file_format.kind == "raw"
    for array, expected in zip(columns.arrays, matrix.T, strict=True):
        assert array.dtype == matrix.dtype
        assert np.array_equal(array, expected)
    assert write(columns) == matrix.tobytes()
    assert np.array_equal(np.load(io.BytesIO(write(columns, to="npy"))), matrix)


def test_raw_that_is_no_whole_number_of_records(read) -> None:
    with pytest.raises(FormatError, match=r"10 bytes are no whole number of records of 4"):
        read(bytes(10), dtype="u32")
    with pytest.raises(FormatError, match="records of 24"):
        read(bytes(32), dtype="f64", n_columns=3)


@pytest.mark.slow
@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.parametrize("dtype", ["u4", "i4", "u8", "i8", "f4", "f8", "u1", "i2", "f2", "?", ">i4", ">f8"])
def test_npy(read, write, dtype: str, compress, block_bytes: int) -> None:
    for array in (np.arange(70), np.arange(70).reshape(35, 2), np.asfortranarray(np.arange(70).reshape(14, 5))):
        columns = read(compress(npy(array.astype(dtype))), block_bytes)
        result = np.load(io.BytesIO(write(columns)))
        assert result.shape == array.shape
        assert np.array_equal(result, array.astype(dtype))
        assert result.dtype.isnative
        assert result.dtype.itemsize >= 4


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array(["a"]), "an array of <U1"),
        (np.array([1j]), "an array of complex128"),
        (np.zeros((2, 2, 2)), r"an array of shape \(2, 2, 2\)"),
        (np.array(3), r"an array of shape \(\)"),
        (np.zeros((2, 0)), r"an array of shape \(2, 0\)"),
        (np.array([None], object), "an array of Python objects"),
        (np.zeros(2, [("a", "i4")]), "an array of"),
    ],
)
def test_npy_of_something_else(read, array: np.ndarray, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(npy(array))


def test_damaged_npy(read) -> None:
    content = npy(np.arange(100))
    with pytest.raises(FormatError, match="ends after 700 of 800 bytes"):
        read(content[:-100])
    with pytest.raises(FormatError, match=r"header of this \.npy is damaged"):
        read(content[:40])
    with pytest.raises(FormatError, match=r"version 9\.0"):
        read(content[:6] + b"\x09" + content[7:])
    with pytest.raises(UsageError, match="tells its type"):
        read(content, dtype="u32")


def test_columns_of_several_types_in_one_array(write) -> None:
    columns = Columns((np.array([1, 2**64 - 1], np.uint64), np.array([3, 4])))
    assert np.load(io.BytesIO(write(columns, to="npy"))).dtype == np.uint64
    with pytest.raises(ParameterError, match="no type in common"):
        write(columns.with_arrays([columns.arrays[0], np.array([3, -4])]), to="raw")
    mixed = Columns((np.array([0.5, math.nan]), np.array([3, -4])))
    assert np.load(io.BytesIO(write(mixed, to="npy"))).dtype == np.float64


@pytest.mark.parametrize("to", ["npy", "raw"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_integers_beside_floats_are_not_rounded(write, dtype: type, to: str) -> None:
    floats = np.array([0.5, 1], dtype)
    exact = [np.array([2**53, -(2**63)]), np.array([2**64 - 2048, 3 << 60], np.uint64), np.array([-(2**31), 7], "i4")]
    for integers in exact:
        data = write(Columns((floats, integers)), to=to)
        assert np.frombuffer(data, np.float64)[-4:].tolist() == [0.5, float(integers[0]), 1.0, float(integers[1])]
    for integers in (np.array([2**53 + 1, 0]), np.array([-(2**53) - 1, 0]), np.array([0, 2**64 - 1], np.uint64)):
        columns = Columns((floats, integers))
        with pytest.raises(ParameterError, match=r"column 2 has integers above 2\^53"):
            write(columns, to=to)
        assert str(max(map(abs, integers.tolist()))).encode() in write(columns, to="text")


def test_missing_file(backend) -> None:
    with pytest.raises(InputNotFoundError):
        read_columns("/no/such/file", TableOptions(), backend)


@pytest.mark.parametrize("content", [b"1\n" * 1000, bytes(8000), npy(np.zeros(1000))])
def test_more_than_is_allowed(read, content: bytes) -> None:
    options = {"dtype": "u64"} if content[:1] == b"\0" else {}
    with pytest.raises(OutOfMemoryError, match=r"are allowed"):
        read(content, 64, 8000, **options)


def test_more_than_a_block_is_printed(write) -> None:
    values = np.arange(300_000)
    assert write(Columns((values, values))).split() == [str(i // 2).encode() for i in range(600_000)]
