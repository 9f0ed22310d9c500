"""Pages of one file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from jinja2 import UndefinedError

from debruijn_gpu.reports.page import environment, render_page, to_json
from tests.browser import open_page

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "\"'><img src=x onerror=alert(3)>",
    "a\u2028b\u2029c",
    "new\nline\ttab",
    "\\\\",
    "🧬 ünïcödé",
    "constructor",
    "__proto__",
    "\x00\x07",
    "x" * 10_000,
]


def show(body, title="page", data=None):
    """A page with a body of its own."""
    template = environment().from_string(f'{{% extends "page.html" %}}{{% block body %}}{body}{{% endblock %}}')
    return render_page(template, {}, title=title, data=data or {}, scripts=[])


def test_json_is_safe_in_a_script_element():
    text = to_json({"names": HOSTILE})
    assert not set(text) & set("<>&\u2028\u2029\n")
    assert json.loads(text) == {"names": HOSTILE}


def test_json_of_numbers():
    data = {
        "a": np.array([1.5, np.nan, np.inf]),
        "b": np.int64(3),
        "c": (float("nan"), np.float32(0.5)),
        "d": np.bool_(1),
    }
    assert json.loads(to_json(data)) == {"a": [1.5, None, None], "b": 3, "c": [None, 0.5], "d": True}


def test_page_holds_its_title_and_data_whatever_they_are(page, tmp_path):
    path = tmp_path / "page.html"
    for title in HOSTILE:
        path.write_bytes(show("<h1 title='{{ title }}'>{{ title }}</h1>", title, {"name": title}))
        open_page(page, path)
        assert page.evaluate("JSON.parse(document.getElementById('data').textContent).name") == title
        assert page.evaluate("document.querySelector('h1').textContent") == title.replace("\x00", "")
        assert page.evaluate("typeof d3.forceSimulation") == "function"


def test_templates_escape_and_know_their_variables():
    template = environment().from_string("<p title='{{ text }}'>{{ text }}</p>{{ number | cell }} {{ none | cell }}")
    shown = template.render(text="'\"<&>", number=1234567, none=None)
    quoted = "&#39;&#34;&lt;&amp;&gt;"
    assert shown == f"<p title='{quoted}'>{quoted}</p>1,234,567 –"
    with pytest.raises(UndefinedError, match="text"):
        template.render()


def test_page_cannot_reach_the_network(page, tmp_path):
    path = tmp_path / "page.html"
    image = '<img src="https://example.org/a.png" onerror="failed = true">'
    path.write_bytes(show(image))
    page.goto(path.as_uri())
    assert page.evaluate("window.failed")
    fetch = "fetch('https://example.org/').then(() => 'fetched', () => 'refused')"
    assert page.evaluate(fetch) == "refused"
    refusals = [problem for problem in page.problems if "Content Security Policy" in problem]
    assert len(refusals) >= 2
    page.problems.clear()


def test_half_a_character_does_not_stop_a_page():
    assert b"&#56575;" in show("", "a\udcffb", {"a": "\udcff"})


def test_same_input_same_bytes():
    made = [show("<p>x</p>", "t", {"a": np.arange(3)}) for _ in range(2)]
    assert made[0] == made[1]
    assert b"<title>t</title>" in made[0]
