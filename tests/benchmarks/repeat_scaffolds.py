"""Judge scaffolds against a known genome: order and strand of their parts, and the lengths of gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tests.benchmarks.repeat_chains import Alignment, Block, align
from tests.benchmarks.repeat_genome import OTHER, Record
from tests.benchmarks.repeat_matches import Genome, K
from tests.benchmarks.repeat_truth import Truth

#: Parts in order are joined rightly if the genome has at most this between them, or they overlap by at most that;
#: the length of the gap is judged apart, as some programs write the same number of N into all gaps
MOST_BETWEEN, MOST_OVERLAP = 10_000, 500


@dataclass(frozen=True)
class Part:
    """Contig of a scaffold: bases, and the number of N before it (0: first of its scaffold)."""

    scaffold: str
    bases: np.ndarray
    start: int
    gap: int


@dataclass
class ScaffoldJudgement:
    """Figures of one set of scaffolds.

    Attributes
    ----------
    n_scaffolds, n_joins, unplaced : int
        Unplaced joins have a part that matches nothing in the genome.
    wrong : list of str
        Joins of parts that are in another order, strand or place of the genome: scaffold and position.
    gap_errors : list of int
        Written minus true length of each gap between parts that are joined rightly.
    """

    n_scaffolds: int = 0
    n_joins: int = 0
    unplaced: int = 0
    wrong: list[str] = field(default_factory=list)
    gap_errors: list[int] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Return all figures, for JSON."""
        return asdict(self)


def split(records: Sequence[Record]) -> list[Part]:
    """Split sequences at runs of letters other than A, C, G and T."""
    parts = []
    for record in records:
        is_base = np.concatenate(([False], record.bases != OTHER, [False]))
        bounds = np.flatnonzero(is_base[1:] != is_base[:-1]).reshape(-1, 2).tolist()
        end_before = None
        for start, end in bounds:
            gap = 0 if end_before is None else start - end_before
            parts.append(Part(record.name, record.bases[start:end], start, gap))
            end_before = end
    return parts


def parts_as_contigs(records: Sequence[Record]) -> list[Record]:
    """Split scaffolds into contigs, to judge these; a sequence without gaps remains circular."""
    whole = {record.name for record in records if record.circular and not (record.bases == OTHER).any()}
    return [Record(part.scaffold, part.bases, part.scaffold in whole) for part in split(records)]


def judge_scaffolds(truth: Truth, records: Sequence[Record]) -> ScaffoldJudgement:
    """Judge each join of two parts by the places of their facing ends."""
    parts = [part for part in split(records) if len(part.bases) >= K or part.gap]
    alignments = align(truth.genome, [part.bases for part in parts])
    found = ScaffoldJudgement(n_scaffolds=len(records))
    for number in range(1, len(parts)):
        part = parts[number]
        if not part.gap:
            continue
        found.n_joins += 1
        distances = _distances(truth.genome, alignments[number - 1], alignments[number])
        right = [part.gap - true for true in distances or () if -MOST_OVERLAP <= true <= MOST_BETWEEN]
        if distances is None:
            found.unplaced += 1
        elif right:
            found.gap_errors.append(min(right, key=abs))
        else:
            found.wrong.append(f"{part.scaffold}:{part.start}")
    return found


def _distances(genome: Genome, left: Alignment, right: Alignment) -> list[int] | None:
    """Bases of the genome between two parts, for each pair of places on one strand; none if a part has no place.

    A part that is a substring of the genome may be at any of its places.
    """
    if not (left.blocks and right.blocks):
        return None
    return [
        _distance(genome, first, second)
        for first in (left.exact or left.blocks[-1:])
        for second in (right.exact or right.blocks[:1])
        if first.target == second.target
    ]


def _distance(genome: Genome, first: Block, second: Block) -> int:
    """Bases of the genome from the end of one block to the start of another, around the circle where shorter."""
    ends = np.array([[first.target], [first.last], [second.first]])
    return int(genome.distance(*ends)[0])
