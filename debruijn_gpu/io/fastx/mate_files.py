"""Files of first and second mates among files of reads, told by their names and by those of their first reads."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from enum import Enum, auto

from debruijn_gpu.backends.core.scalars import without_mate
from debruijn_gpu.errors import DbgError
from debruijn_gpu.io.fastx.formats import mate_number
from debruijn_gpu.io.lines import find_text
from debruijn_gpu.io.opening import STANDARD_INPUT, read_blocks

#: The 1 of ``reads_1.fq``, ``reads_R1_001.fastq.gz``, ``R1.fq`` and ``reads_1P.fq``
_FIRST = re.compile(r"(?:(?<=[._-])|(?:(?<=[._-])|^)[Rr])1(?=P?(?:[._-]|$))")
#: Other words for mates, which are less sure
_WORDS = {"forward": "reverse", "fwd": "rev", "f": "r"}
_FIRST_WORD = re.compile(rf"(?:(?<=[._-])|^)({'|'.join(_WORDS)})(?=[._-]|$)", re.IGNORECASE)
_BLOCK_BYTES = 1 << 16


class _Likeness(Enum):
    """What the names of two reads say of them."""

    OTHERS = auto()  # not mates of one pair
    SAME = auto()  # one name, which does not show a mate
    NUMBERED = auto()  # one name but for a 1 and a 2 behind a point or underscore, which may number reads, too
    STATED = auto()  # first and second mate of one pair


def find_mates(paths: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Find the pairs of files of mates among files of reads.

    Two files are of mates if their names differ in a 1 and a 2 that stand for mates, as in ``reads_R1.fq`` and
    ``reads_R2.fq``, and their first reads have the same name but for that of the mate. A file that is given twice is of
    none.

    Parameters
    ----------
    paths : sequence of str

    Returns
    -------
    list of (str, str)
        Files of first and second mates, by the place of the first.
    list of str
        The other files, in order.
    """
    found: list[tuple[str, str]] = []
    left = list(paths)
    for first in paths:
        for second in _names_of_second(first) if left.count(first) == 1 else ():
            if left.count(second) == 1 and _are_mates(first, second):
                found.append((first, second))
                left.remove(first)
                left.remove(second)
                break
    return found, left


def look_alikes(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Find files that look like those of mates by their names alone, preferably in one directory."""
    found: list[tuple[str, str]] = []
    left = [path for path in paths if paths.count(path) == 1]
    for first in tuple(left):
        names = [os.path.basename(path) for path in (*_names_of_second(first), *_words_of_second(first))]
        seconds = [path for name in names for path in left if os.path.basename(path) == name]
        if first in left and seconds:
            found.append((first, min(seconds, key=lambda path: os.path.dirname(path) != os.path.dirname(first))))
            left = [path for path in left if path not in found[-1]]
    return found


def _words_of_second(path: str) -> Iterator[str]:
    """Yield the names that the file of second mates may have where words tell mates apart."""
    start = len(path) - len(os.path.basename(path))
    for word in _FIRST_WORD.finditer(path[start:]):
        second = _WORDS[word[1].lower()]
        second = second.upper() if word[1].isupper() else second.title() if word[1].istitle() else second
        yield path[: start + word.start()] + second + path[start + word.end() :]


def _names_of_second(path: str) -> Iterator[str]:
    """Yield the names that the file of second mates may have: with a 2 for one 1, or for all."""
    start = len(path) - len(os.path.basename(path))
    places = [start + found.end() - 1 for found in _FIRST.finditer(path[start:])]
    for changed in [[place] for place in reversed(places)] + [places] * (len(places) > 1):
        yield "".join("2" if place in changed else letter for place, letter in enumerate(path))


def are_interleaved(path: str) -> bool:
    """Whether the first reads of a file are named as the mates of pairs, in turn."""
    headers = _headers(_head(path))
    found = [_likeness(*pair) for pair in zip(headers[::2], headers[1::2], strict=False)]
    return found[:1] == [_Likeness.STATED] or (len(found) > 1 and set(found) == {_Likeness.NUMBERED})


def _are_mates(first: str, second: str) -> bool:
    """Whether the first reads of two files have one name but for the mate, and neither is named as the other mate.

    Where names do not state the mate, all names at the beginning of both files are to be alike, and those of FASTQ: the
    contigs of two assemblies may have the same names, too.
    """
    heads = _head(first), _head(second)
    headers = [_headers(head) for head in heads]
    if not all(headers) or os.path.samefile(first, second):
        return False
    found = [_likeness(*pair) for pair in zip(*headers, strict=False)]
    if found[0] in (_Likeness.STATED, _Likeness.OTHERS):
        return found[0] is _Likeness.STATED
    return len(set(found)) == 1 and all(head.startswith(b"@") for head in heads)


def _headers(head: bytes) -> list[str]:
    """Return the headers of the records that a text begins with, whose last line may be cut off."""
    lines = head.split(b"\n")
    if head.startswith(b"@"):
        found = [line[1:] for line in lines[::4] if line.startswith(b"@")]
    else:
        found = [line[1:] for line in lines if line.startswith(b">")]
    if lines[-1].startswith((b"@", b">")) and len(found) > 1:
        del found[-1]  # which may be cut off
    return [header.decode("utf-8", "replace").replace("\t", " ").strip() for header in found]


def _likeness(first: str, second: str) -> _Likeness:
    """Compare the header of a read, which may be the first mate, with that of another one."""
    numbers = mate_number(first), mate_number(second)
    names = [header.split(" ", 1)[0] for header in (first, second)]
    stems = {_pair_name(name) for name in names}
    if numbers not in ((0, 1), (None, None)) or len(stems) > 1 or "" in stems:
        return _Likeness.OTHERS
    if numbers == (0, 1):
        return _Likeness.STATED
    if names[0] == names[1]:
        return _Likeness.SAME
    return _Likeness.NUMBERED if [name[-1] for name in names] == ["1", "2"] else _Likeness.OTHERS


def _pair_name(name: str) -> str:
    """Return the name that mates share, as reading compares the names of mates; see `ParsedReads.names`."""
    text = name.encode()
    return text[: without_mate(text, 0, len(text))].decode()


def _head(path: str) -> bytes:
    """Return the beginning of the text of a regular file; empty where it cannot be read."""
    if path == STANDARD_INPUT or not os.path.isfile(path):
        return b""
    try:
        with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
            return find_text(blocks).head
    except (DbgError, OSError):  # which reading reports
        return b""
