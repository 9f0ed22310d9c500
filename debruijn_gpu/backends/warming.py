"""Compile the kernels of commands before the commands run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from debruijn_gpu.backends.core import kernel_store
from debruijn_gpu.backends.core.ahead import missing
from debruijn_gpu.backends.core.build import compile_rows, rows_of
from debruijn_gpu.backends.core.cpu import levels
from debruijn_gpu.backends.core.detection import Driver, cuda_problems, find_driver
from debruijn_gpu.errors import CudaUnavailableError, FileAccessError


@dataclass(frozen=True)
class Warmed:
    """What was compiled for a target.

    Attributes
    ----------
    target : str
        See `kernel_store`.
    n_kernels, n_compiled : int
        Kernels of the commands, and those of them that were not in the store.
    problems : dict of str to str
        What is wrong, by kernels that did not compile.
    """

    target: str
    n_kernels: int
    n_compiled: int
    problems: dict[str, str]


def targets(backend: str, native: bool) -> list[str]:
    """Targets of this machine: its processor's level, or the processor itself if native; and its GPU.

    Parameters
    ----------
    backend : str
        ``cpu``, ``cuda``, or ``auto`` for both if CUDA can be used.
    native : bool

    Raises
    ------
    CudaUnavailableError
        If CUDA is asked for and cannot be used.
    """
    of_cpu = [levels.native() if native else levels.level()]
    if backend == "cpu":
        return of_cpu
    problems = cuda_problems()
    if backend == "cuda" and problems:
        raise CudaUnavailableError(f"CUDA cannot be used: {'; '.join(problems)}", "dbg doctor reports details")
    driver = find_driver()
    devices = driver.devices if isinstance(driver, Driver) and not problems else ()
    of_cuda = sorted({f"sm_{device.capability[0]}{device.capability[1]}" for device in devices})
    return of_cuda if backend == "cuda" else of_cpu + of_cuda


def n_ready(target: str) -> dict[str, tuple[int, int]]:
    """Number of kernels that the store holds for a target, and of all, for each command that has any."""
    rows = rows_of(target)
    lacking = {(request.module, request.path, request.signature) for request in missing(rows, target)}
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        is_ready = (row.module, row.path, row.signature) not in lacking
        for command in row.commands:
            ready, of_all = found.get(command, (0, 0))
            found[command] = (ready + is_ready, of_all + 1)
    return found


def warm_up(commands: Collection[str], target: str, processes: int, tell: Callable[[int, int], None]) -> Warmed:
    """Compile the kernels of commands for a target, side by side, and keep them.

    Parameters
    ----------
    commands : collection of str
        Names of commands; all of them if empty.
    target : str
    processes : int
    tell : callable
        Is called with the numbers of kernels that are done and to be done.

    Raises
    ------
    FileAccessError
        If there is no place to keep compiled code in.
    """
    place = kernel_store.place()
    if place.path is None:
        raise FileAccessError(f"compiled code cannot be kept ({place.problem})", "set DBG_CACHE_DIR")
    rows = rows_of(target)
    rows = [row for row in rows if not commands or row.commands & set(commands)]
    n_done = 0

    def count(done: int, total: int) -> None:
        nonlocal n_done
        n_done = total
        tell(done, total)

    problems = compile_rows(rows, target, processes, count)
    return Warmed(target, len(rows), n_done - len(problems), problems)
