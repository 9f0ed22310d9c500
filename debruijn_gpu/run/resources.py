"""What this process may use: CPUs by affinity and cgroup, memory by cgroup and host."""

from __future__ import annotations

import os
import platform
import re
import resource
import sys
import time
from pathlib import Path

from debruijn_gpu.errors import FileAccessError, InputNotFoundError, OptionValueError, OutOfMemoryError
from debruijn_gpu.run import cgroups

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
#: Least memory budget of any command, in bytes: Python, the libraries and all kernels take 150 to 220 MiB.
LEAST_BUDGET = 256 << 20
#: What Python, libraries and kernels take in the end; early in a run, less is loaded.
_LOADED_BYTES = 192 << 20
_LEAST_MEMORY = 16 << 20
#: Part of a budget that is for what no stage asks for, such as objects of Python
_UNASKED = 64
_NO_SIZE_BELOW = 1024  # a number without a unit below this is no size in bytes
_MOST_BITS = 80
_children: set[int] = set()


def allowed_cpus() -> int:
    """Number of CPUs that affinity and the cgroup's quota allow, at least 1."""
    quota = cgroups.cpus()
    return affinity_cpus() if quota is None else min(affinity_cpus(), max(1, int(quota)))


def affinity_cpus() -> int:
    """Number of CPUs that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    """Return the model name of the CPU; its architecture where the system does not name it."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()


def available_memory() -> int:
    """Bytes that can be allocated now: the least of host, cgroup and address-space limit."""
    limits = [host_available_memory(), cgroups.available_memory(), _rlimit_available()]
    known = [limit for limit in limits if limit is not None]
    return max(0, min(known)) if known else 4 << 30


def total_memory() -> int:
    """Bytes that this process may hold in all: what it holds now, and what can be allocated beside it.

    Unlike `available_memory`, it does not shrink as this process takes memory.
    """
    taken = current_memory()
    limits = [
        None if limit is None else limit + taken for limit in (host_available_memory(), cgroups.available_memory())
    ]
    known = [limit for limit in (*limits, _rlimit_available()) if limit is not None]
    return max(0, min(known)) if known else 4 << 30


def host_available_memory() -> int | None:
    """Bytes that the host can give without swapping; None if it does not tell."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None


def _rlimit_available() -> int | None:
    soft, _hard = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def peak_memory() -> int:
    """Largest resident size of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class PeakMemory:
    """Largest resident size of this process from now on.

    The system knows the peak since the process began. Where a run does not exceed it, as the second of two runs in one
    process, the peak is that of the sizes seen at each `update`.
    """

    def __init__(self) -> None:
        self._before, self._seen = peak_memory(), current_memory()

    def update(self) -> int:
        """Return the peak so far, in bytes."""
        peak = peak_memory()
        self._seen = max(self._seen, peak if peak > self._before else current_memory())
        return self._seen


def cpu_seconds() -> float:
    """CPU seconds of this process so far, and of those that it started and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def memory_budget(text: str, whole: int | None = None, name: str = "memory") -> int:
    """Parse a memory budget in bytes: ``16G``, ``500M``, ``1000000``, or a share such as ``0.8``.

    Parameters
    ----------
    text : str
        A size, or a number above 0 and at most 1: a share of ``whole``.
    whole : int, optional
        Bytes; by default `total_memory`. 0: there is no whole, and a share is refused.
    name : str
        What messages call the size.

    Raises
    ------
    OptionValueError
        If the text is neither, or a number such as 2 that may mean gigabytes or a share.
    """
    cleaned = text.strip().upper().removesuffix("B").removesuffix("I")
    number, unit = cleaned, ""
    if cleaned and cleaned[-1] in _UNITS:
        number, unit = cleaned[:-1], cleaned[-1]
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    is_share = not unit and 0 < value <= 1
    if is_share and whole != 0:
        return int(value * (total_memory() if whole is None else whole))
    if not unit and 1 < value < _NO_SIZE_BELOW and cleaned == text.strip().upper():
        share = "" if whole == 0 else ", or a share of at most 1 such as 0.8"
        raise OptionValueError(f"{name} {text!r} has no unit", f"give {value:g}G for {value:g} GiB{share}")
    if is_share or not 1 <= value < 1e18:
        share = "" if whole == 0 else ", or a fraction such as 0.8"
        raise OptionValueError(f"{name} {text!r} is not a size", f"give a size such as 16G or 500M{share}")
    return int(value * _UNITS[unit])


def current_memory() -> int:
    """Resident size of this process now, in bytes; where that is not told, the largest so far."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return peak_memory()


