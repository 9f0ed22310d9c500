"""Draw the positions of simulated reads.

The random bits are those of PCG64, which NumPy keeps the same for ever (its distributions it may change), in
blocks of a size that depends on the options alone. All else is integers or single IEEE operations, so that a
seed gives the same reads on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import ParameterError
from debruijn_gpu.reads.genome import Genome
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.run.log import logger

_REDRAWS = 16
#: Fragments whose reads cover no N: least number drawn in a round, and most rounds
_LEAST_DRAWN, _MOST_ROUNDS = 1 << 10, 1000
#: Inserts whose mean is compared with the one asked for; it may differ by five of its standard errors
_N_INSERTS, _MOST_DEVIATION = 10_000, 0.05


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

    def rows(self, rows: NDArray[np.intp]) -> Reads:
        """Return some of the reads."""
        return Reads(self.records[rows], self.first[rows], self.reverse[rows])


class Random:
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


def draw_reads(genome: Genome, options: SimulateOptions, random: Random, n: int) -> tuple[Reads, ...]:
    """Where n reads, or n pairs of reads that face each other, come from."""
    if genome.clear is not None:
        return _draw_clear(genome, options, random, n)
    records = _draw_records(genome, random, n)
    lengths = genome.lengths[records]
    if options.paired:
        fragments_bp = _draw_inserts(lengths, options, random)
    else:
        fragments_bp = np.full(n, options.length_bp)
    starts = random.below(lengths if options.circular else lengths - fragments_bp + 1)
    lasts = (starts + fragments_bp - 1) % lengths
    return _facing(records, starts, lasts, random, options.paired)


def _facing(
    records: NDArray[np.int64], starts: NDArray[np.int64], lasts: NDArray[np.int64], random: Random, paired: bool
) -> tuple[Reads, ...]:
    """Reads from either end of fragments, first mates from a random one."""
    reverse = (random.words(len(starts)) & 1).astype(bool)
    first = Reads(records, np.where(reverse, lasts, starts), reverse)
    second = Reads(records, np.where(reverse, starts, lasts), ~reverse)
    return (first, second) if paired else (first,)


def _draw_clear(genome: Genome, options: SimulateOptions, random: Random, n: int) -> tuple[Reads, ...]:
    """Draw reads that cover no N; pairs with a mate that would are drawn again.

    Raises
    ------
    ParameterError
        If hardly any pair is found.
    """
    assert genome.clear is not None
    parts: list[tuple[NDArray[np.int64], ...]] = []
    missing = n
    for _ in range(_MOST_ROUNDS):
        n_drawn = max(missing, _LEAST_DRAWN)
        lefts = genome.clear.positions(random.below(np.full(n_drawn, genome.clear.total)))
        records = np.searchsorted(genome.starts, lefts, side="right") - 1
        lengths, starts = genome.lengths[records], lefts - genome.starts[records]
        kept = np.ones(n_drawn, np.bool_)
        fragments_bp = np.full(n_drawn, options.length_bp)
        if options.paired:
            fragments_bp = _draw_inserts(lengths, options, random)
            ends = starts + fragments_bp
            kept = genome.clear.holds(genome.starts[records] + (ends - options.length_bp) % lengths)
            kept &= options.circular | (ends <= lengths)
        lasts = (starts + fragments_bp - 1) % lengths
        rows = np.flatnonzero(kept)[:missing]
        parts.append((records[rows], starts[rows], lasts[rows]))
        missing -= len(rows)
        if not missing:
            drawn = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
            return _facing(drawn[0], drawn[1], drawn[2], random, options.paired)
    raise ParameterError(
        f"hardly any pair with an insert of about {options.insert_bp} bases covers no N",
        "choose a smaller --insert or --length, or another reference",
    )


def check_inserts(genome: Genome, options: SimulateOptions) -> None:
    """Refuse an insert that no record has room for, and warn where inserts are not as asked for.

    As in ART, inserts are drawn again that are shorter than a read or longer than their record.

    Raises
    ------
    ParameterError
        If all records are shorter than the mean insert.
    """
    wanted_bp, longest_bp = options.insert_bp, int(genome.lengths.max())
    n_short, n_records = int((genome.lengths < wanted_bp).sum()), len(genome.lengths)
    if longest_bp < wanted_bp:
        longest = "the only record" if n_records == 1 else "the longest record"
        raise ParameterError(
            f"--insert is {wanted_bp}, and {longest} has {longest_bp} bases",
            "choose a smaller --insert, or another reference",
        )
    if n_short:
        logger.warning(
            "records shorter than --insert %d: %s of %s; their inserts are smaller, up to the whole record",
            wanted_bp,
            f"{n_short:,}",
            f"{n_records:,}",
        )
    random = Random(0)
    records = _draw_records(genome, random, _N_INSERTS)
    mean_bp = float(_draw_inserts(genome.lengths[records], options, random).mean())
    if round(mean_bp) != wanted_bp and abs(mean_bp - wanted_bp) > _MOST_DEVIATION * options.insert_sd_bp:
        logger.warning(
            "inserts shorter than a read or longer than their record are drawn again: "
            "their mean is about %d instead of %d",
            round(mean_bp),
            wanted_bp,
        )


def _draw_records(genome: Genome, random: Random, n: int) -> NDArray[np.intp]:
    """Draw records in proportion to their lengths."""
    ends = np.cumsum(genome.lengths)
    return np.searchsorted(ends, random.below(np.full(n, ends[-1])), side="right")


def _draw_inserts(lengths: NDArray[np.int64], options: SimulateOptions, random: Random) -> NDArray[np.int64]:
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
