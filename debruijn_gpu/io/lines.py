"""Cut files and their blocks into lines, and find the first lines of a text in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, OutOfMemoryError
from debruijn_gpu.io.opening import HEADROOM, Block, display_name, read_blocks
from debruijn_gpu.io.reading_again import within_budget
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
        yield from split_lines(within_budget(blocks, display_name(path)), display_name(path), most_bytes)


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


#: Bytes of a first line that suffice to detect a format, even if the line is longer
MOST_BYTES = HEADROOM

_CONTENT = re.compile(rb"[^ \t\r\n]")
_MOST_BLANKS = 1 << 12  # kept before the content of a line
_COMMENTS_AT_ONCE = 1000  # the stack of a regular expression grows with them


@dataclass(frozen=True)
class TextStart:
    """A text from its first line with content on.

    Attributes
    ----------
    head : bytes
        What the text begins with; empty if it has no content.
    blocks : iterator of Block
        The text.
    n_lines : int
        Lines before it, all of them empty or comments.
    """

    head: bytes
    blocks: Iterator[Block]
    n_lines: int

    def without(self, n_bytes: int) -> TextStart:
        """The same without the first bytes of the head."""
        first = next(self.blocks)
        rest = chain([replace(first, start=first.start + n_bytes)], self.blocks)
        return TextStart(self.head[n_bytes:], rest, self.n_lines)


def find_text(
    blocks: Iterable[Block], marks: bytes = b"", is_enough: Callable[[bytes], bool] = lambda head: b"\n" in head
) -> TextStart:
    """Skip lines that hold blanks or a comment only.

    Parameters
    ----------
    blocks : iterable of Block
        With the room before the text that `read_blocks` leaves.
    marks : bytes
        A line that begins with one of these, perhaps after blanks, is a comment.
    is_enough : callable
        Whether the first bytes of the content suffice for the caller; 64 KiB always do.
    """
    rest = np.empty(0, np.uint8)
    n_lines = 0
    skip_comments = _comments(marks)
    source = iter(cut_comments(blocks, marks) if marks else blocks)
    for block in source:
        start = block.start - len(rest)
        block.buffer[start : block.start] = rest
        text = block.buffer[start : min(block.end, start + 2 * MOST_BYTES)].tobytes()
        at = _first_content(text, marks, skip_comments)
        if at + MOST_BYTES > len(text) and len(text) < block.end - start:
            text = block.buffer[start : block.end].tobytes()
            at = _first_content(text, marks, skip_comments)
        n_lines += text.count(b"\n", 0, at)
        head = text[at : at + MOST_BYTES]
        found = Block(block.buffer, start + at, block.end, block.final)
        has_content = _CONTENT.search(head) is not None
        if block.final or (has_content and (len(head) == MOST_BYTES or is_enough(head))):
            return TextStart(head if has_content else b"", chain([found], source), n_lines)
        rest = block.buffer[start + at : block.end].copy()
    raise AssertionError("no block is the last one")


def _comments(marks: bytes) -> re.Pattern[bytes]:
    """An expression for many comment lines at once."""
    return re.compile(rb"(?:[ \t\r\n]*[%s][^\n]*\n){1,%d}" % (re.escape(marks or b"\n"), _COMMENTS_AT_ONCE))


def _first_content(text: bytes, marks: bytes, comments: re.Pattern[bytes]) -> int:
    """Start of the first line with content, or of the last line if there is none, which may go on in the next block."""
    at = 0
    while marks and (found := comments.match(text, at)):
        at = found.end()
    content = _CONTENT.search(text, at)
    if content is not None and content[0] in marks:  # a comment without an end yet
        return len(text)
    end = len(text) if content is None else content.start()
    return max(at, text.rfind(b"\n", 0, end) + 1, end - _MOST_BLANKS)


def cut_comments(blocks: Iterable[Block], marks: bytes) -> Iterator[Block]:
    """The same text, without what follows the first block of a comment of several blocks."""
    in_comment = in_content = False  # the last line so far
    for block in blocks:
        text = block.buffer[block.start : block.end]
        end = last_line_end(text)
        if in_comment:
            newline = text[:end].tobytes().find(b"\n")
            dropped = newline if newline >= 0 else len(text)
            yield replace(block, start=block.start + dropped)
        else:
            yield block
        if end:
            in_comment = in_content = False
        if not (in_comment or in_content) and (first := _CONTENT.search(text[end:].tobytes())):
            in_comment = first[0] in marks
            in_content = not in_comment


def numbered_lines(path: str, marks: bytes = b"") -> Generator[tuple[int, bytes], None, None]:
    """Lines of a file and their numbers, from the first that is neither empty nor a comment on; see `read_lines`."""
    with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
        yield from numbered(within_budget(blocks, display_name(path)), display_name(path), marks)


def numbered(blocks: Iterable[Block], source: str, marks: bytes = b"") -> Iterator[tuple[int, bytes]]:
    """The same of text in blocks."""
    start = find_text(blocks, marks)
    yield from enumerate(split_lines(start.blocks, source, n_before=start.n_lines), start.n_lines + 1)
