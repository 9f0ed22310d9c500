"""Gaps of simulated genomes, with their true filling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from debruijn_gpu.assembly.gap_filling import Gap

END_BP = 400
AROUND_BP = 300  # bases beside a gap that reads are taken from
READ_BP = 100


@dataclass(frozen=True)
class Place:
    """A place of a genome: the contig before the gap, what is between (or how much the ends share), the one behind."""

    left: np.ndarray
    between: np.ndarray
    right: np.ndarray
    others: tuple[np.ndarray, ...] = ()  # sequences from which reads come as well
    second: np.ndarray | None = None  # what is between in the other haplotype
    shared_bp: int = 0

    @property
    def distance_bp(self):
        return len(self.between) - self.shared_bp

    def sequence(self, between=None):
        middle = self.between if between is None else between
        return np.concatenate((self.left, middle, self.right[self.shared_bp :]))


def reverse_complement(codes):
    return np.ascontiguousarray(np.where(codes < 4, 3 - codes, codes)[::-1].astype(np.uint8))


def random_bases(rng, n, gc=0.5):
    return rng.choice(4, int(n), p=[(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2]).astype(np.uint8)


def changed(rng, codes, share):
    """A copy in which a share of the bases differ."""
    is_changed = rng.random(len(codes)) < share
    return ((codes + is_changed * rng.integers(1, 4, len(codes))) % 4).astype(np.uint8)


def simulated_reads(rng, sequence, depth, error_rate=0.0, read_bp=READ_BP):
    n = rng.poisson(depth * len(sequence) / read_bp) if len(sequence) >= read_bp else 0
    starts = rng.integers(0, max(1, len(sequence) - read_bp + 1), n)
    reads = [changed(rng, sequence[start : start + read_bp], error_rate) for start in starts]
    return [reverse_complement(read) if rng.random() < 0.5 else read for read in reads]


def make_gap(left, right, estimate_bp, spread_bp, reads):
    offsets = np.concatenate(([0], np.cumsum([len(read) for read in reads], dtype=np.int64))).astype(np.int64)
    codes = np.concatenate([np.zeros(0, np.uint8), *reads])
    return Gap(left, right, estimate_bp, spread_bp, codes, offsets)


def gap_of(rng, place, depth, error_rate=0.0, spread_bp=10.0, read_bp=READ_BP):
    """The gap of a place with simulated reads of it and an estimate that errs by its standard error."""
    haplotypes = [place.between] if place.second is None else [place.between, place.second]
    sequences = [
        place.sequence(between)[len(place.left) - AROUND_BP : len(place.left) + len(between) + AROUND_BP]
        for between in haplotypes
    ]
    reads = [
        read
        for sequence in sequences
        for read in simulated_reads(rng, sequence, depth / len(sequences), error_rate, read_bp)
    ]
    for other in place.others:
        reads += simulated_reads(rng, other, depth, error_rate, read_bp)
    estimate = place.distance_bp + spread_bp * rng.normal()
    return make_gap(place.left, place.right, estimate, spread_bp, reads)


def filled(gap, filling):
    """Sequence of both contigs with a filling between."""
    left = gap.left[: len(gap.left) - filling.left_trim_bp]
    return np.concatenate((left, filling.sequence, gap.right[filling.right_trim_bp + filling.overlap_bp :]))


def verdict(place, gap, filling):
    """Name the outcome: right, with wrong bases, wrong, or open."""
    if filling is None:
        return "open"
    sequence = filled(gap, filling)
    truths = [place.sequence(between) for between in (place.between, place.second) if between is not None]
    fits = [truth for truth in truths if len(truth) == len(sequence)]
    if fits and not np.any(np.all([truth != sequence for truth in fits], axis=0)):
        return "right"
    n_wrong = min(edit_distance(truth, sequence) for truth in truths)
    return "bases" if n_wrong <= max(1, len(filling.sequence) // 50) else "wrong"


def edit_distance(one, other):
    """Number of substitutions, insertions and deletions between two sequences."""
    columns = np.arange(len(other) + 1)
    row = columns
    for i, base in enumerate(one):
        best = np.minimum(row[1:] + 1, row[:-1] + (other != base))
        row = np.minimum.accumulate(np.concatenate(([i + 1], best)) - columns) + columns
    return int(row[-1])


def plain(rng, gc):
    sequence = random_bases(rng, 2 * END_BP + 400, gc)
    distance = int(rng.integers(-60, 400))
    return cut(sequence, distance)


def cut(sequence, distance, at=END_BP):
    left, right = sequence[:at], sequence[at + distance :][:END_BP]
    return Place(left, sequence[at : at + max(0, distance)], right, shared_bp=max(0, -distance))


def repeat_inside(rng, gc):
    """A repeat within the gap, with reads from its other copy."""
    n = int(rng.integers(15, 200))
    repeat = random_bases(rng, n, gc)
    between = np.concatenate(
        (random_bases(rng, rng.integers(0, 60), gc), repeat, random_bases(rng, rng.integers(0, 60), gc))
    )
    copy = repeat if rng.random() < 0.5 else reverse_complement(repeat)
    other = np.concatenate((random_bases(rng, 200, gc), copy, random_bases(rng, 200, gc)))
    return Place(random_bases(rng, END_BP, gc), between, random_bases(rng, END_BP, gc), (other,))


def repeat_at_both_ends(rng, gc):
    """Both contigs end with the same repeat, which may look like an overlap."""
    repeat = random_bases(rng, rng.integers(10, 150), gc)
    left = np.concatenate((random_bases(rng, END_BP, gc), repeat))
    right = np.concatenate((repeat, random_bases(rng, END_BP, gc)))
    return Place(left, random_bases(rng, rng.choice([0, 3, 10, 40, 120]), gc), right)


def copy_elsewhere(rng, gc):
    """Gap and neighbourhood have a copy elsewhere, which differs by some bases."""
    place = plain(rng, gc)
    n = int(rng.integers(0, 120))
    core = place.sequence()[END_BP - n : END_BP + len(place.between) + n]
    share = rng.choice([0.0, 0.01, 0.03, 0.1])
    copy = changed(rng, core, share)
    other = np.concatenate((random_bases(rng, 200, gc), copy, random_bases(rng, 200, gc)))
    return Place(place.left, place.between, place.right, (other,), None, place.shared_bp)


def tandem_repeat(rng, gc):
    unit = random_bases(rng, rng.integers(1, 60), gc)
    repeated = np.tile(unit, int(rng.integers(2, 6)) + 20 // len(unit))
    sequence = np.concatenate((random_bases(rng, END_BP, gc), repeated, random_bases(rng, END_BP + 100, gc)))
    at = END_BP + int(rng.integers(-20, len(repeated) + 1))
    return cut(sequence, int(rng.integers(-30, 100)), at)


def homopolymers_at_ends(rng, gc):
    base = int(rng.integers(0, 4))
    runs = [np.full(rng.integers(3, 30), base, np.uint8) for _ in range(2)]
    left = np.concatenate((random_bases(rng, END_BP, gc), runs[0]))
    right = np.concatenate((runs[1], random_bases(rng, END_BP, gc)))
    return Place(left, random_bases(rng, rng.integers(0, 80), gc), right)


def heterozygous(rng, gc):
    place = plain(rng, gc)
    second = changed(rng, place.between, 0.02)
    return Place(place.left, place.between, place.right, (), second, place.shared_bp)


def reads_of_another_place(rng, gc):
    """Reads do not come from the gap, but from a sequence that shares repeats with both sides."""
    place = plain(rng, gc)
    n = int(rng.integers(0, 90))
    parts = place.left[-n - 30 : -30], random_bases(rng, 80, gc), place.right[30 : n + 30]
    other = np.concatenate((random_bases(rng, 200, gc), *parts, random_bases(rng, 200, gc)))
    return Place(place.left, place.between, place.right, (other,), None, place.shared_bp)


def deletion_elsewhere(rng, gc):
    """A copy of the place elsewhere lacks a part of the gap, or has more."""
    place = plain(rng, gc)
    n = int(rng.integers(10, 120))
    whole = place.sequence()[END_BP - n : END_BP + len(place.between) + n]
    at, size = int(rng.integers(0, len(whole))), int(rng.integers(1, 60))
    shorter = np.concatenate((whole[:at], whole[at + size :]))
    longer = np.concatenate((whole[:at], random_bases(rng, size, gc), whole[at:]))
    copy = shorter if rng.random() < 0.5 else longer
    other = np.concatenate((random_bases(rng, 200, gc), copy, random_bases(rng, 200, gc)))
    return Place(place.left, place.between, place.right, (other,), None, place.shared_bp)


KINDS = (
    plain,
    repeat_inside,
    repeat_at_both_ends,
    copy_elsewhere,
    deletion_elsewhere,
    tandem_repeat,
    homopolymers_at_ends,
    heterozygous,
    reads_of_another_place,
)
