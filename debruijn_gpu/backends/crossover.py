"""Store, for each operation, the input size above which a GPU is faster.

``--backend auto`` follows this table.

``dbg doctor --calibrate`` measures it and stores it beside the compiled code; without that, the defaults hold.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from debruijn_gpu.backends.core.cache_place import cache_root
from debruijn_gpu.errors import FileAccessError

_FILE = "cutovers.json"
NEVER = 1 << 62

#: Bytes of input, by operation. Measured with ``dbg doctor --calibrate`` on an H200 beside 16 cores; see README.
DEFAULTS = {
    "sort": NEVER,
    "distinct": NEVER,
    "compact": NEVER,
    "histogram": 10 << 30,
    "join": 10 << 30,
    "euler": 196 << 20,
    "graph": 2 << 30,
    "lookandsay": 1400 << 20,
    "cyclospec": NEVER,
    "reads": 0,
    "som": 1 << 30,
}


@dataclass(frozen=True)
class Crossover:
    """Measured times of an operation: startup, seconds per gigabyte, and the crossover size."""

    cpu_s_per_gb: float
    cuda_s_per_gb: float
    cuda_start_s: float
    n_bytes: int


def crossover_bytes(operation: str) -> int:
    """Bytes of input from which on the GPU is taken for an operation; `NEVER` if it is not."""
    return _calibrated().get(operation, DEFAULTS[operation])


def _calibrated() -> dict[str, int]:
    root = cache_root()
    try:
        found = json.loads((root / _FILE).read_text()) if root is not None else {}
        return {name: int(values["n_bytes"]) for name, values in found.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}  # not calibrated


def save(cutovers: dict[str, Crossover]) -> str:
    """Keep what was measured; gives the file."""
    root = cache_root()
    if root is None:
        raise FileAccessError("there is no home directory to keep the calibration in", "set DBG_CACHE_DIR")
    try:
        root.mkdir(parents=True, exist_ok=True)
        path = root / _FILE
        path.write_text(json.dumps({name: asdict(found) for name, found in cutovers.items()}, indent=2) + "\n")
    except OSError as error:
        raise FileAccessError(f"{root / _FILE}: {error.strerror}", "set DBG_CACHE_DIR") from error
    return str(path)
