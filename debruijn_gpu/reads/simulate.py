"""Draw reads from a genome: uniformly over both strands, with errors and qualities that agree.

The random bits are those of PCG64, which NumPy keeps the same for ever (its distributions it may change), in
blocks of a size that depends on the options alone. All else is integers or single IEEE operations, so that a
seed gives the same reads on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.reads.qualities import N_BINS, PHRED, QualityModel, fastq_text, padded_names, quality_model
from debruijn_gpu.run import progress
from debruijn_gpu.run.tuning import tuning

_MOST_READS = 1 << 40
_REDRAWS = 16
_N = 4  # code of a base that is none of A 0, C 1, G 2, T 3

_COMPLEMENT = np.array([3, 2, 1, 0, _N], dtype=np.uint8)
_LETTERS = np.frombuffer(b"ACGTN", dtype=np.uint8)
_CODE_OF = bytes(_LETTERS.tolist().index(byte) if byte in b"ACGTN" else _N for byte in range(256))
_QUALITIES = np.array(PHRED, dtype=np.uint8) + 33


@dataclass(frozen=True)
class Genome:
    """Records to draw reads from.

    Attributes
    ----------
    names : ndarray, dtype=uint8, shape=(n_records, width)
        Names, filled up with 0.
    lengths : ndarray, dtype=int64, shape=(n_records,)
        Bases of each record.
    codes : ndarray, dtype=uint8
        Codes of the records one after another, each followed by the first ``tail`` of its bases once more.
    starts : ndarray, dtype=int64, shape=(n_records,)
        Where each begins in ``codes``.
    """

    names: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    codes: NDArray[np.uint8]
    starts: NDArray[np.int64]


@dataclass(frozen=True)
class Reads:
    """Where some reads of one length come from.

    Attributes
    ----------
    records : ndarray, dtype=int64, shape=(n,)
        Record of each.
    first : ndarray, dtype=int64, shape=(n,)
        Position in the record of the first base read.
    reverse : ndarray, dtype=bool, shape=(n,)
        Whether it reads the reverse strand, towards smaller positions.
    """

    records: NDArray[np.int64]
    first: NDArray[np.int64]
    reverse: NDArray[np.bool_]


class _Random:
    """Numbers from the raw bits of a PCG64."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def words(self, n: int) -> NDArray[np.uint64]:
        """n random words of 64 bits."""
        return np.asarray(self._bits.random_raw(n), dtype=np.uint64)

    def below(self, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
        """One integer from 0 to bound - 1 for each bound."""
        unit = (self.words(len(bounds)) >> 11) * 2.0**-53
        return np.asarray(unit * bounds, dtype=np.int64)

    def normal(self, n: int) -> NDArray[np.float64]:
        """Standard normal numbers as sums of twelve uniform ones: within 6 deviations, and exact."""
        parts = self.words(3 * n).astype("<u8", copy=False).view("<u2").reshape(n, 12)
        return np.asarray((parts.sum(axis=1, dtype=np.int64) - 6 * 0xFFFF) * 2.0**-16)


def simulate_reads(genome: Genome, options: SimulateOptions, interleaved: bool = False) -> Iterator[tuple[bytes, ...]]:
    """Reads as FASTQ, a few thousand at a time.

    Parameters
    ----------
    genome : Genome
        What is not A, C, G or T is read as N, with the lowest quality.
    options : SimulateOptions
        What to draw. The number of reads is the depth times the bases of the genome over those of a read (or
        pair).
    interleaved : bool
        Both mates in one text.

    Yields
    ------
    tuple of bytes
        The text of the block: one, or one for each mate. Reads are named ``<record>_<number>``, numbered from
        1 through all records, with ``/1`` or ``/2`` for mates.
    """
    model = quality_model(options.length_bp, options.sub_rate)
    random = _Random(options.seed)
    n_mates = 2 if options.paired else 1
    n_bases = int(genome.lengths.sum())
    n_fragments = max(1, round(min(options.depth * n_bases / (options.length_bp * n_mates), _MOST_READS + 1)))
    if n_fragments * n_mates > _MOST_READS:
        raise ParameterError(
            f"--depth {options.depth:g}: expected at most {_MOST_READS:,} reads, got more",
            "give a smaller --depth",
        )
    n_block = max(1, tuning().simulated_bases // options.length_bp)
    n_digits = len(str(n_fragments))
    for done in range(0, n_fragments, n_block):
        progress.update(done * n_mates, n_fragments * n_mates, "reads")
        mates = draw_reads(genome, options, random, min(n_block, n_fragments - done))
        names = genome.names[mates[0].records]
        texts = []
        for mate, reads in enumerate(mates, 1):
            bases, qualities = sequence_reads(genome, reads, options, model, random)
            suffix = b"/%d" % mate if options.paired else b""
            texts.append(fastq_text(names, done + 1, n_digits, suffix, bases, qualities))
        if interleaved:
            texts = [np.concatenate(texts, axis=1).reshape(-1, texts[0].shape[1])]
        yield tuple(text[text != 0].tobytes() for text in texts)


def load_genome(records: Iterable[tuple[str, bytes | bytearray]], options: SimulateOptions) -> Genome:
    """Lay the records (name, sequence) out for drawing; only one of them is in memory as text.

    Raises
    ------
    ParameterError
        If a record is shorter than a read.
    """
    tail = options.length_bp - 1 if options.circular else 0
    names: list[str] = []
    lengths: list[int] = []
    codes: list[NDArray[np.uint8]] = []
    for name, sequence in records:
        if len(sequence) < options.length_bp:
            raise ParameterError(
                f"record {name}: its {len(sequence)} bases are fewer than the {options.length_bp} of a read",
                "choose a smaller --length, or take the record out",
            )
        names.append(name)
        lengths.append(len(sequence))
        codes.append(_codes(sequence))
        if tail:
            codes.append(codes[-1][:tail])
    ends = np.cumsum(np.array(lengths, np.int64) + tail)
    return Genome(
        names=padded_names(names),
        lengths=np.array(lengths, np.int64),
        codes=codes[0] if len(codes) == 1 else np.concatenate(codes),
        starts=np.append(0, ends[:-1]),
    )


def _codes(sequence: bytes | bytearray) -> NDArray[np.uint8]:
    return np.frombuffer(sequence.translate(_CODE_OF), np.uint8)


def draw_reads(genome: Genome, options: SimulateOptions, random: _Random, n: int) -> tuple[Reads, ...]:
    """Where n reads, or n pairs of reads that face each other, come from."""
    ends = np.cumsum(genome.lengths)
    records = np.searchsorted(ends, random.below(np.full(n, ends[-1])), side="right")
    lengths = genome.lengths[records]
    if options.paired:
        fragments_bp = _draw_inserts(lengths, options, random)
    else:
        fragments_bp = np.full(n, options.length_bp)
    starts = random.below(lengths if options.circular else lengths - fragments_bp + 1)
    lasts = (starts + fragments_bp - 1) % lengths
    reverse = (random.words(n) & 1).astype(bool)
    first = Reads(records, np.where(reverse, lasts, starts), reverse)
    second = Reads(records, np.where(reverse, starts, lasts), ~reverse)
    return (first, second) if options.paired else (first,)


def _draw_inserts(lengths: NDArray[np.int64], options: SimulateOptions, random: _Random) -> NDArray[np.int64]:
    """Draw fragment lengths; those outside [read, record] are redrawn a few times, then clipped."""
    inserts = np.zeros(len(lengths), dtype=np.int64)
    again = np.arange(len(lengths))
    for _ in range(_REDRAWS):
        drawn = options.insert_sd_bp * random.normal(len(again))
        inserts[again] = np.floor(drawn + (options.insert_bp + 0.5))
        again = again[(inserts[again] < options.length_bp) | (inserts[again] > lengths[again])]
        if not len(again):
            break
    return np.clip(inserts, options.length_bp, lengths)


def sequence_reads(
    genome: Genome, reads: Reads, options: SimulateOptions, model: QualityModel, random: _Random
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Read them: bases and qualities as ASCII, shape (n, length).

    Of the 64 random bits for a base, 16 choose the quality, 32 whether it is wrong and how, and 16 what it is
    instead.
    """
    n, length = len(reads.first), options.length_bp
    words = random.words(n * length).astype("<u8", copy=False)
    quality_bits, choice_bits = words.view("<u2").reshape(n, length, 4)[:, :, :2].transpose(2, 0, 1)
    error_bits = words.view("<u4").reshape(n, length, 2)[:, :, 1]
    bins = np.zeros((n, length), dtype=np.uint8)
    for limits in model.bin_limits:
        bins += quality_bits >= limits
    sub_limits = model.error_limits[np.arange(length) * N_BINS + bins]
    indel_limits = sub_limits + np.uint64(options.indel_rate * 2**32)
    substituted = error_bits < sub_limits
    indels = (error_bits < indel_limits) & ~substituted

    codes = _read_straight(genome, reads, length)
    rows = np.flatnonzero(indels.any(axis=1))
    if len(rows):
        picked = Reads(reads.records[rows], reads.first[rows], reads.reverse[rows])
        codes[rows] = _read_shifted(genome, picked, indels[rows], choice_bits[rows], options.circular)
    wrong = np.nonzero(substituted & (codes != _N))
    codes[wrong] = (codes[wrong] + 1 + choice_bits[wrong].astype(np.uint32) * 3 // 65536) & 3
    bins[codes == _N] = N_BINS - 1
    return _LETTERS[codes], _QUALITIES[bins]


def _read_straight(genome: Genome, reads: Reads, length: int) -> NDArray[np.uint8]:
    """Codes without any error."""
    lowest = np.where(reads.reverse, reads.first - (length - 1), reads.first) % genome.lengths[reads.records]
    windows = sliding_window_view(genome.codes, length)
    codes: NDArray[np.uint8] = windows[genome.starts[reads.records] + lowest]
    codes[reads.reverse] = _COMPLEMENT[codes[reads.reverse, ::-1]]
    return codes


def _read_shifted(
    genome: Genome,
    reads: Reads,
    indels: NDArray[np.bool_],
    choice_bits: NDArray[np.uint16],
    circular: bool,
) -> NDArray[np.uint8]:
    """Codes of reads with insertions and deletions of one base, half of each."""
    lengths = genome.lengths[reads.records]
    inserted = indels & (choice_bits & 1).astype(bool)
    deleted = indels & ~inserted
    if not circular:
        # a deletion makes room for bases beyond the read's end: none where the record ends there
        left = np.where(reads.reverse, reads.first + 1, lengths - reads.first)
        deleted &= (indels.shape[1] + deleted.sum(axis=1) <= left)[:, None]
    steps = np.arange(indels.shape[1]) + np.cumsum(deleted, axis=1) - np.cumsum(inserted, axis=1)
    positions = np.where(reads.reverse[:, None], reads.first[:, None] - steps, reads.first[:, None] + steps)
    codes: NDArray[np.uint8] = genome.codes[genome.starts[reads.records][:, None] + positions % lengths[:, None]]
    codes[reads.reverse] = _COMPLEMENT[codes[reads.reverse]]
    codes[inserted] = choice_bits[inserted] >> 14
    return codes
