"""Words that contain no forbidden word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.errors import OptionValueError
from debruijn_gpu.run import log
from debruijn_gpu.sequences.sequence import check_order
from debruijn_gpu.sequences.words import NumberedWords, check_memory, number_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend


@dataclass(frozen=True)
class AllowedWords:
    """Allowed words of one length.

    Attributes
    ----------
    n_symbols, order : int
    forbidden : sequence of ndarray
        Codes of words that must not occur in them, of 1 to ``order`` symbols.
    max_run : int, optional
        How often a symbol may come in a row; without it, and from ``order`` on, any number of times.

    Raises
    ------
    OptionValueError
        If a number is not as above, or a forbidden word is longer: words of this length do not tell of it.
    """

    n_symbols: int
    order: int
    forbidden: Sequence[NDArray[Any]] = ()
    max_run: int | None = None

    def __post_init__(self) -> None:
        check_order(self.order)
        if self.max_run is not None and self.max_run < 1:
            raise OptionValueError(f"runs of {self.max_run} symbols at most", "allow runs of 1 or more")
        for word in self.forbidden:
            if not 1 <= len(word) <= self.order:
                raise OptionValueError(
                    f"a forbidden word has {len(word)} symbols, and the windows have {self.order}",
                    "forbid words of 1 symbol or more that are no longer than the windows (-n)",
                )

    def words(self, backend: SequenceBackend, memory: int | None = None) -> NumberedWords:
        """All of them, made symbol by symbol: a word is allowed if the one without its last symbol is and no forbidden
        word is at its end.

        Parameters
        ----------
        backend : SequenceBackend
            Makes them, in its arrays.
        memory : int, optional
            Bytes that may be taken; by default all that are free.

        Raises
        ------
        OptionValueError
            If none is allowed, or there are more than 2^64 words.
        OutOfMemoryError
        """
        endings = self._endings(backend)
        if self.max_run is not None and not self.forbidden:
            self._check_memory(self._count_by_runs(self.order - 1), self.order, backend, memory)
        words = backend.to_device(np.zeros(1, number_dtype(self.n_symbols, self.order)))
        with log.stage("allowed words") as stage:
            for length in range(1, self.order + 1):
                self._check_memory(len(words), length, backend, memory)
                words = backend.sequences.extend_words(words, self.n_symbols)
                for size, forbidden in endings:
                    if size <= length:
                        ends = words if size == length else backend.sequences.remainders(words, self.n_symbols**size)
                        words = backend.arrays.compact(words, ~backend.arrays.semi_join(ends, forbidden))[0]
            stage.items, stage.unit = len(words), "words"
        if not len(words):
            raise OptionValueError(f"no word of {self.order} symbols is allowed", "forbid less")
        return NumberedWords(words, self.n_symbols, self.order)

    def _check_memory(self, n_shorter: int, length: int, backend: SequenceBackend, memory: int | None) -> None:
        """Raise if words of a length, made of those of one symbol less, do not fit into memory."""
        n_words = n_shorter * self.n_symbols
        n_bytes = n_words * (4 * np.dtype(number_dtype(self.n_symbols, self.order)).itemsize + 10)
        check_memory(n_bytes, f"{n_words:,} words of {length} symbols", backend, memory)

    def _count_by_runs(self, length: int) -> int:
        """Number of words without a run that is too long, from their numbers by the length of the last run."""
        if length == 0 or self.max_run is None:
            return 1
        by_run = [self.n_symbols] + [0] * (min(self.max_run, length) - 1)
        for _ in range(length - 1):
            by_run = [(self.n_symbols - 1) * sum(by_run), *by_run[:-1]]
        return sum(by_run)

    def _endings(self, backend: SequenceBackend) -> list[tuple[int, Any]]:
        """The forbidden words of each length, as numbers: arrays of the backend."""
        numbers: dict[int, list[int]] = {}
        for word in self.forbidden:
            number = 0
            for symbol in word.tolist():
                number = number * self.n_symbols + symbol
            numbers.setdefault(len(word), []).append(number)
        if self.max_run is not None and self.max_run < self.order:
            run = sum(self.n_symbols**i for i in range(self.max_run + 1))
            numbers.setdefault(self.max_run + 1, []).extend(run * symbol for symbol in range(self.n_symbols))
        dtype = number_dtype(self.n_symbols, self.order)
        return [(size, backend.to_device(np.array(numbers[size], dtype))) for size in sorted(numbers)]
