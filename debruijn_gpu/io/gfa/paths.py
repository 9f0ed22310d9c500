"""Write contigs and scaffolds as paths through the segments of a graph, and gaps as jumps (GFA 1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.scaffolds import ContigPaths, Scaffolds
from debruijn_gpu.backends.text.containers import NumberField, TextField
from debruijn_gpu.io.fastx.record_text import choice_field, format_records, split_records
from debruijn_gpu.io.gfa.files import JumpColumns, PathColumns
from debruijn_gpu.run.tuning import tuning

_STEP_BYTES = 8  # of a step as text, about
_LAST, _FOLLOWED, _BEFORE_GAP = 0, 1, 2  # what follows a step: nothing, a link, a jump


def contig_path_blocks(paths: ContigPaths) -> Iterator[PathColumns]:
    """Format the paths ``contig_1``, ``contig_2``, ... of contigs."""
    follows = np.full(len(paths.steps), _FOLLOWED)
    follows[paths.offsets[1:] - 1] = _LAST
    names = np.arange(1, len(paths) + 1)
    yield from _path_blocks(b"contig_", names, paths.offsets, paths.steps, follows)


@dataclass(frozen=True)
class ScaffoldWalks:
    """Walks of scaffolds with gaps over the segments of a graph.

    Attributes
    ----------
    numbers : ndarray, dtype=int64, shape=(n,)
        Numbers of the scaffolds, from 1 on.
    offsets : ndarray, dtype=int64, shape=(n + 1,)
        Walk i is ``steps[offsets[i]:offsets[i + 1]]``.
    steps : ndarray, dtype=int64, shape=(m,)
        2 * segment + strand (1: reverse complement).
    before_gap : ndarray, dtype=int64, shape=(n_gaps,)
        Places of the steps before gaps.
    gaps, n_pairs : ndarray, dtype=int64, shape=(n_gaps,)
        As in `Scaffolds`.
    """

    numbers: NDArray[np.int64]
    offsets: NDArray[np.int64]
    steps: NDArray[np.int64]
    before_gap: NDArray[np.int64]
    gaps: NDArray[np.int64]
    n_pairs: NDArray[np.int64]

    def path_blocks(self) -> Iterator[PathColumns]:
        """Format the paths ``scaffold_<number>``, with a semicolon for each gap."""
        follows = np.full(len(self.steps), _FOLLOWED)
        follows[self.before_gap] = _BEFORE_GAP
        follows[self.offsets[1:] - 1] = _LAST
        yield from _path_blocks(b"scaffold_", self.numbers, self.offsets, self.steps, follows)

    def jump_blocks(self) -> Iterator[JumpColumns]:
        """Format a jump for each gap: estimated distance, and number of pairs as tag ``nr``."""
        for start in range(0, len(self.gaps), tuning().block_records):
            some = slice(start, start + tuning().block_records)
            tails, heads = self.steps[self.before_gap[some]], self.steps[self.before_gap[some] + 1]
            yield JumpColumns(
                tails=NumberField((tails >> 1) + 1),
                tail_signs=tails & 1,
                heads=NumberField((heads >> 1) + 1),
                head_signs=heads & 1,
                distances=(
                    choice_field((b"", b"-"), (self.gaps[some] < 0).astype(np.int64)),
                    NumberField(np.abs(self.gaps[some])),
                ),
                tags=(b"\tnr:i:", NumberField(self.n_pairs[some])),
            )


def scaffold_walks(scaffolds: Scaffolds, paths: ContigPaths) -> ScaffoldWalks:
    """Concatenate the walks of the contigs of each scaffold that has a gap."""
    chosen = np.flatnonzero(np.diff(scaffolds.offsets) > 1)
    sizes = np.diff(scaffolds.offsets)[chosen]
    bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    rows = np.repeat(scaffolds.offsets[:-1][chosen] - bounds[:-1], sizes) + np.arange(bounds[-1])
    contigs, strands = scaffolds.steps[rows] >> 1, scaffolds.steps[rows] & 1
    firsts, lasts = paths.offsets[contigs], paths.offsets[contigs + 1] - 1
    n_steps = lasts - firsts + 1
    ends = np.concatenate((np.zeros(1, np.int64), np.cumsum(n_steps)))
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], n_steps)
    flips = np.repeat(strands, n_steps)
    places = np.where(flips == 1, np.repeat(lasts, n_steps) - within, np.repeat(firsts, n_steps) + within)
    is_gap = scaffolds.is_gap[rows]
    return ScaffoldWalks(
        numbers=chosen + 1,
        offsets=ends[bounds],
        steps=paths.steps[places] ^ flips,
        before_gap=ends[1:][is_gap] - 1,
        gaps=scaffolds.gaps[rows][is_gap],
        n_pairs=scaffolds.n_pairs[rows][is_gap],
    )


def _path_blocks(
    prefix: bytes,
    numbers: NDArray[np.int64],
    offsets: NDArray[np.int64],
    steps: NDArray[np.int64],
    follows: NDArray[np.int64],
) -> Iterator[PathColumns]:
    """Format walks as paths: numbers of segments with their signs, and the separator that follows each step."""
    for start, stop in split_records(_STEP_BYTES * offsets):
        some = slice(offsets[start], offsets[stop])
        texts, letters = format_records(
            [
                NumberField((steps[some] >> 1) + 1),
                choice_field((b"+", b"-"), steps[some] & 1),
                choice_field((b"", b",", b";"), follows[some]),
            ]
        )
        walks = TextField(letters, texts[offsets[start : stop + 1] - offsets[start]])
        yield PathColumns(names=(prefix, NumberField(numbers[start:stop])), steps=walks)
