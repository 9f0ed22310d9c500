"""Protocol of the family `kmers`: count k-mers and store them by bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.kmers.containers import CountedKmers, EncodedBlocks, JointCounts, PackedSuperKmers
from debruijn_gpu.backends.kmers.set_programs import SetProgram
from debruijn_gpu.backends.reads.protocol import ReadBatch

if TYPE_CHECKING:
    from debruijn_gpu.run.options import RunOptions


class KmerStore(Protocol):
    """K-mers of reads, to be counted in parts.

    A k-mer is in one part with all of its occurrences.

    Attributes
    ----------
    n_reads, n_bases, n_kmers : int
        Totals of the input; n_kmers counts all occurrences.
    n_parts : int
        Known after `fill`.
    """

    @property
    def n_reads(self) -> int: ...

    @property
    def n_bases(self) -> int: ...

    @property
    def n_kmers(self) -> int: ...

    @property
    def n_parts(self) -> int: ...

    def fill(self, batches: Iterable[ReadBatch]) -> None:
        """Add the k-mers of all batches; called once."""

    def counted(self, min_count: int, are_kept: bool = True) -> Iterator[CountedKmers]:
        """Count the k-mers of each part; filter those rarer than ``min_count``.

        Filtered k-mers are only in the histogram. May be called again with another ``min_count``. ``are_kept``: whether
        the caller keeps all parts, rather than one at a time.

        Raises
        ------
        OutOfMemoryError
            If the k-mers counted so far use up the memory budget, unless the caller frees them (not ``are_kept``).
        """

    def close(self) -> None:
        """Free memory and scratch space."""


class KmerOperations(Protocol):
    """Count k-mers and store them by bucket."""

    def kmer_store(
        self, k: int, canonical: bool, run: RunOptions, sample: float = 1.0, n_bases_expected: int = 0
    ) -> KmerStore:
        """Create an empty k-mer store.

        Parameters
        ----------
        k : int
        canonical : bool
            Whether a k-mer and its reverse complement are counted as one: the smaller.
        run : RunOptions
        sample : float
            Share of the distinct k-mers to count: those whose minimizer is in the first of ``2 ** bucket_bits``
            buckets, see `kmers.minimizers`; the same ones on every backend.
        n_bases_expected : int
            Expected number of bases, if known; it changes no result.
        """

    def count_super_kmers(
        self, pieces: list[PackedSuperKmers], k: int, canonical: bool, min_count: int, run: RunOptions
    ) -> Iterator[CountedKmers]:
        """Count super-k-mers of the same buckets, packed by `HostKmerOperations.pack_super_kmers`, in parts.

        The parts are those of `KmerStore.counted`; none if there are no k-mers. Empties the list, so that each piece is
        freed as soon as it is not needed.
        """

    def concatenate_counted(self, parts: list[CountedKmers], k: int, min_count: int) -> tuple[Array, Array]:
        """Merge the counted parts of a store; keep k-mers that occur ``min_count`` times or more.

        Parts are in the order in which they were counted. Returns codes (words, n), ascending, and counts (n,). Empties
        the list.
        """

    def merge_bytes(self, n: int, k: int) -> int:
        """Return the memory that `merge_kmers` takes for n k-mers, parts and result included; 0 where the device itself
        says that it is full."""

    def merge_kmers(self, parts: list[tuple[Array, Array]], k: int) -> tuple[Array, Array]:
        """Merge sets of k-mers: codes (words, n), distinct, ascending, and counts (n,), the sums of those of the sets.

        A part is codes (words, n_i) in any order, and counts (uint32), which may be 0; a sum is at most 2^32 - 1.
        Empties the list.
        """

    def look_up_counts(self, codes: Array, counts: Array, k: int, wanted: Array) -> Array:
        """Look up the counts (uint32) of wanted k-mers in a table; 0 if absent.

        The table is codes (words, n), ascending and distinct, and counts (uint32 (n,)), each at least 1. Wanted k-mers
        (words, m) are in any order, with or without repeats.
        """

    def end_partitions(self, codes: Array, k: int, n_partitions: int) -> Array:
        """Compute the partitions (uint32 (2 n,)) of the (k-1)-mers at the ends of n k-mers.

        Element 2i is for the last k - 1 bases of k-mer i, 2i + 1 for the first ones. The partition follows from the
        minimizer of the (k-1)-mer, which is that of its reverse complement too: all k-mers that share a (k-1)-mer have
        an end in its partition (Chikhi et al. 2016, BCALM 2). The same on every backend. k is 2 or more,
        ``n_partitions`` at most 2^32.
        """

    def combine_sets(self, parts: list[tuple[Array, Array]], k: int, program: SetProgram) -> tuple[Array, Array]:
        """Merge sets of k-mers by a program; return the codes (words, m) and counts (uint32 (m,)) of those to keep.

        A part is the codes (words, n_i) of a set, ascending and distinct, and counts (uint32), each at least 1. The
        result ascends; its counts are at most 2^32 - 1, and from ``program.min_count`` to ``program.max_count``.
        """

    def join_sets(self, parts: list[tuple[Array, Array]], k: int, with_counts: bool = True) -> JointCounts:
        """Join sets of k-mers to one sparse matrix of counts: a row for each k-mer of any set, a column for each set.

        Parts as of `combine_sets`. Without counts, those of the result are empty. One sort of (k-mer, set), as kmtricks
        merges the partitions of its samples (Lemane et al. 2022), without a reader for each set.
        """

    def count_shared(self, parts: list[tuple[Array, Array]], k: int) -> NDArray[np.int64]:
        """Count the k-mers that each two sets share (on the host, int64 (sets, sets)); parts as of `combine_sets`."""


class HostKmerOperations(KmerOperations, Protocol):
    """Extend the family by operations of the CPU alone."""

    def pack_super_kmers(
        self, batch: ReadBatch, k: int, bucket_bits: int, bounds: NDArray[np.int64]
    ) -> list[PackedSuperKmers]:
        """Cut reads into super-k-mers, and pack those of each range of buckets.

        Parameters
        ----------
        batch : ReadBatch
        k : int
        bucket_bits : int
            There are ``2 ** bucket_bits`` buckets; a k-mer and its reverse complement are in the same one.
        bounds : ndarray, dtype=int64, shape=(n_ranges + 1,)
            Range i is the buckets ``bounds[i]:bounds[i + 1]``; ``bounds[0]`` is 0. Later buckets are left out.
        """

    def kmer_lines(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], k: int, start: int, stop: int
    ) -> NDArray[np.uint8]:
        r"""Format k-mers ``start:stop`` as ``kmer<TAB>count\n``: codes (words, n), counts (n,)."""

    def matrix_lines(self, joint: JointCounts, k: int, n_samples: int, start: int, stop: int) -> NDArray[np.uint8]:
        r"""Format rows ``start:stop`` of joint counts as ``kmer<TAB>count...\n``, with 0 for samples without it."""

    def presence_lines(self, joint: JointCounts, k: int, n_samples: int, start: int, stop: int) -> NDArray[np.uint8]:
        """Format rows as `matrix_lines` does, with 1 for any count."""

    def kmer_letters(self, codes: NDArray[np.uint64], k: int) -> NDArray[np.uint8]:
        """Spell k-mers, codes (words, n), as letters (n, k)."""

    def both_strands(self, codes: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
        """Compute the codes (words, 2 n) of k-mers and their reverse complements.

        K-mer i is in column 2 i, its reverse complement in column 2 i + 1.
        """

    def decode_blocks(
        self,
        data: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        starts: NDArray[np.int64],
        count_bytes: NDArray[np.int64],
        first_bytes: int,
        codes: NDArray[np.uint64],
        counts: NDArray[np.uint32],
    ) -> int:
        """Decode blocks of sorted k-mers, of the layout of ``.dbgk``.

        Parameters
        ----------
        data : ndarray, dtype=uint8
            Blocks, and at least eight bytes behind them.
        offsets, count_bytes : ndarray, dtype=int64, shape=(blocks,)
            Place of each block in ``data``, and the bytes of its counts.
        starts : ndarray, dtype=int64, shape=(blocks + 1,)
            Place of the k-mers of each block in the results, which they fill.
        first_bytes : int
            Bytes of the first word of a code.
        codes, counts : ndarray, dtype=uint64 and uint32, shape=(words, n) and (n,)
            Written.

        Returns
        -------
        int
            Number of the first block whose codes do not ascend, from block to block too, or with a count of 0; -1 if
            all are in order.
        """

    def encode_blocks(
        self, codes: NDArray[np.uint64], counts: NDArray[np.uint32], first_bytes: int, block_kmers: int
    ) -> EncodedBlocks:
        """Encode k-mers as blocks of ``.dbgk``, one behind the other.

        Parameters
        ----------
        codes, counts : ndarray, dtype=uint64 and uint32, shape=(words, n) and (n,)
            Ascending codes of one k-mer or more; counts of at least 1.
        first_bytes : int
            Bytes of the first word of a code.
        block_kmers : int
            k-mers of each block; the last one may have fewer.
        """

    def number_ends(
        self,
        codes: NDArray[np.uint64],
        k: int,
        tails: NDArray[np.unsignedinteger],
        heads: NDArray[np.unsignedinteger],
    ) -> NDArray[np.uint64]:
        """Number the (k-1)-mers that k-mers begin and end with, in ascending order.

        Parameters
        ----------
        codes : ndarray, dtype=uint64, shape=(words, n)
            K-mers, sorted; a k-mer may occur twice.
        k : int
        tails, heads : ndarray, dtype=uint32 or uint64, shape=(n,)
            Written: the number of each k-mer's first and last k - 1 bases.

        Returns
        -------
        ndarray, dtype=uint64, shape=(n_vertices, words)
            The (k-1)-mers, one per row, in as many words as a k-mer.
        """
