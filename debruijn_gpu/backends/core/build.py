"""Compile the kernels of the manifest for targets, as wheels bring them along.

``python -m debruijn_gpu.backends.core.build DIRECTORY x86-64-v3 sm_90`` writes a file for each target into a directory;
without targets, for all that this machine can compile for. Kernels that the store holds are taken from there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from debruijn_gpu.backends.core import kernel_names, kernel_store, manifest
from debruijn_gpu.backends.core.ahead import Compilers, missing, n_processes
from debruijn_gpu.backends.core.cpu.levels import architecture
from debruijn_gpu.errors import CudaUnavailableError

_X86_LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
#: Code for a compute capability also runs on devices of a higher minor number.
_GPU_TARGETS = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")


class NotCompiledError(Exception):
    """Kernels of a target that cannot be compiled, and why."""


def default_targets() -> tuple[str, ...]:
    """Targets of a wheel for this architecture."""
    levels = _X86_LEVELS if architecture() == "x86-64" else (architecture(),)
    return (*levels, *_GPU_TARGETS)


def backend_of(target: str) -> str:
    """The backend whose kernels a target runs."""
    return "cuda" if target.startswith("sm_") else "cpu"


def rows_of(target: str) -> list[manifest.Row]:
    """Rows of the manifest for a target."""
    return [row for row in manifest.read() if row.backend == backend_of(target)]


def compile_rows(
    rows: Sequence[manifest.Row], target: str, processes: int, tell: Callable[[int, int], None]
) -> dict[str, str]:
    """Compile the kernels that the store does not hold, side by side.

    Returns
    -------
    dict of str to str
        What is wrong, by the requests of kernels that did not compile.
    """
    wanted = missing(rows, target)
    if not wanted:
        return {}
    compilers = Compilers(min(processes, len(wanted)), target)
    compilers.ask(wanted)
    try:
        problems = compilers.wait_for_all(tell)
        return {str(request): problem for request, problem in problems.items()}
    finally:
        compilers.close()


def pieces(rows: Sequence[manifest.Row], target: str) -> dict[str, bytes]:
    """Machine code of kernels by name, from the store.

    Raises
    ------
    NotCompiledError
        If one is missing.
    """
    found = {}
    for row in rows:
        name = kernel_store.name_of(kernel_names.find(row.module, row.path), row.signature)
        code = kernel_store.find(target, name) if name else None
        if name is None or code is None:
            raise NotCompiledError(f"{row.module}: {row.path}({row.signature}) is not compiled for {target}")
        found[name] = code
    return found


def build(target: str, directory: Path, rows: Sequence[manifest.Row] | None = None) -> int:
    """Write the file of a target.

    Parameters
    ----------
    target : str
        See `kernel_store`.
    directory : Path
    rows : sequence of Row, optional
        Default: all rows of the manifest for the target.

    Returns
    -------
    int
        Number of kernels.

    Raises
    ------
    NotCompiledError
        If a kernel does not compile, or there are none. A first kernel is compiled before the others, because without
        a compiler for the target none will.
    """
    rows = rows_of(target) if rows is None else rows
    if not rows:
        raise NotCompiledError(f"the manifest has no kernels of {backend_of(target)}")
    try:
        for some in (rows[:1], rows):
            problems = compile_rows(some, target, n_processes(), _print_progress)
            if problems:
                raise NotCompiledError("; ".join(problems.values()))
        found = pieces(rows, target)
    except CudaUnavailableError as error:
        raise NotCompiledError(error.what) from error
    directory.mkdir(parents=True, exist_ok=True)
    (directory / target).write_bytes(kernel_store.pack(found))
    return len(found)


def build_all(directory: Path, targets: Sequence[str]) -> dict[str, str]:
    """Write the files of all targets, or of the default ones if none is named; return those left out and why.

    Raises
    ------
    NotCompiledError
        If a target that was named, or one of the CPU, cannot be compiled.
    """
    problems = {target: _problem(target, directory) for target in targets or default_targets()}
    left_out = {target: problem for target, problem in problems.items() if problem}
    wanted = [target for target in left_out if targets or backend_of(target) == "cpu"]
    if wanted:
        raise NotCompiledError("; ".join(f"{target}: {left_out[target]}" for target in wanted))
    return left_out


def _problem(target: str, directory: Path) -> str:
    """Write the file of a target; return why it cannot be, empty if it is."""
    try:
        n_kernels = build(target, directory)
    except NotCompiledError as error:
        return str(error)
    print(f"{target}: {n_kernels} kernels, {(directory / target).stat().st_size:,} bytes", file=sys.stderr)
    return ""


def _print_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\rcompiling {done}/{total} ", end="\n" if done == total else "", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        missing_targets = build_all(Path(sys.argv[1]), sys.argv[2:])
    except NotCompiledError as problem:
        sys.exit(f"error: {problem}")
    for left_out_target, reason in missing_targets.items():
        print(f"{left_out_target} is left out: {reason}", file=sys.stderr)
