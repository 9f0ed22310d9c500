"""Tables with text, read in blocks of any size."""

from __future__ import annotations

import io
import re
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.numbers.files import read_table, write_columns
from debruijn_gpu.io.numbers.first_lines import is_number, number_shape, number_words
from debruijn_gpu.io.numbers.reading import Demand
from debruijn_gpu.io.numbers.text_tables import Table, with_ranks
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.primitives.options import TableOptions

BLOCKS = [1, 3, 7, 64, 1 << 22]
ANY_CASE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
NUMBERS = st.integers(0, 20).map(str) | st.sampled_from(["007", "1.50", "+4"])
#: No dtype holds them together
MIXED = st.sampled_from(["1e400", "18446744073709551616", "9223372036854775809", "-1", "9007199254740993", "0.5", "7"])


@pytest.fixture
def read(tmp_path, backend):
    def read_texts(texts: list[str], demand: Demand, block_bytes: int, allowed: int | None = None) -> Table:
        paths = []
        for i, text in enumerate(texts):
            paths.append(str(tmp_path / f"table_{i}"))
            (tmp_path / f"table_{i}").write_bytes(text.encode())
        return read_table(paths, TableOptions(), demand, backend, 2, allowed, block_bytes)

    return read_texts


@ANY_CASE
@given(data=st.data())
def test_records_do_not_depend_on_blocks_and_files(read, backend, data):
    """Also where text comes only after numbers, or numbers that are no keys are of any size and type."""
    n_numbers = data.draw(st.integers(0, 12))
    first = data.draw(st.sampled_from([NUMBERS, MIXED]))
    last = NUMBERS | st.sampled_from(["x", "yes,no", "chr1"])
    rows = [data.draw(st.tuples(NUMBERS, NUMBERS, first if i < n_numbers else last)) for i in range(12)]
    cut = data.draw(st.integers(0, 12))
    records = ["\t".join(row) + "\n" for row in rows]
    texts = ["# a comment\n" + "".join(records[:cut]), "".join(records[cut:]).rstrip("\n")]
    keys = tuple(Key(i) for i in data.draw(st.lists(st.integers(0, 1), unique=True, min_size=1)))
    table = read(texts, Demand(keys=keys, as_read=True), data.draw(st.sampled_from(BLOCKS)))
    assert table.words == {}
    for key in keys:
        assert table.columns.column(key.column).tolist() == [float(row[key.column]) for row in rows]
    order = np.array(data.draw(st.permutations(range(12))), np.int64)
    stream = io.BytesIO()
    write_columns(stream, table.columns.taken(order), TableOptions(), backend, 2)
    assert stream.getvalue().decode() == "".join(records[i] for i in order)
    stream = io.BytesIO()
    write_columns(stream, table.columns.taken(order), TableOptions(fields=(2, 0)), backend, 2)
    assert stream.getvalue().decode() == "".join(f"{rows[i][2]}\t{rows[i][0]}\n" for i in order)


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize("header", ["name\tcount\r\n", "\n", "#" * 100 + "\n"])
def test_words_and_headers(read, backend, block_bytes, header):
    rows = [f"name{i * 37 % 101}\t{i}\n" for i in range(100)]
    demand = Demand(keys=(Key(0), Key(1)), as_read=True, header=True)
    table = read([header + "".join(rows), header, ""], demand, block_bytes)
    assert table.columns.file_format.header == header.rstrip("\r\n").encode()
    assert list(table.words) == [0]
    (columns,) = with_ranks([table], backend)
    names = sorted(row.split()[0] for row in rows)
    assert columns.column(0).tolist() == [names.index(row.split()[0]) for row in rows]
    assert columns.column(1).tolist() == list(range(100))


@pytest.mark.parametrize("block_bytes", BLOCKS)
@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a 1\nb 2\n\nc x\n"], "table_0: line 4: 'x' is not a number"),
        (["1 1\n# c\n2 2\nb 2\nc 3\n"], "table_0: line 4: 'b' is not a number"),
        (["a 1\n", "# c\nb 2\nc\n"], "table_1: line 3: 1 column, but 2 in .*table_0: line 1"),
        (["k n\na 1\n"], "table_0: line 1: '[kn]' is not a number"),
        (["x 9007199254740993\n", "x 0.5\n"], r"table_0: line 1: an integer above 2\^53 in column 2"),
        (["1 9007199254740993\n", "x 0.5\n"], r"table_0: line 1: an integer above 2\^53 in column 2"),
        (["1 1\n", "\n2 0.5\nx 18446744073709551617\n"], "table_1: line 3: an integer above"),
    ],
)
def test_errors(read, block_bytes, texts, message):
    keys = (Key(1), Key(0, is_text=False)) if texts[0].startswith("1 1\n#") else (Key(1),)
    with pytest.raises(FormatError, match=message):
        read(texts, Demand(keys=keys, as_read=True), block_bytes)


def test_memory_is_limited(read):
    text = "".join(f"name{i} {i}\n" for i in range(10_000))
    read([text], Demand(keys=(Key(1),)), 1 << 16, 1 << 20)
    for demand in (Demand(keys=(Key(1),), as_read=True), Demand(keys=(Key(0),))):
        with pytest.raises(OutOfMemoryError):
            read([text], demand, 1 << 16, 1 << 18)
    with pytest.raises(OutOfMemoryError, match="one line takes"):
        read(["a" * (1 << 20)], Demand(keys=(Key(0),)), 1 << 16, 1 << 20)


def test_nothing(read):
    for texts in ([""], ["# c\n", "\n\n"]):
        columns = read(texts, Demand(keys=(Key(3),), as_read=True), 7).columns
        assert len(columns) == 0
        assert columns.n_columns == 4


def test_words_of_many_digits_take_linear_time():
    begin = time.process_time()
    assert not is_number(b"1" * 200_000 + b"x")
    assert is_number(b"1" * 200_000)
    assert is_number(b"1." + b"1" * 200_000 + b"e5")
    assert time.process_time() - begin < 5  # hours, where each digit is the end of a first part


@pytest.mark.parametrize("line", [b"1" * 10**7, b"-" + b"1" * 10**7 + b"\r", b"3 " + b"1" * 10**7])
def test_shape_of_a_line_of_many_digits_takes_little_time(line):
    begin = time.process_time()
    assert re.search(rb"[^-\r 0-9]", line) is None
    one_search = time.process_time() - begin
    begin = time.process_time()
    assert number_shape(line, "line 1").n_columns == len(line.split())
    assert time.process_time() - begin < 5 * one_search + 0.02  # 10 to 17, where each byte is tried as two patterns


@given(st.text(" \t,;12a", max_size=12))
def test_words_are_between_blanks_with_at_most_one_mark(text):
    line = text.encode()
    content = line.strip(b" \t")
    assert number_words(line) == (re.split(rb"[ \t]*[,;][ \t]*|[ \t]+", content) if content else [])


@pytest.mark.parametrize("before", ["", "3\n"])
def test_an_integer_of_ten_million_digits_is_beyond_the_range_of_floats(read, before):
    line = 1 + before.count("\n")
    with pytest.raises(FormatError, match=rf"line {line}: 1{{40}}\.\.\. is beyond the range of floats"):
        read([before + "1" * 10**7 + "\n"], Demand(keys=(Key(0),)), 1 << 22)


def test_an_integer_of_many_digits_is_a_text_key(read):
    assert read(["1" * 10**6 + "\n"], Demand(keys=(Key(0, is_text=True),)), 1 << 22).words.keys() == {0}
