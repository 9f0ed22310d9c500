"""Bring the mates of pairs together, whose records come in texts of different lengths."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.reads.protocol import TURNS
from debruijn_gpu.io.screening.screened import ScreenedText

Longs = NDArray[np.int64]


@dataclass(frozen=True)
class MateRows:
    """Some records of a text, which are mates of one kind.

    Attributes
    ----------
    of : ScreenedText
    rows : ndarray, dtype=int64
    """

    of: ScreenedText
    rows: Longs


class PairQueue:
    """Mates of one paired input that wait for the others."""

    def __init__(self) -> None:
        self._waiting: tuple[deque[MateRows], deque[MateRows]] = (deque(), deque())

    def add(self, screened: ScreenedText) -> Iterator[tuple[MateRows, MateRows]]:
        """Add a text; yield first and second mates of pairs that are complete now, row by row."""
        assert screened.mates is not None
        rows = np.arange(len(screened.starts))
        if screened.mates.mate == TURNS:
            is_second = (rows + screened.mates.first) & 1 == 1
            for waiting, own in zip(self._waiting, (rows[~is_second], rows[is_second]), strict=True):
                waiting.append(MateRows(screened, own))
        else:
            self._waiting[screened.mates.mate].append(MateRows(screened, rows))
        yield from self._complete()

    def _complete(self) -> Iterator[tuple[MateRows, MateRows]]:
        """Take as many pairs as both sides have."""
        while all(self._waiting):
            first, second = (waiting.popleft() for waiting in self._waiting)
            n = min(len(first.rows), len(second.rows))
            if n:
                yield MateRows(first.of, first.rows[:n]), MateRows(second.of, second.rows[:n])
            for waiting, mates in zip(self._waiting, (first, second), strict=True):
                if len(mates.rows) > n:
                    waiting.appendleft(MateRows(mates.of, mates.rows[n:]))
