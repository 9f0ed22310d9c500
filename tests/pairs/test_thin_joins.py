"""Dead ends that one fragment joins."""

from __future__ import annotations

from tests.naive.kmers import reverse_complement
from tests.pairs.examples import READ_BP, Pair, assembled, contigs_of, is_part, pairs_of, random_bases, scaffolds_of

GENOME = random_bases(6_000, 21)
LEFT, RIGHT = GENOME[:3_000], GENOME[3_060:]
LIBRARY = {"depth": 40.0, "insert_bp": 170, "spread_bp": 8.0}


def fragment(start: int, stop: int) -> Pair:
    """Mates of one fragment."""
    return GENOME[start : start + READ_BP], reverse_complement(GENOME[stop - READ_BP : stop])


def both_sides() -> list[Pair]:
    return pairs_of(LEFT, **LIBRARY) + pairs_of(RIGHT, **LIBRARY)


def assembled_deep(place, pairs):
    """Assemble with a minimum count that leaves out what one fragment has."""
    return assembled(place, pairs, min_count=3, trim="off")


def test_one_fragment_whose_mates_overlap_fills_the_gap(tmp_path):
    found = assembled_deep(tmp_path, [*both_sides(), fragment(2_945, 3_115)])
    (contig,) = contigs_of(found)
    assert is_part(contig, GENOME)
    assert len(contig) > 5_950
    assert found.pairs is not None
    (closed,) = found.pairs.closed
    assert closed.kind == "reads"
    assert 60 <= closed.n_bases <= 100


def test_fragment_that_does_not_cover_the_gap_joins_nothing(tmp_path):
    found = assembled_deep(tmp_path, [*both_sides(), fragment(2_930, 3_130)])  # no read has both its middle bases
    assert len(contigs_of(found)) == len(scaffolds_of(found)) == 2
    assert found.pairs is not None
    assert found.pairs.n_gaps == 0


def test_second_link_of_an_end_makes_the_join_doubtful(tmp_path):
    other = random_bases(3_000, 22)
    stray = GENOME[2_900:3_000], reverse_complement(other[50:150])
    pairs = [*both_sides(), *pairs_of(other, **LIBRARY), fragment(2_945, 3_115), stray]
    found = assembled_deep(tmp_path, pairs)
    assert len(contigs_of(found)) == len(scaffolds_of(found)) == 3
