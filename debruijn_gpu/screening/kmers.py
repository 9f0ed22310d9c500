"""Sequences that hold the k-mers of a set, for the index of a screen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.alphabet import BASES_PER_WORD, words_per_kmer
from debruijn_gpu.assembly.unitig_graph import unitigs
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.screening.sequences import ReferenceSequences

Codes = NDArray[np.uint64]


def sequences_of_kmers(name: str, table: KmerTable) -> ReferenceSequences:
    """Spell the k-mers of a table (of the host) as sequences of one reference.

    Canonical k-mers of odd length are compacted to unitigs, which share fewer bases; others are sequences of their own.
    """
    if table.canonical and table.k % 2 and len(table):
        host = backends.host()
        walks = unitigs(kmer_graph(table, host), host)
        offsets, bases = host.unitigs.spell(table.codes, table.k, walks.offsets, walks.steps)
        starts, stops = offsets, offsets[1:]
    else:
        bases = _left_aligned(table.codes, table.k)
        starts = BASES_PER_WORD * words_per_kmer(table.k) * np.arange(len(table) + 1)
        stops = starts[:-1] + table.k
    return ReferenceSequences(table.k, (name,), bases, starts, stops, np.zeros(len(stops), np.int64))


def _left_aligned(codes: Codes, k: int) -> Codes:
    """Pack each k-mer (words, n) from the start of a word on."""
    n_words = len(codes)
    unused = np.uint64(2 * (BASES_PER_WORD * n_words - k))
    words = codes << unused
    if unused:
        words[:-1] |= codes[1:] >> (np.uint64(64) - unused)
    return np.ascontiguousarray(words.T).ravel()
