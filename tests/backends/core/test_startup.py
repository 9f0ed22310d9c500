"""What is done beside the imports, and what is left out of them."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading

import pytest

from debruijn_gpu.backends.core import startup


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("sort --backend cuda x", True),
        ("sort x --backend=cuda", True),
        ("sort --backend", False),
        ("sort --backend cpu cuda", False),
        ("sort --backend cuda --help", False),
        ("sort -h --backend=cuda", False),
        ("sort cuda", False),
        ("", False),
    ],
)
def test_asking_for_cuda(line, asks):
    assert startup.asks_for_cuda(line.split()) is asks


class FakeDriver:
    """Notes what is called; fails at one call."""

    def __init__(self, fails=""):
        self.calls = []
        self._fails = fails

    def __getattr__(self, name):
        if name == "missing" or (name == self._fails == "cuDeviceGet"):
            raise AttributeError(name)

        def call(*args):
            self.calls.append(name)
            return int(name == self._fails)

        return call


@pytest.mark.parametrize(
    ("fails", "calls"),
    [
        ("", ["cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain"]),
        ("cuInit", ["cuInit"]),
        ("cuDeviceGet", ["cuInit"]),
    ],
)
def test_opening_the_device(monkeypatch, fails, calls):
    driver = FakeDriver(fails)
    monkeypatch.setattr(startup, "_opening", None)
    monkeypatch.setattr(startup, "is_simulated", lambda: False)
    monkeypatch.setattr("ctypes.CDLL", lambda name: driver)
    startup.open_device()
    startup.open_device()  # once is enough
    startup._opening.join()
    assert driver.calls == calls


class DevicesDriver:
    """A driver with several devices; each is open or not."""

    def __init__(self, is_open):
        self.reset = []
        self._is_open = is_open

    def cuDeviceGetCount(self, number):  # noqa: N802 (the driver's name)
        number._obj.value = len(self._is_open)

    def cuDevicePrimaryCtxGetState(self, device, flags, is_open):  # noqa: N802 (the driver's name)
        is_open._obj.value = self._is_open[device]

    def cuDevicePrimaryCtxReset_v2(self, device):  # noqa: N802 (the driver's name)
        self.reset.append(device)


@pytest.mark.parametrize(
    ("is_program", "is_open", "reset"),
    [
        (True, [1], [0]),
        (True, [0, 1], [1]),
        (True, [0, 0], []),
        (True, [1, 1], []),
        (False, [1], []),
    ],
)
def test_a_program_gives_back_its_only_device(monkeypatch, is_program, is_open, reset):
    driver = DevicesDriver(is_open)
    opening = threading.Thread(target=list)
    opening.start()
    monkeypatch.setattr(startup, "_opening", opening)
    monkeypatch.setattr(startup, "_is_program", False)
    monkeypatch.setattr(startup, "command_line", ())
    monkeypatch.setattr("ctypes.CDLL", lambda name: driver)
    startup.begin_command(["assemble"], is_program)
    startup.release_device()
    for thread in threading.enumerate():
        if thread.name == "dbg-release-device":
            thread.join()
    assert driver.reset == reset


def test_nothing_is_given_back_that_was_not_opened(monkeypatch):
    monkeypatch.setattr(startup, "_opening", None)
    monkeypatch.setattr(startup, "_is_program", True)
    monkeypatch.setattr("ctypes.CDLL", lambda name: pytest.fail(f"{name} is loaded"))
    startup.release_device()
    assert not [thread for thread in threading.enumerate() if thread.name == "dbg-release-device"]


def test_no_driver_is_no_error(monkeypatch):
    looked_for: list[str] = []
    failures: list[BaseException] = []

    def fail(name):
        looked_for.append(name)
        raise OSError(name)

    monkeypatch.setattr(startup, "_opening", None)
    monkeypatch.setattr(startup, "is_simulated", lambda: False)
    monkeypatch.setattr("ctypes.CDLL", fail)
    monkeypatch.setattr(threading, "excepthook", lambda raised: failures.append(raised.exc_value))
    startup.open_device()
    startup._opening.join()
    assert (looked_for, failures) == ([startup.DRIVER], [])


@pytest.mark.process
def test_scipy_is_left_out_for_numba_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("DBG_CACHE_DIR", str(tmp_path / "cache"))  # where nothing is compiled yet
    pytest.importorskip("scipy")
    code = (
        "import sys\n"
        "from debruijn_gpu.cli import main\n"
        "try: main(['lookandsay', '1', '-n', '30', '-q', '-o', 'out.txt'])\n"
        "except SystemExit as end: assert not end.code\n"
        "import numba\n"
        "assert numba.njit(lambda x: x + 1)(1) == 2\n"
        "assert 'numba.np.arraymath' in sys.modules\n"
        "print('scipy' in sys.modules, end=' ')\n"
        "import scipy.linalg.cython_blas\n"
        "print('scipy' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert done.stdout == "False True\n"


def test_methods_of_dataclasses_are_compiled_when_they_are_called(monkeypatch):
    if not hasattr(dataclasses, "_create_fn"):
        pytest.skip("this Python compiles all methods of a class at once")
    created = []
    create = dataclasses._create_fn
    monkeypatch.setattr(dataclasses, "_create_fn", lambda name, *a, **k: created.append(name) or create(name, *a, **k))
    startup.defer_dataclass_methods()

    @dataclasses.dataclass(frozen=True, order=True)
    class Point:
        x: int
        y: int = 2

    assert "__repr__" not in created
    assert repr(Point(1)) == f"{Point.__qualname__}(x=1, y=2)"
    assert Point(1) == Point(1, 2) < Point(2)
    assert hash(Point(3)) == hash(Point(3))
    assert repr(Point(4)) == f"{Point.__qualname__}(x=4, y=2)"
    assert created.count("__repr__") == created.count("__init__") == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 3
    with pytest.raises(TypeError, match="required positional argument: 'x'"):
        Point()
