"""Table of contigs (``contigs.tsv``): one row per contig, longest first."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.scaffolds import ContigPaths, paths_of_segments
from debruijn_gpu.backends.text.containers import Field, NumberField
from debruijn_gpu.io.fastx.record_text import choice_field
from debruijn_gpu.io.fastx.writing import write_contigs

COLUMNS = (
    "name",
    "length",
    "gc_percent",
    "kmer_depth",
    "read_depth",
    "copy_number",
    "circular",
    "links",
    "dead_ends",
)
#: Stands for what is not known.
NOT_KNOWN = b"-"


def single_copy_depth(contigs: Contigs) -> float | None:
    """Compute the k-mer depth that half of the k-mers of contigs lie below, by whole contigs; None without contigs.

    This median is that of single-copy sequence as long as most of the sequence is: plasmids and collapsed repeats are
    deep but short. Of several organisms, it is that of the one with half of the sequence.
    """
    if not contigs.n_kmers.any():
        return None
    order = np.argsort(contigs.kmer_depth, kind="stable")
    sums = np.cumsum(contigs.n_kmers[order])
    return float(contigs.kmer_depth[order[np.searchsorted(2 * sums, sums[-1])]])


def write_contig_table(
    stream: BinaryIO,
    reported: Contigs,
    all_links: NDArray[np.int64] | None,
    bases_per_kmer: float,
    paths: ContigPaths | None = None,
) -> None:
    """Write a row for each contig, below a header.

    Parameters
    ----------
    stream : BinaryIO
    reported : Contigs
        The longest ones.
    all_links : ndarray, dtype=int64, shape=(n_links, 2), or None
        Links of the whole graph, as in `Contigs`; None if contigs are neither its segments nor walks over them.
    bases_per_kmer : float
        Read bases per counted k-mer, by which k-mer depth becomes read depth.
    paths : ContigPaths or None
        Walks of the contigs over the segments of the graph; None if they are its first segments.
    """
    single_copy = single_copy_depth(reported)
    gc_counts = reported.compositions.gc_counts
    gc_percent = 100 * gc_counts / np.maximum(reported.lengths, 1)
    links, dead = _ends(reported, all_links, paths)

    def fields(start: int, stop: int) -> list[Field]:
        some = slice(start, stop)
        depth = reported.kmer_depth[some]
        return [
            b"contig_",
            NumberField(np.arange(start + 1, stop + 1)),
            b"\t",
            NumberField(reported.lengths[some]),
            b"\t",
            NumberField(gc_percent[some], 2),
            b"\t",
            NumberField(depth, 2),
            b"\t",
            NumberField(bases_per_kmer * depth, 2),
            b"\t",
            NumberField(depth / single_copy, 2) if single_copy else NOT_KNOWN,
            choice_field((b"\tno\t", b"\tyes\t"), reported.circular[some].astype(np.int64)),
            NOT_KNOWN if links is None else NumberField(links[some]),
            b"\t",
            NOT_KNOWN if dead is None else NumberField(dead[some]),
            b"\n",
        ]

    stream.write("\t".join(COLUMNS).encode() + b"\n")
    write_contigs(stream, reported, fields)


def read_contig_rows(path: Path, most: int) -> dict[str, dict[str, str]]:
    """Read the first rows of a table by name: text by column; empty if there is no such file or table."""
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", errors="replace") as stream:
        lines = [line.rstrip("\r\n").split("\t") for line in islice(stream, most + 1)]
    if not lines or lines[0][:1] != [COLUMNS[0]]:
        return {}
    return {row[0]: dict(zip(lines[0], row, strict=False)) for row in lines[1:]}


def _ends(
    reported: Contigs, all_links: NDArray[np.int64] | None, paths: ContigPaths | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | tuple[None, None]:
    """Count the links of each contig, and its ends without one; a circular contig has neither."""
    if all_links is None:
        return None, None
    walks = paths_of_segments(len(reported)) if paths is None else paths.first(len(reported))
    last = max(int(all_links.max(initial=0)), int(walks.steps.max(initial=0)))
    at_ends = walks.links_at_ends(all_links, last // 2 + 1)
    links, dead = at_ends.sum(axis=1), np.count_nonzero(at_ends == 0, axis=1)
    return np.where(reported.circular, 0, links), np.where(reported.circular, 0, dead)
