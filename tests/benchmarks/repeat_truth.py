"""Judge contigs against a genome whose repeats are known: coverage, NGA50, wrong joins, resolved repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tests.benchmarks.repeat_chains import Alignment, Block, align
from tests.benchmarks.repeat_genome import Copy, Record
from tests.benchmarks.repeat_matches import Genome

FLANK = 41
MIN_CONTIG = 200
#: Repeats whose copies begin or end within this number of bases of a wrong join are named beside it
NEAR = 41
#: First bases of a circular contig that are judged again behind its end, so that its closure is judged
CLOSURE = 100


@dataclass(frozen=True)
class Locus:
    """A copy of a repeat, or a whole tandem array, that a contig can span.

    Attributes
    ----------
    record : int
    start, end : int
    family : int
    identity : float
    n_copies : int
        More than one in tandem arrays.
    """

    record: int
    start: int
    end: int
    family: int
    identity: float
    n_copies: int


@dataclass(frozen=True)
class Truth:
    """A genome, its table of 31-mers, and the loci of its repeats."""

    genome: Genome
    loci: list[Locus]

    @classmethod
    def of(cls, records: Sequence[Record], copies: Sequence[Copy]) -> Truth:
        """Merge the copies of each tandem array into one locus, and build the table of 31-mers.

        Raises
        ------
        ValueError
            If a copy is in a record that the genome lacks.
        """
        names = {record.name: number for number, record in enumerate(records)}
        by_locus: dict[int, list[Copy]] = {}
        for copy in copies:
            if copy.record not in names:
                raise ValueError(f"expected records {', '.join(names)}, got a copy in {copy.record}")
            by_locus.setdefault(copy.locus, []).append(copy)
        loci = []
        for same in by_locus.values():
            # The array begins at the copy that no other one precedes; starts are modulo the length of a circle.
            record, length = names[same[0].record], len(records[names[same[0].record]].bases)
            ends = {copy.end % length for copy in same}
            first = next((copy for copy in same if copy.start not in ends), same[0])
            n_bases = sum(copy.end - copy.start for copy in same)
            loci.append(
                Locus(record, first.start, first.start + n_bases, first.family, first.identity, len(same)),
            )
        return cls(Genome(records), sorted(loci, key=lambda locus: (locus.record, locus.start)))


@dataclass(frozen=True)
class WrongJoin:
    """A jump of a contig; positions are 0-based, in the genome's forward strand.

    Attributes
    ----------
    contig : str
    position : int
        First base of the contig behind the jump.
    before, after : str
        Where the contig comes from and continues: ``record:position`` and strand.
    families : list of int
        Families of repeats with a copy at either side.
    """

    contig: str
    position: int
    before: str
    after: str
    families: list[int]


@dataclass
class Judgement:
    """Figures of one set of contigs.

    Attributes
    ----------
    n_contigs, n_bases, unaligned : int
        Contigs of at least 200 bp, their bases, and bases that match nothing.
    covered : float
        Percentage of the genome's bases that a contig spells.
    nga50 : int
        0 if blocks without jumps cover less than half of the genome.
    mismatches, indels : int
    wrong_joins : list of WrongJoin
    resolved : list of bool
        For each locus of a repeat, whether one contig spells it and at least 41 bp of flank on both sides.
    spanned : list of bool
        The same, but with mismatches or short insertions and deletions.
    """

    n_contigs: int = 0
    n_bases: int = 0
    unaligned: int = 0
    covered: float = 0.0
    nga50: int = 0
    mismatches: int = 0
    indels: int = 0
    wrong_joins: list[WrongJoin] = field(default_factory=list)
    resolved: list[bool] = field(default_factory=list)
    spanned: list[bool] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Return all figures, for JSON."""
        return asdict(self)


def judge(truth: Truth, contigs: Sequence[Record], min_contig: int = MIN_CONTIG) -> Judgement:
    """Judge contigs of at least a minimum length; ambiguous letters match nothing."""
    long = [contig for contig in contigs if len(contig.bases) >= min_contig]
    found = Judgement(len(long), sum(len(contig.bases) for contig in long))
    kept = [_closed(contig) for contig in long]
    ledger = _Ledger(truth)
    for contig, alignment in zip(kept, align(truth.genome, [contig.bases for contig in kept]), strict=True):
        errors = [ledger.add(contig.bases, block) for block in alignment.blocks]
        for block in alignment.exact[1:]:
            ledger.cover(contig.bases, block)
        found.mismatches += sum(n_mismatches for n_mismatches, _ in errors)
        found.indels += sum(n_indels for _, n_indels in errors)
        found.unaligned += len(contig.bases) - sum(_spelled(block) for block in alignment.blocks)
        found.wrong_joins += _wrong_joins(truth, contig.name, alignment)
    found.covered = ledger.percentage()
    found.nga50 = ledger.nga50()
    found.spanned, found.resolved = ledger.repeats()
    return found


