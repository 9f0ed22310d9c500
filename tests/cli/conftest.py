"""Inputs of several commands."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.helpers import RINGS


@pytest.fixture
def rings(tmp_path: Path) -> Path:
    path = tmp_path / "rings.txt"
    path.write_text(RINGS)
    return path


@pytest.fixture(scope="session")
def many_reads(tmp_path_factory) -> Path:
    """Enough to be busy with for some tenths of a second."""
    genome = "".join(random.Random(1).choices("ACGT", k=300_000))
    starts = random.Random(2).choices(range(len(genome) - 150), k=60_000)
    path = tmp_path_factory.mktemp("many") / "reads.fa"
    path.write_text("".join(f">\n{genome[i : i + 150]}\n" for i in starts))
    return path


@pytest.fixture(autouse=True)
def many_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many CPUs as tests ask threads for, on any machine."""
    monkeypatch.setattr("debruijn_gpu.cli.common.allowed_cpus", lambda: 8)
