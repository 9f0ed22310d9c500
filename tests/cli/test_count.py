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


def most_frequent(counts: dict[str, int], n: int) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:n]
    return "".join(f"{kmer}\t{count}\n" for kmer, count in ranked)


@pytest.mark.parametrize("k", [1, 2, 21, 33])
@pytest.mark.parametrize("n", ["1", "7", "1k"])
def test_top_is_by_count_then_by_kmer(reads: Path, k: int, n: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["count", str(reads), "-k", str(k), "--top", n], capfd)
    assert (code, out) == (0, most_frequent(naive.count(READS, k), 1000 if n == "1k" else int(n)))


def test_max_count_and_top_leave_the_histogram_whole(
    reads: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    histogram = tmp_path / "counts.hist"
    arguments = ["count", str(reads), "--min-count", "5", "--max-count", "9", "--histogram", str(histogram)]
    counts = naive.count(READS, 21)
    kept = {kmer: n for kmer, n in sorted(counts.items()) if 5 <= n <= 9}
    assert run(arguments, capfd)[1] == "".join(f"{kmer}\t{n}\n" for kmer, n in kept.items())
    assert run([*arguments, "--top", "3"], capfd)[1] == most_frequent(kept, 3)
    assert histogram.read_text() == naive.histogram_lines(counts)


def test_top_in_arrays(reads: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "kmers.npz"
    assert run(["count", str(reads), "--top", "9", "--branching", "-k", "4", "-o", str(output)], capfd)[0] == 0
    lines = run(["count", str(reads), "--top", "9", "--branching", "-k", "4"], capfd)[1].splitlines()
    rows = [line.split("\t") for line in lines]
    assert len(rows) == 9
    with np.load(output) as arrays:
        assert arrays["codes"].T.tolist() == encode([row[0] for row in rows], 4)
        for column, name in enumerate(("counts", "predecessors", "successors"), 1):
            assert arrays[name].tolist() == [int(row[column]) for row in rows]


def test_branching_kmers_are_counted_in_the_kept_graph(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "reads.fa"
    path.write_text(">a\nAACCGATT\n>b\nAACCGATT\n>c\nAACCGATT\n>error\nAACCTATT\n")
    code, out, err = run(["count", str(path), "-k", "5", "--forward", "--branching"], capfd)
    assert (code, out) == (0, "")
    assert "0 of 8 k-mers are branching" in err
    code, out, err = run(["count", str(path), "-k", "4", "--forward", "--branching"], capfd)
    assert (code, out) == (0, "AACC\t4\t0\t2\n")
    assert "1 of 9 k-mers are branching" in err
    _, out, err = run(["count", str(path), "-k", "4", "--forward", "--branching", "--min-count", "2"], capfd)
    assert out == ""
    assert "0 of 5 k-mers are branching" in err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--max-count", "0"], 2),
        (["--max-count", "5000000000"], 2),
        (["--max-count", "many"], 2),
        (["--min-count", "3", "--max-count", "2"], 2),
        (["--top", "0"], 2),
        (["--top", "1.5"], 2),
    ],
)
def test_bad_filters(reads: Path, arguments: list[str], code: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["count", str(reads), *arguments], capfd)[:2] == (code, "")
