"""Evaluation of contigs by the k-mers of reads, against sets of k-mers, on every backend at hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from debruijn_gpu.assembly.evaluation import dead_ends, evaluate, quality_value, solid_count
from debruijn_gpu.assembly.unitig_graph import PackedSequences, UnitigGraph
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.graph.graph import Graph
from debruijn_gpu.kmers.spectrum import Spectrum
from debruijn_gpu.kmers.table import HeldTable
from debruijn_gpu.run.options import RunOptions
from tests.assembly.examples import contigs_of
from tests.helpers import first_quick, random_sequence, table_of
from tests.naive import kmers as naive
from tests.naive.evaluation import evaluated

pytestmark = pytest.mark.cuda

RUN = RunOptions(backend="cpu", threads=2)
N = 40 if is_simulated() else 400


def graph_of(k, links, n_kmers, circular=()):
    """A unitig graph in NumPy arrays; its sequences do not matter."""
    n = len(n_kmers)
    edges = sorted({*links, *((b ^ 1, a ^ 1) for a, b in links)})
    row_ptr = np.searchsorted([a for a, _b in edges], np.arange(2 * n + 1)).astype(np.int64)
    is_circular = np.zeros(n, np.bool_)
    is_circular[list(circular)] = True
    numbers, empty = np.array(n_kmers, np.int64), PackedSequences(np.zeros(n + 1, np.int64), np.zeros(0, np.uint64))
    graph = Graph(row_ptr, np.array([b for _a, b in edges], np.uint32))
    return UnitigGraph(k, graph, empty, is_circular, numbers, numbers)


def spectrum_of(counts, k):
    multiplicity, frequency = np.unique(np.array(list(counts.values()), np.int64), return_counts=True)
    return Spectrum(k, multiplicity, frequency)


def run_evaluation(backend, counts, k, contigs, min_count=1, run=RUN):
    """Evaluate contigs by counts of k-mers."""
    kept = {kmer: n for kmer, n in counts.items() if n >= min_count}
    held = HeldTable(table_of(kept, k).moved(backend.to_device), run, backend)
    graph = graph_of(contigs.k, [], contigs.n_kmers.tolist()).moved(backend.to_device)
    return evaluate(contigs, graph, held, spectrum_of(counts, k), min_count, 0, run, backend)


def check(backend, counts, k, contigs, min_count=1):
    """Compare with the twin."""
    found = run_evaluation(backend, counts, k, contigs, min_count)
    sequences = [contigs.sequence(i).decode() for i in range(len(contigs))]
    expected = evaluated(sequences, contigs.circular.tolist(), counts, k, found.solid_count, min_count)
    assert {name: getattr(found, name) for name in expected} == expected
    return found


@pytest.mark.parametrize("k", [5, 21, 33])
def test_every_figure_is_that_of_sets(backend, k):
    rng = np.random.default_rng(k)
    genome = random_sequence(rng, N)
    counts = {kmer: int(rng.integers(1, 9)) for kmer in naive.count([genome, random_sequence(rng, k + 5)], k)}
    texts = [genome[: N // 2], naive.reverse_complement(genome[N // 3 :]), random_sequence(rng, k + 3)]
    contigs = contigs_of([text.encode() for text in texts], k, circular=[1])
    for min_count in (1, 4):
        check(backend, counts, k, contigs, min_count)


def test_a_circular_contig_shorter_than_a_kmer(backend):
    counts = dict.fromkeys(naive.count(["ACCGACCGACCGACCG"], 9), 3)
    found = check(backend, counts, 9, contigs_of([b"ACCG"], 9, circular=[0]))
    assert (found.n_contig_kmers, found.completeness, found.is_lower_bound) == (4, 1.0, True)


def test_no_contigs(backend):
    found = run_evaluation(backend, {"AAACC": 2}, 5, contigs_of([], 5))
    assert (found.completeness, found.explained, found.n_contig_kmers, found.qv) == (0.0, 0.0, 0, 0.0)


@pytest.mark.parametrize("n_errors", first_quick([0, 4, 1, 16], 2))
def test_the_quality_value_is_that_of_the_errors(backend, n_errors):
    """A substitution makes k k-mers absent, so E is the share of wrong bases."""
    if is_simulated() and n_errors:
        pytest.skip("too many items")
    rng = np.random.default_rng(n_errors)
    k, n = 21, 128 if is_simulated() else 20_000
    genome = random_sequence(rng, n)
    wrong = list(genome)
    for at in range(500, 500 + 1000 * n_errors, 1000):
        wrong[at] = naive.reverse_complement(wrong[at])
    counts = dict.fromkeys(naive.count([genome], k), 30)
    found = check(backend, counts, k, contigs_of(["".join(wrong).encode()], k), min_count=2)
    assert found.n_absent == k * n_errors
    assert found.is_lower_bound == (n_errors == 0)
    if n_errors:
        assert found.qv == pytest.approx(-10 * math.log10(n_errors / n), abs=0.05)


def test_scratch_files_change_nothing(backend, tune, tmp_path):
    counts = {kmer: 1 + i % 5 for i, kmer in enumerate(naive.count([random_sequence(np.random.default_rng(3), N)], 33))}
    contigs = contigs_of([random_sequence(np.random.default_rng(3), N - 7).encode()], 33)
    expected = run_evaluation(backend, counts, 33, contigs)
    tune(held_kmers_share=0)
    run = RunOptions(backend="cpu", threads=2, tmp_dir=tmp_path)
    assert run_evaluation(backend, counts, 33, contigs, run=run) == expected
    assert expected.n_solid_found > 0
    assert list(tmp_path.iterdir()) == []


def test_the_table_is_compared_in_parts_where_memory_is_short(backend, tune, tmp_path, monkeypatch):
    """Parts of one row, of several, and a last one that is shorter."""
    counts = {kmer: 1 + i % 5 for i, kmer in enumerate(naive.count([random_sequence(np.random.default_rng(3), N)], 21))}
    contigs = contigs_of([random_sequence(np.random.default_rng(3), N - 7).encode()], 21)
    tune(held_kmers_share=0)
    run = RunOptions(backend="cpu", threads=2, tmp_dir=tmp_path)
    expected = run_evaluation(backend, counts, 21, contigs, run=run)
    looked_up = []
    look_up = backend.kmers.look_up_counts
    monkeypatch.setattr(
        backend.kmers, "look_up_counts", lambda *given: looked_up.append(len(given[1])) or look_up(*given)
    )
    for at_once, left in ((len(counts) // 3, 0), (1 << 3, 4 * 12 * 16), (len(counts), 0)):
        tune(held_kmers_at_once=at_once)
        monkeypatch.setattr(type(backend), "memory_left", staticmethod(lambda run, left=left: left))
        looked_up.clear()
        assert run_evaluation(backend, counts, 21, contigs, run=run) == expected
        assert max(looked_up) == max(at_once, left // 48)
    assert list(tmp_path.iterdir()) == []


def test_dead_ends():
    from debruijn_gpu.backends.cpu import CPU

    graph = graph_of(5, [(0, 2), (0, 5), (6, 6)], [6, 3, 2, 6], circular=[3])
    assert dead_ends(graph, 0, CPU) == (6, 3)
    assert dead_ends(graph, 7, CPU) == (4, 2)
    assert dead_ends(graph, 11, CPU) == (0, 0)


@pytest.mark.parametrize(("min_contig_bp", "expected"), [(0, (6, 3)), (7, (4, 2)), (11, (0, 0))])
def test_ends_count_by_the_length_of_unitigs_and_not_of_contigs(backend, min_contig_bp, expected):
    contigs = contigs_of([b"ACGTTGCATTAGG"], 5)
    held = HeldTable(table_of({"AAACC": 2}, 5).moved(backend.to_device), RUN, backend)
    graph = graph_of(5, [(0, 2), (0, 5)], [6, 3, 2]).moved(backend.to_device)
    found = evaluate(contigs, graph, held, spectrum_of({"AAACC": 2}, 5), 1, min_contig_bp, RUN, backend)
    assert (found.n_ends, found.n_dead_ends) == expected


def test_quality_value():
    assert quality_value(31, 100_000, 31) == pytest.approx(50.0, abs=0.01)
    assert quality_value(0 + 1, 1000, 1) == pytest.approx(30.0)
    assert quality_value(5, 5, 21) == quality_value(1, 0, 21) == 0.0


def test_solid_kmers_lie_beyond_the_valley():
    x = np.arange(1, 60)
    frequency = np.round(1e6 * 5.0**-x + 3e4 * np.exp(-((x - 30) ** 2) / 60)).astype(np.int64)
    spectrum = Spectrum(31, x[frequency > 0], frequency[frequency > 0])
    assert 8 <= solid_count(spectrum, 2) <= 16
    assert solid_count(spectrum, 20) == 20
    assert solid_count(Spectrum(31, x[:2], np.array([9, 3])), 2) == 2
