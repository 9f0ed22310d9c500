"""Count samples in this process, into sorted sets in memory or in one scratch file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from debruijn_gpu.backends.kmers.set_programs import SetProgram, over_all
from debruijn_gpu.errors import FormatError
from debruijn_gpu.io.kmer_sets import kff, layout as dbgk
from debruijn_gpu.io.kmer_sets.files import open_set
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.stored_bytes import first_bytes
from debruijn_gpu.io.kmer_sets.text import is_kmer_text
from debruijn_gpu.io.opening import STANDARD_INPUT
from debruijn_gpu.run.file_formats import kmc_stem
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.samples.engine import JointFunction, Result
from debruijn_gpu.samples.options import SampleOptions
from debruijn_gpu.samples.sequences import SequenceCounter
from debruijn_gpu.samples.sheet import Sample
from debruijn_gpu.samples.store import SampleStore
from debruijn_gpu.sets.combine import combine_sets
from debruijn_gpu.sets.joint import over_joined
from debruijn_gpu.sets.source import MarkedKmers, SortedKmers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from debruijn_gpu.backends.protocol import AssemblyBackend

_HEAD_BYTES = 1 << 12


@dataclass(frozen=True)
class HeldSamples:
    """Sorted sets of the k-mers of samples; see `CountedSamples`.

    Attributes
    ----------
    names : tuple of str
    sets : list of SortedKmers
        Of the samples, in their order.
    k : int
    canonical : bool
    """

    names: tuple[str, ...]
    sets: list[SortedKmers]
    k: int
    canonical: bool
    _store: SampleStore

    @property
    def sizes(self) -> list[int]:
        """Number of distinct k-mers of each sample."""
        return [len(one) for one in self.sets]

    def joined(
        self,
        function: JointFunction[Result],
        run: RunOptions,
        backend: AssemblyBackend,
        with_counts: bool = True,
        in_few: bool = False,
    ) -> Iterator[Result]:
        """See `CountedSamples.joined`."""
        yield from over_joined(self.sets, lambda joint: function(joint, backend), run, backend, with_counts, in_few)

    def close(self) -> None:
        """Free memory and scratch space."""
        self._store.close()


class HeldCounter:
    """See `SampleCounter`: counts here.

    Parameters
    ----------
    samples, options, run, backend
        See `count_samples`.
    store : SampleStore, optional
        Which takes the sets.
    """

    def __init__(
        self,
        samples: Sequence[Sample],
        options: SampleOptions,
        run: RunOptions,
        backend: AssemblyBackend,
        store: SampleStore | None = None,
    ) -> None:
        self._samples = samples
        self._options = options
        self._run = run
        self._backend = backend
        self._store = store or SampleStore(run, backend)
        self._sets: dict[int, SortedKmers] = {}
        self.n_fastq = 0

    def open_sets(self) -> Sequence[MarkedKmers]:
        """See `SampleCounter.open_sets`."""
        which = [(i, sample) for i, sample in enumerate(self._samples) if are_sets(sample)]
        for i, sample in which:
            self._sets[i] = _open_sets(sample, self._options, self._run, self._backend, self._store)
        return list(self._sets.values())

    def count(self, k: int, canonical: bool) -> Iterator[int]:
        """See `SampleCounter.count`."""
        counter = SequenceCounter(k, canonical, self._run, self._backend)
        which = [(i, sample) for i, sample in enumerate(self._samples) if i not in self._sets]
        for n_done, (i, sample) in enumerate(which, start=1):
            self._sets[i] = counter.count(sample, sample.min_count or self._options.hard_min, self._store)
            yield n_done
        self.n_fastq = counter.n_fastq

    def counted(self, k: int, canonical: bool) -> HeldSamples:
        """See `SampleCounter.counted`."""
        return HeldSamples(tuple(sample.name for sample in self._samples), self.sets(), k, canonical, self._store)

    def sets(self) -> list[SortedKmers]:
        """Sets of all samples, in their order."""
        return [self._sets[i] for i in range(len(self._samples))]

    def close(self) -> None:
        """Free memory and scratch space."""
        self._store.close()


def are_sets(sample: Sample) -> bool:
    """Return whether the files of a sample are sets of k-mers.

    Raises
    ------
    FormatError
        If only some are.
    """
    found = [_is_set(path) for path in sample.files]
    if any(found) and not all(found):
        one, other = sample.files[found.index(True)], sample.files[found.index(False)]
        what = f"sample {shorten(sample.name)}: {one} is a set of k-mers, and {other} is not"
        raise FormatError(what, "give sequences, or sets of k-mers (dbg count -o FILE.dbgk)")
    return all(found)


def _is_set(path: str) -> bool:
    """Return whether a file is a set of k-mers, by its content; what can be read only once is not."""
    if kmc_stem(path) is not None:
        return True
    if path == STANDARD_INPUT or not os.path.isfile(path):
        return False
    head = first_bytes(path, _HEAD_BYTES)
    return head.startswith((dbgk.MAGIC[:4], kff.MAGIC)) or is_kmer_text(head)


def _open_sets(
    sample: Sample, options: SampleOptions, run: RunOptions, backend: AssemblyBackend, store: SampleStore
) -> SortedKmers:
    """Open the sets of a sample as one; a file of another format than ``.dbgk`` is read at once."""
    min_count = sample.min_count or options.hard_min or 1
    sets = [open_set(path, run, options.canonical is not False).kmers for path in sample.files]
    if len(sets) == 1 and min_count == 1 and isinstance(sets[0], KmerSetFile):
        return sets[0]

    def combined() -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        yield from combine_sets(sets, SetProgram((over_all("sum", 1, len(sets)),), len(sets), min_count), run, backend)

    try:
        return store.add(sets[0].name, sets[0].k, sets[0].canonical, combined())
    finally:
        for one in sets:
            one.close()
