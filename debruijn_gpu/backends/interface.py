"""What a backend does: each operation once, with shapes, dtypes and source. `cpu` implements it.

Arrays of a k-mer table, a graph or walks are those of `KmerTable`, `Graph` and `Walks`. In graphs whose vertices come
in mirrored pairs, v ^ 1 is the reverse complement of v.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.exit_interface import ExitBackend
from debruijn_gpu.backends.flow_interface import FlowBackend
from debruijn_gpu.backends.graph_text_interface import GraphTextBackend
from debruijn_gpu.backends.necklace_interface import HostNecklaceBackend
from debruijn_gpu.backends.number_interface import NumberBackend
from debruijn_gpu.backends.ring_interface import RingBackend
from debruijn_gpu.backends.sequence_interface import SequenceBackend
from debruijn_gpu.backends.spectrum_scoring_interface import IdealBackend
from debruijn_gpu.backends.symbol_text_interface import SymbolTextBackend

Bytes: TypeAlias = NDArray[np.uint8]
Flags: TypeAlias = NDArray[np.bool_]
Longs: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.uint64]
Counts: TypeAlias = NDArray[np.uint32]
Vertices: TypeAlias = NDArray[np.uint32] | NDArray[np.uint64]


@dataclass(frozen=True)
class SuperKmers:
    """Packed super-k-mers (runs of k-mers with one minimizer) of one batch, ordered by bucket.

    Attributes
    ----------
    words : ndarray, dtype=uint64
        Records one after another. Word 0 of a record holds in its high 8 bits the number of k-mers less 1 and then 28
        bases, each further word 32 bases, first base highest, unused low bits 0.
    bucket_ptr : ndarray, dtype=int64, shape=(n_buckets + 1,)
        Bucket b is ``words[bucket_ptr[b]:bucket_ptr[b + 1]]``.
    n_kmers : int
        k-mers in all records.
    """

    words: Codes
    bucket_ptr: Longs
    n_kmers: int


@dataclass(frozen=True)
class CountedKmers:
    """Distinct k-mers of some buckets, in no particular order.

    Attributes
    ----------
    codes : ndarray, dtype=uint64, shape=(words, n)
    counts : ndarray, dtype=uint32, shape=(n,)
    histogram : ndarray, dtype=int64, shape=(65536,)
        Number of distinct k-mers (before ``min_count``) that occur i times.
    large_counts : ndarray, dtype=uint32
        Counts of 65536 and more.
    """

    codes: Codes
    counts: Counts
    histogram: Longs
    large_counts: Counts


class FaultKind(IntEnum):
    """What is wrong with a record."""

    TRUNCATED = 1  # the file ends within it
    NO_HEADER = 2  # it does not begin with > or @
    ALIEN_BYTE = 3  # something in the sequence is no nucleotide letter
    NO_PLUS = 4  # a line after a line of sequence is neither sequence nor +
    BAD_QUALITY = 5  # something in the qualities is not printable
    LENGTHS = 6  # as many qualities as bases are not there


@dataclass(frozen=True)
class Fault:
    """The record after the last whole one is not sound.

    Attributes
    ----------
    position : int
        Where in the text; of a truncated record, where it begins.
    line : int
        The line with the fault, counted within the text from 0; of a truncated record, its first line.
    n_bases, n_qualities : int
        What was counted, if the kind is LENGTHS.
    """

    kind: FaultKind
    position: int
    line: int
    n_bases: int
    n_qualities: int


@dataclass(frozen=True)
class ParsedReads:
    """The whole records of a text; ``bases``, ``offsets`` and ``breaks`` as in `ReadBatch`.

    Attributes
    ----------
    names : ndarray, dtype=uint64, shape=(n_reads,)
        Hash of each name: the header up to its first blank, less a final 1 or 2 after ``/``, ``.`` or ``_``,
        so that mates agree. 0 for an empty name, and for no other.
    starts : ndarray, dtype=int64, shape=(n_reads,)
        Position in the text of each record's first byte.
    n_consumed : int
        Bytes of the text that whole records, and empty lines after them, take.
    n_lines : int
        Lines within them.
    fault : Fault or None
        Why the record at ``n_consumed`` cannot be one.
    """

    bases: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    breaks: NDArray[np.int64]
    names: NDArray[np.uint64]
    starts: NDArray[np.int64]
    n_consumed: int
    n_lines: int
    fault: Fault | None

    @property
    def n_reads(self) -> int:
        return len(self.names)


class Backend(
    SequenceBackend,
    ExitBackend,
    FlowBackend,
    GraphTextBackend,
    HostNecklaceBackend,
    IdealBackend,
    NumberBackend,
    RingBackend,
    SymbolTextBackend,
    Protocol,
):
    """A module with these names, and those of the Protocols that it extends."""

    # k-mers

    def super_kmers(
        self, bases: Codes, offsets: Longs, breaks: Longs, k: int, bucket_bits: int, n_used_buckets: int
    ) -> SuperKmers:
        """Cut the reads of a batch (see `ReadBatch`) into super-k-mers and sort them into ``2 ** bucket_bits`` buckets
        by minimizer; only the first ``n_used_buckets`` are filled. All occurrences of a k-mer and of its reverse
        complement come to the same bucket. (Li et al. 2013, MSPKmerCounter; Deorowicz et al. 2015, KMC 2.)"""

    def count_buckets(self, words: Codes, starts: Longs, k: int, canonical: bool, min_count: int) -> CountedKmers:
        """Count the k-mers of adjacent buckets. Bucket b of batch i is ``words[starts[i, b]:starts[i, b + 1]]``; starts
        has shape (n_batches, n_buckets + 1). k-mers rarer than ``min_count`` are only in the histogram."""

    def sort_kmers(self, codes: Codes, counts: Counts, k: int) -> tuple[Codes, Counts]:
        """Distinct k-mers and their counts in ascending order of the k-mers."""

    # graphs

    def kmer_graph(self, codes: Codes, k: int) -> tuple[Longs, Vertices]:
        """CSR (row_ptr, col) of the overlaps by k - 1 bases of n canonical k-mers. Vertex 2i is k-mer i, 2i + 1 its
        reverse complement. Heads ascend in each row."""

    def unique_successors(self, row_ptr: Longs, col: Vertices) -> Vertices:
        """For each of n vertices in mirrored pairs the head of its only edge, if that is the only edge into that head
        and the head is not its own mirror; else n."""

    def contract(self, row_ptr: Longs, col: Vertices, offsets: Longs, steps: Vertices) -> tuple[Longs, Vertices]:
        """CSR of the graph that has walk i as vertex 2i and its mirror as 2i + 1: the edges that lead from the end of
        a walk to the start of one. Heads ascend in each row."""

    def take_lists(self, offsets: Longs, items: Vertices, chosen: Longs) -> tuple[Longs, Vertices]:
        """The chosen ones of ragged lists: their offsets and items."""

    def expand(
        self, offsets: Longs, steps: Vertices, inner_offsets: Longs, inner_steps: Vertices
    ) -> tuple[Longs, Vertices]:
        """Walks over walks as walks over vertices: step 2i stands for inner walk i, 2i + 1 for its mirror, which is
        the mirrors of its steps in reverse order."""

    # cleaning; all take the CSR of a unitig graph and the number and total count of each unitig's k-mers, and give
    # which unitigs stay. Unitigs are judged from the least to the best covered, each by what is still there.

    def remove_tips(
        self, row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, short: int, long: int, ratio: float
    ) -> Flags:
        """Remove unitigs with one dead end where each place they lead to has another, better covered way in: of at
        most ``short`` k-mers if not covered better, of at most ``long`` if less than ``ratio`` times as well. (Of two
        tips of equal coverage, such as two reads that share an error, one goes, and the rest is seen for what it is.)
        """

    def remove_chimeras(
        self, row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, ratio: float
    ) -> Flags:
        """Remove connections of at most ``longest`` k-mers that are covered less than ``ratio`` times the other ways
        into the places at both their ends."""

    def pop_bubbles(
        self,
        row_ptr: Longs,
        col: Vertices,
        n_kmers: Longs,
        kmer_counts: Longs,
        longest: int,
        ratio: float,
        slack: int,
        indel: float,
    ) -> Flags:
        """Remove unitigs of at most ``longest`` k-mers between two places if another way between these, as long but
        for ``slack`` k-mers or the share ``indel``, has a coverage of which theirs is at most ``ratio``."""

    def remove_isolated(
        self, row_ptr: Longs, col: Vertices, n_kmers: Longs, kmer_counts: Longs, longest: int, threshold: float
    ) -> Flags:
        """Remove unitigs without neighbours, of at most ``longest`` k-mers and covered less than ``threshold``."""

    # sequences (ASCII, upper case)

    def spell(self, codes: Codes, k: int, offsets: Longs, steps: Vertices) -> tuple[Longs, Bytes]:
        """Sequences of walks over k-mers (steps 2i + strand), each k - 1 bases longer than it has k-mers: offsets and
        text."""

    def larger_strands(self, text: Bytes, offsets: Longs) -> Flags:
        """Which sequences have a smaller reverse complement."""

    def take_sequences(self, text: Bytes, offsets: Longs, order: Longs, flips: Flags) -> tuple[Longs, Bytes]:
        """Sequences in a new order, sequence i reverse-complemented if ``flips[i]``: offsets and text."""

    def parse_reads(self, text: NDArray[np.uint8], fastq: bool, final: bool) -> ParsedReads:
        """Parse the whole records of a FASTA or FASTQ text that begins at a record, or empty lines before it.

        Without `final` the file goes on after the text: a record that the text may cut short is left for the
        next call, which has to begin with it. Lines end with LF or CR LF; the last one need not end. U is T;
        the letters of `alphabet.AMBIGUOUS`, in either case, break a read; blanks within lines of FASTA do not
        count.

        Source: P. Cock et al., The Sanger FASTQ file format, Nucleic Acids Res. 38 (2010) 1767.
        """

    # Sequences and text

    def smallest_rotation(self, text: NDArray[np.uint8]) -> int:
        """Start of the lexicographically smallest rotation of a circle, the first of several; 0 if empty.

        O(n) without extra memory: two candidates are compared, and a mismatch rules out all starts from the
        loser's to where it was found (Shiloach 1981, J. Algorithms 2:107; cf. Booth 1980).
        """

    def kmer_lines(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], k: int, start: int, stop: int
    ) -> NDArray[np.uint8]:
        r"""Text ``kmer<TAB>count\n`` of k-mers ``start:stop`` of a table: codes (words, n), counts (n,)."""

    # Edge-centric graph and Euler walks

    def both_strands(self, codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
        """Codes (words, 2 n): k-mer i in column 2 i, its reverse complement in column 2 i + 1."""

    def join_ends(
        self,
        codes: NDArray[np.uint64],
        k: int,
        tails: NDArray[np.unsignedinteger],
        heads: NDArray[np.unsignedinteger],
    ) -> NDArray[np.uint64]:
        """Number the (k-1)-mers that k-mers begin and end with, in ascending order of their codes.

        Parameters
        ----------
        codes : ndarray, dtype=uint64, shape=(words, n)
            K-mers, sorted, unique.
        k : int
        tails, heads : ndarray, dtype=uint32 or uint64, shape=(n,)
            Written: the number of each k-mer's first and last k - 1 bases.

        Returns
        -------
        ndarray, dtype=uint64, shape=(n_vertices, words)
            The (k-1)-mers, one a row; as many words as a k-mer has.
        """

    def orient_edges(self, incident_ptr: Longs, incident: Vertices, tails: Vertices, heads: Vertices) -> Flags:
        """Directions for the edges of an undirected graph, such that as many lead into each vertex as out of it, or one
        more or less where their number is odd.

        Parameters
        ----------
        incident_ptr : ndarray, dtype=int64, shape=(n_vertices + 1,)
        incident : ndarray, dtype=uint32 or uint64, shape=(2 * n_edges,)
            The edges at each vertex, loops twice.
        tails, heads : ndarray, dtype=uint32 or uint64, shape=(n_edges,)

        Returns
        -------
        ndarray, dtype=bool, shape=(n_edges,)
            Whether an edge leads from its tail to its head.
        """

    def hierholzer(
        self,
        row_ptr: NDArray[np.int64],
        col: NDArray[np.unsignedinteger],
        starts: NDArray[np.int64],
        offsets: NDArray[np.int64],
        steps: NDArray[np.unsignedinteger],
    ) -> None:
        """An Euler walk of each component (Hierholzer 1873), taking the edge with the smallest id first.

        Parameters
        ----------
        row_ptr, col : ndarray
            The graph; every component must be Eulerian or have an Euler path.
        starts : ndarray, dtype=int64, shape=(n,)
            Where the walk of each component starts.
        offsets : ndarray, dtype=int64, shape=(n + 1,)
            The walk of component i has ``offsets[i + 1] - offsets[i]`` edges.
        steps : ndarray, dtype=uint32 or uint64, shape=(offsets[n],)
            Written: edge ids, walk i at ``offsets[i]:offsets[i + 1]``.
        """
