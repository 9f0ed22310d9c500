"""Why reads hold no k-mer: errors and warnings, and the lengths that they go by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import DbgError, NothingToAssembleError, ParameterError
from debruijn_gpu.run.plain_text import counted

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

#: Error of an input without reads, and its remedy
NO_READS = "the input holds no reads", "look at the files"
_NO_BASES = "no read has a base A, C, G or T", "look at the files"
#: No k of an assembly is smaller
_LEAST_K = 3


def short_reads_error(ks: str, longest_bp: int) -> DbgError:
    """Return the error for reads that are all shorter than k; too short ones for any k are the reason themselves."""
    if not longest_bp:
        return NothingToAssembleError(*_NO_BASES)
    remedy = "choose a smaller k (-k)" if longest_bp >= _LEAST_K else "give longer reads"
    return ParameterError(f"k is {ks}, but the longest read has {counted(longest_bp, 'base')}", remedy)


def why_no_kmers(k: int, has_bases: bool) -> tuple[str, str]:
    """Return why reads of k bases and more hold no k-mer, and the remedy."""
    if not has_bases:
        return _NO_BASES
    return f"no read has {k} bases (k) without an ambiguous one between them", "choose a smaller k (-k)"


class LongestRead:
    """Measures reads until one is as long as a k-mer, and one has a base.

    Parameters
    ----------
    k : int
    backend : AssemblyBackend
        Whose arrays the batches hold.

    Attributes
    ----------
    has_bases : bool
        Whether a read has a base that is not ambiguous.
    """

    def __init__(self, k: int, backend: AssemblyBackend) -> None:
        self._k = k
        self._backend = backend
        self._longest_bp = 0
        self.has_bases = False

    def through(self, batches: Iterable[ReadBatch]) -> Iterator[ReadBatch]:
        """Yield the batches, unchanged."""
        for batch in batches:
            if self._longest_bp < self._k:
                lengths = np.diff(self._backend.to_host(batch.offsets))
                self._longest_bp = max(self._longest_bp, int(lengths.max(initial=0)))
            self.has_bases = self.has_bases or batch.n_bases > len(batch.ambiguous_positions)
            yield batch

    def check(self, batches: Iterable[ReadBatch], n_reads: int) -> None:
        """Raise if there are no reads, or all are shorter than k; batches that went through are not read again."""
        if not n_reads:
            raise NothingToAssembleError(*NO_READS)
        if not isinstance(batches, Iterator):
            for _batch in self.through(batches):
                pass
        if self._longest_bp < self._k:
            raise short_reads_error(str(self._k), self._longest_bp if self.has_bases else 0)
