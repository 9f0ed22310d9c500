"""Count each sample once, in this process or elsewhere: open those that are sets, agree on k, count the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted as number_of
from debruijn_gpu.samples.engine import CountedSamples, SampleEngine
from debruijn_gpu.samples.held import HeldCounter
from debruijn_gpu.samples.options import DEFAULT_K, READS_MIN_COUNT, SampleOptions
from debruijn_gpu.samples.sheet import Sample
from debruijn_gpu.sets.ranges import check_alike
from debruijn_gpu.sets.source import MarkedKmers

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def count_samples(
    samples: Sequence[Sample],
    options: SampleOptions,
    run: RunOptions,
    backend: AssemblyBackend,
    engine: SampleEngine | None = None,
    check: Callable[[int, bool], None] | None = None,
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
        Of this process.
    engine : SampleEngine, optional
        Counts in the place of this process.
    check : callable, optional
        Raises an error for a k, and for k-mers that are canonical or not, which the caller cannot use: before samples
        are counted.

    Raises
    ------
    ParameterError
        If sets of k-mers have another k or other strands than asked for or than others.
    FormatError
        If a sample has sequences and sets of k-mers, or a file is damaged.
    DbgError
        Of reading the files.
    """
    counter = HeldCounter(samples, options, run, backend) if engine is None else engine.counter(samples, options, run)
    try:
        with log.stage("open samples"):
            sets = counter.open_sets()
        n_counted = len(samples) - len(sets)
        k, canonical = _common_kmers(sets, options, n_counted > 0)
        if check is not None:
            check(k, canonical)
        with log.stage("count samples", n_counted, "samples") as stage:
            for n_done in counter.count(k, canonical):
                stage.progress(n_done, n_counted)
        _report_min_counts(samples, options, counter.n_fastq)
        return counter.counted(k, canonical)
    except BaseException:
        counter.close()
        raise


def _common_kmers(sets: Sequence[MarkedKmers], options: SampleOptions, has_sequences: bool) -> tuple[int, bool]:
    """Return k, and whether k-mers are canonical: of the sets, if there are any, and as asked for."""
    canonical = options.canonical is not False
    if not sets:
        return options.k or DEFAULT_K, canonical
    check_alike(sets)
    first = sets[0]
    if options.k not in (None, first.k):
        raise ParameterError(f"{first.name}: k is {first.k}, and -k is {options.k}", f"give -k {first.k}, or no -k")
    if first.canonical != canonical and (has_sequences or options.canonical is not None):
        held, other = ("canonical k-mers", "as read") if first.canonical else ("k-mers as read", "as canonical ones")
        way = "--canonical" if canonical else "--forward"
        wanted = f"those of sequences are counted {other}" if has_sequences else f"{way} is given"
        remedy = f"count all samples alike: dbg count {way} -o FILE.dbgk"
        raise ParameterError(f"{first.name} holds {held}, and {wanted}", remedy)
    return first.k, first.canonical


def _report_min_counts(samples: Sequence[Sample], options: SampleOptions, n_fastq: int) -> None:
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
