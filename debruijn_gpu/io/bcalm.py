"""Unitigs as FASTA with their links in the headers, as BCALM 2 writes and other unitig tools read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.contigs.contigs import Contigs
from debruijn_gpu.io.gfa import sorted_links, with_circles
from debruijn_gpu.io.sequences import sequences, write_joined


def write_bcalm(stream: BinaryIO, unitigs: Contigs) -> None:
    """Write ``>0 LN:i:45 KC:i:120 km:f:8.0   L:+:12:- L:-:3:+`` and so on, numbered from 0.

    A link stands in the headers of both its ends: ``L:+:12:-`` goes from the end of this unitig to unitig 12
    reversed, ``L:-:3:+`` from the start of this one, reversed, to unitig 3. These headers name no overlap, it
    is always k - 1: so a circular unitig must repeat its first k - 1 bases at its end.
    """
    write_joined(stream, _records(unitigs))


def _records(unitigs: Contigs) -> Iterator[bytes]:
    links = links_from_both_ends(unitigs)
    bounds = np.searchsorted(links[:, 0], 2 * np.arange(len(unitigs) + 1)).tolist()
    texts = [b" L:%c:%d:%c" % (b"+-"[a % 2], b // 2, b"+-"[b % 2]) for a, b in links.tolist()]
    columns = zip(
        sequences(unitigs),
        unitigs.lengths.tolist(),
        unitigs.kmer_counts.tolist(),
        unitigs.kmer_depth.tolist(),
        strict=True,
    )
    for i, (sequence, length, kmer_count, kmer_depth) in enumerate(columns):
        own = b"".join(texts[bounds[i] : bounds[i + 1]])
        yield b">%d LN:i:%d KC:i:%d km:f:%.1f  %s\n%s\n" % (i, length, kmer_count, kmer_depth, own, sequence)


def links_from_both_ends(contigs: Contigs) -> NDArray[np.int64]:
    """Every link and its mirror (one and the same for a link from a contig to its own reverse), sorted.

    Returns
    -------
    ndarray, dtype=int64, shape=(n, 2)
        Coded as `Contigs.links`.
    """
    links = with_circles(contigs)
    mirrors = links[:, ::-1] ^ 1
    return sorted_links(np.concatenate([links, mirrors]), len(contigs))
