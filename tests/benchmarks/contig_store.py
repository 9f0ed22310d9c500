"""Keep what programs gave, by digest of reads, version and command, so that peers run once."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


class Store:
    """A JSON file of results, one entry per line.

    Parameters
    ----------
    path : Path
        Written anew after each entry; entries that other processes added meanwhile stay.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> dict[str, Entry]:
        """Return all entries by key."""
        if not self.path.exists():
            return {}
        found: dict[str, Entry] = json.loads(self.path.read_text())
        return found

    def find(self, reads: str, command: str, version: str | None) -> Entry | None:
        """Return the result of a command on reads: that of a version, or of the greatest version if none is given.

        A result with another number of threads is returned where there is none with that of the command: contigs do not
        depend on it, and the entry names the machine and its threads, so that nobody compares times.
        """
        entries = self.entries()
        exact = entries.get(key_of(reads, command, version)) if version is not None else None
        if exact is not None:
            return exact
        wanted = reads, _without_threads(command)
        same = [
            entry
            for entry in entries.values()
            if (entry["reads"], _without_threads(entry["command"])) == wanted and version in (None, entry["version"])
        ]
        return max(same, key=lambda entry: (str(entry["version"]), entry["command"] == command), default=None)

    def keep(self, entry: Entry) -> None:
        """Add an entry, which has ``reads``, ``command`` and ``version``; replace the former one."""
        entries = self.entries() | {key_of(entry["reads"], entry["command"], entry["version"]): entry}
        ordered = sorted(entries.items(), key=lambda item: (item[1]["set"], item[1]["program"], item[0]))
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in ordered]
        unfinished = self.path.with_suffix(f".{os.getpid()}")
        unfinished.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        unfinished.replace(self.path)


def _without_threads(command: str) -> str:
    return re.sub(r" -t \d+ ", " ", command)


def key_of(reads: str, command: str, version: str) -> str:
    """Digest that a result is kept by."""
    return hashlib.sha256("\0".join((reads, command, version)).encode()).hexdigest()[:16]
