"""Write contigs as GFA 1.0, or 1.2 with gaps, and read segments and links of GFA 1 as contigs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.links import Links, canonical_links, sorted_links
from debruijn_gpu.assembly.scaffolds import ContigPaths, Scaffolds, paths_of_segments
from debruijn_gpu.backends.text.containers import Field, NumberField, TextField
from debruijn_gpu.io.fastx.record_text import choice_field
from debruijn_gpu.io.fastx.writing import as_printed, contig_blocks
from debruijn_gpu.io.gfa.files import (
    LinkColumns,
    PathColumns,
    SegmentColumns,
    number_lines,
    read_records,
    write_records,
)
from debruijn_gpu.io.gfa.paths import contig_path_blocks, scaffold_walks
from debruijn_gpu.io.gfa.segments import UNKNOWN, Segment
from debruijn_gpu.io.lines import read_lines
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.io.reading_again import longest_segment
from debruijn_gpu.run.tuning import tuning

_IN_NAME = re.compile(rb"_cov_([0-9]{1,18}(?:\.[0-9]+)?)(?:_|$)")  # of Velvet, SPAdes and MEGAHIT
_OVERLAP = re.compile(rb"([0-9]+)M")
_MOST = 1 << 62  # that a count may be; a larger one is ignored


def write_gfa(
    stream: BinaryIO,
    contigs: Contigs,
    circular_overlap_bp: int,
    n_paths: int = 0,
    paths: ContigPaths | None = None,
    scaffolds: Scaffolds | None = None,
    tags: Callable[[int, int], Field] | None = None,
) -> None:
    """Write contigs as segments 1..n with length, depth and k-mer count, their links, and paths.

    Parameters
    ----------
    stream : BinaryIO
    contigs : Contigs
        The segments. Each of their links is written once, with an overlap of k - 1.
    circular_overlap_bp : int
        Number of bases at the end of a circular segment that repeat its start: k - 1 in unitigs as they are spelled,
        0 in circular contigs. Every circular segment is linked to itself.
    n_paths : int
        Number of paths ``contig_1``, ``contig_2``, ...: the contigs that are in ``contigs.fasta`` too.
    paths : ContigPaths or None
        Walks of these contigs, and maybe more, over the segments; None if they are the first segments themselves.
    scaffolds : Scaffolds or None
        Of these contigs. Each gap is a jump (GFA 1.2), and each scaffold with gaps a path ``scaffold_<number>``.
    tags : callable, optional
        Gives further tags of segments start..stop, which begin with a tab.
    """
    blocks = _segment_blocks(contigs, tags), _link_blocks(contigs, circular_overlap_bp)
    contig_paths = _path_blocks(n_paths) if paths is None else contig_path_blocks(paths.first(n_paths))
    if scaffolds is None or not scaffolds.is_gap.any():
        write_records(stream, *blocks, contig_paths)
        return
    walks = scaffold_walks(scaffolds, paths_of_segments(n_paths) if paths is None else paths)
    write_records(stream, *blocks, chain(contig_paths, walks.path_blocks()), walks.jump_blocks())


def _segment_blocks(contigs: Contigs, tags: Callable[[int, int], Field] | None) -> Iterator[SegmentColumns]:
    lengths, kmer_depth = contigs.lengths, contigs.kmer_depth
    for start, stop in contig_blocks(contigs):
        yield SegmentColumns(
            names=NumberField(np.arange(start + 1, stop + 1)),
            sequences=TextField(contigs.text, contigs.offsets[start : stop + 1]),
            tags=(
                b"\tLN:i:",
                NumberField(lengths[start:stop]),
                b"\tDP:f:",
                NumberField(kmer_depth[start:stop], 2),
                b"\tKC:i:",
                NumberField(contigs.kmer_counts[start:stop]),
                b"" if tags is None else tags(start, stop),
            ),
        )


def _link_blocks(contigs: Contigs, circular_overlap_bp: int) -> Iterator[LinkColumns]:
    links = with_circular_links(contigs)
    overlaps = [b"%dM" % bp for bp in (contigs.k - 1, circular_overlap_bp)]
    for start in range(0, len(links), tuning().block_records):
        tails, heads = links[start : start + tuning().block_records].T
        is_circular = (tails == heads) & contigs.circular[tails >> 1]
        yield LinkColumns(
            tails=NumberField((tails >> 1) + 1),
            tail_signs=tails & 1,
            heads=NumberField((heads >> 1) + 1),
            head_signs=heads & 1,
            overlaps=choice_field(overlaps, is_circular.astype(np.int64)),
        )


def _path_blocks(n_paths: int) -> Iterator[PathColumns]:
    for start in range(0, n_paths, tuning().block_records):
        numbers = NumberField(np.arange(start + 1, min(n_paths, start + tuning().block_records) + 1))
        yield PathColumns(names=(b"contig_", numbers), steps=(numbers, b"+"))


def with_circular_links(contigs: Contigs) -> NDArray[np.int64]:
    """Collect all links, each once and sorted, with those of circular contigs to themselves.

    Returns
    -------
    ndarray, dtype=int64, shape=(n_links, 2)
        Coded as `Contigs.links`.
    """
    circles = 2 * np.flatnonzero(contigs.circular)
    return sorted_links(np.concatenate([contigs.links, np.column_stack([circles, circles])]), len(contigs))


@dataclass(frozen=True)
class NamedContigs:
    """The segments of a graph in the order of the file, with their names and depths.

    Where the file gives depths, those of ``contigs`` are of whole numbers of k-mers, which for short segments is less
    exact.

    Attributes
    ----------
    contigs : Contigs
        Without text where the file gives no sequence.
    names : list of str
    lengths : ndarray, dtype=int64, shape=(n,)
        In bases, by the sequence or tag ``LN``; 0 if unknown.
    depths : ndarray, dtype=float64, shape=(n,)
    """

    contigs: Contigs
    names: list[str]
    lengths: NDArray[np.int64]
    depths: NDArray[np.float64]


def read_gfa_contigs(path: str, needs_sequences: bool = True) -> NamedContigs:
    """Read segments (sequence, and depth from tags such as ``DP`` or ``KC``, or the name) and links of GFA 1.

    Parameters
    ----------
    path : str
    needs_sequences : bool
        Whether a segment without a sequence (``*``) is an error; else only its length by tag ``LN`` is used.

    Raises
    ------
    FormatError
        With file and line.
    """
    lines = number_lines(read_lines(path, longest_segment()))
    records = read_records(display_name(path), lines, needs_sequences=needs_sequences)
    segments = records.segments
    sequences = [b"" if segment.sequence == UNKNOWN else segment.sequence for segment in segments]
    return _named(
        names=[segment.name.decode("utf-8", "replace") for segment in segments],
        text=np.frombuffer(b"".join(sequences).upper(), np.uint8),
        offsets=np.cumsum([0, *map(len, sequences)], dtype=np.int64),
        lengths=np.array([segment.length or 0 for segment in segments], np.int64),
        depths=np.array([_depth(segment) for segment in segments], np.float64),
        kmer_counts=np.array([segment.kmer_count or 0 for segment in segments], np.int64),
        k=_k(Counter(records.links.overlaps)),
        links=records.links.pairs(),
    )


def named_contigs(contigs: Contigs) -> NamedContigs:
    """Name contigs as `read_gfa_contigs` does after `write_gfa` with a ``circular_overlap_bp`` of 0."""
    links = with_circular_links(contigs)
    is_circular = (links[:, 0] == links[:, 1]) & contigs.circular[links[:, 0] >> 1]
    return _named(
        names=[str(number) for number in range(1, len(contigs) + 1)],
        text=contigs.text,
        offsets=contigs.offsets,
        lengths=contigs.lengths,
        depths=as_printed(contigs.kmer_depth, 2),
        kmer_counts=contigs.kmer_counts,
        k=1 if is_circular.all() else contigs.k,
        links=links,
    )


def _named(
    names: list[str],
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    depths: NDArray[np.float64],
    kmer_counts: NDArray[np.int64],
    k: int,
    links: Links,
) -> NamedContigs:
    """Segments as a file has them: depths are NaN where it gives none, and circles are links."""
    circular, others = _circular_contigs(links, len(names))
    n_kmers = np.where(circular, np.maximum(lengths, 1), np.maximum(lengths - k + 1, 1))
    contigs = Contigs(
        k=k,
        text=text,
        offsets=offsets,
        kmer_counts=_counts(depths, kmer_counts, n_kmers),
        n_kmers=n_kmers,
        circular=circular,
        links=others,
    )
    return NamedContigs(contigs, names, lengths, np.where(np.isnan(depths), contigs.kmer_depth, depths))


def _depth(segment: Segment) -> float:
    """The depth of a segment by its tags, or else its name; NaN if unknown or too large to count with."""
    depth = segment.depth
    if depth is None and segment.kmer_count is None and (found := _IN_NAME.search(segment.name)):
        depth = float(found[1])
    return depth if depth is not None and depth < _MOST else math.nan


def _counts(
    depths: NDArray[np.float64], kmer_counts: NDArray[np.int64], n_kmers: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Occurrences of segments' k-mers: by their depths, which programs agree on more than on how they count."""
    products = depths * n_kmers
    by_depth = np.rint(np.where(products < _MOST, products, 0)).astype(np.int64)
    return np.where(np.isnan(depths), kmer_counts, by_depth)


def _circular_contigs(links: Links, n: int) -> tuple[NDArray[np.bool_], Links]:
    """Find circular segments (bool, n), whose end links to their own start alone, and the other links, each once."""
    distinct = canonical_links(links, n)
    segments = distinct >> 1
    to_itself = distinct[:, 0] == distinct[:, 1]
    circular = np.zeros(n, np.bool_)
    circular[segments[to_itself, 0]] = True
    circular &= np.bincount(segments.ravel(), minlength=n) == 2
    return circular, distinct[~(to_itself & circular[segments[:, 0]])]


def _k(overlaps: Counter[bytes]) -> int:
    """One more than the commonest overlap; 1 where segments do not overlap, or overlaps are unknown."""
    longest = Counter[int]()
    for overlap, n in overlaps.items():
        if (found := _OVERLAP.fullmatch(overlap)) and int(found[1]):
            longest[int(found[1])] += n
    return 1 + max(longest, key=lambda length: (longest[length], length), default=0)
