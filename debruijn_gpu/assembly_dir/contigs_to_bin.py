"""Read contigs that are to be binned, with the depths of their headers."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly_dir.header_depths import stated_depth, stated_read_depth
from debruijn_gpu.binning.features import Contigs
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.fastx.fasta import SequencePart, parts_of
from debruijn_gpu.io.fastx.formats import detect_sequences
from debruijn_gpu.io.lines import find_text
from debruijn_gpu.io.opening import display_name, read_blocks
from debruijn_gpu.io.reading_again import within_budget
from debruijn_gpu.mapping.segments import encode
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.run.tuning import tuning


@dataclass(frozen=True)
class ContigsToBin:
    """Contigs and their headers.

    Attributes
    ----------
    contigs : Contigs
        Without depths.
    descriptions : list of str
        Headers behind the names.
    header_depths : ndarray, dtype=float64, shape=(n,)
        Depth that each header states; NaN where it states none.
    """

    contigs: Contigs
    descriptions: list[str]
    header_depths: NDArray[np.float64]


def read_contigs_to_bin(path: str) -> ContigsToBin:
    """Read the sequences of FASTA, GFA, or one per line.

    Raises
    ------
    FormatError
        Also for a name that is empty or there twice.
    """
    source = display_name(path)
    with closing(read_blocks(path, tuning().fasta_block_bytes)) as blocks:
        start = find_text(within_budget(blocks, source))
        return _collect(source, parts_of(source, start, detect_sequences(source, start, gfa_too=True)))


def _collect(source: str, parts: Iterable[SequencePart]) -> ContigsToBin:
    names, descriptions, depths = dict[str, None](), list[str](), list[float]()
    codes, lengths = [np.empty(0, np.uint8)], list[int]()
    for part in parts:
        if part.is_first:
            name = part.name_bytes.decode(errors="surrogateescape") or part.name
            if name in names or not name:
                what = f"got {shorten(name)} again" if name else "got an empty one"
                raise FormatError(f"{source}: record {len(names) + 1:,}: expected a new name, {what}", "rename it")
            names[name] = None
            descriptions.append(part.description)
            depth = stated_read_depth(part.description)
            depths.append(stated_depth(part.name, part.description) if np.isnan(depth) else depth)
            lengths.append(0)
        codes.append(encode(part.letters))
        lengths[-1] += len(part.letters)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    contigs = Contigs(list(names), np.concatenate(codes), offsets, np.empty((len(names), 0)))
    return ContigsToBin(contigs, descriptions, np.array(depths, np.float64))
