"""Compare placed reads with their unitigs; see `unitigs.agreement_scalars`."""

from __future__ import annotations

import threading

import numpy as np

from debruijn_gpu.backends.core import kmer_scalars
from debruijn_gpu.backends.core.array_types import Codes, Ints, Longs
from debruijn_gpu.backends.core.compile_module import compile_module
from debruijn_gpu.backends.core.cpu.decorators import kernel, lean_function
from debruijn_gpu.backends.core.cpu.intrinsics import with_word
from debruijn_gpu.backends.core.cpu.scalars import bases_from, reverse_complement, reverse_complement_word
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.unitigs import agreement_scalars, packed_scalars, placement_scalars

_adding = threading.Lock()


@lean_function
def _note_cover(found, first, last):
    """Note the bins of a read."""
    bins, _sites, n_noted = found
    at = n_noted[0]
    bins[0, at], bins[1, at] = first, last
    n_noted[0] = at + 1


@lean_function
def _note_site(found, site, evidence):
    """Note where a read contradicts, and how it continues."""
    _bins, sites, n_noted = found
    at = n_noted[1]
    sites[0, at], sites[1, at] = site, evidence
    n_noted[1] = at + 1


_compiled = compile_module(
    lean_function,
    kmer_scalars,
    packed_scalars,
    placement_scalars,
    agreement_scalars,
    bases_from=bases_from,
    note_cover=_note_cover,
    note_site=_note_site,
    reverse_complement=reverse_complement,
    reverse_complement_word=reverse_complement_word,
    with_word=with_word,
)
_compare_read = _compiled.compare_read


@kernel
def _compare(reads, read_offsets, placed, margin, unitigs, found):
    """Compare the reads of a batch; see `agreement_scalars.compare_read`."""
    for row in range(placed.shape[1]):
        start = read_offsets[row]
        where = placed[0, row], placed[1, row], placed[2, row], placed[3, row]
        _compare_read(reads, start, read_offsets[row + 1] - start, where, margin, unitigs, found)


@kernel
def _add_all(bins, n, cover):
    """Add the first n reads to the changes of the cover from bin to bin (in and out)."""
    for i in range(n):
        cover[bins[0, i]] += 1
        cover[bins[1, i]] -= 1


def compare_placed(batch: ReadBatch, placed: Longs, margin: int, offsets: Longs, bases: Codes, cover: Ints) -> Longs:
    """See `UnitigOperations.compare_placed`."""
    n = placed.shape[1]
    bins, sites = np.empty((2, 2 * n), np.int64), np.empty((2, 2 * n), np.int64)  # untouched pages cost nothing
    n_noted = np.zeros(2, np.int64)
    _compare(batch.bases, batch.offsets, placed, margin, (offsets, bases), (bins, sites, n_noted))
    with _adding:
        _add_all(bins, int(n_noted[0]), cover)
    return sites[:, : n_noted[1]].copy()
