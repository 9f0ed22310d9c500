"""From reads to contigs: the order of the stages.

read_batches -> trim -> subsample -> choose_k -> count_kmers -> kmer_graph -> unitig_graph -> clean -> spell
-> cut_circular_contigs -> evaluate

Each stage takes and gives one container (`ReadBatch`, `KmerTable`, `Graph`, `UnitigGraph`, `Contigs`) and never asks
which backend it is on. A `UnitigGraph` holds its own sequences, so the k-mer graph is freed before it is cleaned; the
first k-mer table is held for the evaluation, in a scratch file if it is large.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from debruijn_gpu import backends
from debruijn_gpu.assembly.cleaning import Situation, clean
from debruijn_gpu.assembly.contigs import Contigs, cut_circular_contigs, spell
from debruijn_gpu.assembly.euler_contigs import euler_contigs, tig_trails
from debruijn_gpu.assembly.evaluation import evaluate
from debruijn_gpu.assembly.mercy import with_mercy_kmers
from debruijn_gpu.assembly.options import SMALLEST_ROTATION, AssembleOptions, UnitigOptions, VariantOptions
from debruijn_gpu.assembly.partitioned import choose_partitions, compact_partitions, compact_table, partition_chooser
from debruijn_gpu.assembly.popped import PoppedBubble, noter
from debruijn_gpu.assembly.result import Assembly, KmerCounts
from debruijn_gpu.assembly.rotation import find_starts, rotate_contigs, rotation_of
from debruijn_gpu.assembly.rounds import Round, longer_kmers, summarise
from debruijn_gpu.assembly.thresholds import RoundCleaner, sure_depth
from debruijn_gpu.assembly.unitig_graph import UnitigGraph, unitig_graph
from debruijn_gpu.assembly.variants import find_variants
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.errors import NothingToAssembleError
from debruijn_gpu.graph.de_bruijn import kmer_graph
from debruijn_gpu.graph.occurrences import count_edges, occurring_edges
from debruijn_gpu.io.fastx.genes import read_genes
from debruijn_gpu.io.fastx.reads import expected_bases, read_batches
from debruijn_gpu.kmers.count import CountResult, count_kmers, no_kmers
from debruijn_gpu.kmers.depth_limit import NO_LIMIT
from debruijn_gpu.kmers.evenness import needs_mercy, several_k_cutoff
from debruijn_gpu.kmers.options import CountOptions
from debruijn_gpu.kmers.partitions import HeldPartitions, KmerPartitions, Kmers, hold
from debruijn_gpu.kmers.reads_in_use import reads_in_use
from debruijn_gpu.kmers.spectrum import Spectrum, estimate, least_count
from debruijn_gpu.kmers.table import HeldTable, KmerTable
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reads.read_statistics import LengthMeter
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import AssemblyBackend
    from debruijn_gpu.pairs.resolution import PairResults


def assemble(inputs: ReadInputs, options: AssembleOptions, run: RunOptions) -> Assembly:
    """Assemble reads into contigs.

    Parameters
    ----------
    inputs : ReadInputs
    options : AssembleOptions
    run : RunOptions

    Raises
    ------
    DbgError
        The input is unreadable or invalid, memory does not suffice, or nothing can be assembled.
    """
    genes = () if options.rotate == SMALLEST_ROTATION else read_genes(options.rotate)
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    popped: list[PoppedBubble] | None = [] if options.keep_variants else None
    graph, counts, rounds, held, pairs = assemble_graph(inputs, options, run, backend, popped)
    resolved = None
    if options.walk == "euler":
        contigs = euler_contigs(graph, counts, run, backend)
    elif pairs is not None and pairs.resolution is not None:
        from debruijn_gpu.pairs.contigs import resolved_contigs  # large, and only for pairs

        resolved = resolved_contigs(graph, pairs.resolution, genes, backend)
        contigs = resolved.contigs
    else:
        with log.stage("spell contigs"):
            contigs = cut_circular_contigs(spell(graph, backend), backend)
    starts = find_starts(contigs, genes) if resolved is None else resolved.starts
    contigs = rotate_contigs(contigs, starts) if resolved is None else contigs
    n_reported = int(np.count_nonzero(contigs.lengths >= options.min_contig_bp))
    if not n_reported:
        raise NothingToAssembleError(
            f"no contig of {options.min_contig_bp} bp or more; the longest has {int(contigs.lengths.max(initial=0))}",
            "look at 'dbg spectrum': with low depth try a smaller -k or --min-count, or lower --min-contig",
        )
    variants = None if popped is None else find_variants(popped, contigs, n_reported, counts.depth_at, VariantOptions())
    n_placed_kmers = int(graph.kmer_counts.sum())
    evaluation = evaluate(contigs.first(n_reported), graph, held, counts.spectrum, counts.min_count, run, backend)
    rotation = rotation_of(genes, starts, contigs.first(n_reported))
    assembly = Assembly(contigs, n_reported, counts, rounds, n_placed_kmers, variants, evaluation, rotation=rotation)
    if pairs is not None:
        assembly = replace(assembly, insert_sizes=pairs.insert_sizes)
    if resolved is not None:
        assembly = replace(
            assembly,
            graph=resolved.segments,
            paths=resolved.paths,
            scaffolds=resolved.scaffolds(n_reported),
            pairs=resolved.pairs,
        )
    return assembly


def unitigs(inputs: ReadInputs, options: UnitigOptions, run: RunOptions) -> Contigs:
    """Build the compacted graph of reads: unitig sequences, circular ones with their overlap, and links.

    Or eulertigs: a minimum set of strings that contains each k-mer or its reverse complement exactly once.

    Raises
    ------
    DbgError
        As `assemble`.
    """
    backend = backends.load_arrays(run, "reads", expected_bases(inputs))
    again, edges = options.edge_centric, None
    with counted_reads(inputs, (options.k,), options.min_count, run, backend, again=again) as (table, reads, counts):
        if options.edge_centric:
            longest_bp = int(counts.lengths.lengths.max(initial=0))
            edges = count_edges(reads, options.k, longest_bp, run, backend, expected_bases(inputs))
    graph = compact(table, run, backend, edges)
    del table, edges
    if options.clean is not None:
        graph, _cleaned = clean(graph, options.clean, backend, Situation(sure_depth(options.clean, options.k, counts)))
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
    popped: list[PoppedBubble] | None = None,
) -> tuple[UnitigGraph, KmerCounts, list[Round], HeldTable | HeldPartitions, PairResults | None]:
    """Build and clean the unitig graph of reads, in one round for each k.

    The cleaned unitigs of a round join the reads of the next one. The k-mers of the first round are held. In the end
    reads are placed on the graph and repeats resolved, if there are pairs.

    Parameters
    ----------
    inputs, options, run
        See `assemble`.
    backend : AssemblyBackend
        Whose arrays those of the unitig graph are.
    popped : list of PoppedBubble or None
        Extended by popped bubbles that do not look like errors.

    Raises
    ------
    DbgError
        As `assemble`.
    """
    graph: UnitigGraph | None = None
    rounds: list[Round] = []
    n_paired = inputs.n_paired if options.pairs else 0
    limits = options.min_count, run, backend, options.max_depth, options.trim, n_paired > 0
    with counted_reads(inputs, options.ks, *limits) as (first, reads, counts):
        held = hold(first, run, backend)
        n_counted, n_spanning, n_linked = len(first), 0, 0
        tables = [first]
        del first
        table = _completed(tables, reads, counts, run, backend)
        n_mercy = len(table) - n_counted
        note = None if popped is None else noter(popped, counts.min_count, VariantOptions(), backend)
        cleaner = None if options.clean is None else RoundCleaner(options.clean, counts, note, backend)
        for k in counts.choice.ks:
            if graph is not None:
                table, n_spanning, n_linked = longer_kmers(graph, reads, k, run, backend)
            kmers = len(table), n_spanning, n_linked, 0 if rounds else n_mercy
            graph = compact(table, run, backend)
            del table
            cleaned, defers = None, False
            if cleaner is not None:
                graph, cleaned, defers = cleaner.clean(graph, is_first=not rounds)
            rounds.append(summarise(graph, kmers, cleaned, defers, backend))
        assert graph is not None
        pairs = None
        if n_paired:
            from debruijn_gpu.pairs.resolution import use_pairs

            thresholds = options.pair_options if options.walk == "unitigs" else None
            graph, pairs = use_pairs(graph, reads, n_paired, thresholds, run, backend, options.breaks)
    return graph, counts, rounds, held, pairs


def _completed(
    tables: list[Kmers], reads: Iterable[ReadBatch], counts: KmerCounts, run: RunOptions, backend: AssemblyBackend
) -> Kmers:
    """Take the table out of a list, and add mercy k-mers if there are rounds and the minimum count may be too high."""
    table = tables.pop()
    if len(counts.choice.ks) == 1 or not needs_mercy(counts.min_count, counts.spectrum, counts.estimate):
        return table
    return with_mercy_kmers(table, compact(table, run, backend), reads, run, backend)


def compact(table: Kmers, run: RunOptions, backend: AssemblyBackend, edges: KmerTable | None = None) -> UnitigGraph:
    """Compact the graph of k-mers, which are then no longer needed, or of its edges those of another table.

    A graph that does not fit into memory is compacted in partitions, with the same result.
    """
    if isinstance(table, KmerPartitions):
        return compact_partitions(table, edges, run, backend)
    n_partitions = choose_partitions(len(table), table.k, run, backend)
    if n_partitions:
        return compact_table(table, n_partitions, edges, run, backend)
    graph = kmer_graph(table, backend)
    if edges is not None:
        graph = occurring_edges(graph, table, edges, backend)
    return unitig_graph(graph, table, backend)


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
) -> Iterator[tuple[Kmers, Iterable[ReadBatch], KmerCounts]]:
    """Choose k unless it is given, count the smallest one, and choose the smallest count to keep unless it is given.

    Before, reads are trimmed unless `trim` is "off", and those deeper than `max_depth` (None: auto) are subsampled.

    Yields the k-mers, in partitions if their graph does not fit into memory, the reads (which may be read again if
    there are several k, or ``again`` asks for it), and the choices.
    """
    meter = LengthMeter(backend.to_host)
    batches = meter.through(read_batches(inputs, backend, threads=run.threads, memory=run.memory))
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
        )
        spectrum = Spectrum(k, counted.multiplicity, counted.frequency)
        found = estimate(spectrum)
        said = log.report if min_count is None and len(ks) == 1 else log.logger.info
        min_count = min_count or cutoff(spectrum)
        said("%s", _cutoff_sentence(spectrum, min_count, found.peak))
        tables = [_checked(counted, k, min_count)]
        del counted
        if len(used.choice.ks) == 1 and not again:
            stack.close()  # the reads are not needed again
        lengths = used.meter.lengths, meter.lengths
        counts = KmerCounts(min_count, used.choice, spectrum, found, *lengths, used.limit, used.trimmed)
        yield tables.pop(), used.batches, counts


def _cutoff_sentence(spectrum: Spectrum, min_count: int, peak: float | None) -> str:
    """Which k-mers are kept."""
    numbers = f"{spectrum.distinct_from(min_count):,} of {spectrum.n_distinct:,} distinct k-mers are kept"
    more = f"; k-mers of single-copy sequence occur {peak:.0f} times" if peak else ""
    return f"min-count {min_count}: {numbers}{more}"


def _checked(counted: CountResult, k: int, min_count: int) -> Kmers:
    """Return the k-mers if there are any."""
    if not counted.n_kmers:
        raise NothingToAssembleError(no_kmers(k), "choose a smaller k (-k)")
    kmers = counted.table if counted.partitions is None else counted.partitions
    assert kmers is not None
    if not len(kmers):
        raise NothingToAssembleError(
            f"no {k}-mer occurs {min_count} times or more", "lower --min-count, or choose a smaller k (-k)"
        )
    return kmers
