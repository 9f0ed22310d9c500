"""Sequences of symbols as text, bytes, packed symbols or NumPy arrays, block after block."""

from __future__ import annotations

import fcntl
import itertools
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import UsageError
from debruijn_gpu.run import progress
from debruijn_gpu.run.parallel import in_background
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend
    from debruijn_gpu.sequences.sequence import CyclicSequence
    from debruijn_gpu.sequences.symbols import Symbols

_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ of Linux, which Python 3.10 names, but not everywhere
_PIPE_BYTES = 1 << 20
_PACKED_BITS = {"bits": 1, "2bit": 2}


@dataclass(frozen=True)
class CyclicInterval:
    """An interval of a cyclic sequence.

    Attributes
    ----------
    start : int
        First position, 0 <= start < length.
    n_symbols : int
        Number of symbols; may exceed the length of the sequence.
    """

    start: int
    n_symbols: int

    def rounds(self, length: int) -> list[tuple[int, int]]:
        """Split the interval into ranges within 0..length."""
        ranges, start, left = [], self.start, self.n_symbols
        while left:
            n = min(left, length - start)
            ranges.append((start, start + n))
            start, left = 0, left - n
        return ranges


def check_format(file_format: str, symbols: Symbols) -> None:
    """Raise UsageError if an alphabet is too large for a format."""
    bits = _PACKED_BITS.get(file_format)
    if bits is not None and len(symbols) > 1 << bits:
        raise UsageError(
            f"--format {file_format} is for up to {1 << bits} symbols, and these are {len(symbols)}",
            "choose --format bytes, or text",
        )


def write_symbols(
    stream: BinaryIO,
    sequence: CyclicSequence,
    symbols: Symbols,
    interval: CyclicInterval,
    file_format: str,
    backend: SequenceBackend,
    ahead: bool = True,
) -> None:
    """Write an interval of a sequence.

    Parameters
    ----------
    stream : binary file
    sequence : CyclicSequence
    symbols : Symbols
    interval : Stretch
    file_format : str
        One of `sequence_options.SYMBOL_FORMATS`: ``text`` (with a final newline), ``bytes`` (codes, little-endian in
        the smallest of 1, 2 and 4 bytes), ``2bit``, ``bits`` (packed as in `SequenceOperations`), ``npy`` or
        ``checksum``, which is one line: `SequenceOperations.checksum_bytes` of the ``bits`` of two symbols and the
        ``bytes`` of more, as 16 hexadecimal digits.
    backend : SequenceBackend
        Where blocks are made.
    ahead : bool
        Make a block while the one before it is written, in a thread.
    """
    check_format(file_format, symbols)
    with suppress(OSError, ValueError, AttributeError):  # not a pipe, or not Linux
        fcntl.fcntl(stream.fileno(), _SET_PIPE_SIZE, _PIPE_BYTES)
    block = backend.block_items
    if file_format == "checksum":
        packed = "bits" if len(symbols) == 2 else "bytes"
        encoded = _encoded(sequence, symbols, interval, packed, backend, block)
        stream.write(b"%016x\n" % _checksum(in_background(encoded), backend))
        return
    if file_format == "npy":
        shape = (interval.n_symbols,)
        header = {"descr": symbols.dtype.newbyteorder("<").str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(stream, header)
        file_format = "bytes"
    on_host = (backend.to_host(part) for part in _encoded(sequence, symbols, interval, file_format, backend, block))
    with closing(in_background(on_host, ahead)) as parts:
        for part in parts:
            stream.write(np.ascontiguousarray(part).view(np.uint8).data)
    if file_format == "text":
        stream.write(b"\n")


def _encoded(
    sequence: CyclicSequence,
    symbols: Symbols,
    interval: CyclicInterval,
    file_format: str,
    backend: SequenceBackend,
    block: int,
) -> Iterator[Array]:
    """Yield the symbols to write in arrays of the backend; arrays of packed symbols end at full bytes."""
    rounds = interval.rounds(sequence.length)
    if file_format == "bits" and len(rounds) == 1:
        packed = sequence.bit_blocks(*rounds[0], backend, block)
        yield from progress.through(packed, interval.n_symbols, "symbols", lambda part: 8 * len(part))
        return
    letters = symbols.letters if file_format == "text" else None
    made = itertools.chain.from_iterable(sequence.blocks(*ends, backend, letters, block) for ends in rounds)
    parts = progress.through(made, interval.n_symbols, "symbols", len)
    if file_format in _PACKED_BITS:
        yield from _packed(parts, _PACKED_BITS[file_format], backend)
    elif file_format == "text" and letters is None:
        yield from _spelled(parts, symbols, backend)
    else:
        yield from parts


def _packed(parts: Iterator[Array], n_bits: int, backend: SequenceBackend) -> Iterator[Array]:
    """Packed symbols. What does not fill a byte goes with the next part."""
    per_byte = 8 // n_bits
    left = np.empty(0, np.uint8)
    for part in parts:
        codes = _after(left, part, backend)
        n_whole = len(codes) // per_byte * per_byte
        left = backend.to_host(codes[n_whole:])
        yield backend.sequences.pack_symbols(codes[:n_whole], n_bits)
    if len(left):
        yield backend.sequences.pack_symbols(backend.to_device(left), n_bits)


def _after(left: NDArray[Any], part: Array, backend: SequenceBackend) -> Array:
    """A part, with what is left of the one before in front."""
    return backend.to_device(np.concatenate((left, backend.to_host(part)))) if len(left) else part


def _spelled(parts: Iterator[Array], symbols: Symbols, backend: SequenceBackend) -> Iterator[NDArray[np.uint8]]:
    """The names of symbols with separators between them, on the host."""
    separator = symbols.separator.encode()
    words = [separator + name.encode() for name in symbols.names]
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(word) for word in words], out=offsets[1:])
    names = np.frombuffer(b"".join(words), np.uint8)
    skipped = len(separator)  # of the first symbol of all
    for part in parts:
        codes = backend.to_host(part)
        for begin in range(0, len(codes), BLOCK_SYMBOLS):
            text = backends.host().text.spell_names(codes[begin : begin + BLOCK_SYMBOLS], names, offsets)
            yield text[skipped:]
            skipped = 0


def _checksum(parts: Iterator[Array], backend: SequenceBackend) -> int:
    """The checksum of the bytes of all parts, one after another."""
    total, position = 0, 0
    left = np.empty(0, np.uint8)
    for part in parts:
        data = _after(left, part.view(np.uint8), backend)
        n_whole = len(data) // 8 * 8
        left = backend.to_host(data[n_whole:])
        total += backend.sequences.checksum_bytes(data[:n_whole], position)
        position += n_whole
    return (total + backend.sequences.checksum_bytes(backend.to_device(left), position)) % (1 << 64)