def note_child(pid: int) -> None:
    """Count a process that this one started, until it has ended, in `tree_memory`."""
    _children.add(pid)


def tree_memory() -> int:
    """Resident size of this process and of those that it started (see `note_child`), in bytes."""
    return current_memory() + sum(_own_pages(pid) for pid in tuple(_children))


def _own_pages(pid: int) -> int:
    """Resident size of a child without pages that it shares, in bytes; 0, and no more asked for, if it has ended."""
    try:
        _size, resident, shared = Path(f"/proc/{pid}/statm").read_text().split()[:3]
    except OSError:
        _children.discard(pid)
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def return_free_memory() -> None:
    """Give what the allocator keeps for later back to the system, so that the next stage may have it."""
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc
    if trim is not None:
        trim(0)


def check_budget(text: str) -> int:
    """Return a memory budget (see `memory_budget`) in bytes if a command can run within it.

    Raises
    ------
    OutOfMemoryError
        If it is below `LEAST_BUDGET`.
    """
    budget = memory_budget(text)
    if budget < LEAST_BUDGET:
        raise OutOfMemoryError(
            f"Out of memory: a budget of {format_bytes(budget)} (-m), but commands need {format_bytes(LEAST_BUDGET)}",
            f"give the job more memory, and -m {LEAST_BUDGET >> 20}M or more",
        )
    return budget


def memory_left(text: str) -> int:
    """Compute what is left of a memory budget (see `memory_budget`) beside this process and its libraries, in bytes.

    1/64 of the budget is left out, for what no stage asks for. At least 16 MiB, with which any stage can begin: the
    compiler, which only the first run of a version needs, may hold what is allowed.

    Raises
    ------
    OutOfMemoryError
        If the budget is below `LEAST_BUDGET`.
    """
    budget = check_budget(text)
    return max(budget - budget // _UNASKED - max(current_memory(), _LOADED_BYTES), _LEAST_MEMORY)


def calling_threads(threads: int, is_sequential: bool) -> int:
    """Return how many threads call a backend at once: those asked for, or all allowed CPUs for 0; 1 on a GPU."""
    return (threads or allowed_cpus()) if is_sequential else 1


def threads_within(threads: int, n_bytes_each: int, n_bytes: int) -> int:
    """Limit a number of threads to what memory allows for what each holds; 1 at least."""
    return max(1, min(threads, n_bytes // max(1, n_bytes_each)))


def check_scratch_directory(directory: Path) -> None:
    """Raise an error if temporary files cannot be written to a directory.

    Raises
    ------
    InputNotFoundError
        If there is no such directory.
    FileAccessError
        If it cannot be written.
    """
    import tempfile

    fix = "name a directory that exists and can be written (--tmp-dir)"
    if not directory.is_dir():
        what = "Not a directory" if directory.exists() else "No such directory"
        raise InputNotFoundError(f"--tmp-dir {directory}: {what}", fix)
    try:
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        raise FileAccessError(f"--tmp-dir {directory}: {error.strerror or error}", fix) from error


def format_bytes(n_bytes: float) -> str:
    """``1.25 GiB`` for 1342177280."""
    if n_bytes > 1 << _MOST_BITS:  # as the memory for sequences that nobody can store
        return f"more than 2^{_MOST_BITS} bytes"
    for unit in ("B", "KiB", "MiB"):
        if abs(n_bytes) < 1024:
            return f"{n_bytes:.0f} {unit}" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.2f} GiB"
