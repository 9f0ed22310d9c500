"""Whether a sequence of symbols is a de Bruijn sequence.

Its windows of n symbols are marked in a bitmap of all k^n words, block after block. If there are as many windows as
words, and no window is there twice, then each word is there once.

That the last n - 1 symbols of a linear sequence repeat the first follows, and is not checked: its windows are an Euler
path through the de Bruijn graph, which has as many edges into each vertex as out of it, so that the path is a circuit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.sequences.containers import Windows
from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.sequences.sequence import check_order
from debruijn_gpu.sequences.symbols import code_dtype
from debruijn_gpu.sequences.verification import Repeat, Verification, sequence_length

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import SequenceBackend

#: Missing words that a verification names.
MOST_MISSING = 5
_MOST_BITS = 62  # of a word as a number
_SCANNED = 1 << 22  # words of the bitmap that are looked through at once
_FULL = np.uint32(0xFFFFFFFF)


def verify(
    blocks: Callable[[], Iterator[NDArray[Any]]],
    n_symbols: int,
    order: int,
    linear: bool,
    backend: SequenceBackend,
    memory: int | None = None,
    n_bits: int = 0,
) -> Verification:
    """Whether a sequence has each word of ``order`` symbols once.

    Parameters
    ----------
    blocks : callable
        Gives the sequence from the beginning, block after block, in NumPy arrays that are not written again; called
        twice more where something is wrong, to say where.
    n_symbols, order : int
        k and n.
    linear : bool
        Whether the sequence is linear, not cyclic.
    backend : SequenceBackend
        Where the bitmap is.
    memory : int, optional
        Bytes that it may take. A GPU says itself what it has.
    n_bits : int
        0: blocks are codes (`symbols.code_dtype`). 1 or 2: they are packed (`SequenceOperations`), of up to 2 or 4
        symbols; then a sequence of the right length may be followed by what fills its last byte.

    Raises
    ------
    FormatError
        If a code is no symbol.
    OutOfMemoryError
        If the bitmap does not fit.
    """
    n_words = count_words(n_symbols, order, memory)
    reader = WindowReader(blocks, n_symbols, order, linear, n_bits)
    seen = backend.sequences.empty_bitmap(n_words)
    n_distinct, faulty = 0, -1
    expected = sequence_length(n_symbols, order, linear)
    with log.stage("verify", unit="symbols") as stage:
        for position, windows in reader.windows():
            stage.progress(reader.n_read, expected)
            n_repeats = backend.sequences.mark_windows(_moved(windows, backend), seen)
            n_distinct += windows.n_windows - n_repeats
            if n_repeats and faulty < 0:
                faulty = position
        stage.items = reader.n_read
    n_read, n_missing = reader.n_read, n_words - n_distinct
    missing = _least_missing(seen, min(n_missing, MOST_MISSING), backend)
    del seen
    repeat = _find_repeat(reader, faulty, backend.sequences.empty_bitmap(n_words), backend) if faulty >= 0 else None
    spelled = np.array([_spelled(word, n_symbols, order) for word in missing], np.uint32).reshape(-1, order)
    return Verification(n_symbols, order, linear, n_read, repeat, n_missing, spelled.astype(code_dtype(n_symbols)))


def count_words(n_symbols: int, order: int, memory: int | None) -> int:
    """Return k^n if a bitmap of k^n bits fits into memory."""
    check_order(order)
    fix = "allow more (-m), or verify a sequence of a smaller order"
    if (order > _MOST_BITS and n_symbols > 1) or n_symbols**order > 1 << _MOST_BITS:
        raise OutOfMemoryError(f"Out of memory: verifying needs a bit for each of {n_symbols}^{order} words", fix)
    n_words = int(n_symbols**order)
    if memory is not None and n_words // 8 > memory:
        raise OutOfMemoryError(
            f"Out of memory: verifying needs a bit for each of {n_words:,} words, {format_bytes(n_words // 8)}, and "
            f"{format_bytes(memory)} are left for it",
            fix,
        )
    return n_words


@dataclass
class WindowReader:
    """All windows of a sequence that comes in blocks.

    Attributes
    ----------
    n_read : int
        Symbols that have been read.
    """

    blocks: Callable[[], Iterator[NDArray[Any]]]
    n_symbols: int
    order: int
    linear: bool
    n_bits: int
    n_read: int = 0

    @property
    def _has_spare_codes(self) -> bool:
        """Whether packed codes may be no symbols."""
        return bool(self.n_bits) and self.n_symbols < 1 << self.n_bits

    def windows(self) -> Iterator[tuple[int, Windows]]:
        """Windows in order, in NumPy arrays, with the position of the first of them: of each block those that begin in
        the block before and end in this one, and those within it; at last those that go round."""
        self.n_read = 0
        n_shared = self.order - 1  # symbols that a window has in common with the next
        head = tail = np.empty(0, code_dtype(self.n_symbols))
        n_bits = 0 if self._has_spare_codes else self.n_bits
        for block, size in self._sized_blocks():
            begin = symbol_codes(block, n_bits, 0, min(size, n_shared))
            head = np.concatenate((head, begin))[:n_shared]
            yield from self._windows(self.n_read - len(tail), np.concatenate((tail, begin)))
            yield from self._windows(self.n_read, block, n_bits, size)
            tail = np.concatenate((tail, symbol_codes(block, n_bits, max(0, size - n_shared), size)))
            tail = tail[max(0, len(tail) - n_shared) :]
            self.n_read += size
        if not self.linear and self.n_read:
            yield from self._windows(self.n_read - len(tail), np.concatenate((tail, np.resize(head, n_shared))))

    def _windows(
        self, position: int, symbols: NDArray[Any], n_bits: int = 0, size: int = -1
    ) -> Iterator[tuple[int, Windows]]:
        """The windows within some symbols, if there are any."""
        n_windows = (len(symbols) if size < 0 else size) - (self.order - 1)
        if n_windows > 0:
            yield position, Windows(symbols, n_bits, n_windows, self.n_symbols, self.order)

    def _sized_blocks(self) -> Iterator[tuple[NDArray[Any], int]]:
        """Blocks, with the number of symbols that they have; codes that have been checked where they may be none."""
        for block, size in self._read_blocks():
            if self.n_bits and not self._has_spare_codes:
                yield block, size
                continue
            codes = symbol_codes(block, self.n_bits, 0, size)
            self._check(codes)
            yield codes, size

    def _read_blocks(self) -> Iterator[tuple[NDArray[Any], int]]:
        """Blocks as they are, with the number of symbols that they have; packed ones are not empty."""
        waiting: NDArray[Any] | None = None
        for block in self.blocks():
            if not self.n_bits:
                yield block, len(block)
            elif len(block):
                if waiting is not None:
                    yield waiting, self._n_packed(waiting)
                waiting = block
        if waiting is not None:
            yield waiting, self._n_packed(waiting, is_last=True)

    def _n_packed(self, block: NDArray[Any], is_last: bool = False) -> int:
        """Symbols of a packed block; the last one may be filled up."""
        per_byte = 8 // self.n_bits
        size = len(block) * per_byte
        if not is_last:
            return size
        n_fill = self.n_read + size - sequence_length(self.n_symbols, self.order, self.linear)
        return size - n_fill if 0 < n_fill < per_byte else size

    def _check(self, codes: NDArray[Any]) -> None:
        """Raise FormatError if there is a code that is no symbol."""
        if len(codes) and int(codes.max()) >= self.n_symbols:
            at = int(np.argmax(codes >= self.n_symbols))
            raise FormatError(
                f"symbol {self.n_read + at:,} is {codes[at]}, and there are {self.n_symbols:,} symbols, from 0 on",
                "name the alphabet of the sequence (--alphabet)",
            )


def symbol_codes(symbols: NDArray[Any], n_bits: int, start: int, stop: int) -> NDArray[Any]:
    """Symbols start..stop, an element each."""
    if not n_bits:
        return symbols[start:stop]
    per_byte = 8 // n_bits
    first = start // per_byte
    shifts = np.arange(8 - n_bits, -1, -n_bits, dtype=np.uint8)
    codes = (symbols[first : -(-stop // per_byte), None] >> shifts) & np.uint8((1 << n_bits) - 1)
    return codes.ravel()[start - first * per_byte : stop - first * per_byte]


def _moved(windows: Windows, backend: SequenceBackend) -> Windows:
    """Windows in an array of the backend."""
    return replace(windows, symbols=backend.to_device(windows.symbols))


def _least_missing(seen: Array, n_wanted: int, backend: SequenceBackend) -> list[int]:
    """Return the first bits that are not set, at most ``n_wanted``."""
    found: list[int] = []
    for start in range(0, len(seen), _SCANNED):
        if len(found) >= n_wanted:
            break
        part = backend.to_host(seen[start : start + _SCANNED])
        for at in np.flatnonzero(part != _FULL)[:n_wanted].tolist():
            bits = int(part[at])
            found += [32 * (start + at) + i for i in range(32) if not bits >> i & 1]
    return found[:n_wanted]


def _find_repeat(reader: WindowReader, faulty: int, seen: Array, backend: SequenceBackend) -> Repeat:
    """The first window that was there before, which is among the windows that come with a position."""
    for position, windows in reader.windows():
        moved = _moved(windows, backend)
        if position == faulty:
            at = backend.sequences.first_repeat(moved, seen)
            if at < 0:
                break
            window = symbol_codes(windows.symbols, windows.n_bits, at, at + reader.order)
            return Repeat(position + at, _find_first(reader, window), window)
        backend.sequences.mark_windows(moved, seen)
    raise _changed()


def _find_first(reader: WindowReader, window: NDArray[Any]) -> int:
    """Where a window begins first."""
    for position, windows in reader.windows():
        codes = symbol_codes(windows.symbols, windows.n_bits, 0, windows.n_windows + reader.order - 1)
        text, wanted, width = codes.tobytes(), window.astype(codes.dtype).tobytes(), codes.itemsize
        at = text.find(wanted)
        while at % width and at >= 0:  # not at the beginning of a code
            at = text.find(wanted, at + 1)
        if at >= 0:
            return position + at // width
    raise _changed()


def _changed() -> FormatError:
    """The sequence was another one when it was read again."""
    return FormatError("the sequence changed while it was read", "verify a file that stays as it is")


def _spelled(word: int, n_symbols: int, order: int) -> list[int]:
    """The symbols of a word that is a number."""
    return [word // n_symbols**i % n_symbols for i in range(order - 1, -1, -1)]
