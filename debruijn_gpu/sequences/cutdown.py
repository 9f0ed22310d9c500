"""Cyclic sequences of any length whose windows all differ, by shift registers or in a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.arithmetic.integers import prime_power
from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.sequences.containers import Elements
from debruijn_gpu.errors import OptionValueError, OutOfMemoryError
from debruijn_gpu.euler.circuits import euler_circuits
from debruijn_gpu.graph.graph import Graph, empty_ids
from debruijn_gpu.run import log
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.sequences.registers import Register, RegisterSequence
from debruijn_gpu.sequences.sequence import BLOCK_SYMBOLS, CyclicSequence, StoredSequence, check_order
from debruijn_gpu.sequences.symbols import code_dtype
from debruijn_gpu.sequences.words import number_dtype

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend


def largest_prime_power(most: int) -> int:
    """The largest power of a prime that is at most ``most`` (2 or more)."""
    return next(q for q in range(most, 1, -1) if prime_power(q))


class CutDownRegister(CyclicSequence):
    """A cyclic sequence of any length whose windows of ``order`` symbols all differ.

    Over an alphabet whose size is not a power of a prime it uses the first q symbols, q being the largest one below. It
    need not begin with zeros.

    Parameters
    ----------
    n_symbols, order : int
        As those of `RegisterSequence`, or any ``n_symbols``.
    length : int
        1 to q^order.

    Raises
    ------
    OptionValueError
        If the length is out of range, or the register cannot be found.
    """

    def __init__(self, n_symbols: int, order: int, length: int) -> None:
        check_order(order)
        q = largest_prime_power(n_symbols)
        self._whole = RegisterSequence(q, order)
        self.register = self._whole.register
        most = self._whole.length
        if not 1 <= length <= most:
            raise OptionValueError(
                f"a cyclic sequence of {length:,} symbols with different windows of {order} over {q} symbols",
                f"give a length from 1 to {most:,}",
            )
        self.n_symbols, self.order, self.length = n_symbols, order, length
        self._start = _closing_element(self.register, length)

    def blocks(
        self,
        start: int,
        stop: int,
        backend: SequenceBackend,
        letters: NDArray[np.uint8] | None = None,
        block: int = BLOCK_SYMBOLS,
    ) -> Iterator[Array]:
        """See `CyclicSequence.blocks`."""
        if self.length == self._whole.length:
            yield from self._whole.blocks(start, stop, backend, letters, block)
            return
        for begin in range(start, stop, block):
            element = self._element_at(begin)
            yield self.register.write(element, min(block, stop - begin), False, backend, letters)

    def bit_blocks(
        self, start: int, stop: int, backend: SequenceBackend, block: int = BLOCK_SYMBOLS
    ) -> Iterator[Array]:
        """See `CyclicSequence.bit_blocks`."""
        if self.length == self._whole.length:
            yield from self._whole.bit_blocks(start, stop, backend, block)
            return
        for begin in range(start, stop, block):
            yield self.register.write_bits(self._element_at(begin), min(block, stop - begin), False, backend)

    def _element_at(self, position: int) -> Elements:
        """The element to which the sequence from a place on belongs."""
        register = self.register
        return register.multiply(self._start, register.powers_of_x([position])[0])


def _closing_element(register: Register, length: int) -> Elements:
    """1 / (1 - x^length), or 1 where the length is at least the period."""
    one = np.zeros(register.recurrence.n, np.uint32)
    one[0] = 1
    if length >= register.period:
        return one
    return register.invert(register.subtract(one, register.powers_of_x([length])[0]))


Words: TypeAlias = NDArray[np.int64]

_BYTES_PER_WORD = 60  # at the most at once


class CutDownCircuit(StoredSequence):
    """A cyclic sequence of L symbols, (k - 1)^n < L <= k^n and k >= 6, that has no window of n symbols twice.

    It is an Euler circuit of the words that `kept_words` keeps.

    Parameters
    ----------
    n_symbols, order, length : int
        k, n and L.
    backend : SequenceBackend
        Finds the circuit and holds the sequence.
    memory : int
        Bytes that this may take.

    Raises
    ------
    OutOfMemoryError
        If it takes more.
    """

    def __init__(self, n_symbols: int, order: int, length: int, backend: SequenceBackend, memory: int) -> None:
        needed = _BYTES_PER_WORD * n_symbols**order
        if needed > memory:
            raise OutOfMemoryError(
                f"Out of memory: --cut-down of {n_symbols} symbols, which are no prime power, holds a graph of "
                f"{n_symbols}^{order} words; that needs {format_bytes(needed)}, {format_bytes(memory)} are left for it",
                "choose a smaller -n, or an --alphabet of 2, 3, 4, 5, 7, 8, 9... symbols, which needs no memory",
            )
        with log.stage("keep words", n_symbols**order, "words"):
            words = kept_words(n_symbols, order, length, backend)
        super().__init__(_circuit(words, n_symbols, order, backend), n_symbols, order)


def kept_words(n_symbols: int, order: int, length: int, backend: SequenceBackend) -> Words:
    """The numbers of ``length`` words of n symbols that have an Euler circuit.

    Of all k^n words, the classes of rotations go in the order of their least members, as long as they fit into what is
    too many. What is then still too many, r < n, goes as the r windows of the word (k-1)^(r-1)(k-2), repeated.

    Each of these is a cycle, so that the rest is balanced. It is connected: a word with a 0 shares its last n - 1
    symbols, the vertex where it leads, with the word that has a 1 for a first 0. Rotated and raised on, it comes to a
    word without 0; every class on the way is greater, and none of its words has only the symbols k-1 and k-2, so that
    all are there. All words without 0 are there but the r, which do not end with a 1, so that from each vertex
    without 0 a way of 1s leads to 1^(n-1). (After Etzion, Theoretical Computer Science 44:331, 1986.)

    Parameters
    ----------
    n_symbols, order : int
        k, at least 6, and n.
    length : int
        (k - 1)^n < length <= k^n.
    backend : SequenceBackend
        Finds the classes.

    Returns
    -------
    ndarray, dtype=int64, shape=(length,)
        Ascending.
    """
    n_words = n_symbols**order
    words = backend.to_device(np.arange(n_words, dtype=number_dtype(n_symbols, order)))
    least = backend.to_host(backend.sequences.least_rotations(words, n_symbols, order))
    sizes = np.bincount(least)  # of each class, at its least member
    too_many = n_words - length
    removed = np.cumsum(sizes)
    n_classes = int(np.searchsorted(removed, too_many, side="right"))  # words below it are in classes that go
    kept = least >= n_classes
    left = too_many - (int(removed[n_classes - 1]) if n_classes else 0)
    kept[_periodic_words(n_symbols, order, left)] = False
    return np.flatnonzero(kept)


def _periodic_words(n_symbols: int, order: int, period: int) -> list[int]:
    """The windows of (k-1)^(period-1) (k-2), repeated; none if the period is 0."""
    repeated = [n_symbols - 2 if period > 1 and i % period == period - 1 else n_symbols - 1 for i in range(2 * order)]
    number = [0] * period
    for start in range(period):
        for symbol in repeated[start : start + order]:
            number[start] = number[start] * n_symbols + symbol
    return number


def _circuit(words: Words, n_symbols: int, order: int, backend: SequenceBackend) -> NDArray[np.uint8]:
    """The first symbol of each word of an Euler circuit, in an array of the backend."""
    n_vertices = n_symbols ** (order - 1)
    row_ptr = np.zeros(n_vertices + 1, np.int64)
    np.cumsum(np.bincount(words // n_symbols, minlength=n_vertices), out=row_ptr[1:])
    col = empty_ids(len(words), n_vertices)
    col[:] = words % n_vertices
    walks = euler_circuits(Graph(row_ptr, col).moved(backend.to_device), backend)
    assert walks is not None, "all words that go are cycles"
    assert len(walks) == 1, "the words that are kept are connected"
    steps = backend.to_host(walks.steps)
    codes = (words[steps] // n_vertices).astype(code_dtype(n_symbols))
    moved: NDArray[np.uint8] = backend.to_device(codes)
    return moved
