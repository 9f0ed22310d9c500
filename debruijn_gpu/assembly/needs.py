"""Model of what an assembly needs: memory, temporary disk space and time, from numbers of bases and k-mers.

The constants were measured on the CPU backend with 2 x 150 bp of *E. coli*, those of partitions with 30x of 20 Mbp:
bytes where the code allocates them, seconds of a core of an Intel Xeon. They decide nothing but what
`dbg assemble --estimate` prints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from debruijn_gpu.alphabet import BASES_PER_WORD, words_per_kmer
from debruijn_gpu.backends.unitigs.sizes import ANCHOR_MARK_BITS, index_bytes, least_index_bytes
from debruijn_gpu.run.tuning import tuning

_MIB = 1 << 20
#: Python, libraries, kernels; for each base blocks of text, and what the allocator keeps for later, up to a limit
_BASE_BYTES, _BLOCK_BYTES_PER_BASE, _MOST_BLOCK_BYTES = 52 * _MIB, 1.4, 108 * _MIB
#: What `run.resources` takes for granted
_LOADED_BYTES = 192 * _MIB
_BUFFER_BYTES = 60 * _MIB  # of blocks of text and what threads have under way, for two threads
_BYTES_PER_READ, _STORED_BYTES_PER_READ = 8, 0.5  # in memory, and packed in a scratch file
_SUPER_KMER_BYTES = 1.45  # for each k-mer
_GRAPH_BYTES, _ROOMY_GRAPH_BYTES = 72, 34  # per k-mer; with room, and 16 for each word and one more
_OUTPUT_BYTES_PER_BASE, _SCAFFOLD_BYTES_PER_BASE, _REPORT_BYTES = 2.1, 1.1, 2 * _MIB
#: Of what is gathered of a pair that is placed; measured
BYTES_PER_PAIR = 48
_GRAPH_SHARE = 0.3  # of what is left, for the graph of one partition
_TWO_PARTITIONS, _SEGMENTS_PER_KMER = 1.08, 3.0  # segments: divided by k, as minimizers are that far apart
_COUNT_BYTES, _SEGMENT_COUNT_BYTES, _VERTEX_BYTES = 1.05, 2.5, 1.5  # packed; of lengths and counts, and of an open end
_GLUED_BYTES, _UNITIG_BYTES = 140, 1.5  # for each k-mer, divided by k, and base
_SHARES_BETWEEN_UNITIGS = 0.1, 0.03  # of the k-mers of the second k, and of each later one
_LEAST_ROOM = 64 * _MIB
_LEAST_BUDGET = 256 * _MIB

# seconds of one core for a base, k-mer or read, and the part of it that threads share
_INFLATE, _PARSE = (5.0e-9, 0.5), (4.5e-9, 0.6)
_SURVEY, _SPLIT, _COUNT, _SORT = (7.0e-9, 0.9), (13.0e-9, 0.9), (16.0e-9, 0.9), (90e-9, 0.4)
_GRAPH, _GRAPH_PER_WORD, _UNITIGS = (0.17e-6, 0.8), (0.06e-6, 0.8), (0.21e-6, 0.0)
_PLACE, _KMERS_PER_WORD, _PAIRS, _EVALUATE = (5.0e-9, 0.9), (0.17e-6, 0.3), (6.0e-9, 0.8), (0.25e-6, 0.3)
_PARTITIONED, _PARTITIONED_PER_WORD = (0.6e-6, 0.7), (0.09e-6, 0.7)  # in partitions: graph and unitigs
_PARTITIONED_KMERS_PER_WORD, _PARTITIONED_EVALUATE = (0.09e-6, 0.65), (0.7e-6, 0.45)
_WHOLE = 0.04e-6, 0.3  # of unitigs that stay whole
_START_S = 1.2  # loading, and writing reports


@dataclass(frozen=True)
class Workload:
    """What is assembled.

    Attributes
    ----------
    n_bases, n_reads : float
        Of the input.
    compressed_share : float
        Share of the input files that is compressed.
    kept_share : float
        Share of the reads that a limit of the depth leaves.
    n_kmers : float
        Occurrences of k-mers of the first k in the reads that are left.
    n_first : float
        Distinct k-mers of the first k that are kept.
    n_repeated : float
        Those that are held while they are counted: that occur at least twice, or all where all are kept.
    n_later : float
        Distinct k-mers of each later k.
    ks : tuple of int
    is_stored, is_surveyed, is_paired : bool
        Whether reads are stored, their depth is estimated before, and mates are used.
    """

    n_bases: float
    n_reads: float
    compressed_share: float
    kept_share: float
    n_kmers: float
    n_first: float
    n_repeated: float
    n_later: float
    ks: tuple[int, ...]
    is_stored: bool
    is_surveyed: bool
    is_paired: bool

    @property
    def packed_bytes(self) -> float:
        """Size of the reads as they are stored in memory."""
        return (self.n_bases / 4 + _BYTES_PER_READ * self.n_reads) * self.is_stored

    @property
    def scratch_share(self) -> float:
        """Size of reads in a scratch file, where their offsets are packed, as a share of that in memory."""
        return (self.n_bases / 4 + _STORED_BYTES_PER_READ * self.n_reads) / max(1.0, self.packed_bytes)


@dataclass(frozen=True)
class Needs:
    """What an assembly needs.

    Attributes
    ----------
    memory_bytes : int
        Peak of the process tree within the budget.
    least_budget_bytes : int
        Smallest ``-m`` that suffices.
    temporary_bytes, output_bytes : int
        On disk.
    cpu_s, wall_s : float
    """

    memory_bytes: int
    least_budget_bytes: int
    temporary_bytes: int
    output_bytes: int
    cpu_s: float
    wall_s: float


def needs_of(work: Workload, budget: int, threads: int, slowness: float = 1.0) -> Needs:
    """Estimate the needs of an assembly.

    Parameters
    ----------
    work : Workload
    budget : int
        Memory that is allowed, in bytes.
    threads : int
    slowness : float
        Of this machine, in multiples of the one that was measured.
    """
    memory, temporary = _memory(work, budget)
    least = _least_budget(work)
    memory = max(min(memory, budget), least if least > budget else 0)  # stores make room for what comes later
    parts = _times(work, budget)
    cpu_s = sum(seconds for seconds, _shared in parts) * slowness
    wall_s = sum(seconds * (1 - shared + shared / threads) for seconds, shared in parts) * slowness
    output_bytes = _OUTPUT_BYTES_PER_BASE + _SCAFFOLD_BYTES_PER_BASE * work.is_paired
    output = output_bytes * min(work.n_later, work.n_first) + _REPORT_BYTES
    return Needs(int(memory), least, int(temporary), int(output), cpu_s + _START_S, wall_s + _START_S)


def _memory(work: Workload, budget: int) -> tuple[float, float]:
    """Estimate the peak of memory, and of scratch files."""
    tune = tuning()
    left: float = max(budget - _LOADED_BYTES, 0)
    stored = min(work.packed_bytes, tune.reads_share * left)
    base = _BASE_BYTES + min(_MOST_BLOCK_BYTES, _BLOCK_BYTES_PER_BASE * work.n_bases) + stored
    left = max(budget - max(base, _LOADED_BYTES), 0)
    super_kmers = _SUPER_KMER_BYTES * work.n_kmers
    held_super_kmers = min(super_kmers, tune.super_kmers_share * left)
    working = min(_BUFFER_BYTES, super_kmers / 4 + _MIB)
    per_kmer = _kmer_bytes(work.ks[0])
    if _is_partitioned(work, 0, budget - base):
        counting, held = _GRAPH_SHARE * left, 0.0
    else:
        counting, held = 2 * per_kmer * work.n_repeated, per_kmer * work.n_first
    peaks = [base + working + held_super_kmers + min(counting, per_kmer * work.n_repeated), base + counting]
    held = 0.0 if held > tune.held_kmers_share * left else held
    peaks += [_graph_peak(work, i, base, held, budget) for i in range(len(work.ks))]
    if work.is_paired:
        peaks.append(base + held + BYTES_PER_PAIR * work.n_reads / 2)
    return max(peaks), _scratch(work, stored, super_kmers - held_super_kmers, budget - base, left)


def _kmer_bytes(k: int) -> int:
    """Size of a k-mer and its count."""
    return 8 * words_per_kmer(k) + 4


def _code_bytes(k: int) -> int:
    """Size of a k-mer in a scratch file, without leading zeros."""
    return -(-2 * (k - BASES_PER_WORD * (words_per_kmer(k) - 1)) // 8) + 8 * (words_per_kmer(k) - 1)


def _stored_bytes(k: int) -> float:
    """Size of a k-mer and its count in a scratch file."""
    return _code_bytes(k) + _COUNT_BYTES


def _n_distinct(work: Workload, i: int, is_partitioned: bool) -> float:
    """Number of k-mers of the i-th k to compact: all in partitions, else those between unitigs of later ones."""
    if not i:
        return work.n_first
    shares = _SHARES_BETWEEN_UNITIGS
    return work.n_later * (1.0 if is_partitioned else shares[min(i, len(shares)) - 1])


def _is_partitioned(work: Workload, i: int, room: float) -> bool:
    """Whether the graph of the i-th k, with its table, does not fit into what is left of the budget."""
    return (_GRAPH_BYTES + _kmer_bytes(work.ks[i])) * _n_distinct(work, i, False) > room


def _graph_peak(work: Workload, i: int, base: float, held: float, budget: int) -> float:
    """Estimate the peak while the graph of the i-th k is built."""
    if _is_partitioned(work, i, budget - base):
        return budget  # stores take what is left
    n, k = _n_distinct(work, i, False), work.ks[i]
    table = _kmer_bytes(k) * n
    if i:
        beside = base + held + max(2.3 * table, table + _GRAPH_BYTES * n)
        return beside + max(_index_bytes(work, least_index_bytes), min(_index_bytes(work), budget - beside))
    room = max(0.0, budget - base - held - table)
    graph = max(_GRAPH_BYTES * n, min(room, (_ROOMY_GRAPH_BYTES + 16 * (words_per_kmer(k) + 1)) * n))
    return base + table + graph


def _scratch(work: Workload, stored: float, spilled_super_kmers: float, room: float, left: float) -> float:
    """Estimate the peak of scratch files: of reads, and of what is counted or compacted beside them.

    K-mers by partition stay for the evaluation; when memory is short, stores move to scratch files as a whole.
    """
    ks = range(len(work.ks))
    is_short = any(_is_partitioned(work, i, room) for i in ks)
    reads = (work.packed_bytes - (0.0 if is_short else stored)) * work.scratch_share
    held = _stored_bytes(work.ks[0]) * work.n_first
    if _is_partitioned(work, 0, room):
        held *= _TWO_PARTITIONS
    elif _kmer_bytes(work.ks[0]) * work.n_first <= tuning().held_kmers_share * left and not is_short:
        held = 0.0
    compacted = [_partitions_bytes(work, i) for i in ks if _is_partitioned(work, i, room)]
    first = compacted[0] - held if compacted and _is_partitioned(work, 0, room) else 0.0
    later = max([first, *compacted[bool(first) :]], default=0.0)
    # reads that a limit of the depth leaves out are there until the others are stored
    return reads * (2 if work.kept_share < 1 else 1) + max(spilled_super_kmers + held * bool(compacted), held + later)


def _partitions_bytes(work: Workload, i: int) -> float:
    """Size of the k-mers of the i-th k in partitions, and of the segments of their unitigs."""
    k = work.ks[i]
    segment = _SEGMENT_COUNT_BYTES + 2 * (_code_bytes(k) + _VERTEX_BYTES) + (k - 1) / 4  # with both ends, and bases
    return _n_distinct(work, i, True) * (_TWO_PARTITIONS * _stored_bytes(k) + _SEGMENTS_PER_KMER / k * segment + 0.25)


def _least_budget(work: Workload) -> int:
    """Estimate the smallest budget with which every stage can run, to 10 MiB.

    Graphs that do not fit are compacted in partitions. The compacted graph has to be in memory with the index of its
    bases, by which reads are placed, and so have the segments that are glued.
    """
    least = min(_LEAST_ROOM, _GRAPH_BYTES * max(work.n_first, work.n_later))  # small graphs fit as a whole
    buffers = min(_BUFFER_BYTES, _BLOCK_BYTES_PER_BASE * work.n_bases / 4)
    room = max(least, buffers + (_index_bytes(work, least_index_bytes) if len(work.ks) > 1 or work.is_paired else 0.0))
    glued = [_GLUED_BYTES / k * _n_distinct(work, i, _is_partitioned(work, i, room)) for i, k in enumerate(work.ks)]
    needed = _LOADED_BYTES + max(room, buffers + max(glued))
    return max(_LEAST_BUDGET, int(-(-needed // (10 * _MIB))) * 10 * _MIB)


def _index_bytes(work: Workload, size_of: Callable[[int, int], int] = index_bytes) -> float:
    """Size of the unitigs with the index of their bases."""
    return size_of(int(work.n_later), ANCHOR_MARK_BITS * work.is_paired) + _UNITIG_BYTES * work.n_later


def _times(work: Workload, budget: int) -> list[tuple[float, float]]:
    """List seconds of one core, and the part of them that threads share, of each step."""
    kept = work.n_bases * work.kept_share
    parts = [
        (work.n_bases * work.compressed_share * _INFLATE[0], _INFLATE[1]),
        (work.n_bases * _PARSE[0], _PARSE[1]),
        (work.n_bases * _SURVEY[0] * work.is_surveyed, _SURVEY[1]),
        (min(100e6, work.n_bases) * _COUNT[0] * work.is_surveyed, _COUNT[1]),
        (work.n_kmers * _SPLIT[0], _SPLIT[1]),
        (work.n_kmers * _COUNT[0], _COUNT[1]),
    ]
    for i in range(len(work.ks)):
        parts += _times_of_graph(work, i, budget)
        if i:
            parts.append((kept * _PLACE[0], _PLACE[1]))
    return [*parts, (kept * _PAIRS[0] * work.is_paired, _PAIRS[1])]


def _times_of_graph(work: Workload, i: int, budget: int) -> list[tuple[float, float]]:
    """List seconds as `_times`, for k-mers and unitigs of the i-th k; for the first one, for the evaluation too."""
    is_partitioned = _is_partitioned(work, i, budget - _LOADED_BYTES)
    n, words = _n_distinct(work, i, is_partitioned), words_per_kmer(work.ks[i])
    if is_partitioned:
        of_graph = [_PARTITIONED, _scaled(_PARTITIONED_PER_WORD, words)]
        of_kmers = [_scaled(_PARTITIONED_KMERS_PER_WORD, words)] if i else [_PARTITIONED_EVALUATE]
    else:
        of_graph = [_GRAPH, _scaled(_GRAPH_PER_WORD, words), _UNITIGS]
        of_kmers = [_scaled(_KMERS_PER_WORD, words)] if i else [(_SORT[0] + _EVALUATE[0], _EVALUATE[1])]
    return [*(_scaled(one, n) for one in (*of_graph, *of_kmers)), _scaled(_WHOLE, work.n_later * (i > 0))]


def _scaled(step: tuple[float, float], n: float) -> tuple[float, float]:
    """Multiply the seconds of a step."""
    return step[0] * n, step[1]
