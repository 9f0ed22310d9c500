"""Universal cycles: cyclic sequences whose windows are the words of a set, each once if that can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.errors import NoPostmanTourError, NotEulerianError
from debruijn_gpu.euler.circuits import BYTES_PER_EDGE, euler_circuits
from debruijn_gpu.euler.postman import postman_tour
from debruijn_gpu.graph.graph import Graph, id_type
from debruijn_gpu.run import log
from debruijn_gpu.run.plain_text import shorten
from debruijn_gpu.sequences.sequence import StoredSequence
from debruijn_gpu.sequences.symbols import Symbols, numbered_symbols
from debruijn_gpu.sequences.words import NumberedWords, Words, check_memory

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend

#: What the CPU takes for each word, beside four copies of its number
BYTES_PER_WORD = BYTES_PER_EDGE + 24
_SHOWN = 5  # words in a message


class UniversalSequence(StoredSequence):
    """A sequence with all words of a set as windows.

    Attributes
    ----------
    n_words : int
        Words of the set.
    n_repeats : int
        Windows beyond one for each word.
    n_left_out : int
        Words that no cycle has and that are therefore no windows.
    is_cyclic : bool
        Whether windows go round; else the sequence has as many as it has symbols, less ``order - 1``.
    """

    def __init__(self, codes: Array, words: Words, n_left_out: int, is_cyclic: bool) -> None:
        super().__init__(codes, words.n_symbols, words.order)
        self.n_words = len(words)
        self.n_left_out = n_left_out
        self.is_cyclic = is_cyclic
        self.n_repeats = self.length - (0 if is_cyclic else words.order - 1) - self.n_words


def universal_sequence(
    words: Words,
    backend: SequenceBackend,
    is_cyclic: bool = True,
    leave_out: bool = False,
    symbols: Symbols | None = None,
    memory: int | None = None,
) -> UniversalSequence:
    """The shortest sequence with all words of a set as windows, and no other windows.

    Words are edges from their first n - 1 symbols to their last. If these have an Euler circuit, each word is a window
    once; otherwise the fewest possible are repeated (see `euler.postman`).

    Parameters
    ----------
    words : Words
        One or more; numbers are arrays of the backend.
    backend : SequenceBackend
    is_cyclic : bool
        Whether the windows go round; then the sequence begins with the least word.
    leave_out : bool
        Whether words that are in no cycle may be left out, with a warning, if no sequence has all words: else that is
        an error.
    symbols : Symbols, optional
        What the symbols are called in messages.
    memory : int, optional
        Bytes that may be taken; by default all that are free.

    Raises
    ------
    NotEulerianError
        If no sequence has all words.
    OutOfMemoryError
    """
    itemsize = words.numbers.dtype.itemsize if isinstance(words, NumberedWords) else 8
    check_memory(len(words) * (BYTES_PER_WORD + 4 * itemsize), f"{len(words):,} words", backend, memory)
    symbols = symbols or numbered_symbols(words.n_symbols)
    if not is_cyclic:
        return _open_sequence(words, backend, leave_out, symbols)
    graph = _word_graph(words, backend)
    circuits = euler_circuits(graph, backend)
    n_left_out = 0
    if circuits is None or len(circuits) > 1:
        circuits = None
        kept = _in_one_cycle(words, graph, backend, leave_out, symbols)
        if len(kept) < len(words):
            n_left_out, words = len(words) - len(kept), kept
            graph = _word_graph(words, backend)
            circuits = euler_circuits(graph, backend)
    first = words.first_symbols(backend)
    if circuits is None:
        steps = postman_tour(graph.on_host(), backend).steps
        codes = backend.to_device(backend.to_host(first)[steps])
    else:
        codes = first[circuits.steps]
    return _told(UniversalSequence(codes, words, n_left_out, is_cyclic=True))


def _open_sequence(words: Words, backend: SequenceBackend, leave_out: bool, symbols: Symbols) -> UniversalSequence:
    """The shortest sequence whose windows need not go round."""
    n_all, graph = len(words), _word_graph(words, backend)
    try:
        steps = postman_tour(graph.on_host(), backend, closed=False).steps
    except NoPostmanTourError as error:
        if not leave_out:
            one, other = _spelled(words, error.edges, symbols)
            raise NotEulerianError(
                f"no sequence has {one} and {other} and no windows but the words: from neither a way leads to the "
                "other",
                "leave one of them out, or give the words that are between them",
            ) from error
        words = _in_one_cycle(words, graph, backend, leave_out, symbols)
        steps = postman_tour(_word_graph(words, backend).on_host(), backend, closed=False).steps
    first = backend.to_host(words.first_symbols(backend))
    codes = np.concatenate((first[steps], words.codes([int(steps[-1])])[0, 1:]))
    return _told(UniversalSequence(backend.to_device(codes), words, n_all - len(words), is_cyclic=False))


def _told(sequence: UniversalSequence) -> UniversalSequence:
    """The same, after the log says how often words are there."""
    if sequence.n_repeats:
        log.logger.info(
            "%s words in %s windows: words are repeated %s times, no sequence does with less",
            *(f"{n:,}" for n in (sequence.n_words, sequence.n_words + sequence.n_repeats, sequence.n_repeats)),
        )
    else:
        log.logger.info("%s words in as many windows", f"{sequence.n_words:,}")
    return sequence


def _word_graph(words: Words, backend: SequenceBackend) -> Graph:
    """The graph whose edges are the words, in order; in arrays of the backend. Vertices are words of one symbol less:
    those with which words begin, in order, then those with which words only end."""
    with log.stage("graph of words", len(words), "words"):
        tails, heads = words.ends(backend)
        vertices, degrees = backend.arrays.run_lengths(tails)
        row_ptr = backend.arrays.exclusive_scan(degrees)
        found = backend.arrays.lookup(vertices, heads)
        ends, places = backend.arrays.compact(heads, backend.arrays.matches(found, "<", 0))
        n_vertices = len(vertices)
        if len(ends):
            dead_ends = backend.arrays.distinct(ends)
            found[places] = backend.arrays.lookup(dead_ends, ends) + n_vertices
            row_ptr = backend.to_device(_with_empty_rows(backend.to_host(row_ptr), len(dead_ends)))
            n_vertices += len(dead_ends)
        return Graph(row_ptr, found.astype(id_type(n_vertices)))


def _with_empty_rows(row_ptr: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.concatenate((row_ptr, np.full(n, row_ptr[-1])))


def _in_one_cycle(words: Words, graph: Graph, backend: SequenceBackend, leave_out: bool, symbols: Symbols) -> Words:
    """The words that are in one cycle: edges within the strongly connected component of the graph that has any.

    Raises
    ------
    NotEulerianError
        If these are not all words, and may not be left out, or there is not one such component.
    """
    component = backend.to_host(backend.graphs.strong_components(graph.row_ptr, graph.col))
    tails = backend.to_host(backend.graphs.csr_tails(graph.row_ptr, graph.col))
    of_tail = component[tails]
    is_within = of_tail == component[backend.to_host(graph.col)]
    n_words_of = np.bincount(of_tail[is_within], minlength=1)
    largest = int(n_words_of.argmax())
    is_outside = ~is_within | (of_tail != largest)
    n_outside, n_cycles = int(np.count_nonzero(is_outside)), int(np.count_nonzero(n_words_of))
    if n_outside == 0:
        return words
    shown = _shown(words, is_outside, symbols)
    if n_cycles == 0:
        raise NotEulerianError(f"no words are in a cycle: {shown}", _OPEN)
    if not leave_out:
        raise NotEulerianError(f"{n_outside:,} of {len(words):,} words are in no cycle with the others: {shown}", _OPEN)
    if n_cycles > 1:
        parts = [int(np.flatnonzero(is_within & (of_tail == part))[0]) for part in np.flatnonzero(n_words_of)[:2]]
        one, other = _spelled(words, parts, symbols)
        raise NotEulerianError(
            f"the words are in {n_cycles:,} cycles without a way there and back between them: {one} and {other} are in "
            "different ones",
            "forbid less",
        )
    log.logger.warning("%s words are in no cycle and are left out: %s", f"{n_outside:,}", shown)
    return words.taken(backend.to_device(~is_outside), backend)


_OPEN = "leave these words out, or ask for a sequence that does not go round"


def _shown(words: Words, mask: NDArray[np.bool_], symbols: Symbols) -> str:
    """Some of the words where a mask is set."""
    places = np.flatnonzero(mask)[: _SHOWN + 1].tolist()
    spelled = map(shorten, _spelled(words, places[:_SHOWN], symbols))
    return ", ".join([*spelled, *["..."] * (len(places) > _SHOWN)])


def _spelled(words: Words, places: Sequence[int], symbols: Symbols) -> list[str]:
    return [symbols.spell(row) for row in words.codes(places)]
