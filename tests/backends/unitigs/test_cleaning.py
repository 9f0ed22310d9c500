"""Finding errors in unitig graphs against sequential twins, on each backend."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.unitigs import scalars
from tests.helpers import n_examples
from tests.naive import cleaning as naive

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=25 if is_simulated() else n_examples(200),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
BLOCK = 4 if is_simulated() else 256
SIZES = (0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 4 * BLOCK, 4 * BLOCK + 1, 24 if is_simulated() else 3000)
MOST_EDGES = 60 if is_simulated() else 1 << 20  # of one direction
RATIOS = st.sampled_from([0.2, 0.5, 1.0, 1.5])


def csr_of(n, edges):
    """The graph of n unitigs with these edges and their reverse complements."""
    edges = edges | {(w ^ 1, v ^ 1) for v, w in edges}
    tails = np.array([tail for tail, _head in edges], np.int64)
    row_ptr = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=2 * n))])
    return row_ptr.astype(np.int64), np.array([head for _tail, head in sorted(edges)], np.uint32)


def with_means(graph, n_kmers, means):
    """Arrays of a graph: (row_ptr, col, n_kmers, counts)."""
    n_kmers = np.array(n_kmers, np.int64)
    return *graph, n_kmers, n_kmers * np.array(means, np.int64)


@st.composite
def any_unitigs(draw, most=9, most_mean=6):
    """Any bidirected graph of unitigs; dense ones of few coverages too."""
    n = draw(st.integers(0, most))
    ends = st.integers(0, max(0, 2 * n - 1))
    edges = draw(st.sets(st.tuples(ends, ends), max_size=3 * n)) if n else set()
    n_kmers = draw(st.lists(st.integers(1, draw(st.integers(1, 6))), min_size=n, max_size=n))
    means = draw(st.lists(st.integers(1, draw(st.integers(1, most_mean))), min_size=n, max_size=n))
    return with_means(csr_of(n, edges), n_kmers, means)


@st.composite
def ladders(draw):
    """Unitigs, each better covered than the one before or as well, which join the one or two before them: each waits
    for another."""
    n = draw(st.integers(2, 24))
    strands, backs, n_kmers = (draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)) for _ in range(3))
    ends = [2 * u + (strand & 1) for u, strand in enumerate(strands)]
    edges = {(ends[u - back - 1], ends[u]) for u in range(n) for back in range(backs[u]) if back < u}
    each = draw(st.integers(1, n))  # so many unitigs have the same coverage
    return with_means(csr_of(n, edges), [1 + length for length in n_kmers], [1 + u // each for u in range(n)])


def random_unitigs(seed, n, dtype=np.uint32):
    """Some edges for each unitig, and few coverages."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, max(1, 2 * n), (min(n + n // 3, MOST_EDGES), 2)) if n else np.empty((0, 2), int)
    row_ptr, col = csr_of(n, {(int(v), int(w)) for v, w in ends})
    return with_means((row_ptr, col.astype(dtype)), rng.integers(1, 7, n), rng.integers(1, 5, n))


def twin(arrays) -> naive.Unitigs:
    row_ptr, col, n_kmers, counts = arrays
    successors = [col[row_ptr[v] : row_ptr[v + 1]].tolist() for v in range(len(row_ptr) - 1)]
    return naive.Unitigs(successors, n_kmers.tolist(), counts.tolist())


def check(backend, operation, arrays, *how):
    """The kept unitigs are those of the twin."""
    found = backend.to_host(getattr(backend.unitigs, operation)(*map(backend.to_device, arrays), *how))
    assert found.dtype == np.bool_
    assert found.tolist() == getattr(naive, operation)(twin(arrays), *how)


@few
@given(arrays=any_unitigs(), short=st.integers(0, 4), more=st.integers(0, 3), ratio=RATIOS)
def test_tips_are_those_of_the_naive_twin(backend, arrays, short, more, ratio):
    check(backend, "remove_tips", arrays, short, short + more, ratio)


@few
@given(arrays=any_unitigs(), longest=st.integers(0, 6), ratio=RATIOS)
def test_erroneous_connections_are_those_of_the_naive_twin(backend, arrays, longest, ratio):
    check(backend, "remove_erroneous_connections", arrays, longest, ratio)


