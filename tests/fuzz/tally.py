"""Count fuzz cases over many runs: a file that each run adds to, so that ten million cases need not be one run."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from debruijn_gpu.backends.core.cache_place import cache_root

_FILE = "fuzz.json"


def default_file() -> Path | None:
    """File beside the compiled kernels (DBG_CACHE_DIR); None if there is no such place."""
    root = cache_root()
    return None if root is None else root / _FILE


@dataclass
class Tally:
    """Cases of all runs of a seed and a set of targets.

    Attributes
    ----------
    n_cases : int
        Cases that ended; the next one has this number.
    n_failed : int
        Of them, those that failed.
    cpu_s : float
        CPU seconds that they took.
    outcomes : Counter of str
        Cases by target and exit code, as ``fasta 64``.
    failures : list of str
        What the failed cases reported.
    """

    n_cases: int = 0
    n_failed: int = 0
    cpu_s: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, outcomes: Counter[tuple[str, int]], failures: list[str], cpu_s: float) -> None:
        """Add the cases of a part of a run."""
        self.outcomes.update({f"{name} {code}": n for (name, code), n in outcomes.items()})
        self.failures += failures
        self.n_failed += len(failures)
        self.n_cases += outcomes.total() + len(failures)
        self.cpu_s += cpu_s


class TallyFile:
    """Tallies by seed and targets, in a JSON file that is replaced as a whole.

    Parameters
    ----------
    path : Path
    key : str
        Seed and targets of this run.
    """

    def __init__(self, path: Path, key: str) -> None:
        self._path, self._key = path, key
        self.tally = Tally()
        found = self._read().get(key)
        if found is not None:
            self.tally = Tally(**(found | {"outcomes": Counter(found["outcomes"])}))

    def _read(self) -> dict[str, Any]:
        if not self._path.exists():
            return {}
        found: dict[str, Any] = json.loads(self._path.read_text())
        return found

    def save(self) -> None:
        """Write the tally of this run beside those of others."""
        content = self._read() | {self._key: vars(self.tally)}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        part = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        part.write_text(json.dumps(content, indent=1))
        os.replace(part, self._path)

    def total(self) -> int:
        """Cases of all runs that the file counts."""
        return sum(int(tally["n_cases"]) for tally in self._read().values())
