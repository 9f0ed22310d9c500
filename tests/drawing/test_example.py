"""The example runs, and draws the plots and graphs of the documentation."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

from debruijn_gpu import notebook

pytest.importorskip("matplotlib")

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
OF_GRAPHS = {"circles.svg", "de_bruijn.svg", "euler.svg"}
#: Taken from a browser, see data/README.md
SCREENSHOTS = {"bins.png", "graph_page.png", "report.png"}


@pytest.mark.slow
def test_the_example_makes_all_pictures(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    for path in (ROOT / "data").glob("phix174*"):
        (tmp_path / "data" / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    cells = runpy.run_path(str(ROOT / "data" / "example.py"))
    drawn = {path.name for path in (tmp_path / "docs" / "pictures").iterdir()}
    left_out = SCREENSHOTS | (set() if shutil.which("dot") else OF_GRAPHS)
    assert drawn == {path.name for path in PICTURES.iterdir()} - left_out
    assert cells["assembly"].contigs.first(1).lengths.tolist() == [5386]
    assert notebook.assembly_html(cells["assembly"]).count("<tr>") == 2
    assert notebook.kmer_spectrum_svg(cells["kmers"]).startswith("<?xml")
    assert notebook.mass_spectrum_svg(cells["masses"]).startswith("<?xml")
    assert notebook.measured_svg(cells["found"]).startswith("<?xml")


def test_pictures_are_small_and_shown():
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    assert max(sizes.values()) < 150_000
    assert sum(sizes.values()) < 600_000
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {name for page in pages for name in re.findall(r"!\[[^\]]+\]\([^)]*pictures/([^)]+)\)", page.read_text())}
    assert shown == set(sizes)
