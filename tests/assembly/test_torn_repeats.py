"""Ends that a larger k leaves over at a repeat."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly import torn_repeats
from debruijn_gpu.assembly.round_graphs import next_graph
from debruijn_gpu.assembly.situation import NOTHING_FOUND, Findings
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import compacted
from tests.helpers import batch_of, random_sequence, unpack
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

K, LONGER = 11, 17
FLANK_BP = 36


def next_unitigs(backend, places, reads):
    """The unitigs of the longer k of places of a genome, each in the strand that is first; their k-mers, and counts."""
    graph = compacted(backend, places, K)
    batch = batch_of([read for read in 4 * reads if len(read) >= LONGER]).moved(backend.to_device)
    longer, numbers = next_graph(graph, [batch], LONGER, NOTHING_FOUND, RunOptions(threads=1), backend)
    found = sorted(min(one, reverse_complement(one)) for one in unpack(longer.moved(backend.to_host).sequences))
    return found, numbers, int(backend.to_host(longer.kmer_counts).sum())


def in_one_strand(sequences):
    return sorted(min(one, reverse_complement(one)) for one in sequences)


def places_with(rng, repeat, n):
    """Places that differ right beside a repeat."""
    flanks = [[random_sequence(rng, FLANK_BP - 1) for _ in range(2)] for _ in range(n)]
    return [before + "ACG"[i] + repeat + "CGT"[i] + behind for i, (before, behind) in enumerate(flanks)]


def cut_within(place, repeat):
    """Reads of both sides of a place, which end within its repeat."""
    return [place[: FLANK_BP + len(repeat) - 1], place[FLANK_BP + 1 :]]


@pytest.mark.parametrize("n_bases", [10, 12, 15])
@pytest.mark.parametrize("is_turned", [False, True])
def test_only_way_left_over_is_joined(backend, n_bases, is_turned):
    rng = np.random.default_rng(n_bases)
    repeat = random_sequence(rng, n_bases)
    one, other = places_with(rng, repeat, 2)
    reads = [one, *cut_within(other, repeat)]
    if is_turned:
        other, reads = reverse_complement(other), [reverse_complement(read) for read in reads]
    found, numbers, n_counted = next_unitigs(backend, [one, other], reads)
    assert found == in_one_strand([one, other])
    n_kmers = sum(len(place) - LONGER + 1 for place in (one, other))
    assert numbers.n_kmers == n_kmers
    assert numbers.n_linked > 0
    assert n_counted == 4 * sum(max(0, len(read) - LONGER + 1) for read in reads)  # what no read has counts nothing


@pytest.mark.parametrize("n_without_reads", [0, 1, 2, 3])
def test_ways_between_several_ends_stay_open(backend, n_without_reads):
    rng = np.random.default_rng(14)
    repeat = random_sequence(rng, 13)
    places = places_with(rng, repeat, 3)
    reads = places[n_without_reads:] + [
        read for place in places[:n_without_reads] for read in cut_within(place, repeat)
    ]
    found, _numbers, _n_counted = next_unitigs(backend, places, reads)
    n_open = n_without_reads if n_without_reads > 1 else 0
    assert len(found) == len(places) + n_open
    assert set(in_one_strand(places[n_open:])) <= set(found)


def test_ends_in_a_tandem_array_stay_open(backend):
    """The array may have more units than the ends share."""
    rng = np.random.default_rng(5)
    unit = random_sequence(rng, 5)
    array = (unit * 5)[:21]
    sequences = [random_sequence(rng, 30) + array, array + random_sequence(rng, 30)]
    graph = compacted(backend, 2 * sequences, 23)
    assert len(torn_repeats.repair_torn_repeats(graph, 21, backend)) == 2
    plain = random_sequence(rng, 21)
    graph = compacted(backend, 2 * [random_sequence(rng, 30) + plain, plain + random_sequence(rng, 30)], 23)
    assert len(torn_repeats.repair_torn_repeats(graph, 21, backend)) == 1


def test_end_that_is_its_own_partner_stays_open(backend):
    rng = np.random.default_rng(6)
    half = random_sequence(rng, 6)
    graph = compacted(backend, 2 * [random_sequence(rng, 30) + half + reverse_complement(half)], 15)
    assert len(torn_repeats.repair_torn_repeats(graph, 11, backend)) == 1


def test_both_ends_of_a_unitig_make_a_circle(backend):
    rng = np.random.default_rng(7)
    circle = random_sequence(rng, 60)
    graph = compacted(backend, [circle + circle[:12]], 15)
    repaired = torn_repeats.repair_torn_repeats(graph, 11, backend)
    assert backend.to_host(repaired.circular).tolist() == [True]
    assert backend.to_host(repaired.n_kmers).tolist() == [60]
    (found,) = unpack(repaired.moved(backend.to_host).sequences)
    assert len(found) == 60 + 14
    assert found[:60] in circle * 2 or found[:60] in reverse_complement(circle) * 2


@pytest.mark.parametrize(
    ("shorter_k", "n_less", "n_left"), [(11, 0, 1), (11, 2, 1), (11, 3, 2), (14, 0, 2), (13, 0, 1)]
)
def test_ends_share_as_many_bases_as_neighbours_at_the_shorter_k(backend, shorter_k, n_less, n_left):
    rng = np.random.default_rng(8)
    shared = random_sequence(rng, 12)
    sequences = [random_sequence(rng, 40) + shared, shared[n_less:] + random_sequence(rng, 40)]
    graph = compacted(backend, 2 * sequences, 15)
    assert len(torn_repeats.repair_torn_repeats(graph, shorter_k, backend)) == n_left


@pytest.mark.parametrize("n_wrong", [0, 1])
def test_ends_with_another_base_in_the_middle_stay_open(backend, n_wrong):
    """Both sides of it are as long as what neighbours shared at the shorter k."""
    rng = np.random.default_rng(18)
    shared = random_sequence(rng, 12)
    other = shared[:6] + ("A" if shared[6] != "A" else "C") * n_wrong + shared[6 + n_wrong :]
    graph = compacted(backend, 2 * [random_sequence(rng, 40) + shared, other + random_sequence(rng, 40)], 15)
    assert len(torn_repeats.repair_torn_repeats(graph, 6, backend)) == 1 + n_wrong


@pytest.mark.parametrize("at_once", [1, 3])
def test_ends_are_looked_at_in_parts(backend, monkeypatch, at_once):
    rng = np.random.default_rng(9)
    sequences = []
    for _ in range(3):
        shared = random_sequence(rng, 12)
        sequences += [random_sequence(rng, 20) + shared, shared + random_sequence(rng, 20)]
    graph = compacted(backend, 2 * sequences, 15)
    whole = torn_repeats.repair_torn_repeats(graph, 11, backend)
    monkeypatch.setattr(torn_repeats, "_ENDS_AT_ONCE", at_once)
    parts = torn_repeats.repair_torn_repeats(graph, 11, backend)
    assert unpack(parts.moved(backend.to_host).sequences) == unpack(whole.moved(backend.to_host).sequences)
    assert len(whole) == 3


@pytest.mark.parametrize("n", [2, torn_repeats._MOST_ALIKE, torn_repeats._MOST_ALIKE + 1])
@pytest.mark.parametrize("seed", range(4))
def test_end_that_several_others_share_stays_open(backend, n, seed):
    """Whichever of its partners comes first, and however many there are."""
    rng = np.random.default_rng(20 + seed)
    shared = random_sequence(rng, 12)
    sequences = [random_sequence(rng, 18) + "ACGT"[i // 4] + "ACGT"[i % 4] + shared for i in range(n)]
    sequences.append(shared + random_sequence(rng, 20))
    graph = compacted(backend, 2 * sequences, 15)
    assert len(torn_repeats.repair_torn_repeats(graph, 11, backend)) == n + 1


@pytest.mark.parametrize("is_turned", [False, True])
def test_thin_third_end_keeps_others_open(backend, is_turned):
    rng = np.random.default_rng(19)
    shared = random_sequence(rng, 12)
    sequences = [random_sequence(rng, 40) + shared, shared + random_sequence(rng, 40)]
    thin = [shared + random_sequence(rng, 18) if is_turned else random_sequence(rng, 18) + shared]
    for third, n_left in (([], 1), (thin, 3)):
        graph = compacted(backend, 2 * sequences + third, 15)
        assert len(torn_repeats.repair_torn_repeats(graph, 11, backend)) == n_left


def test_start_that_many_ends_share_is_joined_to_no_other(backend):
    """So do many starts. One more end shares more with this one than the others do."""
    rng = np.random.default_rng(17)
    last = random_sequence(rng, 10)
    n = torn_repeats._MOST_ALIKE + 1
    codes = ["ACGT"[i // 4] + "ACGT"[i % 4] for i in range(n)]
    many = [random_sequence(rng, 18) + code[::-1] + last for code in codes]
    many += [last + code + random_sequence(rng, 18) for code in codes]
    two = [random_sequence(rng, 18) + "TT" + last + "TT", last + "TT" + random_sequence(rng, 20)]
    for others, n_left in (([], 1), (many, 2 * n + 2)):
        graph = compacted(backend, 2 * [*others, *two], 15)
        assert len(torn_repeats.repair_torn_repeats(graph, 11, backend)) == n_left


@pytest.mark.parametrize(
    ("flank_bp", "least_depth", "times", "n_left"),
    [
        (33, 0.0, 1, 1),
        (33, 1.0, 1, 1),
        (33, 1.5, 1, 2),
        (32, 0.0, 1, 2),
        (32, 0.0, 2, 1),
        (32, 1.0, 2, 2),
        (32, 1.0, 3, 1),
    ],
)
def test_thin_unitigs_stay_open_and_short_ones_of_few_reads(backend, flank_bp, least_depth, times, n_left):
    rng = np.random.default_rng(11)
    shared = random_sequence(rng, 12)
    sequences = [random_sequence(rng, 40) + shared, shared + random_sequence(rng, flank_bp)]
    graph = compacted(backend, times * sequences, 15)
    assert len(torn_repeats.repair_torn_repeats(graph, 11, backend, least_depth)) == n_left


@pytest.mark.parametrize("found", [NOTHING_FOUND, Findings(genomes=(1000, 300)), Findings(has_strains=True)])
def test_thin_ends_are_joined_in_samples_of_one_genome_alone(backend, found):
    """Long unitigs, half of whose k-mers no read has."""
    rng = np.random.default_rng(13)
    repeat = random_sequence(rng, 13)
    places = [random_sequence(rng, 60) + base + repeat + base + random_sequence(rng, 60) for base in "AC"]
    graph = compacted(backend, places, K)
    other = places[1]
    reads = [places[0], other[:30], other[60:74], other[-30:]]
    batch = batch_of([read for read in reads if len(read) >= LONGER]).moved(backend.to_device)
    longer, _numbers = next_graph(graph, [batch], LONGER, found, RunOptions(threads=1), backend)
    assert len(longer) == (2 if found is NOTHING_FOUND else 3)
