"""Golden files: outputs that tests compare with, in `tests/golden/`; ``make golden`` stores new ones."""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
#: Whether golden files are stored, not compared with
STORES = "DBG_GOLDEN" in os.environ


def check_golden(name: str, content: bytes) -> None:
    """Fail if the content differs from the golden file; with ``$DBG_GOLDEN`` set, store it instead.

    Tests that call this carry the marker ``golden``, by which ``make golden`` selects them.
    """
    path = GOLDEN / name
    if STORES:
        path.write_bytes(content)
    assert content == path.read_bytes(), f"{name} differs; if it should, store it by: make golden"
