"""Sets of counted k-mers as dictionaries: combined, compared and written the slow and obvious way. K-mers are str."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.kmers.table import KmerTable, kmer_text
from tests.helpers import codes_of

MOST_COUNT = 2**32 - 1


def table_of(counts: dict[str, int], k: int, canonical: bool = True) -> KmerTable:
    """Return the table of a dictionary."""
    kmers = sorted(counts)
    codes = codes_of(kmers) if kmers else np.zeros((-(-k // 32), 0), np.uint64)
    return KmerTable(k, codes, np.array([counts[kmer] for kmer in kmers], np.uint32), canonical)


def counts_of(table: KmerTable) -> dict[str, int]:
    """Return the dictionary of a table; the order is kept."""
    return {kmer_text(table.codes[:, i], table.k): int(table.counts[i]) for i in range(len(table))}
