"""Signals that end a run: SIGINT (Ctrl-C), SIGTERM and SIGHUP.

A command starts with `leave_at_once`: nothing is written yet, and an exception within an import would be shown or
forgotten. `raise_in_main_thread` then lets a signal raise `Interrupted`, so that files are cleaned up. A signal that
the caller ignores (``nohup``, background jobs of scripts) stays ignored. This module imports nothing that takes time.
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any, TypeAlias

    from debruijn_gpu.errors import DbgError

    _Handler: TypeAlias = Callable[[int, FrameType | None], Any] | int | None

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_NAMES = {signal.SIGINT: "", signal.SIGTERM: " (SIGTERM)", signal.SIGHUP: " (SIGHUP)"}
_AGAIN_S = 0.02  # long enough to leave a hook

_reason: DbgError | None = None  # of `stop`
_deferred: list[int] | None = None  # signals that came while they were put off


class Interrupted(KeyboardInterrupt):
    """A signal ended the run.

    Parameters
    ----------
    number : int
        Of the signal.
    """

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.number = number


class Stopped(BaseException):
    """The run itself found that it must end, in another thread than the main one.

    It is no interrupt: Click would answer that with an empty line.

    Parameters
    ----------
    reason : DbgError
        What is reported instead of an interrupt.
    """

    def __init__(self, reason: DbgError) -> None:
        super().__init__(reason)
        self.reason = reason


def number_of(error: BaseException | None) -> int:
    """Return the signal that an interrupt came from."""
    return error.number if isinstance(error, Interrupted) else signal.SIGINT


def exit_code(number: int) -> int:
    """Return what shells report of a program that a signal ended."""
    return 128 + number


def message(number: int) -> str:
    """Return the last line that an interrupted command prints."""
    return f"dbg: interrupted{_NAMES.get(signal.Signals(number), '')}"


def leave_at_once() -> None:
    """Let signals end the process with one line and its exit code; for as long as there is nothing to clean up."""
    _answer(_leave)


def raise_in_main_thread() -> None:
    """Let signals raise `Interrupted` in the main thread."""
    _answer(_raise)


def ignore() -> None:
    """Ignore signals: all is done, and an interrupt changes nothing."""
    _answer(signal.SIG_IGN)


def restore_default() -> None:
    """Let signals end the process at once, without a word."""
    _answer(signal.SIG_DFL)


@contextmanager
def deferred() -> Iterator[None]:
    """Put signals off until the end of a block that must not stop half-way."""
    global _deferred
    import threading

    if _deferred is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    _deferred = came = []
    before = {number: handler for number in ENDING if _is_ours(handler := signal.getsignal(number))}
    _answer(lambda number, frame: came.append(number))
    try:
        yield
    finally:
        _deferred = None
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def send_again(number: int) -> None:
    """Send a signal to the main thread a little later, unless it has been answered since.

    For an interrupt that Python would print and forget: at once, the next one would be forgotten too.
    """
    import threading

    again = threading.Timer(_AGAIN_S, _send, [number])
    again.daemon = True
    again.start()


def stop(reason: DbgError) -> None:
    """Raise `Stopped` in the main thread, from any thread, where signals raise there."""
    global _reason
    _reason = reason
    _send(signal.SIGTERM)


def _send(number: int) -> None:
    import threading

    if signal.getsignal(number) in (_raise, signal.default_int_handler):
        signal.pthread_kill(threading.main_thread().ident or 0, number)


def _answer(handler: _Handler) -> None:
    """Set the handler of each signal that the caller does not ignore, nor an embedding program handles."""
    for number in ENDING:
        with suppress(ValueError):  # not in the main thread, which alone may set handlers
            if _is_ours(signal.getsignal(number)):
                signal.signal(number, handler)


def _is_ours(handler: _Handler) -> bool:
    return handler in (signal.SIG_DFL, signal.default_int_handler, _leave, _raise)


def _raise(number: int, frame: FrameType | None) -> None:
    if _reason is not None:
        raise Stopped(_reason)
    raise Interrupted(number)


def _leave(number: int, frame: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, f"{message(number)}\n".encode())
    os._exit(exit_code(number))
