"""Room in the memory of the device."""

from __future__ import annotations

import itertools

import pytest

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize("ranks_per_gpu", [1, 3])
def test_room_is_as_much_as_is_left(cuda, monkeypatch, tune, ranks_per_gpu):
    from debruijn_gpu.backends.core.cuda import memory

    tune(ranks_per_gpu=ranks_per_gpu)
    for used, kept, free, budget in itertools.product((0, 5), (0, 7), (0, 9), (None, 4, 8, 14, 30)):
        monkeypatch.setattr(memory.runtime, "pool_memory", lambda pool=(used, kept): pool)
        monkeypatch.setattr(memory.runtime, "device_memory", lambda free=free: (free, 100))
        monkeypatch.setattr(memory, "_budgets", {} if budget is None else {memory.devices.current(): budget})
        for n_bytes in range(20):
            assert memory.has_room(n_bytes) == (n_bytes <= memory.left())


def test_driver_is_not_asked_for_room_that_the_pool_has(cuda, monkeypatch):
    from debruijn_gpu.backends.core.cuda import memory

    monkeypatch.setattr(memory, "_budgets", {})
    monkeypatch.setattr(memory.runtime, "pool_memory", lambda: (10, 20))
    monkeypatch.setattr(memory.runtime, "device_memory", lambda: pytest.fail("asked the driver"))
    assert memory.has_room(20)
