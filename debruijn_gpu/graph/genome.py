"""The de Bruijn graph of a random genome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.alphabet import BASES_PER_WORD
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.graph.edge_centric import EdgeCentricGraph, edge_centric
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.options import CountOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import HostBackend
    from debruijn_gpu.graph.options import GenerateOptions
    from debruijn_gpu.run.options import RunOptions

_BATCH_BASES = 1 << 20


def random_genome(options: GenerateOptions, backend: HostBackend) -> NDArray[np.uint8]:
    """Two-bit codes of a random sequence with repeats.

    The genome is cut into intervals as long as a repeat, which are taken in random order: the second becomes a copy of
    the first, the fourth one of the third, and so on. So there are just as many repeats as asked for, each with one
    copy.
    """
    bases: NDArray[np.uint8] = backend.to_host(backend.graphs.random_heads(options.n, 4, options.seed)).astype(np.uint8)
    length = options.repeat_bp
    order = backend.to_host(backend.graphs.permutation(options.n // length, options.seed)).astype(np.int64)
    for i in range(options.n_repeats):
        original, copy = (int(interval) * length for interval in order[2 * i : 2 * i + 2])
        bases[copy : copy + length] = bases[original : original + length]
    return bases


def genome_graph(options: GenerateOptions, run: RunOptions, backend: HostBackend) -> EdgeCentricGraph:
    """Edge-centric graph of one strand of a random genome: its k-mers, as often as they occur, between (k-1)-mers.

    A circular genome is an Euler circuit of the graph, a linear one (``options.path``) an Euler path.
    """
    bases = random_genome(options, backend)
    if not options.path:
        bases = np.concatenate((bases, bases[: options.k - 1]))
    counted = count_kmers(
        _batches(bases, options.k),
        CountOptions(k=options.k, canonical=False),
        replace(run, backend="cpu"),
        backend,
        n_bases_expected=len(bases),
    )
    assert counted.table is not None
    return edge_centric(counted.table, counted.table.counts, backend)


def _batches(bases: NDArray[np.uint8], k: int) -> Iterator[ReadBatch]:
    """Cut a sequence into reads that overlap by k - 1 bases."""
    for start in range(0, len(bases) - k + 1, _BATCH_BASES):
        segment = bases[start : start + _BATCH_BASES + k - 1]
        yield ReadBatch(_packed(segment), np.array([0, len(segment)], np.int64), np.empty(0, np.int64))


def _packed(bases: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """32 bases a word, the first in the highest bits."""
    padded = np.zeros(-(-len(bases) // BASES_PER_WORD) * BASES_PER_WORD, np.uint8)
    padded[: len(bases)] = bases
    four = padded.reshape(-1, 4)
    octets = four[:, 0] << 6 | four[:, 1] << 4 | four[:, 2] << 2 | four[:, 3]
    return octets.view(">u8").astype(np.uint64)
