"""Mercy k-mers of small graphs, on every backend at hand."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.assembly.mercy import with_mercy_kmers
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.kmers.choose_k import SEQUENCE_BP
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run.options import RunOptions
from tests.helpers import batch_of, kmers_of, random_sequence
from tests.naive import kmers as naive

pytestmark = pytest.mark.cuda

K = 11
PIECE = 18 if is_simulated() else 60


SOLID, THIN = 6, 5


def completed(backend, pieces, *batches, count=SOLID):
    """Count the k-mers of pieces, which have one count, with mercy k-mers of reads; by k-mer."""
    kmers = sorted(naive.count(pieces, K))
    codes = np.array([[sum("ACGT".index(base) << 2 * i for i, base in enumerate(kmer[::-1])) for kmer in kmers]])
    table = KmerTable(K, codes.astype(np.uint64), np.full(len(kmers), count, np.uint32)).moved(backend.to_device)
    graph = unitig_graph(kmer_graph(table, backend), table, backend)
    reads = [batch.moved(backend.to_device) for batch in batches]
    found = with_mercy_kmers(table, graph, reads, RunOptions(threads=2), backend).moved(backend.to_host)
    assert found.counts.dtype == np.uint32
    return dict(zip(kmers_of(found.codes, K), found.counts.tolist(), strict=True))


def of_kmers(sequences, count):
    return dict.fromkeys(naive.count(sequences, K), count)


def test_reads_join_what_is_solid(backend):
    rng = np.random.default_rng(1)
    left, gap, right = random_sequence(rng, PIECE), random_sequence(rng, 3), random_sequence(rng, PIECE)
    read = left[-14:] + gap + right[:14]
    solid = of_kmers([left, right], SOLID)
    for n in (1, 2):
        found = completed(backend, [left, right], batch_of([read, naive.reverse_complement(read)][:n]))
        assert found == of_kmers([left + gap + right], n) | solid
    assert completed(backend, [left, right], batch_of([left[-14:] + gap, gap + right[:14]])) == solid
    assert completed(backend, [left, right]) == solid


@pytest.mark.parametrize(("n_kmers", "count", "is_extended"), [(17, THIN, True), (16, THIN, False), (17, SOLID, False)])
def test_reads_extend_thin_unitigs_that_are_long(backend, n_kmers, count, is_extended):
    rng = np.random.default_rng(14)
    unitig = random_sequence(rng, n_kmers + K - 1)
    before, behind = random_sequence(rng, 7), random_sequence(rng, 5)
    reads = [before + unitig[:15], naive.reverse_complement(unitig[-12:] + behind)]
    solid = of_kmers([unitig], count)
    found = completed(backend, [unitig], batch_of(reads), count=count)
    assert found == (of_kmers([before + unitig + behind], 1) | solid if is_extended else solid)
    assert completed(backend, [unitig], batch_of([reads[0], reads[0]]), count=count) == (
        of_kmers([before + unitig], 2) | solid if is_extended else solid
    )


def test_tails_of_reads_that_meet_join_thin_unitigs(backend):
    rng = np.random.default_rng(5)
    left, gap, right = random_sequence(rng, 28), random_sequence(rng, 14), random_sequence(rng, 28)
    reads = [left[-13:] + gap[:13], gap[1:] + right[:13]]
    found = completed(backend, [left, right], batch_of(reads), count=THIN)
    assert found.keys() == of_kmers([left + gap + right], 1).keys()


def test_batches_and_their_order_change_nothing(backend):
    rng = np.random.default_rng(2)
    parts = [random_sequence(rng, PIECE) for _ in range(3)]
    gaps = [random_sequence(rng, n) for n in (0, 4)]
    reads = [parts[i][-13:] + gaps[i] + parts[i + 1][:13] for i in (0, 1)]
    together = completed(backend, parts, batch_of(reads))
    assert len(together) > len(of_kmers(parts, SOLID))
    assert completed(backend, parts, *(batch_of([read]) for read in reads[::-1])) == together


def test_long_sequences_and_their_rests_are_left_out(backend):
    """They may be in several batches."""
    if is_simulated():
        pytest.skip("takes more than 128 items")
    rng = np.random.default_rng(3)
    left, gap, right = random_sequence(rng, PIECE), random_sequence(rng, 3), random_sequence(rng, PIECE)
    read = left[-14:] + gap + right[:14]
    solid = of_kmers([left, right], SOLID)
    long = batch_of([random_sequence(rng, SEQUENCE_BP - len(read)) + read])
    assert completed(backend, [left, right], long) == solid
    rest = batch_of([read])
    assert completed(backend, [left, right], ReadBatch(rest.bases, rest.offsets, rest.ambiguous_positions, 5)) == solid
    both = batch_of([read, random_sequence(rng, SEQUENCE_BP)])
    assert completed(backend, [left, right], both) == of_kmers([left + gap + right], 1) | solid


def test_an_index_that_exceeds_memory_is_refused(backend, monkeypatch):
    monkeypatch.setattr(type(backend), "memory_left", staticmethod(lambda run: 100))
    with pytest.raises(OutOfMemoryError, match=r"index of 36 bases of unitigs takes about (256|288) B, and 100 B are"):
        completed(backend, ["ACGTTGCAAGTCCATGCA", "TTTGACCCATGGTCAAAC"])
