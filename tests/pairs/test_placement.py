"""Memory of placing reads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from debruijn_gpu.assembly import rounds
from debruijn_gpu.assembly.needs import BYTES_PER_PAIR
from debruijn_gpu.backends.unitigs.sizes import index_bytes
from debruijn_gpu.errors import OutOfMemoryError
from debruijn_gpu.pairs import placement
from tests.pairs.examples import random_bases
from tests.pairs.planted import BACKEND, RUN, graph_of


def test_reads_make_room_for_the_index_and_for_pairs(tmp_path, monkeypatch):
    graph = graph_of([random_bases(3000, 5)], tmp_path)
    asked = []
    monkeypatch.setattr(rounds, "free_room", lambda n_bytes, left: asked.append((n_bytes, left() > 0)))
    found = placement.place_reads(graph, [], 1, RUN, BACKEND, n_reads=1000)
    assert found.n_reads == 0
    of_threads = (16 << 20) + RUN.threads * (8 << 20)  # that place reads, and take in what they find
    assert asked == [(500 * BYTES_PER_PAIR + index_bytes(int(graph.sequences.offsets[-1]), 1) + of_threads, True)]
    assert index_bytes(int(graph.sequences.offsets[-1]), 1) == 4 * 9024


def leave(left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a number of bytes on the host and on the device."""
    monkeypatch.setattr(rounds, "memory_left", lambda text: left)
    monkeypatch.setattr(type(BACKEND), "memory_left", staticmethod(lambda run: left))


@pytest.mark.parametrize(
    ("left", "slots_mib", "threads"),
    [(10 << 20, 5, 1), (32 << 20, 8, 1), (36 << 20, 12, 1), (40 << 20, 8, 2), (56 << 20, 8, 4), (1 << 30, 12, 4)],
)
def test_an_index_and_threads_that_place_reads_fit_into_memory(monkeypatch, left, slots_mib, threads):
    leave(left, monkeypatch)
    n_slots, n_threads = rounds.make_room_for_index(1 << 20, replace(RUN, threads=4), BACKEND)
    assert n_threads == threads
    assert 4 * n_slots >> 20 == slots_mib


@pytest.mark.parametrize("left", [5 << 20, (45 << 17) - 1])
def test_an_index_needs_room_for_an_eighth_of_it_or_for_one_thread(monkeypatch, left):
    leave(left, monkeypatch)
    with pytest.raises(OutOfMemoryError, match=r"takes about 5\.6 MiB"):
        rounds.make_room_for_index(1 << 20, RUN, BACKEND)


def test_an_index_without_room_for_what_places_reads_is_refused(monkeypatch):
    leave(100 << 20, monkeypatch)
    with pytest.raises(OutOfMemoryError, match="index of 20,000,000 bases of unitigs takes about 10"):
        rounds.make_room_for_index(20_000_000, RUN, BACKEND)
