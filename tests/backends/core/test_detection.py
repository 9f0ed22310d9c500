"""What is said where CUDA cannot be used."""

from __future__ import annotations

import pytest

from debruijn_gpu import backends
from debruijn_gpu.backends.core import detection
from debruijn_gpu.errors import CudaUnavailableError
from debruijn_gpu.run.options import RunOptions

H200 = detection.Device("NVIDIA H200", (9, 0), 139 << 30)
PACKAGES = {"numba-cuda": "0.30.4", "cupy-cuda13x": "14.2.0", "numpy": "2.4.6"}


@pytest.fixture
def problems(monkeypatch):
    """A function that says what is wrong with a driver and packages."""

    def found(driver, **packages):
        versions = PACKAGES | {name.replace("_", "-"): version for name, version in packages.items()}
        monkeypatch.setattr(detection, "find_driver", lambda: driver)
        monkeypatch.setattr(detection, "version_of", versions.get)
        monkeypatch.setattr(detection, "is_simulated", lambda: False)
        monkeypatch.setattr(detection, "_import_problems", lambda: iter(()))
        return detection.cuda_problems()

    return found


def test_nothing_is_wrong(problems):
    assert problems(detection.Driver((13, 0), (H200,))) == []


@pytest.mark.parametrize(
    ("driver", "packages", "said"),
    [
        ("no NVIDIA driver is installed", {}, "no NVIDIA driver"),
        (detection.Driver((13, 0), ()), {}, "finds no GPU"),
        (detection.Driver((13, 0), (detection.Device("Tesla K80", (3, 7), 1 << 33),)), {}, "compute capability 3.7"),
        (detection.Driver((12, 2), (H200,)), {}, "needs a driver for CUDA 13, and this one supports 12.2"),
        (detection.Driver((13, 0), (H200,)), {"numba_cuda": None}, "numba-cuda is not installed"),
        (detection.Driver((13, 0), (H200,)), {"numba_cuda": "0.22.1"}, "0.30 or newer is needed"),
        (detection.Driver((13, 0), (H200,)), {"numpy": "2.5.2"}, "install numpy below 2.5"),
        (detection.Driver((13, 0), (H200,)), {"cupy_cuda13x": None}, "CuPy is not installed"),
        (detection.Driver((13, 0), (H200,)), {"cupy_cuda12x": "14.2.0"}, "are both installed"),
    ],
)
def test_what_is_wrong(problems, driver, packages, said):
    (sentence,) = problems(driver, **packages)
    assert said in sentence


def test_all_that_is_wrong_in_one_error(problems):
    problems("no NVIDIA driver is installed", numba_cuda=None)
    with pytest.raises(CudaUnavailableError, match=r"no NVIDIA driver.*; numba-cuda is not") as caught:
        backends.load_cuda(RunOptions(backend="cuda"))
    assert caught.value.exit_code == 70


@pytest.fixture
def several(monkeypatch):
    """Three GPUs; the last one is too old."""
    found = detection.Driver((13, 0), (H200, H200, detection.Device("Tesla K80", (3, 7), 1 << 33)))
    monkeypatch.setattr(detection, "find_driver", lambda: found)
    monkeypatch.setattr(detection, "is_simulated", lambda: False)


@pytest.mark.parametrize(("gpus", "devices"), [("1", (0,)), ("2", (0, 1))])
def test_gpus_are_taken_in_their_order(several, gpus, devices):
    assert detection.wanted_devices(gpus) == devices


@pytest.mark.parametrize(
    ("gpus", "said"), [("4", "--gpus 4: 3 GPUs are visible"), ("all", "Tesla K80.*capability 3.7")]
)
def test_gpus_that_cannot_be_had(several, gpus, said):
    with pytest.raises(CudaUnavailableError, match=said) as caught:
        detection.wanted_devices(gpus)
    assert "--gpus" in caught.value.fix


def test_what_cuda_does_not_do_is_an_error():
    with pytest.raises(CudaUnavailableError, match="does not run on GPUs"):
        backends.load(RunOptions(backend="cuda"))
