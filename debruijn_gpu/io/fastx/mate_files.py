"""Files of first and second mates among files of reads, told by their names and by the name of the first read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing

from debruijn_gpu.errors import DbgError
from debruijn_gpu.io.fastx.formats import mate_number
from debruijn_gpu.io.lines import find_text
from debruijn_gpu.io.opening import STANDARD_INPUT, read_blocks

#: The 1 of ``reads_1.fq``, ``reads_R1_001.fastq.gz``, ``R1.fq`` and ``reads_1P.fq``
_FIRST = re.compile(r"(?:(?<=[._-])|(?:(?<=[._-])|^)[Rr])1(?=P?(?:[._-]|$))")
_BLOCK_BYTES = 1 << 16


def find_mates(paths: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Find the pairs of files of mates among files of reads.

    Two files are of mates if their names differ in a 1 and a 2 that stand for mates, as in ``reads_R1.fq`` and
    ``reads_R2.fq``, and their first reads have the same name.

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


def _names_of_second(path: str) -> Iterator[str]:
    """Yield the names that the file of second mates may have: with a 2 for one 1, or for all."""
    start = len(path) - len(os.path.basename(path))
    places = [start + found.end() - 1 for found in _FIRST.finditer(path[start:])]
    for changed in [[place] for place in reversed(places)] + [places] * (len(places) > 1):
        yield "".join("2" if place in changed else letter for place, letter in enumerate(path))


def are_interleaved(path: str) -> bool:
    """Whether the first two reads of a file are named as the mates of one pair."""
    headers = _headers(_head(path))[:2]
    return len(headers) == 2 and _are_of_pair(headers, is_sure=True)


def _are_mates(first: str, second: str) -> bool:
    """Whether the first reads of two files have one name, and neither is named as the other mate.

    Where names do not say the mate, all names at the beginning of both files are to be the same: those of FASTQ, as the
    contigs of two assemblies may be, too.
    """
    heads = _head(first), _head(second)
    found = [_headers(head) for head in heads]
    if not all(found) or os.path.samefile(first, second):
        return False
    is_fastq = all(head.startswith(b"@") for head in heads)
    n_looked_at = min(map(len, found)) if mate_number(found[0][0]) is None else 1
    return all(_are_of_pair(pair, is_sure=not is_fastq) for pair in list(zip(*found, strict=False))[:n_looked_at])


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


def _are_of_pair(headers: Sequence[str], is_sure: bool = False) -> bool:
    """Whether two headers have one name, and neither is named as the other mate; ``is_sure``: each says which it is."""
    numbers = [mate_number(header) for header in headers]
    if numbers != [0, 1] and (is_sure or numbers != [None, None]):
        return False
    names = [header.split(" ", 1)[0].removesuffix(f"/{mate}") for mate, header in enumerate(headers, 1)]
    return names[0] == names[1] != ""


def _head(path: str) -> bytes:
    """Return the beginning of the text of a regular file; empty where it cannot be read."""
    if path == STANDARD_INPUT or not os.path.isfile(path):
        return b""
    try:
        with closing(read_blocks(path, _BLOCK_BYTES)) as blocks:
            return find_text(blocks).head
    except (DbgError, OSError):  # which reading reports
        return b""
