"""Genomes to draw reads from: records as codes, and where reads without N begin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import FormatError, ParameterError
from debruijn_gpu.reads.options import SimulateOptions
from debruijn_gpu.reads.qualities import padded_names
from debruijn_gpu.run.plain_text import shorten

#: Code of an unknown base; A, C, G and T are 0 to 3
N = 4
#: IUPAC letters that stand for two or three bases, from code 5 on, and these bases
_IUPAC = (b"RAG", b"YCT", b"SCG", b"WAT", b"KGT", b"MAC", b"BCGT", b"DAGT", b"HACT", b"VACG")
_LETTERS = b"ACGTN" + bytes(bases[0] for bases in _IUPAC)
_CODE_OF = bytes(_LETTERS.index(byte) if byte in _LETTERS else 3 if byte == ord("U") else N for byte in range(256))
_N_CHOICES = np.array([len(bases) - 1 for bases in _IUPAC], np.uint64)
_CHOICES = np.array([[_LETTERS.index(base) for base in bases[1:].ljust(3, bases[-1:])] for bases in _IUPAC], np.uint8)

_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class ClearWindows:
    """Windows of the length of a read that hold no N, in intervals of consecutive ones.

    Attributes
    ----------
    starts : ndarray, dtype=int64, shape=(n,)
        Position in the codes of the first window of each interval; ascending.
    n_before : ndarray, dtype=int64, shape=(n + 1,)
        Number of windows before each interval.
    """

    starts: NDArray[np.int64]
    n_before: NDArray[np.int64]

    @property
    def total(self) -> int:
        """Number of windows."""
        return int(self.n_before[-1])

    def positions(self, windows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Compute where windows begin, given their numbers."""
        intervals = np.searchsorted(self.n_before, windows, side="right") - 1
        found: NDArray[np.int64] = self.starts[intervals] + windows - self.n_before[intervals]
        return found

    def holds(self, positions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether the window at each position holds no N."""
        intervals = np.searchsorted(self.starts, positions, side="right") - 1
        within = positions - self.starts[intervals] < np.diff(self.n_before)[intervals]
        found: NDArray[np.bool_] = within & (intervals >= 0)
        return found


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
    n_bases : int
        Bases that are not N.
    clear : ClearWindows or None
        None if no base is N.
    has_choices : bool
        Whether some letter stands for two or three bases.
    """

    names: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    codes: NDArray[np.uint8]
    starts: NDArray[np.int64]
    n_bases: int
    clear: ClearWindows | None
    has_choices: bool

    def choose_bases(
        self, codes: NDArray[np.uint8], positions: NDArray[np.int64], fragments: NDArray[np.int64]
    ) -> None:
        """Replace letters that stand for several bases by one of these: a hash of fragment and position chooses it.

        Parameters
        ----------
        codes : ndarray, dtype=uint8, shape=(n, length)
            Of the forward strand; changed.
        positions : ndarray, dtype=int64, shape=(n, length) or broadcastable to it
            In the genome's codes, without tails.
        fragments : ndarray, dtype=int64, shape=(n,)
            Number of each read's fragment, whose mates read the same bases.
        """
        rows, columns = np.nonzero(codes > N)
        kinds = codes[rows, columns] - (N + 1)
        where = np.broadcast_to(positions, codes.shape)[rows, columns].astype(np.uint64)
        mixed = (fragments[rows].astype(np.uint64) * _MIX_1) ^ (where * _MIX_2)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX_1
        chosen = (mixed >> np.uint64(40)) * _N_CHOICES[kinds] >> np.uint64(24)
        codes[rows, columns] = _CHOICES[kinds, chosen.astype(np.int64)]


def load_genome(records: Iterable[tuple[str, bytes | bytearray]], options: SimulateOptions) -> Genome:
    """Concatenate records (name, sequence in upper case) for drawing; only one of them is in memory as text.

    Raises
    ------
    FormatError
        If there is no record.
    ParameterError
        If a record is shorter than a read, or no read can be drawn without N.
    """
    tail = options.length_bp - 1 if options.circular else 0
    names: list[str] = []
    lengths: list[int] = []
    codes: list[NDArray[np.uint8]] = []
    n_unknown, has_choices = 0, False
    for name, sequence in records:
        if len(sequence) < options.length_bp:
            raise ParameterError(
                f"record {shorten(name)}: its {len(sequence)} bases are fewer than the {options.length_bp} of a read",
                "choose a smaller --length, or take the record out",
            )
        names.append(name)
        lengths.append(len(sequence))
        codes.append(np.frombuffer(sequence.translate(_CODE_OF), np.uint8))
        n_unknown += int(np.count_nonzero(codes[-1] == N))
        has_choices |= bool(codes[-1].max(initial=0) > N)
        if tail:
            codes.append(codes[-1][:tail])
    if not names:
        raise FormatError("the genome holds no sequence", "name a FASTA file with one sequence or more")
    ends = np.cumsum(np.array(lengths, np.int64) + tail)
    starts = np.append(0, ends[:-1])
    whole = codes[0] if len(codes) == 1 else np.concatenate(codes)
    return Genome(
        names=padded_names(names),
        lengths=np.array(lengths, np.int64),
        codes=whole,
        starts=starts,
        n_bases=sum(lengths) - n_unknown,
        clear=_clear_windows(whole, starts, options.length_bp) if n_unknown else None,
        has_choices=has_choices,
    )


def _clear_windows(codes: NDArray[np.uint8], starts: NDArray[np.int64], length_bp: int) -> ClearWindows:
    """Find the windows of a length that hold no N and are in one record.

    Raises
    ------
    ParameterError
        If there is none.
    """
    is_unknown = codes == N
    edges = np.union1d(np.flatnonzero(is_unknown[1:] != is_unknown[:-1]) + 1, starts)
    widths = np.diff(np.append(edges, len(codes)))
    numbers = np.where(is_unknown[edges], 0, np.maximum(widths - length_bp + 1, 0))
    kept = numbers > 0
    if not kept.any():
        raise ParameterError(
            f"no record has {length_bp} bases in a row without N, and reads cover no N",
            "choose a smaller --length, or another reference",
        )
    return ClearWindows(edges[kept], np.append(0, np.cumsum(numbers[kept])))
