"""What a worker of ``local:N`` loads when it starts: it leaves signals and messages to the command."""

from __future__ import annotations

import logging
import signal
from typing import Any

from debruijn_gpu.distributed import tasks as tasks  # loaded once, before there is work


def dask_setup(worker: Any) -> None:
    """Leave Ctrl-C, which a terminal sends to workers too, to the command, which ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("dbg").addHandler(logging.NullHandler())
    logging.getLogger("dbg").propagate = False
