"""The same drawing whichever backend finds walks, cycles and trees."""

from __future__ import annotations

import pytest

from debruijn_gpu.drawing.graph import draw
from debruijn_gpu.drawing.options import DrawOptions
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from tests.drawing.graphs import MIXED, RINGS

pytestmark = pytest.mark.cuda


@pytest.mark.parametrize(
    "options",
    [
        DrawOptions(euler=True, clusters=True, spanning_tree=True),
        DrawOptions(circuits=True, in_degree=2),
        DrawOptions(circuits=True, stage="spliced"),
    ],
)
def test_every_backend_draws_the_same(backend, options):
    for graph in (RINGS, MIXED, de_bruijn_graph(2, 4)):
        expected = draw(graph, options)
        assert draw(graph, options, backend) == expected
        assert draw(graph.moved(backend.to_device), options, backend) == expected
