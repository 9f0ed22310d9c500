"""Chains of exact matches: the best explanation of a contig by places of the genome, and where it jumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.benchmarks.repeat_matches import UNKNOWN, Genome, Matches, find_matches

#: Two matches whose diagonals differ by more bases are a jump; by fewer, an insertion or deletion
LONGEST_INDEL = 20
#: Bases that must match beyond a jump to outweigh it; a swap to another copy and back costs two
JUMP_COST = 50
INDEL_COST = 5
#: Matches that end further before the next one are joined to it by a jump, or on one diagonal
INDEL_REACH = 200
#: A mismatch in an extension of a match must be outweighed by three bases that match
MISMATCH_COST = 3


@dataclass(frozen=True)
class Segment:
    """Interval of a contig on one diagonal; of equal length in the genome, but it may hold mismatches."""

    start: int
    end: int
    diagonal: int


@dataclass
class Block:
    """Part of a contig without jumps.

    Attributes
    ----------
    target : int
        Twice the number of the genome's record, and 1 more for its reverse complement.
    segments : list of Segment
        In the order of the contig.
    """

    target: int
    segments: list[Segment]

    @property
    def start(self) -> int:
        return self.segments[0].start

    @property
    def end(self) -> int:
        return self.segments[-1].end

    @property
    def first(self) -> int:
        """Position of the first base in the target."""
        return self.segments[0].start + self.segments[0].diagonal

    @property
    def last(self) -> int:
        """Position behind the last base in the target."""
        return self.segments[-1].end + self.segments[-1].diagonal


@dataclass(frozen=True)
class Alignment:
    """How the genome explains a contig.

    Attributes
    ----------
    blocks : list of Block
        In the order of the contig; between two of them is a jump.
    exact : list of Block
        All places of a contig that is a substring of the genome; empty for other contigs.
    """

    blocks: list[Block]
    exact: list[Block]


def align(genome: Genome, contigs: Sequence[np.ndarray]) -> list[Alignment]:
    """Find the best chain of exact matches for each contig."""
    matches = find_matches(genome, contigs)
    bounds = np.searchsorted(matches.contig, np.arange(len(contigs) + 1))
    return [
        _align(genome, contig, matches, slice(low, high))
        for contig, low, high in zip(contigs, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]


def _align(genome: Genome, contig: np.ndarray, matches: Matches, rows: slice) -> Alignment:
    target, diagonal = matches.target[rows], matches.diagonal[rows]
    start, end = matches.start[rows], matches.end[rows]
    whole = np.flatnonzero(end - start == len(contig))
    if len(whole):
        exact = [Block(int(target[i]), [Segment(0, len(contig), int(diagonal[i]))]) for i in whole]
        return Alignment(exact[:1], exact)
    if not len(start):
        return Alignment([], [])
    order = np.lexsort((start, end))
    before = np.where(matches.gap_mismatches[rows] == UNKNOWN, -1, np.arange(len(start)) - 1)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    before = np.where(before[order] >= 0, rank[before[order]], -1)
    chosen = _Chain(genome, target[order], diagonal[order], start[order], end[order])
    path = chosen.best(before, matches.gap_mismatches[rows][order])
    return Alignment(_extended(genome, contig, chosen.blocks(path)), [])


class _Chain:
    """Matches of one contig, sorted by their ends; arrays of one length."""

    def __init__(
        self, genome: Genome, target: np.ndarray, diagonal: np.ndarray, start: np.ndarray, end: np.ndarray
    ) -> None:
        self.genome, self.target, self.diagonal, self.start, self.end = genome, target, diagonal, start, end

    def best(self, before: np.ndarray, gap_mismatches: np.ndarray) -> list[int]:
        """Find the chain of most matching bases less costs, by dynamic programming over ends.

        Parameters
        ----------
        before : ndarray of int64
            Match before on the same diagonal, or -1.
        gap_mismatches : ndarray of int64
            Differing bases between the two.
        """
        n, start, end = len(self.start), self.start.tolist(), self.end.tolist()
        score, back = np.zeros(n, np.int64), np.full(n, -1)
        best_score, best_at = [0] * n, [0] * n
        reached = np.searchsorted(self.end, self.start - INDEL_REACH).tolist()
        for i in range(n):
            low, length = min(reached[i], i), end[i] - start[i]
            options = [(length, -1)]
            if low:
                options.append((best_score[low - 1] + length - JUMP_COST, best_at[low - 1]))
            if low < i:
                gain = self._gains(score, low, i)
                at = int(np.argmax(gain))
                options.append((int(gain[at]) + length, low + at))
            if before[i] >= 0:
                gap = start[i] - end[before[i]]
                cost = min(2 * int(gap_mismatches[i]) - gap, JUMP_COST)
                options.append((int(score[before[i]]) + length - cost, int(before[i])))
            score[i], back[i] = max(options, key=lambda option: option[0])
            is_better = i == 0 or score[i] > best_score[i - 1]
            best_score[i], best_at[i] = (int(score[i]), i) if is_better else (best_score[i - 1], best_at[i - 1])
        path = [best_at[-1]]
        while back[path[-1]] >= 0:
            path.append(int(back[path[-1]]))
        return path[::-1]

    def _gains(self, score: np.ndarray, low: int, i: int) -> np.ndarray:
        """Scores of matches low to i, less the cost of the step to match i and the bases that both cover."""
        overlap = np.maximum(self.end[low:i] - self.start[i], 0)
        gap = np.abs(self.genome.distance(self.target[low:i], self.diagonal[low:i], self.diagonal[i]))
        is_near = (self.target[low:i] == self.target[i]) & (gap <= LONGEST_INDEL)
        return score[low:i] - overlap - np.where(is_near, INDEL_COST + gap, JUMP_COST)

    def blocks(self, path: list[int]) -> list[Block]:
        """Merge the matches of a chain into blocks without jumps, whose segments do not overlap in the contig."""
        blocks: list[Block] = []
        for row in path:
            target, diagonal = int(self.target[row]), int(self.diagonal[row])
            start, end = int(self.start[row]), int(self.end[row])
            if blocks:
                start = max(start, blocks[-1].end)
                last = blocks[-1].segments[-1]
                step = int(self.genome.distance(*np.array([[target], [last.diagonal], [diagonal]]))[0])
                if blocks[-1].target == target and step == 0:
                    blocks[-1].segments[-1] = Segment(last.start, end, last.diagonal)
                    continue
                if blocks[-1].target == target and abs(step) <= LONGEST_INDEL:
                    # Diagonals of a block are continuous where it crosses the origin of a circle.
                    blocks[-1].segments.append(Segment(start, end, last.diagonal + step))
                    continue
            blocks.append(Block(target, [Segment(start, end, diagonal)]))
        return blocks


def _extended(genome: Genome, contig: np.ndarray, blocks: list[Block]) -> list[Block]:
    """Extend blocks into bases that no match covers, over mismatches that matches outweigh."""
    free = 0
    for number, block in enumerate(blocks):
        first = block.segments[0]
        limit = blocks[number + 1].start if number + 1 < len(blocks) else len(contig)
        start = first.start - _reach(genome, contig, block.target, first.diagonal, range(first.start - 1, free - 1, -1))
        block.segments[0] = Segment(start, first.end, first.diagonal)
        last = block.segments[-1]
        end = last.end + _reach(genome, contig, block.target, last.diagonal, range(last.end, limit))
        block.segments[-1] = Segment(last.start, end, last.diagonal)
        free = end
    return blocks


def _reach(genome: Genome, contig: np.ndarray, target: int, diagonal: int, places: range) -> int:
    """Number of bases, in the order of the range, that are worth adding to a segment."""
    if not places:
        return 0
    at = np.arange(places.start, places.stop, places.step)
    equal = contig[at] == genome.bases(np.full(len(at), target), at + diagonal)
    score = np.cumsum(np.where(equal, 1, -MISMATCH_COST))
    best = int(np.argmax(score))
    return best + 1 if score[best] > 0 else 0
