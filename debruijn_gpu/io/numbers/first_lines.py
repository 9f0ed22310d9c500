"""What the first lines of a table show: names of columns, delimiter, and which columns hold text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.lines import LONGEST_LINE, MOST_BYTES
from debruijn_gpu.io.numbers.splitting import DELIMITERS, split_line
from debruijn_gpu.io.opening import Block
from debruijn_gpu.primitives.columns import check_column
from debruijn_gpu.primitives.keys import Key
from debruijn_gpu.primitives.options import parse_number
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import format_bytes

COMMENT = b"#"

#: Blanks with at most one mark. The pattern begins with one set of bytes: in long words that is found ten times faster
#: than one of two branches.
_SEPARATOR = re.compile(rb"[ \t,;](?:(?<=[ \t])[ \t]*[,;])?[ \t]*")
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NAMES = "give --header if this line names the columns"


@dataclass(frozen=True)
class TableShape:
    """Columns of a table, as its first record has them.

    Attributes
    ----------
    n_columns : int
    separator : bytes
        Between columns that are written, one byte.
    first_line : bytes
        Without its end.
    place : str
        File and line of the first record.
    delimiter : bytes
        What separates words, if some are no numbers; see `Spelling`.
    texts, numbers : tuple of int
        Columns to read as text and as numbers, of a table with such words.
    keys : tuple of Key
        Those of them that are compared.
    """

    n_columns: int
    separator: bytes
    first_line: bytes
    place: str
    delimiter: bytes = b""
    texts: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    keys: tuple[Key, ...] = ()


def number_words(line: bytes) -> list[bytes]:
    """The columns of a line of numbers; none if it holds no record."""
    if not _has_record(line):
        return []
    content = line.strip(b" \t\r\n")
    has_several = any(byte in content for byte in b" \t,;")  # one search for each is faster in a long word
    return _SEPARATOR.split(content) if has_several else [content]


def first_word(head: bytes) -> bytes:
    """The first word of a text."""
    return _SEPARATOR.split(head.lstrip().split(b"\n", 1)[0], 1)[0]


def is_number(word: bytes) -> bool:
    """Whether a word is a number, nan included."""
    content = word.strip()
    if content.isdigit():
        return True
    text = content.decode("ascii", "replace")
    is_decimal = _DECIMAL.fullmatch(text) is not None  # also beyond the range of floats
    return is_decimal or parse_number(text) is not None or text.lower().lstrip("+-") == "nan"


def number_shape(line: bytes, place: str) -> TableShape:
    """The shape of a table of numbers."""
    line = line.rstrip(b"\r")
    words = number_words(line)
    found = None if len(words) == 1 else _SEPARATOR.search(line.strip())
    mark = b"" if found is None else found[0].strip()
    separator = b"\t" if found is None else mark or found[0][:1]
    if b"," in line and b";" in line and all(map(is_number, words)):
        fix = "give one separator; write decimal points instead of commas (tr , .)"
        raise FormatError(f"{place}: both ',' and ';' between numbers", fix)
    return TableShape(len(words), separator, line, place)


def text_shape(shape: TableShape, keys: Sequence[Key], needed: Sequence[int] | None) -> TableShape:
    """The shape of a table with words that are no numbers.

    Parameters
    ----------
    shape : TableShape
        Of the same table, as one of numbers.
    keys : sequence of Key
        A key is text if its first value is no number, unless it says which.
    needed : sequence of int or None
        Other columns that have to be numbers, if the table has them; None: all.

    Raises
    ------
    FormatError
        If the first line is of numbers between which there are several delimiters.
    ParameterError
        If a key is no column, or text where numbers are needed.
    """
    delimiter = _delimiter(shape)
    words = split_line(shape.first_line, delimiter)
    for key in keys:
        check_column(key.column, len(words))
    texts = {key.column for key in keys if (not is_number(words[key.column]) if key.is_text is None else key.is_text)}
    others = set(range(len(words)) if needed is None else needed) & set(range(len(words)))
    if texts & others:
        what = f"{shape.place}: column {min(texts & others) + 1} is text, and the output format has numbers only"
        raise ParameterError(what, "write text (--format text), or choose columns (--fields)")
    columns = {key.column for key in keys}
    return replace(
        shape,
        n_columns=len(words),
        separator=shape.separator if delimiter == b" " else delimiter,
        delimiter=delimiter,
        texts=tuple(sorted(texts)),
        numbers=tuple(sorted((columns | others) - texts)),
        keys=tuple(keys),
    )


def _delimiter(shape: TableShape) -> bytes:
    """Choose the delimiter of the first record."""
    line = shape.first_line
    present = [byte for byte in DELIMITERS[:-1] if byte in line.strip(b" ")] + [b" "]
    if not all(map(is_number, number_words(line))):
        return present[0]
    same = [byte for byte in present if len(split_line(line, byte)) == shape.n_columns]
    if same:
        return same[0]
    raise several_delimiters(shape)


def several_delimiters(shape: TableShape) -> FormatError:
    """Return the error for numbers between several delimiters, in a table where others follow."""
    what = f"{shape.place}: several delimiters, from here on, in a table with words that are no numbers"
    return FormatError(what, "give one delimiter: tabs, semicolons, commas or blanks")


def sample_lines(head: bytes) -> list[bytes]:
    """Return the first two records of a text, if they are in its first 64 KiB."""
    lines = head.split(b"\n")
    known = lines[:-1] if len(head) >= MOST_BYTES else lines
    return list(islice((line.rstrip(b"\r") for line in known if _has_record(line)), 2))


def _has_record(line: bytes) -> bool:
    content = line.strip(b" \t\r")
    return bool(content) and not content.startswith(COMMENT)


def has_two_lines(head: bytes) -> bool:
    """Whether the beginning of a text has two records and the end of the second one."""
    return len(sample_lines(head.rpartition(b"\n")[0])) == 2


def misplaced_name(head: bytes, shape: TableShape, keys: Sequence[Key]) -> int | None:
    """Find the column (from 0) of a word, which seems to be the name of the column, in the first record.

    That is a key, unless it is text, where the second record has a number; or any column, if the first record has no
    number at all and the second one has.
    """
    lines = sample_lines(head)
    if len(lines) < 2:
        return None
    first, second = (split_line(line, _delimiter(shape)) for line in lines)
    if len(first) != len(second):
        return None
    changes = [not is_number(name) and is_number(word) for name, word in zip(first, second, strict=True)]
    named = [key.column for key in keys if not key.is_text and key.column < len(changes) and changes[key.column]]
    if named:
        return named[0]
    is_open = any(key.is_text is None for key in keys)
    return changes.index(True) if is_open and any(changes) and not any(map(is_number, first)) else None


def check_names(head: bytes, shape: TableShape, keys: Sequence[Key], has_header: bool) -> None:
    """Raise FormatError if the first record seems to name the columns; after a header, only where keys are numbers."""
    column = misplaced_name(head, shape, [key for key in keys if not has_header or key.is_text is False])
    if column is not None:
        word = split_line(shape.first_line, _delimiter(shape))[column]
        raise no_number(shape.place, word, column, listed_column(column, keys, column), is_first=not has_header)


def listed_column(column: int, keys: Sequence[Key], otherwise: int = -1) -> int:
    """The column that --key lists for one of a table; ``otherwise`` if it is no key."""
    key = next((key for key in keys if key.column == column), None)
    return otherwise if key is None else column if key.listed is None else key.listed


def no_number(place: str, word: bytes, column: int, listed: int, is_first: bool) -> FormatError:
    """Return the error for a word in a column of numbers; ``listed``: in --key, -1: not; ``is_first``: in line 1."""
    what, as_text = f"{place}: '{shorten(word)}' is not a number", f"--key {listed + 1}t for text"
    if listed < 0:
        fix = f"column {column + 1} holds text: write text (--format text), or choose columns (--fields)"
    elif is_first:
        fix = f"{_NAMES}, or {as_text}"
    else:
        fix = f"give numbers in column {column + 1}, another column (--key), or {as_text}"
    return FormatError(what, fix)


def take_line(blocks: Iterator[Block], name: str) -> tuple[bytes | None, Iterator[Block]]:
    """Take the first line, without its end, off blocks; None if they are empty."""
    parts = []
    for block in blocks:
        text = block.buffer[block.start : block.end].tobytes()
        line, newline, _rest = text.partition(b"\n")
        parts.append(line)
        if sum(map(len, parts)) > LONGEST_LINE:
            what = f"{name}: line 1: more than {format_bytes(LONGEST_LINE)} without an end of line"
            raise FormatError(what, "check that this is the right file, and that it is text")
        if newline or block.final:
            rest = replace(block, start=block.start + len(line) + len(newline))
            found = b"".join(parts)
            return found.removesuffix(b"\r") if found or newline else None, _before(rest, blocks)
    raise AssertionError("no block is the last one")


def _before(first: Block, blocks: Iterator[Block]) -> Iterator[Block]:
    yield first
    if not first.final:
        yield from blocks
