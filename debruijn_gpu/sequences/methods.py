"""The methods that make de Bruijn sequences, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from debruijn_gpu import backends
from debruijn_gpu.errors import UsageError
from debruijn_gpu.run.resources import available_memory
from debruijn_gpu.sequences.options import RANKED_METHODS
from debruijn_gpu.sequences.sequence import sequential_only

if TYPE_CHECKING:
    from debruijn_gpu.backends.protocol import SequenceBackend
    from debruijn_gpu.sequences.sequence import CyclicSequence, RankedSequence


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
    ParameterError
        If the method cannot build such a sequence; the message names one that can.
    """
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
        A `RankedSequence` of methods lyndon, lfsr and crt.

    Raises
    ------
    ParameterError, OutOfMemoryError
        If the method cannot build such a sequence; the message names one that can.
    CudaUnavailableError
        If the method is sequential, and the backend is CUDA.
    """
    if method in RANKED_METHODS:
        return ranked_sequence(method, n_symbols, order)
    backend = backend or backends.host()
    memory = available_memory() if memory is None else memory
    if method == "euler":
        from debruijn_gpu.sequences.euler import EulerSequence

        return EulerSequence(n_symbols, order, backend, backend.memory_limit(memory))
    if not backend.is_sequential:
        raise sequential_only(method)
    if method == "grandmama":
        from debruijn_gpu.sequences.grandmama import GrandmamaSequence

        return GrandmamaSequence(n_symbols, order)
    from debruijn_gpu.sequences.exits import PreferSameSequence, RandomSequence

    if method == "random":
        return RandomSequence(n_symbols, order, seed, memory)
    return PreferSameSequence(n_symbols, order, memory)
