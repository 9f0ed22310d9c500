"""Cleaning removes errors and keeps sequence that resembles them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.assembly.clean_options import CleanOptions
from debruijn_gpu.assembly.cleaning import CleanCounts, clean
from debruijn_gpu.assembly.contigs import spell
from debruijn_gpu.assembly.recurrent_errors import recurrent_errors, weakly_linked
from debruijn_gpu.assembly.situation import Situation
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples, random_sequence, sequences_of, table_of, unpack
from tests.naive import kmers as naive_kmers
from tests.naive.kmers import canonical

CPU = backends.load(RunOptions(backend="cpu", threads=2))
K = 21
_RNG = np.random.default_rng(8)
A, B, C, D = (random_sequence(_RNG, 300) for _ in range(4))
#: Sequences that leave A, share C, and come back to A elsewhere
RECURRENT = tuple(A[at : at + 40] + C[:40] + A[at + 100 : at + 140] for at in (40, 90))


def graph_of(reads: dict[str, int], k: int = K):
    """Build the unitig graph of reads with their numbers of copies, and count their k-mers."""
    counts: Counter[str] = Counter()
    for read, copies in reads.items():
        for kmer, n in naive_kmers.count([read], k).items():
            counts[kmer] += n * copies
    table = table_of(counts, k)
    return unitig_graph(kmer_graph(table, CPU), table, CPU), counts


def kept_kmers(graph) -> list[str]:
    """Canonical k-mers of the sequences of a unitig graph."""
    return [canonical(kmer) for sequence in unpack(graph.sequences) for kmer in naive_kmers.windows(sequence, graph.k)]


def cleaned(reads: dict[str, int], depth: float = 0.0, **options) -> tuple[set[str], CleanCounts]:
    """The sequences that cleaning leaves, and what it counted."""
    graph, _kmer_counts = graph_of(reads)
    graph, counts = clean(graph, CleanOptions(**options), CPU, Situation(depth))
    return set(sequences_of(spell(graph, CPU))), counts


def removed(counts: CleanCounts) -> dict[str, int]:
    return {name: n for name, n in vars(counts).items() if n and name not in ("rounds", "by_round")}


def other_base(letter: str) -> str:
    return "ACGT"["ACGT".index(letter) ^ 1]


def with_error(sequence: str, at: int) -> str:
    return sequence[:at] + other_base(sequence[at]) + sequence[at + 1 :]


def whole(*sequences: str) -> set[str]:
    return {canonical(sequence) for sequence in sequences}


def test_nothing_to_clean():
    assert cleaned({A: 20}) == (whole(A), CleanCounts(rounds=1))


@pytest.mark.parametrize("length", [1, 5, K])
@pytest.mark.parametrize("side", [1, -1])
def test_a_tip_goes(length, side):
    """A read that ends in an error; of either strand."""
    tip = A[100:200] + other_base(A[200]) + random_sequence(_RNG, length - 1)
    found, counts = cleaned({A: 20, tip if side == 1 else naive_kmers.reverse_complement(tip): 3})
    assert (found, removed(counts)) == (whole(A), {"tips": 1})


def test_a_longer_tip_goes_only_where_it_is_rare():
    tip = A[100:200] + random_sequence(_RNG, 2 * K)
    assert cleaned({A: 20, tip: 9})[0] == whole(A)
    assert removed(cleaned({A: 20, tip: 11})[1]) == {}
    assert removed(cleaned({A: 20, A[100:200] + B[: 4 * K]: 1})[1]) == {}


def test_a_fork_of_equals_is_kept():
    ends = B[: K + 1], C[: K + 1]
    found, counts = cleaned({A + ends[0]: 10, A + ends[1]: 10})
    assert removed(counts) == {}
    assert found == whole(A, *(A[1 - K :] + end for end in ends))


def test_of_equal_tips_one_goes_and_then_the_other():
    """Two reads with one error that end differently: the fork that they make is not a real one."""
    error = A[100:200] + other_base(A[200]) + A[201:210]
    found, counts = cleaned({A: 20, error + B[:9]: 1, error + C[:9]: 1})
    assert (found, removed(counts)) == (whole(A), {"tips": 2})


def test_the_thin_end_of_a_molecule_is_kept():
    assert cleaned({A: 1, A[:200]: 30}) == (whole(A), CleanCounts(rounds=1))


def test_two_errors_at_one_place_go_and_what_they_hid_is_joined():
    tips = {A[100:200] + other: 1 for other in "ACGT" if other != A[200]}
    found, counts = cleaned({A: 20, **tips})
    assert (found, removed(counts)) == (whole(A), {"tips": 3})


def test_a_bubble_goes():
    found, counts = cleaned({A: 30, with_error(A, 150): 3})
    assert (found, removed(counts)) == (whole(A), {"bubbles": 1})


def test_of_two_alleles_one_stays_whole():
    alleles = A, with_error(A, 150)
    found, counts = cleaned(dict.fromkeys(alleles, 10), depth=20)
    assert removed(counts) == {"bubbles": 1}
    assert len(found) == 1
    assert found <= whole(*alleles)


def test_where_depth_does_not_tell_copies_only_the_ratio_decides():
    alleles = A, with_error(A, 150)
    assert removed(cleaned(dict.fromkeys(alleles, 10))[1]) == {}
    assert removed(cleaned({A: 14, with_error(A, 150): 3})[1]) == {}
    assert removed(cleaned({A: 20, with_error(A, 150): 2})[1]) == {"bubbles": 1}


@pytest.mark.parametrize(("depth", "is_heterozygous", "n_popped"), [(6, False, 0), (6, True, 1), (7, False, 1)])
def test_where_a_k_leaves_few_reads_both_sides_together_tell_alleles_from_copies(depth, is_heterozygous, n_popped):
    """Beside copies of a repeat there may be as few reads as beside alleles: here 5, and 5 and 4 on the sides."""
    graph, _kmer_counts = graph_of({A: 5, with_error(A, 150)[125:176]: 4})
    situation = Situation(depth, has_two_alleles=is_heterozygous)
    assert clean(graph, CleanOptions(), CPU, situation)[1].bubbles == n_popped


@pytest.mark.parametrize(("n", "n_popped"), [(2, 1), (3, 0), (14, 0), (20, 0)])
def test_copies_of_a_repeat_that_differ_are_kept_where_one_is_less_deep(n, n_popped):
    """A side of 0.7 of the depth of single-copy sequence is no allele beside neighbours as deep as two copies."""
    repeat = D[:150]
    reads = {A + repeat + B: 20, C + with_error(repeat, 75) + D[200:]: n}
    assert cleaned(reads, depth=15)[1].bubbles == n_popped
    assert cleaned(reads, depth=15, haplotype_flank=9.0)[1].bubbles == (n <= 11)


@pytest.mark.parametrize(
    ("n_others", "depth", "kind"),
    [(1, 20, None), (4, 20, None), (6, 20, None), (6, 0, "erroneous_connections"), (10, 20, "bubbles")],
)
def test_one_of_five_copies_of_a_repeat_is_kept(n_others, depth, kind):
    repeat = D[:150]
    reads = {A + repeat + B: 20 * n_others, C + with_error(repeat, 75) + D[200:]: 20}
    assert removed(cleaned(reads, depth=depth)[1]) == ({} if kind is None else {kind: 1})


def test_dead_ends_after_the_first_k_are_kept_unless_they_are_rare():
    """A copy of a repeat that no read spans at one place, one of ten copies, single reads with an error, and others."""
    copy = A[100:200] + random_sequence(_RNG, K)
    assert removed(cleaned({A: 10, copy: 8})[1]) == {"tips": 1}
    for n, others, found in ((8, 11, {}), (2, 19, {}), (1, 4, {}), (1, 5, {"tips": 1}), (2, 21, {"tips": 1})):
        graph, _kmer_counts = graph_of({A: others, copy: n})
        assert removed(clean(graph, CleanOptions().later, CPU)[1]) == found


@pytest.mark.parametrize("n_bases", [1, 3])
def test_a_bubble_of_a_deletion_goes(n_bases):
    found, counts = cleaned({A: 30, A[:150] + A[150 + n_bases :]: 3})
    assert (found, removed(counts)) == (whole(A), {"bubbles": 1})


def test_paths_of_different_length_are_kept():
    longer = A[:150] + B[:12] + A[150:]
    _found, counts = cleaned({A: 20, longer: 10})
    assert removed(counts) == {}


def test_bubbles_within_bubbles_go():
    reads = {A: 90, with_error(A, 150): 6, with_error(with_error(A, 150), 155): 2, with_error(A, 160): 1}
    found, _counts = cleaned(reads)
    assert found == whole(A)


def test_an_erroneous_connection_goes():
    found, counts = cleaned({A: 20, B: 20, A[100:150] + B[150:200]: 1})
    assert (found, removed(counts)) == (whole(A, B), {"erroneous_connections": 1})


def test_a_connection_that_is_often_seen_is_kept():
    _found, counts = cleaned({A: 20, B: 20, A[100:150] + B[150:200]: 8})
    assert removed(counts) == {}


def test_a_repeat_is_kept():
    repeat = D[:50]
    found, counts = cleaned({A + repeat + B + repeat + C: 20})
    assert removed(counts) == {}
    assert canonical(A[1 - K :] + repeat + B[: K - 1]) not in found
    assert len(found) == 4


def test_an_inverted_repeat_is_kept():
    _found, counts = cleaned({A + D[:50] + B + naive_kmers.reverse_complement(D[:50]) + C: 20})
    assert removed(counts) == {}


def test_an_isolated_low_coverage_component_goes():
    found, counts = cleaned({A: 20, B[: 2 * K - 1]: 1})
    assert (found, removed(counts)) == (whole(A), {"isolated": 1})


@pytest.mark.parametrize("other", [{B[:100]: 1}, {B[:30]: 20}, {B[:40] + B[:20]: 1}])
def test_what_is_long_or_covered_or_circular_is_kept(other):
    found, counts = cleaned({A: 20, **other})
    assert removed(counts) == {}
    assert len(found) == 2


def test_a_circular_contig_of_one_kmer():
    found, counts = cleaned({"A" * 60: 5})
    assert (found, removed(counts)) == ({"A" * K}, {})


def test_errors_where_a_circular_contig_closes():
    circular = A + A[: K - 1]
    found, counts = cleaned({circular: 20, A[-60:] + other_base(A[0]) + "ACCT": 2})
    assert removed(counts) == {"tips": 1}
    assert {len(sequence) for sequence in found} == {len(circular)}


def test_rounds_end():
    assert cleaned({A: 20, with_error(A, 150): 3}, max_rounds=1)[1].rounds == 1
    assert cleaned({A: 20, with_error(A, 150): 3})[1].rounds == 2


def test_counts_of_what_is_left_add_up():
    graph, kmer_counts = graph_of({A: 20, with_error(A, 150): 3, B[: K + 3]: 1})
    left, _counts = clean(graph, CleanOptions(), CPU)
    kmers = kept_kmers(left)
    assert len(set(kmers)) == len(kmers) == left.n_kmers.sum()
    assert sum(kmer_counts[kmer] for kmer in kmers) == left.kmer_counts.sum()


@settings(max_examples=n_examples(60))
@given(
    reads=st.lists(st.tuples(st.text("ACGT", min_size=5, max_size=40), st.integers(1, 9)), min_size=1, max_size=8),
    k=st.sampled_from([3, 5]),
)
def test_any_graph_can_be_cleaned(reads, k):
    graph, kmer_counts = graph_of(dict(reads), k)
    left, counts = clean(graph, CleanOptions(), CPU)
    kmers = kept_kmers(left)
    assert len(set(kmers)) == len(kmers)
    assert left.kmer_counts.sum() == sum(kmer_counts[kmer] for kmer in kmers)
    assert (counts.removed == 0) == (len(kmers) == len(kmer_counts))
    assert set(naive_kmers.count(sequences_of(spell(left, CPU)), k)) == set(kmers)


@pytest.mark.parametrize(
    ("depths", "n_popped"), [((1, 3), 1), ((1, 1), 0), ((2, 6), 0), ((2, 66), 0), ((2, 67), 1), ((5, 5), 0)]
)
def test_before_the_last_k_only_bubbles_of_one_read_or_a_few_percent_of_the_depth_go(depths, n_popped):
    rare, kept = depths
    graph, _kmer_counts = graph_of({with_error(A, 150): rare, A: kept})
    assert clean(graph, CleanOptions().deferring, CPU, Situation(is_early=True))[1].bubbles == n_popped
    assert clean(graph, CleanOptions(), CPU, Situation(depth=rare + kept))[1].bubbles == 1


def weak_ends(row_ptr: list[int], col: list[int], depths: list[float], ratio: float) -> list[bool]:
    """The naive twin of `weakly_linked`."""
    edges = [(v, w) for v in range(len(row_ptr) - 1) for w in col[row_ptr[v] : row_ptr[v + 1]]]

    def is_weak(v: int) -> bool:
        into = [max(depths[x >> 1] for x, head in edges if head == w) for tail, w in edges if tail == v]
        return bool(into) and all(depths[v >> 1] <= ratio * depth for depth in into)

    return [is_weak(2 * u) or is_weak(2 * u + 1) for u in range(len(depths))]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9))), st.lists(st.integers(1, 9), min_size=5, max_size=5))
def test_weakly_linked_unitigs_have_a_deeper_rival_at_one_end(pairs, depths):
    edges = sorted({edge for v, w in pairs for edge in ((v, w), (w ^ 1, v ^ 1))})
    row_ptr = np.searchsorted([v for v, _w in edges], np.arange(11)).astype(np.int64)
    col = np.array([w for _v, w in edges], np.uint32)
    found = weakly_linked(row_ptr, col, np.array(depths, np.float64), 0.5)
    assert found.tolist() == weak_ends(row_ptr.tolist(), col.tolist(), depths, 0.5)


@pytest.mark.cuda
@pytest.mark.parametrize(("ratio", "is_split"), [(0.0, False), (0.02, True)])
def test_rare_sequence_that_leaves_a_plasmid_is_disconnected(backend, ratio, is_split):
    """Rare reads leave a deep cycle at two places, share a sequence, and come back elsewhere."""
    cycle = A + A[: K - 1]
    graph = graph_of({cycle: 200, **dict.fromkeys(RECURRENT, 2)})[0].moved(backend.to_device)
    graph, counts = clean(graph, CleanOptions(disconnect_ratio=ratio, recurrent_ratio=0), backend)
    sequences = unpack(graph.moved(backend.to_host).sequences)
    assert any(len(sequence) == len(cycle) for sequence in sequences) == is_split
    assert (counts.erroneous_connections > 0) == is_split


@pytest.mark.cuda
@pytest.mark.parametrize(
    ("n_rare", "depth", "is_split"),
    [(20, 50, True), (20, 40, False), (21, 50, False), (3, 14, False), (3, 15, True), (3, 0, False)],
)
def test_errors_that_recur_in_deep_sequence_are_disconnected(backend, n_rare, depth, is_split):
    """Half of single-copy depth is no error, nor is more than a fiftieth, nor are single reads at low depth."""
    cycle = A + A[: K - 1]
    graph = graph_of({cycle: 1000, **dict.fromkeys(RECURRENT, n_rare)})[0].moved(backend.to_device)
    graph, _counts = clean(graph, CleanOptions(), backend, Situation(depth=depth))
    sequences = unpack(graph.moved(backend.to_host).sequences)
    assert any(len(sequence) == len(cycle) for sequence in sequences) == is_split


@pytest.mark.parametrize(("n_copies", "is_kept"), [(40, True), (60, False)])
def test_links_without_reads_count_as_a_depth_of_one(n_copies, is_kept):
    """K-mers that are kept for links alone are rare beside a depth of 50 and more only."""
    graph = graph_of({A + A[: K - 1]: n_copies, **dict.fromkeys(RECURRENT, 1)})[0]
    rare = graph.kmer_counts < 3 * graph.n_kmers
    graph = replace(graph, kmer_counts=np.where(rare, 0, graph.kmer_counts))
    assert recurrent_errors(graph, CleanOptions(), Situation(20.0), CPU).any() != is_kept
