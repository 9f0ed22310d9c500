"""Contigs and their links as GFA 1.0, as Bandage and gfatools read it."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.links import sorted_links
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.io.fastx.contigs import choice_field, write_contigs, write_records


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
    stream.write(b"H\tVN:Z:1.0\n")
    _write_segments(stream, contigs)
    _write_links(stream, contigs, circular_overlap_bp)
    _write_paths(stream, n_paths)


def _write_segments(stream: BinaryIO, contigs: Contigs) -> None:
    lengths, kmer_depth = contigs.lengths, contigs.kmer_depth

    def fields(start: int, stop: int) -> list[Field]:
        return [
            b"S\t",
            NumberField(np.arange(start + 1, stop + 1)),
            b"\t",
            TextField(contigs.text, contigs.offsets[start : stop + 1]),
            b"\tLN:i:",
            NumberField(lengths[start:stop]),
            b"\tDP:f:",
            NumberField(kmer_depth[start:stop], 2),
            b"\tKC:i:",
            NumberField(contigs.kmer_counts[start:stop]),
            b"\n",
        ]

    write_contigs(stream, contigs, fields)


def _write_links(stream: BinaryIO, contigs: Contigs, circular_overlap_bp: int) -> None:
    links = with_circles(contigs)
    overlaps = [b"\t%s\t%dM\n" % (sign, bp) for bp in (contigs.k - 1, circular_overlap_bp) for sign in (b"+", b"-")]

    def fields(start: int, stop: int) -> list[Field]:
        tails, heads = links[start:stop, 0], links[start:stop, 1]
        is_circle = (tails == heads) & contigs.circular[tails >> 1]
        return [
            b"L\t",
            NumberField((tails >> 1) + 1),
            choice_field((b"\t+\t", b"\t-\t"), tails & 1),
            NumberField((heads >> 1) + 1),
            choice_field(overlaps, 2 * is_circle + (heads & 1)),
        ]

    write_records(stream, len(links), fields)


def _write_paths(stream: BinaryIO, n_paths: int) -> None:
    def fields(start: int, stop: int) -> list[Field]:
        number = NumberField(np.arange(start + 1, stop + 1))
        return [b"P\tcontig_", number, b"\t", number, b"+\t*\n"]

    write_records(stream, n_paths, fields)


def with_circles(contigs: Contigs) -> NDArray[np.int64]:
    """All links, those of circular contigs to themselves included, each once; sorted.

    Returns
    -------
    ndarray, dtype=int64, shape=(n_links, 2)
        Coded as `Contigs.links`.
    """
    circles = 2 * np.flatnonzero(contigs.circular)
    return sorted_links(np.concatenate([contigs.links, np.column_stack([circles, circles])]), len(contigs))
