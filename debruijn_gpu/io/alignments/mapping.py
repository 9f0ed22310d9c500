"""Map the reads of files and write their alignments, in an order that does not depend on blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import TURNS, Mates
from debruijn_gpu.io.alignments.lines import AlignmentLines, Lines, interleaved
from debruijn_gpu.io.fastx.reads import Text, batch_of
from debruijn_gpu.io.fastx.records import TextReads
from debruijn_gpu.mapping.mapper import MapCounts, Mapper
from debruijn_gpu.run import log
from debruijn_gpu.run.parallel import ordered_map


@dataclass(frozen=True)
class _Batch:
    """Reads of some text, their mates, and the number of reads before them."""

    reads: TextReads
    mates: Mates | None
    n_before: int


def write_alignments(
    stream: BinaryIO, texts: Iterable[Text], mapper: Mapper, lines: AlignmentLines, threads: int
) -> MapCounts:
    """Map reads, and write one line for each that is placed.

    Lines are in the order of the reads; those of mates in two files alternate.

    Parameters
    ----------
    stream : BinaryIO
    texts : iterable of Text
    mapper : Mapper
    lines : AlignmentLines
    threads : int
        Batches that are mapped at the same time.
    """

    def work(batch: _Batch) -> tuple[Mates | None, Lines, MapCounts]:
        mapped = mapper.align(batch_of(batch.reads, batch.mates))
        return batch.mates, lines.format(batch.reads, batch.n_before, mapped), mapped.counts

    counts = MapCounts()
    pairs: _PairLines | None = None
    with log.stage("map reads", unit="reads") as stage, closing(ordered_map(work, _numbered(texts), threads)) as done:
        for mates, found, n in done:
            counts += n
            stage.items = counts.n_reads
            if mates is None or mates.mate == TURNS:
                stream.write(found[1].data)
                continue
            if pairs is None or pairs.number != mates.number:
                pairs = _PairLines(mates.number)
            stream.write(pairs.add(mates.mate, found).data)
    return counts


def _numbered(texts: Iterable[Text]) -> Iterator[_Batch]:
    """Count the reads before each text: of the same file, or of all files without mates."""
    n_single = 0
    for reads, mates in texts:
        yield _Batch(reads, mates, n_single if mates is None else mates.first)
        n_single += reads.n_reads if mates is None else 0


class _PairLines:
    """Lines of two files of mates; those of one file wait for those of the other."""

    def __init__(self, number: int) -> None:
        self.number = number
        none = np.zeros(1, np.int64), np.empty(0, np.uint8)
        self._waiting: list[Lines] = [none, none]

    def add(self, mate: int, found: Lines) -> NDArray[np.uint8]:
        """Add lines of one mate; return the lines of pairs that are complete now."""
        offsets, text = self._waiting[mate]
        self._waiting[mate] = (
            np.concatenate([offsets, offsets[-1] + found[0][1:]]),
            np.concatenate([text, found[1]]),
        )
        first, second = self._waiting
        n = min(len(first[0]), len(second[0])) - 1
        merged = interleaved(first, second, n)
        self._waiting = [(offsets[n:] - offsets[n], text[offsets[n] :]) for offsets, text in self._waiting]
        return merged
