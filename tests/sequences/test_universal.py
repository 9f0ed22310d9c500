"""Universal cycles of allowed words and of lists."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.errors import NotEulerianError, OutOfMemoryError, ParameterError
from debruijn_gpu.sequences.allowed import AllowedWords
from debruijn_gpu.sequences.symbols import parse_symbols
from debruijn_gpu.sequences.universal import universal_sequence
from debruijn_gpu.sequences.words import SpelledWords, listed_words
from tests.helpers import n_examples
from tests.naive import words as naive

pytestmark = pytest.mark.cuda

some = settings(
    deadline=None,
    max_examples=5 if is_simulated() else n_examples(50),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
Word = naive.Word


def arrays(words: list[Word]) -> list[np.ndarray]:
    return [np.array(word, np.uint8) for word in words]


def check(sequence, words: list[Word], backend, is_cyclic: bool = True) -> None:
    """The windows are the words, each at least once, and as often as the sequence says."""
    windows = naive.windows(backend.to_host(sequence.codes).tolist(), len(words[0]), is_cyclic)
    assert set(windows) == set(words)
    assert sequence.n_words == len(set(words))
    assert sequence.n_repeats == len(windows) - len(set(words))
    if is_cyclic:
        assert windows[0] == min(words)
        assert sequence.length == len(windows)


def components(words: list[Word]) -> list[set[Word]]:
    """The words within each strongly connected component."""
    graph = nx.DiGraph((word[:-1], word[1:]) for word in words)
    parts = nx.strongly_connected_components(graph)
    found = [{word for word in words if word[:-1] in part and word[1:] in part} for part in parts]
    return [part for part in found if part]


def fewest_windows(words: Collection[Word]) -> int:
    """Of a cyclic sequence that has each word as often as it is given, by a flow of the least cost."""
    graph = nx.DiGraph()
    graph.add_edges_from(((word[:-1], word[1:]) for word in words), weight=1)
    demand = Counter(word[:-1] for word in words)
    demand.subtract(word[1:] for word in words)
    nx.set_node_attributes(graph, demand, "demand")
    return len(words) + nx.min_cost_flow_cost(graph)


@st.composite
def rules(draw):
    """Alphabet, length, forbidden words and the longest run; few words."""
    n_symbols, order = draw(
        st.sampled_from([(2, 1), (2, 4), (2, 5), (3, 3), (4, 2), *([] if is_simulated() else [(2, 7), (4, 4)])])
    )
    word = st.lists(st.integers(0, n_symbols - 1), min_size=1, max_size=order).map(tuple)
    return n_symbols, order, draw(st.lists(word, max_size=3)), draw(st.none() | st.integers(1, order + 1))


@some
@given(rules())
def test_nothing_forbidden_goes_round(backend, case):
    n_symbols, order, forbidden, max_run = case
    wanted = [
        word
        for word in naive.all_words(n_symbols, order)
        if not naive.has_factor(word, forbidden) and naive.longest_run(word) <= (max_run or order)
    ]
    rule = AllowedWords(n_symbols, order, arrays(forbidden), max_run)
    if not forbidden:
        assert rule._count_by_runs(order) == len(wanted) or max_run is None
    if not wanted:
        with pytest.raises(ParameterError, match="no word of"):
            rule.words(backend)
        return
    words = rule.words(backend)
    assert [tuple(row) for row in words.codes(range(len(words))).tolist()] == wanted
    parts = components(wanted)
    if len(parts) != 1:
        with pytest.raises(NotEulerianError, match="cycle"):
            universal_sequence(words, backend, leave_out=True)
        return
    sequence = universal_sequence(words, backend, leave_out=True)
    check(sequence, sorted(parts[0]), backend)
    assert sequence.n_left_out == len(wanted) - len(parts[0])
    assert sequence.length == fewest_windows(parts[0])
    going_round = backend.to_host(sequence.codes).tolist() * (order + 1)
    assert not naive.has_factor(going_round, forbidden)
    if sequence.length > 1 and max_run is not None and max_run < order:
        assert naive.longest_run(going_round) <= max_run


@some
@given(n_symbols=st.integers(2, 4), data=st.data())
def test_lists_of_words(backend, n_symbols, data):
    """Against networkx: all words if they are strongly connected, in the fewest windows, else an error."""
    order = data.draw(st.integers(1, 3))
    words = data.draw(st.lists(st.sampled_from(naive.all_words(n_symbols, order)), min_size=1, max_size=20))
    listed = listed_words(np.array(words), n_symbols, backend)
    assert len(listed) == len(set(words))
    parts = components(words)
    if len(parts) == 1 and parts[0] == set(words):
        sequence = universal_sequence(listed, backend)
        check(sequence, words, backend)
        assert sequence.length == fewest_windows(set(words))
    else:
        with pytest.raises(NotEulerianError, match="cycle"):
            universal_sequence(listed, backend)


@some
@given(n_symbols=st.integers(2, 3), data=st.data())
def test_lists_of_words_in_a_row(backend, n_symbols, data):
    """Windows of a sequence have such a sequence; of any words it has no other windows than these."""
    order = data.draw(st.integers(1, 3))
    codes = data.draw(st.lists(st.integers(0, n_symbols - 1), min_size=order, max_size=20))
    words = naive.windows(codes, order, cyclic=False)
    sequence = universal_sequence(listed_words(np.array(words), n_symbols, backend), backend, is_cyclic=False)
    check(sequence, words, backend, sequence.is_cyclic)
    assert sequence.length <= len(codes)


def windows_of_random_cycle(n: int, order: int, n_symbols: int, seed: int) -> np.ndarray:
    cycle = np.random.default_rng(seed).integers(0, n_symbols, n)
    return np.lib.stride_tricks.sliding_window_view(np.resize(cycle, n + order - 1), order)


@pytest.mark.parametrize(("order", "n_symbols"), [(32, 4), (33, 4), (70, 4), (64, 2), (65, 2), (9, 256), (3, 100_000)])
def test_words_beyond_64_bits(backend, order, n_symbols):
    words = windows_of_random_cycle(50, order, n_symbols, 1)
    mixed = np.concatenate((words, words[::3]))[np.random.default_rng(2).permutation(67)]
    listed = listed_words(mixed, n_symbols, backend)
    assert isinstance(listed, SpelledWords) == (n_symbols**order > 1 << 64)
    sequence = universal_sequence(listed, backend)
    assert sequence.n_repeats == 0
    check(sequence, [tuple(word) for word in words.tolist()], backend)


def test_repeated_words_count_once(backend, caplog):
    with caplog.at_level(logging.WARNING, "dbg"):
        words = listed_words(np.array([[0, 1], [1, 0], [0, 1]]), 2, backend)
    assert len(words) == 2
    assert "1 of 3 words are repeats and are left out" in caplog.text
    caplog.clear()
    with caplog.at_level(logging.WARNING, "dbg"):
        assert len(listed_words(np.array([[0, 1], [1, 0], [0, 1]]), 2, backend, multiplicity=True)) == 3
    assert caplog.text == ""


@some
@given(n_symbols=st.integers(2, 3), is_cyclic=st.booleans(), data=st.data())
def test_multiplicity_of_the_windows_of_a_sequence_is_kept(backend, n_symbols, is_cyclic, data):
    order = data.draw(st.integers(1, 3))
    codes = data.draw(st.lists(st.integers(0, n_symbols - 1), min_size=order, max_size=20))
    words = naive.windows(codes, order, cyclic=is_cyclic)
    shuffled = data.draw(st.permutations(words))
    listed = listed_words(np.array(shuffled), n_symbols, backend, multiplicity=True)
    sequence = universal_sequence(listed, backend, is_cyclic=is_cyclic)
    found = naive.windows(backend.to_host(sequence.codes).tolist(), order, cyclic=sequence.is_cyclic)
    assert Counter(found) == Counter(words)
    assert sequence.n_repeats == 0


@some
@given(n_symbols=st.integers(2, 3), data=st.data())
def test_words_occur_at_least_as_often_as_they_are_given(backend, n_symbols, data):
    """Against networkx: in the fewest windows."""
    order = data.draw(st.integers(1, 3))
    words = data.draw(st.lists(st.sampled_from(naive.all_words(n_symbols, order)), min_size=1, max_size=20))
    parts = components(words)
    assume(len(parts) == 1 and parts[0] == set(words))
    sequence = universal_sequence(listed_words(np.array(words), n_symbols, backend, multiplicity=True), backend)
    found = Counter(naive.windows(backend.to_host(sequence.codes).tolist(), order))
    assert not Counter(words) - found
    assert set(found) == set(words)
    assert (sequence.n_words, sequence.length) == (len(words), fewest_windows(words))


@pytest.mark.parametrize("order", [33, 70])
def test_multiplicity_of_words_beyond_64_bits(backend, order):
    words = windows_of_random_cycle(20, order, 4, 1)
    listed = listed_words(np.concatenate((words, words)), 4, backend, multiplicity=True)
    assert isinstance(listed, SpelledWords)
    sequence = universal_sequence(listed, backend)
    found = Counter(naive.windows(backend.to_host(sequence.codes).tolist(), order))
    assert found == {tuple(word): 2 for word in words.tolist()}


def test_an_open_sequence_is_the_shortest(backend):
    words = [(0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 1)]  # 00 -> 01 -> 10 -> 01 -> 11
    sequence = universal_sequence(listed_words(np.array(words), 2, backend), backend, is_cyclic=False)
    assert backend.to_host(sequence.codes).tolist() == [0, 0, 1, 0, 1, 1]
    check(sequence, words, backend, is_cyclic=False)


@pytest.mark.parametrize("is_cyclic", [True, False])
def test_words_that_cannot_be_in_one_sequence_are_named(backend, is_cyclic):
    dna = parse_symbols("ACGT")
    words = listed_words(np.array([[0, 0, 1], [0, 1, 2], [0, 1, 3]]), 4, backend)
    what = "no words are in a cycle: AAC, ACG, ACT" if is_cyclic else "ACG and ACT"
    with pytest.raises(NotEulerianError, match=what):
        universal_sequence(words, backend, is_cyclic, symbols=dna)
    mixed = listed_words(np.array([[0, 0, 0], [0, 0, 1], [3, 3, 3]]), 4, backend)
    with pytest.raises(NotEulerianError, match=r"2 of 3 words .*: AAC, TTT" if is_cyclic else "AAC and TTT"):
        universal_sequence(mixed, backend, is_cyclic, symbols=dna)


def test_words_in_no_cycle_are_left_out_with_a_warning(backend, caplog):
    """01 leads to 11 alone, which is forbidden to go on."""
    words = AllowedWords(2, 3, arrays([(1, 1, 0), (1, 1, 1)])).words(backend)
    with caplog.at_level(logging.WARNING, "dbg"):
        sequence = universal_sequence(words, backend, leave_out=True)
    assert sequence.n_left_out == 1
    assert "1 words are in no cycle and are left out: 011" in caplog.text


def test_an_open_sequence_leaves_out_what_it_must(backend):
    """It can end with 011; but only one of 002 and 102 can be the last."""
    rules = arrays([(1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]), arrays([(1, 1, 0), (1, 1, 1)])
    words = AllowedWords(2, 3, rules[1]).words(backend)
    all_words = [tuple(row) for row in words.codes(range(len(words))).tolist()]
    sequence = universal_sequence(words, backend, is_cyclic=False, leave_out=True)
    check(sequence, all_words, backend, is_cyclic=False)
    words = AllowedWords(3, 3, rules[0]).words(backend)
    all_words = [tuple(row) for row in words.codes(range(len(words))).tolist()]
    sequence = universal_sequence(words, backend, is_cyclic=False, leave_out=True)
    assert sequence.n_left_out == 2
    check(sequence, [word for word in all_words if 2 not in word], backend, is_cyclic=False)


def test_several_cycles_are_an_error(backend):
    words = AllowedWords(2, 3, arrays([(0, 1)])).words(backend)
    with pytest.raises(NotEulerianError, match=r"2 cycles .* 000 and 111"):
        universal_sequence(words, backend, leave_out=True)


@pytest.mark.slow
@pytest.mark.parametrize("n_symbols", [2, 3, 4, 10])
def test_all_words_make_a_de_bruijn_sequence(backend, n_symbols):
    """Every order with up to 10^6 words."""
    order = 1
    while n_symbols**order <= (100 if is_simulated() else 1_000_000):
        sequence = universal_sequence(AllowedWords(n_symbols, order).words(backend), backend)
        codes = backend.to_host(sequence.codes).astype(np.int64)
        going_round = np.concatenate((codes, np.resize(codes, order)))
        numbers = sum(going_round[i : i + len(codes)] * n_symbols ** (order - 1 - i) for i in range(order))
        np.testing.assert_array_equal(np.bincount(numbers), np.ones(n_symbols**order))
        assert numbers[0] == 0
        order += 1


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ({"order": 0}, "-n is 0"),
        ({"max_run": 0}, "runs of 0"),
        ({"forbidden": arrays([(0, 1, 0, 1)])}, "has 4 symbols"),
        ({"forbidden": arrays([()])}, "has 0 symbols"),
    ],
)
def test_senseless_rules(rule, what):
    with pytest.raises(ParameterError, match=what):
        AllowedWords(**{"n_symbols": 2, "order": 3, **rule})


def test_no_words(backend):
    with pytest.raises(ParameterError, match="no words"):
        listed_words(np.empty((0, 3), np.uint8), 2, backend)


def test_too_many_words():
    cpu = backends.host()
    with pytest.raises(ParameterError, match=r"4\^33 words"):
        AllowedWords(4, 33).words(cpu)
    with pytest.raises(OutOfMemoryError, match="words of 9 symbols"):
        AllowedWords(4, 30).words(cpu, memory=5_000_000)
    with pytest.raises(OutOfMemoryError, match="16,384 words"):
        universal_sequence(AllowedWords(4, 7).words(cpu), cpu, memory=100_000)
