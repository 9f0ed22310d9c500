"""Assemblies whose reads hold a wrong join that their pairs contradict."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace

import numpy as np
import pytest

from debruijn_gpu.pairs.breaks import Break
from debruijn_gpu.pairs.within import Coordinates
from debruijn_gpu.pairs.wrong_joins import can_be_cut
from debruijn_gpu.reads.options import ReadInputs
from debruijn_gpu.reports.read_findings import placement
from debruijn_gpu.run.options import RunOptions
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import files_of, is_part, pairs_of, random_bases, write_mates

HEADER = ["contig", "start", "end", "kind", "spanning", "expected", "contradicting", "cut", "reason"]
FIRST, SECOND = random_bases(8000, 21), random_bases(8000, 22)
WRONG = FIRST[:4000] + SECOND[4000:]


def sequences(files, name="contigs.fasta"):
    return files[name].decode().splitlines()[1::2]


def rows_of(files):
    lines = files["breaks.tsv"].decode().splitlines()
    assert lines[0].split("\t") == HEADER
    return [dict(zip(HEADER, line.split("\t"), strict=True)) for line in lines[1:]]


@pytest.fixture(scope="module")
def pairs():
    """Pairs of two chromosomes, without reads over the middle of each."""
    return pairs_of(FIRST, 30, without=(3990, 4010)) + pairs_of(SECOND, 30, without=(3990, 4010), seed=2)


@pytest.fixture(scope="module")
def singles():
    """Reads over the wrong join of both."""
    chance = random.Random(9)
    starts = [chance.randrange(3905, 3996) for _ in range(40)]
    return [WRONG[start : start + 100] for start in starts]


def inputs_of(place, pairs, singles):
    place.mkdir(exist_ok=True)
    first, second = write_mates(place, pairs)
    path = place / "single.fasta"
    path.write_text("".join(f">{i}\n{read}\n" for i, read in enumerate(singles)))
    return ReadInputs(first=(first,), second=(second,), single=(str(path),))


@pytest.fixture(scope="module")
def expected(pairs, singles, tmp_path_factory):
    place = tmp_path_factory.mktemp("expected")
    return files_of(inputs_of(place, pairs, singles), place / "out", trim="off")


def test_wrong_joins_are_cut(expected):
    found = sequences(expected)
    assert len(found) == 4
    assert all(is_part(contig, FIRST) or is_part(contig, SECOND) for contig in found)
    rows = rows_of(expected)
    assert len(rows) == 2
    for row in rows:
        assert (row["kind"], row["cut"], row["reason"]) == ("within", "yes", "contradicted")
        assert int(row["spanning"]) < 0.1 * float(row["expected"]) < 0.5 * int(row["contradicting"])
        contig = found[int(row["contig"].removeprefix("contig_")) - 1]
        assert row["start"] == row["end"]
        assert int(row["start"]) in (1, len(contig))
    section = json.loads(expected["report.json"])["pairs"]
    numbers = [section[name] for name in ("n_wrong_joins_cut", "n_wrong_joins_left", "n_not_spanned")]
    assert numbers == [1, 0, 0]


def test_pieces_follow_the_pairs(expected):
    """Behind a cut the right pieces are next to each other, across gaps."""
    scaffolds = sequences(expected, "scaffolds.fasta")
    assert len(scaffolds) == 2
    for scaffold in scaffolds:
        left, right = scaffold.replace("N", " ").split()
        assert any(is_part(left, one) and is_part(right, one) for one in (FIRST, SECOND))


def test_without_cuts_places_are_reported(pairs, singles, tmp_path):
    files = files_of(inputs_of(tmp_path, pairs, singles), tmp_path / "out", trim="off", breaks=False)
    (wrong,) = (contig for contig in sequences(files) if not is_part(contig, FIRST) and not is_part(contig, SECOND))
    (row,) = rows_of(files)
    assert (row["kind"], row["cut"], row["reason"]) == ("within", "no", "contradicted")
    contig = sequences(files)[int(row["contig"].removeprefix("contig_")) - 1]
    assert contig == wrong
    whole = WRONG if contig in WRONG else reverse_complement(WRONG)
    join = (4000 if contig in WRONG else len(WRONG) - 4000) - whole.index(contig)
    assert int(row["start"]) - 5 <= join <= int(row["end"]) + 5
    assert json.loads(files["params.json"])["assemble"]["breaks"] is False
    assert json.loads(files["report.json"])["pairs"]["n_wrong_joins_left"] == 1


def test_walks_spell_contigs_after_cuts(expected):
    lines = [line.split("\t") for line in expected["assembly_graph.gfa"].decode().splitlines()]
    segments = {line[1]: line[2] for line in lines if line[0] == "S"}
    found = sequences(expected)
    for line in lines:
        if line[0] == "P" and line[1].startswith("contig_") and "," not in line[2]:
            text = segments[line[2][:-1]]
            spelled = text if line[2][-1] == "+" else reverse_complement(text)
            assert spelled == found[int(line[1].removeprefix("contig_")) - 1]


@pytest.mark.parametrize("change", first_quick(["threads", "shuffled", "exchanged"]))
def test_nothing_else_matters(change, pairs, singles, expected, tmp_path):
    run = RunOptions(threads=1 if change == "threads" else 3)
    if change == "shuffled":
        pairs = random.Random(1).sample(pairs, len(pairs))
        singles = singles[::-1]
    if change == "exchanged":
        pairs = [pair[::-1] for pair in pairs]
    assert files_of(inputs_of(tmp_path, pairs, singles), tmp_path / "out", run, trim="off") == expected


def test_right_assemblies_have_an_empty_table(pairs, tmp_path):
    files = files_of(inputs_of(tmp_path, pairs, [FIRST[:100]]), tmp_path / "out", trim="off")
    assert rows_of(files) == []


@pytest.mark.parametrize(
    ("start", "stop", "is_wrong", "expected_answer"),
    [(31, 69, True, True), (30, 50, True, False), (40, 70, True, False), (40, 50, False, False)],
)
def test_both_sides_of_a_cut_are_unitigs(start, stop, is_wrong, expected_answer):
    at = Coordinates(np.array([500, 100]))
    assert can_be_cut(Break(1, start, stop, 0, 9.0, 9, is_wrong), at, 31) is expected_answer


@pytest.mark.parametrize(("n_cut", "n_left", "told"), [(0, 0, "open."), (1, 0, "open. 1 wrong join cut, 0 left.")])
def test_page_states_wrong_joins(n_cut, n_left, told):
    numbers = {"n_wrong_joins_cut": n_cut, "n_wrong_joins_left": n_left}
    section = {"share_placed": 0.9, "n_joined": 1, "n_open_gaps": 4, "n_closed_gaps": {}, **numbers}
    found = placement(SimpleNamespace(report={"pairs": section}))
    assert found is not None
    assert found.reason.endswith(told)
