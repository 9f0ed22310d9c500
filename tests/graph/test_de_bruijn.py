from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.de_bruijn import EdgeCentricGraph, copy_numbers, edge_centric
from debruijn_gpu.kmers.table import kmer_text
from tests.naive import euler as naive
from tests.naive.sequences import reverse_complement

KS = [1, 2, 3, 4, 5, 31, 32, 33, 34, 35, 63, 64, 65, 67, 96, 97, 126, 127, 128, 129, 193, 255]


def edges(graph: EdgeCentricGraph) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    csr = graph.graph
    for v in range(csr.n_vertices):
        for edge in range(csr.row_ptr[v], csr.row_ptr[v + 1]):
            found[graph.graph.names.name(v), graph.graph.names.name(int(csr.col[edge]))] += 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize("k", KS)
@given(data=st.data())
def test_edges_are_the_kmers(k: int, canonical: bool, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text("ACGT", min_size=k, max_size=k + 9), max_size=4))
    table = naive.table_of((kmer for text in texts for kmer in naive.kmers_of(text, k)), k, canonical)
    counted = Counter({kmer_text(code, k): int(n) for code, n in zip(table.codes.T, table.counts, strict=True)})
    distinct = edge_centric(table, None, CPU)
    strands = {strand for kmer in counted for strand in ({kmer, reverse_complement(kmer)} if canonical else {kmer})}
    assert edges(distinct) == Counter((strand[:-1] or "ε", strand[1:] or "ε") for strand in strands)
    check_kmer_numbers(distinct, list(counted))
    graph = edge_centric(table, table.counts, CPU)
    assert edges(graph) == naive.edges_of(counted, canonical)
    names = [graph.graph.names.name(v) for v in range(graph.graph.n_vertices)]
    assert names == sorted(set(names))
    assert graph.graph.row_ptr[0] == 0
    assert graph.graph.row_ptr[-1] == graph.graph.n_edges
    check_kmer_numbers(graph, list(counted))


def check_kmer_numbers(graph: EdgeCentricGraph, kmers: list[str]) -> None:
    """Each edge names the k-mer that its ends spell; edges are in the order of their k-mers."""
    if graph.k == 1:
        return
    tails = np.repeat(np.arange(graph.graph.n_vertices), np.diff(graph.graph.row_ptr))
    ends = zip(tails.tolist(), graph.graph.col.tolist(), strict=True)
    spelled = [graph.graph.names.name(tail) + graph.graph.names.name(head)[-1] for tail, head in ends]
    assert spelled == sorted(spelled)
    for text, number in zip(spelled, graph.kmers, strict=True):
        if graph.both_strands:
            kmer = kmers[number >> 1]
            assert text == (reverse_complement(kmer) if number & 1 else kmer)
        else:
            assert text == kmers[number]


def test_copy_numbers_round_and_are_at_least_one() -> None:
    assert copy_numbers(np.array([2, 14.9, 15, 31]), 10.0).tolist() == [1, 1, 2, 3]
    assert copy_numbers(np.array([2]), 10.0).dtype == np.uint32
