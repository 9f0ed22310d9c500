"""Clusters for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.distributed.clusters import Cluster


@pytest.fixture
def cluster(tmp_path):
    yield from _cluster(tmp_path / "cluster")


@pytest.fixture
def impatient_cluster(tmp_path):
    """A cluster whose workers are given up soon."""
    yield from _cluster(tmp_path / "cluster", silence_s=5)


def _cluster(place: Path, **options: Any) -> Iterator[Cluster]:
    place.mkdir()
    found = Cluster(place, **options)
    yield found
    found.close()
