"""Errors that Python prints and forgets: of destructors, callbacks of compiled code and generators that are dropped."""

from __future__ import annotations

import sys
from types import TracebackType

from debruijn_gpu.cli import device_faults
from debruijn_gpu.run import signals


def answer() -> None:
    """Answer such errors, unless the program that runs the command does."""
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = answer_unraisable
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = answer_uncaught


def forget() -> None:
    """Ignore them, as those of the destruction of objects that an interrupt left incomplete."""
    if sys.unraisablehook is answer_unraisable:
        sys.unraisablehook = _ignore


def answer_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that Python would print and forget, as of a callback of the compiler.

    When the device is lost, which the command reports, objects of CuPy cannot be destroyed, nor generators end.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signals.send_again(signals.number_of(unraisable.exc_value))
    elif unraisable.exc_value is None or device_faults.fault_of(unraisable.exc_value) is None:
        sys.__unraisablehook__(unraisable)


def answer_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error as Python does, unless it is a fault of the device, which the command reports.

    Compiled code of CuPy prints the errors of its destructors as uncaught ones, and then as unraisable ones.
    """
    if device_faults.fault_of(error) is None:
        sys.__excepthook__(kind, error, trace)


def _ignore(unraisable: sys.UnraisableHookArgs) -> None:
    """Ignore an error."""
