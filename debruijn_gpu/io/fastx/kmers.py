"""Writing counted k-mers."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from debruijn_gpu.kmers.table import KmerTable
from debruijn_gpu.run import progress
from debruijn_gpu.run.tuning import tuning

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend


def write_kmer_lines(stream: BinaryIO, table: KmerTable, backend: HostBackend) -> None:
    """Write ``kmer<TAB>count`` for each k-mer of a table, in its order."""
    for start in range(0, len(table), tuning().kmers_at_once):
        progress.update(start, len(table), "k-mers")
        stop = min(start + tuning().kmers_at_once, len(table))
        stream.write(backend.kmers.kmer_lines(table.codes, table.counts, table.k, start, stop).data)


def write_kmer_arrays(stream: BinaryIO, table: KmerTable) -> None:
    """Write the fields of a `KmerTable` (codes, counts, k, canonical) as NumPy's npz."""
    np.savez(
        stream,
        codes=np.asfortranarray(table.codes),  # one layout, whatever the backend and the memory
        counts=table.counts,
        k=np.int64(table.k),
        canonical=np.bool_(table.canonical),
    )
