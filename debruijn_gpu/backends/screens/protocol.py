"""Protocol of the family `screens`: index reference sequences, and match the k-mers of reads against them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array, Bytes, Counts, Flags, Longs
from debruijn_gpu.backends.reads.protocol import ReadBatch
from debruijn_gpu.backends.screens.containers import ColorTally, KmerParts, KmerValues, Names, SampleSets


@dataclass(frozen=True)
class KmerIndex:
    """Reference sequences with an index of their canonical k-mers.

    Attributes
    ----------
    k : int
    filter_bp : int
        Length s of the s-mers of the filter, at most k and 32.
    bases : array of a backend, dtype=uint64
        Packed as in `ReadBatch`.
    starts : array of a backend, dtype=int64, shape=(n + 1,)
        First base of each sequence, ascending; the last entry is the number of bases.
    stops : array of a backend, dtype=int64, shape=(n,)
        Base behind each sequence. Bases between sequences are of none.
    slots : array of a backend, dtype=uint32 or uint64, shape=(n_slots,)
        Hash table: 0 where free, else 1 more than the position of one occurrence of a k-mer or of its reverse
        complement. Which occurrence may differ from run to run.
    filter_words : array of a backend, dtype=uint32, shape=(2^c,)
        Bloom filter with one hash function of the canonical s-mers. It excludes most s-mers that are not in the
        sequences.
    seed : np.uint64
        Of the hash of the table; see `run.hash_seed`.
    """

    k: int
    filter_bp: int
    bases: Array
    starts: Array
    stops: Array
    slots: Array
    filter_words: Array
    seed: np.uint64

    @property
    def tables(self) -> tuple[Any, ...]:
        """Return what kernels take: starts, stops, bases, slots, filter_words and seed."""
        return self.starts, self.stops, self.bases, self.slots, self.filter_words, self.seed

    def moved(self, move: Callable[[Array], Array]) -> KmerIndex:
        """Transfer the arrays by `CoreOperations.to_host` or `CoreOperations.to_device`."""
        names = ("bases", "starts", "stops", "slots", "filter_words")
        return replace(self, **{name: move(getattr(self, name)) for name in names})


@dataclass(frozen=True)
class References:
    """References that positions of indexed sequences belong to.

    Attributes
    ----------
    run_starts : ndarray, dtype=int64, shape=(n_runs + 1,)
        Positions from which k-mers are in the same references, ascending from 0; the last one is the number of bases.
    run_sets : ndarray, dtype=int64, shape=(n_runs,)
        Set of references of each run.
    set_ptr : ndarray, dtype=int64, shape=(n_sets + 1,)
        Set i is ``set_members[set_ptr[i]:set_ptr[i + 1]]``.
    set_members : ndarray, dtype=int64
    n : int
        Number of references.
    """

    run_starts: Longs
    run_sets: Longs
    set_ptr: Longs
    set_members: Longs
    n: int


@dataclass(frozen=True)
class MatchRule:
    """Least number of k-mers of a read that are in the references, for the read to match.

    It is the larger of `least` and the share of its k-mers, in millionths and rounded up; at least 1.
    """

    least: int
    millionths: int

    def needed(self, n_kmers: Longs) -> Longs:
        """Compute the k-mers that reads with these numbers of k-mers need."""
        by_share = -(-n_kmers * self.millionths // 1_000_000)
        return np.maximum(max(1, self.least), by_share)


@dataclass(frozen=True)
class MatchTally:
    """K-mers of the reads of a batch that are in references.

    Attributes
    ----------
    n_kmers, n_matched : ndarray, dtype=int64, shape=(n_reads,)
        K-mers of each read without ambiguous bases, and those that are in any reference.
    reference_reads, reference_bases, reference_kmers : ndarray, dtype=int64, shape=(n_references,)
        Reads that match each reference by the rule, their bases, and k-mers (of any read) that are in it.
    """

    n_kmers: Longs
    n_matched: Longs
    reference_reads: Longs
    reference_bases: Longs
    reference_kmers: Longs


class ScreenOperations(Protocol):
    """Index reference sequences, and match the k-mers of reads against them."""

    def index_sequences(self, bases: Array, starts: Array, stops: Array, k: int, filter_bp: int) -> KmerIndex:
        """Index the canonical k-mers of packed sequences.

        Parameters
        ----------
        bases, starts, stops
            See `KmerIndex`. Each sequence has at least k bases.
        k : int
            Any, even or odd.
        filter_bp : int
            Length of the s-mers of the filter; it changes no result of `match_reads`.
        """

    def representatives(self, index: KmerIndex) -> Array:
        """Find one occurrence of each k-mer of indexed sequences, the same for all of its occurrences.

        Returns
        -------
        int64, shape (number of bases,)
            For each position, the position in the table of the k-mer that begins there, or of its reverse complement;
            -1 where no k-mer of a sequence begins. Which occurrence it is may differ from run to run.
        """

    def match_reads(self, batch: ReadBatch, index: KmerIndex) -> Array:
        """Find the k-mers of reads that are in indexed sequences, in either strand.

        A k-mer is compared with the sequences themselves: no hash decides. A match is a run of consecutive k-mers of a
        read that are consecutive in a sequence, too. Where all k-mers that hold an s-mer are excluded by the filter,
        the search continues behind them, as Horspool's search for strings does (Software: Practice and Experience 10,
        1980); a match is extended word by word.

        Returns
        -------
        int64, shape (3, n)
            Of each match: position in the batch of the first base of its first k-mer; number of k-mers; position in the
            sequences of that first k-mer, or -1 less the position of its reverse complement. Matches are in the order
            of the reads, and do not share k-mers. Positions in the sequences may differ from run to run among
            occurrences of one k-mer, and numbers of k-mers with them; the k-mers of all matches do not.
        """

    def index_table(self, parts: KmerParts, k: int, canonical: bool) -> KmerValues:
        """Index a sorted table of k-mers with a value for each, read part by part; see `KmerValues`."""

    def table_bytes(self, n_kmers: int, largest: int, k: int) -> int:
        """Memory of the index of a number of k-mers, with values up to the largest; see `index_table`."""

    def look_up_reads(self, batch: ReadBatch, table: KmerValues) -> Array:
        """Look up the value (uint32 (n_bases,)) of the k-mer of a read that begins at each position of a batch.

        It is `containers.ABSENT` where the table does not have the k-mer, and where none begins: before an ambiguous
        base or the end of a read.
        """


class HostScreenOperations(ScreenOperations, Protocol):
    """Extend the family by operations of the CPU alone."""

    def tally_matches(
        self,
        offsets: Longs,
        ambiguous_positions: Longs,
        k: int,
        matches: Longs,
        references: References,
        rule: MatchRule,
    ) -> MatchTally:
        """Count the k-mers of reads, those that are matched, and those in each reference."""

    def unmatched_ends(self, offsets: Longs, k: int, matches: Longs, ends: int) -> Longs:
        """Compute the part of each read that is left when matched ends are removed.

        Parameters
        ----------
        offsets, k, matches
            See `match_reads`.
        ends : int
            `BOTH`: the longest part without a matched base, the first of equal ones. `RIGHT`: what is before the first
            matched base. `LEFT`: what is behind the last one.

        Returns
        -------
        ndarray, dtype=int64, shape=(2, n_reads)
            First base of each part within its read, and the base behind it.
        """

    def mask_matches(
        self, text: NDArray[np.uint8], starts: Longs, offsets: Longs, k: int, matches: Longs, letter: int
    ) -> None:
        """Write a letter (ASCII) over the matched bases of records of FASTA or FASTQ, in place; see `trim_records`."""

    def trim_records(
        self, text: NDArray[np.uint8], starts: Longs, offsets: Longs, parts: Longs, chosen: Flags
    ) -> tuple[NDArray[np.uint8], Longs]:
        """Shorten records of FASTA or FASTQ to parts of their sequences, and qualities.

        Parameters
        ----------
        text : ndarray, dtype=uint8
        starts : ndarray, dtype=int64, shape=(n + 1,)
            First byte of each record; the last entry is where the last record ends.
        offsets : ndarray, dtype=int64, shape=(n + 1,)
            Bases of the records; see `ReadBatch`.
        parts : ndarray, dtype=int64, shape=(2, n)
            See `unmatched_ends`.
        chosen : ndarray, dtype=bool, shape=(n,)
            Records that are shortened. They are written with one line of sequence; the others are copied.

        Returns
        -------
        text, starts
            As above, of the result.
        """

    def index_sets(self, ptr: Longs, members: Counts, n_samples: int) -> SampleSets:
        """Index colour sets for `tally_colors`; see `SampleSets`. The arrays are not copied."""

    def tally_colors(
        self,
        offsets: Longs,
        ambiguous_positions: Longs,
        k: int,
        values: Counts,
        sets: SampleSets,
        rule: MatchRule,
    ) -> ColorTally:
        """Count the k-mers of records that are in samples, for samples that have enough of them by the rule.

        Parameters
        ----------
        offsets, ambiguous_positions, k
            See `ReadBatch`.
        values : ndarray, dtype=uint32
            From `look_up_reads`: numbers of colour sets.
        sets : SampleSets
        rule : MatchRule
        """

    def position_runs(
        self,
        offsets: Longs,
        ambiguous_positions: Longs,
        k: int,
        values: Counts,
        sets: SampleSets,
        tally: ColorTally,
    ) -> tuple[Bytes, Longs]:
        """Write which k-mers of its record each hit has, as runs: ``x31o2n15``.

        ``x`` is for k-mers of the sample, ``o`` for others, ``n`` for those with an ambiguous base; the lengths add up
        to the positions at which k-mers begin. Arguments as of `tally_colors`. Returns the text of all hits, and where
        each begins (int64 (n_hits + 1,)).
        """

    def hit_lines(self, names: Names, samples: Names, tally: ColorTally, runs: tuple[Bytes, Longs] | None) -> Bytes:
        """Format a line for each hit: record, sample, k-mers, matched k-mers, ratio, and runs of positions if given.

        A record without hits has one line, with ``*`` for the sample and its k-mers that are in any. Ratios are rounded
        down to six decimals.
        """

    def matrix_lines(self, names: Names, n_samples: int, tally: ColorTally) -> Bytes:
        """Format a line for each record: its name, its k-mers, and the matched k-mers of each sample, 0 if no hit."""


#: Ends of a read that `unmatched_ends` removes
BOTH, LEFT, RIGHT = range(3)