def _closed(contig: Record) -> Record:
    """Append the first bases to a circular contig."""
    if not contig.circular:
        return contig
    return Record(contig.name, np.concatenate((contig.bases, contig.bases[:CLOSURE])), circular=True)


def _spelled(block: Block) -> int:
    return sum(segment.end - segment.start for segment in block.segments)


def _wrong_joins(truth: Truth, name: str, alignment: Alignment) -> list[WrongJoin]:
    joins = []
    for left, right in zip(alignment.blocks, alignment.blocks[1:], strict=False):
        families = _families(truth, left.target, left.last) | _families(truth, right.target, right.first)
        before, after = _place(truth.genome, left.target, left.last), _place(truth.genome, right.target, right.first)
        joins.append(WrongJoin(name, right.start, before, after, sorted(families)))
    return joins


def _forward(genome: Genome, target: int, start: int, end: int) -> tuple[int, int]:
    """Interval in the forward strand; from 0 to the length of a circular record on, and beyond it."""
    length = int(genome.lengths[target >> 1])
    if target & 1:
        start, end = length - end, length - start
    turn = start // length * length if genome.circular[target >> 1] else 0
    return start - turn, end - turn


def _place(genome: Genome, target: int, position: int) -> str:
    start, _ = _forward(genome, target, position, position)
    return f"{genome.records[target >> 1].name}:{start}{'+-'[target & 1]}"


def _families(truth: Truth, target: int, position: int) -> set[int]:
    """Families with a copy at a position, or near it."""
    start, _ = _forward(truth.genome, target, position, position)
    record = target >> 1
    length = int(truth.genome.lengths[record])
    near = [(locus, (start - locus.start + NEAR) % length) for locus in truth.loci if locus.record == record]
    return {locus.family for locus, at in near if at <= locus.end - locus.start + 2 * NEAR}


class _Ledger:
    """Blocks of all contigs on the genome.

    Parameters
    ----------
    truth : Truth
    """

    def __init__(self, truth: Truth) -> None:
        self.truth, self.genome = truth, truth.genome
        self.is_covered = [np.zeros(length, bool) for length in self.genome.lengths]
        #: Record, start and end in the forward strand, and positions of errors, of each block
        self.blocks: list[tuple[int, int, int, list[int]]] = []

    def cover(self, contig: np.ndarray, block: Block) -> list[int]:
        """Mark the bases that a block spells; return the positions of its mismatches in the target."""
        record, wrong = block.target >> 1, []
        for segment in block.segments:
            places = np.arange(segment.start, segment.end)
            theirs = self.genome.bases(np.full(len(places), block.target), places + segment.diagonal)
            is_equal = contig[segment.start : segment.end] == theirs
            length = int(self.genome.lengths[record])
            at = (places + segment.diagonal)[is_equal] % length
            self.is_covered[record][length - 1 - at if block.target & 1 else at] = True
            wrong += (places + segment.diagonal)[~is_equal].tolist()
        return wrong

    def add(self, contig: np.ndarray, block: Block) -> tuple[int, int]:
        """Mark a block; return its numbers of mismatches, and of insertions and deletions."""
        wrong = self.cover(contig, block)
        breaks = [segment.start + segment.diagonal for segment in block.segments[1:]]
        target = block.target
        start, end = _forward(self.genome, target, block.first, block.last)
        errors = [_forward(self.genome, target, at, at + 1)[0] for at in wrong + breaks]
        self.blocks.append((target >> 1, start, end, errors))
        return len(wrong), len(breaks)

    def percentage(self) -> float:
        return 100 * sum(int(covered.sum()) for covered in self.is_covered) / max(self.genome.n_bases, 1)

    def nga50(self) -> int:
        """Length of the longest blocks, in order of length, at which they reach half of the genome."""
        lengths = sorted(
            (min(end - start, int(self.genome.lengths[r])) for r, start, end, _ in self.blocks), reverse=True
        )
        half, total = self.genome.n_bases / 2, 0
        for length in lengths:
            total += length
            if total >= half:
                return length
        return 0

    def repeats(self) -> tuple[list[bool], list[bool]]:
        """For each locus, whether a block spans it with its flanks, and whether one does so without errors."""
        records = np.array([block[0] for block in self.blocks], np.int64)
        starts = np.array([block[1] for block in self.blocks], np.int64)
        spans = np.array([block[2] - block[1] for block in self.blocks], np.int64)
        spanned, resolved = [], []
        for locus in self.truth.loci:
            length = int(self.genome.lengths[locus.record])
            first, n_bases = locus.start - FLANK, locus.end - locus.start + 2 * FLANK
            skipped = first - starts
            is_inside = skipped + n_bases <= spans
            if self.genome.circular[locus.record]:
                skipped %= length
                is_inside = (skipped + n_bases <= spans) | (spans >= length + CLOSURE)  # the whole circle
            rows = np.flatnonzero((records == locus.record) & (skipped >= 0) & is_inside)
            spanned.append(len(rows) > 0)
            exact = (all((at - first) % length >= n_bases for at in self.blocks[row][3]) for row in rows)
            resolved.append(any(exact))
        return spanned, resolved
