"""Inputs of several commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import RINGS


@pytest.fixture
def rings(tmp_path: Path) -> Path:
    path = tmp_path / "rings.txt"
    path.write_text(RINGS)
    return path


@pytest.fixture(autouse=True)
def many_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many CPUs as tests ask threads for, on any machine."""
    monkeypatch.setattr("debruijn_gpu.cli.common.allowed_cpus", lambda: 8)
