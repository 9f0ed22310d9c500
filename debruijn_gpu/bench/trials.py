"""What is timed of each operation: inputs of any size, and the work on them. For `cutovers` and ``dbg bench``."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.protocol import Backend
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.spectra.protocol import Ladder
from debruijn_gpu.run.options import RunOptions

HostArrays: TypeAlias = tuple[NDArray[Any], ...]
Arrays: TypeAlias = tuple[Array, ...]

_FASTQ_PARTS = (b"@r\n", b"\n+\n", b"F" * 150, b"\n")
_N_WANTED = 100_000  # of a semi-join
_HEAVIEST = 1 << 62
_MOST_UNITS = 4096


@dataclass(frozen=True)
class Trial:
    """An operation to time.

    Attributes
    ----------
    unit : str
        What its size counts.
    item_bytes : int
        Of input, or for look-and-say output, for each of these.
    peak_bytes : int
        About how many bytes of memory each of these takes: input, result, and what the work needs.
    make : callable
        Takes a size, gives an input of about that size in NumPy arrays.
    work : callable
        Takes a backend, the input in arrays of the backend, and the size; gives the result in arrays of the backend.
    """

    unit: str
    item_bytes: int
    peak_bytes: int
    make: Callable[[int], HostArrays]
    work: Callable[[Backend, Arrays, int], Arrays]

    def from_host_to_host(self, backend: Backend, inputs: HostArrays, size: int) -> HostArrays:
        """Move the input to the backend, do the work, and move the result back."""
        return to_host(backend, self.work(backend, to_device(backend, inputs), size))


def to_device(backend: Backend, arrays: HostArrays) -> Arrays:
    """Arrays of the backend."""
    return tuple(backend.to_device(array) for array in arrays)


def to_host(backend: Backend, arrays: Arrays) -> HostArrays:
    """NumPy arrays."""
    return tuple(backend.to_host(array) for array in arrays)


def seconds(call: Callable[[], Any]) -> float:
    """Measure the seconds of a call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _numbers(size: int) -> HostArrays:
    return (np.random.default_rng(1).integers(0, _HEAVIEST, size),)


def _with_wanted(size: int) -> HostArrays:
    return *_numbers(size), np.random.default_rng(2).integers(0, _HEAVIEST, _N_WANTED)


def _sort(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    return (backend.arrays.sort(arrays[0]),)


def _distinct(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    return (backend.arrays.distinct(arrays[0]),)


def _compact(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    return (backend.arrays.compact(arrays[0], backend.arrays.matches(arrays[0], ">", _HEAVIEST >> 1))[0],)


def _histogram(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    return (backend.arrays.histogram(arrays[0], 0, float(_HEAVIEST), 1000),)


def _join(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    return (backend.arrays.compact(arrays[0], backend.arrays.semi_join(*arrays))[0],)


@functools.lru_cache(maxsize=1)
def _balanced_graph(n_edges: int) -> HostArrays:
    """A graph of eight bytes an edge, two edges out of each vertex and two into it."""
    n_vertices = max(1, n_edges // 2)
    heads = np.random.default_rng(3).permutation(2 * n_vertices) >> 1
    return np.arange(n_vertices + 1) * 2, heads.astype(np.uint32)


def _euler(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    row_ptr, col = arrays
    pairing = backend.circuits.pair_edges(row_ptr, col)
    cycles = backend.circuits.find_cycles(pairing)
    splices = backend.circuits.splice_cycles(col, pairing, cycles)
    return backend.circuits.write_circuits(pairing, cycles, splices)


def _components(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    return (backend.graphs.weak_components(*arrays),)


def _one(size: int) -> HostArrays:
    return (np.frombuffer(b"1", np.uint8),)


def _look_and_say(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    """All terms from 1 to the first of so many digits."""
    term = arrays[0]
    while len(term) < size:
        term = backend.sequences.say_term(backend.sequences.look_at_term(term))
    return (term,)


def _ladder(size: int) -> HostArrays:
    """Masses of a cyclic peptide with about so many subpeptides, added up twice round; of 5 decimals."""
    n = max(2, math.isqrt(size))
    masses = np.random.default_rng(1).integers(5_700_000, 5_800_000, n)
    positions = np.zeros(2 * n, np.int64)
    np.cumsum(np.tile(masses, 2)[:-1], out=positions[1:])
    return (positions,)


def _cyclospec(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    (positions,) = arrays
    n = len(positions) // 2
    total = int(backend.to_host(positions[n : n + 1])[0])
    return backend.spectra.sort_spectrum(Ladder(positions, n, total, True))


@functools.lru_cache(maxsize=1)
def _reads_text(n_bytes: int) -> HostArrays:
    """FASTQ of some bytes: reads of 150 bases of a genome a hundredth as long."""
    rng = np.random.default_rng(4)
    n_reads = max(1, n_bytes // len(b"@r\n\n+\n\n" + bytes(300)))
    genome = rng.integers(0, 4, n_bytes // 100 + 150, np.uint8)
    starts = rng.integers(0, len(genome) - 149, n_reads)
    codes = np.lib.stride_tricks.sliding_window_view(genome, 150)[starts]
    letters = np.frombuffer(b"ACGT", np.uint8)[codes]
    header, plus, qualities, end = (np.tile(np.frombuffer(part, np.uint8), (n_reads, 1)) for part in _FASTQ_PARTS)
    return (np.concatenate((header, letters, plus, qualities, end), axis=1).reshape(-1),)


class _Reads(Trial):
    """Text goes to the device in its own way."""

    def from_host_to_host(self, backend: Backend, inputs: HostArrays, size: int) -> HostArrays:
        return to_host(backend, self.work(backend, inputs, size))


def _reads(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    found = backend.reads.parse_reads(arrays[0], fastq=True, final=True)
    store = backend.kmers.kmer_store(31, True, RunOptions())
    store.fill([ReadBatch(found.bases, found.offsets, found.ambiguous_positions)])
    counted = backend.kmers.concatenate_counted(list(store.counted(1)), 31, 1)
    store.close()
    return counted


@functools.lru_cache(maxsize=1)
def _vectors(n_distances: int) -> HostArrays:
    """Vectors of twelve components, and as many units as make this number of distances, 4096 or fewer."""
    rng = np.random.default_rng(6)
    n_units = min(_MOST_UNITS, max(1, math.isqrt(n_distances)))
    n = max(1, n_distances // n_units)
    return tuple(rng.integers(-(1 << 18), 1 << 18, (rows, 12)).astype(np.int32) for rows in (n, n_units))


def _match(backend: Backend, arrays: Arrays, size: int) -> Arrays:
    vectors, weights = arrays
    return backend.vectors.best_matching_units(vectors, weights, "euclidean")


#: By the names of `cutovers.DEFAULTS`
TRIALS = {
    "sort": Trial("numbers", 8, 40, _numbers, _sort),
    "distinct": Trial("numbers", 8, 48, _numbers, _distinct),
    "compact": Trial("numbers", 8, 40, _numbers, _compact),
    "histogram": Trial("numbers", 8, 16, _numbers, _histogram),
    "join": Trial("numbers", 8, 40, _with_wanted, _join),
    "euler": Trial("edges", 8, 64, _balanced_graph, _euler),
    "graph": Trial("edges", 8, 64, _balanced_graph, _components),
    "lookandsay": Trial("digits", 1, 6, _one, _look_and_say),
    "cyclospec": Trial("masses", 8, 64, _ladder, _cyclospec),
    "reads": _Reads("bytes", 1, 16, _reads_text, _reads),
    "som": Trial("distances", 8, 1, _vectors, _match),
}
