"""The benchmark of repeats: its genomes are as described, and its judge is right where the truth is known."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.benchmarks import repeat_table, repeats
from tests.benchmarks.measure import Run
from tests.benchmarks.repeat_genome import (
    Copy,
    Recipe,
    Record,
    generate,
    read_copies,
    read_fasta,
    write_copies,
    write_fasta,
)
from tests.benchmarks.repeat_matches import Genome, K, find_matches, kmer_codes, reverse_complements
from tests.benchmarks.repeat_scaffolds import judge_scaffolds, parts_as_contigs
from tests.benchmarks.repeat_truth import Truth, judge

GENOME, COPIES = generate(Recipe(60_000, seed=3))
TRUTH = Truth.of([GENOME], COPIES)
#: Two identical copies of 600 bp, at 2000 and, in the other strand, at 6000, and three in tandem at 8000
LENGTH, REPEAT = 10_000, 600


def planted(circular: bool = False) -> tuple[np.ndarray, Truth]:
    rng = np.random.default_rng(5)
    bases = rng.integers(0, 4, LENGTH, dtype=np.uint8)
    bases[6000 : 6000 + REPEAT] = turned(bases[2000 : 2000 + REPEAT])
    for at in (8100, 8200):
        bases[at : at + 100] = bases[8000:8100]
    places = [
        (2000, REPEAT, "+", 1, 0),
        (6000, REPEAT, "-", 1, 1),
        *((8000 + 100 * n, 100, "+", 2, 2) for n in range(3)),
    ]
    copies = [Copy("g", at, at + length, strand, *rest, 1.0) for at, length, strand, *rest in places]
    return bases, Truth.of([Record("g", bases, circular)], copies)


def turned(bases: np.ndarray) -> np.ndarray:
    return 3 - bases[::-1]


def contig(*parts: np.ndarray) -> Record:
    return Record("c", np.concatenate(parts))


def around(bases: np.ndarray, start: int, length: int) -> np.ndarray:
    return np.take(bases, np.arange(start, start + length), mode="wrap")


def substituted(bases: np.ndarray, *places: int) -> np.ndarray:
    changed = bases.copy()
    changed[list(places)] ^= 1
    return changed


# Genomes


def test_copies_of_a_family_are_as_similar_as_described():
    recipe = Recipe(400_000, seed=1, gc=0.3)
    record, copies = generate(recipe)
    assert abs(np.isin(record.bases, (1, 2)).mean() - 0.3) < 0.01
    families: dict[int, list[Copy]] = {}
    for copy in copies:
        families.setdefault(copy.family, []).append(copy)
    assert {copy.identity for copy in copies} == {1, 0.999, 0.99, 0.97, 0.95}
    for same in families.values():
        assert 2 <= len(same) <= 7
        first, *others = (spelled(record, copy) for copy in same)
        for other in others:
            expected = same[0].identity
            slack = 4 * ((1 - expected) / len(first)) ** 0.5
            assert abs((first == other).mean() - expected) <= slack + 1 / len(first)


def spelled(record: Record, copy: Copy) -> np.ndarray:
    bases = around(record.bases, copy.start, copy.end - copy.start)
    return bases if copy.strand == "+" else turned(bases)


def test_genomes_depend_on_the_seed_alone():
    assert np.array_equal(generate(Recipe(60_000, seed=3))[0].bases, GENOME.bases)
    assert generate(Recipe(60_000, seed=3))[1] == COPIES
    assert not np.array_equal(generate(Recipe(60_000, seed=4))[0].bases, GENOME.bases)


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_loci_are_apart_and_in_the_genome(seed, circular):
    record, copies = generate(Recipe(100_000, seed, circular=circular))
    loci = Truth.of([record], copies).loci
    assert len({copy.locus for copy in copies}) == len(loci)
    gaps = [right.start - left.end for left, right in itertools.pairwise(loci)]
    assert min(gaps) >= 200
    assert loci[0].start + (len(record.bases) if circular else 0) - circular * loci[-1].end >= 200
    assert circular or loci[-1].end <= len(record.bases) - 200


def test_too_short_genomes_are_refused():
    with pytest.raises(ValueError, match="holds a family of repeats, got 100 bp"):
        generate(Recipe(100, seed=1))


def test_files_are_read_as_written(tmp_path):
    write_fasta(tmp_path / "g.fa", [GENOME])
    write_copies(tmp_path / "g.tsv", COPIES)
    (record,) = read_fasta(tmp_path / "g.fa")
    assert (record.name, record.circular) == (GENOME.name, True)
    assert np.array_equal(record.bases, GENOME.bases)
    assert read_copies(tmp_path / "g.tsv") == COPIES
    (tmp_path / "x").write_text("start\n")
    with pytest.raises(ValueError, match="expected columns record, start"):
        read_copies(tmp_path / "x")
    with pytest.raises(ValueError, match="expected FASTA"):
        read_fasta(tmp_path / "x")


# Matches


def test_kmer_codes_are_those_of_their_letters():
    bases = np.random.default_rng(1).integers(0, 4, 100, dtype=np.uint8)
    codes, valid = kmer_codes(substituted(bases, 3))
    assert valid.all()
    for at in (0, 50, 69):
        letters = substituted(bases, 3)[at : at + K].tolist()
        assert int(codes[at]) == sum(letter << 2 * (K - 1 - i) for i, letter in enumerate(letters))
    other, _ = kmer_codes(turned(substituted(bases, 3)))
    assert np.array_equal(reverse_complements(codes), other[::-1])
    bases[40] = 4
    assert kmer_codes(bases)[1].sum() == 70 - K


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.booleans())
def test_matches_are_those_of_a_comparison_of_all_diagonals(seed, circular):
    rng = np.random.default_rng(seed)
    bases = rng.integers(0, 4, 400, dtype=np.uint8)
    bases[200:280] = turned(bases[60:140])
    query = np.concatenate((around(bases, 150, 140), turned(around(bases, 330, 170))))
    query = substituted(query, *rng.integers(0, len(query), 3).tolist())
    genome = Genome([Record("g", bases, circular)])
    found = find_matches(genome, [query])
    rows = zip(found.target, found.diagonal, found.start, found.end, strict=True)
    ours = {tuple(map(int, row)) for row in rows}
    naive = naive_matches(bases, query, circular)
    assert {row for row in naive if row[3] - row[2] >= 38} <= ours <= {row for row in naive if row[3] - row[2] >= K}
    assert len(ours) == len(found.start)


def naive_matches(bases: np.ndarray, query: np.ndarray, circular: bool) -> set[tuple[int, int, int, int]]:
    found, n = set(), len(bases)
    for target, text in enumerate((bases, turned(bases))):
        for diagonal in range(n) if circular else range(-len(query), n):
            places = np.arange(len(query)) + diagonal
            inside = circular | ((places >= 0) & (places < n))
            equal = np.concatenate(([False], inside & (query == text[places % n]), [False]))
            bounds = np.flatnonzero(equal[1:] != equal[:-1]).reshape(-1, 2).tolist()
            found |= {(target, diagonal, start, end) for start, end in bounds}
    return found


# Judgement of contigs


@given(st.integers(0, 59_999), st.integers(200, 60_000), st.booleans())
def test_substrings_of_a_circular_genome_have_no_wrong_joins(start, length, is_turned):
    bases = around(GENOME.bases, start, length)
    judged = judge(TRUTH, [contig(turned(bases) if is_turned else bases)])
    assert (judged.wrong_joins, judged.mismatches, judged.indels, judged.unaligned) == ([], 0, 0, 0)
    assert judged.covered >= 100 * length / 60_000 - 1e-9
    inside = [(locus.start - 41 - start) % 60_000 + locus.end - locus.start + 82 <= length for locus in TRUTH.loci]
    assert judged.resolved == judged.spanned == inside


def test_the_genome_itself_is_perfect():
    judged = judge(TRUTH, [GENOME])
    assert (judged.covered, judged.nga50, judged.wrong_joins) == (100, 60_000, [])
    assert all(judged.resolved)
    empty = judge(TRUTH, [])
    assert (empty.covered, empty.nga50, any(empty.spanned)) == (0, 0, False)


@given(st.integers(0, 59_999), st.integers(300, 3000), st.integers(0, 59_999), st.integers(300, 3000), st.booleans())
def test_chimeras_have_one_wrong_join(first, n_first, second, n_second, is_turned):
    left, right = around(GENOME.bases, first, n_first), around(GENOME.bases, second, n_second)
    whole = contig(left, turned(right) if is_turned else right)
    joins = judge(TRUTH, [whole]).wrong_joins
    step = (second - first - n_first + 30_000) % 60_000 - 30_000
    is_in_repeat = touches_a_repeat(first, n_first) or touches_a_repeat(second, n_second)
    if abs(step) > 20 and not is_in_repeat:
        assert len(joins) == 1
        assert abs(joins[0].position - n_first) <= 20
    assert len(joins) <= 1


def touches_a_repeat(start: int, length: int) -> bool:
    """Whether an interval of the genome overlaps a locus, or is near one."""
    places = np.zeros(60_000, bool)
    for locus in TRUTH.loci:
        places[np.arange(locus.start - 30, locus.end + 30) % 60_000] = True
    return bool(around(places, start, length).any())


def test_a_join_of_two_copies_is_wrong_and_names_the_family():
    bases, truth = planted()
    # from the first copy to the flank of the second, in the other strand
    judged = judge(truth, [contig(bases[1000:2600], turned(bases[5000:6000]))])
    (join,) = judged.wrong_joins
    assert join.families == [1]
    assert 990 <= join.position <= 1610
    assert not any(judged.resolved + judged.spanned)
    assert judged.mismatches == 0
    assert judged.nga50 == 0


@pytest.mark.parametrize(("gone", "n_joins", "n_indels"), [(10, 0, 1), (20, 0, 1), (21, 1, 0), (500, 1, 0)])
def test_deletions_of_more_than_20_bases_are_wrong_joins(gone, n_joins, n_indels):
    bases, truth = planted()
    judged = judge(truth, [contig(bases[3000:4000], bases[4000 + gone : 5500])])
    assert (len(judged.wrong_joins), judged.indels, judged.mismatches) == (n_joins, n_indels, 0)
    assert judged.covered == (2500 - gone) / 100


def test_a_lost_tandem_copy_is_a_wrong_join():
    bases, truth = planted()
    judged = judge(truth, [contig(bases[7000:8100], bases[8200:9000])])
    assert [join.families for join in judged.wrong_joins] == [[2]]
    assert not judged.resolved[2]
    right = judge(truth, [contig(bases[7000:9000])])
    assert right.resolved == [False, False, True]


def test_an_inversion_is_two_wrong_joins():
    bases, truth = planted()
    judged = judge(truth, [contig(bases[3000:4000], turned(bases[4000:4300]), bases[4300:5000])])
    assert [join.position for join in judged.wrong_joins] == pytest.approx([1000, 1300], abs=5)


def test_substitutions_are_counted_and_do_not_break_contigs():
    bases, truth = planted()
    places = (0, 5, 30, 31, 45, 700, 999)
    judged = judge(truth, [contig(substituted(bases[3000:4000], *places))])
    assert judged.wrong_joins == []
    assert judged.unaligned <= 2  # at the ends, where no base outweighs them
    assert judged.mismatches == 5
    assert judged.covered == pytest.approx(10, abs=0.08)


def test_bases_of_another_genome_are_unaligned():
    bases, truth = planted()
    other = np.random.default_rng(9).integers(0, 4, 500, dtype=np.uint8)
    judged = judge(truth, [contig(other), contig(bases[3000:4000], other[:300])])
    assert judged.wrong_joins == []
    assert 790 <= judged.unaligned <= 800


def test_repeats_are_resolved_with_41_bases_of_flank():
    bases, truth = planted()
    assert judge(truth, [contig(bases[1959:2641])]).resolved == [True, False, False]
    assert judge(truth, [contig(turned(bases[5959:6641]))]).resolved == [False, True, False]
    assert not any(judge(truth, [contig(bases[1960:2641]), contig(bases[1959:2640])]).spanned)
    with_error = judge(truth, [contig(substituted(bases[1900:2700], 400))])
    assert (with_error.spanned[0], with_error.resolved[0]) == (True, False)
    beside = judge(truth, [contig(substituted(bases[1900:2700], 50))])
    assert beside.resolved[0]


def test_closures_of_circular_contigs_are_judged():
    bases, truth = planted(circular=True)
    for start in (0, 2300, 6590):
        whole = Record("c", turned(around(bases, start, LENGTH)), circular=True)
        judged = judge(truth, parts_as_contigs([whole]))
        assert (judged.wrong_joins, judged.nga50, judged.n_bases) == ([], LENGTH, LENGTH)
        assert all(judged.resolved)
    assert not all(judge(truth, [replace(whole, circular=False)]).resolved)
    (join,) = judge(truth, [Record("c", bases[3000:5000], circular=True)]).wrong_joins
    assert join.position == pytest.approx(2000, abs=5)


def test_a_collapsed_repeat_covers_all_copies():
    bases, truth = planted()
    assert judge(truth, [contig(bases[2000:2600])]).covered == 12


def test_nga50_is_of_blocks_without_jumps():
    bases, truth = planted()
    cut = [contig(bases[:5000]), contig(bases[5000:8000]), contig(bases[8000:])]
    assert judge(truth, cut).nga50 == 5000
    assert judge(truth, cut[1:]).nga50 == 2000
    chimera = contig(bases[:5000], bases[9000:])
    assert judge(truth, [chimera, contig(bases[5000:9000])]).nga50 == pytest.approx(5000, abs=5)


def test_two_records_are_kept_apart():
    bases, _ = planted()
    records = [Record("a", bases[:5000]), Record("b", bases[5000:], circular=True)]
    truth = Truth.of(records, [])
    (join,) = judge(truth, [contig(bases[4000:5000], bases[5000:6000])]).wrong_joins
    assert (join.before.split(":")[0], join.after.split(":")[0]) == ("a", "b")
    assert judge(truth, [contig(bases[9000:], bases[5000:6000])]).wrong_joins == []
    with pytest.raises(ValueError, match="expected records a, b, got a copy in c"):
        Truth.of(records, [replace(COPIES[0], record="c")])


# Scaffolds


@pytest.mark.parametrize(
    ("gap", "right", "wrong", "errors"),
    [
        (100, slice(4100, 5000), 0, [0]),
        (10, slice(4100, 5000), 0, [-90]),
        (10, slice(3980, 5000), 0, [30]),
        (10, slice(4800, 5500), 0, [-790]),
        (10, slice(3400, 5500), 1, []),
        (10, slice(200, 1500), 1, []),
        (100, slice(2000, 2600), 1, []),
    ],
)
def test_joins_of_scaffolds_are_judged_by_place_and_gap(gap, right, wrong, errors):
    bases, truth = planted()
    n = np.full(gap, 4, np.uint8)
    judged = judge_scaffolds(truth, [contig(bases[3000:4000], n, bases[right])])
    assert (judged.n_joins, len(judged.wrong), judged.gap_errors) == (1, wrong, errors)


def test_parts_in_repeats_may_be_any_copy_and_strands_count():
    bases, truth = planted()
    n = np.full(50, 4, np.uint8)
    right = contig(bases[5000:5950], n, turned(bases[2000:2600]), n, bases[6650:7500])
    assert judge_scaffolds(truth, [right]).gap_errors == [0, 0]
    other = contig(bases[5000:5950], n, turned(bases[6650:7500]), n, np.random.default_rng(2).integers(0, 4, 99))
    judged = judge_scaffolds(truth, [other])
    assert (judged.n_joins, judged.wrong, judged.unplaced) == (2, ["c:1000"], 1)


# Commands


def test_files_are_judged_from_the_command_line(tmp_path, capsys):
    bases, _ = planted()
    copies = [Copy("g", 2000, 2600, "+", 1, 0, 1.0), Copy("g", 6000, 6600, "-", 1, 1, 1.0)]
    write_fasta(tmp_path / "g.fa", [Record("g", bases)])
    write_copies(tmp_path / "g.tsv", copies)
    gap = np.full(10, 4, np.uint8)
    write_fasta(
        tmp_path / "c.fa", [contig(bases[:2600], turned(bases[5000:6000])), contig(bases[:90], gap, bases[100:900])]
    )
    names = [str(tmp_path / name) for name in ("g.fa", "g.tsv", "c.fa")]
    repeats.main(["judge", *names, "--insert", "800", "--json", str(tmp_path / "c.json")])
    text = capsys.readouterr().out
    assert "| 0/2 | 0/2 | 0 |" in text
    assert "## Scaffolds" in text
    (line,) = (line for line in text.splitlines() if line.endswith("| 1 |"))
    assert "g:2600+" in line
    (row,) = json.loads((tmp_path / "c.json").read_text())["rows"]
    assert row["judgement"]["wrong_joins"][0]["families"] == [1]
    assert row["scaffolds"]["gap_errors"] == [0]


def test_the_benchmark_runs_programs_and_writes_tables(tmp_path, monkeypatch, capsys):
    commands = []

    def write_truth(command, directory):
        (directory / "a").mkdir(parents=True)
        commands.append(command)
        if "7" in command:
            return Run(67, 0.1, 0.1, 0.0, 1, "error: no")
        genome = next((tmp_path / "keep").glob("*.fa"))
        (directory / "a" / "contigs.fasta").write_text(genome.read_text())
        return Run(0, 1.0, 1.5, 0.5, 1, "")

    monkeypatch.setattr(repeats, "measure", write_truth)
    monkeypatch.setattr(repeats.subprocess, "run", lambda command, **_: commands.append(command))
    monkeypatch.setattr(repeats, "commit", lambda: "abc")
    contigs = f"same={tmp_path / 'keep'}/{{genome}}.fa"
    words = ["--genomes", "1", "--length", "20000", "--insert", "300", "500", "--dbg", "dbg=", "--dbg", "other=-k 7"]
    paths = ["--keep", str(tmp_path / "keep"), "--output", str(tmp_path)]
    repeats.main([*words, *paths, "--contigs", contigs])
    assert [command[command.index("--insert") + 1] for command in commands if "simulate" in command] == ["300", "500"]
    results = json.loads((tmp_path / "repeats.json").read_text())
    assert [row["program"] for row in results["rows"]] == ["dbg", "other", "same"] * 2
    text = (tmp_path / "repeats.md").read_text()
    assert text == capsys.readouterr().out[:-1]
    assert "failed with exit code 67" in text
    assert "20,000; 100.00; 0; " in text
    assert "| mean; mean; sum; sum; sum | 20,000; 100.00; 0; " in text
    assert (tmp_path / "keep" / "genome1_gc50.tsv").exists()


def test_genomes_spread_over_the_range_of_gc():
    options = repeats.parse(["--genomes", "4", "--seed", "5", "--linear"])
    assert [recipe.gc for recipe in repeats.recipes(options)] == [0.25, 0.4, 0.55, 0.7]
    assert [recipe.seed for recipe in repeats.recipes(options)] == [5, 6, 7, 8]
    assert not repeats.recipes(options)[0].circular
    with pytest.raises(SystemExit):
        repeats.parse(["--dbg", "k"])


def test_classes_are_relative_to_the_span_of_a_pair():
    assert repeat_table.span(500) == 418
    lengths = (100, 208, 209, 417, 418, 835, 836)
    found = [repeat_table.length_class(length, 418) for length in lengths]
    assert found == ["to half", "to half", "to span", "to span", "to double", "to double", "longer"]


def test_records_may_be_empty(tmp_path):
    Path(tmp_path / "c.fa").write_text("")
    assert read_fasta(tmp_path / "c.fa") == []
    assert judge(TRUTH, [Record("c", np.zeros(0, np.uint8))]).n_contigs == 0
