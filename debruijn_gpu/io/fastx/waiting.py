"""Text that is read but not parsed yet, concatenated from the blocks of a file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.opening import Allocate, Block


class RecordTooLongError(Exception):
    """One record takes more text than is allowed.

    Parameters
    ----------
    start : bytes
        The first bytes of its text.
    n_bytes : int
        Bytes of it that have been read.
    """

    def __init__(self, start: bytes, n_bytes: int) -> None:
        super().__init__(f"{n_bytes} bytes")
        self.start = start
        self.n_bytes = n_bytes


class WaitingText:
    """The text that is read but not parsed yet; it begins with a record.

    Parameters
    ----------
    allocate : callable
        See `read_blocks`.
    most_bytes : int, optional
        Of text that no record ends in; None: no limit.
    """

    def __init__(self, allocate: Allocate, most_bytes: int | None = None) -> None:
        self._allocate = allocate
        self._most_bytes = most_bytes
        self._rest = np.empty(0, np.uint8)
        self._blocks: list[Block] = []
        self.n_bytes = 0
        self._n_wanted = 0

    def add(self, block: Block) -> bool:
        """Add a block; return whether the text is worth parsing now.

        Raises
        ------
        RecordTooLongError
            If nothing could be parsed of the text so far, and it is too long.
        """
        self._blocks.append(block)
        self.n_bytes += block.end - block.start
        if self._n_wanted and self._most_bytes is not None and self.n_bytes > self._most_bytes:
            raise RecordTooLongError(self._rest[:_NAME_BYTES].tobytes(), self.n_bytes)
        return block.final or self.n_bytes >= self._n_wanted

    def take(self) -> NDArray[np.uint8]:
        """Return the whole text in one array."""
        block, n_rest = self._blocks[0], len(self._rest)
        if len(self._blocks) == 1 and n_rest <= block.start:
            text = block.buffer[block.start - n_rest : block.end]
            text[:n_rest] = self._rest
        else:
            segments = [self._rest, *(block.buffer[block.start : block.end] for block in self._blocks)]
            text = self._allocate(sum(map(len, segments)))
            np.concatenate(segments, out=text)
        self._blocks.clear()
        return text

    def keep(self, rest: NDArray[np.uint8]) -> None:
        """Put `rest`, the end of the text taken last, before the next block."""
        self._rest = rest
        self.n_bytes = len(rest)
        self._n_wanted = 0

    def keep_all(self, text: NDArray[np.uint8]) -> None:
        """Keep a text in which no record ends, and ask for twice as much: the work stays linear."""
        self.keep(text)
        self._n_wanted = 2 * len(text)


_NAME_BYTES = 1 << 8
