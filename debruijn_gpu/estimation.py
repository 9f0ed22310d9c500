"""Estimate what an assembly needs, from the first reads of its files; nothing is written."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from debruijn_gpu import backends
from debruijn_gpu.assembly.cluster_needs import ReadLoad
from debruijn_gpu.assembly.needs import Needs, Workload, needs_of
from debruijn_gpu.assembly.options import AssembleOptions
from debruijn_gpu.errors import NothingToAssembleError
from debruijn_gpu.io.fastx.sampling import ReadSample
from debruijn_gpu.kmers.choose_k import SEQUENCE_BP, choose_k, given_ks, spectrum_k
from debruijn_gpu.kmers.count import count_kmers
from debruijn_gpu.kmers.depth_limit import NO_LIMIT, bases_to_keep, limit_depth, used_limit
from debruijn_gpu.kmers.evenness import is_uneven, several_k_cutoff
from debruijn_gpu.kmers.expected_spectrum import ReadModel, fit_reads
from debruijn_gpu.kmers.no_kmers import NO_READS
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.kmers.spectrum import Spectrum, estimate, least_count
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter, ReadLengths
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.resources import check_budget

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend

_SAMPLE_BYTES = 64 << 20  # of text
_LARGE_SAMPLE = 8  # times as much where k-mers occur less often than this in the sample
_LEAST_DEPTH = 0.6
_USUAL_K = 31
_TIMED_BASES = 5_000_000
_TIMINGS = 2  # the first one loads kernels, and other processes slow single ones down
_SECONDS_PER_BASE = 33e-9  # for reading, splitting and counting on the machine that `assembly.needs` was measured on
_LEAST_SLOWNESS, _MOST_SLOWNESS = 0.4, 4.0


@dataclass(frozen=True)
class Estimate:
    """Needs of an assembly, and what they were computed from.

    Attributes
    ----------
    n_reads, n_bases, read_bp : int
        Of the input; the length is the typical one.
    genome_bp : int
        Distinct k-mers.
    error_rate : float
        Errors per base.
    depth : float
        Bases for each base of the genome.
    ks : tuple of int
    budget_bytes : int
    threads : int
    is_whole : bool
        Whether all reads were looked at.
    needs : Needs
    load : ReadLoad
        The first k, for plans of clusters.
    """

    n_reads: int
    n_bases: int
    read_bp: int
    genome_bp: int
    error_rate: float
    depth: float
    ks: tuple[int, ...]
    budget_bytes: int
    threads: int
    is_whole: bool
    needs: Needs
    load: ReadLoad

    @property
    def fits(self) -> bool:
        """Whether the budget suffices."""
        return self.needs.least_budget_bytes <= self.budget_bytes

    def as_json(self) -> dict[str, Any]:
        """Return members for JSON."""
        members = asdict(self)
        del members["load"]
        needs = members.pop("needs")
        return {**members, **needs, "fits": self.fits}


@dataclass(frozen=True)
class _Sampled:
    """What was found in the first reads: their lengths, genome and errors, how much more there is, and how slow the
    machine is."""

    lengths: ReadLengths
    model: ReadModel
    sample: ReadSample
    slowness: float


def estimate_needs(inputs: ReadInputs, options: AssembleOptions, run: RunOptions) -> Estimate:
    """Estimate memory, disk space and time of `pipeline.assemble`, on the CPU.

    Parameters
    ----------
    inputs : ReadInputs
        Files, no pipes.
    options : AssembleOptions
    run : RunOptions

    Raises
    ------
    DbgError
        An input is unreadable or invalid, or holds no reads.
    """
    backend = backends.load_arrays(run, "reads", 0)
    found = _sampled(inputs, _SAMPLE_BYTES, run, backend, _TIMINGS)
    if not found.sample.is_whole and found.model.depth < _LEAST_DEPTH:
        larger = _sampled(inputs, _LARGE_SAMPLE * _SAMPLE_BYTES, run, backend, 1)
        found = replace(larger, slowness=min(found.slowness, larger.slowness))
    threads, budget = run.n_threads, check_budget(run.memory)
    lengths = _scaled(found.lengths, found.sample.scale)
    work = _workload(lengths, found, options, inputs.n_paired > 0)
    genome_bp = max(1.0, found.model.genome_bp)
    return Estimate(
        n_reads=lengths.n_reads,
        n_bases=lengths.n_bases,
        read_bp=lengths.typical,
        genome_bp=round(genome_bp),
        error_rate=found.model.error_rate,
        depth=lengths.n_bases / genome_bp,
        ks=work.ks,
        budget_bytes=budget,
        threads=threads,
        is_whole=found.sample.is_whole,
        needs=needs_of(work, budget, threads, found.slowness),
        load=_load(work, lengths, found.sample),
    )


def _load(work: Workload, lengths: ReadLengths, sample: ReadSample) -> ReadLoad:
    """Describe the work of the first k for a cluster."""
    return ReadLoad(
        work.n_bases, sample.file_bytes, work.compressed_share, lengths.typical, work.ks[0], work.n_kmers, work.n_first
    )


def _sampled(inputs: ReadInputs, n_bytes: int, run: RunOptions, backend: AssemblyBackend, n_timings: int) -> _Sampled:
    """Count the k-mers of the first reads; time this so many times, if they are enough."""
    sample, meter = ReadSample(inputs, n_bytes, backend), LengthMeter(backend.to_host)
    with log.stage("sample", unit="bases") as stage:
        store = backend.reads.read_store(meter.through(sample.batches()), run)
        try:
            if not meter.lengths.n_reads:
                raise NothingToAssembleError(*NO_READS)
            stage.items = meter.lengths.n_bases
            k = min(_USUAL_K, spectrum_k(meter.lengths))
            is_timed, timings = meter.lengths.n_bases >= _TIMED_BASES, []
            for _ in range(n_timings if is_timed else 1):
                start = time.process_time()
                counted = count_kmers(store, CountOptions(k=k), run, backend, keep_table=False)
                timings.append(time.process_time() - start)
        finally:
            store.close()
    slowness = 1.0
    if is_timed:
        slowness = min(timings) / (_SECONDS_PER_BASE * meter.lengths.n_bases)
        slowness = min(_MOST_SLOWNESS, max(_LEAST_SLOWNESS, slowness))
    model = fit_reads(Spectrum(k, counted.multiplicity, counted.frequency), 1.0)
    return _Sampled(meter.lengths, model, sample, slowness)


def _scaled(lengths: ReadLengths, times: float) -> ReadLengths:
    """Multiply the numbers of reads."""
    return ReadLengths(lengths.lengths, (lengths.numbers * times).round().astype(lengths.numbers.dtype))


def _workload(lengths: ReadLengths, found: _Sampled, options: AssembleOptions, is_paired: bool) -> Workload:
    """Make the choices of an assembly from the spectrum that is to be expected of all reads."""
    model, k = found.model, spectrum_k(lengths)
    spectrum = model.spectrum(k, lengths.n_kmers(k))
    estimated = estimate(spectrum)
    limit, kept_share = used_limit(options.max_depth, len(options.ks)), 1.0
    if limit != NO_LIMIT:
        limited = limit_depth(limit, lengths, spectrum, estimated, bases_to_keep(options.max_depth))
        kept_share = limited.kept / limited.of
    kept = _scaled(lengths, kept_share)
    spectrum = model.spectrum(k, kept.n_kmers(k))
    estimated = estimate(spectrum)
    choice = given_ks(options.ks, kept) if options.ks else choose_k(kept, estimated, is_uneven(spectrum, estimated))
    ks = choice.ks
    first = model.spectrum(ks[0], kept.n_kmers(ks[0]))
    cutoff = options.min_count or (several_k_cutoff if len(ks) > 1 else least_count)(first)
    trims = options.trim != "off" and lengths.typical < SEQUENCE_BP
    is_stored = len(options.ks) != 1 or limit != NO_LIMIT or trims
    sample = found.sample
    return Workload(
        n_bases=lengths.n_bases,
        n_reads=lengths.n_reads,
        compressed_share=sample.n_compressed / max(1, sample.file_bytes),
        kept_share=kept_share,
        n_kmers=kept.n_kmers(ks[0]),
        n_first=first.distinct_from(cutoff),
        n_repeated=first.distinct_from(min(2, cutoff)),
        n_later=min(model.genome_bp, first.distinct_from(cutoff)),
        ks=ks,
        is_stored=is_stored,
        is_surveyed=not options.ks or limit != NO_LIMIT,
        is_paired=is_paired and options.pairs,
    )
