"""Files and their blocks cut into lines."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.opening import Block, display_name, read_blocks
from debruijn_gpu.run.resources import format_bytes

#: Encoding of the first line of a text, before which some editors and spreadsheets put a mark of three bytes
FIRST_LINE = "utf-8-sig"

#: Bytes of a line, unless lines may be as long as a sequence
LONGEST_LINE = 1 << 26

_BLOCK_BYTES = 1 << 20
_TAIL_BYTES = 1 << 12  # in which the last end of a line nearly always is


def read_lines(path: str, most_bytes: int = LONGEST_LINE) -> Generator[bytes, None, None]:
    """Lines of a file without their newlines; errors are those of `read_blocks` and `split_lines`."""
    with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
        yield from split_lines(blocks, display_name(path), most_bytes)


def split_lines(
    blocks: Iterable[Block], source: str, most_bytes: int = LONGEST_LINE, n_before: int = 0
) -> Iterator[bytes]:
    """Lines of text in blocks; parts of a long line are concatenated only once.

    Parameters
    ----------
    blocks : iterable of Block
    source : str
        Name of the file in messages.
    most_bytes : int
        Of a line.
    n_before : int
        Lines before the text.

    Raises
    ------
    FormatError
        If a line is longer.
    """
    parts: list[bytes] = []
    n_bytes, n_lines = 0, n_before
    for block in blocks:
        first, *others = block.buffer[block.start : block.end].tobytes().split(b"\n")
        parts.append(first)
        n_bytes += len(first)
        if n_bytes > most_bytes:
            raise FormatError(
                f"{source}: line {n_lines + 1:,}: more than {format_bytes(most_bytes)} without an end of line",
                "check that this is the right file, and that it is text",
            )
        if others:
            yield b"".join(parts)
            *whole, last = others
            yield from whole
            parts, n_bytes, n_lines = [last], len(last), n_lines + len(others)
    yield b"".join(parts)


def whole_lines(
    blocks: Iterable[Block], source: str = "", most_bytes: int | None = None
) -> Iterator[NDArray[np.uint8]]:
    """Yield the text of blocks as whole lines; the last line of the file may lack its end.

    Raises
    ------
    OutOfMemoryError
        If a line is longer than `most_bytes`.
    """
    rest: list[NDArray[np.uint8]] = []
    n_rest = 0
    for block in blocks:
        text = block.buffer[block.start : block.end]
        end = len(text) if block.final else last_line_end(text)
        if most_bytes is not None and n_rest > most_bytes:
            raise OutOfMemoryError(
                f"Out of memory: {source}: one line takes more than {format_bytes(n_rest)}, "
                f"and {format_bytes(most_bytes)} are allowed for it",
                "allow more memory (-m), or check that the file is text",
            )
        if end or (block.final and rest):
            whole = put_before(rest, block, end)
            rest, n_rest = [], 0
            yield whole
        if end < len(text):
            rest.append(text[end:].copy())
            n_rest += len(text) - end


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
