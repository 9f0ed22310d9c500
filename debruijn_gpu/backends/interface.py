"""What a backend does: each operation once, with shapes, dtypes and source. `cpu` implements it."""

from __future__ import annotations

from typing import Protocol


class Backend(Protocol):
    """A module with these names."""
