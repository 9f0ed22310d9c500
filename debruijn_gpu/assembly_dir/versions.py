"""Reports and records of former versions."""

from __future__ import annotations

from typing import Any

#: Keys of ``schema_version`` 1: what they are called now
_RENAMED_KEYS = {
    "chimeras": "erroneous_connections",
    "chimera_length": "connection_length",
    "chimera_ratio": "connection_ratio",
    "early_chimera_ratio": "early_connection_ratio",
}


def current_keys(value: Any) -> Any:
    """Return a report or record of any version with the keys of this one."""
    if isinstance(value, dict):
        return {_RENAMED_KEYS.get(key, key): current_keys(member) for key, member in value.items()}
    return [current_keys(member) for member in value] if isinstance(value, list) else value
