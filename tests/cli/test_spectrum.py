from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.cli.test_count import run
from tests.drawing.svg import texts
from tests.naive import counting as naive


@pytest.fixture(scope="module")
def reads() -> list[str]:
    """30x of a genome of 5 kb, one base in 500 wrong."""
    generator = random.Random(9)
    genome = "".join(generator.choices("ACGT", k=5000))
    starts = [generator.randrange(4900) for _ in range(1500)]
    wrong = {"A": "C", "C": "G", "G": "T", "T": "A"}
    return [
        "".join(wrong[base] if generator.random() < 0.002 else base for base in genome[start : start + 100])
        for start in starts
    ]


@pytest.fixture
def path(reads: list[str], tmp_path: Path) -> Path:
    path = tmp_path / "reads.fa"
    path.write_text("".join(f">read{i}\n{read}\n" for i, read in enumerate(reads)))
    return path


def test_histogram_and_estimates(path: Path, reads: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(["spectrum", str(path), "-k", "21"], capfd)
    assert (code, out) == (0, naive.histogram_lines(naive.count(reads, 21)))
    assert "genome: about" in err
    assert "--min-count" in err


def test_json_is_all_of_standard_output(
    path: Path, reads: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    histogram = tmp_path / "x.hist"
    code, out, err = run(["spectrum", str(path), "-k", "21", "--json", "-o", str(histogram), "-q"], capfd)
    assert (code, err) == (0, "")
    found = json.loads(out)
    counts = naive.count(reads, 21)
    assert (found["k"], found["n_reads"], found["n_bases"]) == (21, 1500, 150_000)
    assert (found["n_kmers"], found["n_distinct"]) == (counts.total(), len(counts))
    assert found["genome_bp"] == pytest.approx(5000, rel=0.1)
    assert found["peak"] == pytest.approx(24, rel=0.15)
    assert found["error_rate"] == pytest.approx(0.002, rel=0.5)
    assert found["cutoff"] in (2, 3)
    assert found["assembly_k"] % 2 == 1
    assert histogram.read_text() == naive.histogram_lines(counts)


def test_no_kmers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.fa"
    path.write_text(">a\nACGTNACGT\n")
    assert run(["spectrum", str(path), "-k", "5"], capfd)[:2] == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 10, 32, 64])
def test_any_k(path: Path, reads: list[str], tmp_path: Path, k: int, capfd: pytest.CaptureFixture[str]) -> None:
    """Where nearly all possible k-mers occur, no peak is reported."""
    plot = tmp_path / "plot.svg"
    code, out, err = run(["spectrum", str(path), "-k", str(k), "--plot", str(plot)], capfd)
    assert (code, out) == (0, naive.histogram_lines(naive.count(reads, k)))
    assert ("k-mer depth: no peak; k is too small" in err) == (k < 7)
    assert ("no peak of the genome" in plot.read_text()) == (k < 7)
    assert ("genome: about" in err) == (k > 7)


def test_plots(path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    histogram = run(["spectrum", str(path), "-k", "21"], capfd)[1]
    for file_format in ("svg", "png", "pdf"):
        plot = tmp_path / f"spectrum.{file_format}"
        assert run(["spectrum", str(path), "-k", "21", "--plot", str(plot), "-q"], capfd) == (0, histogram, "")
        assert plot.stat().st_size > 1000
    assert {"21-mers of reads.fa", "--min-count 2"} <= set(texts((tmp_path / "spectrum.svg").read_bytes()))


def test_a_plot_of_no_kmers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, plot = tmp_path / "<$script>.fa", tmp_path / "plot.svg"
    path.write_text(">a\nACGTNACGT\n")
    assert run(["spectrum", str(path), "-k", "5", "--plot", str(plot), "--json"], capfd)[0] == 0
    assert "no k-mers" in texts(plot.read_bytes())


def test_what_cannot_be_plotted_is_said_before(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    none, plot = str(tmp_path / "none.fa"), str(tmp_path / "a")
    same = str(tmp_path / "." / "a")
    for arguments, expected in ((["--plot", "a.jpg"], 2), (["--plot", f"{none}/a.svg"], 66)):
        assert run(["spectrum", none, *arguments], capfd)[0] == expected
    code, out, err = run(["spectrum", none, "-o", same, "--plot", plot], capfd)
    assert (code, out) == (2, "")
    assert "both --output and --plot" in err
