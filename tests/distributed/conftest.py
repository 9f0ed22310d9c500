"""Clusters for tests."""

from __future__ import annotations

import pytest

from tests.distributed.clusters import Cluster


@pytest.fixture
def cluster(tmp_path):
    place = tmp_path / "cluster"
    place.mkdir()
    found = Cluster(place)
    yield found
    found.close()
