"""The first content of a text, whatever comes before it and however it is cut into blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.io.lines import MOST_BYTES, cut_comments, find_text
from debruijn_gpu.io.opening import HEADROOM, Block


def blocks_of(text, size):
    for start in range(0, len(text) + 1, size):
        part = text[start : start + size]
        buffer = np.zeros(HEADROOM + len(part), np.uint8)
        buffer[HEADROOM:] = np.frombuffer(part, np.uint8)
        yield Block(buffer, HEADROOM, len(buffer), start + size > len(text))


def concatenated(blocks):
    return b"".join(block.buffer[block.start : block.end].tobytes() for block in blocks)


def naive(text, marks):
    """Lines before the first content, and the text from there on."""
    lines = text.splitlines(keepends=True) if b"\r" not in text else text.split(b"\n")
    lines = [line if line.endswith(b"\n") else line + b"\n" for line in lines]
    n = 0
    while n < len(lines) and (not lines[n].strip() or lines[n].strip()[:1] in [bytes([mark]) for mark in marks]):
        n += 1
    return n, b"".join(lines[n:])


PARTS = [b"\n", b"\r\n", b"  \n", b"\t", b" ", b"# x\n", b"  #\n", b"%\n", b"#", b"a b\n", b"a#b\n", b"a"]


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.integers(1, 12), st.sampled_from([b"", b"#", b"#%"]))
def test_content_is_found_in_any_blocks(parts, size, marks):
    text = b"".join(parts)
    start = find_text(blocks_of(text, size), marks)
    n_lines, content = naive(text, marks)
    rest = concatenated(start.blocks)
    assert bool(start.head.strip()) == bool(content)
    if content:
        assert start.n_lines == n_lines
        assert rest.startswith(start.head)
        assert naive(rest + b"\n", marks)[1].split(b"\n")[0] == content.split(b"\n")[0]
        assert rest[:1] == content[:1]


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.integers(1, 12))
def test_cut_comments_leave_all_other_lines(parts, size):
    text = b"".join(parts)
    found = concatenated(cut_comments(blocks_of(text, size), b"#"))
    kept = [line if not line.lstrip().startswith(b"#") else b"#" for line in text.split(b"\n")]
    assert [line if not line.lstrip().startswith(b"#") else b"#" for line in found.split(b"\n")] == kept


def test_a_comment_of_many_blocks_takes_the_memory_of_one():
    text = b"#" + b"x" * 100_000 + b"\na b\n"
    sizes = [block.end - block.start for block in cut_comments(blocks_of(text, 1000), b"#")]
    assert sum(sizes) < 2000


def test_a_first_line_without_end_is_shown_in_part():
    start = find_text(blocks_of(b"\n\n" + b"x" * 200_000, 10_000))
    assert start.head == b"x" * MOST_BYTES
    assert start.n_lines == 2
    assert concatenated(start.blocks) == b"x" * 200_000


@pytest.mark.parametrize("line", [b"\n", b"\r\n", b"   \n", b"# comment\n", b"\t\n"])
def test_skipped_text_is_read_once(line):
    n_bytes = 0

    def counted(blocks):
        nonlocal n_bytes
        for block in blocks:
            n_bytes += block.end - block.start
            yield block

    text = line * 50_000 + b"a b\n"
    start = find_text(counted(blocks_of(text, 1000)), b"#")
    assert (start.head, start.n_lines) == (b"a b\n", 50_000)
    assert n_bytes == len(text)


@pytest.mark.parametrize("size", [1000, 1 << 20])
def test_content_after_a_long_run_of_blanks_is_found(size):
    start = find_text(blocks_of(b"\n" + b" " * 200_000 + b"a b\n", size))
    assert (start.head.strip(), start.n_lines) == (b"a b", 1)
