"""Speed up the start of commands: run work beside imports, and skip imports.

Of this the command line makes use; who imports the package gets everything as it is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence
    from importlib.abc import MetaPathFinder
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType
    from typing import Any
else:
    MetaPathFinder = object  # which takes milliseconds to import, and has no method that finders need

DRIVER = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"

#: Arguments of the command that this process runs; empty if it runs none
command_line: Sequence[str] = ()

_AHEAD = "debruijn_gpu.backends.core.ahead"
_PRELOADING = "debruijn_gpu.backends.core.preloading"

_opening: threading.Thread | None = None
_is_program = False


def is_simulated() -> bool:
    """Whether kernels run in numba's simulator."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def begin_command(args: Sequence[str], is_program: bool = False) -> None:
    """Note the command line, so that kernels can be compiled ahead, and open the device if it names CUDA.

    If it ``is_program``, the process ends with the command.
    """
    global command_line, _is_program
    command_line, _is_program = args, _is_program or is_program
    if asks_for_cuda(args):
        open_device()


def end_command() -> None:
    """End what compiles and loads kernels ahead."""
    global command_line
    command_line = ()
    if _AHEAD in sys.modules:
        sys.modules[_AHEAD].close()
    if _PRELOADING in sys.modules:
        sys.modules[_PRELOADING].end()


def asks_for_cuda(args: Sequence[str]) -> bool:
    """Whether a command line names CUDA; asked before anything is parsed, so a wrong answer must do no harm."""
    if "-h" in args or "--help" in args:
        return False
    return "--backend=cuda" in args or any(args[i : i + 2] == ["--backend", "cuda"] for i in range(len(args)))


def open_device() -> None:
    """Start the driver, open the first device, pin memory and load kernels in a thread, beside imports: 0.3 s.

    What does not work is left to those who need it; they open the same context again, which then is there. The
    thread is no daemon, because a process that ends while the driver starts may crash.
    """
    global _opening
    import threading

    if _opening is None and not is_simulated():
        _opening = threading.Thread(target=_open_device, name="dbg-open-device")
        _opening.start()


def _open_device() -> None:
    import ctypes

    from debruijn_gpu.backends.core import pinned

    buffers = pinned.Buffers(pinned.n_buffers(command_line))
    try:
        driver = ctypes.CDLL(DRIVER)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if (
            driver.cuInit(0) == 0
            and driver.cuDeviceGet(ctypes.byref(device), 0) == 0
            and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
            and command_line
            and driver.cuCtxSetCurrent(context) == 0
        ):
            buffers.pin(driver)
            from debruijn_gpu.backends.core import preloading  # imports NumPy, as the main thread has done by now

            preloading.load(driver, command_line)
    except (OSError, AttributeError):  # no driver, or an unknown one
        return


def release_device() -> None:
    """Give the device back in a thread, beside what is left of a command: 0.05 s of the 0.1 s that its end takes.

    Nothing may use the device from here on, so that only a program does it whose single command this is. Several
    devices stay open.
    """
    import threading

    if _opening is not None and _is_program:
        threading.Thread(target=_release_device, args=(_opening,), name="dbg-release-device").start()


def _release_device(opening: threading.Thread) -> None:
    import ctypes

    opening.join()
    try:
        driver = ctypes.CDLL(DRIVER)
        n_devices, opened = ctypes.c_int(), []
        driver.cuDeviceGetCount(ctypes.byref(n_devices))
        for number in range(n_devices.value):
            flags, is_open = ctypes.c_uint(), ctypes.c_int()
            driver.cuDevicePrimaryCtxGetState(number, ctypes.byref(flags), ctypes.byref(is_open))
            opened += [number] if is_open.value else []
        if len(opened) == 1:
            driver.cuDevicePrimaryCtxReset_v2(opened[0])
    except (OSError, AttributeError):  # no driver, or an unknown one
        return


class _NoScipyForNumba(MetaPathFinder):
    """Tells numba that SciPy is not installed. It looks for it to call BLAS, which no kernel does: 0.2 s."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "scipy" and _importer(sys._getframe(1)).startswith("numba"):
            raise ModuleNotFoundError("numba does not need SciPy here", name=fullname)
        return None


def _importer(frame: FrameType | None) -> str:
    """The module whose import statement led to a frame of the import machinery."""
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals.get("__name__", ""))


def leave_out_scipy() -> None:
    """Keep numba from importing SciPy, in this process and from now on."""
    if not any(isinstance(finder, _NoScipyForNumba) for finder in sys.meta_path):
        sys.meta_path.insert(0, _NoScipyForNumba())


#: Methods of dataclasses; most runs call few of them
_SELDOM_CALLED = frozenset(["__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"])


def defer_dataclass_methods() -> None:
    """Have `dataclasses` compile the methods of each class at their first calls, in this process: 0.15 s.

    Up to Python 3.12 it compiles each method on its own; later versions compile a class at once, and stay as they are.
    """
    import dataclasses

    create: Callable[..., Any] | None = getattr(dataclasses, "_create_fn", None)
    if create is None or create.__module__ == __name__:
        return

    def create_later(name: str, *args: Any, **options: Any) -> Any:
        if name not in _SELDOM_CALLED:
            return create(name, *args, **options)
        return _deferred_method(name, lambda: create(name, *args, **options))

    setattr(dataclasses, "_create_fn", create_later)  # noqa: B010 (mypy knows of no such name)


def _deferred_method(name: str, create: Callable[[], Any]) -> Any:
    """Return a method that is created, and takes its own place, when it is first called."""
    created: list[Any] = []  # others may hold the first one, as the wrapper of `__repr__` does

    def method(*values: Any, **named: Any) -> Any:
        if not created:
            created.append(create())
            created[0].__qualname__ = method.__qualname__
        for kind in type(values[0]).__mro__:
            if kind.__dict__.get(name) is method:
                setattr(kind, name, created[0])
        return created[0](*values, **named)

    method.__name__ = name
    return method
