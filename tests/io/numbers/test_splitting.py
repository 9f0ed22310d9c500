"""Records of text with any words against Python's split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.io.numbers.splitting import DELIMITERS, Records, SplitFault, split_records

WORD = st.text("aZ09.-#é", min_size=1, max_size=5).map(str.encode)
JUNK = st.sampled_from([b"", b"  ", b"# no record", b"\t # a,b;c", b"\r"])


def split(text: bytes, delimiter: bytes, n_columns: int, chosen: list[int]) -> Records | SplitFault:
    return split_records(np.frombuffer(text, np.uint8), delimiter, n_columns, chosen)


@given(data=st.data())
def test_words(data: st.DataObject) -> None:
    delimiter = data.draw(st.sampled_from(DELIMITERS))
    n_columns = data.draw(st.integers(1, 3))
    first = WORD.filter(lambda word: not word.startswith(b"#"))
    other = WORD if delimiter == b" " else WORD | st.sampled_from([b"", b"a b", b" x "])
    rows = data.draw(st.lists(st.tuples(first, *[other] * (n_columns - 1)), max_size=6))
    between = st.sampled_from([b" ", b"\t", b"  \t"]) if delimiter == b" " else st.just(delimiter)
    records = [data.draw(between).join(row) for row in rows]
    lines, numbers = [], []
    for record in records:
        lines += data.draw(st.lists(JUNK, max_size=2))
        numbers.append(len(lines))
        lines.append(record)
    end = data.draw(st.sampled_from([b"\n", b"\r\n"]))
    chosen = data.draw(st.lists(st.integers(0, n_columns - 1), max_size=3))
    found = split(end.join(lines) + data.draw(st.sampled_from([b"", end])), delimiter, n_columns, chosen)
    assert isinstance(found, Records)
    assert found.lines.tobytes() == b"".join(record + b"\n" for record in records)
    assert found.line_numbers.tolist() == numbers
    text = found.lines.tobytes()
    words = [
        [text[start:end] for start, end in zip(starts, ends, strict=True)]
        for starts, ends in zip(found.word_starts.tolist(), found.word_ends.tolist(), strict=True)
    ]
    assert words == [[row[column] for row in rows] for column in chosen]
    assert [text[start : start + 1] for start in found.starts.tolist()] == [record[:1] for record in records]


@pytest.mark.parametrize(
    ("text", "delimiter", "fault"),
    [
        (b"a b\n# c\na\n", b" ", SplitFault(2, 1)),
        (b"a\tb\na\tb\tc\n", b"\t", SplitFault(1, 3)),
        (b"a,b\na;b\n", b",", SplitFault(1, 1)),
        (b"a b\na \x00\n", b" ", SplitFault(1, -1)),
        (b"a b\n\x1b[1m b\n", b" ", SplitFault(1, -1)),
    ],
)
def test_lines_that_are_no_records(text, delimiter, fault):
    assert split(text, delimiter, 2, [0]) == fault
