"""Align batches of reads to segments, by k-mers that occur once in these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs.alignments import ReadAlignments
from debruijn_gpu.backends.unitigs.sizes import ANCHOR_MARK_BITS, least_index_bytes, slots_within
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.mapping.options import MapOptions
from debruijn_gpu.mapping.segments import NamedSegments, packed_intervals
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import format_bytes

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Length of the k-mers by which reads are placed
ANCHOR_BP = 31
_SHARE_UNIT = 1_000_000  # shares are compared as integers
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class MappedReads:
    """Alignments of the reads of a batch.

    Attributes
    ----------
    lengths : ndarray, dtype=int64, shape=(n,)
    alignments : ReadAlignments
    is_placed : ndarray, dtype=bool, shape=(n,)
        Whether the aligned share of a read suffices.
    counts : MapCounts
    """

    lengths: Longs
    alignments: ReadAlignments
    is_placed: NDArray[np.bool_]
    counts: MapCounts


@dataclass(frozen=True)
class MapCounts:
    """Number of reads: all, shorter than an anchor, longer ones without an anchor, and with too small a share."""

    n_reads: int = 0
    n_short: int = 0
    n_unanchored: int = 0
    n_partial: int = 0

    @property
    def n_placed(self) -> int:
        return self.n_reads - self.n_short - self.n_unanchored - self.n_partial

    def __add__(self, other: MapCounts) -> MapCounts:
        return MapCounts(
            self.n_reads + other.n_reads,
            self.n_short + other.n_short,
            self.n_unanchored + other.n_unanchored,
            self.n_partial + other.n_partial,
        )


class Mapper:
    """Segments with the index of their k-mers.

    Parameters
    ----------
    segments : NamedSegments
    options : MapOptions
    run : RunOptions
    backend : AssemblyBackend
        Finds the anchors; the CPU aligns.
    """

    def __init__(self, segments: NamedSegments, options: MapOptions, run: RunOptions, backend: AssemblyBackend) -> None:
        self._linked = segments.linked
        self._backend = backend
        self._least = round(options.min_share * _SHARE_UNIT)
        with log.stage("index segments", unit="bases") as stage:
            packed = packed_intervals(self._linked)
            stage.items = int(packed.offsets[-1])
            n_slots = _slots_within(stage.items, run, backend)
            self._packed = packed.moved(backend.to_device)
            self._slots = backend.unitigs.index_anchors(self._packed.offsets, self._packed.bases, ANCHOR_BP, n_slots)

    def align(self, batch: ReadBatch) -> MappedReads:
        """Align the reads of a batch, in arrays of the backend."""
        with log.cpu_time("place"):
            found = self._backend.unitigs.place_anchors(
                batch, ANCHOR_BP, self._packed.offsets, self._packed.bases, self._slots
            )
        anchors, reads = self._backend.to_host(found), batch.moved(self._backend.to_host)
        aligned = backends.host().unitigs.align_reads(reads, anchors, self._linked)
        lengths = np.diff(reads.offsets)
        n_aligned = aligned.read_ends - aligned.read_starts
        is_placed = (n_aligned > 0) & (n_aligned * _SHARE_UNIT >= self._least * lengths)
        is_short = lengths < ANCHOR_BP
        has_anchor = anchors[0] >= 0
        reasons = is_short, ~is_short & ~has_anchor, has_anchor & ~is_placed
        counts = MapCounts(len(lengths), *(int(np.count_nonzero(is_so)) for is_so in reasons))
        return MappedReads(lengths, aligned, is_placed, counts)


def _slots_within(n_bases: int, run: RunOptions, backend: AssemblyBackend) -> int:
    """Number of slots of an index for which memory is left; raise an error if that does not suffice."""
    needed = least_index_bytes(n_bases, ANCHOR_MARK_BITS)
    left = backend.memory_left(run)
    if needed > left:
        raise OutOfMemoryError(
            f"Out of memory: the index of {n_bases:,} bases of segments takes about {format_bytes(needed)}, "
            f"and {format_bytes(left)} are left for it",
            "allow more memory (-m, or --gpu-memory on a GPU)",
        )
    return slots_within(left, n_bases, ANCHOR_MARK_BITS)
