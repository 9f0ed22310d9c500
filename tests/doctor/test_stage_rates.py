"""Rates of stages are measured, kept, and used where they are sound."""

from __future__ import annotations

from dataclasses import replace

import pytest

from debruijn_gpu import cluster_estimation
from debruijn_gpu.assembly.stage_rates import DEFAULT_RATES
from debruijn_gpu.doctor import stage_rates


@pytest.fixture
def own_place(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_estimation, "cache_root", lambda: tmp_path / "place")
    return tmp_path / "place" / "stage_rates.json"


def test_stages_are_measured():
    found = stage_rates.measure(genome_bp=30_000)
    assert all(value for value in found.as_json().values())
    assert 0.001 < found.segments_per_kmer < 0.5
    assert found.machine.startswith("a core of ")


def test_defaults_hold_until_rates_are_measured(own_place):
    assert cluster_estimation.calibrated_rates() == DEFAULT_RATES
    measured = replace(DEFAULT_RATES, machine="another", count_s_per_kmer=1.0)
    assert cluster_estimation.save_rates(measured) == str(own_place)
    assert cluster_estimation.calibrated_rates() == measured


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"machine": 1}', b"\xff"])
def test_damaged_rates_are_not_used(own_place, content):
    own_place.parent.mkdir()
    own_place.write_bytes(content)
    assert cluster_estimation.calibrated_rates() == DEFAULT_RATES
