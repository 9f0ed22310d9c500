"""From reads to contigs: the order of the stages.

read_batches -> trim -> subsample -> choose_k -> count_kmers -> kmer_graph -> unitig_graph -> clean -> spell
-> cut_circular_contigs -> evaluate

Each stage takes and gives one container (`ReadBatch`, `KmerTable`, `Graph`, `UnitigGraph`, `Contigs`) and never asks
which backend it is on. The k-mer graph is freed before cleaning, the first k-mer table held for the evaluation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.assembly.cleaning import clean
from debruijn_gpu.assembly.contigs import Contigs, count_reported, spell
from debruijn_gpu.assembly.euler_contigs import tig_trails, walked_contigs
from debruijn_gpu.assembly.evaluation import evaluate
from debruijn_gpu.assembly.insert_sizes import RELATED_ADVICE, UNRELATED, InsertSizes, unusable_reason
from debruijn_gpu.assembly.options import SMALLEST_ROTATION, AssembleOptions, UnitigOptions
from debruijn_gpu.assembly.partitioned import partition_chooser
from debruijn_gpu.assembly.popped import noter
from debruijn_gpu.assembly.result import Assembly, KmerCounts
from debruijn_gpu.assembly.rotation import find_starts, rotate_contigs, rotation_of
from debruijn_gpu.assembly.round_cleaner import RoundCleaner
from debruijn_gpu.assembly.round_graphs import compact, first_kmers, next_graph
from debruijn_gpu.assembly.round_summary import summarise
from debruijn_gpu.assembly.thresholds import held_word_bp, situation_at, thresholds_for
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.assembly.variants import find_variants
from debruijn_gpu.assembly_dir.progress import Progress
from debruijn_gpu.assembly_dir.saved_stages import NOT_SAVED, SavedStages
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.graph.occurrences import count_edges
from debruijn_gpu.io.fastx.genes import read_genes
from debruijn_gpu.io.fastx.read_source import measured_reads
from debruijn_gpu.io.fastx.reads import check_distinct, expected_bases
from debruijn_gpu.io.opening import display_name
from debruijn_gpu.kmers.count import count_kmers, kept_kmers
from debruijn_gpu.kmers.depth_limit import NO_LIMIT
from debruijn_gpu.kmers.engine import KmerEngine
from debruijn_gpu.kmers.evenness import several_k_cutoff
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.kmers.partitions import HeldPartitions, Kmers, hold
from debruijn_gpu.kmers.reads_in_use import reads_in_use
from debruijn_gpu.kmers.spectrum import Spectrum, cutoff_sentence, estimate, least_count
from debruijn_gpu.kmers.table import HeldTable
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend


def assemble(
    inputs: ReadInputs,
    options: AssembleOptions,
    run: RunOptions,
    saved: SavedStages | None = None,
    engine: KmerEngine | None = None,
) -> Assembly:
    """Assemble reads into contigs.

    Parameters
    ----------
    inputs : ReadInputs
    options : AssembleOptions
    run : RunOptions
    saved : SavedStages or None
        Saves finished stages, and loads those of an earlier run.
    engine : KmerEngine or None
        Counts the k-mers of the first round and compacts them, elsewhere; None: this process.

    Raises
    ------
    DbgError
        The input is unreadable or invalid, or a file is given twice; memory does not suffice, or nothing can be
        assembled.
    """
    check_distinct(inputs)
    genes = () if options.rotate == SMALLEST_ROTATION else read_genes(options.rotate)
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    graph, done, counts, held = assemble_graph(inputs, options, run, backend, saved or NOT_SAVED, engine)
    resolved = None
    if options.walk != "euler" and done.pairs is not None and done.pairs.resolution is not None:
        from debruijn_gpu.pairs.contigs import resolved_contigs  # large, and only for pairs

        resolved = resolved_contigs(graph, done.pairs.resolution, genes, backend)
        contigs = resolved.contigs
    else:
        contigs = walked_contigs(graph, options.walk, counts, run, backend)
    starts = find_starts(contigs, genes) if resolved is None else resolved.starts
    contigs = rotate_contigs(contigs, starts) if resolved is None else contigs
    n_reported = count_reported(contigs, options.min_contig_bp)
    popped = done.popped if options.keep_variants else None
    variants = find_variants(popped, contigs, n_reported, counts.depth_at, options.variant_options)
    n_placed = int(backend.arrays.reduce(graph.kmer_counts, "sum"))
    reported, least = contigs.first(n_reported), (counts.min_count, options.min_contig_bp)
    evaluation = evaluate(reported, graph, held, counts.spectrum, *least, run, backend)
    rotation = rotation_of(genes, starts, reported)
    assembly = Assembly(contigs, n_reported, counts, done.rounds, n_placed, *variants, evaluation, rotation=rotation)
    if done.pairs is not None:
        assembly = replace(assembly, insert_sizes=done.pairs.insert_sizes)
        if assembly.insert_sizes and resolved is not None and options.clean is not None:  # raw unitigs are short
            _warn_of_unusable(inputs, assembly.insert_sizes, resolved.pairs.n_short)
    if resolved is not None:
        scaffolds = resolved.scaffolds(n_reported) if assembly.insert_sizes else None  # by pairs alone
        assembly = replace(
            assembly, graph=resolved.segments, paths=resolved.paths, pairs=resolved.pairs, scaffolds=scaffolds
        )
    return assembly


def _warn_of_unusable(inputs: ReadInputs, sizes: list[InsertSizes], n_short: int) -> None:
    """Warn of each paired input whose pairs cannot be used; for ``n_short``, see `unusable_reason`."""
    files = [*zip(inputs.first, inputs.second, strict=True), *((path,) for path in inputs.interleaved)]
    for paths, one in zip(files, sizes, strict=True):
        if one.why_unusable is not None:
            reason = unusable_reason(one.why_unusable, vars(one), n_short)
            reason += f"; {RELATED_ADVICE}" if one.why_unusable == UNRELATED else ""
            log.logger.warning("%s: pairs are not used: %s", " and ".join(map(display_name, paths)), reason)


def unitigs(inputs: ReadInputs, options: UnitigOptions, run: RunOptions, engine: KmerEngine | None = None) -> Contigs:
    """Build the compacted graph of reads: unitig sequences, circular ones with their overlap, and links.

    Or eulertigs: a minimum set of strings that contains each k-mer or its reverse complement once. For engine, see
    `assemble`.

    Raises
    ------
    DbgError
        As `assemble`.
    """
    check_distinct(inputs)
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    again, edges = options.edge_centric, None
    limits = options.min_count, run, backend
    with counted_reads(inputs, (options.k,), *limits, again=again, engine=engine) as (table, reads, counts):
        if options.edge_centric:
            longest_bp = int(counts.lengths.lengths.max(initial=0))
            edges = count_edges(reads, options.k, longest_bp, run, backend, expected_bases(inputs), engine)
    graph = compact(table, run, backend, edges)
    del table, edges
    if options.clean is not None:
        thresholds = thresholds_for(options.clean, counts)
        graph, _cleaned = clean(graph, thresholds, backend, situation_at(options.k, thresholds, counts))
    if options.tigs == "eulertigs":
        found = tig_trails(graph, np.ones(len(graph), np.int64), run, backend, are_complete=not options.edge_centric)
        return replace(
            found, circular=np.zeros(len(found), np.bool_)
        )  # cycles are cut open, so that all strings are linear
    with log.stage("spell unitigs"):
        return spell(graph, backend)


def assemble_graph(
    inputs: ReadInputs,
    options: AssembleOptions,
    run: RunOptions,
    backend: AssemblyBackend,
    saved: SavedStages = NOT_SAVED,
    engine: KmerEngine | None = None,
) -> tuple[UnitigGraph, Progress, KmerCounts, HeldTable | HeldPartitions]:
    """Build and clean the unitig graph of reads, in one round for each k.

    The cleaned unitigs of a round join the reads of the next one. The k-mers of the first round are held. In the end
    reads are placed on the graph and repeats resolved; see `last_graph.with_reads`.

    Parameters
    ----------
    inputs, options, run, saved, engine
        See `assemble`.
    backend : AssemblyBackend
        Whose arrays those of the unitig graph are.

    Raises
    ------
    DbgError
        As `assemble`.
    """
    n_paired = inputs.n_paired if options.pairs else 0
    limits = options.max_depth, options.trim, n_paired > 0, engine
    counting = counted_reads(inputs, options.ks, options.min_count, run, backend, *limits)
    done = saved.resume(run, backend)
    with saved.counted(counting, done, inputs, options, run, backend) as (first, reads, counts):
        held, tables = hold(first, run, backend), [first] if done.graph is None else []
        del first
        cleaner = _cleaner(options, counts, done, run, backend)
        for k in counts.choice.ks[len(done.rounds) :]:
            if done.graph is None:
                table, kmers = first_kmers(tables, reads, counts, run, backend)
                done.graph = compact(table, run, backend)
                del table
            else:
                done.graph, kmers = next_graph(done.graph, reads, k, done.found, run, backend)
            cleaned = deferred = None
            if cleaner is not None:
                done.graph, cleaned, deferred = cleaner.clean(done.graph, not done.rounds, reads)
                done.found = cleaner.found
            done.rounds.append(summarise(done.graph, counts.lengths, kmers, cleaned, deferred, backend))
            saved.save(done, backend)
        assert done.graph is not None
        if cleaner is not None and done.pairs is None:
            done.graph = cleaner.corrected(done.graph, reads)
        if done.pairs is None and (n_paired or held_word_bp(options, counts)):
            from debruijn_gpu.pairs.last_graph import with_reads  # large

            by = n_paired, options, counts, run, backend
            done.graph, done.pairs = with_reads(done.graph, done.found, reads, *by)
            if done.pairs is not None:
                saved.save(done, backend)
    return done.graph, done, counts, held


def _cleaner(
    options: AssembleOptions, counts: KmerCounts, done: Progress, run: RunOptions, backend: AssemblyBackend
) -> RoundCleaner | None:
    """Return what cleans the graph of each round and notes variants as the options ask for; None for raw graphs."""
    if options.clean is None:
        return None
    note = None
    if options.keep_variants:
        note = noter(done.popped, counts.min_count, counts.depth_left, options.variant_options, backend)
    return RoundCleaner(options.clean, counts, note, run, backend, done.found, done.popped.clear)


@contextmanager
def counted_reads(
    inputs: ReadInputs,
    ks: tuple[int, ...],
    min_count: int | None,
    run: RunOptions,
    backend: AssemblyBackend,
    max_depth: int | None = NO_LIMIT,
    trim: str = "off",
    again: bool = False,
    engine: KmerEngine | None = None,
) -> Iterator[tuple[Kmers, Iterable[ReadBatch], KmerCounts]]:
    """Choose k unless it is given, count the smallest one, and choose the smallest count to keep unless it is given.

    Before, reads are trimmed unless `trim` is "off", and those deeper than `max_depth` (None: auto) are subsampled.
    Yields the k-mers, in partitions if their graph does not fit into memory, the reads (which may be read again if
    there are several k, or ``again`` asks for it), and the choices.
    """
    meter = LengthMeter(backend.to_host)
    batches = measured_reads(inputs, meter, run, backend, engine)
    with ExitStack() as stack:
        used = stack.enter_context(reads_in_use(batches, meter, ks, max_depth, run, backend, trim, again))
        k = used.choice.ks[0]
        cutoff = several_k_cutoff if len(used.choice.ks) > 1 else least_count
        counted = count_kmers(
            used.batches,
            CountOptions(k=k, min_count=min_count or 1),
            run,
            backend,
            choose_min_count=(lambda m, n: cutoff(Spectrum(k, m, n))) if min_count is None else None,
            choose_partitions=partition_chooser(k, run, backend),
            n_bases_expected=expected_bases(inputs),
            engine=engine,
        )
        spectrum = Spectrum(k, counted.multiplicity, counted.frequency)
        found = estimate(spectrum)
        said = log.report if min_count is None and len(ks) == 1 else log.logger.info
        min_count = min_count or cutoff(spectrum)
        said("%s", cutoff_sentence(spectrum, min_count, found.peak))
        tables = [kept_kmers(counted, k, min_count)]
        del counted
        if len(used.choice.ks) == 1 and not again:
            stack.close()  # the reads are not needed again
        lengths = used.meter.lengths, meter.lengths
        counts = KmerCounts(min_count, used.choice, spectrum, found, *lengths, used.limit, used.trimmed)
        yield tables.pop(), used.batches, counts
