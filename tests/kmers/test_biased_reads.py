"""Reads with GC bias, which benchmarks assemble."""

from __future__ import annotations

import numpy as np

from tests.benchmarks.biased_reads import Library, write_pairs


def test_biased_reads_are_few_where_gc_content_is_low(tmp_path) -> None:
    """One half of the genome has 30 % of GC, and the other 55 %."""
    rng = np.random.default_rng(5)
    halves = [rng.choice(list("ACGT"), 20_000, p=[(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2]) for gc in (0.3, 0.55)]
    (tmp_path / "genome.fa").write_text(">one\n" + "".join(np.concatenate(halves)) + "\n")
    shares = []
    for bias in (0.0, 3.0):
        library = Library(gc_bias=bias, chimeras=0.0, duplicates=0.0)
        n_pairs = write_pairs(tmp_path / "genome.fa", str(tmp_path / "reads"), 10, 1, library)
        reads = (tmp_path / "reads_R1.fq").read_text().split("\n")[1::4]
        assert len(reads) == n_pairs
        assert {len(read) for read in reads} == {150}
        gc = np.array([sum(map(read.count, "GC")) / len(read) for read in reads])
        shares.append(np.mean(gc < 0.35))
    assert shares[1] < shares[0]
