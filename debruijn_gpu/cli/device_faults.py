"""Faults of the GPU during a command: errors under ``--backend cuda``, a second run on the CPU under ``auto``."""

from __future__ import annotations

import sys
from contextlib import suppress

from debruijn_gpu.backends import choose
from debruijn_gpu.errors import DbgError, DeviceLostError, DeviceMemoryError
from debruijn_gpu.run import repeatable

_MEMORY = "debruijn_gpu.backends.core.cuda.memory"


def begin() -> None:
    """Forget the faults of an earlier command of this process."""
    choose.begin_command()
    repeatable.begin()


def fault_of(error: BaseException) -> DbgError | None:
    """Return the fault of the GPU that an error reports, or None if it is another one."""
    if isinstance(error, (DeviceLostError, DeviceMemoryError)):
        return error
    if _MEMORY not in sys.modules or not isinstance(error, Exception):
        return None
    found: DbgError | None = sys.modules[_MEMORY].fault_of(error)
    return found


def leaves_gpu(error: Exception) -> bool:
    """Decide whether the command is to be run again on the CPU, and log why.

    Raises
    ------
    DbgError
        The fault, where ``--backend auto`` chose the GPU but the command cannot be run again.
    """
    fault = fault_of(error)
    if fault is None or not choose.took_cuda_by_itself():
        return False
    obstacle = repeatable.obstacle()
    if obstacle:
        fault.fix = f"{obstacle}: run the command again with --backend cpu"
        if fault is error:  # as its own cause it would be a cycle
            raise fault
        raise fault from error
    from debruijn_gpu.run import log

    choose.avoid_cuda(fault.what)
    with suppress(Exception):  # of a device that is lost
        sys.modules[_MEMORY].forget_device()
    log.logger.warning("%s: running the command again on the CPU", fault.what)
    return True
