"""Read what control groups allow this process: memory and CPU time, of either version of cgroups."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_NO_LIMIT = 1 << 60  # version 1 writes a huge number where there is no limit
#: Pages of files: the kernel gives them up before it ends a process
_RECLAIMABLE = ("inactive_file", "active_file")


def cpus() -> float | None:
    """CPUs' worth of time that the cgroup grants; None if it sets no limit."""
    for directory in _directories(""):
        try:
            quota, period = (directory / "cpu.max").read_text().split()
        except (OSError, ValueError):
            continue
        if quota != "max":
            return float(quota) / float(period)
    return None


def available_memory() -> int | None:
    """Bytes that are left of the tightest limit of this cgroup and those above it; None if none is set.

    Jobs of a scheduler may be some levels below the root in version 1 too. In a container the path may be that of the
    host, which is not there; then its own cgroup is at the root.
    """
    found = [_left(directory, "memory.max", "memory.current", "") for directory in _directories("")] + [
        _left(directory, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
        for directory in _directories("memory")
    ]
    return min((left for left in found if left is not None), default=None)


def _left(directory: Path, limit_name: str, used_name: str, prefix: str) -> int | None:
    """Bytes that are left of the limit of one cgroup; None if it sets none."""
    try:
        limit = (directory / limit_name).read_text().strip()
        used = int((directory / used_name).read_text())
        if limit == "max" or int(limit) >= _NO_LIMIT:
            return None
        return int(limit) - used + _reclaimable(directory, prefix)
    except (OSError, ValueError):
        return None


def _reclaimable(directory: Path, prefix: str) -> int:
    """Pages of files; they count as used, but go when memory is needed."""
    try:
        rows = dict(line.split() for line in (directory / "memory.stat").read_text().splitlines())
        return sum(int(rows.get(prefix + name, 0)) for name in _RECLAIMABLE)
    except (OSError, ValueError):
        return 0


def _directories(controller: str) -> list[Path]:
    """The cgroup of this process and those above it; ``controller``: of version 1, empty: of version 2."""
    try:
        rows = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
    except OSError:
        return []
    root = _ROOT / controller
    for _number, controllers, path in (row for row in rows if len(row) == 3):
        if controller in controllers.split(","):
            inner = root / path.lstrip("/")
            return [inner, *(parent for parent in inner.parents if parent == root or root in parent.parents)]
    return []
