from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from debruijn_gpu.cli import main
from debruijn_gpu.kmers.options import CountOptions
from tests.naive import counting as naive
from tests.naive.sequences import encode

_RANDOM = random.Random(5)
GENOME = "".join(_RANDOM.choices("ACGT", k=600))
READS = [GENOME[i : i + 80] for i in (_RANDOM.randrange(520) for _ in range(120))]
READS += ["", "ACG", "N" * 50, GENOME[:60] + "N" + GENOME[60:90], GENOME[100:180].lower()]


@pytest.fixture
def reads(tmp_path: Path) -> Path:
    path = tmp_path / "reads.fa"
    path.write_text("".join(f">read{i}\n{read}\n" for i, read in enumerate(READS)))
    return path


def run(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `dbg`."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert isinstance(caught.value.code, int)
    return caught.value.code, *capfd.readouterr()


@pytest.mark.parametrize("k", [1, 2, 3, 4, 21, 28, 31, 32, 33, 64, 65])
@pytest.mark.parametrize("strands", ["--canonical", "--forward"])
def test_kmers_and_counts(reads: Path, k: int, strands: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(["count", str(reads), "-k", str(k), strands], capfd)
    assert (code, out) == (0, naive.kmer_lines(naive.count(READS, k, strands == "--canonical")))
    assert "error" not in err


@pytest.mark.parametrize("k", [1, 2, 4, 21, 32])
def test_min_count_and_histogram(reads: Path, tmp_path: Path, k: int, capfd: pytest.CaptureFixture[str]) -> None:
    histogram = tmp_path / "counts.hist"
    arguments = ["count", str(reads), "-k", str(k), "--min-count", "5", "--histogram", str(histogram)]
    code, out, _ = run(arguments, capfd)
    counts = naive.count(READS, k)
    assert (code, out) == (0, naive.kmer_lines(counts, 5))
    assert histogram.read_text() == naive.histogram_lines(counts)


def test_text_file(reads: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "kmers.tsv"
    assert run(["count", str(reads), "-o", str(output), "-q"], capfd) == (0, "", "")
    assert output.read_text() == naive.kmer_lines(naive.count(READS, CountOptions.k))


@pytest.mark.parametrize("k", [1, 2, 32, 33, 64])
def test_arrays(reads: Path, tmp_path: Path, k: int, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "kmers.npz"
    code, out, _ = run(["count", str(reads), "-k", str(k), "-o", str(output)], capfd)
    assert (code, out) == (0, "")
    counts = naive.count(READS, k)
    with np.load(output) as arrays:
        assert arrays["codes"].T.tolist() == encode(sorted(counts), k)
        assert arrays["counts"].tolist() == [counts[kmer] for kmer in sorted(counts)]
        assert (int(arrays["k"]), bool(arrays["canonical"])) == (k, True)


@pytest.mark.parametrize(("option", "value", "code"), [("-k", "0", 2), ("-k", "256", 2), ("--min-count", "0", 2)])
def test_bad_parameters(reads: Path, option: str, value: str, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["count", str(reads), option, value], capfd)[:2] == (code, "")


def test_no_kmers(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.fa"
    path.write_text(">a\nACGT\n")
    code, out, error = run(["count", str(path)], capfd)
    assert (code, out) == (67, "")
    assert "dbg: k is 21, but the longest read has 4 bases" in error.splitlines()
