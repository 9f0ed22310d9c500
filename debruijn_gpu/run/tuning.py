"""Hold block sizes, table sizes and crossovers between algorithms, which change time and memory, never results.

Each was measured; users need not set them. Tests choose other values, so that small inputs take every branch. A context
variable holds them: threads that `parallel` starts see those of their caller. They are read on the host, at each call.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Tuning:
    """Constants of the algorithms, by family of operations.

    Attributes
    ----------
    least_work : int
        Threads: least steps of a range. Handing a range to another thread takes up to 0.15 ms, a step of a kernel a
        few nanoseconds. Default: 131,072.
    shortest_sorted_run : int
        Arrays, CUDA: values of a run to be sorted and merged, at least. Default: 1024.
    pair_bytes : int
        Arrays, CUDA: bytes of device memory for each key that is counted: key and count, packed or by argsort, before
        and after. Default: 64.
    shared_counts : int
        Arrays, CUDA: counters that fit into the shared memory of a block, which has one more for values outside.
        Default and maximum: 12,287, of four bytes in 48 KiB.
    few_wanted_keys : int
        Arrays, CUDA: wanted keys of a semi-join up to which each multiprocessor caches the whole hash table.
        Default: 8192.
    staged_bytes : int
        Transfers, CUDA: bytes of an array from which several threads copy it in chunks. Default: 64 MiB.
    ranks_per_gpu : int
        Several GPUs, CUDA: ranks that share each GPU, so that one GPU takes the ways of several. Default: 1, beyond
        tests.
    long_row : int
        Graphs, CUDA: edges of a row up to which one thread visits them all; a block visits longer rows. Default: 64.
    few_edges : int
        Circuits, CUDA: edges up to which the cycles of all of them are noted at once, with short sublists.
        Default: 8,388,608.
    noted_edges : int
        Circuits, CUDA: edges whose cycles are noted, of more than ``few_edges``. Default: 1,048,576.
    few_splitter_bits : int
        Circuits, CUDA: log2 of the edges for each splitter, of up to ``few_edges``. Default: 4.
    splitter_bits : int
        Circuits, CUDA: log2 of the edges for each splitter, of more than ``few_edges`` up to 2^26; one more for each
        factor of four beyond. Default: 5.
    listed_cycles : int
        Circuits, CUDA: cycles from which the edges where they meet are listed to splice them. Default: 512.
    listed_edges : int
        Circuits, CUDA: edges beside the noted ones and the largest tree of cycles up to which they are listed, instead
        of noting the cycles of all edges. Default: 1,048,576.
    compared_numbers : int
        Circuits, CUDA: numbers up to which each is compared with all to bring them into order. Default: 1024.
    marked_numbers : int
        Circuits, CUDA: least number that is too large to be marked for that; others are sorted. Default: 67,108,864.
    dealt_edges : int
        Circuits, CUDA: edges from which they are dealt out to buckets and paired there; those of a graph of fewer edges
        and vertices are paired in the cache of the device. They are sorted if a vertex has many. Default: 3,145,728.
    edges_of_several : int
        Circuits, CUDA: edges from which several GPUs work together, if the run has them. Default: 268,435,456.
    copied_pairs_share : float
        Circuits, CUDA: share of the memory that is left on each GPU up to which all of several GPUs get the pairs of
        all edges. Default: 1.
    packed_key_bits : int
        Circuits, CUDA: bits of a key with its payload up to which both are sorted in one word. Default and maximum: 64.
    reads_share : float
        Reads: share of the memory budget for packed reads; the others go to a scratch file. Default: 0.25.
    device_reads_share : float
        Reads, CUDA: share of the device's memory budget for packed reads; the others stay on the host. Default: 0.25.
    super_kmers_share : float
        K-mers: share of the memory budget for super-k-mers; the others go to a scratch file. Default: 0.4.
    distinct_kmers_share : float
        K-mers: share of the memory budget for the distinct k-mers, before and after they are sorted; beyond it,
        counting ends with an error. Default: 0.8.
    range_bytes : int
        Distributed: bytes of a file that one task reads, unless there were too many tasks. Default: 32 MiB.
    sorted_bases : int
        K-mers, CPU: bases of reads up to which their k-mers, of one word, are counted by one sort instead of in hash
        tables. Default: 16,777,216.
    promised_kmers : int
        K-mers, CPU: occurrences of k-mers of some buckets up to which address space is taken for as many distinct ones;
        of more, distinct k-mers are counted before. Default: 67,108,864.
    shortest_kmer_run : int
        K-mers, CUDA: k-mers of a run to be sorted and merged, at least. Default: 65,536.
    hash_mask : int
        Bits of the hashes by which ragged rows, and on CUDA long k-mers, are grouped. Default: all 64.
    held_kmers_share : float
        K-mers: share of the memory that is left for a table that is held for the evaluation of contigs; a larger one
        goes to a scratch file. Default: 0.1.
    held_samples_share : float
        Samples: share of the memory that is left for the k-mers of samples; those of the others go to a scratch file.
        Default: 0.25.
    held_columns_share : float
        K-mer sets: share of the host's memory that is left for the columns of a matrix until their lengths are known;
        the others go to a scratch file. Default: 0.25.
    held_kmers_at_once : int
        K-mers: rows of such a table that are read together, at least. Default: 1,048,576.
    checkpoint_s : float
        Assembly: seconds of work from which a checkpoint is saved. Default: 20.
    partitions : int
        Assembly: partitions in which a k-mer graph is compacted; 0: as many as the memory budget asks for, none if the
        whole graph fits. Default: 0.
    partitions_share : float
        K-mers: share of the host's memory that is left for k-mers by partition; the others go to a scratch file.
        Default: 0.25.
    partitioned_kmers : int
        K-mers: k-mers that are scattered to partitions at once. Default: 4,194,304.
    inner_kmers_share : float
        Assembly, CPU: share of the k-mers of unitigs that are neither first nor last in theirs, above which the graph
        of the next k is made of whole unitigs. Default: 0.5.
    least_inner_kmers : int
        The least number of them: with few, a table needs fewer kernels. Default: 131,072.
    least_kmers_at_once : int
        Assembly: k-mers of a cycle among which one thread looks for the least. Default: 4096.
    range_kmers : int
        Sets: k-mers of all sets in a range of codes that is combined at once, about; more where there are many sets.
        Default: 262,144.
    waiting_colors : int
        Colors: colour sets, and samples in them, that wait to be compared with those before, at least, where memory is
        not short. Default: 33,554,432.
    looked_up_kmers : int
        Colors: k-mers of an index, and of unitigs, that are looked up at once; 0: as many as the memory budget allows.
        Default: 0.
    colored_kmers : int
        Colors: k-mers of unitigs whose runs of colour sets are found at once. Default: 1,048,576.
    query_parts : int
        Queries: parts of an index that are queried one after another, about; 0: as many as the memory budget asks for.
        Default: 0.
    query_share : float
        Queries: share of the host's memory that is left for the records of a query in parts, and for what was found;
        the others go to a scratch file. Default: 0.25.
    simulated_bases : int
        Reads: simulated bases at once. Default: 524,288.
    many_links, few_sequences : int
        Assembly: links from which, and sequences up to which Python does not, or does sort them, so that small runs
        need fewer kernels. Default: 131,072 and 8192.
    few_tied_sequences : int
        Assembly: sequences with a common start up to which they are compared as a whole. Default: 1000.
    few_steps : int
        Look-and-say: steps up to which each is made. Default: 500.
    counted_digits : int
        Look-and-say: digits up to which a term is made to count those of the next one. Default: 33,554,432.
    candidates_at_once, differences_at_once, masses_at_once : int
        Peptides: candidates that are scored, differences that are made, and masses that are sorted at once. Default:
        1,048,576, 4,194,304 and 1,048,576.
    transformed_subpeptides : int
        Peptides: subpeptides for each element of a Fourier transform above which it is faster than adding to counters.
        Default: 512.
    reachable_places : int
        Peptides: size of the table of reachable masses, at most. Default: 4,194,304.
    slice_bytes : int
        Files: bytes for each thread that reads a file, at least. Default: 2 MiB.
    parallel_gzip_bytes : int
        Files: bytes of a gzip file from which several threads inflate it. Default: 16 MiB.
    symbol_block_bytes, fasta_block_bytes : int
        Files: bytes of symbols and of FASTA that are read at once. Default: 16 MiB and 1 MiB.
    many_records : int
        Files: records from which the CPU's backend formats them instead of Python. Default: 8192.
    block_records, paths_at_once, lines_at_once, words_at_once, kmers_at_once : int
        Files: records, paths, lines, names of vertices, and k-mers that become text at once. Default: 32,768, 1024,
        65,536, 131,072 and 131,072.
    """

    least_work: int = 1 << 17

    shortest_sorted_run: int = 1 << 10
    pair_bytes: int = 64
    shared_counts: int = (48 << 10) // 4 - 1
    few_wanted_keys: int = 1 << 13

    staged_bytes: int = 64 << 20
    ranks_per_gpu: int = 1

    long_row: int = 64

    few_edges: int = 1 << 23
    noted_edges: int = 1 << 20
    few_splitter_bits: int = 4
    splitter_bits: int = 5
    listed_cycles: int = 1 << 9
    listed_edges: int = 1 << 20
    compared_numbers: int = 1 << 10
    marked_numbers: int = 1 << 26
    dealt_edges: int = 3 << 20
    edges_of_several: int = 1 << 28
    copied_pairs_share: float = 1.0
    packed_key_bits: int = 64

    reads_share: float = 0.25
    device_reads_share: float = 0.25

    super_kmers_share: float = 0.4
    distinct_kmers_share: float = 0.8
    range_bytes: int = 32 << 20
    sorted_bases: int = 1 << 24
    promised_kmers: int = 1 << 26
    shortest_kmer_run: int = 1 << 16
    hash_mask: int = (1 << 64) - 1
    held_kmers_share: float = 0.1
    held_samples_share: float = 0.25
    held_columns_share: float = 0.25
    held_kmers_at_once: int = 1 << 20
    checkpoint_s: float = 20.0

    partitions: int = 0
    partitions_share: float = 0.25
    partitioned_kmers: int = 1 << 22
    inner_kmers_share: float = 0.5
    least_inner_kmers: int = 1 << 17
    least_kmers_at_once: int = 1 << 12
    range_kmers: int = 1 << 18

    waiting_colors: int = 1 << 25
    looked_up_kmers: int = 0
    colored_kmers: int = 1 << 20
    query_parts: int = 0
    query_share: float = 0.25
    simulated_bases: int = 1 << 19

    many_links: int = 1 << 17
    few_sequences: int = 1 << 13
    few_tied_sequences: int = 1000

    few_steps: int = 500
    counted_digits: int = 1 << 25

    candidates_at_once: int = 1 << 20
    differences_at_once: int = 1 << 22
    masses_at_once: int = 1 << 20
    transformed_subpeptides: int = 512
    reachable_places: int = 1 << 22

    slice_bytes: int = 1 << 21
    parallel_gzip_bytes: int = 16 << 20
    symbol_block_bytes: int = 1 << 24
    fasta_block_bytes: int = 1 << 20
    many_records: int = 1 << 13
    block_records: int = 1 << 15
    paths_at_once: int = 1 << 10
    lines_at_once: int = 1 << 16
    words_at_once: int = 1 << 17
    kmers_at_once: int = 1 << 17


_DEFAULT = Tuning()
_tuning: ContextVar[Tuning] = ContextVar("dbg_tuning", default=_DEFAULT)


def tuning() -> Tuning:
    """Return the constants of this context."""
    return _tuning.get()


@contextmanager
def tuned(**changes: Any) -> Iterator[None]:
    """Change some constants, given by the names of their fields, within this context."""
    token = _tuning.set(replace(_tuning.get(), **changes))
    try:
        yield
    finally:
        _tuning.reset(token)
