"""The look-and-say sequence: each term says the runs of digits of the one before."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from debruijn_gpu import log, progress
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.resources import format_bytes

if TYPE_CHECKING:
    from debruijn_gpu.backends.array_interface import Array
    from debruijn_gpu.backends.look_and_say_interface import ReadTerm
    from debruijn_gpu.backends.sequence_interface import SequenceBackend

#: By how much terms grow in the long run (Conway 1987), whatever the first is, unless it is 22
GROWTH = 1.303577269034296
_MOST_DIGITS = 1 << 60


def digit_fault(term: NDArray[np.uint8]) -> str:
    """What keeps a text from being a term, which is one digit or more; empty if nothing does."""
    if not len(term):
        return "there are no digits"
    wrong = np.flatnonzero((term < ord("0")) | (term > ord("9")))
    if not len(wrong):
        return ""
    return f"{chr(term[wrong[0]])!a} at place {wrong[0] + 1:,} is not a digit"


def expected_digits(n_digits: int, n_steps: int) -> int:
    """About as many digits as a term has some steps later."""
    exponent = math.log2(max(1, n_digits)) + min(n_steps, 1000) * math.log2(GROWTH)
    return _MOST_DIGITS if exponent >= 60 else round(2**exponent)


def term_after(term: Array, n_steps: int, backend: SequenceBackend, n_bytes_allowed: int | None = None) -> Array:
    """The term that comes some steps after one.

    Memory is taken for two terms at once. How long the next one is is known before it is made.

    Parameters
    ----------
    term : array of the backend, dtype=uint8
        Digits as text, one at least.
    n_steps : int
    backend : SequenceBackend
    n_bytes_allowed : int, optional
        Memory that two terms may take.

    Raises
    ------
    OutOfMemoryError
        If it does not suffice.
    """
    with progress.running(f"{n_steps} steps") as steps:
        for step in range(1, n_steps + 1):
            if _is_fixed(term, backend):
                break
            _note_done(steps, len(term), n_steps - step + 1)
            with log.stage(f"step {step}", unit="digits") as stage:
                read = backend.look_at_term(term)
                _check_memory(read, step, n_bytes_allowed)
                term = backend.say_term(read)
                backend.synchronize()
                stage.items = read.n_said
                del read  # and with it the term before
    return term


def _note_done(steps: progress.Step, n_digits: int, n_left: int) -> None:
    """Say how much of the work is done: digits of all terms up to one of so many, and of those that come, by the growth
    of terms."""
    total = expected_digits(n_digits, n_left) / (1 - 1 / GROWTH)
    steps.update(round(n_digits / (1 - 1 / GROWTH)), round(total), "digits")


def length_after(term: Array, n_steps: int, backend: SequenceBackend, n_bytes_allowed: int | None = None) -> int:
    """Digits of the term that comes some steps after one, which is not made itself; otherwise as `term_after`."""
    if not n_steps:
        return len(term)
    before = term_after(term, n_steps - 1, backend, n_bytes_allowed)
    with log.stage(f"step {n_steps}, counted", unit="digits") as stage:
        stage.items = backend.look_at_term(before).n_said
    return stage.items


def _is_fixed(term: Array, backend: SequenceBackend) -> bool:
    """Whether all terms from here on are the same: only 22 says itself."""
    return len(term) == 2 and backend.to_host(term).tobytes() == b"22"


def _check_memory(read: ReadTerm, step: int, n_bytes_allowed: int | None) -> None:
    needed = len(read.term) + read.n_said
    if n_bytes_allowed is not None and needed > n_bytes_allowed:
        raise OutOfMemoryError(
            f"Out of memory: the term of step {step} has {read.n_said:,} digits, with the one before "
            f"{format_bytes(needed)}, and {format_bytes(n_bytes_allowed)} are allowed",
            f"choose a smaller -n (--length can count to {step}), or allow more (-m)",
        )
