"""Write the lines of GFA 1.0, as Bandage and gfatools read it, from columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.text.containers import Field, TextField
from debruijn_gpu.io.fastx.record_text import choice_field, format_records

_TAG = re.compile(rb"[A-Za-z][A-Za-z0-9]:[AifZJHB]:[ -~]*")

#: The text of a column in each line: one field, or several one after another
Column: TypeAlias = Field | tuple[Field, ...]


@dataclass(frozen=True)
class SegmentColumns:
    """A block of S lines; ``tags`` begin with a tab where there are any."""

    names: Column
    sequences: Column
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"S\t", self.names, b"\t", self.sequences, self.tags)


@dataclass(frozen=True)
class LinkColumns:
    """A block of L lines.

    Attributes
    ----------
    tails, heads : Column
        Names of the segments.
    tail_signs, head_signs : ndarray of int64, shape=(n,)
        1 where the segment is reverse-complemented, else 0.
    overlaps, tags : Column
        Tags begin with a tab where there are any.
    """

    tails: Column
    tail_signs: NDArray[np.int64]
    heads: Column
    head_signs: NDArray[np.int64]
    overlaps: Column
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"L\t", self.tails, _signs(self.tail_signs), self.heads, _signs(self.head_signs))
        yield from (self.overlaps, self.tags)


@dataclass(frozen=True)
class PathColumns:
    """A block of P lines; ``steps`` are names of segments with their signs, separated by commas."""

    names: Column
    steps: Column
    overlaps: Column = b"*"
    tags: Column = b""

    def fields(self) -> Iterator[Column]:
        yield from (b"P\t", self.names, b"\t", self.steps, b"\t", self.overlaps, self.tags)


def write_records(
    stream: BinaryIO,
    segments: Iterable[SegmentColumns],
    links: Iterable[LinkColumns],
    paths: Iterable[PathColumns] = (),
) -> None:
    """Write a header, then segments, links and paths in blocks of at least one line."""
    stream.write(b"H\tVN:Z:1.0\n")
    for blocks in (segments, links, paths):
        for block in blocks:
            columns = (column if isinstance(column, tuple) else (column,) for column in block.fields())
            fields = list(chain.from_iterable(columns))
            stream.write(format_records([*fields, b"\n"])[1].data)


def tags_field(tags: Iterable[bytes]) -> TextField:
    """Column of tags, without those that do not have the format of GFA 1.0."""
    return choice_field([b"".join(b"\t" + tag for tag in line.split(b"\t") if _TAG.fullmatch(tag)) for line in tags])


def _signs(is_reverse: NDArray[np.int64]) -> Field:
    return choice_field((b"\t+\t", b"\t-\t"), is_reverse)
