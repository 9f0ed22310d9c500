"""The methods that make de Bruijn sequences, by name, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from debruijn_gpu import backends
from debruijn_gpu.errors import OptionValueError, UsageError
from debruijn_gpu.run.resources import available_memory, memory_left
from debruijn_gpu.sequences.counts import shown
from debruijn_gpu.sequences.options import RANKED_METHODS
from debruijn_gpu.sequences.sequence import OneSymbolSequence, sequential_only
from debruijn_gpu.sequences.symbols import Symbols, numbered_symbols

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend
    from debruijn_gpu.run.options import RunOptions
    from debruijn_gpu.sequences.options import SequenceOptions
    from debruijn_gpu.sequences.sequence import CyclicSequence, RankedSequence
    from debruijn_gpu.sequences.words import Words


def ranked_sequence(method: str, n_symbols: int, order: int) -> RankedSequence:
    """The sequence of a method in which places are found without walking there.

    Parameters
    ----------
    method : str
        One of `sequence_options.RANKED_METHODS`.
    n_symbols, order : int
        k and n: symbols of the alphabet, and of a window.

    Raises
    ------
    UsageError
        If the method is another one.
    OptionValueError
        If the method cannot build such a sequence; the message names one that can.
    """
    if n_symbols == 1 and method in RANKED_METHODS:
        return OneSymbolSequence(order)
    if method == "lyndon":
        from debruijn_gpu.sequences.lyndon import LyndonSequence

        return LyndonSequence(n_symbols, order)
    if method == "lfsr":
        from debruijn_gpu.sequences.registers import RegisterSequence

        return RegisterSequence(n_symbols, order)
    if method == "crt":
        from debruijn_gpu.sequences.products import ProductSequence

        return ProductSequence(n_symbols, order)
    raise UsageError(
        f"places in sequences of method {method} cannot be told without walking there",
        f"choose one of {', '.join(RANKED_METHODS)}",
    )


def de_bruijn_sequence(
    n_symbols: int,
    order: int,
    method: str = "lyndon",
    *,
    seed: int = 1,
    backend: SequenceBackend | None = None,
    memory: int | None = None,
) -> CyclicSequence:
    """Build a de Bruijn sequence.

    Parameters
    ----------
    n_symbols, order : int
        k and n: symbols of the alphabet, and of a window.
    method : str
        One of `sequence_options.METHODS`.
    seed : int
        Random seed of the method ``random``.
    backend : SequenceBackend, optional
        Backend of methods that build the whole sequence at once; default: CPU.
    memory : int, optional
        Memory limit of these methods on the host, in bytes; default: all available.

    Returns
    -------
    CyclicSequence
        A `RankedSequence` of methods lyndon, lfsr and crt, and of an alphabet of one symbol.

    Raises
    ------
    OptionValueError, OutOfMemoryError
        If the method cannot build such a sequence; the message names one that can.
    CudaUnavailableError
        If the method is sequential, and the backend is CUDA.
    """
    if method in RANKED_METHODS:
        return ranked_sequence(method, n_symbols, order)
    if n_symbols == 1:
        return OneSymbolSequence(order)
    backend = backend or backends.host()
    memory = available_memory() if memory is None else memory
    if method == "euler":
        from debruijn_gpu.sequences.euler import EulerSequence

        return EulerSequence(n_symbols, order, backend, backend.memory_limit(memory))
    if not backend.is_sequential:
        raise sequential_only(method)
    if method == "grandmama":
        from debruijn_gpu.sequences.lyndon import GrandmamaSequence

        return GrandmamaSequence(n_symbols, order)
    from debruijn_gpu.sequences.euler import PreferSameSequence, RandomSequence

    if method == "random":
        return RandomSequence(n_symbols, order, seed, memory)
    return PreferSameSequence(n_symbols, order, memory)


_GRAPH_BYTES_PER_EDGE = 4  # its col, by which `--backend auto` decides
_LARGE_ORDER = 40  # beyond all memory


@dataclass(frozen=True)
class Made:
    """A sequence, its alphabet, and the backend of its blocks.

    Attributes
    ----------
    n_words : int
        How many different windows it is made for.
    in_row : bool
        It is a walk that does not close: all its symbols are there, and nothing is repeated at the end.
    """

    sequence: CyclicSequence
    symbols: Symbols
    backend: SequenceBackend
    n_words: int
    in_row: bool = False

    def total(self, linear: bool) -> int:
        """Symbols that are written."""
        return self.sequence.length + (self.sequence.order - 1 if linear and not self.in_row else 0)

    def describe(self, linear: bool) -> str:
        """Compare the length of the sequence with the symbols of all words one by one."""
        order, n_words = self.sequence.order, self.n_words
        in_row = self.sequence.length + (0 if self.in_row else order - 1)
        words = f"{shown(n_words)} words of {order:,} symbols"
        one_by_one = f"trying them one by one takes {shown(order * n_words)}"
        if linear or self.in_row:
            return f"{shown(in_row)} key presses for {words}; {one_by_one}"
        return (
            f"cyclic sequence of {shown(self.sequence.length)} symbols for {words}; linear (--linear): "
            f"{shown(in_row)} key presses, and {one_by_one}"
        )


def make_sequence(
    options: SequenceOptions, symbols: Symbols | None, words: NDArray[Any] | None, run: RunOptions
) -> Made:
    """Make the de Bruijn sequence that the options describe.

    Parameters
    ----------
    options : SequenceOptions
        With the order.
    symbols : Symbols, optional
        By default two of them, or the letters of DNA for ``both_strands``.
    words : ndarray, shape=(n_words, order), optional
        Codes of the words that are to be the windows.
    run : RunOptions

    Raises
    ------
    OptionValueError, OutOfMemoryError
        If that cannot be made; says what can.
    """
    assert options.order is not None
    if options.both_strands:
        return _make_both_strands(options.order, symbols, run)
    symbols = symbols or numbered_symbols(2)
    if options.cut_down is not None:
        return _make_cut_down(options.order, options.cut_down, symbols, run)
    if words is not None or options.variations:
        return _make_universal(options, symbols, words, run)
    return make_de_bruijn(options, options.order, symbols, run)


def _make_both_strands(order: int, symbols: Symbols | None, run: RunOptions) -> Made:
    """DNA of both strands."""
    from debruijn_gpu.sequences.both_strands import BothStrandsSequence

    dna = symbols or Symbols(tuple("ACGT"))
    if dna.names not in (tuple("ACGT"), tuple("acgt")):
        raise OptionValueError(f"--both-strands: the alphabet is {dna}", "leave --alphabet out, or give ACGT")
    backend = backends.load_arrays(run, "euler", _GRAPH_BYTES_PER_EDGE * 4 ** min(order, _LARGE_ORDER))
    sequence = BothStrandsSequence(order, backend, memory_left(run.memory))
    return Made(sequence, dna, backends.host(), sequence.n_words)


def _make_cut_down(order: int, length: int, symbols: Symbols, run: RunOptions) -> Made:
    """Make a cyclic sequence of a given length, from a register if one fits, otherwise from a graph."""
    from debruijn_gpu.sequences.cutdown import CutDownCircuit, CutDownRegister, largest_prime_power

    k = len(symbols)
    if length > k**order:
        raise OptionValueError(
            f"--cut-down {shown(length)}: there are {k}^{order} windows, which is less",
            f"give a length of {shown(k**order)} at most",
        )
    if k == 1:
        return Made(OneSymbolSequence(order), symbols, backends.host(), 1)
    if length <= largest_prime_power(k) ** order:
        backend = _streaming_backend(run)
        return Made(CutDownRegister(k, order, length), symbols, backend, length)
    n_used = next(n for n in range(largest_prime_power(k), k + 1) if length <= n**order)
    backend = backends.load_arrays(run, "euler", _GRAPH_BYTES_PER_EDGE * length)
    sequence = CutDownCircuit(n_used, order, length, backend, memory_left(run.memory))
    return Made(sequence, symbols, backend, length)


def _make_universal(options: SequenceOptions, symbols: Symbols, words: NDArray[Any] | None, run: RunOptions) -> Made:
    """A sequence of the words that are listed, or of all that are allowed."""
    from debruijn_gpu.sequences.allowed import AllowedWords
    from debruijn_gpu.sequences.universal import universal_sequence
    from debruijn_gpu.sequences.words import listed_words

    assert options.order is not None
    memory = memory_left(run.memory)
    if words is None:
        forbidden = [symbols.encode(word) for text in options.forbidden for word in _split(text, symbols)]
        allowed = AllowedWords(len(symbols), options.order, forbidden, options.max_run)
        n_words = len(symbols) ** min(options.order, _LARGE_ORDER)
        backend = backends.load_arrays(run, "euler", _GRAPH_BYTES_PER_EDGE * n_words)
        found: Words = allowed.words(backend, memory)
    else:
        backend = backends.load_arrays(run, "euler", _GRAPH_BYTES_PER_EDGE * len(words))
        found = listed_words(words, len(symbols), backend, options.multiplicity)
    sequence = universal_sequence(
        found, backend, is_cyclic=not options.linear, leave_out=words is None, symbols=symbols, memory=memory
    )
    return Made(sequence, symbols, backend, sequence.n_words, in_row=not sequence.is_cyclic)


def _split(text: str, symbols: Symbols) -> list[str]:
    """The words of ``--forbid``: with commas between them, where these are not between symbols."""
    return [text] if symbols.separator else [word for word in text.split(",") if word]


def _streaming_backend(run: RunOptions) -> SequenceBackend:
    """Where symbols are made that go to the host at once: on a GPU only if that is asked for."""
    return backends.load_cuda(run) if run.backend == "cuda" else backends.load(run.on_cpu())


def make_de_bruijn(options: SequenceOptions, order: int, symbols: Symbols, run: RunOptions) -> Made:
    """Build a de Bruijn sequence.

    Parameters
    ----------
    options : SequenceOptions
        Without a variation.
    order : int
    symbols : Symbols
    run : RunOptions
        ``auto`` takes CUDA for an Euler circuit of a graph that is large enough; else nothing is gained, as the symbols
        go to the host.
    """
    method, k = options.method or "lyndon", len(symbols)
    if method == "euler" and k > 1:
        backend: SequenceBackend = backends.load_arrays(run, "euler", _GRAPH_BYTES_PER_EDGE * k**order)
    else:
        backend = _streaming_backend(run)
    sequence = de_bruijn_sequence(k, order, method, seed=options.seed, backend=backend, memory=memory_left(run.memory))
    return Made(sequence, symbols, backend, k**order)
