"""Depth of single-copy sequence near each unitig where depths vary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.local_depth import find_chains, local_depths, varied_depths
from debruijn_gpu.assembly.rarer_genomes import Genomes
from debruijn_gpu.assembly.recurrent_errors import recurrent_errors
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.simple_bubbles import simple_bubbles
from debruijn_gpu.assembly.situation import Findings, Situation
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_accessory_sequence import chains_of
from tests.assembly.test_cleaning import CPU, graph_of, kept_kmers, other_base
from tests.assembly.test_rarer_genomes import sizes
from tests.assembly.test_single_copy_bubbles import graph_from, in_both_strands
from tests.assembly.test_thresholds import counts_of
from tests.helpers import random_sequence, unpack
from tests.naive.kmers import windows
from tests.naive.local_depths import local_depths as naive_local_depths

PER_READ = 130


def depths_of(edges, groups, per_read=PER_READ, backend=CPU):
    """Local depths of groups of equal unitigs, each given as number, k-mers, depth."""
    n_kmers, kmer_counts = sizes(*groups)
    return local_depths(graph_from(in_both_strands(edges), len(n_kmers)), n_kmers, kmer_counts, per_read, backend)


def test_a_repeat_has_the_depth_of_what_is_beside_it(backend):
    """A repeat of three copies of 5,000 k-mers, and one of two that is within it on one side."""
    edges = [(0, 8), (2, 8), (4, 10), (8, 10), (10, 6)]
    found = depths_of(edges, [(4, 3_000, 20), (1, 700, 40), (1, 5_000, 60)], backend=backend)
    assert found.tolist() == [20.0] * 6


def test_what_is_between_two_genomes_is_of_the_rarer_one():
    assert depths_of([(0, 4), (4, 2)], [(1, 3_000, 50), (1, 3_000, 6), (1, 100, 56)]).tolist() == [50.0, 6.0, 6.0]


def test_depths_of_one_genome_count_by_their_kmers():
    found = depths_of([(0, 6), (2, 6), (4, 6)], [(1, 4_000, 10), (1, 2_000, 13), (1, 2_000, 17), (1, 300, 60)])
    assert found[3] == pytest.approx((4_000 * 10 + 2_000 * 13) / 6_000)  # 17 is another genome


def test_the_nearest_depth_counts():
    """Between two genomes, each of two short unitigs has the depth of the one beside it."""
    found = depths_of([(0, 4), (4, 6), (6, 2)], [(1, 3_000, 50), (1, 3_000, 6), (2, 100, 60)])
    assert found.tolist() == [50.0, 6.0, 50.0, 6.0]


@pytest.mark.parametrize(("depth", "found"), [(12, 20.0), (5, 5.0)])
def test_a_short_chain_has_a_depth_of_its_own_if_it_is_of_another_genome(depth, found):
    """It is connected through a repeat, and reads tell its depth apart."""
    assert depths_of([(0, 4), (2, 4)], [(1, 3_000, 20), (1, 600, depth), (1, 100, 60)])[1] == found


def test_sequence_between_deeper_ones_has_its_own_depth_if_it_is_long():
    edges = [(0, 4), (4, 2), (2, 6)]
    assert depths_of(edges, [(1, 3_000, 10), (1, 2_000, 30), (2, 100, 70)])[1] == 30.0
    assert depths_of(edges, [(1, 3_000, 10), (1, 1_999, 30), (2, 100, 70)])[1] == 10.0


@pytest.mark.parametrize(
    ("depths", "found"), [((7, 21), 8.0), ((25, 50), 30.0), ((0, 0), 0.0), ((15, 50), 8.0), ((16, 50), 30.0)]
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_what_is_connected_with_nothing_known_has_the_depth_of_a_genome(depths, found, is_turned):
    """Within a repeat that ends where reads are missing, a quarter of the k-mers is single-copy."""
    apart = [(1, 100, depths[0]), (1, 300, depths[1])]
    groups = [(1, 3_000, 8), (1, 3_000, 30), *(apart[::-1] if is_turned else apart)]
    assert depths_of([(4, 6)], groups).tolist() == [8.0, 30.0, found, found]


def test_a_short_chain_of_three_copies_beside_two_is_no_single_copy():
    """By 1.5 times the depth beside it; a long one would be."""
    edges = [(0, 2), (2, 4)]
    short = [(1, 100, 40), (1, 1_999, 60), (1, 100, 80), (1, 3_000, 20)]
    assert depths_of([*edges, (6, 0)], short).tolist() == [20.0] * 4
    assert depths_of([*edges, (6, 0)], [short[0], (1, 2_000, 60), *short[2:]])[1] == 60.0


def test_depths_are_handed_on_over_fifty_steps():
    """What is farther has the depth that a quarter of its k-mers has."""
    n = 60
    edges = [(2 * i, 2 * i + 2) for i in range(n)]
    found = depths_of(edges, [(1, 3_000, 10), (n - 1, 50, 12), (1, 50, 300)])
    assert found.tolist() == [10.0] * (n + 1)
    found = depths_of(edges, [(1, 3_000, 10), (n, 50, 12), (1, 3_000, 13)])
    assert found[50] == 10.0
    assert found[51:].tolist() == [13.0] * (n - 49)


def test_nothing_is_known_without_long_chains():
    assert depths_of([(0, 2)], [(2, 400, 10)]).tolist() == [0.0, 0.0]
    assert depths_of([], [(1, 0, 0)]).tolist() == [0.0]
    assert len(local_depths(graph_from(set(), 0), *[np.zeros(0, np.int64)] * 2, PER_READ, CPU)) == 0


def test_both_sides_of_bubbles_are_of_their_chain(backend):
    """Of two bubbles in a row, the first has sides of different lengths; the whole is as long as the longer ones."""
    edges = [(0, 2), (0, 4), (2, 6), (4, 6), (6, 8), (6, 10), (8, 12), (10, 12)]
    n_kmers, kmer_counts = sizes(
        (1, 1_000, 30), (1, 41, 10), (1, 42, 20), (1, 1_000, 30), (1, 41, 5), (1, 41, 25), (1, 900, 30)
    )
    graph = graph_from(in_both_strands([(12, 14), *edges]), 8)
    n_kmers, kmer_counts = np.append(n_kmers, 50), np.append(kmer_counts, 50 * 90)
    chains = find_chains(graph, n_kmers, kmer_counts, backend)
    assert chains.of.tolist() == [0] * 7 + [1]
    assert chains.n_kmers.tolist() == [2_983, 50]
    assert chains.depths[0] == pytest.approx(kmer_counts[:7].sum() / 2_983)
    assert {*zip(chains.tails.tolist(), chains.heads.tolist(), strict=True)} == {(12, 14), (15, 13)}
    expected = [kmer_counts[:7].sum() / 2_983] * 8
    assert local_depths(graph, n_kmers, kmer_counts, PER_READ, backend) == pytest.approx(expected)


@given(
    st.lists(st.tuples(st.integers(0, 15), st.integers(0, 15)), max_size=14),
    st.lists(
        st.tuples(st.sampled_from([0, 40, 500, 1999, 2000, 9000]), st.sampled_from([0, 1, 3, 8, 11, 16, 30])),
        min_size=8,
        max_size=8,
    ),
    st.sampled_from([1, PER_READ]),
)
def test_depths_are_those_of_walks(pairs, unitigs, per_read):
    n_kmers, depths = np.array(unitigs, np.int64).T
    edges = in_both_strands(pairs)
    graph = graph_from(edges, 8)
    assume(not len(simple_bubbles(graph)[0]))
    found = local_depths(graph, n_kmers, n_kmers * depths, per_read, CPU)
    expected = naive_local_depths(edges, n_kmers.tolist(), (n_kmers * depths).tolist(), per_read)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("groups", "depths", "varies"),
    [
        ([(20, 3_000, 30)], [30.0], False),
        ([(17, 3_000, 30), (3, 3_000, 10)], [30.0], True),
        ([(18, 3_000, 30), (2, 3_000, 10)], [30.0], False),  # a tenth
        ([(35, 3_000, 30), (5, 3_000, 10)], [30.0], True),
        ([(20, 3_000, 50)], [30.0], False),  # of one depth, which is not that of the peak
        ([(10, 3_000, 30), (10, 3_000, 10)], [30.0], True),
        ([(10, 3_000, 30), (10, 3_000, 10)], [30.0, 10.0], False),
        ([(10, 3_000, 30), (10, 3_000, 50)], [30.0], True),
        ([(10, 3_000, 30), (10, 3_000, 38)], [30.0], False),  # within a factor of 1.25, and what reads tell
        ([(10, 300_000, 30), (10, 300_000, 39)], [30.0], True),
        ([(5, 3_000, 30), (4, 3_000, 10)], [30.0], False),  # few
        ([(30, 499, 30), (30, 499, 10)], [30.0], False),  # short
    ],
)
def test_depth_varies_if_some_depths_do_not_describe_it(groups, depths, varies):
    n_kmers, kmer_counts = sizes(*groups)
    chains = find_chains(graph_from(set(), len(n_kmers)), n_kmers, kmer_counts, CPU)
    assert (varied_depths(chains, depths, PER_READ) is not None) == varies


@pytest.mark.parametrize(
    ("n_linked", "n_plain", "n_deep", "varies"),
    [
        (2, 5, 0, False),
        (1, 5, 0, True),  # less than a third of what is rare leads to the rest
        (2, 6, 0, True),  # half of the sequence has no bubbles
        (2, 5, 1, False),
        (2, 5, 2, True),  # more than a tenth is deeper
    ],
)
def test_depths_of_some_of_the_haplotypes_of_a_genome_do_not_vary(n_linked, n_plain, n_deep, varies):
    """Six chains with a bubble, and five chains of a third of their depth."""
    groups = (6, 3_000, 30, 1), (n_plain, 3_000, 30, 0), (5, 3_000, 10, 0), (n_deep, 3_000, 60, 0)
    given = chains_of(*groups, links=[(0, 2 * (6 + n_plain + i)) for i in range(n_linked)])
    assert (varied_depths(given, [30.0], PER_READ) is not None) == varies


def test_the_rarest_and_the_deepest_are_told():
    n_kmers, kmer_counts = sizes((2, 3_000, 200), (10, 3_000, 50), (20, 3_000, 20), (10, 3_000, 5), (2, 3_000, 2))
    chains = find_chains(graph_from(set(), len(n_kmers)), n_kmers, kmer_counts, CPU)
    assert varied_depths(chains, [20.0], PER_READ) == (5.0, 50.0)


def test_depths_nearby_are_those_of_genomes_whatever_the_usual_depth():
    """Deep sequence beside rare one has its depth to the last digit."""
    n_kmers, kmer_counts = sizes((1, 3_000, 50_000), (1, 3_000, 6), (1, 100, 50_006))
    graph = graph_from(in_both_strands([(0, 4), (4, 2)]), 3)
    for depth in (20.0, 50_000.0):
        genomes = Genomes(depth, (2500, 300), kmers_per_read=PER_READ)
        assert genomes.depths_of(graph, n_kmers, kmer_counts, CPU).tolist() == [50_000.0, 6.0, 6.0]
    assert Genomes(30.0, (1000, 200)).depths_of(graph, n_kmers, kmer_counts, CPU).tolist() == [30.0, 6.0, 6.0]


def test_copies_are_told_in_genomes_that_are_deep_enough():
    """By the depth that alleles are told from, at the smallest k."""
    graph = graph_of({random_sequence(np.random.default_rng(i), 2_600): depth for i, depth in enumerate((20, 7, 8))})[0]
    situation = Situation(10.0, genomes=(2000, 700), least_part=800, kmers_per_read=PER_READ)
    depths = sorted(np.asarray(situation.depths_of(graph, CPU)).tolist())
    assert depths == [0.0, 8.0, 20.0]


def test_recurrent_errors_are_rare_beside_their_own_genome():
    """Rare sequence between shared one of great depth is no error, if it is of a rare genome."""
    deep, rare = (random_sequence(np.random.default_rng(i), 2_600) for i in (3, 4))
    error = other_base(deep[1_000])
    wrong = deep[950:1_000] + error + random_sequence(np.random.default_rng(5), 20)
    graph = graph_of({deep: 500, rare: 4, wrong: 6, rare[2_000:2_580] + deep[2_000:2_050]: 4})[0]
    n_kmers, depths = graph.n_kmers, graph.kmer_counts / graph.n_kmers
    found = recurrent_errors(graph, CleanOptions(), Situation(30.0, genomes=(17_000, 100), kmers_per_read=130), CPU)
    assert found.any()
    assert (np.round(depths[found]) == 6).all()
    assert (n_kmers[found] < 63).all()


@pytest.fixture(scope="module")
def community():
    """Reads of genomes of four depths; the second rarest has a repeat of two copies that differ in one base, and the
    deepest a variant of half of its depth."""
    rng = np.random.default_rng(15)
    found = {random_sequence(rng, 2_600): depth for depth in (100, 40, 16, 9) for _ in range(6)}
    repeat = random_sequence(rng, 401)
    copies = [repeat, repeat[:200] + other_base(repeat[200]) + repeat[201:]]
    flanks = [random_sequence(rng, 2_500) for _ in range(4)]
    found |= {flanks[i] + copy + flanks[i + 2]: 16 for i, copy in enumerate(copies)}
    other = random_sequence(rng, 2_601)
    variants = [other, other[:1_300] + other_base(other[1_300]) + other[1_301:]]
    return found | {variants[0]: 55, variants[1]: 45}, copies, variants


@pytest.mark.parametrize("depth", [20, 16, 40])
def test_copies_are_kept_and_variants_removed_in_each_genome_of_a_community(community, depth):
    """Whatever the depth of most k-mers: each copy has a sixth of the depth of the deepest genome."""
    reads, copies, variants = community
    options = CleanOptions(strand_chance=0.0, bubble_ratio=0.1)
    cleaner = RoundCleaner(options, counts_of(depth), None, RunOptions(), CPU)
    graph, _cleaned, _deferred = cleaner.clean(graph_of(reads)[0], True, [])
    kept = set(kept_kmers(graph))
    assert cleaner.found.has_local_depths
    assert [_is_whole(copy, kept, graph.k) for copy in copies] == [True, True]
    assert [_is_whole(variant, kept, graph.k) for variant in variants] == [True, False]


def test_rare_sequence_is_kept_where_depths_vary(community):
    """A short unitig of nothing but itself, of less than half of the mean depth."""
    short = random_sequence(np.random.default_rng(18), 35)
    cleaner = RoundCleaner(CleanOptions(strand_chance=0.0), counts_of(20), None, RunOptions(), CPU)
    graph, _cleaned, _deferred = cleaner.clean(graph_of(community[0] | {short: 5})[0], True, [])
    assert _is_whole(short, set(kept_kmers(graph)), graph.k)


@pytest.mark.parametrize(("deepest", "n_bubbles"), [(1200, 0), (1000, 1)])
def test_reads_are_few_if_those_of_the_deepest_genome_are(deepest, n_bubbles):
    """At 4x, any rarer side of a bubble goes; beside a genome of 4.8x, copies are told from errors."""
    a = random_sequence(np.random.default_rng(2), 300)
    found = Findings(genomes=(deepest, 500), has_local_depths=True)
    cleaner = RoundCleaner(CleanOptions(), counts_of(4), None, RunOptions(), CPU, found)
    sides = {a: 3, a[:150] + other_base(a[150]) + a[151:]: 2}
    assert cleaner.clean(graph_of(sides)[0], False, [])[1].bubbles == n_bubbles


@pytest.mark.parametrize("has_strains", [False, True])
def test_rare_sequence_is_kept_in_strains_whose_depths_vary(has_strains):
    reads = {
        random_sequence(np.random.default_rng(i), 300 if depth > 9 else 35): depth for i, depth in enumerate((90, 5))
    }
    found = Findings(genomes=(3000, 200), has_local_depths=True, has_strains=has_strains)
    cleaner = RoundCleaner(CleanOptions(), counts_of(20), None, RunOptions(), CPU, found)
    assert cleaner.clean(graph_of(reads)[0], False, [])[1].isolated == 0


def test_alleles_leave_the_depth_of_the_sample_where_depths_vary(community):
    """What both sides of bubbles have together is the depth of some genome."""
    rng = np.random.default_rng(19)
    alleles = {}
    for _ in range(30):
        one = random_sequence(rng, 700)
        alleles |= {one: 20, one[:350] + other_base(one[350]) + one[351:]: 20}
    counts = counts_of(10, ks=(21, 31), falls_by=1.2)
    cleaner = RoundCleaner(CleanOptions(strand_chance=0.0), counts, None, RunOptions(), CPU)
    graph, _cleaned, _deferred = cleaner.clean(graph_of(community[0] | alleles)[0], True, [])
    assert cleaner.found.has_local_depths
    assert cleaner.found.has_two_alleles
    assert cleaner.found.of_peak == 1.0
    assert sum(len(bases) == 700 for bases in unpack(graph.sequences)) == 30


def test_one_depth_counts_where_alleles_are_no_question(community):
    cleaner = RoundCleaner(CleanOptions(haplotype_ratio=0.0), counts_of(20), None, RunOptions(), CPU)
    cleaner.clean(graph_of(community[0])[0], True, [])
    assert not cleaner.found.has_local_depths


def _is_whole(sequence, kept, k):
    turned = str.maketrans("ACGT", "TGCA")
    return kept.issuperset(min(word, word[::-1].translate(turned)) for word in windows(sequence, k))


@pytest.mark.parametrize("has_levels", [True, False])
def test_depths_that_some_genomes_or_one_depth_describe_are_not_asked_nearby(has_levels):
    """Two genomes that are found as such; one whose depth is not that of the peak, as of two strains together."""
    rng = np.random.default_rng(16)
    depths = (60, 15) if has_levels else (60, 60)
    reads = {random_sequence(rng, 2_600): depth for depth in depths for _ in range(12)}
    cleaner = RoundCleaner(
        CleanOptions(strand_chance=0.0), counts_of(60 if has_levels else 35), None, RunOptions(), CPU
    )
    cleaner.clean(graph_of(reads)[0], True, [])
    assert not cleaner.found.has_local_depths
    assert cleaner.found.genomes == ((1000, 250) if has_levels else ())


def test_the_last_k_decides_where_depths_vary():
    graph = graph_of({random_sequence(np.random.default_rng(17), 600): 20})[0]
    found = Findings(genomes=(2000, 500), has_local_depths=True)
    assert (
        RoundCleaner(CleanOptions(), counts_of(20), None, RunOptions(), CPU, found).clean(graph, False, [])[2] is None
    )
