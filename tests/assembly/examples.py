"""Contigs to test writers with, and unitig graphs."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.unitig_graph import unitig_graph
from debruijn_gpu.graph.de_bruijn import kmer_graph
from tests.helpers import table_of
from tests.naive.kmers import count


def contigs_of(sequences, k, counts=None, circular=(), links=()):
    """Contigs of given sequences; each k-mer was counted twice unless `counts` says otherwise."""
    lengths = np.array([len(s) for s in sequences], dtype=np.int64)
    n_kmers = np.maximum(lengths - k + 1, 0)
    is_circular = np.zeros(len(sequences), dtype=bool)
    is_circular[list(circular)] = True
    return Contigs(
        k=k,
        text=np.frombuffer(b"".join(sequences), dtype=np.uint8),
        offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        kmer_counts=2 * n_kmers if counts is None else np.array(counts, dtype=np.int64),
        n_kmers=n_kmers,
        circular=is_circular,
        links=np.array(links, dtype=np.int64).reshape(-1, 2),
    )


def compacted(backend, sequences, k):
    """The unitig graph of the k-mers of sequences, in arrays of a backend."""
    table = table_of(count(sequences, k), k).moved(backend.to_device)
    return unitig_graph(kmer_graph(table, backend), table, backend)


def fork():
    """Three unitigs at k 5 (1 goes to 2, and to 3 reversed), and a circular contig of six k-mers with its overlap."""
    sequences = [b"ACGTTGCATT", b"CATTAGG", b"TCAATG", b"GACCTAGACC"]
    return contigs_of(sequences, 5, [13, 6, 5, 60], circular=[3], links=[(0, 2), (0, 5)])
