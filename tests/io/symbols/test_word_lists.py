"""Lists of words."""

from __future__ import annotations

import pytest

from debruijn_gpu.errors import FormatError, OutOfMemoryError, ParameterError
from debruijn_gpu.io.symbols.word_lists import read_words
from debruijn_gpu.sequences.symbols import parse_symbols


def read(tmp_path, text, alphabet=None):
    path = tmp_path / "words"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = read_words(str(path), None if alphabet is None else parse_symbols(alphabet))
    return "".join(f"{name}," for name in found.symbols.names)[:-1], found.codes.tolist()


@pytest.mark.parametrize("text", ["CA\nAB\n", "CA\nAB", "CA\r\nAB\r\n", "\n CA\n\nAB \n\n"])
def test_letters(tmp_path, text):
    assert read(tmp_path, text) == ("A,B,C", [[2, 0], [0, 1]])
    assert read(tmp_path, text, "CBA") == ("C,B,A", [[0, 2], [2, 1]])


def test_words_of_words(tmp_path):
    assert read(tmp_path, "red green\nblue,red\n") == ("blue,green,red", [[2, 1], [0, 2]])
    assert read(tmp_path, "1 10\n10 1\n", "11,10,1") == ("11,10,1", [[2, 1], [1, 2]])
    assert read(tmp_path, "αβ\nβα\n") == ("α,β", [[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("text", "alphabet", "message"),
    [
        ("AC\nA\n", None, "line 2: a word of 1 symbols, not 2"),
        ("AC\n\nAN\n", "ACGT", "line 3: AN: 'N' is not in the alphabet"),
        ("\n\n", None, "has no words"),
        (b"A\xff\n", None, "not text"),
        ("", None, "empty"),
    ],
)
def test_faults(tmp_path, text, alphabet, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text, alphabet)


def test_one_symbol_is_no_alphabet(tmp_path):
    with pytest.raises(ParameterError, match="all words are of one symbol"):
        read(tmp_path, "AA\n")


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le", "utf-32"])
def test_words_with_zero_bytes_are_no_text(tmp_path, encoding):
    with pytest.raises(FormatError, match="not text"):
        read(tmp_path, "00\n11\n".encode(encoding))


def test_messages_hold_the_beginning_of_long_symbols(tmp_path):
    with pytest.raises(FormatError, match=r"'1111") as caught:
        read(tmp_path, "a b\na " + "1" * 5000 + "\n", "a,b,cc")
    assert len(caught.value.what) < 400


def test_lines_as_python_objects_are_counted(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"ab\n" * 9 + b"a\n")  # the fast way takes no lines of other lengths
    with pytest.raises(OutOfMemoryError):
        read_words(str(path), None, 1000)
