"""Measurement of the input size above which a GPU is faster."""

from __future__ import annotations

import json

from debruijn_gpu.backends import crossover
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.doctor import calibration


def test_measuring_one_backend_against_itself(monkeypatch, tmp_path):
    monkeypatch.setenv("DBG_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(calibration, "_SIZES", (100, 1000))
    monkeypatch.setattr(calibration, "_start", lambda backend: None)
    found = calibration.measure(CPU, CPU)
    assert found.keys() == crossover.DEFAULTS.keys()
    crossover.save(found)
    assert (
        json.loads((tmp_path / "debruijn_gpu" / "cutovers.json").read_text())["sort"]["n_bytes"]
        == found["sort"].n_bytes
    )


def test_the_crossing_of_two_lines(monkeypatch):
    seconds_per_byte = {"slow": 2e-9, "fast": 1e-9}
    monkeypatch.setattr(calibration, "_seconds_per_byte", lambda trial, backend: seconds_per_byte[backend])
    assert calibration._compare(None, "slow", "fast", 1.5).n_bytes == 1_500_000_000
    assert calibration._compare(None, "fast", "slow", 1.5).n_bytes == crossover.NEVER
