"""Display of containers in notebooks."""

from __future__ import annotations

import importlib
import sys
import types
from html.parser import HTMLParser

import numpy as np

import debruijn_gpu
from debruijn_gpu import graph_from_edges, notebook
from debruijn_gpu.notebook import DISPLAYS, contigs_html
from tests.assembly.examples import contigs_of, fork
from tests.assembly.scaffold_examples import assembly_of, resolved


class Rows(HTMLParser):
    """Texts of the cells of tables, row by row; every tag must be closed."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if {"td", "th"} & set(self.open):
            self.rows[-1].append(data)


def test_a_row_for_each_contig():
    text = contigs_html(fork())
    assert "4 contigs, 33 bp, largest 10, N50 10, k = 5" in text
    assert Rows(text).rows == [
        ["contig", "length", "k-mer depth", "circular", "links", "sequence"],
        ["1", "10", "2.17", "no", "2", "ACGTTGCATT"],
        ["2", "7", "2.00", "no", "1", "CATTAGG"],
        ["3", "6", "2.50", "no", "1", "TCAATG"],
        ["4", "10", "10.00", "yes", "0", "GACCTAGACC"],
    ]


def test_many_and_long_ones_are_cut_short():
    text = contigs_html(contigs_of([b"A" * 50 + b"<&>" + b"C" * 50] * 1012, k=3))
    assert "and 1,002 more" in text
    rows = Rows(text).rows
    assert len(rows) == 11
    assert rows[1][-1] == "A" * 30 + "…" + "C" * 10


def test_what_is_no_sequence_is_no_markup():
    text = contigs_html(contigs_of([b"<script>alert()</script>\xff"], k=3))
    assert "<script" not in text
    assert Rows(text).rows[1][-1] == "<script>alert()</script>\ufffd"


def test_no_contigs():
    assert contigs_html(contigs_of([], k=31)) == "<div><p>no contigs, k = 31</p></div>"


class FakeShell:
    """An IPython shell as far as displays go: remembers what is registered."""

    def __init__(self):
        self.registered = []
        formatter = types.SimpleNamespace(for_type_by_name=lambda *entry: self.registered.append(entry))
        self.display_formatter = types.SimpleNamespace(formatters=dict.fromkeys(DISPLAYS, formatter))


def test_displays_are_registered_for_classes_that_exist():
    shell = FakeShell()
    debruijn_gpu.load_ipython_extension(shell)
    assert len(shell.registered) == sum(map(len, DISPLAYS.values())) > 0
    for module, name, display in shell.registered:
        assert isinstance(getattr(importlib.import_module(module), name), type)
        assert callable(display)


def test_displays_are_registered_when_the_package_is_imported_in_ipython(monkeypatch):
    shell = FakeShell()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    importlib.reload(debruijn_gpu)
    assert shell.registered
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    importlib.reload(debruijn_gpu)


def test_public_draw_is_that_of_notebooks():
    graph = graph_from_edges(np.array([0, 1]), np.array([1, 0]))
    assert debruijn_gpu.draw is notebook.draw
    assert debruijn_gpu.draw(graph, edge_labels=True).dot.startswith("digraph")


def test_links_of_contigs_that_are_walks_are_those_of_their_ends():
    rows = Rows(notebook.assembly_html(assembly_of(*resolved()))).rows
    assert [row[4] for row in rows[1:]] == ["0", "0", "1", "4", "1", "0"]
