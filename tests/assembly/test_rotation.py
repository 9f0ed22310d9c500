"""Rotate circular contigs to genes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from debruijn_gpu.assembly.contigs import Contigs
from debruijn_gpu.assembly.rotation import Gene, find_start, find_starts, rotate_contigs, rotation_of
from debruijn_gpu.run import log
from tests.naive.kmers import reverse_complement


def bases(length: int, seed: int) -> str:
    return "".join(random.Random(seed).choices("ACGT", k=length))


def mutated(sequence: str, share: float, seed: int = 1) -> str:
    """Substitute a share of the bases, never the first and the last five."""
    chance = random.Random(seed)
    letters = list(sequence)
    for i in chance.sample(range(5, len(letters) - 5), int(share * len(letters))):
        letters[i] = chance.choice("ACGT".replace(letters[i], ""))
    return "".join(letters)


def rotation(circle: str, start: int) -> str:
    return circle[start:] + circle[:start]


def rotated(circle: str, *sequences: str) -> tuple[str, str] | None:
    """Name of the gene that is found, and the rotation to it."""
    genes = [Gene(f"gene_{i}", sequence.encode()) for i, sequence in enumerate(sequences)]
    found = find_start(circle.encode(), genes)
    return None if found is None else (found.gene, found.rotated(circle.encode()).decode())


def contigs_of(sequences: list[str], circular: list[bool]) -> Contigs:
    text = "".join(sequences).encode()
    offsets = np.cumsum([0, *map(len, sequences)])
    numbers = np.full(len(sequences), 100)
    none = np.zeros((0, 2), np.int64)
    return Contigs(31, np.frombuffer(text, np.uint8), offsets, numbers, numbers, np.array(circular), none)


@pytest.mark.parametrize("start", [0, 1, 1234, 4200, 4999])
@pytest.mark.parametrize("is_reverse", [False, True])
def test_gene_is_found_on_both_strands_and_across_the_start(start, is_reverse):
    circle = bases(5_000, 1)
    expected = rotation(circle, start)
    if is_reverse:
        expected = reverse_complement(expected)
    assert rotated(circle, expected[:900]) == ("gene_0", expected)


@pytest.mark.parametrize(("share", "is_found"), [(0.05, True), (0.09, True), (0.15, False)])
def test_gene_needs_nine_of_ten_identical_bases(share, is_found):
    circle = bases(5_000, 2)
    found = rotated(circle, mutated(circle[700:1900], share))
    assert found == (("gene_0", rotation(circle, 700)) if is_found else None)


@pytest.mark.parametrize(("missing_bp", "is_found"), [(0, True), (45, True), (60, False)])
@pytest.mark.parametrize("is_reverse", [False, True])
def test_gene_needs_nineteen_twentieths_of_its_length(missing_bp, is_found, is_reverse):
    """The start of the gene is where it would begin if all of it were aligned."""
    circle = bases(5_000, 3)
    expected = rotation(circle, 2000)
    if is_reverse:
        expected = reverse_complement(expected)
    gene = "A" * missing_bp + expected[missing_bp:1000]
    assert rotated(circle, gene) == (("gene_0", expected) if is_found else None)


def test_insertions_and_deletions_are_aligned():
    circle = bases(5_000, 4)
    gene = circle[100:400] + "ACGTACGTA" + circle[400:800] + circle[812:1300]
    assert rotated(circle, gene) == ("gene_0", rotation(circle, 100))


def test_first_gene_that_is_found_decides():
    circle = bases(5_000, 5)
    absent, later, first = bases(1000, 6), circle[300:1300], mutated(circle[2000:2600], 0.05)
    assert rotated(circle, absent, first, later) == ("gene_1", rotation(circle, 2000))


def test_best_of_several_places_wins_and_the_first_of_equal_ones():
    gene = bases(800, 7)
    parts = [bases(700, seed) for seed in (8, 9, 10)]
    circle = mutated(gene, 0.06) + parts[0] + gene + parts[1] + gene + parts[2]
    assert rotated(circle, gene) == ("gene_0", rotation(circle, 1500))


def test_gene_longer_than_the_contig_is_not_found():
    circle = bases(300, 11)
    assert rotated(circle, circle + circle) is None
    assert rotated(circle, rotation(circle, 90) + rotation(circle, 90)[:10]) is None
    assert rotated(circle, rotation(circle, 90)) == ("gene_0", rotation(circle, 90))


def test_circle_of_few_bases_holds_a_gene_of_its_length():
    circle = bases(60, 12)
    assert rotated(circle, rotation(circle, 17)) == ("gene_0", rotation(circle, 17))
    assert rotated("ACGTA", bases(60, 13)) is None


def test_ambiguous_letters_match_no_base():
    circle = bases(3_000, 14)
    gene = circle[500:1500]
    few, many = gene[:100] + "N" * 60 + gene[160:], "".join("N" if i % 5 == 2 else c for i, c in enumerate(gene))
    assert rotated(circle, few) == ("gene_0", rotation(circle, 500))
    assert rotated(circle, many) is None


def test_repetitive_gene_is_searched():
    circle = bases(3_000, 15) + "A" * 100 + "ACG" * 100
    assert rotated(circle, "ACG" * 90) is not None
    assert rotated(circle, "A" * 100) == ("gene_0", rotation(circle, 3000))
    assert rotated(bases(3_000, 16), "AC" * 300) is None


def test_circular_contigs_alone_are_rotated_in_place():
    gene = bases(200, 17)
    sequences = [bases(500, 18) + gene, bases(300, 19) + gene + bases(100, 20), bases(400, 21)]
    contigs = contigs_of(sequences, [False, True, True])
    starts = find_starts(contigs, [Gene("repA", gene.encode())])
    found = rotate_contigs(contigs, starts)
    expected = [sequences[0], rotation(sequences[1], 300), sequences[2]]
    assert [found.sequence(i).decode() for i in range(3)] == expected
    assert list(starts) == [1]
    assert contigs.sequence(1).decode() == sequences[1]


@pytest.mark.parametrize(
    ("circular", "lines"),
    [
        ([False, False], ["no contig is circular: none is rotated to a gene"]),
        (
            [True, True],
            [
                "contig_1 is circular and starts with repA: 100.0 % of 200 aligned bases are identical",
                "1 circular contig without a gene of --rotate: from the smallest rotation on",
            ],
        ),
    ],
)
def test_rotation_is_logged(circular, lines, caplog):
    genes = [Gene("repA", bases(200, 22).encode())]
    contigs = contigs_of([bases(200, 22) + bases(300, 23), bases(400, 24)], circular)
    starts = find_starts(contigs, genes)
    with log.new_run(), caplog.at_level("INFO", "dbg"):
        found = rotation_of(genes, starts, contigs)
    assert found is not None
    assert found.genes == ("repA",)
    assert [record.message for record in caplog.records if record.module == "rotation"] == lines
    assert rotation_of([], {}, contigs) is None
