"""Screen the reads of files, in an order that does not depend on blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.io.fastx.reads import Text, batch_of
from debruijn_gpu.io.screening.screened import EditCounts, ScreenedText, screened_text
from debruijn_gpu.io.screening.writing import ScreenWriter, WrittenCounts
from debruijn_gpu.run import log
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.screening.options import ScreenOptions
from debruijn_gpu.screening.screener import FoundMatches, MatchedReads, Screener

Longs = NDArray[np.int64]


@dataclass
class ScreenCounts:
    """Totals of a screen.

    Attributes
    ----------
    n_reads, n_bases, n_kmers : int
        Of all reads; k-mers without ambiguous bases.
    n_matched_kmers : int
        That are in any reference.
    n_matched_bases : int
        Of the reads that match.
    n_reads_without_kmers : int
        Reads that are shorter than k, or ambiguous throughout.
    edited : EditCounts
    references : ndarray, dtype=int64, shape=(3, n_references)
        Reads that match each reference, their bases, and k-mers in it.
    written : WrittenCounts
    """

    references: Longs
    n_reads: int = 0
    n_bases: int = 0
    n_kmers: int = 0
    n_matched_kmers: int = 0
    n_matched_bases: int = 0
    n_reads_without_kmers: int = 0
    edited: EditCounts = field(default_factory=EditCounts)
    written: WrittenCounts = field(default_factory=WrittenCounts)

    def add(self, matched: MatchedReads, edited: EditCounts) -> None:
        """Add the reads of a text."""
        tally, lengths = matched.tally, np.diff(matched.offsets)
        self.n_reads += len(lengths)
        self.n_bases += int(matched.offsets[-1])
        self.n_kmers += int(tally.n_kmers.sum())
        self.n_matched_kmers += int(tally.n_matched.sum())
        self.n_matched_bases += int(lengths[matched.is_matched].sum())
        self.n_reads_without_kmers += int(np.count_nonzero(tally.n_kmers == 0))
        self.edited += edited
        self.references += np.stack([tally.reference_reads, tally.reference_bases, tally.reference_kmers])


def screen_reads(
    texts: Iterator[Text],
    screener: Screener,
    options: ScreenOptions,
    writer: ScreenWriter,
    threads: int,
    is_sequential: bool,
) -> ScreenCounts:
    """Screen reads, and write those that are kept.

    Parameters
    ----------
    texts : iterator of Text
        From `read_texts`, with whole records.
    screener : Screener
    options : ScreenOptions
    writer : ScreenWriter
    threads : int
        Texts that are worked on at the same time.
    is_sequential : bool
        Whether these threads find the matches, too: see `CoreOperations`.
    """

    def batch(text: Text) -> ReadBatch:
        return batch_of(*text)

    def finish(item: tuple[Text, FoundMatches | None]) -> ScreenedText:
        text, found = item
        matched = screener.judge(screener.find(batch(text)) if found is None else found)
        return screened_text(*text, matched, screener.k, options)

    counts = ScreenCounts(np.zeros((3, screener.n_references), np.int64))
    items: Iterator[tuple[Text, FoundMatches | None]] = (
        ((text, None) for text in texts) if is_sequential else screener.find_each(texts, batch)
    )
    with log.stage("screen reads", unit="reads") as stage, closing(ordered_map(finish, items, threads)) as screened:
        for one in screened:
            counts.add(one.matched, one.edited)
            stage.items = counts.n_reads
            with log.cpu_time("write"):
                writer.add(one)
    counts.written = writer.counts
    return counts
