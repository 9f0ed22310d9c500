"""Entry point of ``dbg`` and ``python -m debruijn_gpu``.

Signals are answered before anything else is imported: that takes a tenth of a second, and an interrupt within an
import would print a traceback.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found] # built in; `signal` takes milliseconds to import
import gc
import os


def main() -> None:
    """Run `dbg`; never returns."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # which ends the process without a word
    from debruijn_gpu.run import signals

    signals.leave_at_once()
    gc.disable()  # until the command is imported: imports leave no garbage
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy starts as many threads, which wait in a loop
    from debruijn_gpu import cli

    cli.main()


if __name__ == "__main__":
    main()
