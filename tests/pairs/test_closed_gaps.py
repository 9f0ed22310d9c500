"""Places of closed gaps in contigs, and the table of them."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace

import pytest

from debruijn_gpu.reports.read_findings import placement
from tests.helpers import first_quick
from tests.naive.kmers import reverse_complement
from tests.pairs.examples import files_of, is_part, is_rotation, paired, pairs_of, random_bases

HEADER = ["contig", "start", "end", "kind", "bases", "estimated_gap", "error", "pairs", "reads", "k"]


def thin(pairs, genome, start, stop, kept, seed=1):
    """Leave few reads over an interval, so that k-mers of single reads bridge it."""
    chance = random.Random(seed)
    doubled = genome + genome
    middle = doubled[start:stop]
    found, n_over = [], 0
    for pair in pairs:
        places = [doubled.find(read if read in doubled else reverse_complement(read)) for read in pair]
        over = any(place <= stop and place + 100 > start for place in places)
        if not over or (n_over < kept and chance.random() < 0.3):
            n_over += over
            found.append(pair)
    assert middle
    return found


def rows_of(files):
    lines = files["gap_closures.tsv"].decode().splitlines()
    assert lines[0].split("\t") == HEADER
    return [line.split("\t") for line in lines[1:]]


def written(genome, place, n_kept, **options):
    """Files of a genome with little depth in two places."""
    pairs = pairs_of(genome, 40, **options)
    for start in (2000, 5000):
        pairs = thin(pairs, genome, start, start + 60, n_kept)
    return files_of(paired(place, pairs), place / "out", min_count=3, trim="off")


def sequences(files, name):
    text = files[name].decode().splitlines()
    return text[1::2]


@pytest.mark.parametrize(
    ("is_circular", "n_kept", "seed", "n_rows"),
    first_quick(
        [(False, 2, 1, 0), (False, 4, 1, 2), (True, 3, 2, 2), (True, 4, 3, 2), (True, 4, 5, 2), (True, 3, 7, 1)], 3
    ),
)
def test_rows_state_what_fills_gaps(is_circular, n_kept, seed, n_rows, tmp_path):
    genome = random_bases(8_000, 11)
    files = written(genome, tmp_path, n_kept, is_circular=is_circular, seed=seed)
    contigs = sequences(files, "contigs.fasta")
    whole = genome + genome if is_circular else genome
    for contig in contigs:
        assert is_part(contig, whole)
    rows = rows_of(files)
    assert len(rows) == n_rows
    if is_circular and n_rows == 2:
        assert is_rotation(contigs[0], genome)
    section = json.loads(files["report.json"])["pairs"]
    assert sum(section["n_closed_gaps"].values()) == len(rows)
    for row in rows:
        contig = contigs[int(row[0].removeprefix("contig_")) - 1]
        start, end, bases = int(row[1]), int(row[2]), int(row[4])
        assert end - start + 1 == abs(bases)
        around = (contig + contig)[start - 1 : end + 10]
        place = whole.find(around) if around in whole else len(genome) - reverse_complement(whole).find(around)
        assert min(abs(place % len(genome) - center) for center in (2030, 5030)) < 200
        assert abs(float(row[5]) - bases) < 5 * float(row[6]) + 20
        assert int(row[7]) >= 2
    assert section["n_closed_gaps"]["reads"] == sum(row[3] == "reads" for row in rows)


def test_pairs_section_counts_reads_and_joins(tmp_path):
    files = files_of(paired(tmp_path, pairs_of(random_bases(8_000, 5), without=(4000, 4100))), tmp_path / "out")
    section = json.loads(files["report.json"])["pairs"]
    assert section["n_reads"] == section["n_placed"]
    assert section["share_placed"] == 1
    assert (section["n_too_short"], section["n_without_anchor"]) == (0, 0)
    assert (section["n_single_copy"], section["n_joined"], section["n_open_gaps"]) == (2, 0, 1)
    assert section["n_closed_gaps"] == {"overlap": 0, "reads": 0}
    assert rows_of(files) == []


def test_table_is_written_where_repeats_are_resolved(tmp_path):
    reads = paired(tmp_path, pairs_of(random_bases(4_000, 5)))
    files = files_of(reads, tmp_path / "out", pairs=False)
    assert rows_of(files) == []
    assert json.loads(files["report.json"])["pairs"]["n_joined"] == 0
    files = files_of(reads, tmp_path / "euler", pairs=False, walk="euler")
    assert "gap_closures.tsv" not in files
    assert "pairs" not in json.loads(files["report.json"])


@pytest.mark.parametrize("inputs", [[], [{"why_unusable": "too few pairs on one unitig"}]])
def test_page_states_that_reads_joined_without_pairs(inputs):
    section = {"share_placed": 0.985, "n_joined": 1, "n_open_gaps": 0, "n_closed_gaps": {"overlap": 1, "reads": 2}}
    found = placement(SimpleNamespace(report={"pairs": section, "insert_sizes": {"inputs": inputs}}))
    assert found is not None
    assert found.reason.endswith("By reads: 1 path through repeats, 3 gaps closed.")


def test_page_states_the_share_of_placed_reads():
    closed = {"overlap": 1, "reads": 2}
    section = {"share_placed": 0.985, "n_joined": 1, "n_open_gaps": 4, "n_closed_gaps": closed}
    found = placement(SimpleNamespace(report={"pairs": section, "insert_sizes": {"inputs": [{"why_unusable": None}]}}))
    assert found is not None
    assert found.figure == "98.5 %"
    assert found.reason.endswith("By pairs: 1 path through repeats, 3 gaps closed, 4 open.")
    assert placement(SimpleNamespace(report={})) is None
