"""Speed up the start of commands: run work beside imports, and skip imports.

Of this the command line makes use; who imports the package gets everything as it is.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence
    from importlib.abc import MetaPathFinder
    from importlib.machinery import ModuleSpec
    from types import FrameType, ModuleType
else:
    MetaPathFinder = object  # which takes milliseconds to import, and has no method that finders need

DRIVER = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"

_opening: threading.Thread | None = None


def is_simulated() -> bool:
    """Whether kernels run in numba's simulator."""
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def asks_for_cuda(args: Sequence[str]) -> bool:
    """Whether a command line names CUDA; asked before anything is parsed, so a wrong answer must do no harm."""
    if "-h" in args or "--help" in args:
        return False
    return "--backend=cuda" in args or any(args[i : i + 2] == ["--backend", "cuda"] for i in range(len(args)))


def open_device() -> None:
    """Start the driver and open the first device in a thread: 0.2 s, in which modules can be imported.

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

    try:
        driver = ctypes.CDLL(DRIVER)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), 0) == 0:
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
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
