"""Arrays in the memories of several GPUs, at consecutive addresses that each of them reads and writes.

The driver maps physical memory of each GPU into one range of virtual addresses (CUDA Driver API, Virtual Memory
Management). CuPy has no functions for that, so the driver is called directly.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from debruijn_gpu.backends.core.array_types import Array
from debruijn_gpu.backends.core.cuda import devices, memory, runtime
from debruijn_gpu.backends.core.cuda.array_module import SIMULATED, xp
from debruijn_gpu.backends.core.startup import DRIVER
from debruijn_gpu.errors import DeviceLostError, DeviceMemoryError
from debruijn_gpu.run.resources import format_bytes

_NO_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
_PINNED, _DEVICE, _READ_AND_WRITE = 1, 1, 3


class _Location(ctypes.Structure):
    """CUmemLocation."""

    _fields_ = (("type", ctypes.c_int), ("id", ctypes.c_int))


class _Properties(ctypes.Structure):
    """CUmemAllocationProp."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("handle_types", ctypes.c_int),
        ("location", _Location),
        ("windows_metadata", ctypes.c_void_p),
        ("flags", ctypes.c_ubyte * 8),
    )


class _Access(ctypes.Structure):
    """CUmemAccessDesc."""

    _fields_ = (("location", _Location), ("flags", ctypes.c_int))


def _properties(device: int) -> _Properties:
    return _Properties(type=_PINNED, location=_Location(_DEVICE, device))


def _call(name: str, *arguments: Any) -> None:
    """Call a function of the driver."""
    code = getattr(ctypes.CDLL(DRIVER), name)(*arguments)
    if code == _NO_MEMORY:
        raise DeviceMemoryError("Out of GPU memory: for an array on several GPUs", "take more GPUs, or larger ones")
    if code:
        raise DeviceLostError(f"{name} failed: error {code}", "see dmesg and nvidia-smi, or run with --gpus 1")


class _Mapping:
    """Physical memory of some GPUs at consecutive addresses.

    Parameters
    ----------
    n_bytes : int
    ranks : sequence of int
        GPUs, each with an equal part.
    """

    def __init__(self, n_bytes: int, ranks: Sequence[int]) -> None:
        granularity = ctypes.c_size_t()
        _call("cuMemGetAllocationGranularity", ctypes.byref(granularity), ctypes.byref(_properties(ranks[0])), 0)
        self._part = math.ceil(n_bytes / (len(ranks) * granularity.value)) * granularity.value
        self._size = self._part * len(ranks)
        address = ctypes.c_uint64()
        sizes = (ctypes.c_size_t(self._size), ctypes.c_size_t(0))
        _call("cuMemAddressReserve", ctypes.byref(address), *sizes, ctypes.c_uint64(0), ctypes.c_uint64(0))
        self.address = int(address.value)
        self._handles: list[int] = []
        self._finalizer = weakref.finalize(self, _unmap, self.address, self._size, self._part, self._handles)
        for rank in ranks:
            self._map(rank)
        access = (_Access * len(ranks))(*(_Access(_Location(_DEVICE, rank), _READ_AND_WRITE) for rank in ranks))
        size = ctypes.c_size_t(self._size)
        _call("cuMemSetAccess", ctypes.c_uint64(self.address), size, access, ctypes.c_size_t(len(ranks)))

    def _map(self, device: int) -> None:
        """Map the next part, in the memory of a GPU."""
        handle, size, none = ctypes.c_uint64(), ctypes.c_size_t(self._part), ctypes.c_uint64(0)
        _call("cuMemCreate", ctypes.byref(handle), size, ctypes.byref(_properties(device)), none)
        at = ctypes.c_uint64(self.address + self._part * len(self._handles))
        self._handles.append(int(handle.value))
        _call("cuMemMap", at, size, ctypes.c_size_t(0), handle, none)


def _unmap(address: int, size: int, part: int, handles: list[int]) -> None:
    """Give physical memory and addresses back; kernels that use them must be done."""
    driver = ctypes.CDLL(DRIVER)
    for i, handle in enumerate(handles):
        driver.cuMemUnmap(ctypes.c_uint64(address + i * part), ctypes.c_size_t(part))
        driver.cuMemRelease(ctypes.c_uint64(handle))
    driver.cuMemAddressFree(ctypes.c_uint64(address), ctypes.c_size_t(size))


def empty_across(n: int, dtype: Any, ranks: Sequence[int]) -> Array:
    """Return an uninitialised array in the memories of some GPUs, an equal part of it in each.

    Whoever drops it waits before until all GPUs are done with it.

    Parameters
    ----------
    n : int
    dtype : dtype
    ranks : sequence of int
        Numbers of the GPUs; an array of one GPU is an ordinary one.

    Raises
    ------
    DeviceMemoryError
        If there is no room.
    """
    own = sorted(set(ranks))
    if SIMULATED or len(own) == 1 or not n:
        return xp.empty(n, dtype)
    n_bytes = n * np.dtype(dtype).itemsize
    for device in own:
        with devices.on(device):
            runtime.free_pool_blocks()
            if memory.left() < n_bytes // len(own):
                raise DeviceMemoryError(
                    f"Out of GPU memory: {format_bytes(n_bytes // len(own))} are needed on each GPU, "
                    f"{format_bytes(memory.left())} are left",
                    "take more GPUs, larger ones, or run with --backend cpu",
                )
    try:
        mapping = _Mapping(n_bytes, own)
    except DeviceMemoryError as error:
        raise DeviceMemoryError(f"{error.what}: {format_bytes(n_bytes)}", error.fix) from error
    whole = xp.cuda.UnownedMemory(mapping.address, n_bytes, mapping, own[0])
    return xp.ndarray((n,), dtype, xp.cuda.MemoryPointer(whole, 0))
