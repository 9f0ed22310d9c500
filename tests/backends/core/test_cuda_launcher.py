"""Arguments of kernels in the layout of numba, whatever their types."""

from __future__ import annotations

import ctypes
import types
from contextlib import nullcontext

import numpy as np
import pytest

pytestmark = pytest.mark.cuda


class Array:
    """Stands for an array of CuPy."""

    def __init__(self, array):
        self.dtype, self.ndim, self.size = array.dtype, array.ndim, array.size
        self.shape, self.strides, self.flags = array.shape, array.strides, array.flags
        self._c_contiguous = array.flags.c_contiguous
        self.data = types.SimpleNamespace(ptr=array.ctypes.data)


def expected(arg):
    """Words of an argument: one, or the fields of an array."""
    if isinstance(arg, Array):
        return [0, 0, arg.size, arg.dtype.itemsize, arg.data.ptr, *arg.shape, *arg.strides]
    return [int(arg.view(f"u{arg.dtype.itemsize}")) if arg.dtype.kind == "f" else int(arg) % (1 << 64)]


ARGUMENTS = {
    "none": (),
    "arrays": (Array(np.arange(5, dtype=np.uint32)), Array(np.arange(7))),
    "scalars": (np.uint64(2**64 - 1), np.int64(-1), np.uint32(7), np.bool_(True), np.float64(-0.5), np.float32(1.5)),
    "mixed": (np.int64(3), Array(np.zeros((2, 3), np.int64)), np.uint8(1), Array(np.zeros(1, np.uint16)), np.int32(-2)),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_layout_of_numba(cuda, monkeypatch, name):
    from debruijn_gpu.backends.core.cuda import launcher

    launched = []

    def launch(handle, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra):
        wanted = [word for arg in ARGUMENTS[name] for word in expected(arg)]
        addresses = (ctypes.c_void_p * len(wanted)).from_address(parameters) if wanted else ()
        found = [ctypes.c_uint64.from_address(address).value for address in addresses]
        launched.append((handle, gx, bx, shared, found == wanted))

    driver = types.SimpleNamespace(launchKernel=launch)
    monkeypatch.setattr(launcher, "xp", types.SimpleNamespace(cuda=types.SimpleNamespace(driver=driver)))
    arguments = ARGUMENTS[name]
    kernel = launcher.Launcher(77, [(arg.dtype, arg.ndim) for arg in arguments])
    words, _ = launcher.words_and_types(arguments)
    for _ in range(2):
        kernel(words, 3, 256, 16)
    assert launched == [(77, 3, 256, 16, True)] * 2


def test_types_tell_kernels_apart(cuda):
    from debruijn_gpu.backends.core.cuda import launcher

    found = {name: launcher.words_and_types(arguments)[1] for name, arguments in ARGUMENTS.items()}
    assert len(set(found.values())) == len(found)
    several = [(Array(np.zeros(2, dtype)),) for dtype in (np.uint32, np.uint64)]
    several += [(Array(np.zeros((2, 2), np.uint64)),), (np.uint64(1),), (np.int64(1),), (np.float64(1),)]
    assert len({launcher.words_and_types(arguments)[1] for arguments in several}) == len(several)


def test_arrays_are_contiguous(cuda):
    from debruijn_gpu.backends.core.cuda import launcher

    with pytest.raises(ValueError, match="contiguous"):
        launcher.words_and_types((Array(np.arange(6)[::2]),))


class DriverError(Exception):
    """What CuPy raises of the driver."""

    def __init__(self, status):
        super().__init__(f"error {status}")
        self.status = status


@pytest.mark.parametrize(("room", "status", "expected_grids"), [(9, 720, [9]), (8, 720, [9, 1]), (0, 700, [9])])
def test_blocks_that_wait_are_no_more_than_run_at_once(cuda, monkeypatch, room, status, expected_grids):
    from debruijn_gpu.backends.core.cuda import launcher

    grids = []

    def launch(handle, gx, gy, gz, bx, by, bz, shared, stream, parameters):
        grids.append(gx)
        if gx > room:
            raise DriverError(status)

    driver = types.SimpleNamespace(launchCooperativeKernel=launch, CUDADriverError=DriverError)
    monkeypatch.setattr(launcher, "xp", types.SimpleNamespace(cuda=types.SimpleNamespace(driver=driver)))
    with pytest.raises(DriverError) if status == 700 else nullcontext():
        launcher.Launcher(77, []).together([], 9, 256)
    assert grids == expected_grids
