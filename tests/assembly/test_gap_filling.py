"""Gaps of simulated genomes: fillings against what was cut out."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.gap_filling import BACK_BP, LONGEST_BP, fill_gaps
from tests.assembly import gap_examples as examples
from tests.assembly.gap_examples import (
    END_BP,
    KINDS,
    Place,
    filled,
    gap_of,
    make_gap,
    random_bases,
    reverse_complement,
    simulated_reads,
    verdict,
)

DEPTHS, ERROR_RATES, SPREADS_BP, GCS, READS_BP = (
    (3, 5, 10, 20, 40),
    (0, 0.002, 0.01),
    (2, 10, 25),
    (25, 40, 70),
    (100, 150),
)
seeds = st.integers(0, 1 << 32)


def fill(gap):
    return fill_gaps([gap])[0]


def any_gap(kind, seed):
    """A place of a kind, and a gap with reads of any depth, length and error rate."""
    rng = np.random.default_rng(seed)
    place = kind(rng, rng.choice(GCS) / 100)
    depth, error_rate, spread_bp, read_bp = map(rng.choice, (DEPTHS, ERROR_RATES, SPREADS_BP, READS_BP))
    return place, gap_of(rng, place, depth, error_rate, spread_bp, int(read_bp)), int(depth)


def contents(filling):
    if filling is None:
        return None
    trims = filling.left_trim_bp, filling.right_trim_bp
    return filling.sequence.tolist(), filling.overlap_bp, trims, filling.kind, filling.n_reads, filling.k


def random_place(rng, distance_bp, gc=0.5):
    return examples.cut(random_bases(rng, 2 * END_BP + 400, gc), distance_bp)


@pytest.mark.parametrize("error_rate", [0, 0.01])
@pytest.mark.parametrize("gc", [0.25, 0.5, 0.7])
@pytest.mark.parametrize("distance_bp", [-60, -12, -3, 0, 1, 30, 250])
def test_deep_reads_fill_a_gap(distance_bp, gc, error_rate):
    rng = np.random.default_rng([distance_bp + 100, int(100 * gc)])
    place = random_place(rng, distance_bp, gc)
    gap = gap_of(rng, place, 40, error_rate)
    filling = fill(gap)
    assert verdict(place, gap, filling) == "right"
    assert len(filling.sequence) - filling.overlap_bp == distance_bp
    assert filling.kind == ("overlap" if distance_bp < 0 else "reads")
    assert filling.n_reads >= 2


@given(st.sampled_from(KINDS), seeds)
def test_fillings_are_independent_of_order_and_strand_of_reads(kind, seed):
    _place, gap, _depth = any_gap(kind, seed)
    rng = np.random.default_rng(seed)
    reads = np.split(gap.codes, gap.offsets[1:-1]) if len(gap.codes) else []
    others = [reads[i] if rng.random() < 0.5 else reverse_complement(reads[i]) for i in rng.permutation(len(reads))]
    other = make_gap(gap.left, gap.right, gap.estimate_bp, gap.spread_bp, others)
    assert contents(fill(gap)) == contents(fill(other))


@given(st.sampled_from(KINDS), seeds)
def test_filling_of_the_other_strand_is_the_reverse_complement(kind, seed):
    _place, gap, _depth = any_gap(kind, seed)
    other = fill(replace(gap, left=reverse_complement(gap.right), right=reverse_complement(gap.left)))
    filling = fill(gap)
    if filling is not None:
        sequence = reverse_complement(filling.sequence)
        trims = {"left_trim_bp": filling.right_trim_bp, "right_trim_bp": filling.left_trim_bp}
        filling = replace(filling, sequence=sequence, **trims)
    assert contents(filling) == contents(other)


def test_fillings_are_independent_of_threads():
    gaps = [any_gap(kind, seed)[1] for kind in KINDS for seed in range(3)]
    assert list(map(contents, fill_gaps(gaps, 3))) == list(map(contents, fill_gaps(gaps, 1)))


@given(st.sampled_from(KINDS), seeds)
def test_filling_has_its_invariants(kind, seed):
    _place, gap, _depth = any_gap(kind, seed)
    filling = fill(gap)
    if filling is None:
        return
    assert 0 <= filling.left_trim_bp <= BACK_BP
    assert 0 <= filling.right_trim_bp <= BACK_BP
    assert filling.overlap_bp == 0 or len(filling.sequence) == 0
    left, right = gap.left[: len(gap.left) - filling.left_trim_bp], gap.right[filling.right_trim_bp :]
    n = filling.overlap_bp
    assert np.array_equal(left[len(left) - n :], right[:n])
    distance = len(filling.sequence) - n - filling.left_trim_bp - filling.right_trim_bp
    assert abs(distance - gap.estimate_bp) <= 4 * gap.spread_bp + 20


def without_reads(place, estimate_bp=None, spread_bp=2.0):
    return make_gap(place.left, place.right, place.distance_bp if estimate_bp is None else estimate_bp, spread_bp, [])


def test_long_overlap_needs_no_read():
    rng = np.random.default_rng(1)
    place = random_place(rng, -40)
    filling = fill(without_reads(place))
    assert contents(filling) == ([], 40, (0, 0), "overlap", 0, 0)
    assert fill(without_reads(place, estimate_bp=0)) is None
    assert fill(without_reads(random_place(rng, 40))) is None


def test_short_overlap_has_to_be_near_the_estimate_unless_a_read_spans_it():
    rng = np.random.default_rng(2)
    place = random_place(rng, -12)
    read = place.sequence()[END_BP - 25 : END_BP + 15]
    assert contents(fill(without_reads(place)))[:2] == ([], 12)
    assert fill(without_reads(place, estimate_bp=10)) is None
    gap = make_gap(place.left, place.right, 10, 2.0, [read])
    assert contents(fill(gap))[:2] == ([], 12)
    assert fill(make_gap(place.left, place.right, 10, 2.0, [read[:-10]])) is None


@pytest.mark.parametrize(
    ("shared_bp", "spread_bp", "is_filled"),
    [(9, 10.0, True), (9, 25.0, True), (9, 32.0, False), (8, 2.0, False), (10, 32.0, True), (10, 140.0, False)],
)
def test_shortest_overlaps_need_an_estimate_that_leaves_few_to_chance(shared_bp, spread_bp, is_filled):
    rng = np.random.default_rng(7)
    place = random_place(rng, -shared_bp)
    filling = fill(without_reads(place, spread_bp=spread_bp))
    assert contents(filling) == (([], shared_bp, (0, 0), "overlap", 0, 0) if is_filled else None)


@pytest.mark.parametrize("shared", ["A" * 25, "A" * 20 + "CAAAA", "AC" * 12, "ACGTTGCAAC" * 2])
def test_overlap_of_low_complexity_is_none(shared):
    rng = np.random.default_rng(3)
    codes = np.array(["ACGT".index(base) for base in shared], np.uint8)
    left, right = (random_bases(rng, END_BP) for _ in range(2))
    place = Place(np.concatenate((left, codes)), codes[:0], np.concatenate((codes, right)), shared_bp=len(codes))
    assert fill(without_reads(place)) is None


def test_two_overlaps_are_ambiguous():
    rng = np.random.default_rng(4)
    unit, middle = random_bases(rng, 24), random_bases(rng, 5)
    shared = np.concatenate((unit, middle, unit))
    left = np.concatenate((random_bases(rng, END_BP), shared))
    right = np.concatenate((shared, random_bases(rng, END_BP)))
    assert fill(make_gap(left, right, -45, 10.0, [])) is None
    assert fill(make_gap(left, right, -53, 1.0, [])) is not None


@pytest.mark.parametrize("is_behind", [False, True])
@pytest.mark.parametrize("unlike", [0.0, 0.03])
def test_overlap_within_a_tandem_array_needs_a_read_or_a_sharp_estimate(is_behind, unlike):
    """An end may be in another copy than it seems, unless the copies are further apart than the estimate is wrong."""
    rng = np.random.default_rng(8)
    unit = random_bases(rng, 60)
    array = np.concatenate([unit, *(examples.changed(rng, unit, unlike) for _ in range(3))])
    shared_bp = 70
    ends = (array[:shared_bp], array) if is_behind else (array, array[-shared_bp:])
    left = np.concatenate((random_bases(rng, END_BP), ends[0]))
    right = np.concatenate((ends[1], random_bases(rng, END_BP)))
    assert fill(make_gap(left, right, -shared_bp, 8.0, [])) is None
    read = np.concatenate((left[-shared_bp - 15 :], right[shared_bp:][:15]))
    for spread_bp, reads in ((8.0, [read]), (5.0, [])):
        assert contents(fill(make_gap(left, right, -shared_bp, spread_bp, reads)))[:2] == ([], shared_bp)


def test_reads_contradict_an_overlap():
    rng = np.random.default_rng(5)
    place = random_place(rng, -40)
    read = np.concatenate((place.left[-60:], random_bases(rng, 20)))
    assert fill(make_gap(place.left, place.right, -40, 15.0, [])) is not None
    assert fill(make_gap(place.left, place.right, -40, 15.0, [read])) is None
    assert fill(make_gap(place.left, place.right, -40, 15.0, [reverse_complement(read)])) is None


@pytest.mark.parametrize("shared_bp", [60, 170])
def test_reads_of_another_copy_do_not_contradict_where_the_estimate_is_sure(shared_bp):
    """Ends that share up to 100 bases are found by a walk, too, which looks at 50 bases of each."""
    rng = np.random.default_rng(5)
    place = random_place(rng, -shared_bp)
    reads = [np.concatenate((place.left[-shared_bp - 10 :], random_bases(rng, 30))) for _ in range(3)]
    sure, just_sure, unsure = (shared_bp / parts for parts in (30, 4, 2.4))
    assert contents(fill(make_gap(place.left, place.right, -shared_bp, sure, reads)))[:2] == ([], shared_bp)
    assert fill(make_gap(place.left, place.right, -shared_bp, just_sure, reads)) is not None
    assert fill(make_gap(place.left, place.right, -shared_bp, unsure, reads)) is None


@pytest.mark.parametrize(("of_left", "trims", "n_shared"), [(26, (4, 0), 26), (9, (0, 10), 20)])
def test_overlap_with_an_error_takes_the_base_whose_end_is_farther(of_left, trims, n_shared):
    place = random_place(np.random.default_rng(6), -30)
    left = place.left.copy()
    left[len(left) - 30 + of_left] ^= 1
    assert contents(fill(make_gap(left, place.right, -30, 5.0, []))) == ([], n_shared, trims, "overlap", 0, 0)
    assert fill(make_gap(left, place.right, 10, 5.0, [])) is None


def test_overlap_with_an_error_may_stay_open():
    rng = np.random.default_rng(7)
    for n, places in ((31, [15]), (13, [3]), (30, [3, 9])):  # as far from both ends; too short; two errors
        place = random_place(rng, -n)
        left = place.left.copy()
        left[[len(left) - n + i for i in places]] ^= 1
        assert fill(make_gap(left, place.right, -n, 5.0, [])) is None
    place = random_place(rng, -30)
    left = place.left.copy()
    left[len(left) - 20] ^= 1
    read = np.concatenate((left[-60:], random_bases(rng, 20)))
    assert fill(make_gap(left, place.right, -30, 5.0, [])) is not None
    assert fill(make_gap(left, place.right, -30, 5.0, [read])) is None


def test_wrong_ends_are_replaced():
    rng = np.random.default_rng(6)
    place = random_place(rng, 50)
    gap = gap_of(rng, place, 30)
    left, right = place.left.copy(), place.right.copy()
    left[-3:] ^= 1
    right[10] ^= 2
    filling = fill(replace(gap, left=left, right=right))
    assert (filling.left_trim_bp, filling.right_trim_bp) == (3, 11)
    assert np.array_equal(filled(gap, filling), place.sequence())
    left[-BACK_BP - 40] ^= 1
    assert fill(replace(gap, left=left)) is not None, "further back, walks do not begin"


def test_few_reads_do_not_replace_bases_of_ends():
    rng = np.random.default_rng(7)
    place = random_place(rng, 10)
    reads = [place.sequence()[END_BP - 60 : END_BP + 60]] * 2
    gap = make_gap(place.left, place.right, 10, 2.0, reads)
    assert verdict(place, gap, fill(gap)) == "right"
    left = place.left.copy()
    left[-1] ^= 1
    assert fill(replace(gap, left=left)) is None


@pytest.mark.parametrize(("n_units", "read_bp", "outcome"), [(2, 100, "right"), (2, 50, "open"), (5, 100, "open")])
def test_tandem_repeat_is_filled_only_if_reads_and_kmers_span_it(n_units, read_bp, outcome):
    rng = np.random.default_rng(8)
    unit = random_bases(rng, 25)
    place = Place(random_bases(rng, END_BP), np.tile(unit, n_units), random_bases(rng, END_BP))
    gap = gap_of(rng, place, 60, read_bp=read_bp)
    assert verdict(place, gap, fill(gap)) == outcome


@pytest.mark.parametrize(("depths", "outcome"), [((20, 20), "open"), ((30, 15), "open"), ((40, 4), "right")])
def test_bubble_is_decided_by_three_times_the_support(depths, outcome):
    rng = np.random.default_rng(9)
    place = random_place(rng, 60)
    second = place.between.copy()
    second[30] ^= 1
    first, other = place.sequence(), place.sequence(second)
    reads = simulated_reads(rng, first, depths[0]) + simulated_reads(rng, other, depths[1])
    gap = make_gap(place.left, place.right, 60, 5.0, reads)
    assert verdict(place, gap, fill(gap)) == outcome


def with_errors(read, *places):
    codes = read.copy()
    codes[list(places)] ^= 1
    return codes


def test_single_reads_with_errors_beside_a_walk_of_one_read_are_no_branches():
    """Where two reads overlap, and one of them has errors, both have the same length."""
    rng = np.random.default_rng(14)
    place = random_place(rng, 60)
    whole = place.sequence()
    across = whole[END_BP - 45 : END_BP + 105]
    behind = with_errors(whole[END_BP + 10 : END_BP + 160], 25)
    gap = make_gap(place.left, place.right, 60, 20.0, [across, behind])
    assert verdict(place, gap, fill(gap)) == "right"
    two = with_errors(whole[END_BP + 10 : END_BP + 160], 25, 33)
    assert verdict(place, gap, fill(make_gap(place.left, place.right, 60, 20.0, [across, two]))) == "right"
    unlike = with_errors(whole[END_BP + 10 : END_BP + 160], *range(25, 45, 4))
    assert fill(make_gap(place.left, place.right, 60, 20.0, [across, unlike])) is None


@pytest.mark.parametrize("n_unlike", [1, 3, 40])
def test_one_of_two_reads_with_few_errors_fills_a_gap_in_both_strands(n_unlike):
    rng = np.random.default_rng(15)
    place = random_place(rng, 60)
    read = place.sequence()[END_BP - 45 : END_BP + 105]
    other = with_errors(read, *np.linspace(50, 100, n_unlike).astype(int))
    gap = make_gap(place.left, place.right, 60, 20.0, [read, other])
    filling = fill(gap)
    if n_unlike > 3:
        assert filling is None
        return
    assert len(filling.sequence) == 60
    turned = [reverse_complement(one) for one in (gap.right, gap.left)]
    back = fill(make_gap(*turned, 60, 20.0, [reverse_complement(other), read]))
    assert np.array_equal(reverse_complement(back.sequence), filling.sequence)


def test_reads_of_another_place_fill_nothing():
    rng = np.random.default_rng(10)
    place = random_place(rng, 60)
    reads = simulated_reads(rng, random_bases(rng, 800), 40)
    assert fill(make_gap(place.left, place.right, 60, 10.0, reads)) is None


def test_estimate_decides_against_a_filling():
    rng = np.random.default_rng(11)
    place = random_place(rng, 60)
    gap = gap_of(rng, place, 40)
    assert fill(replace(gap, estimate_bp=60, spread_bp=1)) is not None
    assert fill(replace(gap, estimate_bp=90, spread_bp=1)) is None
    assert fill(replace(gap, estimate_bp=2.0 * LONGEST_BP, spread_bp=1)) is None


def test_ambiguous_bases_and_short_reads_are_passed_over():
    rng = np.random.default_rng(12)
    place = random_place(rng, 60)
    gap = gap_of(rng, place, 40)
    codes = gap.codes.copy()
    codes[::97] = 4
    assert verdict(place, gap, fill(replace(gap, codes=codes))) == "right"
    reads = [*np.split(gap.codes, gap.offsets[1:-1]), codes[:5], codes[:0]]
    assert verdict(place, gap, fill(make_gap(gap.left, gap.right, 60, 10, reads))) == "right"


@pytest.mark.parametrize("n", [0, 5, 21])
def test_short_ends_are_taken(n):
    rng = np.random.default_rng(13)
    place = random_place(rng, 20)
    gap = gap_of(rng, place, 30)
    short = replace(gap, left=gap.left[len(gap.left) - n :], right=gap.right[:n])
    filling = fill(short)
    assert filling is None or np.array_equal(filling.sequence, place.between)


def test_no_gaps():
    assert fill_gaps([]) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_filling_is_wrong(kind):
    outcomes = Counter()
    for seed in range(150):
        place, gap, depth = any_gap(kind, [seed, KINDS.index(kind)])
        outcomes[verdict(place, gap, fill(gap)), depth >= 10] += 1
    assert outcomes["wrong", True] + outcomes["wrong", False] == 0
    assert outcomes["bases", True] == 0
    assert outcomes["bases", False] <= 3
    assert outcomes["right", True] >= 8
