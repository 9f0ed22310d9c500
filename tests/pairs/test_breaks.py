"""Find planted wrong joins, and nothing in right sequences."""

from __future__ import annotations

import random

import pytest

from debruijn_gpu.assembly.break_options import BreakOptions
from debruijn_gpu.errors import ParameterError
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import pairs_of, random_bases
from tests.pairs.planted import breaks_of, genome_with_repeats, graph_of, places_of

GENOME = random_bases(24_000, 3)
LONG = {"depth": 30, "insert_bp": 2000, "spread_bp": 150, "read_bp": 100}


def wrong_of(kind):
    """Sequences of a wrong graph, sequences of the true genome, and the wrong joins of the first one."""
    if kind == "inversion":
        wrong = GENOME[:8000] + reverse_complement(GENOME[8000:15_000]) + GENOME[15_000:]
        return [wrong], [GENOME], [8000, 15_000]
    if kind == "relocation":
        wrong = GENOME[:6000] + GENOME[9000:18_000] + GENOME[6000:9000] + GENOME[18_000:]
        return [wrong], [GENOME], [6000, 15_000, 18_000]
    first, second = GENOME[:12_000], GENOME[12_000:]
    return [first[:5000] + second[7000:], second[:7000] + first[5000:]], [first, second], [5000]


@pytest.mark.parametrize("kind", ["inversion", "relocation", "translocation"])
@pytest.mark.parametrize("insert_bp", [300, 500])
@pytest.mark.parametrize("depth", first_quick([15, 40]))
def test_planted_joins_are_found(kind, insert_bp, depth, tmp_path):
    wrong, true, joins = wrong_of(kind)
    graph = graph_of(wrong, tmp_path)
    pairs = [pair for one in true for pair in pairs_of(one, depth, insert_bp, insert_bp / 10, read_bp=150)]
    found = breaks_of(graph, tmp_path, pairs)
    assert all(one.is_wrong for one in found)
    on_first = [one for one in found if one.sequence == found[0].sequence]
    places = places_of(on_first, graph, wrong[0] if kind != "translocation" else "N".join(wrong))
    assert len(found) == (2 if kind == "translocation" else len(joins))
    if kind == "translocation":
        places = [place for place in places_of(found, graph, "N".join(wrong)) if place[0] < len(wrong[0])]
    for (start, stop), join in zip(places, joins, strict=True):
        assert start - 3 <= join <= stop + 3  # bases on both sides may be the same
        assert stop - start < 100


@pytest.mark.parametrize("orientation", ["RF", "FF"])
def test_libraries_of_other_orientations_find_planted_joins(orientation, tmp_path):
    wrong, true, joins = wrong_of("inversion")
    graph = graph_of(wrong, tmp_path)
    found = breaks_of(graph, tmp_path, pairs_of(true[0], orientation=orientation, **LONG))
    assert [one.is_wrong for one in found] == [True] * len(joins)


def test_exchanged_mates_on_one_strand_find_the_same(tmp_path):
    wrong, true, _joins = wrong_of("inversion")
    graph = graph_of(wrong, tmp_path)
    pairs = pairs_of(true[0], orientation="FF", **LONG)
    assert breaks_of(graph, tmp_path, pairs) == breaks_of(graph, tmp_path, [pair[::-1] for pair in pairs])


@pytest.mark.parametrize("order", ["shuffled", "exchanged"])
def test_order_and_mates_do_not_matter(order, tmp_path):
    wrong, true, _joins = wrong_of("relocation")
    graph = graph_of(wrong, tmp_path)
    pairs = pairs_of(true[0], 20)
    others = [pair[::-1] for pair in pairs] if order == "exchanged" else random.Random(1).sample(pairs, len(pairs))
    expected = breaks_of(graph, tmp_path, pairs)
    assert expected
    assert breaks_of(graph, tmp_path, others) == expected


def test_copies_of_pairs_are_no_evidence(tmp_path):
    """Three distinct fragments are needed, however often two are sequenced."""
    pairs = pairs_of(GENOME, 20)
    graph = graph_of([GENOME], tmp_path)
    chimera = GENOME[5000:5100], reverse_complement(GENOME[15_000:15_100])
    assert breaks_of(graph, tmp_path, [*pairs, *[chimera] * 50]) == []


@pytest.mark.parametrize("seed", first_quick(range(10), 4))
def test_right_genomes_have_no_wrong_joins(seed, tmp_path):
    chance = random.Random(seed)
    genome = genome_with_repeats(30_000, chance.choice([25, 35, 50, 60, 70]), seed)
    depth, insert_bp = chance.choice([10, 20, 40, 60]), chance.choice([300, 500])
    pairs = pairs_of(genome, depth, insert_bp, insert_bp / 10, seed=seed, read_bp=150)
    assert breaks_of(graph_of([genome], tmp_path), tmp_path, pairs) == []


