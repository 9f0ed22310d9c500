"""Entry point of ``dbg`` and ``python -m debruijn_gpu``.

Signals are answered before anything else is imported: that takes a tenth of a second, and an interrupt within an
import would print a traceback.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found] # built in; `signal` takes milliseconds to import
import gc
import os
import sys


def main() -> None:
    """Run `dbg`; never returns."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # which ends the process without a word
    from debruijn_gpu.run import signals

    signals.leave_at_once()
    gc.disable()  # until the command is imported: imports leave no garbage
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts as many threads, which wait in a loop
    # One hardware queue does for one stream, and each of the usual eight costs a process 10 ms.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "1")
    from debruijn_gpu.backends.core import startup

    startup.begin_command(sys.argv[1:], is_program=True)
    from debruijn_gpu import cli

    try:
        cli.main()
    except SystemExit as end:
        if sys.gettrace() or sys.getprofile() or not isinstance(end.code, int):
            raise
        os._exit(end.code)  # all is closed and written; to take the interpreter and the driver down takes 0.1 s


if __name__ == "__main__":
    main()
