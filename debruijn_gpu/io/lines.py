"""Files and their blocks cut into lines."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.io.opening import Block, read_blocks

#: Encoding of the first line of a text, before which some editors and spreadsheets put a mark of three bytes
FIRST_LINE = "utf-8-sig"

_BLOCK_BYTES = 1 << 20
_TAIL_BYTES = 1 << 12  # in which the last end of a line nearly always is


def read_lines(path: str) -> Generator[bytes, None, None]:
    """Lines of a file without their newlines; errors are those of `read_blocks`."""
    with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
        yield from split_lines(blocks)


def split_lines(blocks: Iterable[Block]) -> Iterator[bytes]:
    """Lines of text in blocks; one may be as long as a chromosome, so that parts are joined only once."""
    parts: list[bytes] = []
    for block in blocks:
        first, *others = block.buffer[block.start : block.end].tobytes().split(b"\n")
        parts.append(first)
        if others:
            yield b"".join(parts)
            *whole, last = others
            yield from whole
            parts = [last]
    yield b"".join(parts)


def whole_lines(blocks: Iterable[Block]) -> Iterator[NDArray[np.uint8]]:
    """The text of blocks in pieces of whole lines; the last line of the file may lack its end."""
    rest: list[NDArray[np.uint8]] = []
    for block in blocks:
        text = block.buffer[block.start : block.end]
        end = len(text) if block.final else last_line_end(text)
        if end or (block.final and rest):
            whole = put_before(rest, block, end)
            rest = []
            yield whole
        if end < len(text):
            rest.append(text[end:].copy())


def last_line_end(text: NDArray[np.uint8]) -> int:
    """Position after the last newline; 0 if there is none."""
    tail = max(0, len(text) - _TAIL_BYTES)
    end = text[tail:].tobytes().rfind(b"\n") + 1
    return tail + end if end else text[:tail].tobytes().rfind(b"\n") + 1


def put_before(rest: Sequence[NDArray[np.uint8]], block: Block, end: int) -> NDArray[np.uint8]:
    """The first `end` bytes of a block after what is left of those before, copied only where there is no room."""
    n_rest = sum(map(len, rest))
    if n_rest > block.start:
        return np.concatenate([*rest, block.buffer[block.start : block.start + end]])
    text = block.buffer[block.start - n_rest : block.start + end]
    if n_rest:
        text[:n_rest] = np.concatenate(rest)
    return text
