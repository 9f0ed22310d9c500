"""Store reads, trim them, limit their depth, and choose k from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from debruijn_gpu.backends.reads.protocol import ReadBatch, ReadStore
from debruijn_gpu.errors import NothingToAssembleError
from debruijn_gpu.kmers.choose_k import SEQUENCE_BP, KChoice, choose_k, given_ks, spectrum_k
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.depth_limit import NO_LIMIT, DepthLimit, bases_to_keep, limit_depth, used_limit
from debruijn_gpu.kmers.evenness import is_uneven
from debruijn_gpu.kmers.no_kmers import NO_READS
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.kmers.rare_reads import rare_reads
from debruijn_gpu.kmers.spectrum import Spectrum, SpectrumEstimate, estimate
from debruijn_gpu.reads.read_statistics import LengthMeter, ReadLengths
from debruijn_gpu.reads.subsample import subsample
from debruijn_gpu.reads.trimming import Trimmed, Trimmer
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.plain_text import counted as number_of

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

_SURVEY_BASES = 100e6  # so much is enough to choose k from
_DEPTH_BASES = 25e6  # and so much for the depth alone


@dataclass(frozen=True)
class ReadsInUse:
    """Reads that are assembled, and the choices made for them.

    Attributes
    ----------
    batches : iterable of ReadBatch
        May be read again where they are stored, which they are but for one given k without a limit of the depth.
    meter : LengthMeter
        Of these reads.
    choice : KChoice
    limit : DepthLimit
    trimmed : Trimmed or None
        None where reads were not trimmed.
    """

    batches: Iterable[ReadBatch]
    meter: LengthMeter
    choice: KChoice
    limit: DepthLimit
    trimmed: Trimmed | None = None


@contextmanager
def reads_in_use(
    batches: Iterable[ReadBatch],
    meter: LengthMeter,
    ks: tuple[int, ...],
    max_depth: int | None,
    run: RunOptions,
    backend: AssemblyBackend,
    trim: str = "off",
    again: bool = False,
) -> Iterator[ReadsInUse]:
    """Yield the reads, trimmed, subsampled where they are too deep, and the given k or one chosen from them.

    Parameters
    ----------
    batches : iterable of ReadBatch
    meter : LengthMeter
        Through which they pass.
    ks : tuple of int
        (): k is chosen from read lengths and a spectrum.
    max_depth : int or None
        Read depth to which reads are subsampled; None: see `used_limit`.
    run : RunOptions
    backend : AssemblyBackend
    trim : str
        off, auto, or pairs: see `AssembleOptions`.
    again : bool
        Whether reads are read again even if there is one k.
    """
    limit = DepthLimit(used_limit(max_depth, len(ks)), None, 1, 1, "no limit")
    if len(ks) == 1 and limit.max_depth == NO_LIMIT and trim == "off" and not again:
        yield ReadsInUse(batches, meter, _logged(KChoice(ks, f"k = {ks[0]}, as asked for"), ks), limit)
        return
    with log.stage("read", unit="bases") as stage:
        store = backend.reads.read_store(batches, run)
        stage.items = meter.lengths.n_bases
    try:
        if not meter.lengths.n_reads:
            raise NothingToAssembleError(*NO_READS)
        if ks:
            given_ks(ks, meter.lengths)  # raises at once
        trimmed = None
        if trim != "off" and meter.lengths.typical < SEQUENCE_BP:
            store, meter, trimmed = _trimmed(store, meter, trim == "auto", run, backend)
        why = ("estimate the read depth", _DEPTH_BASES) if ks else ("choose k", _SURVEY_BASES)
        found = None
        if limit.max_depth != NO_LIMIT:
            found = _survey(store, meter.lengths, *why, run, backend)
            limit = limit_depth(limit.max_depth, meter.lengths, *found, bases_to_keep(max_depth))
            (log.report if limit.is_exceeded else log.logger.info)("%s", limit.why)
        if limit.is_exceeded:
            store, meter = _subsampled(store, meter.lengths, limit, run, backend)
            found = None
        if not ks:
            found = found or _survey(store, meter.lengths, *why, run, backend)
        choice = given_ks(ks, meter.lengths) if ks or found is None else _chosen(meter.lengths, *found)
        yield ReadsInUse(store, meter, _logged(choice, ks), limit, trimmed)
    finally:
        store.close()


@contextmanager
def reads_again(
    batches: Iterable[ReadBatch],
    meter: LengthMeter,
    trim: str,
    limit: DepthLimit,
    run: RunOptions,
    backend: AssemblyBackend,
) -> Iterator[tuple[Iterable[ReadBatch], LengthMeter]]:
    """Yield the stored reads of `reads_in_use` and their lengths, where its choices are known from an earlier run.

    Parameters
    ----------
    batches, meter, trim, run, backend
        See `reads_in_use`.
    limit : DepthLimit
        Of the earlier run.
    """
    with log.stage("read", unit="bases") as stage:
        store = backend.reads.read_store(batches, run)
        stage.items = meter.lengths.n_bases
    try:
        if trim != "off" and meter.lengths.typical < SEQUENCE_BP:
            store, meter, _trimmed_reads = _trimmed(store, meter, trim == "auto", run, backend)
        if limit.is_exceeded:
            store, meter = _subsampled(store, meter.lengths, limit, run, backend)
        yield store, meter
    finally:
        store.close()


def _logged(choice: KChoice, ks: tuple[int, ...]) -> KChoice:
    """Log why the k were chosen; in the summary, unless they are those that are given."""
    (log.logger.info if choice.ks == ks else log.report)("%s", choice.why)
    return choice


def _trimmed(
    store: ReadStore, meter: LengthMeter, searches_single: bool, run: RunOptions, backend: AssemblyBackend
) -> tuple[ReadStore, LengthMeter, Trimmed]:
    """Move the trimmed reads into a store of their own, and measure them; unless nothing is to be trimmed."""
    with log.stage("trim", unit="reads") as stage:
        stage.items = meter.lengths.n_reads
        trimmer = Trimmer(store, meter.lengths, SEQUENCE_BP - 1, backend, searches_single)
        if trimmer.finds:
            meter = LengthMeter(backend.to_host)
            store = trimmer.trim(store, meter, run)
    log.logger.info("  %s", trimmer.trimmed.sentence())
    return store, meter, trimmer.trimmed


def _subsampled(
    store: ReadStore, given: ReadLengths, limit: DepthLimit, run: RunOptions, backend: AssemblyBackend
) -> tuple[ReadStore, LengthMeter]:
    """Move the reads to keep, with those of rare parts, into a store of their own, and measure them."""
    counts = range(limit.rare_from, limit.rare_below)
    rare = rare_reads(store, given.n_bases, spectrum_k(given), counts, run, backend) if counts else None
    find_rare = None if rare is None else rare.find
    meter = LengthMeter(backend.to_host)
    with log.stage("subsample", unit="reads kept") as stage:
        store = subsample(store, limit.kept, limit.of, SEQUENCE_BP - 1, meter, run, backend, find_rare)
        stage.items = meter.lengths.n_reads
    if rare is not None:
        log.report("  %s of rare parts, which are kept", number_of(rare.n_found, "read is", "reads are"))
    return store, meter


def _chosen(lengths: ReadLengths, spectrum: Spectrum, estimated: SpectrumEstimate) -> KChoice:
    return choose_k(lengths, estimated, is_uneven(spectrum, estimated))


def _survey(
    store: Iterable[ReadBatch], lengths: ReadLengths, why: str, most: float, run: RunOptions, backend: AssemblyBackend
) -> tuple[Spectrum, SpectrumEstimate]:
    """Estimate depth and errors from a spectrum of a sample of the k-mers, of about so many bases at most."""
    log.logger.info("%s from a spectrum:", why)
    counting = CountOptions(k=spectrum_k(lengths))
    n_bases = lengths.n_bases
    sample = min(1.0, most / max(1, n_bases))
    survey = count_kmers(store, counting, run, backend, keep_table=False, sample=sample, n_bases_expected=n_bases)
    spectrum = Spectrum(counting.k, survey.multiplicity, survey.frequency)
    return spectrum, estimate(spectrum)
