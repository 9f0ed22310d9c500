"""What all plots share."""

from __future__ import annotations

import io

import pytest

from debruijn_gpu.errors import ParameterError, UsageError
from debruijn_gpu.plots import plot
from debruijn_gpu.plots.plot import open_figure, plain, plot_format, svg_text
from tests.drawing.svg import texts

pytest.importorskip("matplotlib")


def test_the_end_of_a_name_is_the_format():
    names = ("a.svg", "b.x.PNG", "dir.svg/c.pdf", "a.png.gz", "dir.pdf/a", "svg")
    assert [plot_format(name) for name in names] == ["svg", "png", "pdf", "png", "svg", "svg"]
    for name in ("a.jpg", "a.txt", "a.html.gz", "a/"):
        with pytest.raises(UsageError, match="but this command writes svg, png or pdf"):
            plot_format(name)


def test_without_matplotlib_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr(plot, "find_spec", lambda name: None)
    with pytest.raises(ParameterError) as caught:
        plot_format("a.svg")
    assert "debruijn_gpu[plot]" in caught.value.fix
    assert svg_text(lambda stream, file_format: None) is None


def test_letters_that_the_font_lacks_are_no_warning():
    stream = io.BytesIO()
    with open_figure(stream, "svg") as figure:
        plot.set_title(figure.subplots(), "骨折 \N{DNA DOUBLE HELIX}")
    assert "骨折 \N{DNA DOUBLE HELIX}" in texts(stream.getvalue())


def test_plain_texts():
    assert plain("a$b") == r"a\$b"
    assert plain("a\nb\x00") == "a?b?"
    assert plain("x" * 99, 10) == "x" * 7 + "..."


def test_what_fails_is_not_written():
    stream = io.BytesIO()
    with pytest.raises(ZeroDivisionError), open_figure(stream, "svg") as figure:
        figure.subplots().set_ylim(0, 1 / 0)
    assert stream.getvalue() == b""
