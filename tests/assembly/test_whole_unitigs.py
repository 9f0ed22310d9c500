"""The graph of the next k from whole unitigs against that of a table of all k-mers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from debruijn_gpu.assembly import rounds
from debruijn_gpu.assembly.rounds import longer_kmers
from debruijn_gpu.assembly.unitig_graph import UnitigGraph, unitig_graph
from debruijn_gpu.assembly.whole_unitigs import WholeUnitigs
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.run.options import RunOptions
from tests.assembly.test_partitioned import arrays_of
from tests.helpers import batch_of, first_quick, n_examples, random_sequence, table_of
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda

some = settings(
    max_examples=3 if is_simulated() else n_examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
RUN = RunOptions(threads=2)
MOST_BASES = 14 if is_simulated() else 60


def graph_of(backend, sequences: list[str], k: int) -> UnitigGraph:
    table = table_of(naive.count(sequences, k), k).moved(backend.to_device)
    return unitig_graph(kmer_graph(table, backend), table, backend)


def check(backend, monkeypatch, sequences: list[str], reads: list[str], k: int, longer: int) -> UnitigGraph:
    """Compare each array, byte for byte, and the numbers of k-mers; return the graph."""
    graph = graph_of(backend, sequences, k)
    found = []
    for is_whole in (False, True):
        monkeypatch.setattr(rounds, "_are_kept_whole", lambda *_numbers, chosen=is_whole: chosen)
        kmers, *numbers = longer_kmers(graph, [batch_of(reads).moved(backend.to_device)], longer, RUN, backend)
        assert isinstance(kmers, WholeUnitigs) == is_whole
        made = kmers.compact(RUN, backend) if is_whole else unitig_graph(kmer_graph(kmers, backend), kmers, backend)
        found.append((made, numbers))
    (expected, expected_numbers), (made, numbers) = found
    for one, other in zip(arrays_of(made, backend), arrays_of(expected, backend), strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()
    assert numbers == expected_numbers
    return made


@some
@given(
    sequences=st.lists(st.text("ACGT", max_size=MOST_BASES) | st.text("AC", max_size=MOST_BASES), max_size=4),
    cuts=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(1, 40)), max_size=6),
    lengths=st.sampled_from([(3, 5), (3, 9), (5, 7), (5, 11), (7, 9)]),
)
@example(sequences=["AAGCGGCACTTGTGAAGTGT"], cuts=[(0, 0, 20)], lengths=(5, 9))  # links of a unitig with few k-mers
@example(sequences=[], cuts=[], lengths=(3, 5))
@example(sequences=["ACGTTGCAAC"], cuts=[], lengths=(5, 9))  # two longer k-mers, no link
@example(sequences=["ACGTTGCAACGTTGCAACGTTG"], cuts=[(0, 0, 22)], lengths=(5, 7))  # a cycle
def test_whole_unitigs_change_nothing(backend, monkeypatch, sequences, cuts, lengths):
    reads = [sequences[i][start : start + n] for i, start, n in cuts if i < len(sequences)]
    check(backend, monkeypatch, sequences, reads, *lengths)


@pytest.mark.parametrize(("k", "longer"), [(21, 31), (21, 33), (31, 65), (63, 65), (97, 139)])
def test_long_kmers_between_repeats(backend, monkeypatch, k, longer):
    rng = np.random.default_rng(k)
    n = longer + 9 if is_simulated() else 300
    repeat, circle = random_sequence(rng, k + 5), random_sequence(rng, n)
    flanks = [random_sequence(rng, n) for _ in range(3)]
    genome = flanks[0] + repeat + flanks[1] + naive.reverse_complement(repeat) + flanks[2]
    reads = [genome] if is_simulated() else [genome, genome[n // 2 : 2 * n], circle * 2, circle[9:]]
    made = check(backend, monkeypatch, [genome, circle + circle[: k - 1]], reads, k, longer)
    assert len(made) == (5 if longer < len(repeat) else 2)


@pytest.mark.skipif(is_simulated(), reason="too much for the simulator")
@pytest.mark.parametrize("seed", first_quick(range(4), 2))
def test_genomes_with_repeats(backend, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    repeats = [random_sequence(rng, 30) for _ in range(3)]
    genome = "".join(random_sequence(rng, int(rng.integers(1, 150))) + repeats[i % 3] for i in range(30))
    reads = [genome[i : i + 60] for i in rng.integers(0, len(genome) - 60, 200)]
    reads += [read[:30] + "A" + read[31:] for read in reads[::9]]
    made = check(backend, monkeypatch, [genome], reads, 15, 23)
    assert len(made) > 1
