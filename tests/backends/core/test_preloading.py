"""Kernels that are loaded while the program is imported. In the simulator too, for nothing is compiled."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.backends.core import detection, kernel_store, preloading
from debruijn_gpu.backends.core.preloading import key_of

pytestmark = pytest.mark.cuda

problems = detection.cuda_problems()
if problems:
    pytest.skip("; ".join(problems), allow_module_level=True)

from debruijn_gpu.backends.core.cuda import store  # noqa: E402
from debruijn_gpu.backends.core.cuda.deferred import Kernel  # noqa: E402
from debruijn_gpu.backends.core.cuda.store import MachineCode  # noqa: E402

LINE = ["assemble", "reads.fq", "-k", "31", "--backend=cuda"]
ARGUMENTS = [(np.dtype(np.uint64), 1)]


class Driver:
    """Loads modules, numbered from 1; refuses those of one code."""

    def __init__(self, refused=b"none"):
        self.codes = []
        self._refused = refused

    def cuModuleLoadData(self, module, code):  # noqa: N802 (the driver's name)
        if code == self._refused:
            return 209
        self.codes.append(code)
        module._obj.value = len(self.codes)
        return 0


@pytest.fixture
def new_process(monkeypatch):
    """Forget what a process keeps; called again, as if another one began."""

    def forget():
        for name, value in (("_listed", []), ("_used", {}), ("_loaded", {}), ("_key", ""), ("_is_closed", False)):
            monkeypatch.setattr(preloading, name, value)

    forget()
    return forget


def kept_kernel(value):
    """A kernel whose machine code, of that value, is in the store."""

    def closing(x):
        return x, value

    function = Kernel(closing)
    name = kernel_store.name_of(function, store.signature_of(ARGUMENTS))
    kernel_store.keep("sm_90", name, store.packed(MachineCode(f"kernel_{value}", b"code %d" % value)))
    return function


def used(driver, *functions, line=LINE):
    """Run a command that uses kernels; what it gets for each."""
    preloading.load(driver, line)
    found = [store.load(function, ARGUMENTS, "90", is_first=True) for function in functions]
    preloading.end()
    return found


def test_names_of_options_tell_lists_apart():
    same = [LINE, ["assemble", "other.fq", "--backend=auto", "-k", "97"]]
    others = [[*LINE, "--no-pairs"], ["unitigs", *LINE[1:]], LINE[:-1]]
    assert len({key_of(line) for line in same}) == 1
    assert len({key_of(line) for line in [LINE, *others]}) == 4


def test_kernels_of_the_last_run_are_loaded(store_place, new_process):
    first, second, third = map(kept_kernel, (1, 2, 3))
    codes = [MachineCode(f"kernel_{i}", b"code %d" % i) for i in (1, 2, 3)]
    assert used(Driver(), second, first) == [codes[1], codes[0]]
    new_process()
    driver = Driver()
    found = used(driver, first, third, second)
    assert driver.codes == [b"code 2", b"code 1"]
    assert found == [MachineCode("kernel_1", b"", 2), codes[2], MachineCode("kernel_2", b"", 1)]
    new_process()
    used(driver := Driver(), third)
    assert sorted(driver.codes) == [b"code 1", b"code 2", b"code 3"]
    new_process()
    used(driver := Driver(), line=["sort", "--backend=cuda"])
    assert not driver.codes


def test_other_devices_load_for_themselves(store_place, new_process):
    function = kept_kernel(1)
    used(Driver(), function)
    new_process()
    preloading.load(Driver(), LINE)
    assert store.load(function, ARGUMENTS, "90") == MachineCode("kernel_1", b"code 1")


def test_what_the_driver_refuses_or_is_gone_is_left_out(store_place, new_process):
    refused, gone = map(kept_kernel, (1, 2))
    used(Driver(), refused, gone)
    for path in (store_place / "sm_90").iterdir():
        if b"code 2" in path.read_bytes():
            path.unlink()
    new_process()
    assert used(Driver(refused=b"code 1"), refused) == [MachineCode("kernel_1", b"code 1")]
    new_process()
    used(driver := Driver(), refused, kept_kernel(3))
    assert driver.codes == [b"code 1"]
    lists = kernel_store.find(kernel_store.LISTS, key_of(LINE)).decode().splitlines()
    assert len(lists) == 2  # without the one that is gone


def test_nothing_is_written_where_nothing_is_new(store_place, new_process):
    function = kept_kernel(1)
    used(Driver(), function)
    (path,) = (store_place / kernel_store.LISTS).iterdir()
    before = path.stat().st_mtime_ns
    new_process()
    used(Driver(), function)
    assert path.stat().st_mtime_ns == before


def test_a_damaged_list_is_none(store_place, new_process):
    function = kept_kernel(1)
    used(Driver(), function)
    (path,) = (store_place / kernel_store.LISTS).iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    new_process()
    used(driver := Driver(), function)
    assert not driver.codes


def test_loading_ends_with_the_command(store_place, new_process):
    function = kept_kernel(1)
    used(Driver(), function)
    new_process()
    preloading.end()
    preloading.load(driver := Driver(), LINE)
    assert not driver.codes


def test_a_store_holds_no_kernels_for_lists(store_place, new_process):
    used(Driver(), kept_kernel(1))
    assert kernel_store.kept() == {"sm_90": 1}