@few
@given(
    arrays=any_unitigs(),
    longest=st.integers(0, 6),
    ratio=RATIOS,
    slack=st.integers(0, 4),
    indel=st.sampled_from([0.0, 0.5, 1.0]),
    rare=st.sampled_from([0.0, 1.5, 3.0]),
)
def test_bubbles_are_those_of_the_naive_twin(backend, arrays, longest, ratio, slack, indel, rare):
    check(backend, "pop_bubbles", arrays, longest, ratio, slack, indel, rare)


@few
@given(arrays=any_unitigs(), longest=st.integers(0, 6), threshold=st.integers(0, 7))
def test_isolated_ones_are_those_of_the_naive_twin(backend, arrays, longest, threshold):
    check(backend, "remove_isolated", arrays, longest, float(threshold))


@pytest.mark.parametrize(
    ("mean", "others", "is_kept"),
    [(20, 100, False), (21, 100, True), (19, 100, False), (1, 5, False), (2, 9, True), (999_999, 4_999_995, False)],
)
@pytest.mark.parametrize("n_kmers", [1, 3, 7])
def test_a_connection_goes_at_the_ratio_itself(backend, mean, others, is_kept, n_kmers):
    """Unitig 2 connects 0 -> 1 with 3 -> 4; it is removed from a ratio of 0.2 downwards."""
    edges = {(0, 1), (3, 4), (0, 2), (2, 4)}
    row_ptr, col, *_ = forward(5, edges, [1] * 5, [1] * 5)
    lengths = np.array([9, 9, n_kmers, 9, 9], np.int64)
    counts = lengths * np.array([others, others, mean, others, others], np.int64)
    check(backend, "remove_erroneous_connections", (row_ptr, col, lengths, counts), 7, 0.2)
    arrays = map(backend.to_device, (row_ptr, col, lengths, counts))
    found = backend.to_host(backend.unitigs.remove_erroneous_connections(*arrays, 7, 0.2))
    assert found.tolist() == [True, True, is_kept, True, True]


PLAIN = vars(compile_module(lambda function: function, scalars))


def judged_in(order, arrays, operation, longest, *how):
    """What the judgements of a kind come to when unitigs are judged in an order that is not theirs, until none is
    open."""
    row_ptr, col, n_kmers, kmer_counts = arrays
    graph = row_ptr, col, kmer_counts / n_kmers, n_kmers
    if operation == "bubble_is_kept":
        graph, how = (*graph, kmer_counts), (*how, np.empty(scalars.SCRATCH_SHAPE, np.int64))
    state = np.where(n_kmers <= longest, scalars.OPEN, scalars.YES).astype(np.uint8)
    while (state == scalars.OPEN).any():
        n_open = np.count_nonzero(state == scalars.OPEN)
        for u in order:
            if state[u] == scalars.OPEN:
                state[u] = PLAIN[operation](*graph, state, u, *how)
        assert np.count_nonzero(state == scalars.OPEN) < n_open
    return state.astype(bool).tolist()


def layered_unitigs(seed):
    """Generate layers of unitigs that form bubbles within bubbles.

    Each unitig leads to some of the next layer or the one after; some lead from the first layer to the last.
    """
    rng = np.random.default_rng(seed)
    widths = [1, *rng.integers(1, rng.integers(2, 5), rng.integers(1, 7)), 1]
    firsts = np.cumsum([0, *widths])
    layer = np.repeat(np.arange(len(widths)), widths)
    share = rng.uniform(0.5, 1)
    n_layered, n = firsts[-1], firsts[-1] + rng.integers(1, 4)
    steps = layer[None, :] - layer[:, None]
    linked = rng.random(steps.shape) < np.where(steps == 1, share, np.where(steps == 2, 0.1, 0.01))
    edges = {(u, v) for u, v in np.argwhere(linked & (steps >= rng.integers(-8, 2))).tolist()}
    edges |= {edge for u in range(n_layered, n) for edge in ((0, u), (u, n_layered - 1))}
    strand = rng.integers(0, 2, n)
    number = rng.permutation(n)  # so that ties are not broken along the layers
    ends = (2 * number + strand).tolist()
    graph = csr_of(n, {(ends[u], ends[v]) for u, v in edges})
    return with_means(graph, rng.integers(1, rng.integers(2, 5), n), rng.integers(1, rng.integers(3, 9), n))


def sparse_unitigs(seed):
    """About one edge for each unitig, many dead ends, few lengths and coverages."""
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 10)
    edges = rng.integers(0, 2 * n, (rng.integers(n - 1, n + 5), 2)).tolist()
    return with_means(csr_of(n, set(map(tuple, edges))), rng.integers(1, 3, n), rng.integers(1, rng.integers(2, 8), n))


