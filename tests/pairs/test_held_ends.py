"""Ends of unitigs that are trimmed to what reads hold, against a search of strings, on every backend at hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.assembly.edges import edges_of, graph_of_edges
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.pairs.held_ends import HeldUnitigs, with_held_ends
from debruijn_gpu.run.options import RunOptions
from tests.backends.unitigs.test_unitigs import packed
from tests.helpers import batch_of, n_examples, random_sequence, unpack
from tests.naive.kmers import reverse_complement

pytestmark = pytest.mark.cuda

RUN = RunOptions(threads=2)
K = 5


def graph_of(unitigs: list[str], edges: list[tuple[int, int]] = (), circular: list[bool] | None = None, k: int = K):
    """Graph of unitigs and of edges and their reverse complements."""
    both = sorted({*edges, *((head ^ 1, tail ^ 1) for tail, head in edges)})
    tails, heads = np.array(both, np.int64).reshape(-1, 2).T
    n_kmers = np.array([len(unitig) - k + 1 for unitig in unitigs], np.int64)
    return UnitigGraph(
        k,
        graph_of_edges(tails, heads, 2 * len(unitigs)),
        PackedSequences(*packed(unitigs)),
        np.array(circular if circular is not None else [False] * len(unitigs), np.bool_),
        n_kmers,
        3 * n_kmers,
    )


def check_places(held, before, after):
    """Each unitig that is kept is a part of one before, where its places move to."""
    kept = np.flatnonzero(held.numbers >= 0).tolist()
    assert held.numbers[kept].tolist() == list(range(len(after)))
    assert held.lengths.tolist() == [len(unitig) for unitig in before]
    for unitig in kept:
        front, text = int(held.n_trimmed[2 * unitig + 1]), after[held.numbers[unitig]]
        assert before[unitig][front : front + len(text)] == text
        assert held.moved(unitig, 0, len(before[unitig])) == (held.numbers[unitig], 0, len(text))


def trimmed(backend, graph, reads, word_bp, shared_bp=1):
    """Sequences, edges and flags of the trimmed graph; nearly all words of one base occur twice."""
    batches = [batch_of([read]).moved(backend.to_device) for read in reads]
    held = with_held_ends(graph.moved(backend.to_device), batches, word_bp, RUN, backend, shared_bp)
    found = held.graph.moved(backend.to_host)
    check_places(held, unpack(graph.sequences), unpack(found.sequences))
    assert isinstance(found.graph, Graph)
    assert found.n_kmers.tolist() == (np.diff(found.sequences.offsets) - graph.k + 1).tolist()
    edges = list(zip(*(some.tolist() for some in edges_of(found.graph)), strict=True))
    return unpack(found.sequences), edges, found.circular.tolist(), found.kmer_counts.tolist()


def expected_trims(unitig: str, reads: list[str], word_bp: int, k: int, shared: set[str], shared_bp: int):
    """Bases to trim in front and behind."""
    text = " ".join((*reads, *map(reverse_complement, reads)))
    missing = [
        i
        for i in range(len(unitig) - word_bp + 1)
        if unitig[i : i + word_bp] not in text
        and any(unitig[j : j + shared_bp] in shared for j in range(i, i + word_bp - shared_bp + 1))
    ]
    reach = k - 1 + word_bp - 1
    front = max((i + 1 for i in missing if i + word_bp <= reach), default=0)
    back = max((len(unitig) - i - word_bp + 1 for i in missing if i >= len(unitig) - reach), default=0)
    return front, back


def words_twice(unitigs: list[str], n: int) -> set[str]:
    """Words of n bases, an odd number, that occur twice in unitigs, in either strand, and their complements."""
    counts = Counter(min(unitig[i : i + n], reverse_complement(unitig[i : i + n]))
                     for unitig in unitigs for i in range(len(unitig) - n + 1))  # fmt: skip
    return {word for found, n_found in counts.items() if n_found > 1 for word in (found, reverse_complement(found))}


FIRST, SECOND = "ACGTTGCATTCGGATC", "GATCCATGAAGTCCTA"


def test_what_reads_hold_stays(backend):
    graph = graph_of([FIRST, SECOND], [(0, 2)])
    reads = [FIRST, reverse_complement(SECOND)]
    assert trimmed(backend, graph, reads, 4) == ([FIRST, SECOND], [(0, 2), (3, 1)], [False, False], [36, 36])


@pytest.mark.parametrize("turn", [lambda text: text, reverse_complement])
def test_an_end_goes_from_the_first_word_that_no_read_holds(backend, turn):
    """No read holds bases 9 to 13 of the first unitig, and the second one begins with the last k - 1 of them."""
    second = FIRST[-(K - 1) :] + SECOND[K - 1 :]
    graph = graph_of([FIRST, second], [(0, 2), (2, 1)])
    reads = [turn(read) for read in (FIRST[:12], FIRST[10:], second)]
    sequences, edges, _circular, counts = trimmed(backend, graph, reads, 4)
    assert (sequences, edges, counts) == ([FIRST[:12], second], [], [36, 36])


def test_an_end_that_is_nowhere_else_stays(backend):
    """Without reads at the end of the first unitig; of its words of 5 bases, none is in the second one."""
    graph = graph_of([FIRST, SECOND])
    reads = [FIRST[:12], SECOND]
    assert trimmed(backend, graph, reads, 5, shared_bp=5)[0] == [FIRST, SECOND]
    assert trimmed(backend, graph, reads, 5, shared_bp=1)[0] == [FIRST[:12], SECOND]


@pytest.mark.parametrize("turn", [lambda text: text, reverse_complement])
def test_an_end_whose_bases_are_elsewhere_too_goes(backend, turn):
    """The last two words of 8 bases are in no read, and have CGGAT, which the second unitig has, too."""
    first, second = "TTGACAAGTCGC" + FIRST, SECOND + FIRST[-6:] + "C"
    graph = graph_of([first, turn(second)], k=9)
    assert trimmed(backend, graph, [first[:-4], second], 8, shared_bp=5)[0] == [first[:-2], turn(second)]


def test_words_far_from_ends_are_not_asked_for(backend):
    """The reach of words of 4 bases is 7 bases at k = 5."""
    graph = graph_of([FIRST + SECOND])
    reads = [FIRST, SECOND]
    assert trimmed(backend, graph, reads, 4)[0] == [FIRST + SECOND]


def test_a_unitig_that_keeps_no_kmer_is_left_out(backend):
    graph = graph_of([FIRST, "GATCCAT", SECOND], [(0, 2), (2, 4)])
    sequences, edges, _circular, counts = trimmed(backend, graph, [FIRST, SECOND[4:]], 4)
    assert (sequences, edges, counts) == ([FIRST, SECOND[4:]], [], [36, 36])
    assert trimmed(backend, graph, [FIRST, SECOND], 4)[1] == [(0, 2), (2, 4), (3, 1), (5, 3)]


def test_circular_unitigs_have_no_ends(backend):
    graph = graph_of([FIRST + FIRST[: K - 1]], [(0, 0)], [True])
    assert trimmed(backend, graph, ["ACGT"], 4)[0] == [FIRST + FIRST[: K - 1]]


def test_without_reads_nothing_is_left(backend):
    assert trimmed(backend, graph_of(["ACGTT", "GGATC"]), [], 4) == ([], [], [], [])


@pytest.mark.parametrize("unitigs", [[], [FIRST]])
def test_no_reads_or_no_unitigs(backend, unitigs):
    assert trimmed(backend, graph_of(unitigs), [FIRST], 4)[0] == unitigs


@settings(
    deadline=None,
    max_examples=5 if is_simulated() else n_examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seed=st.integers(0, 1 << 30),
    k=st.sampled_from([5, 9, 33]),
    word_bp=st.integers(3, 33),
    shared_bp=st.sampled_from([1, 3, 5, 7]),
)
def test_ends_are_those_of_a_search_of_strings(backend, seed, k, word_bp, shared_bp):
    word_bp = min(word_bp, k)
    shared_bp = min(shared_bp, word_bp - 1 + word_bp % 2)
    rng = np.random.default_rng(seed)
    n, most = (2, 12) if is_simulated() else (4, 120)
    unitigs = [random_sequence(rng, int(rng.integers(k, k + most))) for _ in range(n)]
    if n > 2:
        unitigs[1] = unitigs[0][: k + 3] + unitigs[1]  # words that occur twice
    reads = []
    for unitig in unitigs:
        for _ in range(int(rng.integers(0, 5))):
            start = int(rng.integers(0, len(unitig)))
            read = unitig[start : start + int(rng.integers(1, 2 * k))]
            reads.append(read if rng.random() < 0.5 else reverse_complement(read))
    expected = []
    shared = words_twice(unitigs, shared_bp)
    for unitig in unitigs:
        front, back = expected_trims(unitig, reads, word_bp, k, shared, shared_bp)
        if front + back < len(unitig) - k + 1:
            expected.append(unitig[front : len(unitig) - back])
    assert trimmed(backend, graph_of(unitigs, k=k), reads, word_bp, shared_bp)[0] == expected


def test_places_move_with_the_bases_that_are_kept():
    n_trimmed, lengths, numbers = np.array([5, 20, 99, 99, 0, 0]), np.array([100, 60, 50]), np.array([0, -1, 1])
    held = HeldUnitigs(graph_of([], []), n_trimmed, lengths, numbers)
    assert held.moved(0, 30, 40) == (0, 10, 20)
    assert held.moved(0, 0, 1) == (0, 0, 1)  # the base before is trimmed
    assert held.moved(0, 99, 100) == (0, 74, 75)
    assert held.moved(0, 10, 96) == (0, 0, 75)
    assert held.moved(1, 3, 7) is None
    assert held.moved(2, 3, 7) == (1, 3, 7)
