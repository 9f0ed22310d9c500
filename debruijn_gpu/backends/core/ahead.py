"""Compile kernels in several other processes, before the command that needs them asks for them.

The manifest lists the kernels of each command. Only the command line does this: a program that imports the package
compiles in its own process.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from debruijn_gpu.backends.core import kernel_names, kernel_store, manifest, startup
from debruijn_gpu.backends.core.cpu.levels import X86_LEVELS
from debruijn_gpu.backends.core.deferred import Function
from debruijn_gpu.run import log, progress
from debruijn_gpu.run.resources import allowed_cpus

_MOST_PROCESSES = 8
#: With the path of this process: `-m` would import modules of the current directory first.
_PROGRAM = f"import sys; sys.path[:] = {sys.path!r}; from debruijn_gpu.backends.core.compile_worker import main; main()"
_WORKER = [sys.executable, "-c", _PROGRAM]


@dataclass(frozen=True)
class Request:
    """A kernel to be compiled: how it is found, for which arguments and which target (see `kernel_store`)."""

    backend: str
    target: str
    module: str
    path: str
    signature: str

    def __str__(self) -> str:
        return "\t".join((self.backend, self.target, self.module, self.path, self.signature))

    @classmethod
    def parse(cls, line: str) -> Request:
        """Read what `str` wrote."""
        return cls(*line.rstrip("\n").split("\t"))


class Compilers:
    """Processes that compile kernels and keep them in the store.

    Parameters
    ----------
    n_processes : int
    target : str
        What most kernels will be compiled for.
    """

    def __init__(self, n_processes: int, target: str) -> None:
        self._target = target
        self._waiting: OrderedDict[Request, bool] = OrderedDict()  # whether somebody waits for it
        self._begun: set[Request] = set()
        self._problems: dict[Request, str] = {}  # of finished requests; empty if the kernel is in the store
        self._n_asked = 0
        self._changed = threading.Condition()
        self._processes: list[subprocess.Popen[str]] = []
        self._n_alive = n_processes
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._serve, daemon=True, name=f"dbg-compile-{i}") for i in range(n_processes)
        ]
        for thread in self._threads:
            thread.start()
        atexit.register(self.close)

    def ask(self, requests: Iterable[Request]) -> None:
        """Have kernels compiled, in this order."""
        with self._changed:
            known = self._waiting.keys() | self._begun
            new = dict.fromkeys((request for request in requests if request not in known), False)
            self._waiting.update(new)
            self._n_asked += len(new)
            self._changed.notify_all()

    def wait_for(self, request: Request, tell: Callable[[int, int], None]) -> str:
        """Have a kernel compiled before all that are not begun; return what is wrong, empty if it is in the store.

        Parameters
        ----------
        request : Request
        tell : callable
            Is called with the number of kernels that are done and that were asked for, whenever one is.
        """
        with self._changed:
            if request not in self._begun:
                self._n_asked += request not in self._waiting
                self._waiting[request] = True
                self._waiting.move_to_end(request, last=False)
                self._changed.notify_all()
            while request not in self._problems:
                if not self._n_alive:
                    return "no process compiles"
                tell(len(self._problems), self._n_asked)
                self._changed.wait(0.2)
            tell(len(self._problems), self._n_asked)
            return self._problems[request]

    def wait_for_all(self, tell: Callable[[int, int], None]) -> dict[Request, str]:
        """Wait until all that were asked for are done; return what is wrong with which."""
        with self._changed:
            while len(self._problems) < self._n_asked and self._n_alive:
                tell(len(self._problems), self._n_asked)
                self._changed.wait(0.2)
            tell(len(self._problems), self._n_asked)
            lost = dict.fromkeys(self._waiting, "no process compiles")
            return lost | {request: problem for request, problem in self._problems.items() if problem}

    def close(self) -> None:
        """Stop the processes, even while they compile."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._changed.notify_all()
            for process in self._processes:
                with suppress(OSError):
                    process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            with suppress(OSError), process:  # closes its pipes, and waits
                pass
        atexit.unregister(self.close)

    def _serve(self) -> None:
        """Hand one kernel after another to a process of its own."""
        try:
            process = self._start()
            module = ""
            while (request := self._next(module)) is not None:
                module = request.module
                problem = _answer(process, request)
                with self._changed:
                    self._problems[request] = problem
                    self._changed.notify_all()
                if process.poll() is not None:
                    return
        except OSError as error:
            log.logger.debug("kernels cannot be compiled in another process: %s", error)
        finally:
            with self._changed:
                self._n_alive -= 1
                self._changed.notify_all()

    def _next(self, module: str) -> Request | None:
        """Take the next kernel, when there is one, of the same module if none is urgent; None when closed.

        Kernels of a module share functions, which a process compiles once.
        """
        with self._changed:
            while not self._waiting and not self._is_closed:
                self._changed.wait()
            if self._is_closed:
                return None
            request, is_urgent = next(iter(self._waiting.items()))
            if not is_urgent:
                request = next((other for other in self._waiting if other.module == module), request)
            del self._waiting[request]
            self._begun.add(request)
            return request

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            _WORKER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | _settings(self._target)
        )
        with self._changed:
            self._processes.append(process)
            if self._is_closed:
                process.kill()
        return process


