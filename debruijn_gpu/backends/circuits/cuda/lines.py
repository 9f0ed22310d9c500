"""Keep the edges that walks pass, in lines of consecutive ones, so that circuits are written without a second walk.

A walk loads from a random place for each edge; a line of edges is copied in one piece. Lines take 4 to 8 bytes for each
edge: where there is no room for them, the cycles are walked again. So they are where predecessors are computed, and
walks load nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from debruijn_gpu.backends.circuits.cuda.predecessors import Pairing
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import memory
from debruijn_gpu.backends.core.cuda.runtime import (
    BLOCK,
    cuda,
    device_function,
    kernel,
    launch,
    uint32,
    uint64,
    xp,
)

_LINE_BYTES = 128  # to copy lines of 64 bytes takes half as much time again
#: Edges of a thread in shared memory are this far apart: one more than a block has threads, so that those of a line are
#: in different banks
STRIDE = BLOCK + 1
_NOWHERE = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_AT_ONCE = 4  # lines of a thread that are loaded before any is stored


def line_bits(dtype: np.dtype) -> int:
    """Log2 of the edges of a line."""
    return (_LINE_BYTES // dtype.itemsize).bit_length() - 1


@dataclass(frozen=True)
class Lines:
    """Edges in lines of 128 bytes, in no order.

    Attributes
    ----------
    edges : array, dtype=uint32 or uint64
        Those of a line behind the end of a sublist have no meaning.
    owners : array, dtype=uint64, shape=(n,)
        For each line its sublist, and in the low 32 bits which line of this it is; empty where none are kept.
    n_lines : array, dtype=int64, shape=(1,)
        How many there are.
    """

    edges: Array
    owners: Array
    n_lines: Array

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What kernels take: ``edges, owners, n_lines``."""
        return self.edges, self.owners, self.n_lines

    @classmethod
    def none(cls, dtype: np.dtype) -> Lines:
        """No room for lines."""
        return cls(xp.empty(0, dtype), xp.empty(0, np.uint64), xp.empty(0, np.int64))

    @classmethod
    def room(cls, pairing: Pairing, n_walks: int) -> Lines:
        """Room for all lines of so many walks; none if predecessors are computed, or little memory would be left."""
        dtype, n_edges = pairing.dtype, pairing.size
        n_lines = (n_edges >> line_bits(dtype)) + n_walks
        n_bytes = n_lines * (_LINE_BYTES + 8) + 2 * n_edges * dtype.itemsize
        if pairing.degree or not memory.has_room(n_bytes):
            return cls.none(dtype)
        return cls(xp.empty(n_lines << line_bits(dtype), dtype), xp.empty(n_lines, np.uint64), xp.zeros(1, np.int64))


@device_function
def keep(line, bits, n_passed, sublist, walked, room, edges, owners, n_lines):
    """Store the lines of a block, one of each thread that passed edges. All threads of a block must come here.

    Parameters
    ----------
    line : shared; the edges of each thread, `STRIDE` apart
    bits : int; log2 of the edges of a line
    n_passed : int; edges of this thread
    sublist, walked : uint64 and int64; where the line belongs, and edges of the sublist up to its end
    room : (shared, int64 (2,), and shared, uint32 (BLOCK,)); the very first is 0 on entry
    edges, owners, n_lines : in and out, as in `Lines`
    """
    counts, of_thread = room
    own = np.int64(0)
    if n_passed:
        own = cuda.atomic.add(counts, 0, np.int64(1))
        of_thread[own] = cuda.threadIdx.x
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        counts[1] = cuda.atomic.add(n_lines, 0, counts[0])
    cuda.syncthreads()
    first = counts[1]
    for i in range(cuda.threadIdx.x, counts[0] << bits, BLOCK):
        edges[(first << bits) + i] = line[(i & ((1 << bits) - 1)) * STRIDE + of_thread[i >> bits]]
    if n_passed:
        owners[first + own] = (sublist << np.uint64(32)) | np.uint64((walked - 1) >> bits)


def _make_copy(dtype: np.dtype, edge_type: Any) -> Any:
    """Build the kernel that copies lines of edges of a type."""
    bits = line_bits(dtype)
    last = (1 << bits) - 1
    at_once = _AT_ONCE

    @kernel
    def copy(edges, owners, n_lines, at, run_lengths, out):
        """Copy the lines of runs to their places. One thread for an edge of each of some lines.

        Parameters
        ----------
        edges, owners, n_lines : in, as in `Lines`
        at, run_lengths : in, as in `Runs`; the first begin with sublists
        out : out, as edges
        """
        own = cuda.local.array(at_once, uint64)
        to = cuda.local.array(at_once, uint64)
        copied = cuda.local.array(at_once, edge_type)
        n = n_lines[0]
        for i in range(cuda.grid(1), ((n + at_once - 1) // at_once) << bits, cuda.gridsize(1)):
            line = (i >> bits) * at_once
            for j in range(at_once):
                own[j] = owners[min(line + j, n - 1)]
                copied[j] = edges[(min(line + j, n - 1) << bits) + (i & last)]
            for j in range(at_once):
                walked = (np.int64(own[j] & _LOW_HALF) << bits) + (i & last)
                sublist = own[j] >> np.uint64(32)
                to[j] = at[sublist] - walked if walked < run_lengths[sublist] else _NOWHERE
            for j in range(at_once):
                if to[j] != _NOWHERE:
                    out[to[j]] = copied[j]

    return copy


_COPY = {
    dtype: _make_copy(dtype, edge_type)
    for dtype, edge_type in ((np.dtype(np.uint32), uint32), (np.dtype(np.uint64), uint64))
}


def copy_lines(lines: Lines, at: Array, run_lengths: Array, out: Array) -> None:
    """Write the runs that begin with sublists; see `Runs`."""
    n_threads = -(-lines.owners.size // _AT_ONCE) << line_bits(out.dtype)
    launch(_COPY[out.dtype], n_threads, *lines.arguments, at, run_lengths, out)
