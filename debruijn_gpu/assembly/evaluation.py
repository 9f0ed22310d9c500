"""Evaluate contigs without a reference: by the k-mers of the reads, and by the dead ends of the graph.

Completeness and quality value follow Merqury (Rhie et al. 2020). The k-mers are those that were counted first, so the
smallest of several k.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.unitig_graph import UnitigGraph
from debruijn_gpu.backends.kmers.containers import CountedKmers
from debruijn_gpu.backends.kmers.protocol import KmerStore
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.kmers.partitions import HeldPartitions, KmerPartitions
from debruijn_gpu.kmers.spectrum import Spectrum, valley_and_peak
from debruijn_gpu.kmers.table import HeldTable, KmerTable
from debruijn_gpu.run import log
from debruijn_gpu.run.options import RunOptions

if TYPE_CHECKING:
    from debruijn_gpu.backends.core.array_types import Array
    from debruijn_gpu.backends.protocol import AssemblyBackend

_BLOCK_BYTES = 8 << 20  # of contigs that are packed at once; a longer contig is packed alone


@dataclass(frozen=True)
class Evaluation:
    """Comparison of the reported contigs with the k-mers of the reads.

    Attributes
    ----------
    k : int
        Length of the k-mers.
    solid_count : int
        Least count of a solid k-mer: the valley of the k-mer spectrum, or the minimum count if that is more or there is
        no valley.
    n_solid, n_solid_found : int
        Distinct solid k-mers of the reads, and those of them that the contigs contain.
    n_read_kmers, n_explained : int
        Occurrences of k-mers in the reads, and those of k-mers that the contigs contain.
    n_contig_kmers, n_weak, n_absent : int
        Occurrences of k-mers in the contigs; those of k-mers that were kept but are not solid; those of k-mers below
        the minimum count.
    n_ends, n_dead_ends : int
        Ends of the linear unitigs of at least `min_contig_bp` in the final graph, and those of them without a link.
    """

    k: int
    solid_count: int
    n_solid: int
    n_solid_found: int
    n_read_kmers: int
    n_explained: int
    n_contig_kmers: int
    n_weak: int
    n_absent: int
    n_ends: int
    n_dead_ends: int

    @property
    def completeness(self) -> float:
        """Share of the distinct solid k-mers of the reads that the contigs contain."""
        return self.n_solid_found / max(1, self.n_solid)

    @property
    def explained(self) -> float:
        """Share of the k-mer occurrences in the reads whose k-mer the contigs contain."""
        return self.n_explained / max(1, self.n_read_kmers)

    @property
    def qv(self) -> float:
        """Quality value; a lower bound if all k-mers of the contigs are solid, computed as if one was not."""
        return quality_value(max(1, self.n_weak + self.n_absent), self.n_contig_kmers, self.k)

    @property
    def is_lower_bound(self) -> bool:
        """Whether all k-mers of the contigs are solid, so that the quality value is at least `qv`."""
        return not self.n_weak + self.n_absent

    def as_json(self) -> dict[str, Any]:
        """Return the section of ``report.json``."""
        shares = {"completeness": round(self.completeness, 6), "explained": round(self.explained, 6)}
        return {**asdict(self), **shares, "qv": round(self.qv, 2), "qv_is_lower_bound": self.is_lower_bound}

    def sentence(self) -> str:
        """The figures that matter most."""
        explained = f"{100 * self.explained:.2f} % of all in reads"
        return (
            f"{100 * self.completeness:.2f} % of {self.n_solid:,} solid {self.k}-mers, and {explained}, are in the "
            f"contigs; QV {'at least ' * self.is_lower_bound}{self.qv:.1f}; "
            f"{self.n_dead_ends:,} of {self.n_ends:,} ends are dead"
        )


def quality_value(n_wrong: int, n_kmers: int, k: int) -> float:
    """Compute Merqury's quality value: -10 log10 of E = 1 - (1 - wrong / total)^(1 / k); 0 of no k-mers."""
    if n_wrong >= n_kmers:
        return 0.0
    error = -math.expm1(math.log1p(-n_wrong / n_kmers) / k)
    return -10 * math.log10(error)


def solid_count(spectrum: Spectrum, min_count: int) -> int:
    """Compute the least count of a solid k-mer; see `Evaluation`."""
    found = valley_and_peak(spectrum) if spectrum.n_distinct else None
    return min_count if found is None else max(min_count, found[0])


def evaluate(
    contigs: Contigs,
    graph: UnitigGraph,
    held: HeldTable | HeldPartitions,
    spectrum: Spectrum,
    min_count: int,
    min_contig_bp: int,
    run: RunOptions,
    backend: AssemblyBackend,
) -> Evaluation:
    """Compare contigs with the k-mers of the reads, in as many parts as memory asks for.

    Parameters
    ----------
    contigs : Contigs
        Reported contigs.
    graph : UnitigGraph
        The final graph.
    held : HeldTable or HeldPartitions
        K-mers of the reads that occur ``min_count`` times or more.
    spectrum : Spectrum
        Of all k-mers of the reads.
    min_count : int
    min_contig_bp : int
        Least length of the unitigs whose ends count. The shortest contig may be much longer: it may be a walk over many
        unitigs.
    run : RunOptions
    backend : AssemblyBackend
        Whose arrays the graph's are.
    """
    least = solid_count(spectrum, min_count)
    with log.stage("evaluate") as stage:
        figures = _compared(contigs, held, least, run, backend)
        stage.items, stage.unit = figures["n_contig_kmers"], f"{held.k}-mers of contigs"
    n_ends, n_dead_ends = dead_ends(graph, min_contig_bp, backend)
    found = Evaluation(
        k=held.k,
        solid_count=least,
        n_solid=spectrum.distinct_from(least),
        n_read_kmers=spectrum.n_total,
        n_ends=n_ends,
        n_dead_ends=n_dead_ends,
        **figures,
    )
    log.report("%s", found.sentence())
    return found


