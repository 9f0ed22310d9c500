"""Reads of paired inputs, in two files or taking turns in one, whose names are checked against each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import TURNS, Mates
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.formats import warn_of_exchanged, warn_of_turns
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.run.plain_text import shorten

if TYPE_CHECKING:
    from debruijn_gpu.io.fastx.reads import Text, Way

_SAME_ORDER = (
    "give the two files of one run, both complete and in the order in which they were made, or -s for each if they are "
    "no mates"
)


class _Mates:
    """One file of a pair while it is read."""

    def __init__(self, path: str, mate: int, records: Iterator[TextReads]) -> None:
        self.path = path
        self.mate = mate  # 0 or 1
        self.records = records
        self.n_reads = 0
        self.ended = False
        self.unmatched = np.empty(0, np.uint64)  # hashes of names that the other file has not come to

    def read(self) -> TextReads | None:
        reads = next(self.records, None)
        if reads is None:
            self.ended = True
        else:
            if not self.n_reads:
                warn_of_exchanged(self.path, reads.header(0), self.mate)
            self.n_reads += reads.n_reads
            self.unmatched = np.concatenate([self.unmatched, reads.names])
        return reads


def read_pair(first: str, second: str, number: int, way: Way) -> Iterator[Text]:
    """Read the two files of a paired input in turn, next the one that has given fewer reads."""
    with (
        closing(way.begin(first, 2)),
        closing(way.begin(second, 2)),
        closing(way.records(first, 2)) as records_1,
        closing(way.records(second, 2)) as records_2,
    ):
        mates = (_Mates(first, 0, records_1), _Mates(second, 1, records_2))
        while not (mates[0].ended and mates[1].ended):
            behind, ahead = mates if mates[0].n_reads <= mates[1].n_reads else mates[::-1]
            if behind.ended and behind.n_reads == ahead.n_reads:
                behind, ahead = ahead, behind
            reads = None if behind.ended else behind.read()
            if behind.ended and behind.n_reads < ahead.n_reads:
                raise FormatError(
                    f"{display_name(behind.path)} ends after {behind.n_reads:,} records, "
                    f"but {display_name(ahead.path)} continues",
                    _SAME_ORDER,
                )
            odd = _match(*mates)
            if odd is not None:
                raise _mismatch(first, second, odd, way)
            if reads is not None:
                yield reads, Mates(number, behind.mate, behind.n_reads - reads.n_reads)


def _match(mates_1: _Mates, mates_2: _Mates) -> int | None:
    """Compare the names that both files have come to; index of the first record whose names differ."""
    n_common = min(len(mates_1.unmatched), len(mates_2.unmatched))
    i = _first_difference(mates_1.unmatched[:n_common], mates_2.unmatched[:n_common])
    if i is not None:
        return mates_1.n_reads - len(mates_1.unmatched) + i
    for mates in (mates_1, mates_2):
        mates.unmatched = mates.unmatched[n_common:]
    return None


def _first_difference(names_1: NDArray[np.uint64], names_2: NDArray[np.uint64]) -> int | None:
    """Index of the first couple whose names differ; an empty name (hash 0) goes with any."""
    differ = names_1 != names_2
    if not differ.any():  # as nearly always
        return None
    differ &= (names_1 != 0) & (names_2 != 0)
    return int(differ.argmax()) if differ.any() else None


def _mismatch(first: str, second: str, record: int, way: Way) -> FormatError:
    names = [_find_name(path, record, way) for path in (first, second)]
    where = f"{display_name(first)} and {display_name(second)}: record {record + 1:,}"
    return FormatError(f"{where}: the names of the mates differ{_quoted(*names)}", _SAME_ORDER)


def _quoted(name_1: str | None, name_2: str | None) -> str:
    return "" if name_1 is None or name_2 is None else f": {shorten(name_1)} and {shorten(name_2)}"


def _find_name(path: str, record: int, way: Way) -> str | None:
    """Read a file once more up to a record; None where that is not possible."""
    if not os.path.isfile(path):
        return None
    n_before = 0
    with closing(way.records(path)) as records:
        for reads in records:
            if record < n_before + reads.n_reads:
                return reads.name(record - n_before)
            n_before += reads.n_reads
    return None


def read_interleaved(path: str, number: int, way: Way) -> Iterator[Text]:
    """Read a paired input of one file in which first and second mates take turns."""
    n_before = 0
    last = np.empty(0, np.uint64)  # the name of a first mate whose second one is in the next batch
    last_name = ""
    with closing(way.records(path)) as records:
        for reads in records:
            names = np.concatenate([last, reads.names])
            n_carried, n_paired = len(last), len(names) // 2 * 2
            if not n_before:
                warn_of_turns(path, reads.header(0))
            i = _first_difference(names[0:n_paired:2], names[1:n_paired:2])
            if i is not None:
                second = 2 * i + 1 - n_carried
                couple = (reads.name(second - 1) if second else last_name, reads.name(second))
                raise FormatError(
                    f"{display_name(path)}: records {n_before + second:,} and {n_before + second + 1:,}: "
                    f"the names of the mates differ{_quoted(*couple)}",
                    "give a file in which first and second mates take turns, or name it with -s",
                )
            last = names[n_paired:]
            last_name = reads.name(reads.n_reads - 1) if reads.n_reads else last_name
            n_before += reads.n_reads
            yield reads, Mates(number, TURNS, n_before - reads.n_reads)
    if len(last):
        raise FormatError(
            f"{display_name(path)}: {n_before:,} records, an odd number, cannot be pairs",
            "give a file of whole pairs, or name it with -s",
        )