@settings(max_examples=20 if is_simulated() else n_examples(1500))
@given(
    seed=st.integers(0, 1 << 32),
    make=st.sampled_from([layered_unitigs, sparse_unitigs]),
    ratio=RATIOS,
    slack=st.integers(0, 12),
    longest=st.integers(1, 6),
)
def test_the_order_in_which_unitigs_are_looked_at_does_not_matter(seed, make, ratio, slack, longest):
    arrays = make(seed)
    order = np.random.default_rng(seed).permutation(len(arrays[2]))
    found = judged_in(order, arrays, "tip_is_kept", longest, slack, ratio)
    assert found == naive.remove_tips(twin(arrays), slack, longest, ratio)
    found = judged_in(order, arrays, "connection_is_kept", longest, ratio)
    assert found == naive.remove_erroneous_connections(twin(arrays), longest, ratio)
    found = judged_in(order, arrays, "bubble_is_kept", longest, ratio, slack, 0.5, 1.5)
    assert found == naive.pop_bubbles(twin(arrays), longest, ratio, slack, 0.5, 1.5)


def forward(n, edges, n_kmers, means):
    """Unitigs that lead to others on their forward strands."""
    return with_means(csr_of(n, {(2 * u, 2 * v) for u, v in edges}), n_kmers, means)


def test_what_was_removed_later_was_there():
    """Tip 0 is removed, whatever happens to 2; 2 is kept: it alone leads to 0, but for the worse 4."""
    arrays = forward(5, {(2, 0), (2, 1), (3, 1), (4, 0), (4, 1)}, [1, 1, 1, 1, 9], [3, 4, 2, 5, 1])
    for order in itertools.permutations(range(5)):
        assert judged_in(order, arrays, "tip_is_kept", 6, 6, 1.0) == [False, True, True, True, True]


def test_steps_along_what_is_gone_do_not_count():
    """Between 0 and 1 are 2 and the better 6. Before 6 comes 3, which goes, and a thicket behind it."""
    thicket = {(5, u) for u in range(7, 17)} | {(u, v) for u in range(7, 17) for v in range(17, 27)}
    edges = {(0, 2), (2, 1), (0, 3), (3, 5), (0, 4), (4, 5), (0, 6), (6, 1)} | thicket
    arrays = forward(27, edges, [50, 50, 10, 12, 17, 1, 10] + [1] * 20, [9, 9, 3, 1, 2, 9, 4] + [9] * 20)
    for first in ([2, 3], [3, 2]):
        order = first + [u for u in range(27) if u not in first]
        is_kept = judged_in(order, arrays, "bubble_is_kept", 12, 1.0, 0, 0.5, 0.0)
        assert np.flatnonzero(np.invert(is_kept)).tolist() == [2, 3]


def test_a_way_through_what_is_gone_is_none():
    """Vertex 2 and the path 3, 5, 7 connect 0 and 1; 3 is removed; 6 is a dead end beside 7."""
    edges = {(0, 2), (2, 1), (0, 3), (3, 5), (0, 4), (4, 5), (5, 6), (5, 7), (7, 1)}
    arrays = forward(8, edges, [50, 50, 10, 12, 17, 1, 1, 1], [9, 9, 3, 1, 2, 30, 9, 30])
    for order in itertools.permutations(range(2, 8)):
        is_kept = judged_in(order, arrays, "bubble_is_kept", 12, 1.0, 0, 0.5, 0.0)
        assert np.flatnonzero(np.invert(is_kept)).tolist() == [3]


def check_all(backend, arrays):
    for ratio in (0.5, 1.0):
        check(backend, "remove_tips", arrays, 3, 6, ratio)
        check(backend, "remove_erroneous_connections", arrays, 6, ratio)
        check(backend, "pop_bubbles", arrays, 6, ratio, 3, 0.5, 1.5)
    check(backend, "remove_isolated", arrays, 6, 3.0)


@settings(few, max_examples=8 if is_simulated() else n_examples(200))
@given(arrays=ladders())
def test_of_those_that_wait_for_another_each_is_judged_in_its_turn(backend, arrays):
    check_all(backend, arrays)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_sizes(backend, n, dtype):
    check_all(backend, random_unitigs(n, n, dtype))
