"""Phage reads: k-mers with counts as KMC finds them, unitigs as BCALM 2 finds them (`tests/golden/README.md`)."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections import Counter
from pathlib import Path

import pytest

from tests.naive.sequences import reverse_complement

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
READS = [ROOT / "data" / f"phix174_R{mate}.fastq.gz" for mate in (1, 2)]
KMC = json.loads((GOLDEN / "kmc_phix174.json").read_text())


@pytest.fixture(scope="module")
def bcalm() -> dict[tuple[int, int], list[tuple[str, int]]]:
    """Sequences and sums of k-mer counts of BCALM's unitigs, by k and least count."""
    unitigs: dict[tuple[int, int], list[tuple[str, int]]] = {}
    for line in lzma.decompress((GOLDEN / "bcalm2_phix174.tsv.xz").read_bytes()).decode().splitlines():
        k, min_count, sequence, total = line.split("\t")
        unitigs.setdefault((int(k), int(min_count)), []).append((sequence, int(total)))
    return unitigs


def normalized(sequence: str, k: int) -> str:
    """The smaller strand; of a cycle, whose last k - 1 bases are its first, the smallest rotation of both strands."""
    strands = (sequence, reverse_complement(sequence))
    if len(sequence) < k or sequence[: k - 1] != sequence[len(sequence) - k + 1 :]:
        return min(strands)
    period = len(sequence) - k + 1
    return min(strand[i : i + period] for strand in (2 * strand[:period] for strand in strands) for i in range(period))


@pytest.mark.parametrize("k", [int(k) if int(k) < 32 else pytest.param(int(k), marks=pytest.mark.slow) for k in KMC])
def test_kmers_and_counts_are_those_of_kmc(dbg, k):
    code, out, _err = dbg("count", *READS, "-k", k)
    assert code == 0
    lines = out.splitlines()
    assert {
        "n_kmers": len(lines),
        "sum_of_counts": sum(int(line.split("\t")[1]) for line in lines),
        "sha256": hashlib.sha256(out.encode()).hexdigest(),
    } == KMC[str(k)]


@pytest.mark.parametrize("min_count", [1, 2])
@pytest.mark.parametrize("k", [15, 21, 31, pytest.param(63, marks=pytest.mark.slow)])
def test_unitigs_are_those_of_bcalm(dbg, bcalm, k, min_count):
    code, out, _err = dbg("unitigs", *READS, "-k", k, "--min-count", min_count, "--no-clean")
    assert code == 0
    lines = out.splitlines()
    totals = [int(header.split("KC:i:")[1].split()[0]) for header in lines[::2]]
    found = Counter((normalized(sequence, k), total) for sequence, total in zip(lines[1::2], totals, strict=True))
    assert found == Counter((normalized(sequence, k), total) for sequence, total in bcalm[k, min_count])
