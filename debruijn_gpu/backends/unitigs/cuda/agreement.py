"""Compare placed reads with their unitigs; see `unitigs.agreement_scalars`."""

from __future__ import annotations

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cuda.fill import first_columns
from debruijn_gpu.backends.core.cuda.memory import guarded
from debruijn_gpu.backends.core.cuda.runtime import contiguous, cuda, device_function, kernel, launch, with_word, xp
from debruijn_gpu.backends.core.cuda.scalars import (
    bases_from,
    kmer_at,
    reverse_complement,
    reverse_complement_word,
)
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import agreement_scalars, packed_scalars, placement_scalars

_MOST_SITES = 2  # of a read: at an end of each of two stretches


@device_function
def _note_cover(found, first, last):
    """Count a read for bins."""
    cover, _sites, _n_sites = found
    cuda.atomic.add(cover, first, np.int32(1))
    cuda.atomic.add(cover, last, np.int32(-1))


@device_function
def _note_site(found, site, evidence):
    """Note where a read contradicts, and how it continues."""
    _cover, sites, n_sites = found
    at = cuda.atomic.add(n_sites, 0, 1)
    sites[0, at] = site
    sites[1, at] = evidence


_compiled = compile_module(
    device_function,
    kmer_scalars,
    packed_scalars,
    placement_scalars,
    agreement_scalars,
    bases_from=bases_from,
    kmer_at=kmer_at,
    note_cover=_note_cover,
    note_site=_note_site,
    reverse_complement=reverse_complement,
    reverse_complement_word=reverse_complement_word,
    with_word=with_word,
)
_compare_read = _compiled.compare_read


@kernel
def _compare(reads, read_offsets, placed, margin, offsets, bases, cover, sites, n_sites):
    """Compare reads; see `agreement_scalars.compare_read`. One thread per read.

    Parameters
    ----------
    reads, read_offsets : in; packed bases and offsets of a batch
    placed : in, int64 (4, n)
    margin : int64
    offsets, bases : in; the unitigs
    cover : in and out, int32
    sites, n_sites : out, int64 (2, 2 n) and (1,)
    """
    for row in range(cuda.grid(1), placed.shape[1], cuda.gridsize(1)):
        start = read_offsets[row]
        where = (placed[0, row], placed[1, row], placed[2, row], placed[3, row])
        unitigs, found = (offsets, bases), (cover, sites, n_sites)
        _compare_read(reads, start, read_offsets[row + 1] - start, where, margin, unitigs, found)


@guarded
def compare_placed(batch: ReadBatch, placed: Array, margin: int, offsets: Array, bases: Array, cover: Array) -> Array:
    """See `UnitigOperations.compare_placed`."""
    n = placed.shape[1]
    sites, n_sites = xp.empty((2, _MOST_SITES * n), np.int64), xp.zeros(1, np.int64)
    reads = contiguous(batch.bases), contiguous(batch.offsets)
    unitigs = contiguous(offsets), contiguous(bases)
    launch(_compare, n, *reads, contiguous(placed), np.int64(margin), *unitigs, cover, sites, n_sites)
    return first_columns(sites, int(n_sites[0]))
