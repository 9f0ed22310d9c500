"""Placing reads on unitigs against a slow twin, on every backend at hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.assembly.unitig_graph import PackedSequences
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs.sizes import least_index_slots
from tests.backends.unitigs.test_unitigs import call, packed
from tests.helpers import batch_of, kmers_of, n_examples, operation, random_sequence, unpack
from tests.naive import kmers as naive_kmers, placement as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
LENGTHS = (
    *((3, 5), (5, 7), (5, 13), (31, 33), (31, 63), (33, 97), (63, 65), (65, 127), (97, 127)),
    *((97, 129), (127, 191), (193, 255)),
)


def placed(backend, unitigs, batch, k, longer):
    """Sums of the unitigs and the segments of a batch."""
    to_device, to_host = backend.to_device, backend.to_host
    offsets, bases = map(to_device, packed(unitigs))
    sums = to_device(np.zeros(len(unitigs), np.int64))
    n_slots = least_index_slots(int(offsets[-1])) * (len(unitigs) & 1)  # the smallest table, or one that is fast
    slots = operation(backend, "index_kmers")(offsets, bases, k, n_slots)
    find = operation(backend, "spanning_segments")
    found = find(batch.moved(to_device), k, longer, offsets, bases, slots, sums).moved(to_host)
    assert (found.offsets.dtype, found.bases.dtype) == (np.int64, np.uint64)
    return to_host(sums).tolist(), unpack(PackedSequences(found.offsets, found.bases))


def check_exactly(backend, unitigs, reads, k, longer):
    """Compare with the twin, for reads that are in the graph or are cut by other letters."""
    sums, segments = placed(backend, unitigs, batch_of(reads), k, longer)
    within: Counter[int] = Counter()
    spanning: Counter[str] = Counter()
    for read in reads:
        for total, part in zip((within, spanning), naive.longer_kmers(unitigs, read, k, longer), strict=True):
            total.update(part)
    assert sums == [within[u] for u in range(len(unitigs))]
    assert naive_kmers.count(segments, longer) == spanning
    assert all(len(segment) >= longer for segment in segments)


def unitigs_of(sequences, k):
    return sorted(naive_kmers.unitigs(sorted(naive_kmers.count(sequences, k))))


@few
@given(
    genome=st.text("AC", min_size=8, max_size=40) | st.text("ACGT", min_size=8, max_size=40),
    data=st.data(),
    lengths=st.sampled_from([(3, 5), (5, 7), (5, 9)]),
)
def test_reads_of_the_graph_have_all_longer_kmers(backend, genome, data, lengths):
    k, longer = lengths
    unitigs = unitigs_of([genome], k)
    places = st.tuples(st.integers(0, len(genome)), st.integers(0, 16), st.booleans())
    cuts = data.draw(st.lists(places, max_size=5))
    reads = [genome[start : start + n] for start, n, _strand in cuts]
    reads = [naive_kmers.reverse_complement(r) if c[2] else r for r, c in zip(reads, cuts, strict=True)]
    check_exactly(backend, unitigs, [*reads, genome[:12] + "N" + genome[3:15]], k, longer)


@pytest.mark.parametrize(("k", "longer"), LENGTHS)
def test_every_k(backend, k, longer):
    """A repeat between four flanks."""
    rng = np.random.default_rng(k)
    a, b, c, d = (random_sequence(rng, 2 * longer if not is_simulated() else longer) for _ in range(4))
    repeat = random_sequence(rng, k + 2)
    genome = [a + repeat + b, c + repeat + d]
    reads = [*genome, naive_kmers.reverse_complement(genome[0]), a[:-1] + "N" + repeat + d, "N", ""]
    check_exactly(backend, unitigs_of(genome, k), reads, k, longer)


def test_a_circular_unitig_is_spanned(backend):
    circle = random_sequence(np.random.default_rng(1), 30)
    unitigs = [circle + circle[:4]]
    check_exactly(backend, unitigs, [2 * circle, naive_kmers.reverse_complement(2 * circle)], 5, 9)


def test_no_unitigs_and_no_reads(backend):
    assert placed(backend, ["ACGTTGCA"], batch_of([]), 5, 7) == ([0], [])
    assert placed(backend, ["ACGTTGCA"], batch_of(["GGGGGGGGG"]), 5, 7) == ([0], [])
    assert placed(backend, [], batch_of(["GGGGGGGGG"]), 5, 7) == ([], [])


def test_kmers_of_the_batch_before_are_not_counted_again(backend):
    genome = random_sequence(np.random.default_rng(2), 40)
    whole = batch_of([genome[8:]])
    repeated = ReadBatch(whole.bases, whole.offsets, whole.ambiguous_positions, n_repeated=12)
    sums, segments = placed(backend, [genome], repeated, 5, 9)
    assert (sums, segments) == ([32 - 12], [])


def with_errors(rng, read, n):
    read = list(read)
    for at in rng.integers(0, len(read), n):
        read[at] = "ACGT"[("ACGT".index(read[at]) + int(rng.integers(1, 4))) % 4]
    return "".join(read)


@pytest.mark.parametrize("n", [3] if is_simulated() else [3, 300])
def test_reads_with_errors_give_no_kmers_that_are_not_in_the_graph(backend, n):
    """Nearly all longer k-mers are found, and none is invented."""
    rng = np.random.default_rng(n)
    k, longer, read_bp = 15, 21, 60
    repeat = random_sequence(rng, 18)
    genome = "".join(random_sequence(rng, 60) + repeat for _ in range(4))
    unitigs = unitigs_of([genome], k)
    starts = rng.integers(0, len(genome) - read_bp, n)
    reads = [with_errors(rng, genome[s : s + read_bp], int(rng.integers(0, 3))) for s in starts]
    sums, segments = placed(backend, unitigs, batch_of(reads), k, longer)
    expected = [naive.longer_kmers(unitigs, read, k, longer) for read in reads]
    spanning = sum((part[1] for part in expected), Counter())
    found = naive_kmers.count(segments, longer)
    assert found <= spanning
    n_expected = sum(sum(part[0].values()) for part in expected) + spanning.total()
    assert sum(sums) + found.total() >= 0.95 * n_expected


@pytest.mark.parametrize(("k", "longer"), [(3, 4), (5, 31), (5, 33), (31, 97), (31, 127), (97, 129), (127, 255)])
def test_kmers_of_sequences_share_sums(backend, k, longer):
    rng = np.random.default_rng(longer)
    sequences = [random_sequence(rng, n) for n in (longer - 1, longer, longer + 1, longer + 9, k)]
    sums = np.array([5, 0, 7, 1 << 40, 3])
    codes, counts = call(backend, "sequence_kmers", *packed(sequences), longer, sums)
    assert (codes.dtype, counts.dtype) == (np.uint64, np.uint32)
    kmers = [naive_kmers.canonical(kmer) for s in sequences for kmer in naive_kmers.windows(s, longer)]
    assert kmers_of(codes, longer) == kmers
    assert counts.tolist() == [
        min(share, 2**32 - 1)
        for s, total in zip(sequences, sums.tolist(), strict=True)
        if len(s) >= longer
        for share in naive.shares(total, len(s) - longer + 1)
    ]
    for start, stop in ((0, 1), (1, 2), (1, 3), (2, len(kmers)), (3, len(kmers) + 9), (5, 5), (0, 0)):
        part = call(backend, "sequence_kmers", *packed(sequences), longer, sums, start, stop)
        assert part[0].tolist() == codes[:, start:stop].tolist()
        assert part[1].tolist() == counts[start:stop].tolist()


def linked(backend, unitigs, k, longer):
    """The longer k-mers of the extended unitigs that are in no unitig."""
    follow = naive.successors(unitigs, k)
    row_ptr = np.cumsum([0, *map(len, follow)])
    col = np.array([w for row in follow for w in row], np.uint32)
    found = operation(backend, "unique_extensions")(
        *map(backend.to_device, (row_ptr, col, *packed(unitigs))), k, longer
    ).moved(backend.to_host)
    assert (found.offsets.dtype, found.bases.dtype, len(found.offsets)) == (np.int64, np.uint64, 2 * len(unitigs) + 1)
    segments = unpack(PackedSequences(found.offsets, found.bases))
    within = set(naive_kmers.count(unitigs, longer))
    return set(naive_kmers.count(segments, longer)) - within


@few
@given(
    genomes=st.lists(st.text("AC", min_size=6, max_size=30) | st.text("ACGT", min_size=6, max_size=30), max_size=3),
    lengths=st.sampled_from([(3, 4), (3, 5), (3, 9), (5, 7), (5, 15)]),
)
def test_unitigs_are_extended_along_unique_links(backend, genomes, lengths):
    k, longer = lengths
    unitigs = unitigs_of(genomes, k)
    assert linked(backend, unitigs, k, longer) == naive.linked_kmers(unitigs, k, longer)


@pytest.mark.parametrize(("k", "longer"), LENGTHS)
def test_a_repeat_is_extended_by_nothing_and_extends_its_neighbours(backend, k, longer):
    rng = np.random.default_rng(k)
    a, b, c, d = (random_sequence(rng, 3 * longer if not is_simulated() else longer) for _ in range(4))
    repeat = random_sequence(rng, longer + 2)
    unitigs = unitigs_of([a + repeat + b, c + repeat + d], k)
    found = linked(backend, unitigs, k, longer)
    assert found == naive.linked_kmers(unitigs, k, longer)
    joins = (a + repeat[: longer - 1], c + repeat[: longer - 1], repeat[-longer + 1 :] + b, repeat[-longer + 1 :] + d)
    if k > 15:  # no chance links
        assert set(naive_kmers.count(joins, longer)) - set(naive_kmers.count(unitigs, longer)) <= found


def test_equal_kmers_are_merged(backend):
    sets = [([5, 3], [2, 0]), ([3, 9, 5], [0, 0, 2**32 - 2]), ([], [])]
    parts = [
        (backend.to_device(np.array([codes], np.uint64)), backend.to_device(np.array(counts, np.uint32)))
        for codes, counts in sets
    ]
    codes, counts = map(backend.to_host, operation(backend, "merge_kmers")(parts, 3))
    assert codes.tolist() == [[3, 5, 9]]
    assert counts.tolist() == [0, 2**32 - 1, 0]


@pytest.mark.parametrize("k", [3, 31, 33, 127, 129, 255])
def test_merging_kmers(backend, k):
    rng = np.random.default_rng(k)
    words = -(-k // 32)
    top = np.uint64((1 << (2 * k - 64 * (words - 1))) - 1)
    codes = rng.integers(0, 1 << 64, (words, 40), np.uint64)
    codes[0] &= top
    codes = np.unique(codes, axis=1)
    n = codes.shape[1]
    counts = rng.integers(1, 1 << 32, n).astype(np.uint32)
    order = rng.permutation(n)
    cuts = [0, n // 3, n // 3, n]
    parts = [
        (backend.to_device(codes[:, order[a:b]].copy()), backend.to_device(counts[order[a:b]].copy()))
        for a, b in pairwise(cuts)
    ]
    found = tuple(map(backend.to_host, operation(backend, "merge_kmers")(parts, k)))
    assert parts == []
    assert found[0].tolist() == codes.tolist()
    assert found[1].tolist() == counts.tolist()
