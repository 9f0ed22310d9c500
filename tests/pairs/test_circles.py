"""Circles of one unitig: closed across a gap or along a repeat, and never made of linear molecules."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from debruijn_gpu.assembly.result import Assembly
from tests.helpers import first_quick
from tests.pairs.examples import (
    Pair,
    assembled,
    contigs_of,
    files_of,
    is_part,
    is_rotation,
    paired,
    pairs_of,
    random_bases,
    scaffolds_of,
)
from tests.pairs.test_closed_gaps import thin

GAP = 1000, 1060
PLASMID = random_bases(2_600, 11)
REPEAT = random_bases(250, 5)


def thin_plasmid(n_kept: int = 4, **options) -> list[Pair]:
    """Pairs of a circular plasmid with a place that few reads cover."""
    return thin(pairs_of(PLASMID, 40, is_circular=True, **options), PLASMID, *GAP, n_kept)


def assembled_thin(place: Path, *libraries: list[Pair]) -> Assembly:
    """Assemble with a minimum count that breaks thin places."""
    return assembled(place, *libraries, min_count=3, trim="off")


def circles_of(assembly: Assembly) -> list[str]:
    found = assembly.contigs.circular[: assembly.n_reported]
    return [contig for contig, is_circular in zip(contigs_of(assembly), found.tolist(), strict=True) if is_circular]


@pytest.mark.parametrize(("orientation", "seed"), [("FR", 1), ("FR", 3), ("RF", 1), ("FF", 1)])
def test_gap_that_reads_close_makes_the_unitig_circular(orientation, seed, tmp_path):
    found = assembled_thin(tmp_path, thin_plasmid(orientation=orientation, seed=seed))
    (contig,) = circles_of(found)
    assert is_rotation(contig, PLASMID)
    assert contigs_of(found) == [contig] == scaffolds_of(found)
    assert found.pairs is not None
    (closed,) = found.pairs.closed
    assert abs(closed.estimate_bp - closed.n_bases) < 5 * closed.error_bp + 20
    assert found.pairs.n_gaps == 0


def test_gap_that_no_read_closes_leaves_the_unitig_linear(tmp_path):
    pairs = pairs_of(PLASMID, 40, is_circular=True, without=(1000, 1080))
    found = assembled_thin(tmp_path, pairs)
    (contig,) = contigs_of(found)
    assert not circles_of(found)
    assert is_part(contig, PLASMID * 2)
    assert scaffolds_of(found) == [contig]
    assert found.pairs is not None
    assert found.pairs.n_gaps == 0


def test_closed_circle_does_not_depend_on_the_order_of_pairs(tmp_path):
    pairs = thin_plasmid()
    expected = files_of(paired(tmp_path, pairs), tmp_path / "expected", min_count=3, trim="off")
    pairs = [pair[::-1] for pair in pairs]
    random.Random(1).shuffle(pairs)
    assert files_of(paired(tmp_path, pairs), tmp_path / "found", min_count=3, trim="off") == expected
    assert b"circular=true" in expected["contigs.fasta"]
    segments = [line for line in expected["assembly_graph.gfa"].splitlines() if line.startswith(b"P")]
    assert len(segments) == 1
    assert segments[0].count(b",") == 1  # the unitig and what fills the gap


@pytest.mark.slow
def test_unitig_between_the_copies_of_a_repeat_closes_along_it(tmp_path):
    """The chromosome has the repeat, too, so that the graph has several ways through it."""
    chromosome = random_bases(5000, 1) + REPEAT + random_bases(6000, 2)
    own = random_bases(4000, 4)
    libraries = pairs_of(chromosome, 40), pairs_of(own + REPEAT, 40, is_circular=True, seed=9)
    found = assembled(tmp_path / "circular", *libraries)
    (contig,) = circles_of(found)
    assert is_rotation(contig, own + REPEAT)
    linear = assembled(tmp_path / "linear", libraries[0], pairs_of(REPEAT + own + REPEAT, 40, seed=9))
    assert not circles_of(linear)


@pytest.mark.parametrize("n_copies", first_quick([2, 5, 20]))
@pytest.mark.parametrize("unit", [PLASMID, PLASMID + REPEAT])
def test_tandem_repeat_is_no_circle(n_copies, unit, tmp_path):
    """Even where most of the sequence is the repeat, which is taken for single-copy then."""
    ends = random_bases(500, 9), random_bases(500, 10)
    genome = ends[0] + unit * n_copies + ends[1]
    assert not circles_of(assembled(tmp_path, pairs_of(genome, 30)))


@pytest.mark.parametrize("seed", [1, 2])
def test_linear_molecule_stays_linear(seed, tmp_path):
    """Also where chimeric pairs link its ends now and then."""
    genome = random_bases(3_000, 20 + seed)
    pairs = pairs_of(genome, 60, seed=seed)
    chance = random.Random(seed)
    chimeric = [(chance.choice(pairs)[0], chance.choice(pairs)[1]) for _ in range(len(pairs) // 20)]
    found = assembled(tmp_path, pairs + chimeric)
    assert not circles_of(found)
    assert len(contigs_of(found)) == 1


def test_plasmid_of_many_copies_closes_beside_a_chromosome(tmp_path):
    """It is no single-copy sequence, but has no other neighbours."""
    deep = thin(pairs_of(PLASMID, 100, is_circular=True, seed=3), PLASMID, *GAP, 5)
    pairs = [*pairs_of(random_bases(9_000, 12), 40), *deep]
    found = assembled(tmp_path, pairs, min_count=4, trim="off")
    (contig,) = circles_of(found)
    assert is_rotation(contig, PLASMID)
    assert len(contigs_of(found)) == 2
    assert found.pairs is not None
    assert len(found.pairs.closed) == 1
