"""Checking walks, on each backend: right ones, and ones with faults put into them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from debruijn_gpu.backends.circuits.protocol import WalkFaults
from debruijn_gpu.backends.core.detection import is_simulated
from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.de_bruijn import de_bruijn_graph
from debruijn_gpu.graph.generate import cactus_graph, eulerian_graph, without_one_edge
from debruijn_gpu.graph.graph import Walks
from tests.helpers import n_examples

pytestmark = pytest.mark.cuda

few = settings(
    deadline=None,
    max_examples=10 if is_simulated() else n_examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def walks_of(graph):
    """A circuit or path of each component, by Hierholzer's algorithm."""
    n_out = np.diff(graph.row_ptr)
    component = CPU.graphs.weak_components(graph.row_ptr, graph.col).astype(np.int64)
    path_starts = np.flatnonzero(n_out > np.bincount(graph.col, minlength=graph.n_vertices))
    start = np.arange(graph.n_vertices)
    start[component[path_starts]] = path_starts
    n_edges = np.bincount(component, weights=n_out, minlength=graph.n_vertices).astype(np.int64)
    named = np.flatnonzero(n_edges)
    offsets, steps = np.concatenate(([0], np.cumsum(n_edges[named]))), np.empty(graph.n_edges, np.uint32)
    CPU.circuits.hierholzer(graph.row_ptr, graph.col, start[named], offsets, steps)
    return Walks(offsets, steps, ~np.isin(named, component[path_starts]))


def examples():
    """Graphs with an Euler walk of each component: row_ptr, col, offsets, steps, circular."""
    two = eulerian_graph(4, 3, 1, CPU), cactus_graph(12, 4, 1, CPU)
    row_ptr = np.concatenate((two[0].row_ptr, two[1].row_ptr[1:] + two[0].n_edges))
    col = np.concatenate((two[0].col, two[1].col + np.uint32(two[0].n_vertices)))
    graphs = [type(two[0])(row_ptr, col), de_bruijn_graph(3, 3, CPU)]
    graphs += [
        without_one_edge(eulerian_graph(9, 5, 1, CPU), CPU),
        de_bruijn_graph(4, 1, CPU),
        cactus_graph(40, 7, 1, CPU),
    ]
    for graph in graphs:
        walks = walks_of(graph)
        yield graph.row_ptr, graph.col, walks.offsets, walks.steps, walks.circular


EXAMPLES = list(examples())
either = st.sampled_from(EXAMPLES)


def check(backend, *arrays):
    return backend.circuits.check_walks(*(backend.to_device(array) for array in arrays))


def naive_check(row_ptr, col, offsets, steps, circular):
    """The same, one step after another."""
    n_edges, n_walks = len(col), len(circular)
    tails = np.repeat(np.arange(len(row_ptr) - 1), np.diff(row_ptr))
    wrong, gaps = [], []
    for walk in range(n_walks):
        begin, end = int(offsets[walk]), int(offsets[walk + 1])
        if (walk == 0 and begin) or not 0 <= begin <= end <= len(steps):
            wrong.append(walk)
        elif circular[walk] and begin < end:
            last, first = int(steps[end - 1]), int(steps[begin])
            if max(last, first) < n_edges and col[last] != tails[first]:
                gaps.append(end - 1)
    if offsets[-1] != len(steps):
        wrong.append(n_walks)
    for i in range(len(steps) - 1):
        step, following = int(steps[i]), int(steps[i + 1])
        if max(step, following) < n_edges and col[step] != tails[following] and i + 1 not in offsets.tolist():
            gaps.append(i)
    if wrong:
        gaps = []
    outside = [i for i, step in enumerate(steps.tolist()) if step >= n_edges]
    counts = np.bincount([step for step in steps.tolist() if step < n_edges], minlength=n_edges)
    not_once = np.flatnonzero(counts != 1).tolist()
    return WalkFaults(*(min(found, default=-1) for found in (wrong, outside, gaps, not_once)))


@pytest.mark.parametrize("dtype", [np.uint32, pytest.param(np.uint64, marks=pytest.mark.slow)])
@pytest.mark.parametrize("example", EXAMPLES)
def test_euler_walks_are_right(backend, example, dtype):
    row_ptr, col, offsets, steps, circular = example
    assert col.dtype == steps.dtype == np.uint32
    assert not check(backend, row_ptr, col.astype(dtype), offsets, steps.astype(dtype), circular)


@few
@given(either, st.data())
def test_faults(backend, example, data):
    """Steps replaced or exchanged, walks cut, closed or opened, the end missing: found as by the twin."""
    row_ptr, col, offsets, steps, circular = (array.copy() for array in example)
    place = st.integers(0, len(steps) - 1)
    kind = data.draw(st.sampled_from(["replace", "exchange", "cut", "close", "short", "shift"]))
    if kind == "replace":
        steps[data.draw(place)] = data.draw(st.integers(0, len(col) + 2) | st.just(2**32 - 1))
    elif kind == "exchange":
        i, j = data.draw(place), data.draw(place)
        steps[[i, j]] = steps[[j, i]]
    elif kind == "cut":
        offsets = np.insert(offsets, 1, data.draw(st.integers(0, len(steps) + 1)))
        circular = np.insert(circular, 0, data.draw(st.booleans()))
    elif kind == "close":
        circular = ~circular
    elif kind == "short":
        steps = steps[: data.draw(place)]
    else:
        offsets[data.draw(st.integers(0, len(offsets) - 1))] += data.draw(st.sampled_from([-1, 1]))
    arrays = row_ptr, col, offsets, steps, circular
    assert check(backend, *arrays) == naive_check(*arrays)


@few
@given(either, st.data())
def test_any_steps(backend, example, data):
    row_ptr, col, _, _, _ = example
    steps = np.array(data.draw(st.lists(st.integers(0, len(col)), max_size=40)), np.uint32)
    ends = sorted(data.draw(st.lists(st.integers(0, len(steps)), max_size=4)))
    offsets = np.array([0, *ends, len(steps)])
    circular = np.array(data.draw(st.lists(st.booleans(), min_size=len(ends) + 1, max_size=len(ends) + 1)))
    arrays = row_ptr, col, offsets, steps, circular
    assert check(backend, *arrays) == naive_check(*arrays)


def test_nothing(backend):
    none = np.zeros(1, np.int64), np.empty(0, np.uint32), np.zeros(1, np.int64), np.empty(0, np.uint32)
    assert not check(backend, *none, np.empty(0, np.bool_))


def test_large(backend):
    """Many blocks and threads: one step of 400,000 exchanged with the next."""
    graph = eulerian_graph(100_000, 7, 1, CPU)
    walks = walks_of(graph)
    arrays = [graph.row_ptr, graph.col, walks.offsets, walks.steps.copy(), walks.circular]
    assert not check(backend, *arrays)
    arrays[3][-5000] = arrays[3][-4000]
    faults = check(backend, *arrays)
    assert (faults.walk, faults.out_of_range) == (-1, -1)
    assert len(walks.steps) - 5001 <= faults.gap <= len(walks.steps) - 5000
    assert faults.edge == min(walks.steps[-5000], walks.steps[-4000])
