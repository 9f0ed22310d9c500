"""Depths of contigs: measured by mapping reads, or read from tables of other programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.reads import Text, batch_of
from debruijn_gpu.io.lines import numbered_lines
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.mapping.mapper import MapCounts, MappedReads, Mapper
from debruijn_gpu.run import log
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.plain_text import shorten

Floats = NDArray[np.float64]

#: Columns that jgi_summarize_bam_contig_depths (MetaBAT 2) writes before the depths, and the end of those of variances
_JGI_COLUMNS = [b"contigname", b"contiglen", b"totalavgdepth"]
_JGI_VARIANCE = b"-var"
_MOST_DEPTH = float(1 << 40)


def measure_depths(
    texts: Iterable[Text], mapper: Mapper, lengths: NDArray[np.int64], threads: int
) -> tuple[Floats, MapCounts]:
    """Map reads to contigs, and compute the read depth of each: aligned bases per base.

    Parameters
    ----------
    texts : iterable of Text
    mapper : Mapper
        Of contigs without links.
    lengths : ndarray, dtype=int64, shape=(n,)
    threads : int
        Batches that are mapped at the same time.

    Returns
    -------
    depths : ndarray, dtype=float64, shape=(n,)
    counts : MapCounts
    """
    n_aligned, counts = np.zeros(len(lengths), np.int64), MapCounts()

    def work(text: Text) -> MappedReads:
        return mapper.align(batch_of(*text))

    with log.stage("map reads", unit="reads") as stage, closing(ordered_map(work, texts, threads)) as done:
        for mapped in done:
            counts += mapped.counts
            stage.items = counts.n_reads
            found, placed = mapped.alignments, np.flatnonzero(mapped.is_placed)
            contigs = found.steps[found.step_offsets[placed]] >> 1
            np.add.at(n_aligned, contigs, (found.read_ends - found.read_starts)[placed])
    return n_aligned / np.maximum(lengths, 1), counts


def read_depth_table(path: str, names: Sequence[str], is_needed: NDArray[np.bool_]) -> Floats:
    """Read depths of contigs from a table: names in the first column, a sample in each other one.

    Tables of jgi_summarize_bam_contig_depths are recognized by their header: length, total and variances are left out.
    The first line of other tables is a header if its second column is no number. Contigs that are not asked for are
    skipped.

    Parameters
    ----------
    path : str
    names : sequence of str
    is_needed : ndarray, dtype=bool, shape=(n,)
        Contigs that the table must have; others are 0 where they are missing.

    Returns
    -------
    ndarray, dtype=float64, shape=(n, n_samples)

    Raises
    ------
    FormatError
        For a table without depths, a line with another number of columns, a word that is no depth, a contig that is
        there twice, or one that is missing.
    """
    source = display_name(path)
    places = {name.encode(errors="surrogateescape"): i for i, name in enumerate(names)}
    depths: Floats | None = None
    is_there = np.zeros(len(names), np.bool_)
    columns, n_words = list[int](), 0
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        words = line.rstrip(b"\r\n").split(b"\t")
        if depths is None:
            columns, has_header = _depth_columns(source, number, words)
            n_words, depths = len(words), np.zeros((len(names), len(columns)), np.float64)
            if has_header:
                continue
        if len(words) != n_words:
            raise FormatError(
                f"{source}:{number}: expected {n_words} columns, got {len(words)}", "separate columns by tabs"
            )
        place = places.get(words[0])
        if place is None:
            continue
        if is_there[place]:
            raise FormatError(
                f"{source}:{number}: contig {shorten(words[0])} is there twice", "remove one of the lines"
            )
        is_there[place] = True
        depths[place] = [_depth(source, number, words[column]) for column in columns]
    missing = np.flatnonzero(is_needed & ~is_there)
    if len(missing) or depths is None:
        what = f"no depth of contig {shorten(names[missing[0]])}" if len(missing) else "no depths"
        raise FormatError(f"{source}: {what}", "give a table of all contigs, with the names of the FASTA file")
    return depths


def _depth_columns(source: str, number: int, words: list[bytes]) -> tuple[list[int], bool]:
    """Return the columns that hold depths, and whether the first line is a header."""
    if len(words) < 2:
        raise FormatError(
            f"{source}:{number}: expected contig and depth, separated by a tab, got one column",
            "give a table such as jgi_summarize_bam_contig_depths writes",
        )
    if [word.lower() for word in words[:3]] == _JGI_COLUMNS:
        columns = [i for i, word in enumerate(words) if i >= 3 and not word.lower().endswith(_JGI_VARIANCE)]
        return columns or [2], True
    return list(range(1, len(words))), _number(words[1]) is None


def _number(word: bytes) -> float | None:
    try:
        return float(word) if b"_" not in word else None
    except ValueError:
        return None


def _depth(source: str, number: int, word: bytes) -> float:
    depth = _number(word)
    if depth is None or not 0 <= depth <= _MOST_DEPTH or not math.isfinite(depth):
        raise FormatError(
            f"{source}:{number}: expected a depth of 0 or more, got {shorten(word)}", "give numbers such as 12.5"
        )
    return depth
