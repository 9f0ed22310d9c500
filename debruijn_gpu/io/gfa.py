"""Contigs and their links as GFA 1.0, as Bandage and gfatools read it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.contigs.contigs import Contigs
from debruijn_gpu.io.sequences import sequences, write_joined


def write_gfa(stream: BinaryIO, contigs: Contigs, circular_overlap_bp: int, n_paths: int = 0) -> None:
    """Write segments 1..n with length, depth and k-mer count, their links, and paths.

    Parameters
    ----------
    stream : BinaryIO
        Where to write.
    contigs : Contigs
        The segments. Each of their links is written once, with an overlap of k - 1.
    circular_overlap_bp : int
        By how much the end of a circular segment repeats its start: k - 1 in unitigs as they are spelled, 0
        in circles that were cut. Every circular segment is linked to itself.
    n_paths : int
        Number of paths ``contig_1``, ``contig_2``, ...: the contigs that are in ``contigs.fasta`` too. As
        contigs are ordered by length, these are the first segments.
    """
    header = iter([b"H\tVN:Z:1.0\n"])
    paths = (b"P\tcontig_%d\t%d+\t*\n" % (number, number) for number in range(1, n_paths + 1))
    write_joined(stream, chain(header, _segments(contigs), _links(contigs, circular_overlap_bp), paths))


def _segments(contigs: Contigs) -> Iterator[bytes]:
    columns = zip(
        sequences(contigs),
        contigs.lengths.tolist(),
        contigs.kmer_depth.tolist(),
        contigs.kmer_counts.tolist(),
        strict=True,
    )
    for number, (sequence, length, depth, kmer_count) in enumerate(columns, 1):
        yield b"S\t%d\t%s\tLN:i:%d\tDP:f:%.2f\tKC:i:%d\n" % (number, sequence, length, depth, kmer_count)


def _links(contigs: Contigs, circular_overlap_bp: int) -> Iterator[bytes]:
    links = with_circles(contigs)
    is_circle = (links[:, 0] == links[:, 1]) & contigs.circular[links[:, 0] // 2]
    overlaps = np.where(is_circle, circular_overlap_bp, contigs.k - 1)
    for (a, b), overlap in zip(links.tolist(), overlaps.tolist(), strict=True):
        yield b"L\t%d\t%c\t%d\t%c\t%dM\n" % (a // 2 + 1, b"+-"[a % 2], b // 2 + 1, b"+-"[b % 2], overlap)


def with_circles(contigs: Contigs) -> NDArray[np.int64]:
    """All links, those of circular contigs to themselves included, each once; sorted.

    Returns
    -------
    ndarray, dtype=int64, shape=(n_links, 2)
        Coded as `Contigs.links`.
    """
    circles = 2 * np.flatnonzero(contigs.circular)
    return sorted_links(np.concatenate([contigs.links, np.column_stack([circles, circles])]), len(contigs))


def sorted_links(links: NDArray[np.int64], n_contigs: int) -> NDArray[np.int64]:
    """Links sorted, each once; as one number each, which sorts far quicker than rows."""
    n_ends = max(2 * n_contigs, 1)
    return np.column_stack(np.divmod(np.unique(links[:, 0] * n_ends + links[:, 1]), n_ends))