def _settings(target: str) -> dict[str, str]:
    """Have numba optimise for the level that it compiles for, and not for this processor."""
    own = {"NUMBA_DISABLE_INTEL_SVML": "1"}
    return own | ({"NUMBA_CPU_NAME": target, "NUMBA_CPU_FEATURES": ""} if target in X86_LEVELS else {})


def _answer(process: subprocess.Popen[str], request: Request) -> str:
    """Have a process compile a kernel; return what is wrong."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(f"{request}\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:  # it has ended
        line = ""
    return line.rstrip("\n") if line else f"the process that compiled it ended with {process.wait()}"


_lock = threading.Lock()
_compilers: Compilers | None = None


@contextmanager
def counting() -> Iterator[Callable[[int, int], None]]:
    """Show how many kernels are compiled, of how many, as the function that it gives is told; before other steps."""
    with progress.running("compiling") as step:
        step.comes_first = True

        def tell(done: int, total: int) -> None:
            step.name = f"compiling {done}/{total}, once for this version"
            step.update(done, total)

        yield tell


def compile_elsewhere(function: Function, backend: str, signature: str, target: str) -> bool:
    """Have a kernel compiled by another process; whether it is in the store now."""
    found = kernel_names.name(function) if startup.command_line else None
    if found is None or kernel_store.place().path is None:
        return False
    request = Request(backend, target, *found, signature)
    with counting() as tell:
        problem = _started(request).wait_for(request, tell)
    if problem:
        log.logger.debug("%s: %s", request.path, problem)
    return not problem


def close() -> None:
    """End the processes, because nobody waits for them any more."""
    global _compilers
    with _lock:
        if _compilers is not None:
            _compilers.close()
        _compilers = None


def _started(first: Request) -> Compilers:
    """The processes, started if they are not; they begin with a kernel, then take what the manifest says."""
    global _compilers
    with _lock:
        if _compilers is None:
            _compilers = Compilers(n_processes(), first.target)
            scenario = manifest.scenario_of(startup.command_line)
            rows = manifest.for_scenario(manifest.read(), scenario, first.backend)
            _compilers.ask([first, *missing(rows, first.target)])
        return _compilers


def n_processes() -> int:
    """How many processes compile: as many as CPUs may be used, up to eight."""
    return min(allowed_cpus(), _MOST_PROCESSES)


def missing(rows: Iterable[manifest.Row], target: str) -> list[Request]:
    """Requests for those kernels of the manifest that are not in the store."""
    found = []
    for row in rows:
        with suppress(ImportError, LookupError, AttributeError):  # the manifest is of other sources
            name = kernel_store.name_of(kernel_names.find(row.module, row.path), row.signature)
            if name is not None and not kernel_store.is_there(target, name):
                found.append(Request(row.backend, target, row.module, row.path, row.signature))
    return found
