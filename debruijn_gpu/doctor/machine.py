"""What `dbg doctor` finds out: versions, CPUs, memory, GPU, cache place, temporary space.

Nothing here imports NumPy or a compiler before it has to: it must work where they are broken.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debruijn_gpu.backends.core import cache_place, detection, startup
from debruijn_gpu.run import cgroups, resources
from debruijn_gpu.run.options import RunOptions
from debruijn_gpu.run.versions import system_name
from debruijn_gpu.version import __version__

_NEEDED = ("numpy", "numba", "llvmlite", "click", "rich", "xopen")
_OPTIONAL = ("isal", "zlib-ng", "rapidgzip", "backports.zstd")
_GPU = ("numba-cuda", "cupy-cuda13x", "cupy-cuda12x", "cupy")
_NVIDIA = Path("/proc/driver/nvidia")
_DEVICES = Path("/dev")


@dataclass(frozen=True)
class Section:
    """Some facts of one kind.

    Attributes
    ----------
    facts : dict of str to text, number, bool, list of text or None
        Names that end in ``_bytes`` are sizes.
    absent : str
        What None means here.
    """

    facts: dict[str, Any]
    absent: str


@dataclass(frozen=True)
class Machine:
    """All sections by name, and what keeps `dbg` from working."""

    sections: dict[str, Section]
    problems: list[str]


def examine() -> Machine:
    """Look at the machine and the installation."""
    problems: list[str] = []
    sections = {
        "versions": Section(_versions(), "not installed"),
        "cpus": Section(_cpus(), "no limit"),
        "memory": Section(_memory(), "no limit"),
        "gpu": Section(_gpu(), "not found"),
        "compiled_code": Section(_cache(), "nowhere"),
        "kernels": Section(_kernels(), "unknown"),
        "temporary_files": Section(_temporary_files(problems), "unknown"),
        "backends": Section(_backends(problems), "broken"),
    }
    return Machine(sections, problems)


def _versions() -> dict[str, Any]:
    found: dict[str, Any] = {"dbg": __version__, "Python": platform.python_version(), "system": system_name()}
    return found | {name: detection.version_of(name) for name in (*_NEEDED, *_OPTIONAL)}


def _cpus() -> dict[str, Any]:
    return {
        "model": resources.cpu_model(),
        "present": os.cpu_count(),
        "allowed_by_affinity": resources.affinity_cpus(),
        "allowed_by_cgroup": cgroups.cpus(),
        "threads_by_default": resources.allowed_cpus(),
    }


def _memory() -> dict[str, Any]:
    return {
        "available_on_host_bytes": resources.host_available_memory(),
        "left_by_cgroup_bytes": cgroups.available_memory(),
        "available_bytes": resources.available_memory(),
        "share_by_default": RunOptions.memory,
        "budget_by_default_bytes": resources.memory_budget(RunOptions.memory),
    }


def _gpu() -> dict[str, Any]:
    """Report GPUs that the system lists, packages for them, and whether CUDA is usable."""
    devices = sorted(path.name for path in _DEVICES.glob("nvidia[0-9]*"))
    packages = {name: version for name in _GPU if (version := detection.version_of(name)) is not None}
    return {
        "nvidia_driver": _nvidia_driver(),
        "gpus": _gpu_models() or None,
        "devices": [f"/dev/{name}" for name in devices] or None,
        "CUDA_VISIBLE_DEVICES": os.environ.get("CUDA_VISIBLE_DEVICES", "not set"),
        "packages": [f"{name} {version}" for name, version in packages.items()] or None,
        "usable": _usable(),
        "usable_together": _usable_together(),
        "exchange": _exchange(),
        "pays_from": _cutovers(),
    }


def _usable() -> str:
    """Yes, with the device, or everything that is in the way."""
    try:
        problems = detection.cuda_problems()
    except Exception as error:  # whatever a broken installation raises
        return f"no: looking for it fails ({type(error).__name__}: {error})"
    if problems:
        return f"no: {'; '.join(problems)}"
    driver = detection.find_driver()
    if isinstance(driver, str):
        return "yes, in the simulator"
    device = driver.devices[0]
    return f"yes: {device.name}, {resources.format_bytes(device.memory)}"


def _cuda_devices() -> list[detection.Device]:
    """GPUs that CUDA sees, if it can be used."""
    try:
        driver = None if startup.is_simulated() or detection.cuda_problems() else detection.find_driver()
    except Exception:  # whatever a broken installation raises; `_usable` reports it
        driver = None
    return list(driver.devices) if isinstance(driver, detection.Driver) else []


def _usable_together() -> list[str] | None:
    """Return the GPUs that ``--gpus`` can take, by their numbers in CUDA."""
    devices = _cuda_devices()
    return [f"{i}: {device.name}, {resources.format_bytes(device.memory)}" for i, device in enumerate(devices)] or None


def _exchange() -> str | None:
    """Return how several GPUs exchange k-mers: the version of NCCL, or what stands in for it."""
    if not _cuda_devices():
        return None
    from debruijn_gpu.backends.core.cuda import links

    return links.means_of_exchange()


def usable_backends() -> list[str]:
    """Return the backends that can be used here; the simulator of kernels does not count."""
    try:
        has_cuda = not startup.is_simulated() and not detection.cuda_problems()
    except Exception:  # whatever a broken installation raises; `_usable` reports it
        has_cuda = False
    return ["cpu", "cuda"] if has_cuda else ["cpu"]


def _cutovers() -> list[str]:
    """From how much input on ``--backend auto`` takes the GPU, by command."""
    try:
        from debruijn_gpu.backends.crossover import DEFAULTS, NEVER, crossover_bytes
    except ImportError:  # NumPy is broken, which another section says
        return []
    sizes = {name: crossover_bytes(name) for name in DEFAULTS}
    return [
        f"{name} {'never' if n >= NEVER else resources.format_bytes(n) if n else 'always'}" for name, n in sizes.items()
    ]


def _nvidia_driver() -> str | None:
    try:
        text = (_NVIDIA / "version").read_text()
    except OSError:
        return None
    version = re.search(r"Kernel Module.*?\s(\d+\.[\d.]+)", text)
    return version[1] if version else text.splitlines()[0]


def _gpu_models() -> list[str]:
    models = []
    for path in sorted(_NVIDIA.glob("gpus/*/information")):
        try:
            model = re.search(r"^Model:\s*(.+)$", path.read_text(), re.MULTILINE)
        except OSError:
            continue
        models.append(model[1] if model else path.parent.name)
    return models


def _cache() -> dict[str, Any]:
    place = cache_place.find_place()
    used = None if place.path is None else directory_bytes(place.path)
    others = [path for path in _entries(cache_place.cache_root()) if path != place.path]
    facts: dict[str, Any] = {"directory": None if place.path is None else str(place.path), "size_bytes": used}
    if place.problem:
        facts["not_in"] = f"{place.wanted or 'the home directory'} ({place.problem})"
    facts["state"] = "filled" if used else "empty: what is not installed is compiled when it is first used"
    facts["other_versions"] = len(others)
    facts["their_size_bytes"] = sum(map(directory_bytes, others))
    return facts


def _kernels() -> dict[str, Any]:
    """Where kernels are stored, for which processors, and how many of each command are ready to run here."""
    try:
        from debruijn_gpu.backends import warming
        from debruijn_gpu.backends.core import kernel_store
        from debruijn_gpu.backends.core.cpu import levels

        ready = warming.n_ready(levels.level())
        return {
            "processor_level": levels.level(),
            "installed_with_package": _counts(kernel_store.all_installed()),
            "compiled_here": _counts(kernel_store.kept()),
            "ready": [f"{command} {n} of {of_all}" for command, (n, of_all) in sorted(ready.items())] or "none known",
        }
    except Exception:  # whatever a broken installation raises; `backends` tells of it
        return {"processor_level": None}


def _counts(by_target: dict[str, int]) -> list[str] | str:
    return [f"{target} {n}" for target, n in by_target.items()] or "none"


def _entries(directory: Path | None) -> list[Path]:
    try:
        return [] if directory is None else list(directory.iterdir())
    except OSError:
        return []


def directory_bytes(directory: Path) -> int:
    """Size of all files in a directory; other runs may add and remove some meanwhile."""
    total = 0
    for folder, _folders, names in os.walk(directory):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size
    return total


def _temporary_files(problems: list[str]) -> dict[str, Any]:
    try:
        directory = tempfile.gettempdir()
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        problems.append(f"no temporary directory can be written ({error.strerror or error}): set TMPDIR")
        return {"directory": None}
    return {"directory": directory, "free_bytes": shutil.disk_usage(directory).free}


def _backends(problems: list[str]) -> dict[str, Any]:
    """Whether the backends can be loaded: this imports NumPy."""
    try:
        from debruijn_gpu import backends

        backends.load(RunOptions())
    except Exception as error:  # whatever is wrong with an installation
        problems.append(f"the CPU backend cannot be loaded ({type(error).__name__}: {error}): install dbg again")
        return {"cpu": None}
    return {"cpu": "works"}
