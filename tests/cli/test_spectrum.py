from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from debruijn_gpu.cli import main
from tests.cli.test_count import run
from tests.drawing.svg import texts
from tests.helpers import first_quick
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


@pytest.mark.slow
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


def test_estimates_are_written_once(path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    estimates, histogram = tmp_path / "x.json", tmp_path / "x.hist"
    command = ["spectrum", str(path), "-k", "21", "-q", "--json"]
    assert run([*command, "-o", str(estimates)], capfd)[:2] == (0, "")
    found = estimates.read_text()
    assert json.loads(found)["n_reads"] == 1500
    for words in ([], ["-o", "-"], ["--format", "json"], ["-o", str(histogram)]):
        assert run([*command, *words], capfd)[:2] == (0, found)


@pytest.mark.parametrize("file_format", ["histogram", "tsv"])
@pytest.mark.parametrize("place", [[], ["-o", "-"]], ids=["none", "-"])
def test_two_documents_on_standard_output_are_refused(
    path: Path, file_format: str, place: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(["spectrum", str(path), "--json", "--format", file_format, *place], capfd)
    assert (code, out) == (2, "")
    assert f"--json and --format {file_format}: two outputs go to standard output" in err


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


@pytest.mark.slow
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


HISTOGRAM = "".join(f"{m} {n}\n" for m, n in [(1, 900), (2, 60), *((m, 5 * (20 - abs(20 - m))) for m in range(3, 38))])


@pytest.mark.parametrize(
    "text",
    [
        HISTOGRAM,
        HISTOGRAM.replace(" ", "\t"),
        HISTOGRAM.replace(" ", ","),
        HISTOGRAM.replace("\n", "\r\n"),
        "# made by hand\n\n" + HISTOGRAM.replace("10 50\n", "10 50\n\n# more\n"),
        "0 17\n" + HISTOGRAM + "99 0\n",
        HISTOGRAM.rstrip("\n"),
    ],
    ids=["jellyfish", "KMC", "csv", "CRLF", "comments", "zeros", "no newline"],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_a_histogram_is_read(text: str, compressed: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kmers"
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    code, out, err = run(["spectrum", str(path), "-k", "25"], capfd)
    assert (code, out) == (0, HISTOGRAM)
    assert "k-mer depth: 20.8x" in err
    assert "backend" not in err


@pytest.mark.slow
def test_a_histogram_gives_what_its_reads_give(path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    histogram = str(tmp_path / "x.tsv")
    of_reads = json.loads(run(["spectrum", str(path), "--json", "-o", histogram, "-q"], capfd)[1])
    code, out, err = run(["spectrum", histogram, "--json", "--plot", str(tmp_path / "plot.svg"), "-q"], capfd)
    assert code == 0
    assert "21 is taken" in err
    unknown = dict.fromkeys(("n_reads", "n_bases", "assembly_k"))
    assert json.loads(out) == of_reads | unknown
    assert "21-mers of x.tsv" in texts((tmp_path / "plot.svg").read_bytes())


@pytest.mark.process
@pytest.mark.parametrize("text", [HISTOGRAM, "#\n" + HISTOGRAM, ">a\nACGTTGCAACGTTACG\n", "@a\nACGT\n+\nIIII\n"])
def test_standard_input_is_a_histogram_or_reads(text: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    command = [sys.executable, "-m", "debruijn_gpu", "spectrum", "-k", "3", "-q"]
    piped = subprocess.run([*command, "-"], input=text.encode(), capture_output=True, check=True)
    named = subprocess.run([*command, str(tmp_path / "x")], capture_output=True, check=True)
    assert piped.stdout == named.stdout != b""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n2 x\n", "line 2: expected a multiplicity and a number of k-mers, got '2 x'"),
        ("1 2\n2\n", "line 2: expected a multiplicity and a number of k-mers, got '2'"),
        ("1 2\n2 1.5e3\n", "line 2: expected"),
        ("1 2\n-2 3\n", "line 2: expected"),
        ("1 2 3\n", "neither FASTA"),
        ("1 2\n\n1 3\n", "line 3: multiplicity 1 occurs twice"),
        ("3 4\n900000000000000000 900000000000000000\n", "line 2: 2^62 k-mers or more"),
    ],
)
def test_faulty_histograms_name_the_line(
    text: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.hist"
    path.write_text(text)
    code, out, err = run(["spectrum", str(path), "-k", "21"], capfd)
    assert (code, out) == (64, "")
    assert message in err


def test_a_histogram_is_given_alone(path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    histogram = tmp_path / "x.hist"
    histogram.write_text(HISTOGRAM)
    for arguments in (
        ["spectrum", str(histogram), str(path)],
        ["spectrum", "--12", str(histogram)],
        ["count", str(histogram)],
    ):
        code, out, err = run(arguments, capfd)
        assert (code, out) == (64, "")
        assert "this is a histogram of k-mers, not reads" in err


def test_a_capped_histogram_is_warned_of(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.hist"
    path.write_text("".join(f"{m} 3\n" for m in range(1, 255)) + "255 4000\n")
    assert "the last row (255) seems to stand for larger multiplicities" in run(["spectrum", str(path)], capfd)[2]


def test_an_empty_histogram_has_no_estimates(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.hist"
    path.write_text("1 0\n")
    code, out, _err = run(["spectrum", str(path), "-k", "21", "--json"], capfd)
    assert (code, json.loads(out)["ploidy"]) == (0, None)


def simulated_reads(tmp_path: Path, heterozygosity: float, n_haplotypes: int, depth: float) -> str:
    """Reads of one or two haplotypes, with this read depth of all."""
    generator = random.Random(5)
    genome = generator.choices("ACGT", k=60_000)
    other = [
        generator.choice("ACGT".replace(base, "")) if generator.random() < heterozygosity else base for base in genome
    ]
    haplotypes = ["".join(genome), "".join(other)][:n_haplotypes]
    (tmp_path / "genome.fa").write_text("".join(f">{i}\n{haplotype}\n" for i, haplotype in enumerate(haplotypes)))
    reads = str(tmp_path / "reads.fq")
    with pytest.raises(SystemExit) as caught:
        main(["simulate", str(tmp_path / "genome.fa"), "--depth", str(depth / n_haplotypes), "-o", reads, "-q"])
    assert caught.value.code == 0
    return reads


@pytest.mark.parametrize("heterozygosity", first_quick([0.01, 0.001, 0.03]))
def test_ploidy_and_heterozygosity_of_a_diploid(
    heterozygosity: float, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(["spectrum", simulated_reads(tmp_path, heterozygosity, 2, 60), "--json"], capfd)
    found = json.loads(out)
    assert (code, found["ploidy"]) == (0, 2)
    assert found["heterozygosity"] == pytest.approx(heterozygosity, rel=0.25)
    assert found["haploid_genome_bp"] == pytest.approx(60_000, rel=0.05)
    assert "for each of two haplotypes" in err
    assert "bp (haploid)" in err
    assert "ploidy: 2, heterozygosity" in err


def test_a_haploid_sample_has_ploidy_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "ploidy: 1 (one peak" in run(["spectrum", simulated_reads(tmp_path, 0, 1, 60)], capfd)[2]


def test_low_depth_cannot_tell_ploidy(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    err = run(["spectrum", simulated_reads(tmp_path, 0.01, 2, 8)], capfd)[2]
    assert "ploidy: cannot be estimated, the k-mer depth is" in err
