"""Sequences of symbols from text, bytes and packed symbols, block after block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.text.containers import ALIEN, SKIPPED
from debruijn_gpu.errors import FormatError, OutOfMemoryError, UsageError
from debruijn_gpu.io.opening import display_name, read_blocks
from debruijn_gpu.io.reading_again import is_repeatable
from debruijn_gpu.run import progress
from debruijn_gpu.run.checks import check_choice
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.tuning import tuning
from debruijn_gpu.sequences.options import READ_FORMATS

if TYPE_CHECKING:
    from debruijn_gpu.sequences.symbols import Symbols

Codes = NDArray[Any]
_LONGEST_NAME = 1 << 16  # of a symbol
_BLANKS = b" \t\r\n\v\f"
_PACKED_BITS = {"bits": 1, "2bit": 2}


def check_read_format(file_format: str, symbols: Symbols | None = None) -> None:
    """Raise UsageError if a format is unknown, or does not fit an alphabet."""
    check_choice("--from", file_format, READ_FORMATS, "format")
    bits = _PACKED_BITS.get(file_format)
    if bits is not None and symbols is not None and len(symbols) > 1 << bits:
        raise UsageError(
            f"--from {file_format} is for up to {1 << bits} symbols, and these are {len(symbols)}",
            "choose --from bytes, or text",
        )


@dataclass(frozen=True)
class SymbolFile:
    """A file of symbols that can be read repeatedly; input of a pipe is kept in memory.

    Attributes
    ----------
    blocks : callable
        Gives an iterator of arrays: codes, or packed symbols (uint8).
    n_bits : int
        0, or how many bits each packed symbol has.
    """

    blocks: Callable[[], Iterator[Codes]]
    n_bits: int

    @property
    def per_element(self) -> int:
        """Symbols of an element; the last one may be filled with zeros."""
        return 8 // self.n_bits if self.n_bits else 1

    def codes(self) -> Iterator[Codes]:
        """Yield the codes of all symbols, and of the padding of the last byte."""
        identity = np.arange(1 << self.n_bits, dtype=np.uint8)
        for block in self.blocks():
            n = len(block) * self.per_element
            yield backends.host().sequences.unpack_symbols(block, self.n_bits, n, identity) if self.n_bits else block


def open_symbols(path: str, symbols: Symbols, file_format: str, memory: int | None = None) -> SymbolFile:
    """The symbols in a file.

    Parameters
    ----------
    path : str
        ``-`` for standard input; compressed files are told by their content.
    symbols : Symbols
    file_format : str
        One of `sequence_options.READ_FORMATS`. Blanks and line ends in text do not count, nor does the header line of a
        FASTA record.

    memory : int, optional
        Bytes that the symbols of a pipe may take.

    Raises
    ------
    FormatError
        While reading, if something is no symbol.
    OutOfMemoryError
        If they take more.
    """
    check_read_format(file_format, symbols)
    n_bits = _PACKED_BITS.get(file_format, 0)
    if is_repeatable(path):
        return SymbolFile(lambda: _blocks_of(path, symbols, file_format), n_bits)
    kept, n_bytes = [], 0
    with progress.running("read"):
        for block in _blocks_of(path, symbols, file_format):
            kept.append(block)
            n_bytes += block.nbytes
            if memory is not None and n_bytes > memory:
                raise OutOfMemoryError(
                    f"Out of memory: {display_name(path)} is kept, and {format_bytes(memory)} are left for it",
                    "give a file, which is read again instead, or allow more (-m)",
                )
    return SymbolFile(lambda: iter(kept), n_bits)


def letters_of(path: str) -> str:
    """The letters that occur in the text of a file, sorted; those of a header line apart."""
    seen = np.zeros(256, np.int64)
    with progress.running("read"):
        for text in _texts(path):
            seen += np.bincount(text, minlength=256)
    found = bytes(np.flatnonzero(seen).astype(np.uint8)).translate(None, _BLANKS)
    if not found.isascii():
        raise FormatError(
            f"{display_name(path)}: not text", "name the format (--from bytes, bits or 2bit) and --alphabet"
        )
    return found.decode()


def _bytes_of(path: str) -> Iterator[NDArray[np.uint8]]:
    """The content of a file."""
    for block in read_blocks(path, tuning().symbol_block_bytes):
        yield block.buffer[block.start : block.end]


def _texts(path: str, symbols: Symbols | None = None) -> Iterator[NDArray[np.uint8]]:
    """The content of a file of text, without the first line if it is the header of a FASTA record. It is none if ``>``
    begins a symbol."""
    in_header, begun = False, symbols is not None and any(name[0] == ">" for name in symbols.names)
    for text in _bytes_of(path):
        start = 0
        if not begun and len(text):
            begun, in_header = True, text[0] == ord(">")
        if in_header:
            ends = np.flatnonzero(text == ord("\n"))
            in_header = not len(ends)
            start = len(text) if in_header else int(ends[0])
        yield text[start:]


def _blocks_of(path: str, symbols: Symbols, file_format: str) -> Iterator[Codes]:
    """The codes in a file, or its bytes if they are packed symbols."""
    if file_format in _PACKED_BITS:
        return _bytes_of(path)
    if file_format == "bytes":
        return _from_bytes(path, symbols)
    return _from_names(path, symbols) if symbols.letters is None else _from_letters(path, symbols)


def _from_letters(path: str, symbols: Symbols) -> Iterator[Codes]:
    letters = symbols.letters
    assert letters is not None
    codes_of = np.full(256, ALIEN, np.int16)
    codes_of[list(_BLANKS)] = SKIPPED
    codes_of[letters] = np.arange(len(letters))
    position = 0
    for text in _texts(path, symbols):
        codes, fault = backends.host().text.encode_letters(text, codes_of)
        yield codes
        position += len(codes)
        if fault >= 0:
            raise _no_symbol(path, position, chr(text[fault]))


def _from_names(path: str, symbols: Symbols) -> Iterator[Codes]:
    """Symbols with names of several characters, or beyond ASCII, which Python splits."""
    position = 0
    for data in _whole_words(path, symbols):
        try:
            names = symbols.split(data.decode())
        except UnicodeDecodeError:
            raise FormatError(f"{display_name(path)}: not text", "name the format (--from bytes)") from None
        codes = np.array([symbols.codes.get(name, -1) for name in names], np.int64)
        aliens = np.flatnonzero(codes < 0)
        if len(aliens):
            raise _no_symbol(path, position + int(aliens[0]), names[aliens[0]])
        position += len(names)
        yield codes.astype(symbols.dtype)


def _whole_words(path: str, symbols: Symbols) -> Iterator[bytes]:
    """The text of a file in parts that end with whole symbols: behind a blank or comma, or, if symbols are characters,
    before what may be only the beginning of one."""
    left = b""
    for text in _texts(path, symbols):
        data = left + text.tobytes()
        if symbols.separator:
            cut = max(data.rfind(blank) for blank in (b" ", b"\n", b",", b"\t")) + 1
        else:
            cut = next((len(data) - i for i in range(1, 5) if data[-i:][:1] >= b"\xc0"), len(data))
        left = data[cut:]
        if len(left) > _LONGEST_NAME:
            raise FormatError(
                f"{display_name(path)}: {len(left):,} bytes without a blank, comma or newline between symbols",
                "check that the file is text, and give its --alphabet",
            )
        yield data[:cut]
    yield left


def _from_bytes(path: str, symbols: Symbols) -> Iterator[Codes]:
    size = symbols.dtype.itemsize
    left = np.empty(0, np.uint8)
    position = 0
    for block in _bytes_of(path):
        data = np.concatenate((left, block))
        n_whole = len(data) // size * size
        codes, left = data[:n_whole].view(symbols.dtype.newbyteorder("<")).astype(symbols.dtype), data[n_whole:]
        aliens = np.flatnonzero(codes >= len(symbols))
        if len(aliens):
            raise _no_symbol(path, position + int(aliens[0]), str(codes[aliens[0]]))
        position += len(codes)
        yield codes
    if len(left):
        raise FormatError(f"{display_name(path)}: ends within a symbol of {size} bytes", "give the whole file")


def _no_symbol(path: str, position: int, name: str) -> FormatError:
    return FormatError(
        f"{display_name(path)}: symbol {position:,} (from 0), '{shorten(name)}', is not in the alphabet",
        "give its --alphabet, and the format of the file (--from)",
    )
