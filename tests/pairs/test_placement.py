"""Memory of placing reads."""

from __future__ import annotations

from debruijn_gpu.assembly.needs import BYTES_PER_PAIR
from debruijn_gpu.backends.unitigs.sizes import index_bytes
from debruijn_gpu.pairs import placement
from tests.pairs.examples import random_bases
from tests.pairs.planted import BACKEND, RUN, graph_of


def test_reads_make_room_for_the_index_and_for_pairs(tmp_path, monkeypatch):
    graph = graph_of([random_bases(3000, 5)], tmp_path)
    asked = []
    monkeypatch.setattr(placement, "free_room", lambda n_bytes, left: asked.append((n_bytes, left() > 0)))
    found = placement.place_reads(graph, [], 1, RUN, BACKEND, n_reads=1000)
    assert found.n_reads == 0
    assert asked == [(500 * BYTES_PER_PAIR + index_bytes(int(graph.sequences.offsets[-1]), 1), True)]
    assert index_bytes(int(graph.sequences.offsets[-1]), 1) == 4 * 8192