def test_gaps_and_steps_of_the_depth_are_no_wrong_joins(tmp_path):
    pairs = pairs_of(GENOME, 20, without=(12_000, 12_300)) + pairs_of(GENOME[:6000], 300, seed=2)
    found = breaks_of(graph_of([GENOME], tmp_path), tmp_path, pairs)
    assert [one for one in found if one.is_wrong] == []


def test_amplicons_are_no_wrong_joins(tmp_path):
    """Fragments of a few places, of very different depths."""
    chance = random.Random(5)
    pairs = []
    for start in range(0, 23_600, 300):
        fragment = GENOME[start : start + 400]
        for _ in range(chance.choice([3, 30, 300])):
            trimmed = fragment[chance.randrange(3) : len(fragment) - chance.randrange(3)]
            pair = trimmed[:100], reverse_complement(trimmed[-100:])
            pairs.append(pair if chance.random() < 0.5 else pair[::-1])
    assert breaks_of(graph_of([GENOME], tmp_path), tmp_path, pairs) == []


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_short_fragments_among_mate_pairs_are_no_evidence(share, tmp_path):
    """Mate pairs with a share of fragments of the other orientation, beside a short library."""
    mates = pairs_of(GENOME, 20 * (1 - share), 3000, 300, "RF", read_bp=100)
    mates += pairs_of(GENOME, 20 * share, 300, 30, seed=4)
    graph = graph_of([GENOME], tmp_path)
    assert breaks_of(graph, tmp_path, mates) == []
    assert breaks_of(graph, tmp_path, pairs_of(GENOME, 20, seed=7), mates) == []


def test_joins_among_mate_pairs_with_short_fragments_are_found(tmp_path):
    wrong, true, joins = wrong_of("inversion")
    mates = pairs_of(true[0], 15, 3000, 300, "RF") + pairs_of(true[0], 5, 300, 30, seed=4)
    found = breaks_of(graph_of(wrong, tmp_path), tmp_path, mates)
    assert [one.is_wrong for one in found] == [True] * len(joins)


def test_chimeric_pairs_are_no_evidence(tmp_path):
    pairs = pairs_of(GENOME, 30)
    chance = random.Random(2)
    chimeric = [(chance.choice(pairs)[0], chance.choice(pairs)[1]) for _ in range(len(pairs) // 10)]
    assert breaks_of(graph_of([GENOME], tmp_path), tmp_path, pairs + chimeric) == []


def test_no_pairs_find_nothing(tmp_path):
    graph = graph_of([GENOME], tmp_path)
    assert breaks_of(graph, tmp_path, pairs_of(GENOME, 0.1)) == []


def test_thresholds_are_checked():
    with pytest.raises(ParameterError, match="--break-least-across is 0"):
        BreakOptions(least_across=0)


def test_circular_genomes_have_no_wrong_joins(tmp_path):
    graph = graph_of([GENOME[:9000] + GENOME[:76]], tmp_path)
    assert graph.circular.tolist() == [True]
    assert breaks_of(graph, tmp_path, pairs_of(GENOME[:9000], 30, is_circular=True)) == []


def test_alleles_are_no_wrong_joins(tmp_path):
    """Insertions, deletions and substitutions of one of two haplotypes, with both or one of them in the graph."""
    chance = random.Random(8)
    other = "".join(chance.choice("ACGT") if chance.random() < 0.005 else base for base in GENOME)
    other = other[:5000] + random_bases(700, 31) + other[5000:12_000] + other[12_400:]
    pairs = pairs_of(GENOME, 15) + pairs_of(other, 15, seed=2)
    for sequences in ([GENOME, other], [GENOME], [other]):
        assert [one for one in breaks_of(graph_of(sequences, tmp_path), tmp_path, pairs) if one.is_wrong] == []


def test_strains_that_share_sequence_have_no_wrong_joins(tmp_path):
    other = random_bases(5000, 41) + GENOME[8000:10_000] + random_bases(5000, 42)
    pairs = pairs_of(GENOME, 10) + pairs_of(other, 80, seed=2)
    assert breaks_of(graph_of([GENOME, other], tmp_path), tmp_path, pairs) == []


@pytest.mark.parametrize("n_copies", [2, 4])
def test_repeats_with_one_copy_in_the_graph_are_no_wrong_joins(n_copies, tmp_path):
    """Fragments of the other copies lead elsewhere, and those of this copy span its ends."""
    repeat = GENOME[10_000:11_000]
    others = [(random_bases(3000, 50 + i), random_bases(3000, 60 + i)) for i in range(n_copies - 1)]
    pairs = pairs_of(GENOME, 30)
    for number, (before, behind) in enumerate(others):
        pairs += pairs_of(before + repeat + behind, 30, seed=number + 2)
    graph = graph_of([GENOME, *(part for pair in others for part in pair)], tmp_path)
    assert [one for one in breaks_of(graph, tmp_path, pairs) if one.is_wrong] == []
