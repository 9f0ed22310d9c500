"""Operations from a k-mer table to walks and their graph against slow twins, on every backend at hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.unitigs.cpu import overlaps
from tests.helpers import kmers_of, n_examples, operation, random_sequence, table_of
from tests.naive import kmers as naive_kmers, unitigs as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=6 if is_simulated() else n_examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
ALL_K = (3, 21, 31, 33, 63, 65, 95, 97, 127, 129, 191, 193, 255)
DTYPES = (np.uint32, np.uint64)
SIZES = (0, 1, 3, 4, 5, 255, 256, 257)  # about a block, in the simulator and on a GPU


def ragged(lists, dtype):
    """Offsets and items of lists."""
    items = np.array([item for one in lists for item in one], dtype)
    return np.cumsum([0, *map(len, lists)]).astype(np.int64), items


def lists_of(offsets, items):
    return [items[a:b].tolist() for a, b in itertools.pairwise(offsets.tolist())]


def call(backend, name, *args):
    """What an operation of the backend gives, all arrays on the host."""
    found = operation(backend, name)(*(backend.to_device(a) if isinstance(a, np.ndarray) else a for a in args))
    return tuple(map(backend.to_host, found)) if isinstance(found, tuple) else backend.to_host(found)


def check_lists(found, expected, dtype):
    assert (found[0].dtype, found[1].dtype) == (np.int64, dtype)
    assert lists_of(*found) == expected


# the graph of k-mers


def check_graph(backend, reads, k):
    kmers = sorted(naive_kmers.count(reads, k))
    found = call(backend, "kmer_graph", table_of(dict.fromkeys(kmers, 1), k).codes, k)
    check_lists(found, naive_kmers.successors(kmers), np.uint32)


@few
@given(
    reads=st.lists(st.text("ACGT", max_size=20) | st.text("AC", max_size=20), max_size=3),
    k=st.sampled_from([3, 5, 7]),
)
@example(reads=["AAAAAAA"], k=3)  # a k-mer that follows itself
@example(reads=["AAAAAAATTTTTT"], k=5)
@example(reads=["AATT"], k=3)  # AAT -> ATT is AAT -> its own reverse complement: the shared (k-1)-mer is a palindrome
@example(reads=["CAATTG", "GAATTC"], k=5)
@example(reads=["ACACACAC"], k=3)
@example(reads=["TTTTTTT", "GGGGGGG"], k=7)
def test_kmer_graphs(backend, reads, k):
    check_graph(backend, reads, k)


@pytest.mark.parametrize("k", ALL_K)
def test_kmer_graphs_of_every_k(backend, k):
    rng = np.random.default_rng(k)
    n = 12 if is_simulated() else 600  # k-mers of a read of this kind
    half = random_sequence(rng, k)
    palindrome = half[: k // 2] + naive_kmers.reverse_complement(half[: k // 2])  # k - 1 bases
    forks = [half + base for base in "ACGT"] + [base + half for base in "AC"]
    around = [a + palindrome + b for a in "AT" for b in "CG"]
    check_graph(backend, [random_sequence(rng, n + k - 1), *forks, *around, (k + 1) * "A"], k)


@pytest.mark.parametrize("k", [3, 31, 127, 255])
def test_kmer_graphs_of_no_and_one_kmer(backend, k):
    check_graph(backend, [], k)
    check_graph(backend, [k * "A"], k)
    check_graph(backend, [k // 2 * "AC" + "A"], k)


@pytest.mark.parametrize("n", SIZES)
def test_kmer_graphs_about_a_block(backend, n):
    rng = np.random.default_rng(n)
    check_graph(backend, [random_sequence(rng, n + 20)] if n else [], 21)


@pytest.mark.parametrize("k", [11, 67, 255])
def test_kmer_graphs_are_independent_of_the_room(backend, k):
    """On the CPU, ends of k-mers are grouped in several passes where memory is short."""
    n = 40 if is_simulated() else 5_000
    codes = table_of(naive_kmers.count([random_sequence(np.random.default_rng(k), n + k)], k), k).codes
    expected = call(backend, "kmer_graph", codes, k)
    for room in (0, 25 * 2 * n, 1 << 40):
        found = call(backend, "kmer_graph", codes, k, room)
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize(
    ("n_words", "room", "n_passes"), [(1, 0, 2), (8, 0, 6), (8, None, 1), (8, 200, 4), (8, 9999, 1)]
)
def test_passes_cover_all_buckets_and_fit_into_the_room(n_words, room, n_passes):
    bucket_ptr = np.arange(0, 101, 2)
    found = overlaps._passes(bucket_ptr, n_words, None if room is None else 100 * overlaps._SUCCESSOR_BYTES + 12 * room)
    assert [found[0][0], found[-1][1], len(found)] == [0, 50, n_passes]
    assert [stop for _start, stop in found[:-1]] == [start for start, _stop in found[1:]]


def test_a_bucket_beyond_the_room_ends_a_pass():
    assert overlaps._passes(np.array([0, 1, 1, 99, 100]), 8, 0) == [(0, 3), (3, 4)]


@pytest.mark.slow
@pytest.mark.skipif(is_simulated(), reason="too much for the simulator")
@pytest.mark.parametrize("k", [11, 31, 63])
def test_kmer_graphs_of_many_kmers(backend, k):
    """Reads full of As: many k-mers begin alike."""
    rng = np.random.default_rng(k)
    reads = ["".join(rng.choice(list("ACGT"), 200, p=[0.7, 0.1, 0.1, 0.1])) for _ in range(100)]
    check_graph(backend, reads, k)


# walks


def graphs(most_pairs):
    """Rows of graphs in reverse-complement pairs."""
    return st.integers(1, most_pairs).flatmap(
        lambda n: st.lists(st.tuples(*2 * [st.integers(0, 2 * n - 1)]), max_size=2 * n).map(
            lambda pairs: naive.bidirected_rows(n, pairs)
        )
    )


@few
@given(rows=graphs(10), dtype=st.sampled_from(DTYPES))
@example(rows=[[0], [1]], dtype=np.uint32)  # a loop
@example(rows=[[1], []], dtype=np.uint32)  # to its own reverse complement
@example(rows=[[2], [3], [0], [1]], dtype=np.uint32)  # two cycles
@example(rows=[[2], [], [], [1]], dtype=np.uint64)
def test_unique_successors(backend, rows, dtype):
    found = call(backend, "unique_successors", *ragged(rows, dtype))
    assert found.dtype == dtype
    assert found.tolist() == naive.unique_successors(rows)


def walks_of(backend, rows, dtype, is_kept=None):
    """Unitigs, as the stage makes them."""
    offsets, steps, circular = call(backend, "rank_lists", np.array(naive.unique_successors(rows), dtype))
    chosen, are_cycles = call(backend, "choose_walks", offsets, steps, circular, is_kept)
    walks = lists_of(offsets, steps)
    assert (chosen.dtype, are_cycles.dtype) == (np.int64, np.bool_)
    assert chosen.tolist() == naive.choose_walks(
        walks, circular.tolist(), None if is_kept is None else is_kept.tolist()
    )
    assert are_cycles.tolist() == circular[chosen].tolist()
    return [walks[i] for i in chosen.tolist()]


@few
@given(rows=graphs(8), dtype=st.sampled_from(DTYPES), seed=st.integers(0, 99))
@example(rows=[[0], [1]], dtype=np.uint32, seed=0)
@example(rows=[[1], []], dtype=np.uint32, seed=0)
@example(rows=[[2], [3], [0], [1]], dtype=np.uint32, seed=0)
def test_choosing_and_contracting(backend, rows, dtype, seed):
    walks = walks_of(backend, rows, dtype)
    assert sorted(v >> 1 for walk in walks for v in walk) == list(range(len(rows) // 2))
    found = call(backend, "contract", *ragged(rows, dtype), *ragged(walks, dtype))
    check_lists(found, naive.contract(rows, walks), dtype)
    is_kept = np.random.default_rng(seed).random(len(rows) // 2) < 0.6
    rest = naive.induced_edges(rows, is_kept.tolist())
    check_lists(call(backend, "induced_edges", *ragged(rows, dtype), is_kept), rest, dtype)
    kept_walks = walks_of(backend, rest, dtype, is_kept)
    assert sorted(v >> 1 for walk in kept_walks for v in walk) == np.flatnonzero(is_kept).tolist()
    check_lists(
        call(backend, "contract", *ragged(rest, dtype), *ragged(kept_walks, dtype)),
        naive.contract(rest, kept_walks),
        dtype,
    )


@few
@given(rows=graphs(8), dtype=st.sampled_from(DTYPES), seed=st.integers(0, 99))
@example(rows=[[], []], dtype=np.uint32, seed=0)
def test_edges_of_rows(backend, rows, dtype, seed):
    is_kept = np.random.default_rng(seed).random(len(rows)) < 0.5
    expected = [row if kept else [] for row, kept in zip(rows, is_kept, strict=True)]
    check_lists(call(backend, "edges_of_rows", *ragged(rows, dtype), is_kept), expected, dtype)


def test_no_walks(backend):
    none = ragged([], np.uint32)
    chosen, are_cycles = call(backend, "choose_walks", *none, np.zeros(0, np.bool_), None)
    assert (len(chosen), len(are_cycles)) == (0, 0)
    nothing = call(backend, "contract", *none, *none)
    check_lists(nothing, [], np.uint32)
    check_lists(call(backend, "induced_edges", *none, np.zeros(0, np.bool_)), [], np.uint32)
    check_lists(call(backend, "edges_of_rows", *none, np.zeros(0, np.bool_)), [], np.uint32)
    check_lists(call(backend, "gather_rows", *none, np.zeros(0, np.int64)), [], np.uint32)
    assert call(backend, "segmented_sum", np.zeros(0, np.uint32), *none).tolist() == []
    assert len(call(backend, "unique_successors", *none)) == 0


# ragged lists


def walks_over(n_pairs, max_walks=8, max_steps=8):
    return st.lists(st.lists(st.integers(0, 2 * n_pairs - 1), min_size=1, max_size=max_steps), max_size=max_walks)


@few
@given(walks=walks_over(10), seed=st.integers(0, 99), dtype=st.sampled_from(DTYPES))
def test_taking_lists_and_adding_up(backend, walks, seed, dtype):
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(walks), rng.integers(0, 10)) if walks else np.zeros(0, np.int64)
    found = call(backend, "gather_rows", *ragged(walks, dtype), chosen)
    check_lists(found, [walks[i] for i in chosen.tolist()], dtype)
    letters = [[v % 4 + 65 for v in walk] for walk in walks]
    check_lists(
        call(backend, "gather_rows", *ragged(letters, np.uint8), chosen), [letters[i] for i in chosen], np.uint8
    )
    for weights in (
        rng.integers(0, 1 << 32, 10, dtype=np.uint32),
        rng.integers(0, 1 << 50, 10),
    ):
        sums = call(backend, "segmented_sum", weights, *ragged(walks, dtype))
        assert sums.dtype == np.int64
        assert sums.tolist() == [sum(weights[v >> 1].item() for v in walk) for walk in walks]


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES if is_simulated() else (*SIZES, 5_000, 100_000))
def test_one_long_list_and_many_short_ones(backend, n):
    rng = np.random.default_rng(n)
    steps = rng.integers(0, 2 * n, n).tolist()
    weights = rng.integers(0, 1000, n).astype(np.uint32)
    shapes = [steps], [[v] for v in steps], [steps[: n // 2], *[[v] for v in steps[n // 2 :]]]
    for walks in ([walk for walk in shape if walk] for shape in shapes):
        sums = call(backend, "segmented_sum", weights, *ragged(walks, np.uint32))
        assert sums.tolist() == [sum(weights[v >> 1].item() for v in walk) for walk in walks]
        backwards = np.arange(len(walks))[::-1].copy()
        check_lists(call(backend, "gather_rows", *ragged(walks, np.uint32), backwards), walks[::-1], np.uint32)


# sequences


def packed(sequences):
    return np.cumsum([0, *map(len, sequences)]).astype(np.int64), np.array(naive.pack(sequences), np.uint64)


def check_packed(found, expected):
    offsets, bases = found
    assert (offsets.dtype, bases.dtype) == (np.int64, np.uint64)
    assert offsets.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
    assert bases.tolist() == naive.pack(expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k", ALL_K)
def test_spelling(backend, k, dtype):
    rng = np.random.default_rng(k)
    read = random_sequence(rng, 8 + k)
    kmers = sorted(naive_kmers.count([read], k))
    numbers = {naive_kmers.vertex(kmers, v): v for v in range(2 * len(kmers))}
    along = [numbers[read[i : i + k]] for i in range(9)]
    walks = [along, naive.reverse_complement_of(along), [along[3]], [along[4] ^ 1]]
    found = call(backend, "spell", table_of(dict.fromkeys(kmers, 1), k).codes, k, *ragged(walks, dtype))
    check_packed(found, naive.spell(kmers, walks))


@pytest.mark.parametrize(
    "n",
    [1, 2, 29, 30, 31, 32, 33] if is_simulated() else [29, 30, 31, 4000, pytest.param(100_000, marks=pytest.mark.slow)],
)
def test_spelling_ends_anywhere_in_a_word(backend, n):
    """A long walk between short ones."""
    k = 3 if n < 4000 else 31
    read = random_sequence(np.random.default_rng(n), n + k - 1)
    kmers = sorted(naive_kmers.count([read], k))
    numbers = {naive_kmers.vertex(kmers, v): v for v in range(2 * len(kmers))}
    along = [numbers[kmer] for kmer in naive_kmers.windows(read, k)]
    walks = [along[-1:], along[:2], along, naive.reverse_complement_of(along), along[:1]]
    found = call(backend, "spell", table_of(dict.fromkeys(kmers, 1), k).codes, k, *ragged(walks, np.uint32))
    check_packed(found, naive.spell(kmers, walks))


def overlapping(rng, n, overlap, longest):
    """Generate sequences that may follow each other in any order.

    They begin and end alike, and so do their reverse complements.
    """
    half = random_sequence(rng, overlap // 2)
    shared = half + naive_kmers.reverse_complement(half)
    lengths = rng.integers(1, longest + 1, n).tolist()
    return [shared + random_sequence(rng, length) + shared for length in lengths]


@few
@given(walks=walks_over(5, 4, 5), overlap=st.sampled_from([2, 20, 32, 62]), seed=st.integers(0, 99))
@example(walks=[[0], [1], [3, 3], [2, 2, 2, 3], [9]], overlap=2, seed=0)
@pytest.mark.parametrize("dtype", DTYPES)
def test_merging_sequences(backend, walks, overlap, seed, dtype):
    sequences = overlapping(np.random.default_rng(seed), 5, overlap, 50)
    found = call(backend, "merge_sequences", *packed(sequences), overlap, *ragged(walks, dtype))
    check_packed(found, naive.merge_sequences(sequences, overlap, walks))


@pytest.mark.parametrize(
    "n", [3, 4, 5] if is_simulated() else [4, 5, 255, 256, 257, pytest.param(20_000, marks=pytest.mark.slow)]
)
def test_merging_many_sequences(backend, n):
    """Into one, into none but themselves, and some of each."""
    rng = np.random.default_rng(n)
    sequences = overlapping(rng, n, 6, 3 if is_simulated() else 70)
    steps = rng.integers(0, 2 * n, n).tolist()
    for walks in ([steps], [[v] for v in steps], [*[[v] for v in steps[: n // 2]], steps[n // 2 :]]):
        found = call(backend, "merge_sequences", *packed(sequences), 6, *ragged(walks, np.uint32))
        check_packed(found, naive.merge_sequences(sequences, 6, walks))


@few
@given(walks=walks_over(6, 4, 6), overlap=st.sampled_from([0, 2, 32, 62]), seed=st.integers(0, 99))
@example(walks=[[0], [2], [0, 2, 1, 4], [4, 0, 0], [0, 0]], overlap=0, seed=1)
@example(walks=[[0], [2], [0, 2, 1, 4], [4, 0, 0], [0, 0]], overlap=32, seed=1)
def test_sequences_as_long_as_the_overlap_add_nothing(backend, walks, overlap, seed):
    longer = overlapping(np.random.default_rng(seed), 3, overlap, 40)
    shared = longer[0][:overlap]
    sequences = [shared, shared, *longer, shared]
    found = call(backend, "merge_sequences", *packed(sequences), overlap, *ragged(walks, np.uint32))
    check_packed(found, naive.merge_sequences(sequences, overlap, walks))


@few
@given(
    sequence=st.text("ACGT", min_size=1, max_size=60) | st.text("AT", min_size=1, max_size=60),
    k=st.sampled_from([1, 3, 8, 31, 32, 33]),
    seed=st.integers(0, 99),
)
@example(sequence="ACGT" * 10, k=31, seed=0)
@example(sequence="A" * 40, k=3, seed=0)
def test_least_kmers(backend, sequence, k, seed):
    check_least_kmers(backend, "T" * max(0, k - len(sequence)) + sequence, k, seed)


@pytest.mark.parametrize("k", ALL_K)
def test_least_kmers_of_every_k(backend, k):
    check_least_kmers(backend, random_sequence(np.random.default_rng(k), k + 40), k, k)


def check_least_kmers(backend, sequence, k, seed):
    """Compare with the smallest of all strands of all windows, the first of equal ones."""
    edges = np.random.default_rng(seed).integers(0, len(sequence) - k + 2, (2, 5))
    starts, stops = np.sort(edges, axis=0)
    starts, stops = starts[starts < stops], stops[starts < stops]
    _offsets, bases = packed([sequence])
    codes, places = call(backend, "least_kmers", bases, k, starts, stops)
    assert (codes.dtype, places.dtype) == (np.uint64, np.int64)
    expected = [
        min(
            (strand, 2 * i + is_reverse)
            for i in range(start, stop)
            for is_reverse, strand in enumerate(
                (sequence[i : i + k], naive_kmers.reverse_complement(sequence[i : i + k]))
            )
        )
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
    ]
    assert kmers_of(codes, k) == [kmer for kmer, _place in expected]
    assert places.tolist() == [place for _kmer, place in expected]


def test_a_sequence_shorter_than_the_overlap_follows_itself(backend):
    """A circular unitig of one k-mer, or of few."""
    found = call(backend, "merge_sequences", *packed(["A" * 31]), 30, *ragged([[0], [0, 0, 0]], np.uint32))
    check_packed(found, ["A" * 31, "A" * 33])


def test_no_sequences(backend):
    codes = np.zeros((1, 0), np.uint64)
    check_packed(call(backend, "spell", codes, 3, *ragged([], np.uint32)), [])
    check_packed(call(backend, "merge_sequences", *packed([]), 2, *ragged([], np.uint32)), [])
    assert len(call(backend, "larger_strands", *packed([]))) == 0
    assert len(call(backend, "sequence_text", *packed([]), np.zeros(0, np.bool_))) == 0


def check_strands(backend, sequences):
    offsets, bases = packed(sequences)
    flips = call(backend, "larger_strands", offsets, bases)
    assert flips.dtype == np.bool_
    assert flips.tolist() == [naive_kmers.reverse_complement(s) < s for s in sequences]
    for flipped in (flips, ~flips):
        text = call(backend, "sequence_text", offsets, bases, flipped)
        assert text.dtype == np.uint8
        strands = [naive_kmers.reverse_complement(s) if f else s for s, f in zip(sequences, flipped, strict=True)]
        assert text.tobytes().decode() == "".join(strands)


@few
@given(sequences=st.lists(st.text("ACGT", min_size=1, max_size=12), max_size=8))
@example(sequences=["ACGT", "AT", "A", "ACA", "TGT", "AAATTT", "GAATTG"])
@example(sequences=["T", "A" * 31 + "C" + "T" * 31, "A" * 31 + "G" + "T" * 31])
@example(sequences=["AC" * 16 + "GT" * 16, "C", "G" * 33])
def test_strands(backend, sequences):
    check_strands(backend, sequences)


@pytest.mark.parametrize("n", [4, 5] if is_simulated() else [4, 5, 255, 256, 257, 20_000])
def test_strands_of_a_long_sequence_and_many_short_ones(backend, n):
    rng = np.random.default_rng(n)
    check_strands(backend, [random_sequence(rng, n), *"ACGT", n // 2 * "AC" + n // 2 * "GT"])
    check_strands(backend, [random_sequence(rng, int(length)) for length in rng.integers(1, 5, n)])
