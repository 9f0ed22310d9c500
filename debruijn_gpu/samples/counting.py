"""Count each sample once, into sorted sets in memory or in one scratch file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from debruijn_gpu.backends.kmers.set_programs import SetProgram, over_all
from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.io.compression.inflating import MAGIC_BYTES, compression_of
from debruijn_gpu.io.kmer_sets import kff, layout as dbgk
from debruijn_gpu.io.kmer_sets.files import kmc_stem, open_set
from debruijn_gpu.io.kmer_sets.reading import KmerSetFile
from debruijn_gpu.io.kmer_sets.text import is_kmer_text
from debruijn_gpu.io.opening import STANDARD_INPUT, read_blocks
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted as number_of, shorten
from debruijn_gpu.samples.engine import CountedElsewhere, JointFunction, Result, SampleEngine
from debruijn_gpu.samples.options import DEFAULT_K, READS_MIN_COUNT, SampleOptions
from debruijn_gpu.samples.sequences import SequenceCounter
from debruijn_gpu.samples.sheet import Sample
from debruijn_gpu.samples.store import SampleStore
from debruijn_gpu.sets.combine import combine_sets
from debruijn_gpu.sets.joint import over_joined
from debruijn_gpu.sets.ranges import check_alike
from debruijn_gpu.sets.source import MarkedKmers, SortedKmers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from debruijn_gpu.backends.protocol import AssemblyBackend

_HEAD_BYTES = 1 << 12


@dataclass(frozen=True)
class CountedSamples:
    """Sorted sets of the k-mers of samples.

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
        """See `CountedElsewhere.joined`."""
        yield from over_joined(self.sets, lambda joint: function(joint, backend), run, backend, with_counts, in_few)

    def close(self) -> None:
        """Free memory and scratch space."""
        self._store.close()


def count_samples_by(
    engine: SampleEngine | None,
    samples: Sequence[Sample],
    options: SampleOptions,
    run: RunOptions,
    backend: AssemblyBackend,
) -> CountedElsewhere:
    """Count the k-mers of samples with an engine, or in this process; see `count_samples`."""
    if engine is not None:
        return engine.count_samples(samples, options, run)
    return count_samples(samples, options, run, backend)


def count_samples(
    samples: Sequence[Sample], options: SampleOptions, run: RunOptions, backend: AssemblyBackend
) -> CountedSamples:
    """Count the k-mers of samples; close the result.

    Parameters
    ----------
    samples : sequence of Sample
        With different names, at least one. The files of a sample are all sequences, or all sets of k-mers, whose counts
        are added.
    options : SampleOptions
    run : RunOptions
    backend : AssemblyBackend

    Raises
    ------
    ParameterError
        If sets of k-mers have another k than asked for or than others, or only some are canonical.
    FormatError
        If a sample has sequences and sets of k-mers, or a file is damaged.
    DbgError
        Of reading the files.
    """
    store = SampleStore(run, backend)
    try:
        with log.stage("open samples"):
            found = {i: sample for i, sample in enumerate(samples) if are_sets(sample)}
            opened = {i: open_sets(sample, options, run, backend, store) for i, sample in found.items()}
        k, canonical = common_kmers(list(opened.values()), options, len(opened) < len(samples))
        with log.stage("count samples", len(samples) - len(opened), "samples") as stage:
            counter = SequenceCounter(k, canonical, run, backend)
            for i, sample in enumerate(samples):
                if i not in opened:
                    opened[i] = counter.count(sample, sample.min_count or options.hard_min, store)
                stage.progress(i + 1, len(samples))
    except BaseException:
        store.close()
        raise
    report_min_counts(samples, options, counter.n_fastq)
    sets = [opened[i] for i in range(len(samples))]
    return CountedSamples(tuple(sample.name for sample in samples), sets, k, canonical, store)


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
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
    if compression_of(head[:MAGIC_BYTES]) is not None:
        with closing(read_blocks(path, _HEAD_BYTES)) as blocks:
            block = next(blocks)
        head = block.buffer[block.start : block.end].tobytes()
    return head.startswith((dbgk.MAGIC[:4], kff.MAGIC)) or is_kmer_text(head)


def open_sets(
    sample: Sample, options: SampleOptions, run: RunOptions, backend: AssemblyBackend, store: SampleStore
) -> SortedKmers:
    """Open the sets of a sample as one; a file of another format than ``.dbgk`` is read at once."""
    min_count = sample.min_count or options.hard_min or 1
    sets = [open_set(path, run, options.canonical).kmers for path in sample.files]
    if len(sets) == 1 and min_count == 1 and isinstance(sets[0], KmerSetFile):
        return sets[0]

    def combined() -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32]]]:
        yield from combine_sets(sets, SetProgram((over_all("sum", 1, len(sets)),), len(sets), min_count), run, backend)

    try:
        return store.add(sets[0].name, sets[0].k, sets[0].canonical, combined())
    finally:
        for one in sets:
            one.close()


def common_kmers(sets: Sequence[MarkedKmers], options: SampleOptions, has_sequences: bool) -> tuple[int, bool]:
    """Return k, and whether k-mers are canonical: of the sets, if there are any, and as asked for."""
    if not sets:
        return options.k or DEFAULT_K, options.canonical
    check_alike(sets)
    first = sets[0]
    if options.k not in (None, first.k):
        raise ParameterError(f"{first.name}: k is {first.k}, and -k is {options.k}", f"give -k {first.k}, or no -k")
    if has_sequences and first.canonical != options.canonical:
        held, other = ("canonical k-mers", "as read") if first.canonical else ("k-mers as read", "as canonical ones")
        way = "--canonical" if options.canonical else "--forward"
        what = f"{first.name} holds {held}, and those of sequences are counted {other}"
        raise ParameterError(what, f"count all samples alike: dbg count {way} -o FILE.dbgk")
    return first.k, first.canonical


def report_min_counts(samples: Sequence[Sample], options: SampleOptions, n_fastq: int) -> None:
    """Report the minimum count of a k-mer in a sample."""
    n_own = sum(sample.min_count is not None for sample in samples)
    own = f"; {number_of(n_own, 'sample has its', 'samples have their')} own" if n_own else ""
    if options.hard_min is not None:
        log.report("minimum count of a k-mer: %d%s", options.hard_min, own)
        return
    n_others = len(samples) - n_fastq
    parts = [f"{READS_MIN_COUNT} in {number_of(n_fastq, 'sample')} of FASTQ"] if n_fastq else []
    parts += [f"1 in {number_of(n_others, 'sample')} of other files"] if n_others else []
    log.report("minimum count of a k-mer: %s%s", ", ".join(parts), own)
