"""Transfer between host and device; large arrays in chunks, through pinned memory, by several threads.

Memory of the host that is not pinned is copied by one thread of the driver. CuPy pins as much memory as the array has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from debruijn_gpu.backends.core import pinned
from debruijn_gpu.backends.core.cuda import devices
from debruijn_gpu.backends.core.cuda.array_module import SIMULATED, is_contiguous, xp
from debruijn_gpu.run.parallel import ordered_map
from debruijn_gpu.run.resources import allowed_cpus
from debruijn_gpu.run.tuning import tuning

_CHUNK = 8 << 20  # bytes
_MOST_THREADS = 4  # for each GPU


def to_device(array: Any) -> Any:
    """A NumPy array as an array of the device."""
    array = np.ascontiguousarray(array)
    if SIMULATED or array.nbytes < tuning().staged_bytes:
        return xp.asarray(array)
    on_device = xp.empty(array.shape, array.dtype)
    _by_threads(_upload, array.reshape(-1).view(np.uint8), on_device.reshape(-1).view(np.uint8))
    return on_device


def to_host(array: Any) -> Any:
    """An array of the device as a NumPy array."""
    if SIMULATED or array.nbytes < tuning().staged_bytes or not is_contiguous(array):
        return xp.asnumpy(array)
    on_host = np.empty(array.shape, array.dtype)
    write_to_host(array, on_host)
    return on_host


def write_to_host(array: Any, on_host: Any) -> None:
    """Copy a contiguous array of the device to a NumPy array of its size."""
    if SIMULATED:
        on_host[...] = array
    elif array.nbytes < tuning().staged_bytes:
        if array.size:
            array.get(out=on_host)
    else:
        _by_threads(_download, array.reshape(-1).view(np.uint8), on_host.reshape(-1).view(np.uint8))


def host_buffer(n_bytes: int) -> Any:
    """Uninitialised bytes (uint8) of host memory that the device reaches at full speed, if such memory can be had."""
    if not n_bytes or SIMULATED:
        return np.empty(n_bytes, np.uint8)
    if (buffer := pinned.take(n_bytes)) is not None:
        return np.frombuffer(buffer, np.uint8, n_bytes)
    step = 1 << max(9, n_bytes.bit_length() - 4)  # CuPy keeps what is given back for requests of the same size alone
    try:
        memory = xp.cuda.alloc_pinned_memory(-(-n_bytes // step) * step)
    except xp.cuda.runtime.CUDARuntimeError:  # the system does not allow as much
        return np.empty(n_bytes, np.uint8)
    return np.frombuffer(memory, np.uint8, n_bytes)


def _by_threads(copy: Callable[[Any, Any, range], None], source: Any, target: Any) -> None:
    """Copy bytes in chunks, each thread every n-th one, on streams that wait for what the device was asked for."""
    device = devices.current()
    n_threads = max(1, min(_MOST_THREADS, allowed_cpus() // len(devices.ranks()), -(-source.size // _CHUNK)))
    xp.cuda.runtime.deviceSynchronize()

    def work(thread: int) -> None:
        with devices.on(device):
            copy(source, target, range(thread * _CHUNK, source.size, n_threads * _CHUNK))

    list(ordered_map(work, range(n_threads), n_threads))


class _Buffers:
    """Two buffers of pinned memory that take turns, and a stream that copies from or to them."""

    def __init__(self) -> None:
        self.stream = xp.cuda.Stream(non_blocking=True)
        self._buffers = [host_buffer(_CHUNK) for _ in range(2)]
        self._done = [xp.cuda.Event(disable_timing=True) for _ in range(2)]

    def free(self, number: int) -> Any:
        """The buffer of a chunk, when the stream has done what it was last used for."""
        self._done[number % 2].synchronize()
        return self._buffers[number % 2]

    def used(self, number: int) -> None:
        """Note that the stream was asked to use the buffer of a chunk."""
        self._done[number % 2].record(self.stream)


def _upload(source: Any, target: Any, starts: range) -> None:
    """Copy some chunks of a NumPy array to the device."""
    buffers = _Buffers()
    for number, start in enumerate(starts):
        part = source[start : start + _CHUNK]
        buffer = buffers.free(number)[: part.size]
        np.copyto(buffer, part)
        target[start : start + part.size].set(buffer, stream=buffers.stream)
        buffers.used(number)
    buffers.stream.synchronize()


def _download(source: Any, target: Any, starts: range) -> None:
    """Copy some chunks of an array of the device to a NumPy array."""
    buffers = _Buffers()
    for number, start in enumerate((*starts, None)):
        if start is not None:
            part = source[start : start + _CHUNK]
            part.get(stream=buffers.stream, out=buffers.free(number)[: part.size], blocking=False)
            buffers.used(number)
        if number:
            before = target[starts[number - 1] : starts[number - 1] + _CHUNK]
            np.copyto(before, buffers.free(number - 1)[: before.size])
