"""Numbers far beyond what can be computed: each is answered or refused at once, and without allocating."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

HUGE = 10**18
GENOME = Path(__file__).parents[2] / "data" / "phix174_J02482.fa"
GRAPH = "0 1\n1 2\n2 0\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["generate", "random", "-n", HUGE], 137, "Out of memory: 1,000,000,000,000,000,000 vertices"),
        (["generate", "debruijn", "-n", HUGE, "--alphabet", 1], 2, "expected words of at most 63 letters"),
        (["draw", "--debruijn", "4,40", "--format", "dot"], 2, "more than 2^62 edges"),
        (
            ["draw", "--debruijn", f"1,{10**12}", "--format", "dot"],
            2,
            f"B(1, {10**12}): expected words of at most 63 letters",
        ),
        (["debruijn", "-n", 10**9], 2, "-n is 1000000000"),
        (["debruijn", "-n", 60, "--max-run", 2], 137, "Out of memory: 6,192,035,023,680 words of 60 symbols"),
        (["histogram", GRAPH, "--bins", 10**12], 2, "--bins is 1000000000000"),
        (["histogram", GRAPH, "--bins", 10**20], 2, "--bins is 100000000000000000000"),
        (["simulate", GENOME, "--depth", "1e12"], 67, "--depth 1e+12: expected at most 1,099,511,627,776 reads"),
        (["simulate", GENOME, "--depth", "1e300"], 67, "--depth 1e+300: expected at most 1,099,511,627,776 reads"),
        (["simulate", GENOME, "--paired", "--insert", 10**12], 2, "--insert is 1000000000000"),
        (["simulate", GENOME, "--paired", "--insert-sd", "1e300"], 2, "--insert-sd is 1e+300"),
        (
            ["lookandsay", 1, "-n", 10**9, "--length", "-m", "2G"],
            137,
            "Out of memory: the length of term 1,000,000,000",
        ),
        (["lookandsay", 1, "-n", 10**9, "-m", "2G"], 137, "Out of memory: the term of step 7"),
        (["cyclospec", "count", HUGE], 2, "expected a mass of at most "),
        (["cyclospec", "count", 10**30, "--cyclic"], 2, "MASS 1000000000000000000000000000000: no whole mass above 0"),
        (["graph", GRAPH, "--n-vertices", HUGE], 137, "Out of memory"),
        (["euler", GRAPH, "--n-vertices", 10**24], 137, "Out of memory"),
    ],
)
def test_huge_numbers(dbg, tmp_path: Path, arguments: list, code: int, message: str) -> None:
    (tmp_path / "graph.txt").write_text(GRAPH)
    arguments = [tmp_path / "graph.txt" if argument == GRAPH else argument for argument in arguments]
    peak, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found, out, err = dbg(*arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err
    assert "unexpected" not in err
    assert time.process_time() - start < 60  # with compiling, which alone takes some seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 500_000


@pytest.mark.parametrize(
    "number", [2**63, 2**64, 10**400, int("9" * 4000)], ids=["2^63", "2^64", "10^400", "4000 digits"]
)
@pytest.mark.parametrize("line", ["{} 1", "1 {}", "{} -> 1", "1: {}", "1,{}", "a {}", "-{} 1", "1 2 {}", "1 2 -{}"])
def test_huge_integers_in_graphs_are_names_or_weights(dbg, tmp_path: Path, line: str, number: int) -> None:
    """Names stay as they are written; weights are floats, and an error beyond their range."""
    (tmp_path / "graph.txt").write_text(line.format(number) + "\n")
    code, out, err = dbg("graph", tmp_path / "graph.txt", "--convert", "tsv", "-q")
    is_weight = line.startswith("1 2")
    if is_weight and number > 2**64:
        assert (code, out) == (64, "")
        assert "is beyond the range of floats" in err
        return
    assert (code, err) == (0, "")
    words = out.splitlines()[-1].split("\t")
    if is_weight:
        assert float(words[2]) == float(line.format(number).split()[2])
    else:
        assert str(number) in [word.lstrip("-") for word in words]
