"""Detect whether CUDA is usable, and report the reason if not."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

from debruijn_gpu.backends.core.startup import DRIVER, is_simulated
from debruijn_gpu.errors import CudaUnavailableError
from debruijn_gpu.run.options import ALL_GPUS
from debruijn_gpu.run.plain_text import counted
from debruijn_gpu.run.resources import format_bytes
from debruijn_gpu.run.versions import version_of as version_of

_LEAST_CAPABILITY = (7, 5)  # what CUDA 13 and numba-cuda compile for
_LEAST_FREE = 256 << 20
_CUPY_PACKAGES = {"cupy-cuda13x": 13, "cupy-cuda12x": 12}


@dataclass(frozen=True)
class Device:
    """A GPU, as its driver describes it."""

    name: str
    capability: tuple[int, int]
    memory: int  # bytes


@dataclass(frozen=True)
class Driver:
    """The CUDA driver: the newest CUDA that it supports, and its devices."""

    version: tuple[int, int]
    devices: tuple[Device, ...]


def find_driver() -> Driver | str:
    """The driver and its devices, or why there are none."""
    try:
        cuda = ctypes.CDLL(DRIVER)
    except OSError:
        return f"no NVIDIA driver is installed ({DRIVER} is not found)"
    code = cuda.cuInit(0)
    if code == 100:
        return "the NVIDIA driver finds no GPU (is one visible? see CUDA_VISIBLE_DEVICES)"
    if code:
        return f"the NVIDIA driver does not start (cuInit: error {code})"
    number = ctypes.c_int()
    cuda.cuDriverGetVersion(ctypes.byref(number))
    version = (number.value // 1000, number.value % 1000 // 10)
    cuda.cuDeviceGetCount(ctypes.byref(number))
    return Driver(version, tuple(_describe(cuda, i) for i in range(number.value)))


def _describe(cuda: ctypes.CDLL, ordinal: int) -> Device:
    handle, value, size = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    name = ctypes.create_string_buffer(256)
    cuda.cuDeviceGet(ctypes.byref(handle), ordinal)
    cuda.cuDeviceGetName(name, len(name), handle)
    cuda.cuDeviceTotalMem_v2(ctypes.byref(size), handle)
    capability = []
    for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
        cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, handle)
        capability.append(value.value)
    return Device(name.value.decode(), (capability[0], capability[1]), size.value)


def device_name() -> str:
    """Return the model of the GPU that kernels run on; empty without one."""
    if is_simulated():
        return "simulator"
    driver = find_driver()
    return driver.devices[0].name if isinstance(driver, Driver) and driver.devices else ""


def wanted_devices(gpus: str) -> tuple[int, ...]:
    """Return the GPUs to use, by their numbers in CUDA, of those that are visible.

    Parameters
    ----------
    gpus : str
        How many; ``all`` for all that there are.

    Raises
    ------
    CudaUnavailableError
        If there are fewer, or one of them is too old.
    """
    driver = None if is_simulated() else find_driver()
    visible = driver.devices if isinstance(driver, Driver) else (None,)
    n = len(visible) if gpus == ALL_GPUS else int(gpus)
    if n > len(visible):
        raise CudaUnavailableError(
            f"--gpus {n}: {counted(len(visible), 'GPU is', 'GPUs are')} visible",
            f"give --gpus {ALL_GPUS}, or see CUDA_VISIBLE_DEVICES; dbg doctor lists the GPUs",
        )
    for device in visible[1:n]:
        if device is not None and device.capability < _LEAST_CAPABILITY:
            raise CudaUnavailableError(_too_old(device), "leave it out by CUDA_VISIBLE_DEVICES, or give --gpus 1")
    return tuple(range(n))


def _too_old(device: Device) -> str:
    have, need = (".".join(map(str, pair)) for pair in (device.capability, _LEAST_CAPABILITY))
    return f"the GPU ({device.name}) has compute capability {have}, and {need} is needed"


def cuda_problems() -> list[str]:
    """Why CUDA cannot be used, one sentence each; empty if it can be, or is simulated."""
    if is_simulated():
        return []
    driver = find_driver()
    problems = [*_driver_problems(driver), *_package_problems(driver)]
    return problems or list(_import_problems())


def _driver_problems(driver: Driver | str) -> Iterator[str]:
    if isinstance(driver, str):
        yield driver
        return
    if not driver.devices:
        yield "the NVIDIA driver finds no GPU (is one visible? see CUDA_VISIBLE_DEVICES)"
    for device in driver.devices[:1]:
        if device.capability < _LEAST_CAPABILITY:
            yield _too_old(device)


def _package_problems(driver: Driver | str) -> Iterator[str]:
    numba_cuda, numpy = version_of("numba-cuda"), version_of("numpy")
    if numba_cuda is None:
        yield "numba-cuda is not installed (extra cuda13 or cuda12)"
    elif _numbers(numba_cuda) < (0, 30):
        yield f"numba-cuda is {numba_cuda}, and 0.30 or newer is needed"
    elif _numbers(numba_cuda) < (0, 31) and _numbers(numpy or "0") >= (2, 5):
        yield f"numba-cuda {numba_cuda} fails with numpy {numpy}: install numpy below 2.5"
    installed = [package for package in _CUPY_PACKAGES if version_of(package)]
    if not installed and version_of("cupy") is None:
        yield "CuPy is not installed (extra cuda13 or cuda12)"
    if len(installed) > 1:
        yield f"{' and '.join(installed)} are both installed: remove one"
    elif installed and isinstance(driver, Driver) and driver.version[0] < _CUPY_PACKAGES[installed[0]]:
        has = ".".join(map(str, driver.version))
        needed = _CUPY_PACKAGES[installed[0]]
        yield f"{installed[0]} needs a driver for CUDA {needed}, and this one supports {has}: install the extra cuda12"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _import_problems() -> Iterator[str]:
    try:
        from debruijn_gpu.backends.core.cuda import runtime

        free, _ = runtime.device_memory()
    except CudaUnavailableError as error:
        yield error.what
    except Exception as error:  # whatever a broken installation raises
        yield f"CUDA does not start ({type(error).__name__}: {error})"
    else:
        if free < _LEAST_FREE:
            yield f"the GPU has {format_bytes(free)} of memory left, and {format_bytes(_LEAST_FREE)} are needed"
