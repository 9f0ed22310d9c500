"""Plots of contig lengths."""

from __future__ import annotations

import numpy as np
import pytest

from debruijn_gpu.plots import contigs as drawing
from debruijn_gpu.plots.contigs import draw_contigs
from debruijn_gpu.plots.plot import FORMATS
from tests.drawing.svg import drawn, texts
from tests.helpers import first_quick

pytest.importorskip("matplotlib")

TWO = {"a.fasta": [300, 1200, 500], "b.gfa": [90, 4000]}


@pytest.mark.slow
@pytest.mark.parametrize("file_format", FORMATS)
def test_the_same_contigs_give_the_same_bytes(file_format):
    first = drawn(draw_contigs, TWO, file_format=file_format)
    assert first == drawn(draw_contigs, TWO, file_format=file_format)
    assert b"Matplotlib" not in first


def test_each_file_has_its_figures():
    found = texts(drawn(draw_contigs, TWO, title="two of them"))
    assert "a.fasta:  3 contigs, 2,000 bp, N50 1,200" in found
    assert "b.gfa:  2 contigs, 4,090 bp, N50 4,000" in found
    assert {"two of them", "N50", "length (kbp)"} <= set(found)
    assert "a.fasta:  2 contigs, 1,700 bp, N50 1,200" in texts(drawn(draw_contigs, TWO, min_contig_bp=400))


@pytest.mark.parametrize("assemblies", first_quick([{"none": [], "one": [1]}, {}, {"none": []}, {"nothing": [0, 0]}]))
def test_few_contigs(assemblies):
    found = texts(drawn(draw_contigs, assemblies))
    assert [name for name in assemblies if name not in "".join(found)] == []
    assert sum(text.endswith("no contigs") for text in found) == sum(not any(v) for v in assemblies.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["$x^", "--><script>", "_private", "a\nb\x00", "x" * 500, "骨", "<b>&amp;\"'\\"])
def test_any_name_can_be_drawn(name):
    found = texts(drawn(draw_contigs, {name: [5]}))
    assert any(text.endswith("1 contig, 5 bp, N50 5") for text in found)
    assert drawn(draw_contigs, {name: [5]}, file_format="png").startswith(b"\x89PNG")


@pytest.mark.slow
def test_more_files_than_can_be_told_apart():
    found = texts(drawn(draw_contigs, {f"{i}.fa": [1000 + i] for i in range(31)}))
    assert sum("N50 1," in text for text in found) == 28
    assert "and 3 more" in found
    looks = {(i % len(drawing._COLOURS), i % len(drawing._DASHES)) for i in range(28)}
    assert len(looks) == 28


@pytest.mark.slow
def test_many_contigs_and_lengths_far_apart():
    lengths = np.concatenate([np.arange(1, 200_000), [10**9]])
    picture = drawn(draw_contigs, {"raw": lengths, "whole": [10**10, 10**9], "some": [10**6]})
    assert len(picture) < 300_000
    assert {"100 kbp", "100 Mbp", "10,000"} <= set(texts(picture))


@pytest.mark.parametrize("n", [0, 1, 1999, 2000, 2001, 10**7])
def test_few_places_stand_for_many(n):
    places = drawing._few(n)
    assert len(places) == n if n <= 2000 else 2000 <= len(places) <= 4000
    assert (np.diff(places) > 0).all()
    assert not n or (places[0], places[-1]) == (0, n - 1)
