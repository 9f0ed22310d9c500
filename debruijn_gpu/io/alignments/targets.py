"""Read the segments and links of a GFA file, or the sequences of FASTA, to map reads to them."""

from __future__ import annotations

import re
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.fasta import parts_of
from debruijn_gpu.io.fastx.formats import ReadFormat, detect_sequences
from debruijn_gpu.io.gfa.files import number_lines, read_records
from debruijn_gpu.io.gfa.links import Links
from debruijn_gpu.io.gfa.segments import MOST_DIGITS, UNKNOWN
from debruijn_gpu.io.lines import TextStart, find_text, split_lines
from debruijn_gpu.io.opening import display_name, read_blocks
from debruijn_gpu.io.reading_again import longest_segment, within_budget
from debruijn_gpu.mapping.segments import NamedSegments, encode, linked_segments
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.tuning import tuning

_OVERLAP = re.compile(rb"([0-9]{1,%d})[M=]" % MOST_DIGITS)


def read_target(path: str) -> NamedSegments:
    """Read what reads are mapped to: GFA 1, FASTA, or one sequence per line.

    Raises
    ------
    FormatError
        Also for a link whose overlap has gaps.
    """
    source = display_name(path)
    with closing(read_blocks(path, tuning().fasta_block_bytes)) as blocks:
        start = find_text(within_budget(blocks, source))
        found = detect_sequences(source, start, gfa_too=True)
        return _read_graph(source, start) if found is None else _read_sequences(source, start, found)


def _read_graph(source: str, start: TextStart) -> NamedSegments:
    """Read the segments and links of GFA."""
    lines = split_lines(start.blocks, source, longest_segment(), start.n_lines)
    records = read_records(source, number_lines(lines, start.n_lines + 1), needs_sequences=True)
    if not records.segments:
        raise FormatError(f"{source}: GFA without a segment (S line)", "give a whole GFA 1 file")
    sequences = [segment.sequence for segment in records.segments]
    codes = encode(b"".join(sequences))
    lengths = np.array([len(sequence) for sequence in sequences], np.int64)
    names = [segment.name for segment in records.segments]
    _check_overlaps(source, records.links, names)
    bases = {overlap: _overlap_bp(overlap) for overlap in set(records.links.overlaps)}
    overlaps = np.array([bases[overlap] for overlap in records.links.overlaps], np.int64)
    return NamedSegments(names, linked_segments(codes, lengths, records.links.pairs(), overlaps), True)


def _overlap_bp(overlap: bytes) -> int:
    """Bases of an overlap without gaps; 0 for an unknown one."""
    found = _OVERLAP.fullmatch(overlap)
    return int(found[1]) if found else 0


def _check_overlaps(source: str, links: Links, names: list[bytes]) -> None:
    """Raise an error for the first link whose overlap has gaps."""
    odd = {overlap for overlap in set(links.overlaps) if overlap != UNKNOWN and not _OVERLAP.fullmatch(overlap)}
    if not odd:
        return
    tail, head, overlap, _tags = next(link for link in links if link.overlap in odd)
    ends = " to ".join(shorten(names[vertex >> 1] + b"+-"[vertex & 1 : (vertex & 1) + 1]) for vertex in (tail, head))
    raise FormatError(
        f"{source}: link from {ends}: expected an overlap without gaps such as 30M, 0M or *, got {shorten(overlap)}",
        "remove the overlaps (vg, or gimbricate), or map to the segments as FASTA",
    )


def _read_sequences(source: str, start: TextStart, found: ReadFormat) -> NamedSegments:
    """Read sequences without links."""
    names = list[bytes]()
    parts = list[NDArray[np.uint8]]()
    lengths = list[int]()
    known = set[bytes]()
    for part in parts_of(source, start, found):
        if part.is_first:
            name = part.name_bytes or part.name.encode()
            if name in known or not name:
                what = f"got {shorten(part.name)} again" if name else "got an empty one"
                raise FormatError(f"{source}: record {len(names) + 1:,}: expected a new name, {what}", "rename it")
            known.add(name)
            names.append(name)
            lengths.append(0)
        parts.append(encode(part.letters))
        lengths[-1] += len(part.letters)
    none = np.empty(0, np.int64)
    codes = np.concatenate([np.empty(0, np.uint8), *parts])
    return NamedSegments(names, linked_segments(codes, np.array(lengths, np.int64), none.reshape(0, 2), none), False)
