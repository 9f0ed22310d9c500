"""Graphs made from a few numbers: what each kind promises, judged by networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from debruijn_gpu import backends
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.euler.counting import is_unique
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.generate import bytes_needed, cactus_graph, generate, genome_graph, random_genome, size_of
from debruijn_gpu.graph.options import GenerateOptions
from debruijn_gpu.run.options import RunOptions
from tests.helpers import n_examples


def judge_of(graph):
    tails = np.repeat(np.arange(graph.n_vertices), np.diff(graph.row_ptr))
    judge = nx.MultiDiGraph()
    judge.add_nodes_from(range(graph.n_vertices))
    judge.add_edges_from(zip(tails.tolist(), graph.col.tolist(), strict=True))
    return judge


def made(kind, n, **options):
    return generate(GenerateOptions(kind=kind, n=n, **options), CPU)


@settings(max_examples=n_examples(50))
@given(kind=st.sampled_from(["eulerian", "cactus"]), n=st.integers(2, 300), path=st.booleans(), seed=st.integers(0, 99))
def test_euler_walks_are_there(kind, n, path, seed):
    for sizes in (
        ({"max_degree": 1}, {"max_degree": 4}) if kind == "eulerian" else ({"cycle_edges": 2}, {"cycle_edges": 9})
    ):
        judge = judge_of(made(kind, n, path=path, seed=seed, **sizes))
        assert nx.is_weakly_connected(judge)
        assert nx.is_eulerian(judge) != path
        assert nx.has_eulerian_path(judge)


@pytest.mark.parametrize(("alphabet", "n"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 6), (4, 3), (37, 2)])
@pytest.mark.parametrize("path", [False, True])
def test_de_bruijn_graphs(alphabet, n, path):
    if path and alphabet ** (n - 1) == 1:
        with pytest.raises(ParameterError):
            made("debruijn", n, alphabet=alphabet, path=True)
        return
    graph = made("debruijn", n, alphabet=alphabet, path=path)
    judge = judge_of(graph)
    assert judge.number_of_nodes() == alphabet ** (n - 1)
    assert judge.number_of_edges() == alphabet**n - path
    assert nx.has_eulerian_path(judge)
    assert nx.is_eulerian(judge) != path


def test_words_are_names():
    first, second = ["00", "01"], ["10", "11"]
    assert list(de_bruijn_graph(2, 3, CPU)) == [("00", first), ("01", second), ("10", first), ("11", second)]
    assert list(de_bruijn_graph(37, 1, CPU)) == [("0", ["0"] * 37)]


def test_random_graphs_are_of_any_degrees():
    graph = made("random", 20_000, max_degree=5)
    degrees = np.bincount(np.diff(graph.row_ptr))
    assert len(degrees) == 6
    assert (abs(degrees - 20_000 / 6) < 300).all()
    assert len(np.bincount(graph.col, minlength=20_000)) == 20_000
    assert not nx.has_eulerian_path(judge_of(graph))


@pytest.mark.slow
def test_shallow_graphs_have_many_short_circuits():
    """Stable pairing of the edges in and out of each vertex gives about one circuit for two cycles."""
    graph = cactus_graph(100_000, 34, 1, CPU)
    follow = np.empty(graph.n_edges, np.int64)
    follow[np.argsort(graph.col, kind="stable")] = np.arange(graph.n_edges)
    judge = nx.Graph(enumerate(follow.tolist()))
    assert 0.4 < nx.number_connected_components(judge) / (100_000 / 34) < 0.6


@pytest.mark.parametrize("kind", ["random", "eulerian", "cactus"])
def test_threads_change_nothing(kind):
    def bytes_of(threads, seed=3):
        backend = backends.load(RunOptions(backend="cpu", threads=threads))
        graph = generate(GenerateOptions(kind=kind, n=30_000, seed=seed), backend)
        return graph.row_ptr.tobytes(), graph.col.tobytes()

    try:
        assert bytes_of(1) == bytes_of(2) == bytes_of(5)
        assert bytes_of(1) != bytes_of(1, seed=4)
    finally:
        backends.load(RunOptions(backend="cpu", threads=1))


@pytest.mark.parametrize("path", [False, True])
@pytest.mark.parametrize("k", [3, 31])
def test_genomes(k, path):
    options = GenerateOptions(kind="genome", n=3000, k=k, repeats=2, repeat_bp=150, path=path)
    edges = genome_graph(options, RunOptions(threads=2), CPU)
    text = "".join("ACGT"[base] for base in random_genome(options, CPU).tolist())
    text += "" if path else text[: k - 1]
    expected = sorted(text[i : i + k] for i in range(len(text) - k + 1))
    found = [name + head[-1] for name, heads in edges.graph for head in heads]
    assert found == expected
    assert is_unique(edges.graph, CPU).edges is False


def test_repeats_are_in_genomes():
    options = GenerateOptions(kind="genome", n=10_000, repeats=10, repeat_bp=100)
    genome = random_genome(options, CPU)
    windows = np.lib.stride_tricks.sliding_window_view(genome, 100)
    distinct = np.unique(windows, axis=0, return_counts=True)[1]
    assert 10 <= (distinct == 2).sum() < 30  # some go on by chance
    assert distinct.max() == 2
    plain = random_genome(GenerateOptions(kind="genome", n=10_000, repeats=0), CPU)
    assert (genome != plain).sum() > 500


def test_genomes_without_repeats_are_unique():
    options = GenerateOptions(kind="genome", n=5000, k=31, repeats=0)
    assert is_unique(genome_graph(options, RunOptions(threads=2), CPU).graph, CPU).edges


@pytest.mark.parametrize("kind", ["random", "eulerian", "cactus", "debruijn"])
def test_sizes_are_told_before(kind):
    options = GenerateOptions(kind=kind, n=6 if kind == "debruijn" else 5000)
    graph = generate(options, CPU)
    n_vertices, n_edges = size_of(options)
    assert n_vertices == pytest.approx(graph.n_vertices, rel=0.1)
    assert n_edges == pytest.approx(graph.n_edges, rel=0.1)
    assert bytes_needed(options) >= bytes_needed(options, working=False) >= 8 * n_vertices + 4 * n_edges


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "ring", "n": 1},
        {"kind": "random", "n": 0},
        {"kind": "random", "n": 5, "path": True},
        {"kind": "random", "n": 5, "max_degree": 0},
        {"kind": "eulerian", "n": 5, "max_degree": 1 << 31},
        {"kind": "eulerian", "n": 5, "seed": -1},
        {"kind": "cactus", "n": 1},
        {"kind": "cactus", "n": 10, "cycle_edges": 1},
        {"kind": "debruijn", "n": 32, "alphabet": 4},
        {"kind": "debruijn", "n": 3, "alphabet": 0},
        {"kind": "genome", "n": 30},
        {"kind": "genome", "n": 200, "k": 256},
        {"kind": "genome", "n": 200, "k": 0},
        {"kind": "genome", "n": 100, "repeats": 1},
        {"kind": "genome", "n": 100, "repeats": -1},
    ],
)
def test_options_that_cannot_be(wrong):
    with pytest.raises((ParameterError, UsageError)):
        GenerateOptions(**wrong)
