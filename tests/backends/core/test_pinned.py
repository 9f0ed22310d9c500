"""Memory that is pinned while the program is imported."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os

import numpy as np
import pytest

from debruijn_gpu.backends.core import pinned, startup
from debruijn_gpu.io.opening import HEADROOM


class Driver:
    """Gives ordinary memory in place of pinned memory, to a limit."""

    def __init__(self, n_given, has_huge_pages=False):
        self.given = []
        self.registered = []
        self._has_huge_pages = has_huge_pages
        self._n_left = n_given

    def cuMemHostRegister_v2(self, address, n_bytes, flags):  # noqa: N802 (the driver's name)
        self.registered.append((address.value, n_bytes.value))
        return 0 if self._has_huge_pages else 801

    def cuMemHostAlloc(self, address, n_bytes, flags):  # noqa: N802 (the driver's name)
        if not self._n_left:
            return 2
        self._n_left -= 1
        buffer = ctypes.create_string_buffer(n_bytes.value)
        self.given.append(buffer)
        address._obj.value = ctypes.addressof(buffer)
        return 0

    def __getattr__(self, name):
        return lambda *args: 0


@pytest.fixture
def no_buffers(monkeypatch):
    monkeypatch.setattr(pinned, "_addresses", [])


@pytest.fixture
def files(tmp_path):
    """Files without content: three blocks and a bit of text, half a block, and more than is pinned."""
    sizes = {
        "three.fq": 3 * pinned.TEXT_BYTES + 5,
        "half.fq": pinned.TEXT_BYTES // 2,
        "many.fq": 60 * pinned.TEXT_BYTES,
    }
    for name, n_bytes in sizes.items():
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, n_bytes)
    return {name: str(tmp_path / name) for name in sizes}


def test_a_buffer_holds_the_text_of_a_block_and_the_room_before_it():
    assert pinned.BUFFER_BYTES == pinned.TEXT_BYTES + HEADROOM


def test_buffers_of_the_files_of_a_command_line(files, tmp_path):
    three, half, many = files.values()
    assert pinned.n_buffers(["assemble", "-1", three, "-2", half, "--backend", "cuda"]) == 3
    assert pinned.n_buffers(["assemble", half, str(tmp_path), "no\0name", str(tmp_path / "missing.fq")]) == 0
    assert pinned.n_buffers(["count", many, three]) == 12
    assert pinned.n_buffers(["count", many, three, three]) == 0  # which are read in larger blocks
    assert pinned.n_buffers(["sort", many]) == 0
    assert pinned.n_buffers([]) == 0


@pytest.mark.usefixtures("no_buffers")
def test_buffers_serve_again_when_nothing_refers_to_them():
    driver = Driver(2)
    pinned.Buffers(3).pin(driver)
    first, second = pinned.take(pinned.BUFFER_BYTES), pinned.take(pinned.BUFFER_BYTES - 1)
    assert {ctypes.addressof(first), ctypes.addressof(second)} == set(map(ctypes.addressof, driver.given))
    assert pinned.take(pinned.BUFFER_BYTES) is None
    array = np.frombuffer(first, np.uint8, 7)[2:]
    address = ctypes.addressof(first)
    del first
    gc.collect()
    assert pinned.take(pinned.BUFFER_BYTES) is None
    del array
    gc.collect()
    assert ctypes.addressof(pinned.take(pinned.BUFFER_BYTES)) == address


@pytest.mark.usefixtures("no_buffers")
@pytest.mark.parametrize("n_bytes", [1, pinned.BUFFER_BYTES // 2, pinned.BUFFER_BYTES + 1])
def test_other_sizes_get_no_buffer(n_bytes):
    driver = Driver(1)
    pinned.Buffers(1).pin(driver)
    assert pinned.take(n_bytes) is None


@pytest.mark.usefixtures("no_buffers")
@pytest.mark.parametrize("n_given", [0, 2, 9])
def test_opening_the_device_pins_memory_for_files(monkeypatch, files, n_given):
    driver = Driver(n_given)
    monkeypatch.setattr(startup, "_opening", None)
    monkeypatch.setattr(startup, "is_simulated", lambda: False)
    monkeypatch.setattr(startup, "command_line", ["assemble", files["three.fq"]])
    monkeypatch.setattr("ctypes.CDLL", lambda name: driver)
    startup.open_device()
    startup._opening.join()
    assert len(driver.given) == len(pinned._addresses) == min(n_given, 3)


@pytest.mark.usefixtures("no_buffers")
@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no huge pages")
def test_buffers_lie_side_by_side_in_huge_pages():
    driver = Driver(0, has_huge_pages=True)
    pinned.Buffers(3).pin(driver)
    [(start, n_bytes)] = driver.registered
    assert start % (2 << 20) == 0
    assert n_bytes == 3 * pinned.BUFFER_BYTES
    buffers = [pinned.take(pinned.BUFFER_BYTES) for _ in range(3)]
    assert sorted(map(ctypes.addressof, buffers)) == [start + i * pinned.BUFFER_BYTES for i in range(3)]
    for buffer in buffers:
        ctypes.memset(ctypes.addressof(buffer), 7, pinned.BUFFER_BYTES)


@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no huge pages")
def test_memory_stays_until_it_is_written_where_the_device_does_not_open():
    for _ in range(20):
        writing = pinned.Buffers(4)._writing
    gc.collect()
    writing.join()


@pytest.mark.usefixtures("no_buffers")
@pytest.mark.skipif(not hasattr(mmap, "MADV_HUGEPAGE"), reason="the system has no huge pages")
def test_pages_are_written_before_they_are_pinned():
    class Checking(Driver):
        def cuMemHostRegister_v2(self, address, n_bytes, flags):  # noqa: N802 (the driver's name)
            resident = (ctypes.c_ubyte * (n_bytes.value // mmap.PAGESIZE))()
            libc = ctypes.CDLL(None)
            assert libc.mincore(address, n_bytes, resident) == 0
            assert all(byte & 1 for byte in resident)
            return super().cuMemHostRegister_v2(address, n_bytes, flags)

    driver = Checking(0, has_huge_pages=True)
    pinned.Buffers(2).pin(driver)
    assert len(driver.registered) == 1
