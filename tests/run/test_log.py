"""What the log tells of stages."""

from __future__ import annotations

import threading
import time
from contextvars import copy_context

from debruijn_gpu.run import log


def test_share_of_a_step_that_several_threads_do():
    log.configure(-1)

    def inflate():
        with log.busy("inflate"):
            time.sleep(0.1)

    with log.stage("read") as stage:
        threads = [threading.Thread(target=copy_context().run, args=(inflate,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        inflate()
        time.sleep(0.1)
        log.add_cpu_time("inflate", 2.0)
    assert 0.19 < stage.shares["inflate"].wall_s < stage.wall_s - 0.09  # lower bounds of sleeps: true on any machine
    assert 2.0 <= stage.parts["inflate"] < 2.2


def test_share_without_a_stage():
    log.configure(-1)
    with log.busy("inflate"):
        pass
    with log.stage("read") as stage:
        pass
    assert (stage.shares, stage.parts) == ({}, {})