def dead_ends(graph: UnitigGraph, min_bp: int, backend: AssemblyBackend) -> tuple[int, int]:
    """Count the ends of linear unitigs of at least a length, and those of them without a link."""
    row_ptr, circular, n_kmers = map(backend.to_host, (graph.graph.row_ptr, graph.circular, graph.n_kmers))
    is_dead = (row_ptr[1:] == row_ptr[:-1]).reshape(-1, 2)
    chosen = ~circular & (n_kmers + graph.k - 1 >= min_bp)
    return 2 * int(np.count_nonzero(chosen)), int(np.count_nonzero(is_dead[chosen]))


def _compared(
    contigs: Contigs, held: HeldTable | HeldPartitions, least: int, run: RunOptions, backend: AssemblyBackend
) -> dict[str, int]:
    """Count the k-mers of contigs by their counts in the reads.

    Each k-mer is in one part of the table, and each figure a sum over k-mers that are found, so that parts add up.
    """
    solid, explained, present, present_solid = 0, 0, 0, 0
    with closing(backend.kmers.kmer_store(held.k, True, run, n_bases_expected=int(contigs.offsets[-1]))) as store:
        store.fill(_batches(contigs, held.k, backend))
        for table, codes, occurrences in _pairs(held, store, run, backend):
            found = _found(codes, occurrences, table, least, backend)
            solid, explained = solid + found[0], explained + found[1]
            present, present_solid = present + found[2], present_solid + found[3]
        n_contig_kmers = store.n_kmers
    return {
        "n_solid_found": solid,
        "n_explained": explained,
        "n_contig_kmers": n_contig_kmers,
        "n_weak": present - present_solid,
        "n_absent": n_contig_kmers - present,
    }


def _pairs(
    held: HeldTable | HeldPartitions, store: KmerStore, run: RunOptions, backend: AssemblyBackend
) -> Iterator[tuple[KmerTable, Array, Array]]:
    """Yield parts of the k-mers of reads with codes and occurrences of those of contigs that may be in them.

    Those of contigs are counted once, and scattered to partitions, if the others are; else they are looked up in each
    part.
    """
    if isinstance(held, HeldPartitions):
        with closing(KmerPartitions(held.k, held.n_partitions, run, backend)) as own:
            counted = store.counted(1, are_kept=False) if store.n_kmers else ()
            own.add_all((part.codes, part.counts) for part in counted)
            for table, of_contigs in zip(held.parts(0, backend), own.parts(), strict=True):
                yield table, of_contigs.codes, of_contigs.counts
        return
    room = backend.memory_left(run) // 8
    for table in held.parts(2 * room, backend):
        for codes, occurrences in _sorted_parts(store, table.k, room, backend):
            yield table, codes, occurrences


def _sorted_parts(store: KmerStore, k: int, room: int, backend: AssemblyBackend) -> Iterator[tuple[Array, Array]]:
    """Count the k-mers of contigs; yield codes (words, n), ascending, and occurrences (n,), of some at a time.

    Each look-up indexes the table, so that as many parts as fit into ``room`` (bytes) are looked up together.
    """
    parts: list[CountedKmers] = []
    n_bytes = 0
    for part in store.counted(1, are_kept=False) if store.n_kmers else ():
        parts.append(part)
        n_bytes += 2 * (part.codes.nbytes + part.counts.nbytes)
        if n_bytes > room:
            yield backend.kmers.concatenate_counted(parts, k, 1)
            n_bytes = 0
    if parts:
        yield backend.kmers.concatenate_counted(parts, k, 1)


def _found(
    codes: Array, occurrences: Array, table: KmerTable, least: int, backend: AssemblyBackend
) -> tuple[int, int, int, int]:
    """Look up counted k-mers of contigs: distinct solid ones, and their occurrences in reads; occurrences in contigs of
    those in the table, and of solid ones."""
    arrays = backend.arrays
    counts = backend.kmers.look_up_counts(table.codes, table.counts, table.k, codes)

    def total(mask: Array) -> int:
        return int(arrays.reduce(arrays.compact(occurrences, mask)[0], "sum"))

    is_solid = arrays.matches(counts, ">", least - 1)
    n_solid, n_explained = int(arrays.reduce(is_solid, "sum")), int(arrays.reduce(counts, "sum"))
    return n_solid, n_explained, total(arrays.matches(counts, "nonzero", 0)), total(is_solid)


def _batches(contigs: Contigs, k: int, backend: AssemblyBackend) -> Iterator[ReadBatch]:
    """Pack contigs as reads; circular ones are followed by their first k - 1 bases."""
    records: list[bytes] = []
    n_bytes = 0
    for i in range(len(contigs)):
        sequence = contigs.sequence(i)
        if contigs.circular[i]:
            turns = 1 + -(-(k - 1) // len(sequence))
            sequence = (turns * sequence)[: len(sequence) + k - 1]
        records += (b">\n", sequence, b"\n")
        n_bytes += len(sequence)
        if n_bytes >= _BLOCK_BYTES or i == len(contigs) - 1:
            parsed = backend.reads.parse_reads(np.frombuffer(b"".join(records), np.uint8), False, True)
            yield ReadBatch(parsed.bases, parsed.offsets, parsed.ambiguous_positions)
            records.clear()
            n_bytes = 0
