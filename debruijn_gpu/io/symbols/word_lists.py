"""Lists of words of symbols: one a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.opening import display_name, read_blocks
from debruijn_gpu.io.reading_again import check_size
from debruijn_gpu.run import progress
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.sequences.symbols import Symbols

_BLOCK_BYTES = 1 << 24
_OBJECTS_BYTES = 32  # that a byte of text may take as lines and symbols of Python, by less than `COPIES`


@dataclass(frozen=True)
class WordList:
    """Words of one length.

    Attributes
    ----------
    symbols : Symbols
        The alphabet: the one that was given, or the symbols that occur, in order.
    codes : ndarray, shape=(n_words, order)
        The symbols of each, dtype as `Symbols.dtype`.
    """

    symbols: Symbols
    codes: NDArray[Any]


def read_words(path: str, symbols: Symbols | None, n_bytes_allowed: int | None = None) -> WordList:
    """The words of a file of text, one a line; empty lines do not count.

    Where symbols are words themselves, blanks or commas part them.

    Parameters
    ----------
    path : str
        ``-`` for standard input.
    symbols : Symbols, optional
        By default those that occur: single characters, or what blanks and commas part, if there are any in the first
        line.
    n_bytes_allowed : int, optional
        What reading them may take.

    Raises
    ------
    OutOfMemoryError
        If that does not suffice.
    FormatError
        If words differ in length, or have symbols that are not in the alphabet; says the line.
    """
    with progress.running("read words"):
        texts, n_bytes = [], 0
        for block in read_blocks(path, _BLOCK_BYTES):
            texts.append(block.buffer[block.start : block.end])
            n_bytes += len(texts[-1])
            check_size(n_bytes, n_bytes_allowed)
        text = np.concatenate(texts)
    words = _even_words(text) if symbols is None or symbols.letters is not None else None
    found = None if words is None else _from_letters(path, words, symbols)
    if found is None:
        check_size(_OBJECTS_BYTES * n_bytes, n_bytes_allowed)
    return found or _from_lines(path, text, symbols)  # which raises an error with the line


def _even_words(text: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """The bytes of words (n_words, order) if all lines are equally long, and printable ASCII without blanks or commas;
    else None. This way large files are read quickly."""
    ends = np.flatnonzero(text == ord("\n"))
    width = int(ends[0]) + 1 if len(ends) else len(text) + 1
    padded = text if len(text) and text[-1] == ord("\n") else np.append(text, np.uint8(ord("\n")))
    if width < 2 or len(padded) % width:
        return None
    lines = padded.reshape(-1, width)
    words = lines[:, :-1]
    is_plain = (words > ord(" ")) & (words < 127) & (words != ord(","))
    return words if is_plain.all() and (lines[:, -1] == ord("\n")).all() else None


def _from_letters(path: str, words: NDArray[np.uint8], symbols: Symbols | None) -> WordList | None:
    """A list of words of letters; None if a letter is not in the alphabet."""
    if symbols is None:
        seen = np.flatnonzero(np.bincount(words.ravel(), minlength=256))
        symbols = _alphabet(path, tuple(map(chr, seen.tolist())))
    assert symbols.letters is not None
    code_of = np.full(256, len(symbols), np.int16)
    code_of[symbols.letters] = np.arange(len(symbols))
    codes = code_of[words]
    return None if (codes == len(symbols)).any() else WordList(symbols, codes.astype(symbols.dtype))


def _from_lines(path: str, text: NDArray[np.uint8], symbols: Symbols | None) -> WordList:
    """Any list of words, line by line."""
    if not text.all():
        raise FormatError(f"{display_name(path)}: zero bytes, so it is not text", "give one word per line, in UTF-8")
    try:
        lines = [(i + 1, line.strip()) for i, line in enumerate(text.tobytes().decode().splitlines()) if line.strip()]
    except UnicodeDecodeError:
        raise FormatError(f"{display_name(path)}: not text", "give one word per line") from None
    if not lines:
        raise FormatError(f"{display_name(path)}: has no words", "give one word per line")
    words = [_split(line, symbols) for _, line in lines]
    if symbols is None:
        symbols = _alphabet(path, tuple(sorted(set().union(*words))))
    codes = np.empty((len(words), len(words[0])), symbols.dtype)
    for (number, line), word, row in zip(lines, words, codes, strict=True):
        if len(word) != len(row):
            raise FormatError(
                f"{display_name(path)}, line {number}: a word of {len(word)} symbols, not {len(row)} as the first one",
                "give words of one length",
            )
        for i, name in enumerate(word):
            if name not in symbols.codes:
                raise FormatError(
                    f"{display_name(path)}, line {number}: {shorten(line)}: "
                    f"'{shorten(name)}' is not in the alphabet {symbols}",
                    "leave the word out, or give another --alphabet",
                )
            row[i] = symbols.codes[name]
    return WordList(symbols, codes)


def _split(line: str, symbols: Symbols | None) -> list[str]:
    if symbols is not None:
        return symbols.split(line)
    parts = line.replace(",", " ").split()
    return parts if len(parts) > 1 else list(line)


def _alphabet(path: str, names: tuple[str, ...]) -> Symbols:
    if len(names) < 2:
        raise ParameterError(f"{display_name(path)}: all words are of one symbol", "give --alphabet")
    return Symbols(names)
