"""What the log tells of stages."""

from __future__ import annotations

import threading
import time
from contextvars import copy_context
from types import SimpleNamespace

import pytest

from debruijn_gpu.run import log, stages


@pytest.fixture
def clock(monkeypatch):
    """A clock for stages that stands still unless a test sets ``now``; no thread uses the CPU."""
    fake = SimpleNamespace(**vars(time), now=0.0)
    fake.perf_counter, fake.thread_time = lambda: fake.now, lambda: 0.0
    monkeypatch.setattr(stages, "time", fake)
    return fake


def test_share_of_a_step_that_several_threads_do(clock):
    log.configure(-1)
    all_began, may_end = threading.Barrier(5), threading.Barrier(5)

    def inflate():
        with log.busy("inflate"):
            all_began.wait()
            may_end.wait()

    with log.stage("read") as stage:
        threads = [threading.Thread(target=copy_context().run, args=(inflate,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        all_began.wait()
        clock.now = 3.0
        may_end.wait()
        for thread in threads:
            thread.join()
        with log.busy("inflate"):
            clock.now += 2.0
        clock.now += 5.0
        log.add_cpu_time("inflate", 2.0)
    assert (stage.shares["inflate"].wall_s, stage.wall_s) == (5.0, 10.0)
    assert stage.parts["inflate"] == 2.0


def test_share_without_a_stage():
    log.configure(-1)
    with log.busy("inflate"):
        pass
    with log.stage("read") as stage:
        pass
    assert (stage.shares, stage.parts) == ({}, {})
