"""Graphs to draw in tests."""

from __future__ import annotations

import shutil

import pytest

from debruijn_gpu.graph.build import graph_from_dict

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="the program dot of graphviz is not installed")

RINGS = graph_from_dict({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["a", "a"]})

#: A circuit, trails, vertices without edges, a loop and a path
MIXED = graph_from_dict(
    {"a": ["b", "c"], "b": ["a"], "c": ["d"], "d": ["c", "c", "c"], "e": [], "f": [], "g": ["g"], "h": ["i"]}
)

HOSTILE = (
    "<script>alert(1)</script>",
    "<b>x</b>",
    "<<i>x</i>>",
    'quo"te',
    '"',
    "back\\slash",
    "\\",
    "\\N\\G\\n",
    "a:b:c",
    "node",
    "digraph",
    "&lt;&amp;&#60;",
    "-->",
    "]];}{",
    "line\nbreak",
    "\x00\x1b[31m",
    "\u202eright to left",
    "üñí 漢字",
    "",
    " ",
    "x" * 1000,
)
