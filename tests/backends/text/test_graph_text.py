"""Operations on graphs as text: what files do not show."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.backends.text.containers import RowFaultKind, RowFormat

ROWS = RowFormat("arrow")
WORDS = st.lists(st.binary(max_size=20), max_size=300)


def text_of(words: list[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words one after another: text, starts, ends."""
    ends = np.cumsum([0, *map(len, words)], dtype=np.int64)
    return np.frombuffer(b"".join(words), np.uint8), ends[:-1], ends[1:]


def bytes_of(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


@given(st.lists(WORDS, max_size=4))
def test_names_are_numbered_as_they_come(batches: list[list[bytes]]) -> None:
    table, seen = CPU.text.name_table(), {}
    for words in batches:
        text, starts, ends = text_of(words)
        hashes = np.array(
            [hash(word) % 2**64 for word in words], np.uint64
        )  # any will do, if equal words have equal ones
        numbers = table.add(text, starts, ends, hashes)
        assert numbers.dtype == np.uint32
        assert numbers.tolist() == [seen.setdefault(word, len(seen)) for word in words]
    offsets, letters = table.names()
    assert [letters[a:b].tobytes() for a, b in pairwise(offsets)] == list(seen)


def test_names_with_the_same_hash_are_told_apart() -> None:
    words = [b"%d" % (i % 700) for i in range(2000)]
    table = CPU.text.name_table()
    numbers = table.add(*text_of(words), np.full(2000, 7 << 40, np.uint64))
    assert numbers.tolist() == [i % 700 for i in range(2000)]


def test_a_table_grows() -> None:
    table = CPU.text.name_table()
    numbers = np.arange(50_000)
    for part in np.split(np.concatenate((numbers, numbers[::-1])), 8):
        assert table.add(*CPU.text.number_names(part)).tolist() == part.tolist()


@given(WORDS)
def test_names_are_found(words: list[bytes]) -> None:
    text, starts, ends = text_of(words)
    offsets = np.append(starts, ends[-1:] if len(ends) else 0)
    index = CPU.text.index_names(offsets, text)
    for word in [*words, b"something else altogether"]:
        expected = words.index(word) if word in words else -1
        assert CPU.text.find_name(index, offsets, text, np.frombuffer(word, np.uint8)) == expected


@given(WORDS, st.data())
def test_names_are_taken_and_joined(words: list[bytes], data: st.DataObject) -> None:
    text, starts, ends = text_of(words)
    offsets = np.append(starts, ends[-1:] if len(ends) else 0)
    chosen = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=60)) if words else []
    taken_offsets, taken = CPU.text.gather_names(offsets, text, np.array(chosen, np.int64))
    assert taken_offsets.tolist() == np.cumsum([0, *(len(words[i]) for i in chosen)]).tolist()
    assert taken.tobytes() == b"".join(words[i] for i in chosen)
    separators = [b"", b"\n", b" -> "]
    behind = [data.draw(st.integers(0, 2)) for _ in chosen]
    concatenated = CPU.text.concatenate_names(
        offsets, text, np.array(chosen, np.uint64), np.array(behind, np.uint8), separators
    )
    assert concatenated.tobytes() == b"".join(words[i] + separators[b] for i, b in zip(chosen, behind, strict=True))


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_numbers_are_joined(numbers: list[int]) -> None:
    behind = np.arange(len(numbers)) % 2
    concatenated = CPU.text.concatenate_numbers(np.array(numbers, np.uint64), behind.astype(np.uint8), [b", ", b"\n"])
    assert concatenated.tobytes().decode() == "".join(
        f"{n}{', ' if i % 2 == 0 else chr(10)}" for i, n in enumerate(numbers)
    )


def test_numbers_only_as_they_are_written() -> None:
    good = CPU.text.parse_number_rows(bytes_of("0->10 ,  2\r\n\n7 -> "), ROWS)
    assert good is not None
    assert (good.tails.tolist(), good.row_ends.tolist(), good.heads.tolist()) == ([0, 7], [2, 2], [10, 2])
    for text in (
        "01 -> 2",
        "1 -> 02",
        "-1 -> 2",
        "+1 -> 2",
        "1 -> 1234567890123456789",
        "a -> 1",
        "1 -> 2 3",
        "1",
        "->",
    ):
        assert CPU.text.parse_number_rows(bytes_of(text), ROWS) is None
        assert CPU.text.parse_number_rows(bytes_of("0 -> 0\n" + text), ROWS) is None


def test_colon_ends_a_vertex_only_before_a_blank_or_a_line_end() -> None:
    good = CPU.text.parse_number_rows(bytes_of("0: 10 ,  2 3\r\n\n7:\n8 :9"), RowFormat("colon"))
    assert good is None  # 8 :9 is no number
    good = CPU.text.parse_number_rows(bytes_of("0: 10 ,  2 3\r\n\n7:\n8:"), RowFormat("colon"))
    assert good is not None
    assert (good.tails.tolist(), good.row_ends.tolist(), good.heads.tolist()) == ([0, 7, 8], [3, 3, 3], [10, 2, 3])
    for text in ("0:1", "0 1", "0", "0: 1: 2", ": 1", "0: 1,", "0:\r1"):
        assert CPU.text.parse_number_rows(bytes_of(text), RowFormat("colon")) is None
        assert CPU.text.parse_name_rows(bytes_of(text), RowFormat("colon")).fault is not None


def test_what_comes_before_a_fault_is_kept() -> None:
    parsed = CPU.text.parse_name_rows(bytes_of("a -> b\nc -> d, \n"), ROWS)
    assert (parsed.starts.tolist(), parsed.firsts.tolist()) == ([0, 5], [0])
    assert parsed.fault is not None
    assert (parsed.fault.kind, parsed.fault.position) == (RowFaultKind.NO_NAME, 15)
