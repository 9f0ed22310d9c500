"""Sequence drawn reads: bases with substitutions and indels, and qualities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from debruijn_gpu.reads.drawing import Random, Reads
from debruijn_gpu.reads.genome import Genome, N
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.reads.qualities import N_BINS, PHRED, QualityModel
from debruijn_gpu.reads.truth import Alignment

_COMPLEMENT = np.array([3, 2, 1, 0, N], dtype=np.uint8)
_LETTERS = np.frombuffer(b"ACGTN", dtype=np.uint8)
_QUALITIES = np.array(PHRED, dtype=np.uint8) + 33


@dataclass(frozen=True)
class Sequenced:
    """Reads as ASCII.

    Attributes
    ----------
    bases, qualities : ndarray, dtype=uint8, shape=(n, length)
    alignment : Alignment
        Where they come from, errors included.
    """

    bases: NDArray[np.uint8]
    qualities: NDArray[np.uint8]
    alignment: Alignment


def sequence_reads(
    genome: Genome,
    reads: Reads,
    fragments: NDArray[np.int64],
    options: SimulateOptions,
    model: QualityModel,
    random: Random,
) -> Sequenced:
    """Read them, each of the fragment of that number.

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

    codes = _read_straight(genome, reads, fragments, length)
    alignment = Alignment.of(reads.first, reads.reverse, length)
    rows = np.flatnonzero(indels.any(axis=1))
    if len(rows):
        steps, inserted = _steps(genome, reads.rows(rows), indels[rows], choice_bits[rows], options.circular)
        codes[rows] = _read_shifted(genome, reads.rows(rows), fragments[rows], steps, inserted, choice_bits[rows])
        alignment.shift(rows, steps, inserted)
    wrong = np.nonzero(substituted & (codes != N))
    codes[wrong] = (codes[wrong] + 1 + choice_bits[wrong].astype(np.uint32) * 3 // 65536) & 3
    np.add.at(alignment.n_substituted, wrong[0], 1)
    bins[codes == N] = N_BINS - 1
    return Sequenced(_LETTERS[codes], _QUALITIES[bins], alignment)


def _read_straight(genome: Genome, reads: Reads, fragments: NDArray[np.int64], length: int) -> NDArray[np.uint8]:
    """Codes without any error."""
    lengths, origins = genome.lengths[reads.records], genome.starts[reads.records]
    lowest = np.where(reads.reverse, reads.first - (length - 1), reads.first) % lengths
    windows = sliding_window_view(genome.codes, length)
    codes: NDArray[np.uint8] = windows[origins + lowest]
    if genome.has_choices:
        positions = origins[:, None] + (lowest[:, None] + np.arange(length)) % lengths[:, None]
        genome.choose_bases(codes, positions, fragments)
    codes[reads.reverse] = _COMPLEMENT[codes[reads.reverse, ::-1]]
    return codes


def _steps(
    genome: Genome, reads: Reads, indels: NDArray[np.bool_], choice_bits: NDArray[np.uint16], circular: bool
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Choose insertions and deletions of one base, half of each: steps of each base from the first, and inserted bases.

    A deletion makes room for a base beyond the read's end: none where the record ends there, or this base is N.
    """
    lengths = genome.lengths[reads.records]
    inserted = indels & (choice_bits & 1).astype(bool)
    deleted = indels & ~inserted
    along = np.arange(indels.shape[1]) - np.cumsum(inserted, axis=1)
    if not circular:
        left = np.where(reads.reverse, reads.first + 1, lengths - reads.first)
        deleted &= (indels.shape[1] + deleted.sum(axis=1) <= left)[:, None]
    steps = along + np.cumsum(deleted, axis=1)
    if genome.clear is not None:
        covered = genome.codes[_positions(genome, reads, steps)] == N
        steps = np.where((covered & ~inserted).any(axis=1)[:, None], along, steps)
    return steps, inserted


def _positions(genome: Genome, reads: Reads, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions in the genome's codes of bases so many steps from the first of their reads, shape=(n, length)."""
    signed = np.where(reads.reverse[:, None], -steps, steps)
    lengths, origins = genome.lengths[reads.records], genome.starts[reads.records]
    positions: NDArray[np.int64] = origins[:, None] + (reads.first[:, None] + signed) % lengths[:, None]
    return positions


def _read_shifted(
    genome: Genome,
    reads: Reads,
    fragments: NDArray[np.int64],
    steps: NDArray[np.int64],
    inserted: NDArray[np.bool_],
    choice_bits: NDArray[np.uint16],
) -> NDArray[np.uint8]:
    """Codes of reads with insertions and deletions."""
    positions = _positions(genome, reads, steps)
    codes: NDArray[np.uint8] = genome.codes[positions]
    if genome.has_choices:
        genome.choose_bases(codes, positions, fragments)
    codes[reads.reverse] = _COMPLEMENT[codes[reads.reverse]]
    codes[inserted] = choice_bits[inserted] >> 14
    return codes
