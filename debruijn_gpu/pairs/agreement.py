"""Count the reads that agree with each place of unitigs, and gather where others contradict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs.sizes import COVER_BIN_BP
from debruijn_gpu.pairs.placed_reads import distinct_columns

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class Agreement:
    """What reads tell about each place of unitigs.

    Attributes
    ----------
    margin_bp : int
        Bases that a read agrees with on both sides of a bin which it covers.
    cover : ndarray, dtype=int32, shape=(n_bins,)
        Reads that cover each bin of `COVER_BIN_BP` bases of all unitigs, one after another.
    sites : ndarray, dtype=int64, shape=(2, n)
        See `UnitigOperations.compare_placed`: ascending, each distinct one once, as copies of a read are no evidence.
    """

    margin_bp: int
    cover: NDArray[np.int32]
    sites: Longs


class AgreementCounter:
    """Compares batches of placed reads with unitigs, from any number of threads.

    Parameters
    ----------
    graph : UnitigGraph
        In arrays of the backend.
    margin_bp : int
    backend : AssemblyBackend
    """

    def __init__(self, graph: UnitigGraph, margin_bp: int, backend: AssemblyBackend) -> None:
        self._offsets, self._bases = graph.sequences.offsets, graph.sequences.bases
        self._margin_bp, self._backend = margin_bp, backend
        n_bins = int(self._offsets[-1]) // COVER_BIN_BP
        change = np.empty(n_bins + 1, np.int32)
        change[:] = 0  # so that its pages are there, and what is left for the index of the unitigs is what is left
        self._change = backend.to_device(change)
        self._sites: list[Longs] = [np.empty((2, 0), np.int64)]

    def add(self, batch: ReadBatch, placed: NDArray[np.int64]) -> None:
        """Take in a batch, where its reads are placed: in arrays of the backend."""
        compare = self._backend.unitigs.compare_placed
        sites = compare(batch, placed, self._margin_bp, self._offsets, self._bases, self._change)
        self._sites.append(self._backend.to_host(sites))

    def found(self) -> Agreement:
        """Return what all batches told."""
        cover = self._backend.to_host(self._change)[:-1]
        np.cumsum(cover, out=cover)
        return Agreement(self._margin_bp, cover, distinct_columns(self._sites))
