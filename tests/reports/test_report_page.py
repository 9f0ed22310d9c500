"""Reports in a browser."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from debruijn_gpu.assembly_dir.reading import FILES, read_directory, read_file
from debruijn_gpu.reports import compare_page as compare_page_module, report_page as report_page_module
from debruijn_gpu.reports.compare_page import Compared, compare_page
from debruijn_gpu.reports.making import make_comparison, make_report
from debruijn_gpu.reports.report_page import report_page
from tests.browser import open_page
from tests.reports.assemblies import peaked_spectrum, random_contigs, write_directory
from tests.reports.test_page import HOSTILE

DRAWN = {"spectrum", "cumulative", "nx", "gc", "depth", "inserts", "time", "memory"}


def show(page, tmp_path, html):
    path = tmp_path / "page.html"
    path.write_bytes(html)
    open_page(page, path)
    page.wait_for_timeout(50)


def drawn(page):
    """Charts in which there is a line, a circle or a bar."""
    found = "[...document.querySelectorAll('.chart')].filter((c) => c.querySelector('path.line, circle.point, rect'))"
    return set(page.evaluate(f"{found}.map((c) => c.id.replace('chart-', ''))"))


def ticks(page, name):
    """Labels of the x axis of a chart."""
    return page.locator(f"#chart-{name} .axis").first.locator("text").all_text_contents()


@pytest.fixture
def place(tmp_path):
    return write_directory(tmp_path / "out")


@pytest.mark.parametrize("scripts", [report_page_module.SCRIPTS, compare_page_module.SCRIPTS])
def test_no_script_takes_names_of_another(scripts):
    """They share one space of names, and of two functions the later one would be taken without a word."""
    assets = Path(report_page_module.__file__).parent / "assets"
    text = "\n".join((assets / name).read_text() for name in scripts)
    names = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", text, re.MULTILINE)
    assert len(names) > 10
    assert [name for name, n in Counter(names).items() if n > 1] == []


def test_every_chart_is_drawn(page, tmp_path, place):
    show(page, tmp_path, report_page(read_directory(place)))
    assert drawn(page) == DRAWN
    assert page.locator("#summary .card").count() == 6
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "[...document.querySelectorAll('.chart')].every((c) => c.querySelector('svg[role=img]').ariaLabel.length > 20)"
    )


def test_spectrum_zooms(page, tmp_path, place):
    show(page, tmp_path, report_page(read_directory(place)))
    before = ticks(page, "spectrum")
    page.locator("#chart-spectrum").scroll_into_view_if_needed()
    box = page.locator("#chart-spectrum .chart-stage svg").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 80)
    page.mouse.down()
    page.mouse.move(box["x"] + 330, box["y"] + 90, steps=3)
    page.mouse.up()
    closer = ticks(page, "spectrum")
    assert closer != before
    low, high = page.evaluate("document.getElementById('chart-spectrum').chart.domainX()")
    assert 0.5 < low < high < 60
    page.locator("#chart-spectrum button", has_text="Reset").click()
    assert ticks(page, "spectrum") == before
    page.locator("#chart-spectrum button", has_text="+").click()
    assert ticks(page, "spectrum") != before
    page.locator("#chart-spectrum label", has_text="logarithmic y").click()
    assert page.evaluate("document.getElementById('chart-spectrum').chart.yLog")
    page.locator("#chart-spectrum label", has_text="logarithmic x").click()
    page.locator("#chart-spectrum button[title='From end to end']").click()
    page.mouse.move(box["x"] + 240, box["y"] + 80)
    assert page.locator("#chart-spectrum .chart-tip").inner_text().startswith(("1", "2", "3"))
    page.locator("#chart-spectrum .key", has_text="errors").click()
    assert page.locator("#chart-spectrum path.line[data-name=errors]").count() == 0


def test_contigs_sort(page, tmp_path, place):
    show(page, tmp_path, report_page(read_directory(place)))

    def first_column():
        return page.locator("#contigs tbody tr td:first-child").all_inner_texts()

    names = [f"contig_{i}" for i in (1, 2, 3, 4)]
    assert first_column() == names
    head = page.locator("#contigs th", has_text="length")
    head.locator("button").click()
    assert (head.get_attribute("aria-sort"), first_column()) == ("descending", names)
    head.locator("button").click()
    assert (head.get_attribute("aria-sort"), first_column()) == ("ascending", names[::-1])
    page.locator("#contigs th button", has_text="contig").click()
    assert first_column() == names


def test_points_tell_their_names(page, tmp_path, place):
    show(page, tmp_path, report_page(read_directory(place)))
    point = page.locator("#chart-gc circle.point").first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("#chart-gc .chart-tip").inner_text().startswith("contig_1\n9,000 bp")


def test_graph_is_drawn_when_it_is_opened(page, tmp_path, place):
    show(page, tmp_path, report_page(read_directory(place)))
    assert page.evaluate("document.getElementById('graph-view').graphView === undefined")
    page.locator("#graph summary").click()
    page.locator("#graph-view canvas").wait_for()
    page.evaluate("async () => { await document.getElementById('graph-view').graphView.ready; }")
    assert page.evaluate("document.getElementById('graph-view').graphView.done")


def test_hostile_names_do_nothing(page, tmp_path):
    names = [name for name in HOSTILE if name.strip() and "\n" not in name]
    sequences = random_contigs([500] * len(names))
    records = (f">{name} kmer_depth=9\n{s.decode()}\n" for name, s in zip(names, sequences, strict=True))
    (tmp_path / "x.fa").write_text("".join(records), "utf-8")
    files = read_file(str(tmp_path / "x.fa"))
    show(page, tmp_path, report_page(files, {"<img src=x onerror=alert(1)>": "<b>1</b>"}))
    shown = page.locator("#contigs tbody tr td:first-child").all_inner_texts()
    assert "<script>alert(1)</script>" in shown
    one = Compared("<script>alert(4)</script>", files, files.contigs.stats(), quast={"<img>": "1"})
    show(page, tmp_path, compare_page([one, Compared("\"'><b>", files, one.stats, quast={"<img>": "2"})]))
    assert page.locator("#statistics thead th").all_inner_texts() == ["", one.name, "\"'><b>"]
    assert drawn(page) == {"cumulative", "nx", "depth"}


def test_hostile_texts_of_the_run_do_nothing(page, tmp_path, place):
    texts = [text for text in HOSTILE if "\x00" not in text]
    members = json.loads((place / "run.json").read_text())
    members |= {"command": texts[1], "inputs": texts, "host": {texts[0]: texts[3]}, "versions": {texts[3]: texts[1]}}
    members["backends"] = [{"name": text, "device": text, "reason": text} for text in texts]
    members["stages"] = [{"name": text, "unit": text, "items": 3} for text in texts]
    members["messages"] = [{"text": text} for text in texts]
    (place / "run.json").write_text(json.dumps(members))
    report = json.loads((place / "report.json").read_text())
    report["k"]["why"] = report["insert_sizes"]["why_not"] = texts[1]
    report["insert_sizes"]["inputs"] = []
    (place / "report.json").write_text(json.dumps(report))
    params = json.loads((place / "params.json").read_text())
    params["assemble"] |= {"name": texts[1], texts[3]: texts[0]}
    params["version"] = texts[3]
    (place / "params.json").write_text(json.dumps(params))
    show(page, tmp_path, report_page(read_directory(place)))
    assert page.locator("img, main script, h1 script").count() == 0
    assert page.locator("header .name").text_content() == texts[1]
    assert texts[1] in page.locator("#made td").all_text_contents()
    assert page.locator("#time tbody tr").count() == len(texts)
    assert f"Warning of the run: {texts[0]}" in page.locator("#summary .missing").all_text_contents()
    assert page.evaluate("data.stages.map((stage) => stage.name)") == texts


@pytest.mark.parametrize(
    "left", [("contigs.fasta",), ("contigs.fasta", "report.json"), ("contigs.fasta", "run.json", "spectrum.hist")]
)
def test_parts_that_are_missing(page, tmp_path, place, left):
    for name in FILES:
        if name not in left:
            (place / name).unlink(missing_ok=True)
    show(page, tmp_path, make_report(str(place)))
    assert drawn(page) >= {"cumulative", "nx", "gc", "depth"}


def test_nothing_paired_nothing_circular_no_peak_no_contig(page, tmp_path):
    flat = peaked_spectrum(depth=1, genome=300)
    for i, sequences in enumerate([[], random_contigs([300]), [b"N" * 400, b"N" * 300]]):
        files = read_directory(write_directory(tmp_path / str(i), sequences, spectrum=flat, inserts=()))
        show(page, tmp_path, report_page(files))
        assert "Not measured: the reads are not paired." in page.locator("#inserts").inner_text()
        assert "spectrum" in drawn(page)
        assert page.locator("#chart-spectrum .key").count() == 0


@pytest.mark.parametrize(("size", "scheme"), [((390, 844), "light"), ((1400, 900), "dark")])
def test_phone_and_dark(page, tmp_path, place, size, scheme):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=scheme)
    show(page, tmp_path, report_page(read_directory(place)))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    light = "getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'"
    assert page.evaluate(light) == (scheme == "light")
    assert len(page.screenshot()) > 20_000
    page.emulate_media(media="print", color_scheme=scheme)
    assert page.evaluate(light)
    assert page.locator(".chart-tools").first.is_hidden()


def test_tables_are_there_without_scripts(browser, tmp_path, place):
    (tmp_path / "page.html").write_bytes(report_page(read_directory(place)))
    context = browser.new_context(java_script_enabled=False)
    window = context.new_page()
    window.goto((tmp_path / "page.html").as_uri())
    assert window.locator("#statistics tbody tr").count() == 22
    assert window.locator("#contigs tbody tr").count() == 4
    assert window.locator("#spectrum .chart").is_hidden()
    context.close()


def test_comparison_is_drawn(page, tmp_path, place):
    other = write_directory(tmp_path / "other", random_contigs([3000] * 6), name="pieces")
    (tmp_path / "q.tsv").write_text("Assembly\tout_contigs\tpieces\nNGA50\t9000\t3000\n# misassemblies\t2\t0\n")
    show(page, tmp_path, make_comparison([str(place), str(other)], [str(tmp_path / "q.tsv")]))
    assert drawn(page) == {"cumulative", "nx", "spectra", "depth"}
    best = page.locator("#reference tr", has=page.locator(".best")).all_inner_texts()
    assert [line.split("\t")[0] for line in best] == ["NGA50", "# misassemblies"]
    assert page.locator("#summary .figure").all_inner_texts()[0] == "pieces"
