"""The first lines of a text that hold anything, found in bounded memory however much comes before them."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from debruijn_gpu.io.lines import last_line_end, split_lines
from debruijn_gpu.io.opening import HEADROOM, Block, display_name, read_blocks

#: Bytes of a first line that suffice to detect a format, even if the line is longer
MOST_BYTES = HEADROOM

_BLOCK_BYTES = 1 << 20
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
        yield from numbered(blocks, display_name(path), marks)


def numbered(blocks: Iterable[Block], source: str, marks: bytes = b"") -> Iterator[tuple[int, bytes]]:
    """The same of text in blocks."""
    start = find_text(blocks, marks)
    yield from enumerate(split_lines(start.blocks, source, n_before=start.n_lines), start.n_lines + 1)
