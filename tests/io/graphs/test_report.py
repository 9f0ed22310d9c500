"""Reports on graphs."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from debruijn_gpu.backends.cpu import CPU
from debruijn_gpu.graph.analysis import summarise
from debruijn_gpu.io.graphs import report
from debruijn_gpu.run.tuning import tuned
from tests.graph.examples import Letters, graph_of

#: a loop, three parallel edges, a vertex alone and two components
PAIRS = [(0, 0), (0, 1), (0, 1), (0, 1), (1, 0), (1, 0), (3, 4)]


@pytest.fixture
def summary():
    return summarise(graph_of(5, PAIRS), CPU)


def test_json(summary):
    written = json.loads(report.summary_json(summary, Letters()))
    assert written["schema_version"] == 2
    assert written["graph"] == {
        "n_vertices": 5,
        "n_edges": 7,
        "n_isolated": 1,
        "n_sources": 1,
        "n_sinks": 1,
        "n_loops": 1,
        "n_parallel": 3,
        "in_degree": {"minimum": 0, "mean": 1.4, "maximum": 3},
        "out_degree": {"minimum": 0, "mean": 1.4, "maximum": 4},
        "n_weak": 3,
        "n_weak_with_edges": 2,
        "largest_weak": 2,
        "n_strong": 4,
        "largest_strong": 2,
        "n_forest": 2,
        "is_acyclic": False,
        "euler": "neither",
        "n_circuits": 0,
        "n_paths": 2,
        "n_unbalanced": 4,
        "euler_text": "the graph has 2 components with edges, 2 with an Euler path: path from A to B; path from D to E",
    }


def test_tsv_and_text_agree_with_json(summary):
    figures = json.loads(report.summary_json(summary, Letters()))["graph"]
    rows = [line.split("\t") for line in report.summary_tsv(summary, Letters()).decode().splitlines()]
    table = dict(rows)
    assert len(table) == len(rows)
    for name, value in figures.items():
        if isinstance(value, dict):
            assert {part: float(table[f"{name}_{part}"]) for part in value} == value
        else:
            assert table[name] == str(int(value) if isinstance(value, bool) else value)
    lines = report.summary_text(summary, Letters()).splitlines()
    assert lines[0].split() == ["vertices", "5"]
    assert "edges in, least / mean / most 0 / 1.40 / 3" in [" ".join(line.split()) for line in lines]
    assert lines[-1] == f"The{figures['euler_text'][3:]}."


def test_text_of_nothing():
    text = report.summary_text(summarise(graph_of(0, []), CPU), Letters())
    assert text.splitlines()[-1].split() == ["unbalanced", "vertices", "0"]


class Names:
    """Names of several lengths, none among them."""

    words = ("ü", "", "three", "b")

    def text(self, vertices):
        chosen = [self.words[vertex].encode() for vertex in vertices.tolist()]
        return np.cumsum([0, *map(len, chosen)]), np.frombuffer(b"".join(chosen), np.uint8)


def test_components():
    for at_once in (1, 3, 100):
        stream = io.BytesIO()
        with tuned(lines_at_once=at_once):
            report.write_components(stream, np.array([0, 0, 2, 2]), Names())
        assert stream.getvalue().decode() == "ü\tü\n\tü\nthree\tthree\nb\tthree\n"


def test_ranks():
    stream = io.BytesIO()
    report.write_ranks(stream, np.array([0.25, 0.1, 0.4, 0.25]), Names())
    assert stream.getvalue().decode() == "three\t0.4\nü\t0.25\nb\t0.25\n\t0.1\n"
    report.write_ranks(stream, np.empty(0), Names())
