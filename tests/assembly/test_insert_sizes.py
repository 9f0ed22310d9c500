"""Insert sizes of pairs whose places are known."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.alphabet import reverse_complement
from debruijn_gpu.assembly.insert_sizes import InsertSizes, _reverse_complement, insert_sizes
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.reads.read_statistics import NO_START, START_BP, PairSample
from tests.assembly.examples import contigs_of
from tests.helpers import batch_of, random_sequence

RNG = np.random.default_rng(5)
GENOME = random_sequence(RNG, 300_000)


def rc(sequence: str) -> str:
    return reverse_complement(sequence.encode()).decode()


def sampled(first: list[str], second: list[str]) -> PairSample:
    sample = PairSample(CPU.to_host, 1)
    sample.add_mates(0, 0, batch_of(first))
    sample.add_mates(0, 1, batch_of(second))
    return sample


def measured(contigs: list[str], pairs: list[tuple[str, str]], circular: tuple[int, ...] = ()) -> InsertSizes:
    made = contigs_of([contig.encode() for contig in contigs], 31, circular=circular)
    (found,) = insert_sizes(made, sampled(*map(list, zip(*pairs, strict=True))).pairs())
    return found


def drawn(genome: str, n: int, insert: int, kind: str = "FR", spread: float = 0.0) -> list[tuple[str, str]]:
    """Pairs of 50 bases from both strands."""
    pairs = []
    for start, size in zip(RNG.integers(0, len(genome) - 2 * insert, n), RNG.normal(insert, spread, n), strict=True):
        segment = genome[start : start + round(size)]
        segment = rc(segment) if start % 2 else segment
        left, right = segment[:50], segment[-50:]
        pairs.append({"FR": (left, rc(right)), "RF": (rc(left), right), "FF": (left, right)}[kind])
    return pairs


def test_pairs_that_face_each_other():
    found = measured([GENOME], drawn(GENOME, 2000, 400, spread=30))
    assert (found.n_pairs, found.n_placed, found.n_inward) == (2000, 2000, 2000)
    assert found.orientation == "FR"
    assert found.sizes.median_bp == pytest.approx(400, abs=4)
    assert found.sizes.spread_bp == pytest.approx(30, rel=0.15)
    assert found.sizes.lower_bp < found.sizes.median_bp < found.sizes.upper_bp
    assert sum(found.sizes.numbers) >= 1990
    assert len(found.sizes.numbers) <= 100


@pytest.mark.parametrize(("kind", "size"), [("FR", 500), ("RF", 402), ("FF", 451)])
def test_orientation(kind, size):
    """Outward pairs are measured between the ends that face each other, those of one strand between their starts."""
    found = measured([GENOME], drawn(GENOME, 100, 500, kind))
    assert found.orientation == kind
    assert {"FR": found.n_inward, "RF": found.n_outward, "FF": found.n_same}[kind] == 100
    assert found.sizes.median_bp == found.sizes.lower_bp == size


def test_contigs_may_be_in_any_number_and_strand():
    segments = [rc(GENOME[:120_000]), GENOME[120_000:200_000], rc(GENOME[200_000:])]
    found = measured(segments, drawn(GENOME, 1000, 400))
    assert found.n_placed > 985  # those across two contigs are not
    assert found.n_placed == found.n_inward
    assert found.sizes.median_bp == 400


def test_pairs_across_the_start_of_a_circular_contig():
    circular = GENOME[:2000]
    turned = circular[1000:] + circular[:1000]
    pairs = drawn(circular, 200, 300)
    assert measured([turned], pairs).n_placed < 200 or measured([turned], pairs).n_outward > 0
    found = measured([turned], pairs, circular=(0,))
    assert found.n_inward == found.n_placed > 150  # but those with a read across the cut
    assert found.sizes.upper_bp == found.sizes.lower_bp == 300


def test_repeats_and_errors_are_not_placed():
    repeat = random_sequence(RNG, 1000)
    contig = repeat + GENOME[:5000] + rc(repeat)
    inside = [(repeat[i : i + 50], rc(repeat[i + 250 : i + 300])) for i in range(50)]
    wrong = [(random_sequence(RNG, 50), random_sequence(RNG, 50))] * 3
    found = measured([contig], inside + wrong)
    assert (found.n_pairs, found.n_placed, found.orientation, found.sizes) == (53, 0, None, None)


def test_no_place_across_two_contigs():
    left, right = GENOME[:600], GENOME[600:1200]
    across = (GENOME[585:635], rc(GENOME[900:950]))
    assert measured([left + right], [across]).n_placed == 1
    assert measured([left, right], [across]).n_placed == 0


def test_ambiguous_bases_in_contigs():
    contig = GENOME[:1000] + "N" + GENOME[1001:2000]
    pairs = [(GENOME[i : i + 50], rc(GENOME[i + 350 : i + 400])) for i in range(900, 1100)]
    assert measured([contig], pairs).n_placed == 200 - START_BP


@pytest.mark.parametrize("contigs", [[], ["ACGT"], [GENOME[:499]]])
def test_nothing_to_place_on(contigs):
    found = measured(contigs, [(GENOME[:50], rc(GENOME[350:400]))])
    assert (found.n_pairs, found.n_placed) == (1, 0)


def test_no_pairs():
    made = contigs_of([GENOME.encode()], 31)
    assert insert_sizes(made, []) == []
    assert insert_sizes(made, PairSample(CPU.to_host, 1).pairs())[0].n_pairs == 0


def test_codes_of_the_other_strand():
    reads = [random_sequence(RNG, 31) for _ in range(20)]
    ((forward, backward),) = sampled(reads, list(map(rc, reads))).pairs()
    assert np.array_equal(_reverse_complement(forward), backward)
    assert not np.any(forward == NO_START)
