"""Contig statistics against their definitions and QUAST's own figures."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from debruijn_gpu.assembly.statistics import compositions, contig_stats, stats_of_contigs
from tests.assembly.examples import contigs_of
from tests.naive import stats as naive

sequence_lists = st.lists(st.text("ACGTN", max_size=60), max_size=12)


@given(sequence_lists, st.integers(0, 70))
def test_stats_are_what_the_definitions_say(sequences, min_contig_bp):
    stats = compositions([s.encode() for s in sequences]).stats(min_contig_bp)
    decimals = {"GC (%)": ".2f", "auN": ".1f", "# N's per 100 kbp": ".2f"}
    expected = [
        (name, "-" if value is None else format(value, decimals.get(name, "d")))
        for name, value in naive.rows(sequences, min_contig_bp).items()
    ]
    assert stats.rows() == expected


@given(sequence_lists.map(lambda many: [s for s in many if s]))
def test_stats_of_contigs_and_of_their_sequences_agree(sequences):
    contigs = contigs_of([s.encode() for s in sequences], k=3)
    assert stats_of_contigs(contigs) == compositions(s.encode() for s in sequences).stats()


def quast_example():
    """Contigs on both sides of each of QUAST's thresholds."""
    choose = random.Random(3).choice
    lengths = [30, 499, 500, 501, 999, 1000, 1001, 5000, 12000, 26000, 51000, 77]
    return ["".join(choose("ACGTACGTACGTACGTNRacgtn") for _ in range(n)).upper().encode() for n in lengths]


def test_stats_are_those_of_quast():
    """Figures printed by QUAST 5.2.0 with ``--min-contig 500``."""
    expected = """\
# contigs (>= 0 bp)	12
# contigs (>= 1000 bp)	6
# contigs (>= 5000 bp)	4
# contigs (>= 10000 bp)	3
# contigs (>= 25000 bp)	2
# contigs (>= 50000 bp)	1
Total length (>= 0 bp)	98607
Total length (>= 1000 bp)	96001
Total length (>= 5000 bp)	94000
Total length (>= 10000 bp)	89000
Total length (>= 25000 bp)	77000
Total length (>= 50000 bp)	51000
# contigs	9
Largest contig	51000
Total length	98001
GC (%)	50.15
N50	51000
N90	12000
auN	35198.6
L50	1
L90	3
# N's per 100 kbp	13099.87
"""
    rows = compositions(quast_example()).stats(500).rows()
    assert "".join(f"{name}\t{value}\n" for name, value in rows) == expected


def test_no_contigs():
    stats = contig_stats([], [], [])
    assert (stats.n_contigs, stats.total_bp, stats.largest_bp) == (0, 0, 0)
    assert stats.n50_bp is stats.l90 is stats.aun_bp is stats.gc_percent is None


@pytest.mark.parametrize("n_half", [1, 2, 1000])
def test_n50_of_equal_halves_is_the_first_half(n_half):
    """Exactly half of the bases is enough."""
    stats = contig_stats([2 * n_half, n_half, n_half], [0, 0, 0], [0, 0, 0])
    assert (stats.n50_bp, stats.l50) == (2 * n_half, 1)


def test_aun_of_chromosomes_does_not_overflow():
    lengths = np.full(10, 3_000_000_000)
    assert contig_stats(lengths, lengths // 2, lengths * 0).aun_bp == 3e9
