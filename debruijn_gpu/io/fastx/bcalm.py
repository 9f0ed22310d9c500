"""Unitigs as FASTA with their links in the headers, as BCALM 2 writes and other unitig tools read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.links import reverse_complements_of, sorted_links
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.io.fastx.record_text import choice_field, format_records
from debruijn_gpu.io.fastx.writing import write_contigs
from debruijn_gpu.io.gfa.contigs import with_circular_links


def write_bcalm(
    stream: BinaryIO, unitigs: Contigs, first: int = 0, tags: Callable[[int, int], Field] | None = None
) -> None:
    """Write ``>0 LN:i:45 KC:i:120 km:f:8.0   L:+:12:- L:-:3:+`` and so on, numbered from ``first``.

    A link stands in the headers of both its ends: ``L:+:12:-`` goes from the end of this unitig to unitig 12
    reversed, ``L:-:3:+`` from the start of this one, reversed, to unitig 3. These headers name no overlap, it
    is always k - 1: so a circular unitig must repeat its first k - 1 bases at its end. ``tags`` gives further fields of
    unitigs start..stop, which begin with a blank.
    """
    links = links_from_both_ends(unitigs)
    bounds = np.searchsorted(links[:, 0], 2 * np.arange(len(unitigs) + 1))
    lengths, kmer_depth = unitigs.lengths, unitigs.kmer_depth

    def fields(start: int, stop: int) -> list[Field]:
        return [
            b">",
            NumberField(np.arange(first + start, first + stop)),
            b" LN:i:",
            NumberField(lengths[start:stop]),
            b" KC:i:",
            NumberField(unitigs.kmer_counts[start:stop]),
            b" km:f:",
            NumberField(kmer_depth[start:stop], 1),
            b"" if tags is None else tags(start, stop),
            b"  ",
            _link_lists(links[bounds[start] : bounds[stop]], bounds[start : stop + 1] - bounds[start], first),
            b"\n",
            TextField(unitigs.text, unitigs.offsets[start : stop + 1]),
            b"\n",
        ]

    write_contigs(stream, unitigs, fields)


def _link_lists(links: NDArray[np.int64], bounds: NDArray[np.int64], first: int) -> TextField:
    """The links of each unitig, numbered from ``first``; those of unitig i are ``bounds[i]`` to ``bounds[i + 1]``."""
    fields: list[Field] = [
        choice_field((b" L:+:", b" L:-:"), links[:, 0] & 1),
        NumberField((links[:, 1] >> 1) + first),
        choice_field((b":+", b":-"), links[:, 1] & 1),
    ]
    offsets, text = format_records(fields)
    return TextField(text, offsets[bounds])


def links_from_both_ends(contigs: Contigs) -> NDArray[np.int64]:
    """Return every link and its reverse complement, sorted; a link from a contig to its own reverse comes once.

    Returns
    -------
    ndarray, dtype=int64, shape=(n, 2)
        Coded as `Contigs.links`.
    """
    links = with_circular_links(contigs)
    return sorted_links(np.concatenate([links, reverse_complements_of(links)]), len(contigs))
